#include "backends/gloo/links/link_streams.hpp"

#include <utility>

namespace dipaco {

LinkStreams::LinkStreams(StreamSet& set, LinkStreamsOptions options, LinkStreamsHooks hooks)
    : set_(set),
      initiator_(options.initiator),
      each_way_(options.each_way),
      hooks_(std::move(hooks)),
      renewals_(set,
                {.initiator = options.initiator,
                 .limit = options.limit,
                 .period = looks_every(options.limit),
                 .pauses = std::move(options.pauses)},
                hooks_.renewal) {}

void LinkStreams::want() {
  if (!set_.want()) return;
  if (initiator_) set_.expect(std::size_t{2} * each_way_);
  hooks_.open(2 * each_way_);
}

void LinkStreams::add(const OpenStream& which, std::unique_ptr<Stream> stream) {
  if (!set_.add(which, std::move(stream))) return hooks_.renewal.failed("its streams do not fit");
  if (set_.ready()) hooks_.ready();
}

StreamHooks LinkStreams::hooks_of(std::uint32_t stream) {
  return {.failed = [this](const std::string& why) { hooks_.later([this, why] { hooks_.renewal.failed(why); })(); },
          .broke = [this, stream](
                       const std::string& /*why*/) { hooks_.later([this, stream] { renewals_.broke(stream); })(); },
          .went_on =
              [this, stream](bool on_the_way) {
                hooks_.later([this, stream, on_the_way] { renewals_.went_on(stream, on_the_way); })();
              }};
}

}  // namespace dipaco
