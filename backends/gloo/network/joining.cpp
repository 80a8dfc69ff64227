#include "backends/gloo/network/joining.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "backends/gloo/network/dialing.hpp"
#include "core/base/error.hpp"

namespace dipaco {
namespace {

constexpr Seconds kPause{0.2};
constexpr Seconds kBetweenNotes{30};

/// What the coordinator says to a request. @throws LinkError, RunIsOver, RunError where it is no welcome
Welcome welcome_of(const Frame& answer) {
  const std::string source = "the coordinator's answer";
  if (answer.kind == FrameKind::refused) {
    const auto refused = decode_payload<Refused>(answer.payload, source);
    if (refused.status == Refused::kComeAgain) throw LinkError(refused.why);
    if (refused.status == Refused::kRunIsOver) throw RunIsOver{};
    throw RunError(refused.status, refused.why);
  }
  if (answer.kind != FrameKind::welcome) throw LinkError("the coordinator gives no answer");
  return decode_payload<Welcome>(answer.payload, source);
}

}  // namespace

Awaitable<void> Joining::keep_joined() {
  std::optional<Seconds> noted;
  while (!leaving_) {
    const bool first = shared_.members.self() == NodeId{-1};
    std::string why = "nobody says where it is";
    try {
      co_await try_to_join();
      noted.reset();
      co_await until_cut_off();
      continue;
    } catch (const RunIsOver&) {
      co_return admittance_.refuse(std::current_exception());
    } catch (const RunError&) {
      co_return admittance_.refuse(std::current_exception());
    } catch (const NotAuthorised& error) {
      why = error.what();
      if (first) {
        // Once in, this may be a stranger on the coordinator's port while it is away.
        co_return admittance_.refuse(std::make_exception_ptr(RunError(
            static_cast<int>(ExitStatus::not_authorised), "the coordinator did not let this node in: " + why)));
      }
    } catch (const std::exception& error) {
      why = error.what();
    }
    if (!noted || steady() - *noted > kBetweenNotes) {
      if (noted || !first) shared_.note("no coordinator yet: " + why + "; trying again");
      noted = steady();
    }
    asio::steady_timer pause(shared_.io, timer_duration(kPause));
    co_await pause.async_wait(asio::use_awaitable);
  }
}

Awaitable<void> Joining::until_cut_off() {
  while (links_.with(kCoordinator) != nullptr) {
    rejoin_.expires_after(std::chrono::hours(24));
    boost::system::error_code woken;
    co_await rejoin_.async_wait(asio::redirect_error(asio::use_awaitable, woken));
  }
}

void Joining::cut_off() {
  admittance_.cut_off();
  rejoin_.cancel();
}

Awaitable<void> Joining::try_to_join() {
  const auto where = shared_.options.find_coordinator();
  if (!where) throw LinkError("nobody says where it is");
  const auto connection = co_await dial(shared_, *where);
  const Token link = make_token();
  const Join ours = request(link);
  const Seconds asked = steady();
  co_await connection->write(FrameKind::join, encode_payload(ours));
  const Frame answer = co_await connection->read(shared_.limit());
  welcomed(welcome_of(answer), asked);
  shared_.members.reach_at(kCoordinator, *where);
  const auto session = links_.begin({shared_.members.self(), kCoordinator, link, true}, connection);
  for (const auto& [number, bytes] : reports_) session->send(FrameKind::report, bytes);
  session->start();
  admittance_.let_in();
}

Join Joining::request(const Token& link) {
  const NetworkOptions& options = shared_.options;
  return {.key = options.key,
          .run = shared_.members.run(),
          .self = options.self,
          .version = options.version,
          .config_hash = options.config_hash,
          .replaces = links_.last_with(kCoordinator),
          .link = link};
}

void Joining::welcomed(const Welcome& welcome, Seconds asked) {
  // Both ways take about the same time.
  if (shared_.members.self() == NodeId{-1}) {
    shared_.clock.set(Seconds(welcome.heard + welcome.now) / 2 - (asked + steady()) / 2);
  }
  shared_.members.join(welcome.id, welcome.run);
  for (const Member& member : welcome.members) attendance_.know(member);
}

void Joining::send_report(std::uint64_t number, std::vector<std::byte> bytes) {
  if (const auto& session = links_.with(kCoordinator)) session->send(FrameKind::report, bytes);
  reports_.emplace(number, std::move(bytes));
}

void Joining::report_kept(const ReportKept& kept) {
  reports_.erase(reports_.begin(), reports_.upper_bound(kept.number));
}

}  // namespace dipaco
