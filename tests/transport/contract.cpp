#include "tests/transport/contract.hpp"

#include <numeric>

namespace dipaco::contract {
namespace {

Message numbered(std::int32_t number) { return make_message(ModuleReady{{0, 0}, Version{number}}); }

std::int32_t number_of(const Incoming& incoming) {
  return number(std::get<ModuleReady>(std::get<Envelope>(incoming).message.body).version);
}

Message with_values(std::size_t count) {
  std::vector<float> floats(count);
  std::iota(floats.begin(), floats.end(), 0.0F);
  return make_message(
      ModuleValues{{1, 2}, Version{3}, 1, {std::make_shared<const std::vector<float>>(std::move(floats)), count}});
}

std::string keeps_order(const RunNodes& run) {
  std::vector<std::int32_t> got;
  run({[](Transport& t, const Compute&) {
         for (std::int32_t k = 0; k < 50; ++k) {
           // Sizes differ, so that a backend which overtakes shows it.
           if (k % 7 == 0) t.send(NodeId{1}, with_values(20'000));
           t.send(NodeId{1}, numbered(k));
         }
       },
       [&](Transport& t, const Compute&) {
         while (got.size() < 50) {
           const auto incoming = t.receive(Seconds(-1));
           if (std::get<Envelope>(*incoming).message.kind() == MessageKind::module_ready)
             got.push_back(number_of(*incoming));
         }
       }});
  for (std::int32_t k = 0; k < 50; ++k) {
    if (got[static_cast<std::size_t>(k)] != k) return "message " + std::to_string(k) + " came out of order";
  }
  return "";
}

std::string carries_values(const RunNodes& run) {
  std::string problem = "nothing came";
  run({[](Transport& t, const Compute&) { t.send(NodeId{1}, with_values(1000)); },
       [&](Transport& t, const Compute&) {
         const auto incoming = t.receive(Seconds(-1));
         const auto& envelope = std::get<Envelope>(*incoming);
         const auto& values = std::get<ModuleValues>(envelope.message.body);
         const bool same = values.parameters.data->size() == 1000 && values.parameters.data->at(999) == 999.0F;
         problem = !same ? "values changed on the way" : envelope.from != NodeId{0} ? "the sender is wrong" : "";
       }});
  return problem;
}

std::string delivers_to_self(const RunNodes& run) {
  std::int32_t got = 0;
  run({[&](Transport& t, const Compute&) {
    t.send(t.self(), numbered(41));
    got = number_of(*t.receive(Seconds(-1)));
  }});
  return got == 41 ? "" : "a message to oneself did not come";
}

std::string times_out(const RunNodes& run) {
  bool nothing = false;
  bool later = false;
  double waited = 0;
  run({[&](Transport& t, const Compute& clock) {
         const Seconds before = clock.now();
         nothing = !t.receive(Seconds(0.2)).has_value();
         waited = (clock.now() - before).count();
         t.send(NodeId{1}, numbered(1));
         later = t.receive(Seconds(60)).has_value();  // a timeout harms nothing that comes after it
       },
       [](Transport& t, const Compute&) {
         const auto asked = t.receive(Seconds(-1));
         t.send(NodeId{0}, numbered(number_of(*asked)));
       }});
  if (!nothing || !later) return "a receive after a timeout did not work";
  return waited >= 0.2 ? "" : "the timeout came early";
}

std::string takes_an_empty_wait(const RunNodes& run) {
  bool nothing = false;
  run({[&](Transport& t, const Compute&) { nothing = !t.receive(Seconds(0)).has_value(); }});
  return nothing ? "" : "an empty inbox gave something";
}

std::string keeps_what_comes_first(const RunNodes& run) {
  std::int32_t sum = 0;
  run({[](Transport& t, const Compute&) { t.send(NodeId{2}, numbered(1)); },
       [](Transport& t, const Compute&) { t.send(NodeId{2}, numbered(2)); },
       [&](Transport& t, const Compute&) {
         t.receive(Seconds(0.1));  // whatever is there or not there yet
         sum = 0;
         t.send(NodeId{2}, numbered(4));
         for (int k = 0; k < 2; ++k) {
           if (const auto incoming = t.receive(Seconds(5))) sum += number_of(*incoming);
         }
       }});
  return sum >= 5 ? "" : "messages that lay in the inbox were lost";
}

}  // namespace

std::vector<Case> transport_cases() {
  return {{"messages of a pair of nodes come in the order they were sent", keeps_order},
          {"values and sender arrive unchanged", carries_values},
          {"a node may send to itself", delivers_to_self},
          {"a receive gives up after its timeout and not before", times_out},
          {"a wait of nothing gives nothing", takes_an_empty_wait},
          {"messages wait in the inbox until they are taken", keeps_what_comes_first}};
}

}  // namespace dipaco::contract
