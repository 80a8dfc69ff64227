#include "backends/sim/network/flows.hpp"

#include <utility>

#include "backends/sim/network/pair.hpp"

namespace dipaco {

namespace sg = simgrid::s4u;

Flows::Flows(Alarms& alarms, Seconds limit, std::function<void(Transfer& transfer, bool there)> ended)
    : alarms_(alarms), limit_(limit), ended_(std::move(ended)) {
  sg::Activity::on_completion_cb([this](const sg::Activity& activity) { over(activity); });
}

void Flows::start(Transfer& transfer) {
  transfer.flow = sg::Comm::sendto_init(transfer.pair->source, transfer.pair->target);
  transfer.flow->set_payload_size(transfer.envelope.message.wire_size.value);
  transfer.flow->set_data(&transfer);
  transfer.flow->start();
}

void Flows::over(const sg::Activity& activity) {
  auto* const transfer = activity.get_data<Transfer>();
  if (transfer == nullptr || transfer->flow.get() != &activity) return;
  last_ = std::exchange(transfer->flow, nullptr);
  const bool there = activity.get_state() == sg::Activity::State::FINISHED;
  if (!there) forget(last_);
  ended_(*transfer, there);
}

void Flows::cancel(sg::CommPtr flow) {
  if (flow == nullptr) return;
  flow->set_data(nullptr);
  flow->cancel();
  forget(std::move(flow));
}

void Flows::forget(sg::CommPtr flow) {
  forgotten_.push_back(std::move(flow));
  sweep_later();
}

void Flows::sweep_later() {
  if (sweeping_) return;
  sweeping_ = true;
  alarms_.after(limit_, [this] {
    sweeping_ = false;
    long_forgotten_ = std::exchange(forgotten_, {});
    if (!long_forgotten_.empty()) sweep_later();
  });
}

}  // namespace dipaco
