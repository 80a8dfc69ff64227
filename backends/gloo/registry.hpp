#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "backends/gloo/frame.hpp"

namespace dipaco {

/// 16 random bytes, as 32 hexadecimal digits.
Token make_token();

/// Which number each node of a run has, for good: the coordinator's, in a file that outlives it. A node is known by the
/// key that lies beside its state.
class Registry {
 public:
  /// Goes on with the run of `file`, or begins one. @throws DataError where it is damaged or cannot be written
  explicit Registry(std::filesystem::path file);

  /// The run's own name: state of another run is not mixed with it.
  const std::string& run() const { return kept_.run; }
  /// Seconds since the run began, by the machine's clock: they go on after a restart.
  Seconds age() const;
  /// The number of the node with this key; the next free one, durably, for a new key. The coordinator itself is 0.
  NodeId number(const Token& key);
  /// The number of this site, durably.
  SiteId site(const std::string& name);

 private:
  struct Known {
    Token key;
    NodeId id{};
    template <class A>
    void fields(A& a) {
      a(key, id);
    }
  };
  struct Kept {
    std::string run;
    double began = 0;  ///< seconds since 1970
    std::vector<Known> nodes;
    std::vector<std::string> sites;
    template <class A>
    void fields(A& a) {
      a(run, began, nodes, sites);
    }
  };
  void keep();

  std::filesystem::path file_;
  Kept kept_;
  std::map<Token, NodeId> numbers_;
};

}  // namespace dipaco
