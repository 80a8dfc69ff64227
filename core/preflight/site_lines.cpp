#include "core/preflight/site_lines.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/error.hpp"
#include "core/base/file.hpp"

namespace dipaco {
namespace {

using Json = nlohmann::json;

double positive(const Json& object, const char* key) {
  const double value = object.at(key).get<double>();
  if (!(value > 0)) throw ConfigError(std::string(key) + " is " + object.at(key).dump() + ", and not above 0");
  return value;
}

SiteLines lines_in(const Json& json) {
  SiteLines lines;
  std::map<std::string, std::string> names;  // of sites, by their processes' names and their own words
  for (const Json& process : json.at("processes")) {
    names[process.at("name")] = names[process.at("site")] = process.at("site_name");
    if (!process.contains("step_time_s")) continue;
    Seconds& slowest = lines.step_times[process.at("machine")];
    slowest = std::max(slowest, Seconds(positive(process, "step_time_s")));
  }
  for (const Json& link : json.at("links")) {
    const std::pair ends(names.at(link.at("from")), names.at(link.at("to")));
    if (ends.first == ends.second) continue;
    double& best = lines.pairs[ends];
    best = std::max(best, positive(link, "bytes_per_s"));
    Seconds& longest = lines.round_trips[ends];
    longest = std::max(longest, Seconds(link.value("round_trip_s", 0.0)));
  }
  for (const Json& site : json.at("sites")) {
    const std::string& name = names.at(site.at("site"));
    lines.out[name] = positive(site, "out_bytes_per_s");
    lines.in[name] = positive(site, "in_bytes_per_s");
  }
  return lines;
}

}  // namespace

SiteLines read_site_lines(const std::filesystem::path& file) {
  try {
    return lines_in(Json::parse(read_text(file)));
  } catch (const std::exception& error) {
    throw ConfigError(file.string() + " is not what \"dipaco-run preflight --format json\" prints: " + error.what());
  }
}

}  // namespace dipaco
