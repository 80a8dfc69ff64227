#include "backends/gloo/reports.hpp"

#include <algorithm>
#include <utility>

#include "core/base/bytes.hpp"
#include "core/base/error.hpp"
#include "core/base/file.hpp"

namespace dipaco {
namespace {

/// Events of one report: it has to fit a frame.
constexpr std::ptrdiff_t kMostEvents = 4096;

template <class Archive>
void bytes_of(Archive&& one, Traffic& traffic) {
  one(traffic.messages);
  one(traffic.wan.value);
  one(traffic.lan.value);
  for (Bytes& bytes : traffic.by_kind) one(bytes.value);
  for (std::uint64_t& messages : traffic.messages_by_kind) one(messages);
}

template <class Archive>
void bytes_of(Archive&& one, Event& event) {
  double time = event.time.count();
  double begin = event.begin.count();
  one(time);
  one(event.kind);
  one(event.detail);
  one(event.attempt);
  one(event.node);
  one(event.peer);
  one(event.path);
  one(event.module.level);
  one(event.module.expert);
  one(event.outer_step);
  one(event.version);
  one(event.inner_steps);
  one(begin);
  one(event.bytes);
  one(event.value);
  event.time = Seconds(time);
  event.begin = Seconds(begin);
}

struct SitePair {
  SiteId from{};
  SiteId to{};
  SiteTraffic traffic;
};

template <class Archive>
void bytes_of(Archive&& one, SitePair& pair) {
  one(pair.from);
  one(pair.to);
  one(pair.traffic.sent.value);
  one(pair.traffic.came);
  one(pair.traffic.came_bytes.value);
  for (Seconds* const time : {&pair.traffic.moving, &pair.traffic.waited, &pair.traffic.longest_wait}) {
    double seconds = time->count();
    one(seconds);
    *time = Seconds(seconds);
  }
}

void check_event(const Event& event, ByteReader& reader) {
  if (event.kind > EventKind::transfer) reader.fail("unknown kind of event");
  const bool of_message = event.kind == EventKind::transfer || event.kind == EventKind::message_refused;
  if (of_message && event.detail >= kMessageKinds) reader.fail("unknown kind of message");
}

}  // namespace

std::vector<std::byte> encode(const Report& report) {
  ByteWriter writer;
  const auto one = [&](auto value) { writer.value(value); };
  one(report.incarnation);
  one(report.number);
  one(report.time.count());
  Traffic traffic = report.traffic;
  bytes_of(one, traffic);
  one(static_cast<std::uint32_t>(traffic.by_sites.size()));
  for (const auto& [sites, crossed] : traffic.by_sites) {
    SitePair pair{sites.first, sites.second, crossed};
    bytes_of(one, pair);
  }
  one(static_cast<std::uint32_t>(report.events.size()));
  for (Event event : report.events) bytes_of(one, event);
  return writer.take();
}

Report decode_report(std::span<const std::byte> bytes, const std::string& source) {
  ByteReader reader(bytes, source);
  const auto one = [&](auto& value) { value = reader.value<std::remove_reference_t<decltype(value)>>(); };
  Report report;
  one(report.incarnation);
  one(report.number);
  report.time = Seconds(reader.value<double>());
  bytes_of(one, report.traffic);
  for (auto left = reader.value<std::uint32_t>(); left > 0; --left) {
    SitePair pair;
    bytes_of(one, pair);
    report.traffic.by_sites[{pair.from, pair.to}] = pair.traffic;
  }
  for (auto left = reader.value<std::uint32_t>(); left > 0; --left) {
    bytes_of(one, report.events.emplace_back());
    check_event(report.events.back(), reader);
  }
  if (reader.remaining() != 0) reader.fail("it is too long");
  return report;
}

Reporter::Reporter(std::int32_t incarnation, const Traffic& traffic, Deliver deliver, const ReportPace& pace)
    : next_{.incarnation = incarnation}, traffic_(traffic), deliver_(std::move(deliver)), pace_(pace) {}

Seconds Reporter::deliver_due(Seconds now) {
  const Seconds idle = pace_.at_least.value_or(Seconds(-1));
  if (next_.events.empty() && !pace_.at_least) return idle;
  const Seconds due = delivered_at_ + (next_.events.empty() ? idle : pace_.between);
  if (std::ssize(next_.events) < kMostEvents && now < due) return due - now;
  deliver(now);
  return idle;
}

void Reporter::deliver(Seconds now) {
  std::vector<Event> events = std::exchange(next_.events, {});
  auto first = events.begin();
  do {
    const auto last = first + std::min<std::ptrdiff_t>(kMostEvents, events.end() - first);
    next_.events.assign(first, last);
    next_.traffic = traffic_;
    next_.time = now;
    ++next_.number;
    deliver_(next_);
    first = last;
  } while (first != events.end());
  next_.events.clear();
  delivered_at_ = now;
}

std::optional<Incoming> ReportingTransport::receive(Seconds timeout) {
  const bool endless = timeout < Seconds(0);
  const Seconds until = now_() + timeout;
  while (true) {
    const Seconds now = now_();
    const Seconds due = reporter_.deliver_due(now);
    const Seconds left = std::max(until - now, Seconds(0));
    const Seconds wait = endless ? due : due < Seconds(0) ? left : std::min(left, due);
    auto incoming = inner_.receive(wait);
    if (incoming && roll_ != nullptr) roll_->note(*incoming, now_());
    if (incoming || (!endless && now_() >= until)) return incoming;
  }
}

InnerSteps ReportingCompute::run(InnerSteps steps, Flops cost_of_one, const Work& work,
                                 std::optional<Seconds> reserve) {
  const Seconds began = now();
  if (!lasted_ || *lasted_ >= ReportPace{}.between) reporter_.deliver(began);
  const InnerSteps done = inner_.run(steps, cost_of_one, work, reserve);
  lasted_ = now() - began;
  return done;
}

ReportBook::ReportBook(std::filesystem::path file) : file_(std::move(file)) {
  if (std::filesystem::exists(file_)) {
    const auto bytes = read_file(file_);
    ByteReader reader(bytes, file_.string());
    std::size_t whole = 0;
    while (reader.remaining() >= sizeof(std::uint32_t) + sizeof(NodeId)) {
      const auto size = reader.value<std::uint32_t>();
      const auto from = reader.value<NodeId>();
      if (reader.remaining() < size) break;  // the process ended in the middle of it
      note(from, decode_report(reader.raw(size), file_.string()));
      whole = bytes.size() - reader.remaining();
    }
    std::filesystem::resize_file(file_, whole);
  }
  out_.open(file_, std::ios::binary | std::ios::app);
  if (!out_) throw DataError(file_.string() + ": cannot be written; check the folder's space and permissions");
}

bool ReportBook::note(NodeId from, const Report& report) {
  Incarnation& node = nodes_[{from, report.incarnation}];
  if (report.number <= node.last) return false;
  node.last = report.number;
  node.traffic = report.traffic;
  roll_.until = std::max(roll_.until, report.time);
  for (const Event& event : report.events) {
    events_.add(event);
    roll_.note(event, from, report.incarnation);
    ++counts_[event.kind];
    if (event.kind == EventKind::task_computed) computed_ += event.inner_steps;
  }
  return true;
}

void ReportBook::keep(NodeId from, const Report& report) {
  const std::lock_guard lock(mutex_);
  if (!note(from, report)) return;
  const auto bytes = encode(report);
  ByteWriter writer;
  writer.value(static_cast<std::uint32_t>(bytes.size()));
  writer.value(from);
  writer.raw(bytes);
  const auto record = writer.take();
  out_.write(reinterpret_cast<const char*>(record.data()), static_cast<std::streamsize>(record.size()));
  out_.flush();
  if (!out_) throw DataError(file_.string() + ": cannot be written; is the disk full?");
}

std::vector<Event> ReportBook::events() const {
  const std::lock_guard lock(mutex_);
  std::vector<Event> events = events_.events();
  std::ranges::stable_sort(events, {}, &Event::time);
  return events;
}

Traffic ReportBook::traffic() const {
  Traffic all;
  for (const auto& [node, traffic] : traffic_by_node()) all += traffic;
  return all;
}

std::int64_t ReportBook::inner_steps_computed() const {
  const std::lock_guard lock(mutex_);
  return computed_;
}

std::int64_t ReportBook::count_of(EventKind kind) const {
  const std::lock_guard lock(mutex_);
  const auto found = counts_.find(kind);
  return found == counts_.end() ? 0 : found->second;
}

Roll ReportBook::roll() const {
  const std::lock_guard lock(mutex_);
  return roll_;
}

std::optional<Roll::Presence> ReportBook::presence(NodeId node) const {
  const std::lock_guard lock(mutex_);
  const auto found = roll_.nodes.find(node);
  return found == roll_.nodes.end() ? std::nullopt : std::optional(found->second);
}

std::map<NodeId, Traffic> ReportBook::traffic_by_node() const {
  const std::lock_guard lock(mutex_);
  std::map<NodeId, Traffic> by_node;
  for (const auto& [key, node] : nodes_) by_node[key.first] += node.traffic;
  return by_node;
}

}  // namespace dipaco
