#include "core/coordinator/tables/inquiries.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "core/base/text.hpp"

namespace dipaco {

const UnderWay* earlier(const UnderWay& transfer, const Movement& before) {
  const auto found = std::ranges::find_if(before.under_way, [&](const UnderWay& other) {
    return other.peer == transfer.peer && other.incoming == transfer.incoming && other.kind == transfer.kind &&
           other.size == transfer.size && other.arrived <= transfer.arrived;
  });
  return found == before.under_way.end() ? nullptr : &*found;
}

const UnderWay* largest(const Inquiries::Answers* answers) {
  if (answers == nullptr || answers->newest.under_way.empty()) return nullptr;
  return &*std::ranges::max_element(answers->newest.under_way, {}, &UnderWay::size);
}

std::string rate(const UnderWay& transfer, const Inquiries::Answers& answers) {
  const UnderWay* const before = earlier(transfer, answers.before);
  const Seconds between = answers.since - answers.before_at;
  if (before == nullptr || between <= Seconds(0)) return "";
  const double rate = static_cast<double>((transfer.arrived - before->arrived).value) / between.count();
  return " at " + human_bytes(Bytes{static_cast<std::uint64_t>(rate)}) + "/s";
}

void Inquiries::asked_with(NodeId worker, NodeId cache) {
  const Answers* const of_cache = find(cache);
  Answers& of_worker = all_[worker];
  of_worker.cache_before = std::move(of_worker.cache);
  of_worker.cache = of_cache != nullptr && of_cache->number > 0 ? std::optional(of_cache->newest) : std::nullopt;
}

void Inquiries::answered(NodeId node, Movement answer, Seconds now) {
  const auto found = all_.find(node);
  if (found == all_.end() || !found->second.open) return;
  Answers& answers = found->second;
  answers.open = false;
  answers.moved = answers.number == 0 || answer != answers.newest;
  ++answers.number;
  answers.before = std::exchange(answers.newest, std::move(answer));
  answers.before_at = std::exchange(answers.since, now);
}

bool Inquiries::is_silent(NodeId node) const {
  const Answers* const answers = find(node);
  return answers != nullptr && answers->open;
}

bool Inquiries::hopeful(NodeId node) const {
  const Answers* const answers = find(node);
  return answers == nullptr || (!answers->open && answers->moved);
}

bool Inquiries::cache_moved(NodeId worker, NodeId cache) const {
  const Answers* const of_worker = find(worker);
  const Answers* const of_cache = find(cache);
  return of_worker != nullptr && !of_worker->open && of_cache != nullptr && of_cache->number > 0 &&
         of_worker->cache_before != of_cache->newest;
}

const Inquiries::Answers* Inquiries::find(NodeId node) const {
  const auto found = all_.find(node);
  return found == all_.end() ? nullptr : &found->second;
}

bool Inquiries::any_creeps(Seconds since) const {
  return std::ranges::any_of(all_, [since](const auto& entry) {
    const Answers& answers = entry.second;
    return answers.number > 1 && answers.before_at > since &&
           std::ranges::any_of(answers.newest.under_way, [&answers](const UnderWay& transfer) {
             const UnderWay* const before = earlier(transfer, answers.before);
             return before != nullptr && before->arrived < transfer.arrived;
           });
  });
}

}  // namespace dipaco
