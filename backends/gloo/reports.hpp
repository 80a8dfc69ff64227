#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backends/gloo/roll_call.hpp"
#include "core/compute/compute.hpp"
#include "core/events/events.hpp"
#include "core/events/packed_events.hpp"
#include "core/events/traffic.hpp"
#include "core/transport/transport.hpp"

namespace dipaco {

/// What a node has recorded since its last report, and counted since its start.
struct Report {
  std::int32_t incarnation = 0;
  std::uint64_t number = 0;  ///< from 1, of this incarnation
  Seconds time{};            ///< when it was made, on the run's clock
  Traffic traffic{};
  std::vector<Event> events{};
};

std::vector<std::byte> encode(const Report& report);
/// @throws DataError where the bytes are none
Report decode_report(std::span<const std::byte> bytes, const std::string& source);

/// How often a node reports.
struct ReportPace {
  Seconds between{1};                 ///< two reports, where there are events
  std::optional<Seconds> at_least{};  ///< so often without any, too
};

/// What a process that may be killed at any moment leaves behind: nothing that it has recorded is missing, and its last
/// report tells when it was there.
inline constexpr ReportPace kCoordinatorsPace{Seconds(0), Seconds(5)};

/// Gathers one node's events and hands them on. Of the role's thread.
class Reporter : public EventLog {
 public:
  using Deliver = std::function<void(const Report&)>;
  /// @param traffic  what the node counts in; must outlive this
  Reporter(std::int32_t incarnation, const Traffic& traffic, Deliver deliver, const ReportPace& pace = {});
  void record(const Event& event) override { next_.events.push_back(event); }
  /// Delivers what is due. @returns how long the next call may take to come; below 0: for ever
  Seconds deliver_due(Seconds now);
  /// Whatever is there, and the counts in any case.
  void deliver(Seconds now);

 private:
  Report next_;
  const Traffic& traffic_;
  Deliver deliver_;
  ReportPace pace_;
  Seconds delivered_at_{};
};

/// A node's transport that lets its reporter deliver while the role waits for messages.
class ReportingTransport : public Transport {
 public:
  /// @param roll  the coordinator's: who goes and who is heard goes there; null: nobody cares
  ReportingTransport(Transport& inner, Reporter& reporter, std::function<Seconds()> now, RollCall* roll)
      : inner_(inner), reporter_(reporter), now_(std::move(now)), roll_(roll) {}
  NodeId self() const override { return inner_.self(); }
  std::int32_t incarnation() const override { return inner_.incarnation(); }
  InMotion in_motion() const override { return inner_.in_motion(); }
  void send(NodeId to, Message message) override { inner_.send(to, std::move(message)); }
  std::optional<Incoming> receive(Seconds timeout) override;

 private:
  Transport& inner_;
  Reporter& reporter_;
  std::function<Seconds()> now_;
  RollCall* roll_;
};

/// A node's compute that lets its reporter deliver before work that may take long: nothing is delivered in the middle
/// of it, and a node that is lost there has not said that it began.
class ReportingCompute : public Compute {
 public:
  ReportingCompute(Compute& inner, Reporter& reporter) : inner_(inner), reporter_(reporter) {}
  Seconds now() const override { return inner_.now(); }
  InnerSteps run(InnerSteps steps, Flops cost_of_one, const Work& work, std::optional<Seconds> reserve) override;
  bool leaving() const override { return inner_.leaving(); }
  std::optional<Seconds> gone_at() const override { return inner_.gone_at(); }

 private:
  Compute& inner_;
  Reporter& reporter_;
  std::optional<Seconds> lasted_;  ///< the last work
};

/// All nodes' reports, at the coordinator. They survive its process. From any thread.
class ReportBook {
 public:
  /// Goes on with what an earlier process has kept in `file`. @throws DataError where it cannot be read or written
  explicit ReportBook(std::filesystem::path file);
  /// One that came before changes nothing. @throws DataError where it cannot be written
  void keep(NodeId from, const Report& report);
  /// In time's order.
  std::vector<Event> events() const;
  Traffic traffic() const;
  /// What each node has counted, over all its incarnations.
  std::map<NodeId, Traffic> traffic_by_node() const;
  /// Inner steps that workers have computed, whatever became of them.
  std::int64_t inner_steps_computed() const;
  /// Events of a kind.
  std::int64_t count_of(EventKind kind) const;
  /// Who was there at last, and until when somebody has told of the run.
  Roll roll() const;
  /// Of one node; nullopt where nobody has told of it.
  std::optional<Roll::Presence> presence(NodeId node) const;

 private:
  struct Incarnation {
    std::uint64_t last = 0;
    Traffic traffic;
  };
  bool note(NodeId from, const Report& report);

  mutable std::mutex mutex_;
  std::filesystem::path file_;
  std::ofstream out_;
  std::map<std::pair<NodeId, std::int32_t>, Incarnation> nodes_;
  PackedEvents events_;
  Roll roll_;
  std::int64_t computed_ = 0;
  std::map<EventKind, std::int64_t> counts_;
};

}  // namespace dipaco
