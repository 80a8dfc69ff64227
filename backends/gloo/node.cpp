#include "backends/gloo/node.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "backends/gloo/measured_lines.hpp"
#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/roles/checked_transport.hpp"
#include "core/transport/metered.hpp"

namespace dipaco {
namespace {

/// What has to be the same on all nodes.
std::string configuration(const RunPlan& plan) {
  return plan.config_hash + (plan.prepared_hash.empty() ? "" : " on prepared data " + plan.prepared_hash);
}

/// As far as --step-time says it: who is faster gets the paths that begin first, as in a simulation.
FlopsPerSecond speed_of(const RunPlan& plan, const GlooOptions& options, Role role) {
  const bool known = role == Role::worker && options.step_time && *options.step_time > Seconds(0);
  return known ? FlopsPerSecond{plan.inner_step_cost.value / options.step_time->count()} : FlopsPerSecond{};
}

}  // namespace

GlooNode::GlooNode(const RunPlan& plan, const GlooOptions& options, Role role)
    : plan_(plan),
      options_(options),
      role_(role),
      // The run's journal is the coordinator's wherever it is started again.
      folder_(options.out / "nodes", role, role == Role::coordinator ? "" : options.site),
      storage_(folder_.storage()),
      books_(role == Role::coordinator ? std::make_unique<CoordinatorBooks>(folder_.path()) : nullptr),
      compute_([this] { return network_.now(); }, options.step_time),
      network_(network_options()),
      reporter_(
          folder_.incarnation(), traffic_,
          [this](const Report& report) {
            if (books_ != nullptr) return books_->reports.keep(kCoordinator, report);
            network_.send_report(report.number, encode(report));
          },
          role == Role::coordinator ? kCoordinatorsPace : ReportPace{}) {}

NetworkOptions GlooNode::network_options() {
  const LivenessOptions& liveness = plan_.config.liveness;
  NetworkOptions network{.secret = options_.secret,
                         .insecure = options_.insecure,
                         .listen = {options_.address, 0},
                         .ports = options_.ports,
                         .reached_at = options_.reached_at,
                         .session = {.period = liveness.period, .limit = liveness.limit, .streams = options_.streams},
                         .line_turns = plan_.config.run.line_turns,
                         .rounds = plan_.policy.rounds,
                         .self = {.role = role_,
                                  .incarnation = folder_.incarnation(),
                                  .site_name = options_.site,
                                  .machine = options_.machine},
                         .key = folder_.key(),
                         .run = folder_.run(),
                         .version = options_.version,
                         .config_hash = configuration(plan_),
                         .find_coordinator = options_.find,
                         .registry = books_ == nullptr ? nullptr : &books_->registry,
                         .note = options_.note,
                         .urgent = [this](bool waits) { compute_.urgent_mail(waits); }};
  if (role_ != Role::coordinator) return network;
  network.listen = options_.coordinator;
  network.report = [this](NodeId from, std::span<const std::byte> bytes) {
    const Report report = decode_report(bytes, "a report of node " + std::to_string(index(from)));
    books_->reports.keep(from, report);
    return report.number;
  };
  return network;
}

bool GlooNode::serve() {
  try {
    network_.join();
    folder_.note_run(network_.known().run());
    serve_role();
  } catch (const NodeStopped&) {
    deliver_last();
    return false;
  } catch (const RunIsOver&) {
    keep_model();
    depart();
    folder_.remove();
    return true;
  } catch (const RunError&) {
    deliver_last();
    throw;
  } catch (const DataError& error) {
    throw DataError(folder_.path().string() + ": " + error.what());  // files are named by their keys in its storage
  }
  // One that has left is not awaited, so it says no more than this.
  const bool ended = !compute_.leaving();
  if (ended) keep_model();
  depart();
  // The coordinator's journal goes when what the run came to is kept elsewhere (forget_run).
  if ((ended && role_ != Role::coordinator) || may_leave(role_)) folder_.remove();
  return ended;
}

Seconds GlooNode::since(const Member& member) const {
  // The events go back behind this process.
  const auto known = books_ == nullptr ? std::nullopt : books_->reports.presence(member.id);
  return known && known->up == member.up ? known->since : network_.known().since(member.id);
}

void GlooNode::serve_role() {
  const auto transport = network_.transport();
  if (books_ != nullptr) {
    books_->take_over(plan_, storage_, reporter_, [this](NodeId node) {
      const auto members = network_.members();
      const auto known = std::ranges::find(members, node, &Member::id);
      return known == members.end() ? 0 : known->incarnation;
    });
  }
  ReportingTransport reporting(
      *transport, reporter_, [this] { return network_.now(); }, books_ == nullptr ? nullptr : &*books_->roll);
  CheckedTransport checked(reporting, plan_, compute_, reporter_);
  MeteredTransport metered(checked, compute_, reporter_, traffic_,
                           [this](NodeId node) { return network_.known().site_of(node); });
  const Member self = network_.self();
  reporter_.record({.time = network_.now(), .kind = EventKind::node_up, .node = self.id});
  ReportingCompute reported(compute_, reporter_);
  serve_seams(self, {metered, reported, storage_, reporter_, archive_});
  if (books_ != nullptr) books_->roll->close();
}

void GlooNode::serve_seams(const Member& self, Seams seams) {
  const auto serve = [&](Seams with) {
    if (role_ == Role::coordinator) {
      CoordinatorOptions expected = options_.expected;
      if (options_.lines) {
        expected.step_times = options_.lines->step_times;
        expected.lines = std::make_shared<MeasuredLines>(
            *options_.lines, [this] { return network_.members(); }, options_.note);
      }
      books_->result = run_coordinator(plan_, with, expected);
    } else {
      run_role(plan_, with,
               {.role = role_, .site = self.site, .speed = speed_of(plan_, options_, role_), .machine = self.machine});
    }
  };
  if (!options_.around) return serve(seams);
  options_.around(self, seams, serve);
}

/// What is this node's part of the model, out of its folder into the run's.
void GlooNode::keep_model() const {
  const auto model = folder_.storage() / "model";
  if (!std::filesystem::is_directory(model)) return;
  for (const auto& file : std::filesystem::directory_iterator(model)) {
    write_file(options_.out / "model" / file.path().filename(), read_file(file.path()));
  }
}

void GlooNode::deliver_last() {
  if (network_.self().id == NodeId{-1}) return;  // it never took part
  reporter_.deliver(network_.now());
  if (role_ != Role::coordinator) network_.wait_for_reports(plan_.config.liveness.period);
}

void GlooNode::depart() {
  const Seconds limit = plan_.config.liveness.limit;
  reporter_.deliver(network_.now());
  if (role_ == Role::coordinator) {
    network_.finish(4 * limit);  // others have their part of the model to keep
  } else {
    network_.leave(limit);
  }
}

void GlooNode::leave() {
  if (!may_leave(role_)) return stop();
  compute_.notice();
  network_.notice();
}

void GlooNode::stop() {
  compute_.notice();
  network_.stop();
}

}  // namespace dipaco
