#include "bench/rounds_shape.hpp"

#include <cstdlib>
#include <map>
#include <sstream>
#include <stdexcept>

namespace {

/// The command line's KEY=VALUE.
class Words {
 public:
  Words(int argc, char** argv) {
    for (int i = 2; i < argc; ++i) {
      const std::string word = argv[i];
      const auto equals = word.find('=');
      if (equals != std::string::npos) values_[word.substr(0, equals)] = word.substr(equals + 1);
    }
  }
  const std::string& text(const std::string& key) const {
    const auto found = values_.find(key);
    if (found == values_.end())
      throw std::invalid_argument("bare_rounds: say " + key + "=...; its source has all keys");
    return found->second;
  }
  double number(const std::string& key) const { return std::strtod(text(key).c_str(), nullptr); }
  double number_or_0(const std::string& key) const { return values_.contains(key) ? number(key) : 0; }
  std::uint64_t bytes(const std::string& key) const { return static_cast<std::uint64_t>(number(key + "_bytes")); }
  std::uint64_t second_module_bytes() const {
    return bytes(values_.contains("second_module_bytes") ? "second_module" : "module");
  }
  int count(const std::string& key) const { return static_cast<int>(number(key)); }
  std::vector<std::string> list(const std::string& key, char separator) const {
    std::vector<std::string> parts;
    std::istringstream all(text(key));
    for (std::string part; std::getline(all, part, separator);) parts.push_back(part);
    return parts;
  }

 private:
  std::map<std::string, std::string> values_;
};

}  // namespace

Shape read_shape(int argc, char** argv) {
  const Words words(argc, argv);
  const auto experts = words.list("experts", 'x');
  return {.rounds = words.count("rounds"),
          .first_experts = std::stoi(experts.at(0)),
          .second_experts = std::stoi(experts.at(1)),
          .sites = words.list("sites", ','),
          .workers = words.count("workers"),
          .executors = words.count("executors"),
          .executor = words.count("executor"),
          .store = words.count("store"),
          .bytes = {.module = words.bytes("module"),
                    .second_module = words.second_module_bytes(),
                    .state = words.bytes("state"),
                    .task = words.bytes("task"),
                    .stored = words.bytes("stored"),
                    .committed = words.bytes("committed"),
                    .done = words.bytes("done"),
                    .ready = words.bytes("ready")},
          .flops = words.number("flops"),
          .disk = words.number_or_0("disk"),
          .intake = words.number_or_0("intake")};
}
