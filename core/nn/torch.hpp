#pragma once

// What of LibTorch core/nn uses: precompiled, as it takes longer to read than all of our files together.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <torch/csrc/autograd/custom_function.h>
