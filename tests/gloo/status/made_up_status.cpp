#include "tests/gloo/status/made_up_status.hpp"

namespace dipaco::testing {

Status made_up_status() {
  Status status;
  status.run_name = "tiny";
  status.roles = {Role::coordinator, Role::store};
  status.progress = {.now = Seconds(90.5),
                     .tasks_committed = 10,
                     .tasks = 20,
                     .inner_steps = 400,
                     .inner_steps_in_all = 800,
                     .outer_step = 2,
                     .loss = 3.25};
  status.progress.in_reserve = {"worker 2 on m1 (5 min 41 s a task, the outer step ends after 80 s)"};
  status.progress.slow_workers = {"worker 1 on m1 is slow: 3 s an inner step, 3.0 times as long as before, since 40 s"};
  status.outer_steps = 5;
  status.members = {
      {NodeId{0}, Role::coordinator, SiteId{0}, "north", "m0", "127.0.0.1:7000", true, false, Seconds(0), {1000}, 7},
      {NodeId{1}, Role::worker, SiteId{0}, "north", "m1", "127.0.0.1:7001", true, false, Seconds(1.5), {2'000'000}, 30},
      {NodeId{2}, Role::worker, SiteId{1}, "south", "m2", "127.0.0.1:7002", false, false, Seconds(60.5), {500}, 2}};
  status.waiting_for = {"path 3, outer step 2: worker 2 (m2, site south) for 12 s"};
  status.traffic.count(MessageKind::task, {600}, SiteId{0}, SiteId{0});
  status.traffic.count(MessageKind::task, {400}, SiteId{0}, SiteId{1});
  status.traffic.count(MessageKind::outer_gradient, {2'000'000}, SiteId{1}, SiteId{0});
  status.traffic.by_sites[{SiteId{1}, SiteId{0}}].arrived(Bytes{1'500'000}, Seconds(3), Seconds(4));
  status.traffic.by_sites[{SiteId{1}, SiteId{0}}].arrived(Bytes{500'000}, Seconds(1), Seconds(0.5));
  status.queues[{SiteId{0}, SiteId{1}}] = {.messages = 3, .left = Bytes{7'000'000}, .oldest = Seconds(12.5)};
  status.queues_elsewhere[{SiteId{1}, SiteId{0}}] = {.messages = 2, .left = Bytes{4'000'000}, .oldest = Seconds(3.5)};
  status.step_tokens = 512;
  status.inner_steps_useful = 1000;
  status.inner_steps_lost = 250;
  status.states_refused = 3;
  status.messages_refused = 4;
  const Stall stood{.stream = 1, .receives = true, .stood = Seconds(10.5), .chunks = 7, .bytes = 12345, .owed = 3};
  status.stalled = {{NodeId{0}, NodeId{1}, 2, stood, Seconds(60.5)}};
  return status;
}

std::string bad_name() { return "a\"b\\c\nd}e <script>alert('x')</script> & \xC3\xA9\xFF"; }

}  // namespace dipaco::testing
