#include "core/report/csv_files.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>

#include "core/base/csv_writer.hpp"

namespace dipaco {
namespace {

std::map<NodeId, const NodeFacts*> nodes_by_id(const RunFacts& facts) {
  std::map<NodeId, const NodeFacts*> nodes;
  for (const NodeFacts& node : facts.nodes) nodes.emplace(node.id, &node);
  return nodes;
}

/// Of an id that an event of this kind does not have: empty.
template <class Integer>
void id_cell(CsvWriter& csv, Integer value) {
  if (value < 0) {
    csv.empty();
  } else {
    csv.cell(value);
  }
}

/// The sites between which a message went; empty where none did.
void way_cells(CsvWriter& csv, const RunFacts& facts, const std::map<NodeId, const NodeFacts*>& nodes, const Way& way) {
  for (const NodeId end : {way.from, way.to}) {
    const auto node = nodes.find(end);
    csv.cell(node == nodes.end() ? "" : site_name(facts, node->second->site));
  }
}

bool has_value(EventKind kind) {
  switch (kind) {
    case EventKind::task_computed:
    case EventKind::module_stepped:
    case EventKind::contribution_applied:
    case EventKind::contribution_dropped:
    case EventKind::worker_slow:
    case EventKind::worker_in_reserve:
      return true;
    default:
      return false;
  }
}

constexpr std::size_t kLinksOverTime = 32;  // more than a picture can show

/// The busiest first.
std::vector<const LinkFacts*> busiest_links(const RunFacts& facts) {
  const auto use = [](const LinkFacts* link) { return static_cast<double>(link->bytes.value) / link->bandwidth; };
  std::vector<const LinkFacts*> links;
  for (const LinkFacts& link : facts.links) links.push_back(&link);
  std::ranges::stable_sort(links, std::greater(), use);
  links.resize(std::min(links.size(), kLinksOverTime));
  return links;
}

double share(double part, double all) { return all > 0 ? part / all : kNever.count(); }

}  // namespace

std::string site_name(const RunFacts& facts, SiteId site) {
  const auto at = static_cast<std::size_t>(index(site));
  return index(site) >= 0 && at < facts.sites.size() ? facts.sites[at] : "site " + std::to_string(index(site));
}

std::string outer_steps_csv(const Account& account) {
  CsvWriter csv({"outer_step", "begin_s", "end_s", "duration_s", "tasks_completed", "tasks_requeued", "inner_steps",
                 "inner_steps_lost", "inner_steps_s", "loss", "outer_gradient_norm", "last_path", "last_worker",
                 "contributions_applied", "contributions_dropped", "staleness", "contribution_wait_s"});
  for (const OuterStepTime& step : account.outer_steps) {
    csv.cell(number(step.outer_step)).cell(step.begin).cell(step.end).cell(step.end - step.begin);
    csv.cell(step.tasks_committed).cell(step.tasks_requeued).cell(step.inner_steps).cell(step.inner_steps_lost);
    csv.cell(step.compute).cell(step.loss).cell(step.outer_gradient_norm);
    id_cell(csv, index(step.last_path));
    id_cell(csv, index(step.last_worker));
    const auto contributions = account.contributions.find(step.outer_step);
    if (contributions == account.contributions.end()) {
      csv.empty().empty().empty().empty();
    } else {
      const ContributionTotals& totals = contributions->second;
      csv.cell(totals.applied).cell(totals.dropped).cell(totals.mean_staleness()).cell(totals.mean_wait());
    }
    csv.end_row();
  }
  return csv.take();
}

std::string workers_csv(const RunFacts& facts, const Account& account) {
  CsvWriter csv({"worker", "site", "host", "speed_flop_per_s", "provisioned_s", "up_s", "compute_s", "lost_s",
                 "evaluate_s", "transfer_s", "wait_s", "compute_utilization", "tasks_completed", "tasks_requeued",
                 "inner_steps", "inner_steps_lost", "times_lost", "received_bytes", "sent_bytes"});
  const auto nodes = nodes_by_id(facts);
  for (const WorkerTime& worker : account.workers) {
    const NodeFacts& node = *nodes.at(worker.id);
    csv.cell(index(worker.id)).cell(site_name(facts, node.site)).cell(node.host).cell(node.speed);
    csv.cell(worker.provisioned).cell(worker.up).cell(worker.compute).cell(worker.lost).cell(worker.evaluate);
    csv.cell(worker.transfer).cell(worker.wait);
    csv.cell(share((worker.compute + worker.lost).count(), worker.up.count()));
    csv.cell(worker.tasks_committed).cell(worker.tasks_requeued).cell(worker.inner_steps);
    csv.cell(worker.inner_steps_lost).cell(worker.times_lost).cell(worker.received).cell(worker.sent);
    csv.end_row();
  }
  return csv.take();
}

std::string links_csv(const RunFacts& facts, const Account& account,
                      const std::map<std::pair<SiteId, SiteId>, LineRate>& rates) {
  CsvWriter csv({"kind", "link", "from_site", "to_site", "bytes", "bandwidth_bytes_per_s", "latency_s", "mean_use",
                 "peak_use", "message_bytes_per_s", "mean_wait_s", "longest_wait_s", "mean_waiting", "line_bytes_per_s",
                 "line_spread", "line_message_s", "turn_bytes"});
  for (const auto& [sites, crossed] : facts.traffic.by_sites) {
    csv.cell("sites").empty().cell(site_name(facts, sites.first)).cell(site_name(facts, sites.second));
    csv.cell(crossed.sent).empty().empty().empty().empty();
    const bool known = crossed.came > 0;
    csv.cell(known ? crossed.rate() : kNever.count()).cell(known ? crossed.mean_wait().count() : kNever.count());
    csv.cell(known ? crossed.longest_wait.count() : kNever.count());
    csv.cell(known ? share(crossed.waited.count(), account.end.count()) : kNever.count());
    const auto rate = rates.find(sites);
    const bool told = rate != rates.end();
    csv.cell(told ? rate->second.rate : kNever.count()).cell(told ? rate->second.spread : kNever.count());
    csv.cell(told ? rate->second.message.count() : kNever.count()).empty();
    csv.end_row();
  }
  for (const LinkFacts& link : facts.links) {
    csv.cell("link").cell(link.name).empty().empty().cell(link.bytes).cell(link.bandwidth).cell(link.latency_s);
    csv.cell(share(static_cast<double>(link.bytes.value), link.bandwidth * account.end.count())).cell(link.peak_use);
    csv.empty().empty().empty().empty().empty().empty().empty().cell(link.turn_bytes);
    csv.end_row();
  }
  return csv.take();
}

std::string links_over_time_csv(const RunFacts& facts) {
  CsvWriter csv({"link", "begin_s", "end_s", "bytes", "use"});
  for (const LinkFacts* const link : busiest_links(facts)) {
    const auto& [stretch, bytes] = link->over_time;
    for (std::size_t k = 0; k < bytes.size(); ++k) {
      if (bytes[k] == 0) continue;
      csv.cell(link->name).cell(stretch * static_cast<double>(k)).cell(stretch * static_cast<double>(k + 1));
      csv.cell(bytes[k]).cell(share(bytes[k], link->bandwidth * stretch.count()));
      csv.end_row();
    }
  }
  return csv.take();
}

std::string machines_csv(const RunFacts& facts, const Account& account) {
  CsvWriter csv(
      {"machine", "site", "price_usd_per_h", "there_s", "billed_s", "busy_s", "machine_usd", "kwh", "energy_usd"});
  const auto cell = [&](const auto& value) { csv.cell(value ? value->value : kNever.count()); };
  for (std::size_t at = 0; at < account.bill.machines.size(); ++at) {
    const MachineFacts& machine = facts.costs.machines[at];
    const MachineBill& bill = account.bill.machines[at];
    csv.cell(machine.name).cell(site_name(facts, machine.site));
    cell(machine.price);
    csv.cell(bill.there).cell(bill.billed).cell(bill.busy);
    cell(bill.usd);
    cell(bill.energy);
    cell(bill.energy_usd);
    csv.end_row();
  }
  return csv.take();
}

std::string egress_csv(const RunFacts& facts, const Account& account) {
  CsvWriter csv({"from_site", "to_site", "bytes", "price_usd", "price_bytes", "egress_usd"});
  for (const auto& [sites, usd] : account.bill.egress) {
    const EgressPrice& price = facts.costs.egress.at(sites);
    csv.cell(site_name(facts, sites.first)).cell(site_name(facts, sites.second));
    csv.cell(facts.traffic.by_sites.at(sites).sent).cell(price.usd).cell(price.unit).cell(usd.value);
    csv.end_row();
  }
  return csv.take();
}

std::string tasks_csv(const RunFacts& facts, const Account& account) {
  CsvWriter csv({"path", "outer_step", "attempt", "worker", "site", "queued_s", "assigned_s", "started_s", "computed_s",
                 "ended_s", "end", "inner_steps", "useful_inner_steps", "loss"});
  const auto nodes = nodes_by_id(facts);
  for (const Attempt& attempt : account.attempts) {
    csv.cell(index(attempt.path)).cell(number(attempt.outer_step)).cell(attempt.attempt).cell(index(attempt.worker));
    csv.cell(site_name(facts, nodes.at(attempt.worker)->site)).cell(attempt.queued).cell(attempt.assigned);
    csv.cell(attempt.started).cell(attempt.computed).cell(attempt.ended).cell(name(attempt.end));
    csv.cell(attempt.inner_steps).cell(attempt.useful_steps);
    csv.cell(attempt.loss_sum != 0 ? share(attempt.loss_sum, attempt.inner_steps) : kNever.count());
    csv.end_row();
  }
  return csv.take();
}

std::string critical_path_csv(const RunFacts& facts, const Account& account) {
  const auto nodes = nodes_by_id(facts);
  CsvWriter csv({"begin_s", "end_s", "stage", "node", "site", "path", "outer_step", "from_site", "to_site"});
  for (const CriticalStretch& stretch : account.waits.critical_path) {
    csv.cell(stretch.begin).cell(stretch.end).cell(name(stretch.stage));
    id_cell(csv, index(stretch.node));
    const auto node = nodes.find(stretch.node);
    csv.cell(node == nodes.end() ? "" : site_name(facts, node->second->site));
    id_cell(csv, index(stretch.path));
    id_cell(csv, number(stretch.outer_step));
    way_cells(csv, facts, nodes, stretch.way);
    csv.end_row();
  }
  return csv.take();
}

std::string module_steps_csv(const RunFacts& facts, const Account& account) {
  const auto nodes = nodes_by_id(facts);
  CsvWriter csv({"level", "expert", "outer_step", "stepped_s", "last_path", "last_worker", "site", "host", "behind_s",
                 "stage", "from_site", "to_site", "awaited_level", "awaited_expert"});
  for (const ModuleStep& step : account.waits.module_steps) {
    const NodeFacts& worker = *nodes.at(step.last_worker);
    csv.cell(step.module.level).cell(step.module.expert).cell(number(step.outer_step)).cell(step.stepped);
    csv.cell(index(step.last_path)).cell(index(step.last_worker));
    csv.cell(site_name(facts, worker.site)).cell(worker.host).cell(step.behind).cell(name(step.stage));
    way_cells(csv, facts, nodes, step.way);
    id_cell(csv, step.awaited.level);
    id_cell(csv, step.awaited.expert);
    csv.end_row();
  }
  return csv.take();
}

std::string events_csv(const std::vector<Event>& events) {
  CsvWriter csv({"time_s", "event", "node", "path", "outer_step", "version", "attempt", "level", "expert",
                 "inner_steps", "value", "peer", "begin_s", "message", "bytes"});
  for (const std::uint32_t at : time_order(events)) {
    const Event& event = events[at];
    csv.cell(event.time).cell(name(event.kind));
    id_cell(csv, event.kind == EventKind::task_queued ? -1 : index(event.node));
    id_cell(csv, index(event.path));
    id_cell(csv, number(event.outer_step));
    id_cell(csv, event.version);
    id_cell(csv, event.attempt == 0 ? -1 : event.attempt);
    id_cell(csv, event.module.level);
    id_cell(csv, event.module.expert);
    const bool counts = event.kind == EventKind::task_computed || event.kind == EventKind::task_handed_back ||
                        event.kind == EventKind::notice_too_short;
    id_cell(csv, counts ? event.inner_steps : -1);
    csv.cell(has_value(event.kind) ? event.value : kNever.count());
    if (event.kind == EventKind::transfer) {
      csv.cell(index(event.peer))
          .cell(event.begin)
          .cell(name(static_cast<MessageKind>(event.detail)))
          .cell(event.bytes);
    } else if (event.kind == EventKind::message_refused) {
      csv.cell(index(event.peer)).empty().cell(name(static_cast<MessageKind>(event.detail))).empty();
    } else if (event.kind == EventKind::contribution_applied) {
      csv.empty().cell(event.begin).empty().empty();
    } else {
      csv.empty().empty().empty().empty();
    }
    csv.end_row();
  }
  return csv.take();
}

}  // namespace dipaco
