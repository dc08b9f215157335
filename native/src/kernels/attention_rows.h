// Row functions for ggml's tiled flash attention: see native/patches/01-vectorize-attention-rows.patch.

#pragma once

#include <cstdint>

#include "ggml-cpu.h"
#include "row_max.h"

// Converts `n` half-precision numbers to floats, `stride` apart.
static inline void earshot_scatter_f16(const ggml_fp16_t * x, float * y, int64_t n, int64_t stride) {
  constexpr int64_t kPart = 64;
  float part[kPart];
  for (int64_t from = 0; from < n; from += kPart) {
    const int64_t count = n - from < kPart ? n - from : kPart;
    ggml_cpu_fp16_to_fp32(x + from, part, count);
    for (int64_t i = 0; i < count; ++i) y[(from + i) * stride] = part[i];
  }
}
