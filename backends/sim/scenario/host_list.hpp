#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dipaco {

/// Which hosts `text` names, in the order of `hosts` and each once. `text` is a list with commas of
///   all            every host
///   4              the first four of `hosts`
///   a100-3         one host
///   a100-[0-7].dc  the hosts a100-0.dc to a100-7.dc
/// @throws std::invalid_argument saying what is wrong with which part; the caller knows where it was written
std::vector<std::string> read_host_list(std::string_view text, const std::vector<std::string>& hosts);

}  // namespace dipaco
