// Rows of ggml's tiled flash attention (ggml-cpu/ops.cpp), which the encoder spends most of its time in. Three of its
// loops stay scalar: a running maximum, which no compiler may reorder without leave, and two conversions of half precision
// that go by table or by a function of the portable library. These give the same numbers, in vectors. CMakeLists.txt
// puts them, and the maximum of row_max.h, in the place of the originals.

#pragma once

#include <cstdint>

#include "ggml-cpu.h"
#include "row_max.h"

// Writes `n` half-precision numbers as floats, `stride` apart.
static inline void earshot_scatter_f16(const ggml_fp16_t * x, float * y, int64_t n, int64_t stride) {
  constexpr int64_t kPart = 64;
  float part[kPart];
  for (int64_t from = 0; from < n; from += kPart) {
    const int64_t count = n - from < kPart ? n - from : kPart;
    ggml_cpu_fp16_to_fp32(x + from, part, count);
    for (int64_t i = 0; i < count; ++i) y[(from + i) * stride] = part[i];
  }
}
