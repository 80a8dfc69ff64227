#include "backends/sim/fleet/fleet_plan.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <system_error>
#include <utility>

#include "backends/sim/fleet/between_sites.hpp"
#include "backends/sim/fleet/site_figures.hpp"
#include "backends/sim/timeline/availability.hpp"
#include "core/base/error.hpp"
#include "core/base/text.hpp"

namespace dipaco {
namespace {

constexpr const char* kAdapter = "25Gbps";
constexpr const char* kAdapterSource = "Choice: less than what rented machines with accelerators have";
constexpr const char* kDisk = "2GBps";
constexpr const char* kDiskSource = "Choice: one NVMe, as in paper_16x16.xml";
constexpr const char* kIntake = "1.2GBps";
constexpr const char* kIntakeSource = "what libsodium opens on one core, as in paper_16x16.xml";
constexpr const char* kFilesPrice = "0.40 USD/h";
constexpr const char* kFilesPriceSource = "Choice: about eight cores, as in wan_4dc.xml";
constexpr const char* kFilesWatts = "100:200";
constexpr const char* kFilesWattsSource = "Choice, as in wan_4dc.xml";
constexpr const char* kNone = "none";
constexpr std::int64_t kMostInAll = 100'000;  // so that no slip of the pen fills the memory

/// Of what stands for a machine that its owner takes away and gives back.
bool is_taken(const SiteFigures& site) {
  return site.said("preemption") != nullptr || site.said("reclaims") != nullptr || site.said("capacity") != nullptr;
}

class FleetPlanner {
 public:
  FleetPlanner(const FleetFile& file, const FleetSources& sources) : file_(file), sources_(sources) {
    const FleetValue* const prices = whole("prices");
    if (prices != nullptr && prices->text != "on" && prices->text != "off") {
      fail(prices->line, "prices=" + prices->text + " is not allowed; write on or off");
    }
    priced_ = prices == nullptr || prices->text == "on";
    std::int64_t machines = 0;
    for (const FleetSite& site : file.sites) {
      figures_.emplace_back(file, site, sources.tables);
      machines += figures_.back().machines().machines;
    }
    if (machines > kMostInAll) {
      fail(file.line, std::to_string(machines) + " machines are too many; write at most " + std::to_string(kMostInAll) +
                          " in all");
    }
  }

  PlannedFleet plan() const {
    PlannedFleet fleet{.made_of = file_.path, .line = file_.line, .root = root(), .sites = {}, .links = {}};
    for (std::size_t k = 0; k < figures_.size(); ++k) fleet.sites.push_back(plan_site(k));
    fleet.links = plan_links(file_, figures_, sources_.tables);
    return fleet;
  }

 private:
  [[noreturn]] void fail(int line, const std::string& what) const { throw ConfigError(file_.at(line) + ": " + what); }

  const FleetValue* whole(const std::string& key) const {
    const auto found = file_.whole.find(key);
    return found == file_.whole.end() ? nullptr : &found->second;
  }

  /// A file that is beside the fleet file, or shipped.
  std::string named_file(const std::string& key, const FleetValue& value) const {
    const std::filesystem::path own = std::filesystem::absolute(file_.path).parent_path() / value.text;
    for (const std::filesystem::path& place : {own, sources_.scenarios / value.text}) {
      std::error_code error;
      if (std::filesystem::is_regular_file(place, error)) return std::filesystem::weakly_canonical(place).string();
    }
    fail(value.line, key + "=" + value.text + " names no file: neither " + own.lexically_normal().string() + " nor " +
                         (sources_.scenarios / value.text).lexically_normal().string() +
                         " is there; write a name relative to this file, or that of a shipped one");
  }

  std::vector<PlannedProp> root() const {
    std::vector<PlannedProp> props;
    const FleetValue* const run = whole("run");
    if (run == nullptr)
      fail(file_.line, "nothing says what to learn; write run=runs/tiny.cfg, or another run file, in [fleet]");
    props.push_back({"run", {named_file("run", *run), said(*run), run->line}});
    props.push_back({"coordinator", coordinator()});
    for (const char* const key : {"tcp", "tcp_streams", "tcp_window"}) {
      if (const FleetValue* const value = whole(key)) props.push_back({key, {value->text, said(*value), value->line}});
    }
    return props;
  }

  std::string said(const FleetValue& value) const {
    return file_.path.filename().string() + ":" + std::to_string(value.line);
  }

  PlannedValue coordinator() const {
    const FleetValue* const named = whole("coordinator");
    if (named == nullptr) return {file_.sites.front().name + "-files", "the first site", file_.sites.front().line};
    std::vector<std::string> known;
    for (const FleetSite& site : file_.sites) known.push_back(site.name);
    if (std::ranges::find(known, named->text) == known.end()) {
      fail(named->line, "coordinator=" + named->text + " is no site; write " + alternatives(known) +
                            did_you_mean(named->text, known));
    }
    return {named->text + "-files", said(*named), named->line};
  }

  PlannedSite plan_site(std::size_t k) const {
    const SiteFigures& figures = figures_[k];
    PlannedSite site{.name = file_.sites[k].name,
                     .line = file_.sites[k].line,
                     .machines = figures.machines().machines,
                     .speed = figures.speed(),
                     .adapter = adapter(figures),
                     .props = {},
                     .files_props = {}};
    const std::string all =
        site.machines == 1 ? site.machine(0) : site.name + "-[0-" + std::to_string(site.machines - 1) + "]";
    site.props.push_back({"workers", {all, "", site.line}});
    site.props.push_back({"executors", {site.files(), "", site.line}});
    site.props.push_back({"store", {site.files(), "", site.line}});
    if (trains_by_mfu(figures)) site.props.push_back({"mfu", figures.mfu()});
    if (const auto memory = figures.memory()) site.props.push_back({"memory", *memory});
    add_rate(site, figures, "disk", {kDisk, kDiskSource, site.line});
    add_rate(site, figures, "intake", {kIntake, kIntakeSource, site.line});
    add_departures(site, figures);
    add_costs(site, k);
    return site;
  }

  /// Or by its step_time.
  bool trains_by_mfu(const SiteFigures& figures) const {
    const FleetValue* const step = figures.said("step_time");
    const FleetValue* const mfu = figures.said("mfu");
    if (step != nullptr && mfu != nullptr) {
      fail(std::max(step->line, mfu->line), "mfu=" + mfu->text + " and step_time=" + step->text +
                                                " both say how fast a machine trains; write one of them");
    }
    return step == nullptr;
  }

  PlannedValue adapter(const SiteFigures& figures) const {
    PlannedValue rate = figures.said_or("adapter", kAdapter, kAdapterSource);
    if (!parse_byte_rate(rate.value)) {
      fail(rate.line, "adapter=" + rate.value + " is no rate with a unit, such as 25Gbps");
    }
    std::erase(rate.value, ' ');
    return rate;
  }

  static void add_rate(PlannedSite& site, const SiteFigures& figures, const std::string& key,
                       const PlannedValue& choice) {
    PlannedValue rate = figures.said_or(key, choice.value, choice.source);
    if (rate.value != kNone) site.props.push_back({key, std::move(rate)});
  }

  void add_departures(PlannedSite& site, const SiteFigures& figures) const {
    for (const std::string_view key : kPlainSiteProps) {
      const FleetValue* const value = figures.said(std::string(key));
      if (value == nullptr) continue;
      PlannedValue planned = figures.as_said(*value);
      if (key == "preemption") planned.value = named_file("preemption", *value);
      site.props.push_back({std::string(key), std::move(planned)});
    }
    add_machine_scale(site, figures);
    const FleetValue* const notice = figures.said("notice");
    if (PlannedValue time = figures.notice(); notice != nullptr || (is_taken(figures) && !time.value.empty())) {
      if (time.value != kNone) site.props.push_back({"notice", std::move(time)});
    }
  }

  /// Where the file says no scale, the most that a trace has are all of the site's machines.
  static void add_machine_scale(PlannedSite& site, const SiteFigures& figures) {
    const PlannedValue* const trace = site.prop("preemption");
    if (trace == nullptr || site.prop("preemption_machine_scale") != nullptr) return;
    std::int64_t most = 0;
    for (const AvailabilityStep& step : read_availability(trace->value)) most = std::max(most, step.machines);
    if (most == 0 || most == figures.machines().machines) return;
    site.props.push_back({"preemption_machine_scale",
                          {rounded(figures.machines().machines / static_cast<double>(most), 6),
                           "the trace has up to " + std::to_string(most) + " machines", trace->line}});
  }

  void add_costs(PlannedSite& site, std::size_t k) const {
    const SiteFigures& figures = figures_[k];
    site.props.push_back({"wattage_per_state", figures.watts()});
    site.files_props.push_back(
        {"wattage_per_state", figures.said_or("files_wattage_per_state", kFilesWatts, kFilesWattsSource)});
    if (!priced_) return check_unpriced(figures);
    site.props.push_back({"price", figures.price()});
    if (is_taken(figures) || figures.said("spot_price") != nullptr) {
      site.props.push_back({"spot_price", figures.spot_price()});
    }
    site.files_props.push_back({"price", figures.said_or("files_price", kFilesPrice, kFilesPriceSource)});
    if (figures_.size() > 1) site.props.push_back({"egress", plan_egress(file_, figures_, k, sources_.tables)});
  }

  void check_unpriced(const SiteFigures& figures) const {
    for (const char* const key : {"price", "spot_price", "files_price", "egress", "price_region", "egress_region"}) {
      const FleetValue* const value = figures.said(key);
      if (value != nullptr) {
        fail(value->line, std::string(key) + "=" + value->text + " stands beside prices=off; take one of them out");
      }
    }
  }

  const FleetFile& file_;
  const FleetSources& sources_;
  bool priced_ = true;
  std::vector<SiteFigures> figures_;
};

}  // namespace

const PlannedValue* PlannedSite::prop(const std::string& prop_name) const {
  const auto found = std::ranges::find(props, prop_name, &PlannedProp::name);
  return found == props.end() ? nullptr : &found->is;
}

PlannedFleet plan_fleet(const FleetFile& file, const FleetSources& sources) {
  return FleetPlanner(file, sources).plan();
}

}  // namespace dipaco
