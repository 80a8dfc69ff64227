#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace dipaco {

/// In double quotes, as a scenario's attributes are.
std::string in_quotes(std::string_view text);

/// A `<prop>` with its place in the file.
struct ScenarioProp {
  std::string name;
  std::string value;
  int line = 0;
};

/// Where an attribute's value stands in the file, between its quotes and with its entities.
struct ValuePlace {
  std::size_t element = 0;  ///< of ScenarioFile::elements(), as they were read
  std::string attribute;
  std::size_t begin = 0;
  std::size_t length = 0;
};

/// An element that owns props or hosts: zone, cluster, cabinet, peer, host, link, config, ...
struct ScenarioElement {
  std::string kind;  ///< the tag's name
  std::map<std::string, std::string> attributes;
  int line = 0;
  int depth = 0;        ///< 1: a child of <platform>
  std::size_t end = 0;  ///< of its tag: where its '>' is in the file
  std::string text;     ///< of a trace: what stands in it, from its tag's line on
  std::vector<ScenarioProp> props;

  /// An attribute's value, or "".
  std::string attribute(const std::string& name) const;
  std::string id() const { return attribute("id"); }
  /// `latency="65" of <link id="wan">`: how messages begin that are about an attribute.
  std::string said(const std::string& name) const;
  /// True for what SimGrid makes a zone of.
  bool is_zone() const;
};

/// A scenario's elements with their lines, which SimGrid's own reader does not keep. It reads well-formed XML only:
/// SimGrid has checked the file before (load_platform).
class ScenarioFile {
 public:
  /// @throws ConfigError where the file cannot be read
  explicit ScenarioFile(std::filesystem::path file);
  /// A scenario that is in no file yet. @param said_in  the file whose lines its elements and props have, for errors
  ScenarioFile(std::filesystem::path said_in, std::vector<ScenarioElement> elements);

  const std::filesystem::path& path() const { return path_; }
  const std::vector<ScenarioElement>& elements() const { return elements_; }
  const std::vector<ValuePlace>& places() const { return places_; }
  /// Sets a prop of the zone or host of that name, as if the file said so; an empty value takes it away. A host that
  /// the file does not spell out, as a cluster's, gets an element.
  /// @returns false, and nothing changes, where no zone has that name
  bool set_zone_prop(const std::string& zone, const std::string& prop, const std::string& value);
  void set_host_prop(const std::string& host, const std::string& prop, const std::string& value);
  /// "FILE:LINE"
  std::string at(int line) const;
  /// The line where a host was written: its own element's, or its cluster's (`zone`); 0 where neither is found.
  int line_of_host(std::string_view host, std::string_view zone) const;
  /// The value of a key in <config>, or "" where the file does not set it.
  std::string config(std::string_view key) const;

 private:
  void read(std::string_view text);
  void add_prop(ScenarioElement& element, ScenarioProp prop) const;

  std::filesystem::path path_;
  std::vector<ScenarioElement> elements_;
  std::vector<ValuePlace> places_;
  std::map<std::string, int, std::less<>> host_lines_;
  std::map<std::string, int, std::less<>> zone_lines_;
};

}  // namespace dipaco
