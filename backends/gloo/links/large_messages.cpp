#include "backends/gloo/links/large_messages.hpp"

#include <exception>
#include <utility>

namespace dipaco {

LargeMessages::LargeMessages(LargeOptions options, LargeHooks hooks)
    : hooks_(std::move(hooks)),
      sender_(streams_, sender_hooks()),
      receiver_(streams_, options.inbox, std::move(options.spare), receiver_hooks()),
      link_streams_(streams_,
                    {.initiator = options.initiator,
                     .each_way = options.streams,
                     .limit = options.limit,
                     .pauses = std::move(options.pauses)},
                    streams_hooks()),
      streams_(options.initiator) {}

LargeSenderHooks LargeMessages::sender_hooks() {
  return {.announce = hooks_.announce,
          .all_announced = hooks_.all_announced,
          .now = hooks_.now,
          .later = hooks_.later,
          .turns = hooks_.turns};
}

LinkStreamsHooks LargeMessages::streams_hooks() {
  LinkStreamsHooks hooks{.open = hooks_.want_streams,
                         .ready =
                             [this] {
                               send_on();
                               receive_on();
                             },
                         .later = hooks_.later,
                         .renewal = hooks_.renewal};
  hooks.renewal.failed = hooks_.failed;
  return hooks;
}

LargeReceiverHooks LargeMessages::receiver_hooks() {
  return {.whole =
              [this](std::uint64_t number, Received message) {
                link_streams_.renewals().tell_came();  // it may be the sender's turn that is over
                hooks_.whole(number, std::move(message));
              },
          .later =
              [this](std::function<void()> work) {
                return hooks_.later([this, work = std::move(work)] {
                  try {
                    work();
                    hooks_.came();
                  } catch (const std::exception& error) {
                    hooks_.failed(error.what());
                  }
                });
              },
          .now = hooks_.now};
}

void LargeMessages::send(std::uint64_t number, const Message& message) {
  sender_.put(number, message);
  send_on();
}

void LargeMessages::tell(NodeId peer, InMotion& motion) const {
  sender_.tell(peer, motion.under_way);
  receiver_.tell(peer, motion.under_way);
  motion.moves += streams_.moves();
}

void LargeMessages::send_on() {
  if (!sender_.waits()) return;
  if (!streams_.ready()) return link_streams_.want();
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

}  // namespace dipaco
