#include "core/state/phase_files.hpp"

#include "core/base/error.hpp"
#include "core/prepare/shard_file.hpp"

namespace dipaco {
namespace {

std::string router_key(std::int32_t phase) {
  std::string key = "routers/";
  return key += std::to_string(phase);
}

}  // namespace

std::string shards_key(std::int32_t phase) {
  std::string key = "shards/";
  return key += std::to_string(phase);
}

PhaseFiles::PhaseFiles(const RunPlan& plan, Storage& storage) : plan_(plan), storage_(storage) {
  while (past_ + 1 < plan.timetable.phases() && load(past_ + 1)) ++past_;
  loaded_ = {};
}

const PhaseRouting& PhaseFiles::read(std::int32_t phase) {
  check(1 <= phase && phase <= past_, "only what was there is read");
  if (loaded_.phase == phase || load(phase)) return loaded_;
  throw DataError(shards_key(phase) + ": it was there at the start and is gone; let nobody else write to the archive");
}

/// False where it is not there.
bool PhaseFiles::load(std::int32_t phase) {
  const auto bytes = storage_.get(shards_key(phase));
  if (!bytes) return false;
  const auto router = storage_.get(router_key(phase));
  if (!router) throw DataError("the archive has the shards of a phase without its router; begin the run anew");
  const std::size_t documents = plan_.learner->prepared().tokens->documents().size();
  loaded_ = {.phase = phase,
             .router = {reinterpret_cast<const char*>(router->data()), router->size()},
             .shards = decode_shards(*bytes, documents, shards_key(phase))};
  return true;
}

/// The shards last: they say that both are there.
void PhaseFiles::keep(std::int32_t phase, const std::string& router, std::span<const std::byte> shards) {
  storage_.put(router_key(phase), std::as_bytes(std::span(router)));
  storage_.put(shards_key(phase), shards);
}

}  // namespace dipaco
