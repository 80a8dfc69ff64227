#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "backends/gloo/links/frame.hpp"

namespace dipaco {

/// 16 random bytes, as 32 hexadecimal digits.
Token make_token();

/// Which nodes a run has, and which number each has for good: the coordinator's, in a file that outlives it. A node is
/// known by the key that lies beside its state.
class Registry {
 public:
  /// Goes on with the run of `file`, or begins one. @throws DataError where it is damaged or cannot be written
  explicit Registry(std::filesystem::path file);

  /// The run's own name: state of another run is not mixed with it.
  const std::string& run() const { return kept_.run; }
  /// Seconds since the run began, by the machine's clock: they go on after a restart.
  Seconds age() const;
  /// The node with this key, as it says of itself now, with its number and its site's: durably, the next free ones
  /// where they are new. The coordinator itself, number 0, is not here.
  Member admit(const Token& key, Member self);
  /// The node has said farewell, durably: until it is admitted again, nobody need wait for a word of it.
  void note_left(NodeId node);
  /// All that were ever admitted, as if none were up: their events are in the run's log.
  std::vector<Member> members() const;
  /// The number of this site, durably.
  SiteId site(const std::string& name);

 private:
  struct Known {
    Token key;
    Member member;
    template <class A>
    void fields(A& a) {
      a(key, member);
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
  std::map<Token, std::size_t> places_;  ///< in kept_.nodes
};

}  // namespace dipaco
