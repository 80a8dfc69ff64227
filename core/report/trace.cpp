#include "core/report/trace.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>

#include "core/base/csv_writer.hpp"
#include "core/report/csv_files.hpp"
#include "core/report/json_text.hpp"
#include "core/report/trace_slices.hpp"

namespace dipaco {
namespace {

class Writer {
 public:
  Writer(const RunFacts& facts, const std::vector<Event>& events, const Account& account, const TraceSlices& trace,
         std::size_t stretches)
      : facts_(facts), events_(events), account_(account), trace_(trace), stretches_(stretches) {
    std::int64_t track = 0;
    for (const std::uint32_t lanes : trace.lanes) {
      first_track_.push_back(++track);
      track += lanes;
    }
    path_track_ = track + 1;
  }

  std::string write() {
    text_.reserve(trace_.slices.size() * 150 + 4096);
    text_ += "{\"displayTimeUnit\":\"ms\",\"otherData\":{\"run\":";
    append_json(text_, facts_.name);
    text_ += facts_.simulated ? ",\"clock\":\"simulated time\"" : ",\"clock\":\"elapsed time\"";
    text_ += ",\"slices\":";
    number(static_cast<std::int64_t>(trace_.slices.size()));
    text_ += ",\"left_out\":";
    number(trace_.left_out);
    text_ += "},\"traceEvents\":[";
    name_processes();
    name_tracks();
    std::int64_t last = 0;
    for (const Slice& one : trace_.slices) {
      slice(one);
      last = std::max(last, one.begin);
    }
    if (stretches_ > 0) critical_path(trace_.left_out > 0 ? last : std::numeric_limits<std::int64_t>::max());
    if (trace_.left_out > 0) mark_cut(last);
    text_ += "\n]}\n";
    return std::move(text_);
  }

 private:
  void number(std::int64_t value) { append_number(text_, value); }

  /// Chrome's unit is the microsecond; three decimals keep the nanosecond.
  void microseconds(std::int64_t nanoseconds) {
    number(nanoseconds / 1000);
    const auto rest = static_cast<int>(nanoseconds % 1000);
    if (rest == 0) return;
    text_ += '.';
    for (const int digit : {rest / 100, rest / 10 % 10, rest % 10}) text_ += static_cast<char>('0' + digit);
  }

  void begin_event() {
    text_ += separator_;
    separator_ = ",\n";
  }

  void metadata(const char* what, std::int64_t process, std::int64_t track, const char* key) {
    begin_event();
    text_ += "{\"ph\":\"M\",\"name\":\"";
    text_ += what;
    text_ += "\",\"pid\":";
    number(process);
    text_ += ",\"tid\":";
    number(track);
    text_ += ",\"args\":{\"";
    text_ += key;
    text_ += "\":";
  }

  void name_processes() {
    for (std::size_t site = 0; site < facts_.sites.size(); ++site) {
      const auto process = static_cast<std::int64_t>(site) + 1;
      metadata("process_name", process, 0, "name");
      append_json(text_, facts_.sites[site]);
      text_ += "}}";
    }
  }

  std::int64_t process(std::size_t node) const { return std::int64_t{index(facts_.nodes[node].site)} + 1; }

  void name_tracks() {
    for (std::size_t node = 0; node < facts_.nodes.size(); ++node) {
      const NodeFacts& facts = facts_.nodes[node];
      const std::string who = std::string(name(facts.role)) + " " + std::to_string(index(facts.id)) + " @ " +
                              site_name(facts_, facts.site) + (facts.host.empty() ? "" : ", " + facts.host);
      for (std::uint32_t lane = 0; lane <= trace_.lanes[node]; ++lane) {
        const std::int64_t track = first_track_[node] + lane;
        metadata("thread_name", process(node), track, "name");
        append_json(text_, lane == 0 ? who : who + ": transfers " + std::to_string(lane));
        text_ += "}}";
        metadata("thread_sort_index", process(node), track, "sort_index");
        number(track);
        text_ += "}}";
      }
    }
  }

  /// Writes a slice up to its name; where it has no end, an instant.
  void open(std::int64_t process, std::int64_t track, std::int64_t begin, std::optional<std::int64_t> end) {
    begin_event();
    text_ += end ? "{\"ph\":\"X\",\"pid\":" : "{\"ph\":\"i\",\"s\":\"t\",\"pid\":";
    number(process);
    text_ += ",\"tid\":";
    number(track);
    text_ += ",\"ts\":";
    microseconds(begin);
    if (end) {
      text_ += ",\"dur\":";
      microseconds(*end - begin);
    }
    text_ += ",\"name\":\"";
  }

  void slice(const Slice& one) {
    open(process(one.node), first_track_[one.node] + one.lane, one.begin,
         one.kind == SliceKind::module ? std::nullopt : std::optional(one.end));
    content(one);
    text_ += '}';
  }

  /// The rest of a slice's name, and its arguments.
  void content(const Slice& one) {
    switch (one.kind) {
      case SliceKind::task:
        return task(account_.attempts[one.source]);
      case SliceKind::gather:
        return plain("gather");
      case SliceKind::inner_steps:
        return inner_steps("inner steps", account_.attempts[one.source]);
      case SliceKind::inner_steps_lost:
        return inner_steps("inner steps, lost", account_.attempts[one.source]);
      case SliceKind::store:
        return plain("store");
      case SliceKind::wait:
        return plain("wait");
      case SliceKind::down:
        return plain("down");
      case SliceKind::evaluate:
        return job(events_[one.source]);
      case SliceKind::transfer:
        return transfer(events_[one.source]);
      case SliceKind::module:
        return version(events_[one.source]);
    }
  }

  void plain(const char* rest) {
    text_ += rest;
    text_ += '"';
  }

  void job(const Event& event) {
    if (event.kind == EventKind::fitting_done) return plain("fit router");
    if (event.kind == EventKind::routing_done) return plain("route documents");
    text_ += event.kind == EventKind::remaking_done ? "make the gradient again of path " : "evaluate path ";
    number(index(event.path));
    plain("");
  }

  void task(const Attempt& attempt) {
    text_ += "path ";
    number(index(attempt.path));
    text_ += ", step ";
    number(dipaco::number(attempt.outer_step));
    text_ += "\",\"args\":{\"attempt\":";
    number(attempt.attempt);
    text_ += ",\"end\":\"";
    text_ += name(attempt.end);
    text_ += "\"}";
  }

  void inner_steps(const char* what, const Attempt& attempt) {
    text_ += what;
    text_ += "\",\"args\":{\"inner_steps\":";
    number(attempt.inner_steps);
    text_ += '}';
  }

  void transfer(const Event& event) {
    text_ += name(static_cast<MessageKind>(event.detail));
    text_ += "\",\"args\":{\"from\":";
    number(index(event.peer));
    text_ += ",\"to\":";
    number(index(event.node));
    text_ += ",\"bytes\":";
    number(static_cast<std::int64_t>(event.bytes));
    text_ += '}';
  }

  void version(const Event& event) {
    text_ += "module ";
    number(event.module.level);
    text_ += '.';
    number(event.module.expert);
    text_ += " version ";
    number(event.version);
    text_ += '"';
  }

  /// A process of its own. @param last  where the trace is cut
  void critical_path(std::int64_t last) {
    const auto process = static_cast<std::int64_t>(facts_.sites.size()) + 1;
    for (const char* what : {"process_name", "thread_name"}) {
      metadata(what, process, path_track_, "name");
      text_ += "\"critical path\"}}";
    }
    for (const CriticalStretch& one : std::span(account_.waits.critical_path).first(stretches_)) {
      const std::int64_t begin = nanoseconds(one.begin), end = nanoseconds(one.end);
      if (begin > last || begin >= end) continue;
      open(process, path_track_, begin, end);
      text_ += std::string(name(one.stage)) + "\",\"args\":{\"node\":" + std::to_string(index(one.node)) +
               ",\"path\":" + std::to_string(index(one.path)) + "}}";
    }
  }

  void mark_cut(std::int64_t last) {
    begin_event();
    text_ += "{\"ph\":\"i\",\"s\":\"g\",\"pid\":1,\"tid\":0,\"ts\":";
    microseconds(last);
    text_ += ",\"name\":\"cut here: ";
    number(trace_.left_out);
    text_ += " later slices are left out\"}";
  }

  const RunFacts& facts_;
  const std::vector<Event>& events_;
  const Account& account_;
  const TraceSlices& trace_;
  std::size_t stretches_;                  ///< of the critical path, that are shown
  std::vector<std::int64_t> first_track_;  ///< [nodes]
  std::int64_t path_track_ = 0;            ///< of the critical path
  std::string text_;
  const char* separator_ = "\n";
};

}  // namespace

std::string trace_json(const RunFacts& facts, const std::vector<Event>& events, const Account& account,
                       std::int64_t limit) {
  const std::int64_t stretches = std::min<std::int64_t>(std::ssize(account.waits.critical_path), limit / 10);
  const TraceSlices trace = trace_slices(facts, events, account, limit - stretches);
  return Writer(facts, events, account, trace, static_cast<std::size_t>(stretches)).write();
}

}  // namespace dipaco
