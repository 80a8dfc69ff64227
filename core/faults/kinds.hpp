#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/ids.hpp"

namespace dipaco {

class FaultActions;
struct Message;
struct Strike;

/// What goes wrong. One word each, in a run file and here.
enum class FaultKind : std::uint8_t {
  kill,         ///< the node goes off for good
  restart,      ///< it goes off and begins anew after `lasting`, with what its storage has
  freeze,       ///< it does nothing for `lasting`, then goes on as if no time had passed
  delay,        ///< messages it sends in the next `lasting` arrive that much later, in order
  cut,          ///< nothing gets through between it and `peer` (or everyone) for `lasting`; then all is well
  disk_full,    ///< a write to its storage fails with nothing written: the node ends, and begins anew after `lasting`
  short_write,  ///< a write stops in the middle: of a log the first half of the record stays, of a value nothing
  sync_error,   ///< a write is there, but its sync fails: the node ends, and begins anew after `lasting`
  poison,       ///< a value of each path state that it puts in the next `lasting` is not a number
  repeat,       ///< each message that it sends in the next `lasting` is sent twice
};

/// What goes wrong in a run, on purpose. Keys of [faults], one a FaultKind; parse.hpp has the syntax of a value.
struct FaultOptions {
  std::string kill{};
  std::string restart{};
  std::string freeze{};
  std::string delay{};
  std::string cut{};
  std::string disk_full{};
  std::string short_write{};
  std::string sync_error{};
  std::string poison{};
  std::string repeat{};
};

/// What is there of a write that a fault stops.
enum class Written : std::uint8_t { nothing, part, all };

// What kinds do to a node (kinds.cpp).
void end_node(FaultActions& actions, NodeId node, const Strike& strike);
void end_for_good(FaultActions& actions, NodeId node, const Strike& strike);
void freeze_node(FaultActions& actions, NodeId node, const Strike& strike);
void delay_node(FaultActions& actions, NodeId node, const Strike& strike);
void cut_node(FaultActions& actions, NodeId node, const Strike& strike);
// What kinds send in a message's place.
std::vector<Message> poisoned(Message message);
std::vector<Message> repeated(Message message);

/// What there is to a kind of fault. It has one of `strike` and `sends`.
struct FaultKindRow {
  FaultKind kind{};
  const char* name = "";
  std::string FaultOptions::*value = nullptr;  ///< its key of [faults]
  std::string_view help;                       ///< a line for docs/run-file.md
  /// What a backend does when it strikes.
  void (*strike)(FaultActions& actions, NodeId node, const Strike& strike) = nullptr;
  /// What a struck node sends in a message's place, for as long as the fault lasts.
  std::vector<Message> (*sends)(Message message) = nullptr;
  bool lasts = true;                    ///< it needs for=
  bool ends = false;                    ///< `strike` ends the node
  bool two_nodes = false;               ///< it may name a second node
  bool strikes_writes = false;          ///< it strikes a write to the node's storage, and nothing else
  Written written = Written::nothing;   ///< what is there of that
  std::string_view workers_alone = {};  ///< why it strikes workers only: what no other role does
};

inline constexpr std::array kFaultKindTable{
    FaultKindRow{.kind = FaultKind::kill,
                 .name = "kill",
                 .value = &FaultOptions::kill,
                 .help = "nodes that go off for good: worker:3@outer_step=5,sending",
                 .strike = end_for_good,
                 .lasts = false,
                 .ends = true},
    FaultKindRow{.kind = FaultKind::restart,
                 .name = "restart",
                 .value = &FaultOptions::restart,
                 .help = "nodes that go off and start again: store:0@time=40s,for=20s; "
                         "executor:1@outer_step=2,stepping,for=3s",
                 .strike = end_node,
                 .ends = true},
    FaultKindRow{.kind = FaultKind::freeze,
                 .name = "freeze",
                 .value = &FaultOptions::freeze,
                 .help = "nodes that stand still for a while, then continue",
                 .strike = freeze_node},
    FaultKindRow{.kind = FaultKind::delay,
                 .name = "delay",
                 .value = &FaultOptions::delay,
                 .help = "nodes whose messages arrive later; with for=2s, what is sent in the next 2 s arrives 2 s "
                         "later",
                 .strike = delay_node},
    FaultKindRow{.kind = FaultKind::cut,
                 .name = "cut",
                 .value = &FaultOptions::cut,
                 .help = "nodes that are cut off from another node or from all: worker:0-store:0@time=10s,for=5s",
                 .strike = cut_node,
                 .two_nodes = true},
    FaultKindRow{.kind = FaultKind::disk_full,
                 .name = "disk_full",
                 .value = &FaultOptions::disk_full,
                 .help = "nodes whose storage fails a write and writes nothing; they go off and start again",
                 .strike = end_node,
                 .ends = true,
                 .strikes_writes = true},
    FaultKindRow{.kind = FaultKind::short_write,
                 .name = "short_write",
                 .value = &FaultOptions::short_write,
                 .help = "nodes whose storage stops in the middle of a write; they go off and start again",
                 .strike = end_node,
                 .ends = true,
                 .strikes_writes = true,
                 .written = Written::part},
    FaultKindRow{.kind = FaultKind::sync_error,
                 .name = "sync_error",
                 .value = &FaultOptions::sync_error,
                 .help = "nodes whose storage fails to sync a write; they go off and start again",
                 .strike = end_node,
                 .ends = true,
                 .strikes_writes = true,
                 .written = Written::all},
    FaultKindRow{.kind = FaultKind::poison,
                 .name = "poison",
                 .value = &FaultOptions::poison,
                 .help = "workers whose path states get a value that is not a number: "
                         "worker:1@outer_step=2,storing,for=1s",
                 .sends = poisoned,
                 .workers_alone = "makes path states"},
    FaultKindRow{.kind = FaultKind::repeat,
                 .name = "repeat",
                 .value = &FaultOptions::repeat,
                 .help = "nodes whose messages arrive twice, those that are sent in the time that it lasts",
                 .sends = repeated},
};
inline constexpr std::size_t kFaultKinds = kFaultKindTable.size();

constexpr const FaultKindRow& row_of(FaultKind kind) { return kFaultKindTable[static_cast<std::size_t>(kind)]; }
const char* name(FaultKind kind);

}  // namespace dipaco
