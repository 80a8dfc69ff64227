#include "backends/gloo/links/large_messages.hpp"

#include <exception>
#include <utility>

namespace dipaco {
namespace {

RenewalOptions renewal_options(const LargeOptions& options) {
  return {.initiator = options.initiator,
          .limit = options.limit,
          .period = looks_every(options.limit),
          .pauses = options.pauses};
}

}  // namespace

LargeMessages::LargeMessages(LargeOptions options, LargeHooks hooks)
    : initiator_(options.initiator),
      streams_each_way_(options.streams),
      hooks_(std::move(hooks)),
      sender_(streams_, sender_hooks()),
      receiver_(streams_, options.inbox, std::move(options.spare), receiver_hooks()),
      renewals_(streams_, renewal_options(options), renewal_hooks()),
      streams_(options.initiator) {}

LargeSenderHooks LargeMessages::sender_hooks() {
  return {.announce = hooks_.announce, .all_announced = hooks_.all_announced, .now = hooks_.now, .later = hooks_.later};
}

RenewalHooks LargeMessages::renewal_hooks() {
  RenewalHooks hooks = hooks_.renewal;
  hooks.failed = hooks_.failed;
  return hooks;
}

LargeReceiverHooks LargeMessages::receiver_hooks() {
  return {.whole = hooks_.whole, .later = [this](std::function<void()> work) {
            return hooks_.later([this, work = std::move(work)] {
              try {
                work();
                hooks_.came();
              } catch (const std::exception& error) {
                hooks_.failed(error.what());
              }
            });
          }};
}

void LargeMessages::send(std::uint64_t number, const Message& message) {
  sender_.put(number, message);
  send_on();
}

void LargeMessages::send_on() {
  if (!sender_.waits()) return;
  if (!streams_.ready()) return ask_for_streams();
  sender_.go_on();
}

void LargeMessages::announced(Announce announce) {
  receiver_.announced(std::move(announce));
  receive_on();
}

void LargeMessages::taken(std::uint64_t bytes) {
  receiver_.taken(bytes);
  receive_on();
}

void LargeMessages::receive_on() try { receiver_.go_on(); } catch (const std::exception& error) {
  hooks_.failed(error.what());
}

void LargeMessages::ask_for_streams() {
  if (!streams_.want()) return;
  if (initiator_) streams_.expect(std::size_t{2} * streams_each_way_);
  hooks_.want_streams(2 * streams_each_way_);
}

bool LargeMessages::add_stream(const OpenStream& which, std::unique_ptr<Stream> stream) {
  if (!streams_.add(which, std::move(stream))) return false;
  if (streams_.ready()) {
    send_on();
    receive_on();
  }
  return true;
}

}  // namespace dipaco
