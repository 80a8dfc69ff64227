#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "backends/gloo/links/frame.hpp"
#include "core/base/descriptor.hpp"

namespace dipaco {

/// Where one node keeps what must outlive its process: FOLDER/ROLE-K with the first K that no process has. Whoever
/// starts the same role again gets the same folder, and is that node again. On a shared file system any machine may.
class NodeFolder {
 public:
  /// @throws DataError where it cannot be made, read or written
  NodeFolder(const std::filesystem::path& folder, Role role, const std::string& site);

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path storage() const { return path_ / "storage"; }
  const Token& key() const { return kept_.key; }
  /// How often the node was started before.
  std::int32_t incarnation() const { return kept_.starts - 1; }
  /// The run that this is the state of; "": none yet.
  const std::string& run() const { return kept_.run; }
  void note_run(const std::string& run);
  /// The run has ended: nothing here is needed any more.
  void remove();

 private:
  struct Kept {
    Token key;
    std::string run;
    std::string site;
    std::int32_t starts = 0;
    template <class A>
    void fields(A& a) {
      a(key, run, site, starts);
    }
  };
  bool take(const std::filesystem::path& path, const std::string& site);
  bool lock(const std::filesystem::path& path);
  void keep();

  std::filesystem::path path_;
  Descriptor lock_;
  Kept kept_;
};

}  // namespace dipaco
