#include "tests/page/browser.hpp"

#include <sys/wait.h>

#include <catch2/catch.hpp>
#include <cstdio>
#include <sstream>
#include <utility>

#include "core/base/file.hpp"
#include "tests/support/temporary_folder.hpp"

namespace dipaco::testing {
namespace {

std::string unescaped(std::string text) {
  for (const auto& [from, to] : {std::pair("&lt;", "<"), std::pair("&gt;", ">"), std::pair("&amp;", "&")}) {
    for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + 1)) {
      text.replace(at, std::string_view(from).size(), to);
    }
  }
  return text;
}

}  // namespace

std::string said_by(const std::string& command) {
  FILE* pipe = ::popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string text;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) text += static_cast<char>(c);
  INFO(command);
  REQUIRE(WEXITSTATUS(::pclose(pipe)) == 0);
  return text;
}

Opened open_in_browser(const std::filesystem::path& page) {
  if (std::system("command -v chromium >/dev/null") != 0) {
    FAIL("chromium is not installed: bash scripts/setup.sh --tests installs it");
  }
  const TemporaryFolder folder;
  const auto errors = folder.path() / "errors";
  const std::string dom = said_by(
      "HOME=" + folder.path().string() + " timeout 60 chromium --headless --no-sandbox --disable-gpu --user-data-dir=" +
      (folder.path() / "profile").string() + " --enable-logging=stderr --host-resolver-rules='MAP * ~NOTFOUND' " +
      "--window-size=1280,900 --dump-dom 'file://" + page.string() + "#self-test' 2>" + errors.string());
  Opened opened;
  std::istringstream lines(read_text(errors));
  for (std::string line; std::getline(lines, line);) {
    if (line.find("CONSOLE") != std::string::npos) opened.console += line + "\n";
  }
  const std::string begin = "<pre id=\"self-test\">";
  const auto at = dom.find(begin);
  INFO(opened.console);
  REQUIRE(at != std::string::npos);
  opened.self_test =
      nlohmann::json::parse(unescaped(dom.substr(at + begin.size(), dom.find("</pre>", at) - at - begin.size())));
  return opened;
}

}  // namespace dipaco::testing
