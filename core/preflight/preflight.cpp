#include "core/preflight/preflight.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/preflight/names.hpp"
#include "core/preflight/prober.hpp"

namespace dipaco {
namespace {

constexpr std::uint64_t kFirstFloats = 64 * 1024;
/// A large message grows by no more at once: what small ones say of the bandwidth is vague.
constexpr double kMostGrowth = 8;
constexpr double kLeastGrowth = 2;
constexpr std::uint32_t kBestOf = 3;  // equal messages: other work of the machines may get into one's way
constexpr double kNoLimit = std::numeric_limits<double>::infinity();
constexpr Seconds kTogether{1};  // that each of several messages at once would take alone

class Leader {
 public:
  Leader(Transport& transport, const Compute& clock, const PreflightOptions& options)
      : transport_(transport), clock_(clock), options_(options), prober_(transport, clock) {}

  NetworkMeasures lead(const Attend& self) {
    attends_[kCoordinator] = self;
    gather();
    name_all();
    measures_.links.resize(nodes_.size() * nodes_.size());
    for (std::size_t from = 0; from < nodes_.size(); ++from) {
      for (std::size_t to = 0; to < nodes_.size(); ++to) {
        if (from != to) measure_pair(from, to);
      }
    }
    measure_sites();
    for (const auto& [node, unused] : attends_) {
      if (node != kCoordinator) transport_.send(node, make_message(Goodbye{}));
    }
    return std::move(measures_);
  }

 private:
  /// One message from a row to a column, of so many floats.
  struct Flow {
    std::size_t from = 0;
    std::size_t to = 0;
    std::uint64_t floats = 0;
  };

  void tell(const std::string& text) const {
    if (options_.progress) options_.progress(text);
  }

  void gather() {
    for (std::size_t told = 0; attends_.size() < static_cast<std::size_t>(options_.processes);) {
      if (std::exchange(told, attends_.size()) != attends_.size()) {
        tell(std::to_string(attends_.size()) + " of " + std::to_string(options_.processes) + " processes are there");
      }
      pump(Seconds(-1));
    }
  }

  /// Site by site, in the order in which the first of each came.
  void name_all() {
    std::vector<Attend> attends;
    std::set<std::string> done;
    for (const auto& [unused, first] : attends_) {
      if (!done.insert(first.site).second) continue;
      for (const auto& [node, attend] : attends_) {
        if (attend.site != first.site) continue;
        nodes_.push_back(node);
        attends.push_back(attend);
      }
    }
    measures_.attendees = named(attends);
  }

  std::string describe(std::size_t k) const {
    const Attendee& who = measures_.attendees[k];
    return who.name + " (on " + who.machine + ", " + who.address + ")";
  }

  std::string describe(NodeId node) const {
    const auto known = std::ranges::find(nodes_, node);
    if (known != nodes_.end()) return describe(static_cast<std::size_t>(known - nodes_.begin()));
    const auto attend = attends_.find(node);
    if (attend == attends_.end()) return "node " + std::to_string(index(node));
    return "a process at " + attend->second.site + " (on " + attend->second.machine + ", " + attend->second.address +
           ")";
  }

  /// Takes what comes next, if it comes in time.
  void pump(Seconds timeout) {
    const auto incoming = transport_.receive(timeout);
    if (!incoming) return;
    if (const auto* const lost = std::get_if<PeerLost>(&*incoming)) {
      prober_.lost(lost->node);
      if (!attends_.contains(lost->node)) return;
      throw RunError(static_cast<int>(ExitStatus::peers_lost),
                     describe(lost->node) + " is lost; look into its log, and start all processes again");
    }
    if (const auto* const envelope = std::get_if<Envelope>(&*incoming)) take(*envelope);
  }

  void take(const Envelope& envelope) {
    const Body& body = envelope.message.body;
    if (const auto* const attend = std::get_if<Attend>(&body)) {
      if (nodes_.empty()) {
        attends_[envelope.from] = *attend;
      } else {
        tell("one more process than was said came, from " + attend->address + ": it is not measured");
        transport_.send(envelope.from, make_message(Goodbye{}));
      }
    } else if (const auto* const measured = std::get_if<LinkMeasured>(&body)) {
      if (open_.contains(measured->number)) results_[measured->number] = *measured;
    } else {
      prober_.take(envelope);
    }
  }

  /// The time of each flow from sending to its answer, all at once.
  std::vector<Seconds> measure(const std::vector<Flow>& flows, std::uint32_t times) {
    open_.clear();
    results_.clear();
    const std::uint32_t first = next_;
    for (const Flow& flow : flows) {
      open_[next_] = flow;
      transport_.send(nodes_[flow.from], make_message(MeasureLink{next_, nodes_[flow.to], times, flow.floats}));
      ++next_;
    }
    const Seconds until = clock_.now() + options_.patience;
    while (results_.size() < flows.size()) {
      const Seconds left = until - clock_.now();
      if (left <= Seconds(0)) give_up();
      pump(left);
    }
    std::vector<Seconds> took;
    for (std::uint32_t number = first; number < next_; ++number) {
      const Flow& flow = open_.at(number);
      if (!results_[number].reached) {
        throw RunError(static_cast<int>(ExitStatus::peers_lost),
                       describe(flow.from) + " cannot reach " + describe(flow.to) +
                           "; let it through between the two, or name another network with --interface");
      }
      took.emplace_back(results_[number].seconds);
    }
    return took;
  }

  [[noreturn]] void give_up() const {
    for (const auto& [number, flow] : open_) {
      if (results_.contains(number)) continue;
      throw RunError(static_cast<int>(ExitStatus::no_progress),
                     "a message from " + describe(flow.from) + " to " + describe(flow.to) + " did not arrive within " +
                         format_number(options_.patience.count()) + " s; look at the network between them");
    }
    check(false, "a measurement that is late is open");
    std::abort();
  }

  /// The shortest time of some, one after the other, without the way of their answers.
  Seconds large_message(std::size_t from, std::size_t to, std::uint64_t floats, std::uint32_t times) {
    return measure({{from, to, floats}}, times).front() - measures_.link(from, to).round_trip;
  }

  /// What a line carries once all that it let through at first is gone: a provider's limit is often a bucket that is
  /// full at first. By how much longer the message takes than one of half its size.
  double lasting_rate(std::size_t from, std::size_t to, std::uint64_t floats, Seconds took) {
    const std::uint64_t half = floats / 2;
    const Seconds rest = took - large_message(from, to, half, kBestOf);
    return rest > Seconds(0) ? static_cast<double>((floats - half) * sizeof(float)) / rest.count() : kNoLimit;
  }

  void measure_pair(std::size_t from, std::size_t to) {
    LinkMeasure& link = measures_.link(from, to);
    measure({{from, to, 0}}, 1);  // opens the link
    link.round_trip = measure({{from, to, 0}}, options_.pings).front();
    measure({{from, to, kFirstFloats}}, 1);  // opens its streams
    const std::uint64_t most = options_.largest.value / sizeof(float);
    std::uint64_t floats = std::min(kFirstFloats, most);
    Seconds took = large_message(from, to, floats, 1);
    while (took < options_.shortest && floats < most) {
      const double growth =
          std::clamp(1.2 * options_.shortest / std::max(took, Seconds(1e-6)), kLeastGrowth, kMostGrowth);
      floats = std::min(most, static_cast<std::uint64_t>(static_cast<double>(floats) * growth));
      took = large_message(from, to, floats, 1);
    }
    took = std::min(took, large_message(from, to, floats, kBestOf - 1));
    const double lasting = took < options_.shortest ? kNoLimit : lasting_rate(from, to, floats, took);
    link.bytes_per_second =
        std::min(lasting, static_cast<double>(floats * sizeof(float)) / std::max(took.count(), 1e-9));
    tell("from " + measures_.attendees[from].name + " to " + measures_.attendees[to].name + ": measured");
  }

  std::uint64_t floats_together(std::size_t from, std::size_t to) const {
    const double bytes = measures_.link(from, to).bytes_per_second * kTogether.count();
    return std::min(options_.largest.value, static_cast<std::uint64_t>(bytes)) / sizeof(float);
  }

  /// Bytes a second of all flows, until the last has arrived.
  double together(const std::vector<Flow>& flows) {
    const std::vector<Seconds> took = measure(flows, 1);
    double bytes = 0;
    double longest = 1e-9;
    for (std::size_t k = 0; k < flows.size(); ++k) {
      bytes += static_cast<double>(flows[k].floats * sizeof(float));
      longest = std::max(longest, (took[k] - measures_.link(flows[k].from, flows[k].to).round_trip).count());
    }
    return bytes / longest;
  }

  void measure_sites() {
    std::vector<std::string> sites;
    std::map<std::string, std::vector<std::size_t>> members;
    for (std::size_t k = 0; k < nodes_.size(); ++k) {
      auto& there = members[measures_.attendees[k].site];
      if (there.empty()) sites.push_back(measures_.attendees[k].site);
      there.push_back(k);
    }
    if (sites.size() < 3) return;
    for (const std::string& site : sites) {
      std::vector<Flow> out;
      std::vector<Flow> in;
      for (const std::string& other : sites) {
        if (other == site) continue;
        const std::size_t here = members[site][out.size() % members[site].size()];
        const std::size_t there = members[other].front();
        out.push_back({here, there, floats_together(here, there)});
        in.push_back({there, here, floats_together(there, here)});
      }
      measures_.sites.push_back({site, together(out), together(in)});
      tell(site + " with all other sites at once: measured");
    }
  }

  Transport& transport_;
  const Compute& clock_;
  const PreflightOptions& options_;
  Prober prober_;
  std::map<NodeId, Attend> attends_;
  std::vector<NodeId> nodes_;  ///< by place in the matrix; empty until all are there
  NetworkMeasures measures_;
  std::uint32_t next_ = 0;
  std::map<std::uint32_t, Flow> open_;
  std::map<std::uint32_t, LinkMeasured> results_;
};

}  // namespace

NetworkMeasures lead_preflight(Transport& transport, const Compute& clock, const Attend& self,
                               const PreflightOptions& options) {
  return Leader(transport, clock, options).lead(self);
}

void attend_preflight(Transport& transport, const Compute& clock, const Attend& self) {
  Prober prober(transport, clock);
  transport.send(kCoordinator, make_message(self));
  while (true) {
    const auto incoming = transport.receive(Seconds(-1));
    if (!incoming) continue;
    if (const auto* const lost = std::get_if<PeerLost>(&*incoming)) {
      if (lost->node == kCoordinator) {
        throw RunError(static_cast<int>(ExitStatus::peers_lost),
                       "the preflight's coordinator is lost; its log says why. Start all processes again");
      }
      prober.lost(lost->node);
    } else if (const auto* const envelope = std::get_if<Envelope>(&*incoming)) {
      if (std::holds_alternative<Goodbye>(envelope->message.body)) return;
      prober.take(*envelope);
    }
  }
}

}  // namespace dipaco
