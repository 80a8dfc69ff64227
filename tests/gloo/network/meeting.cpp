#include "tests/gloo/network/meeting.hpp"

#include <csignal>

namespace dipaco::testing {

Meeting::Meeting(SessionOptions session, std::optional<Secret> secret) : session_(session), secret_(std::move(secret)) {
  std::signal(SIGPIPE, SIG_IGN);  // which links ask for
}

SessionOptions Meeting::quick() { return {.period = Seconds(0.1), .limit = Seconds(1)}; }

NetworkOptions Meeting::options_of(std::size_t node) const {
  NetworkOptions options{.secret = secret_,
                         .session = session_,
                         .self = {.role = node == 0 ? Role::coordinator : Role::worker,
                                  .site_name = "here",
                                  .machine = "machine-" + std::to_string(node)},
                         .key = make_token(),
                         .version = "test",
                         .config_hash = "same"};
  if (node == 0) {
    options.registry = registry_.get();
  } else {
    options.find_coordinator = [where = coordinator()] { return std::optional(where); };
  }
  return options;
}

Network& Meeting::add(const std::function<void(NetworkOptions&)>& change) {
  if (registry_ == nullptr) registry_ = std::make_unique<Registry>(folder_.path() / "nodes");
  NetworkOptions options = options_of(networks_.size());
  if (change) change(options);
  networks_.push_back(std::make_unique<Network>(std::move(options)));
  networks_.back()->join();
  return *networks_.back();
}

Network& Meeting::restart_coordinator() {
  kill(0);
  registry_ = std::make_unique<Registry>(folder_.path() / "nodes");
  networks_.front() = std::make_unique<Network>(options_of(0));
  return *networks_.front();
}

}  // namespace dipaco::testing
