#include "backends/gloo/status/status_json.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

namespace dipaco {
namespace {

using Json = nlohmann::json;

void put_progress(Json& json, const Status& status) {
  const RunProgress& progress = status.progress;
  if (progress.inner_steps_in_all == 0) return;
  json["outer_step"] = progress.outer_step;
  json["outer_steps"] = status.outer_steps;
  if (progress.tasks > 0) json["tasks"] = progress.tasks;
  json["tasks_completed"] = progress.tasks_committed;
  json["inner_steps"] = progress.inner_steps_in_all;
  json["inner_steps_useful"] = status.inner_steps_useful;
  json["inner_steps_lost"] = status.inner_steps_lost;
  if (const auto count = tokens(status)) {
    json["tokens"] = count->all;
    json["tokens_per_s"] = count->per_second;
  }
  json["states_refused"] = status.states_refused;
  json["messages_refused"] = status.messages_refused;
  if (const auto loss = train_loss(status); loss && std::isfinite(*loss)) json["train_loss"] = *loss;
  if (const auto left = time_left(status)) json["time_left_s"] = left->count();
}

void put_traffic(Json& json, const Status& status) {
  const Traffic& traffic = status.traffic;
  json["messages"] = traffic.messages;
  json["wan_bytes"] = traffic.wan.value;
  json["lan_bytes"] = traffic.lan.value;
  for (std::size_t kind = 0; kind < kMessageKinds; ++kind) {
    if (traffic.messages_by_kind[kind] == 0) continue;
    const std::string suffix = name(static_cast<MessageKind>(kind));
    json["bytes_" + suffix] = traffic.by_kind[kind].value;
    json["messages_" + suffix] = traffic.messages_by_kind[kind];
  }
  const auto sites = site_names(status);
  json["sites"] = Json::array();
  for (const auto& [ends, crossed] : traffic.by_sites) {
    Json site{{"from", sites.at(ends.first)}, {"to", sites.at(ends.second)}, {"sent_bytes", crossed.sent.value}};
    if (crossed.came > 0) {
      site["message_bytes_per_s"] = crossed.rate();
      site["mean_wait_s"] = crossed.mean_wait().count();
      site["longest_wait_s"] = crossed.longest_wait.count();
    }
    json["sites"].push_back(std::move(site));
  }
  const auto add_queues = [&](const char* key, const auto& queues) {
    json[key] = Json::array();
    for (const auto& [ends, queue] : queues) {
      json[key].push_back({{"from", sites.at(ends.first)},
                           {"to", sites.at(ends.second)},
                           {"messages", queue.messages},
                           {"left_bytes", queue.left.value},
                           {"oldest_s", queue.oldest.count()}});
    }
  };
  add_queues("queues", status.queues);
  add_queues("queues_elsewhere", status.queues_elsewhere);
}

Json json_of(const MemberStatus& member) {
  Json json{{"node", index(member.id)},
            {"role", name(member.role)},
            {"site", member.site_name},
            {"machine", member.machine},
            {"up", member.up},
            {"left", member.left},
            {"sent_bytes", member.sent.value},
            {"messages", member.messages}};
  if (!member.address.empty()) json["address"] = member.address;
  if (member.since) json["since_s"] = member.since->count();
  return json;
}

Json json_of(const StreamStatus& stream) {
  const Stall& last = stream.last;
  return {{"node", index(stream.node)}, {"peer", index(stream.peer)},
          {"stream", last.stream},      {"way", last.receives ? "from peer" : "to peer"},
          {"times", stream.times},      {"at_s", stream.at.count()},
          {"broke", last.broke},        {"stood_s", last.stood.count()},
          {"chunks", last.chunks},      {"bytes_of_next", last.bytes}};
}

}  // namespace

std::string status_json(const Status& status) {
  Json json{{"run", status.run_name},
            {"roles", role_names(status.roles)},
            {"elapsed_s", status.progress.now.count()},
            {"finished", status.finished},
            {"waiting_for", status.waiting_for},
            {"late", status.progress.late},
            {"slow_workers", status.progress.slow_workers},
            {"in_reserve", status.progress.in_reserve}};
  if (status.preparing) {
    json["preparing"] = status.preparing->name;
    json["preparing_done"] = status.preparing->done;
    json["preparing_total"] = status.preparing->total;
  }
  put_progress(json, status);
  put_traffic(json, status);
  json["members"] = Json::array();
  for (const MemberStatus& member : status.members) json["members"].push_back(json_of(member));
  json["stalled_streams"] = Json::array();
  for (const StreamStatus& stream : status.stalled) json["stalled_streams"].push_back(json_of(stream));
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace dipaco
