// Row functions for ggml's tiled flash attention: see native/patches/01-vectorize-attention-rows.patch.

#pragma once

#include <cstdint>

#include "ggml-cpu.h"
#include "row_max.h"

#if defined(__AVX2__) && defined(__F16C__)
#include <immintrin.h>

// Writes eight rows of eight half-precision numbers, `x_stride` bytes apart, as eight columns of floats, `y_stride` floats apart.
static inline void earshot_transpose_8x8(const char* x, int64_t x_stride, float* y, int64_t y_stride) {
  __m256 row[8];
  for (int i = 0; i < 8; ++i) row[i] = _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(x + i * x_stride)));
  __m256 pair[8];
  for (int i = 0; i < 8; i += 2) {
    pair[i] = _mm256_unpacklo_ps(row[i], row[i + 1]);
    pair[i + 1] = _mm256_unpackhi_ps(row[i], row[i + 1]);
  }
  __m256 four[8];
  for (int i = 0; i < 8; i += 4) {
    four[i] = _mm256_shuffle_ps(pair[i], pair[i + 2], 0x44);
    four[i + 1] = _mm256_shuffle_ps(pair[i], pair[i + 2], 0xEE);
    four[i + 2] = _mm256_shuffle_ps(pair[i + 1], pair[i + 3], 0x44);
    four[i + 3] = _mm256_shuffle_ps(pair[i + 1], pair[i + 3], 0xEE);
  }
  for (int i = 0; i < 4; ++i) {
    _mm256_storeu_ps(y + i * y_stride, _mm256_permute2f128_ps(four[i], four[i + 4], 0x20));
    _mm256_storeu_ps(y + (i + 4) * y_stride, _mm256_permute2f128_ps(four[i], four[i + 4], 0x31));
  }
}
#endif

// Converts `n` half-precision numbers to floats, `stride` apart.
static inline void earshot_scatter_f16(const ggml_fp16_t* x, float* y, int64_t n, int64_t stride) {
  constexpr int64_t kPart = 64;
  float part[kPart];
  for (int64_t from = 0; from < n; from += kPart) {
    const int64_t count = n - from < kPart ? n - from : kPart;
    ggml_cpu_fp16_to_fp32(x + from, part, count);
    for (int64_t i = 0; i < count; ++i) y[(from + i) * stride] = part[i];
  }
}

// Transposes `rows` rows of `n` half-precision numbers, `x_stride` bytes apart, into `n` rows of floats, `y_stride` floats apart.
static inline void earshot_transpose_f16(const char* x, int64_t x_stride, int64_t rows, int64_t n, float* y, int64_t y_stride) {
  int64_t row = 0;
#if defined(__AVX2__) && defined(__F16C__)
  if (n % 8 == 0) {
    for (; row + 8 <= rows; row += 8) {
      for (int64_t i = 0; i < n; i += 8) earshot_transpose_8x8(x + row * x_stride + i * 2, x_stride, y + i * y_stride + row, y_stride);
    }
  }
#endif
  for (; row < rows; ++row) earshot_scatter_f16(reinterpret_cast<const ggml_fp16_t*>(x + row * x_stride), y + row, n, y_stride);
}
