#include "backends/gloo/status/status_metrics.hpp"

#include <prometheus/text_serializer.h>

#include <utility>

namespace dipaco {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricType;
using Labels = std::vector<ClientMetric::Label>;

/// Families of metrics, in the order in which they are begun.
class Families {
 public:
  void gauge(const char* name, const char* help) { families_.push_back({name, help, MetricType::Gauge, {}}); }
  void counter(const char* name, const char* help) { families_.push_back({name, help, MetricType::Counter, {}}); }
  /// Of the family begun last.
  void sample(double value, Labels labels = {}) {
    ClientMetric metric;
    metric.label = std::move(labels);
    metric.gauge.value = value;
    metric.counter.value = value;
    families_.back().metric.push_back(std::move(metric));
  }
  template <class Count>
  void sample(Count value, Labels labels = {}) {
    sample(static_cast<double>(value), std::move(labels));
  }
  std::string text() const { return prometheus::TextSerializer().Serialize(families_); }

 private:
  std::vector<prometheus::MetricFamily> families_;
};

void add_run(Families& families, const Status& status) {
  families.gauge("dipaco_run_info", "Which run this is, and the roles of this process; always 1.");
  families.sample(1, {{"run", as_utf8(status.run_name)}, {"roles", role_names(status.roles)}});
  families.gauge("dipaco_run_seconds", "The run's clock.");
  families.sample(status.progress.now.count());
  families.gauge("dipaco_run_finished", "1 once the run has finished.");
  families.sample(status.finished ? 1 : 0);
  if (status.preparing) {
    families.gauge("dipaco_preparing_done", "How much of a stage of the preparation is done.");
    families.sample(status.preparing->done, {{"stage", as_utf8(status.preparing->name)}});
    families.gauge("dipaco_preparing_units", "All of that stage; 0: not known.");
    families.sample(status.preparing->total, {{"stage", as_utf8(status.preparing->name)}});
  }
  families.gauge("dipaco_waits", "How many things somebody waits for that are late.");
  families.sample(status.waiting_for.size());
  families.gauge("dipaco_slow_workers", "Workers whose inner steps take much longer than they should.");
  families.sample(status.progress.slow_workers.size());
  families.gauge("dipaco_workers_in_reserve", "Workers that wait since an outer step would end later with them.");
  families.sample(status.progress.in_reserve.size());
}

void add_progress(Families& families, const Status& status) {
  const RunProgress& progress = status.progress;
  if (progress.inner_steps_in_all == 0) return;
  families.gauge("dipaco_outer_step",
                 "Outer steps that are done; where tasks differ in length, on average over the paths.");
  families.sample(progress.outer_step);
  families.gauge("dipaco_outer_steps", "Outer steps of the whole run.");
  families.sample(status.outer_steps);
  families.counter("dipaco_tasks_committed_total", "Tasks (path, outer step) that are committed.");
  families.sample(progress.tasks_committed);
  if (progress.tasks > 0) {
    families.gauge("dipaco_tasks", "Tasks of the whole run.");
    families.sample(progress.tasks);
  }
  families.gauge("dipaco_inner_steps", "Inner steps of the whole run.");
  families.sample(progress.inner_steps_in_all);
  families.counter("dipaco_inner_steps_useful_total", "Inner steps of committed tasks.");
  families.sample(status.inner_steps_useful);
  families.counter("dipaco_inner_steps_lost_total", "Inner steps computed and thrown away.");
  families.sample(status.inner_steps_lost);
  families.counter("dipaco_tokens_total", "Tokens of the inner steps of committed tasks.");
  families.sample(status.inner_steps_useful * status.step_tokens);
  families.counter("dipaco_states_refused_total", "Path states refused by their stores: a value is not finite.");
  families.sample(status.states_refused);
  families.counter("dipaco_messages_refused_total", "Messages dropped: they name what does not exist in this run.");
  families.sample(status.messages_refused);
  if (const auto loss = train_loss(status)) {
    families.gauge("dipaco_train_loss", "Mean training loss of the newest committed task of each path.");
    families.sample(*loss);
  }
}

Labels labels_of(const MemberStatus& member) {
  return {{"node", std::to_string(index(member.id))},
          {"role", name(member.role)},
          {"site", as_utf8(member.site_name)},
          {"machine", as_utf8(member.machine)}};
}

void add_members(Families& families, const Status& status) {
  families.gauge("dipaco_member_up", "1 where the node takes part, 0 where it is gone.");
  for (const MemberStatus& member : status.members) families.sample(member.up ? 1 : 0, labels_of(member));
  families.gauge("dipaco_member_since_seconds", "When the node came up or was lost, on the run's clock.");
  for (const MemberStatus& member : status.members) {
    if (member.since) families.sample(member.since->count(), labels_of(member));
  }
  families.counter("dipaco_member_sent_bytes_total", "Bytes that the node has sent.");
  for (const MemberStatus& member : status.members) families.sample(member.sent.value, labels_of(member));
  families.counter("dipaco_member_messages_total", "Messages that the node has sent.");
  for (const MemberStatus& member : status.members) families.sample(member.messages, labels_of(member));
}

void add_traffic(Families& families, const Status& status) {
  const Traffic& traffic = status.traffic;
  families.counter("dipaco_wan_bytes_total", "Bytes sent between sites.");
  families.sample(traffic.wan.value);
  families.counter("dipaco_lan_bytes_total", "Bytes sent within a site.");
  families.sample(traffic.lan.value);
  families.counter("dipaco_sent_bytes_total", "Bytes sent, by kind of message.");
  for (std::size_t kind = 0; kind < kMessageKinds; ++kind) {
    families.sample(traffic.by_kind[kind].value, {{"kind", name(static_cast<MessageKind>(kind))}});
  }
  families.counter("dipaco_messages_total", "Messages sent, by kind.");
  for (std::size_t kind = 0; kind < kMessageKinds; ++kind) {
    families.sample(traffic.messages_by_kind[kind], {{"kind", name(static_cast<MessageKind>(kind))}});
  }
  const auto sites = site_names(status);
  const auto labels = [&](const auto& ends) {
    return Labels{{"from", as_utf8(sites.at(ends.first))}, {"to", as_utf8(sites.at(ends.second))}};
  };
  families.counter("dipaco_site_bytes_total", "Bytes sent from one site to another, or within one.");
  for (const auto& [ends, crossed] : traffic.by_sites) families.sample(crossed.sent.value, labels(ends));
  const auto of_large = [&](const auto& value) {
    for (const auto& [ends, crossed] : traffic.by_sites) {
      if (crossed.came > 0) families.sample(value(crossed), labels(ends));
    }
  };
  families.counter("dipaco_site_large_messages_total", "Large messages that came from one site to another.");
  of_large([](const SiteTraffic& crossed) { return crossed.came; });
  families.counter("dipaco_site_moving_seconds_total", "Seconds that these were on their way, summed.");
  of_large([](const SiteTraffic& crossed) { return crossed.moving.count(); });
  families.counter("dipaco_site_waited_seconds_total", "Seconds that these had waited for their turn before, summed.");
  of_large([](const SiteTraffic& crossed) { return crossed.waited.count(); });
  families.gauge("dipaco_site_longest_wait_seconds", "Longest that one of these had waited for its turn.");
  of_large([](const SiteTraffic& crossed) { return crossed.longest_wait.count(); });
}

void add_queues(Families& families, const Status& status) {
  const auto sites = site_names(status);
  const auto labels = [&](const auto& ends) {
    return Labels{{"from", as_utf8(sites.at(ends.first))}, {"to", as_utf8(sites.at(ends.second))}};
  };
  families.gauge("dipaco_queue_messages", "Large messages that this process's nodes send and that have not arrived.");
  for (const auto& [ends, queue] : status.queues) families.sample(queue.messages, labels(ends));
  families.gauge("dipaco_queue_bytes", "Bytes of these that have not arrived.");
  for (const auto& [ends, queue] : status.queues) families.sample(queue.left.value, labels(ends));
  families.gauge("dipaco_queue_oldest_seconds", "Since the first of these was sent.");
  for (const auto& [ends, queue] : status.queues) families.sample(queue.oldest.count(), labels(ends));
}

Labels labels_of(const StreamStatus& stream) {
  return {{"node", std::to_string(index(stream.node))},
          {"peer", std::to_string(index(stream.peer))},
          {"stream", std::to_string(stream.last.stream)},
          {"way", stream.last.receives ? "from peer" : "to peer"}};
}

void add_stalled(Families& families, const Status& status) {
  families.counter("dipaco_stream_stalls_total", "Times that a stream stood still or broke, and was made anew.");
  for (const StreamStatus& stream : status.stalled) families.sample(stream.times, labels_of(stream));
  families.gauge("dipaco_stream_stood_seconds", "How long it stood the last time; 0 where its connection broke.");
  for (const StreamStatus& stream : status.stalled) {
    families.sample(stream.last.broke ? 0 : stream.last.stood.count(), labels_of(stream));
  }
  families.gauge("dipaco_stream_stood_behind_chunks", "Chunks that had come over it by then.");
  for (const StreamStatus& stream : status.stalled) families.sample(stream.last.chunks, labels_of(stream));
}

}  // namespace

std::string status_metrics(const Status& status) {
  Families families;
  add_run(families, status);
  add_progress(families, status);
  add_members(families, status);
  add_traffic(families, status);
  add_queues(families, status);
  add_stalled(families, status);
  return families.text();
}

}  // namespace dipaco
