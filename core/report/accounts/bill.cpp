#include "core/report/accounts/bill.hpp"

#include "core/report/accounts/account.hpp"
#include "core/report/accounts/run_facts.hpp"

namespace dipaco {
namespace {

template <class Amount>
void add(std::optional<Amount>& sum, const std::optional<Amount>& part) {
  if (part) sum = sum.value_or(Amount{}) + *part;
}

Seconds billed(const MachineFacts& machine, const Intervals& there, Seconds end) {
  if (!machine.billed_while_away || there.parts().empty()) return there.total();
  return end - there.parts().front().begin;
}

MachineBill bill_of(const MachineFacts& machine, const Intervals& busy, Seconds end) {
  const Intervals there = Intervals::merged(machine.there).within(Intervals::merged({{Seconds(0), end}}));
  MachineBill bill{.there = there.total(), .billed = billed(machine, there, end), .busy = busy.within(there).total()};
  if (machine.price) bill.usd = cost_of(*machine.price, bill.billed);
  if (!machine.power) return bill;
  const KilowattHours drawn =
      energy_of(machine.power->idle, bill.there - bill.busy) + energy_of(machine.power->busy, bill.busy);
  bill.energy = machine.power->pue * drawn;
  if (machine.power_price) bill.energy_usd = cost_of(*machine.power_price, *bill.energy);
  return bill;
}

}  // namespace

Bill make_bill(const CostFacts& costs, const Traffic& traffic, std::span<const Intervals> busy, Seconds end) {
  Bill bill;
  for (std::size_t at = 0; at < costs.machines.size(); ++at) {
    const MachineBill& machine = bill.machines.emplace_back(bill_of(costs.machines[at], busy[at], end));
    add(bill.machine_usd, machine.usd);
    add(bill.energy_usd, machine.energy_usd);
    add(bill.energy, machine.energy);
  }
  if (!costs.egress.empty()) bill.egress_usd = Usd{};
  for (const auto& [sites, crossed] : traffic.by_sites) {
    const auto price = costs.egress.find(sites);
    if (sites.first == sites.second || price == costs.egress.end()) continue;
    const Usd usd = cost_of(price->second, crossed.sent);
    bill.egress.emplace(sites, usd);
    *bill.egress_usd += usd;
  }
  for (const auto& part : {bill.machine_usd, bill.egress_usd, bill.energy_usd}) add(bill.usd, part);
  return bill;
}

std::vector<Intervals> busy_times(const RunFacts& facts, const Account& account, const std::vector<Event>& events) {
  if (facts.costs.machines.empty()) return {};
  std::map<std::string, std::vector<Interval>> busy;  // by machine
  std::map<NodeId, std::size_t> places;
  for (std::size_t at = 0; at < facts.nodes.size(); ++at) places.emplace(facts.nodes[at].id, at);
  const auto add_times = [&](NodeId node, Interval time) {
    const std::size_t place = places.at(node);
    const Intervals up = Intervals::merged({time}).within(account.up_times[place]);
    auto& of_machine = busy[facts.nodes[place].host];
    of_machine.insert(of_machine.end(), up.parts().begin(), up.parts().end());
  };
  for (const Attempt& attempt : account.attempts) {
    if (happened(attempt.stopped)) add_times(attempt.worker, {attempt.started, attempt.stopped});
  }
  std::map<NodeId, Seconds> jobs_begun;  // the last one of each: a node does one at a time
  for (const std::uint32_t at : time_order(events)) {
    const Event& event = events[at];
    if (begins_job(event.kind)) jobs_begun.insert_or_assign(event.node, event.time);
    const auto begun = ends_job(event.kind) ? jobs_begun.find(event.node) : jobs_begun.end();
    if (begun != jobs_begun.end()) add_times(event.node, {begun->second, event.time});
  }
  std::vector<Intervals> times;
  for (const MachineFacts& machine : facts.costs.machines) times.push_back(Intervals::merged(busy[machine.name]));
  return times;
}

}  // namespace dipaco
