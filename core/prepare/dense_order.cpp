#include "core/prepare/dense_order.hpp"

#include "core/prepare/dense_layout.hpp"

namespace dipaco {

DenseOrder::DenseOrder(const RunConfig& config, const PathLayout& layout, const Trainer& trainer,
                       const PrepareOptions& options)
    : config_(config), trainer_(trainer), options_(options), layout_(dense_layout(config.model)) {
  if (same_order(layout, layout_)) return;
  own_ = options.make_trainer({.model = config.model, .inner = config.inner, .layout = layout_});
}

Preparation DenseOrder::preparation(Missing missing) const {
  return {.config = config_,
          .layout = layout_,
          .trainer = own_ ? *own_ : trainer_,
          .options = options_,
          .missing = missing};
}

}  // namespace dipaco
