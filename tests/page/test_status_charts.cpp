#include <catch2/catch.hpp>
#include <cstdlib>
#include <string>

#include "backends/gloo/status/metrics_server.hpp"
#include "backends/gloo/status/status_history.hpp"
#include "core/base/file.hpp"
#include "tests/gloo/status/made_up_status.hpp"
#include "tests/page/browser.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace dipaco;
using namespace dipaco::testing;

namespace {

/// The made-up run at second `at`.
Status status_at(double at) {
  Status status = made_up_status();
  status.progress.now = Seconds(at);
  status.progress.loss = 4 - at / 1000;
  status.progress.inner_steps = static_cast<std::int64_t>(at * (2 + at / 100));
  status.traffic.by_sites[{SiteId{1}, SiteId{0}}].sent = {static_cast<std::uint64_t>(3000 * at)};
  return status;
}

}  // namespace

TEST_CASE("the status page of a run draws loss, throughput and links, without an error", "[page]") {
  StatusHistory history;
  for (int at = 1; at <= 90; ++at) history.add(status_at(at));
  const MetricsServer server({"127.0.0.1", 0}, made_up_status, {}, [&] { return history.json(); });
  const TemporaryFolder folder;
  const auto errors = folder.path() / "errors";
  const std::string dom = said_by(
      "HOME=" + folder.path().string() + " timeout 60 chromium --headless --no-sandbox --disable-gpu --user-data-dir=" +
      (folder.path() / "profile").string() + " --enable-logging=stderr --virtual-time-budget=4000 --dump-dom " +
      "'http://127.0.0.1:" + std::to_string(server.port()) + "/' 2>" + errors.string());
  const std::string log = read_text(errors);
  INFO(log);
  CHECK(log.find("CONSOLE") == std::string::npos);
  CHECK(dom.find("<section id=\"charts\">") != std::string::npos);  // no longer hidden
  for (const char* const figure : {"loss_over_time", "steps_over_time", "rates_over_time"}) {
    const auto at = dom.find("<figure id=\"" + std::string(figure) + "\"");
    REQUIRE(at != std::string::npos);
    const std::string drawn = dom.substr(at, dom.find("</figure>", at) - at);
    CHECK(drawn.find("<canvas") != std::string::npos);
  }
  CHECK(dom.find("south to north") != std::string::npos);
}
