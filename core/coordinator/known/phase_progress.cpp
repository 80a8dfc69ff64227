#include "core/coordinator/known/phase_progress.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/base/error.hpp"
#include "core/checkpoint/journal.hpp"
#include "core/state/records.hpp"

namespace dipaco {
namespace {

constexpr const char* kFolder = "resharding/";
constexpr std::int32_t kRoutedAtATime = 4096;  // documents of a job

}  // namespace

void PhaseProgress::begin(std::int32_t phase) {
  scored_.clear();
  least_.assign(sizes_.router_documents, std::numeric_limits<float>::infinity());
  labels_.assign(sizes_.router_documents, -1);
  router_.clear();
  routes_.clear();
  size_ = 0;
  key_ = kFolder + std::to_string(phase);
  for (const std::string& kept : storage_.list(kFolder)) {
    if (kept != key_) storage_.remove(kept);
  }
  if (!storage_.get(key_)) return;
  const auto [records, size] = open_journal(storage_, key_);
  for (const auto& bytes : records) {
    const auto record = decode_record<PhaseRecord>(bytes, key_);
    if (!fits(record)) {
      throw DataError(key_ + ": it has other paths or documents than the run; remove it, and they are scored again");
    }
    apply(record);
  }
  size_ = size;
}

bool PhaseProgress::score(PathId path, std::span<const float> nats) {
  if (has_score(path)) return false;
  check(nats.empty() || nats.size() == sizes_.router_documents, "each router document has a score");
  ScoredRecord record{.path = path, .documents = {}, .nats = {}};
  const auto number = static_cast<float>(index(path));
  for (std::size_t i = 0; i < nats.size(); ++i) {
    if (labels_[i] >= 0 && std::pair(least_[i], labels_[i]) <= std::pair(nats[i], number)) continue;
    record.documents.push_back(static_cast<std::int32_t>(i));
    record.nats.push_back(nats[i]);
  }
  note(record);
  return true;
}

bool PhaseProgress::fit(const std::string& router) {
  if (!all_scored() || !router_.empty()) return false;
  note(RouterRecord{router});
  return true;
}

bool PhaseProgress::route(std::int32_t first, std::span<const float> paths) {
  if (router_.empty() || routes_.contains(first)) return false;
  note(RoutedRecord{first, {paths.begin(), paths.end()}});
  return true;
}

std::vector<std::int32_t> PhaseProgress::unrouted() const {
  std::vector<std::int32_t> parts;
  for (std::int32_t first = 0; first < sizes_.routed_documents; first += kRoutedAtATime) {
    if (!routes_.contains(first)) parts.push_back(first);
  }
  return parts;
}

std::int32_t PhaseProgress::count(std::int32_t first) const {
  return std::min(kRoutedAtATime, sizes_.routed_documents - first);
}

bool PhaseProgress::all_routed() const {
  return std::ssize(routes_) == (sizes_.routed_documents + kRoutedAtATime - 1) / kRoutedAtATime;
}

std::vector<float> PhaseProgress::routes() const {
  std::vector<float> all;
  for (const auto& [first, paths] : routes_) all.insert(all.end(), paths.begin(), paths.end());
  return all;
}

std::string PhaseProgress::state() const {
  if (!all_scored()) {
    return std::to_string(scored_.size()) + " of " + std::to_string(sizes_.paths) +
           " paths have scored the router documents";
  }
  if (router_.empty()) return "the router is not fitted";
  return std::to_string(routes_.size()) + " parts of the documents have their paths";
}

/// Makes it durable, then applies it.
void PhaseProgress::note(const PhaseRecord& record) {
  if (size_ == 0) size_ = open_journal(storage_, key_).second;
  const auto framed = frame_record(encode_record(record), size_);
  storage_.append(key_, framed);
  size_ += framed.size();
  apply(record);
}

void PhaseProgress::apply(const PhaseRecord& record) {
  if (const auto* scored = std::get_if<ScoredRecord>(&record)) {
    scored_.insert(scored->path);
    for (std::size_t k = 0; k < scored->documents.size(); ++k) {
      const auto document = static_cast<std::size_t>(scored->documents[k]);
      least_[document] = scored->nats[k];
      labels_[document] = static_cast<float>(index(scored->path));
    }
  } else if (const auto* fitted = std::get_if<RouterRecord>(&record)) {
    router_ = fitted->router;
  } else {
    const auto& routed = std::get<RoutedRecord>(record);
    routes_[routed.first] = routed.paths;
  }
}

/// Whether it speaks of this run's paths and documents alone.
bool PhaseProgress::fits(const PhaseRecord& record) const {
  if (const auto* scored = std::get_if<ScoredRecord>(&record)) {
    const auto is_document = [&](std::int32_t document) {
      return document >= 0 && static_cast<std::size_t>(document) < sizes_.router_documents;
    };
    return index(scored->path) >= 0 && index(scored->path) < sizes_.paths &&
           scored->documents.size() == scored->nats.size() && std::ranges::all_of(scored->documents, is_document);
  }
  const auto* routed = std::get_if<RoutedRecord>(&record);
  if (routed == nullptr) return true;
  return routed->first >= 0 && routed->first < sizes_.routed_documents && routed->first % kRoutedAtATime == 0 &&
         (routed->paths.empty() || std::ssize(routed->paths) == count(routed->first));
}

}  // namespace dipaco
