// Loops of ggml that pass numbers through half precision: see native/patches/21-half-precision.patch.

#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "ggml-cpu.h"
#include "ggml-impl.h"
#include "vec.h"

// y[i] = GELU(x[i]) with the bits of ggml_vec_gelu_f32: a table of half-precision numbers, and no table beyond ±10.
static inline void earshot_gelu(const float* x, float* y, int64_t n) {
  constexpr int64_t kPart = 256;
  ggml_fp16_t halves[kPart];
  float part[kPart];
  for (int64_t from = 0; from < n; from += kPart) {
    const int64_t count = std::min(kPart, n - from);
    ggml_cpu_fp32_to_fp16(x + from, halves, count);
    for (int64_t i = 0; i < count; ++i) halves[i] = ggml_table_gelu_f16[halves[i]];
    ggml_cpu_fp16_to_fp32(halves, part, count);
    // Both comparisons are always made, so that a compiler can vectorize them.
    for (int64_t i = 0; i < count; ++i) {
      const float number = x[from + i];
      const float positive = number >= 10.0F ? number : part[i];
      part[i] = number <= -10.0F ? 0.0F : positive;
    }
    // `x` and `y` may be the same.
    memcpy(y + from, part, count * sizeof(float));
  }
}

// Rows of `numbers` half-precision numbers for a convolution along one dimension.
struct earshot_windows {
  static constexpr int64_t kCount = 64;
  static constexpr int64_t kMaxStride = 4;
  static constexpr int64_t kMaxWidth = 16;

  int64_t stride;   // between the beginnings of two windows
  int64_t width;    // of a window
  int64_t numbers;  // of all channels' windows

  // Writes `count` windows of a channel; `WIDTH` is the width where it is known when compiled, or 0.
  template <int WIDTH>
  void write(const ggml_fp16_t* part, int64_t count, ggml_fp16_t* to) const {
    for (int64_t i = 0; i < count; ++i) {
      for (int64_t k = 0; k < (WIDTH > 0 ? WIDTH : width); ++k) to[i * numbers + k] = part[i * stride + k];
    }
  }
};

// Computes an im2col of floats along one dimension, many positions at a time; false if it is of another kind.
static inline bool earshot_im2col(const ggml_compute_params* params, ggml_tensor* dst) {
  const ggml_tensor* input = dst->src[1];
  int32_t options[7];  // strides, paddings and dilations of both dimensions, and whether there are two
  memcpy(options, dst->op_params, sizeof options);
  const earshot_windows windows{options[0], dst->src[0]->ne[0], dst->ne[0]};
  if (options[6] == 1 || options[4] != 1 || input->type != GGML_TYPE_F32 || dst->type != GGML_TYPE_F16 || input->nb[0] != sizeof(float) ||
      windows.stride > earshot_windows::kMaxStride || windows.width > earshot_windows::kMaxWidth) {
    return false;
  }
  const int64_t channels = input->ne[1];
  const int64_t blocks = (dst->ne[1] + earshot_windows::kCount - 1) / earshot_windows::kCount;
  for (int64_t block = params->ith; block < blocks * input->ne[2]; block += params->nth) {
    const int64_t first = block % blocks * earshot_windows::kCount;
    const int64_t count = std::min(earshot_windows::kCount, dst->ne[1] - first);
    const int64_t start = first * windows.stride - options[2];
    const int64_t length = (count - 1) * windows.stride + windows.width;
    // Zeros stand for what lies before and behind the input.
    const int64_t from = std::min(length, std::max<int64_t>(0, -start));
    const int64_t to = std::max(from, std::min(length, input->ne[0] - start));
    ggml_fp16_t part[earshot_windows::kCount * earshot_windows::kMaxStride + earshot_windows::kMaxWidth] = {};
    ggml_fp16_t* out = static_cast<ggml_fp16_t*>(dst->data) + (block / blocks * dst->ne[1] + first) * windows.numbers;
    for (int64_t channel = 0; channel < channels; ++channel, out += windows.width) {
      const char* row = static_cast<const char*>(input->data) + block / blocks * input->nb[2] + channel * input->nb[1];
      ggml_cpu_fp32_to_fp16(reinterpret_cast<const float*>(row) + start + from, part + from, to - from);
      if (windows.width == 3) windows.write<3>(part, count, out);
      else windows.write<0>(part, count, out);
    }
  }
  return true;
}
