#include "backends/sim/timeline/link_rates.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <string>
#include <utility>

#include "backends/sim/timeline/step_file.hpp"
#include "core/base/random.hpp"
#include "core/base/text.hpp"

namespace dipaco {
namespace {

constexpr double kRounding = 1e-9;

}  // namespace

std::vector<LinkRateStep> read_link_rates(const std::filesystem::path& csv) {
  std::vector<LinkRateStep> steps;
  read_steps({.csv = csv,
              .name = "bandwidth",
              .row = "600,200Mbps",
              .empty = "a rate with a unit, such as 200Mbps",
              .row_means = "a time in seconds and a rate: 0,1Gbps"},
             [&](Seconds time, const std::string& cell) -> std::string {
               const auto rate = parse_byte_rate(cell);
               if (!rate) {
                 return "the bandwidth \"" + cell +
                        "\" is no rate above 0 with a unit, such as 200Mbps; a link that is down has a state_file";
               }
               steps.push_back({time, *rate});
               return "";
             });
  return steps;
}

std::optional<LinkJitter> parse_link_jitter(std::string_view text) {
  constexpr std::string_view kEvery = " every ";
  const std::size_t at = text.find(kEvery);
  if (at == std::string_view::npos) return std::nullopt;
  const auto spread = parse_number(std::string(text.substr(0, at)));
  const auto every = parse_seconds(std::string(text.substr(at + kEvery.size())));
  if (!spread || *spread <= 0 || *spread > 1 || !every || *every <= Seconds(0)) return std::nullopt;
  return LinkJitter{*spread, *every};
}

LinkRate::LinkRate(std::string link, std::vector<LinkRateStep> steps, std::optional<LinkJitter> jitter)
    : link_(name_number(link)), steps_(std::move(steps)), jitter_(jitter) {}

/// Which draw holds then. A boundary, which is a multiple rounded, belongs to the draw that it begins.
std::uint64_t LinkRate::draw_of(Seconds time) const {
  return static_cast<std::uint64_t>(std::floor(time / jitter_->every + kRounding));
}

BytesPerSecond LinkRate::at(Seconds time, std::uint64_t seed) const {
  const auto later = [time](const LinkRateStep& step) { return step.time > time; };
  const auto next = std::find_if(steps_.begin(), steps_.end(), later);
  const double base = std::prev(next)->bandwidth.value;
  if (!jitter_) return {base};
  return {base * std::exp(jitter_->spread * draw_normal(seed, Draw::link_jitter, link_, draw_of(time)))};
}

std::optional<Seconds> LinkRate::changes_after(Seconds time) const {
  const auto later = [time](const LinkRateStep& step) { return step.time > time; };
  const auto next = std::find_if(steps_.begin(), steps_.end(), later);
  std::optional<Seconds> change;
  if (next != steps_.end()) change = next->time;
  if (!jitter_) return change;
  const Seconds drawn = static_cast<double>(draw_of(time) + 1) * jitter_->every;
  return change ? std::min(*change, drawn) : drawn;
}

BytesPerSecond LinkRate::mean(Seconds end, std::uint64_t seed) const {
  double bytes = 0;
  for (Seconds time{}; time < end;) {
    const Seconds until = std::min(changes_after(time).value_or(end), end);
    bytes += at(time, seed).value * (until - time).count();
    time = until;
  }
  return {bytes / end.count()};
}

}  // namespace dipaco
