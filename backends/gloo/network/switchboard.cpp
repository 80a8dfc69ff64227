#include "backends/gloo/network/switchboard.hpp"

#include <utility>

namespace dipaco {

Switchboard::Switchboard(NetworkShared& shared)
    : shared_(shared),
      attendance_(shared.members, shared.clock, shared.options.note),
      links_(shared, {.frame = [this](NodeId from, const Frame& frame) { take(from, frame); },
                      .begun = [this](NodeId with, Session& session) { begun(with, session); },
                      .ended = [this](NodeId with, bool left, const std::string& why) { ended(with, left, why); },
                      .take = [this](NodeId from, const Message& message) { return turns_.take(from, message); },
                      .turns = [this](NodeId with) { return turns_.hooks(with); }}),
      turns_(shared, links_),
      outbox_(shared, links_, [this] { tell_busy(); }),
      listener_(shared, [this](std::shared_ptr<Connection> connection, Frame frame, std::string source) {
        return serve(std::move(connection), std::move(frame), std::move(source));
      }) {
  if (shared.options.registry != nullptr) {
    admission_.emplace(shared, links_, attendance_, [this] { tell_busy(); });
  } else {
    joining_.emplace(shared, links_, attendance_);
  }
}

void Switchboard::start() {
  listener_.start();
  if (joining_) asio::co_spawn(shared_.io, joining_->keep_joined(), asio::detached);
}

InMotion Switchboard::in_motion() const {
  InMotion motion = links_.in_motion();
  motion.in_turns = turns_.in_turns();
  return motion;
}

void Switchboard::leave() {
  attendance_.leave();
  if (joining_) joining_->leave();
  links_.leave();
  tell_busy();
}

void Switchboard::end_run() {
  admission_->end_run();
  tell_busy();
}

void Switchboard::tell_busy() {
  const bool busy = !links_.none() || !outbox_.empty() || (admission_ && !admission_->owed().empty());
  const bool reports = joining_ && joining_->reports_under_way();
  const std::lock_guard lock(mutex_);
  busy_ = busy;
  reports_ = reports;
  changed_.notify_all();
}

void Switchboard::expect_busy() {
  const std::lock_guard lock(mutex_);
  busy_ = true;
}

void Switchboard::wait_while_busy(Seconds limit) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, limit, [this] { return !busy_; });
}

void Switchboard::wait_for_reports(Seconds limit) {
  std::unique_lock lock(mutex_);
  reports_ = true;  // until the links' thread has looked
  asio::post(shared_.io, [this] { tell_busy(); });
  changed_.wait_for(lock, limit, [this] { return !reports_; });
}

Awaitable<void> Switchboard::serve(std::shared_ptr<Connection> connection, Frame frame, std::string source) {
  if (frame.kind == FrameKind::join && admission_) {
    admission_->serve(connection, decode_payload<Join>(frame.payload, source));
  } else if (frame.kind == FrameKind::open_link) {
    outbox_.serve_link(std::move(connection), decode_payload<OpenLink>(frame.payload, source));
  } else if (frame.kind == FrameKind::open_stream) {
    co_await links_.serve_stream(std::move(connection), decode_payload<OpenStream>(frame.payload, source));
  } else {
    throw LinkError("it asks for what this node does not do");
  }
}

void Switchboard::take(NodeId from, const Frame& frame) {
  const std::string source = "a frame of node " + std::to_string(index(from));
  if (from == kCoordinator && frame.kind == FrameKind::member) {
    attendance_.know(decode_payload<Member>(frame.payload, source));
  } else if (from == kCoordinator && frame.kind == FrameKind::run_over) {
    shared_.inbox.end();
  } else if (admission_ && frame.kind == FrameKind::report) {
    if (!shared_.options.report) return;
    const std::uint64_t kept = shared_.options.report(from, frame.payload);
    links_.with(from)->send(FrameKind::report_kept, encode_payload(ReportKept{kept}));
  } else if (joining_ && from == kCoordinator && frame.kind == FrameKind::report_kept) {
    joining_->report_kept(decode_payload<ReportKept>(frame.payload, source));
    tell_busy();
  } else {
    throw LinkError("it sends what it has no business to send");
  }
}

void Switchboard::begun(NodeId with, Session& session) {
  if (admission_) admission_->begun(with);
  outbox_.send_waiting(with, session);
  tell_busy();
}

void Switchboard::ended(NodeId with, bool left, const std::string& why) {
  attendance_.gone(with, left ? "has left" : "is lost: " + why);
  turns_.ended(with);
  if (admission_) admission_->ended(with, left);
  const bool cut_off = joining_ && with == kCoordinator;
  if (cut_off) joining_->cut_off();  // the role's thread may ask as soon as it hears of the loss
  shared_.inbox.put(PeerLost{with});
  tell_busy();
  if (admission_) admission_->tell_gone(with, left);
}

}  // namespace dipaco
