// Half-precision weights, packed, with AVX2: see packed_weights.h, which includes this file. Columns stay floats, and a group
// is two vectors.

#pragma once

#include <immintrin.h>

struct earshot_f16 {
  static constexpr ggml_type kType = GGML_TYPE_F16;
  // With six columns, their sums, the weights and a column's number fit into the 16 registers.
  static constexpr int kTileGroups = 1;
  static constexpr int kTileColumns = 6;
  static constexpr int kLanes = 8;
  static constexpr int kVectors = kEarshotGroup / kLanes;

  // Columns are used as they are.
  static size_t column_size(int64_t) { return 0; }
  static void prepare(const float*, int64_t, void*) {}

  // One number of each row in turn.
  static void pack(const void* rows, int64_t numbers, void* group) {
    const auto* from = static_cast<const ggml_fp16_t*>(rows);
    auto* to = static_cast<ggml_fp16_t*>(group);
    for (int64_t i = 0; i < numbers; ++i) {
      for (int64_t lane = 0; lane < kEarshotGroup; ++lane) to[i * kEarshotGroup + lane] = from[lane * numbers + i];
    }
  }

  static void unpack(const void* group, int64_t lane, int64_t numbers, float* y) {
    const auto* from = static_cast<const ggml_fp16_t*>(group);
    for (int64_t i = 0; i < numbers; ++i) y[i] = GGML_CPU_FP16_TO_FP32(from[i * kEarshotGroup + lane]);
  }

  template <int GROUPS, int COLUMNS, bool FETCHES>
  static void multiply(const void* groups, const void* const* columns, int64_t numbers, float* const* out) {
    static_assert(GROUPS == 1, "a tile is one group");
    const auto* weights = static_cast<const ggml_fp16_t*>(groups);
    // A sum alone would wait for itself, so a few columns have several.
    constexpr int kSums = COLUMNS == 1 ? 4 : COLUMNS < 4 ? 2 : 1;
    const float* x[COLUMNS];
    __m256 sums[kSums][COLUMNS][kVectors];
    for (int c = 0; c < COLUMNS; ++c) {
      x[c] = static_cast<const float*>(columns[c]);
      for (int s = 0; s < kSums; ++s) {
        for (int v = 0; v < kVectors; ++v) sums[s][c][v] = _mm256_setzero_ps();
      }
    }
    int64_t i = 0;
    for (; i + kSums <= numbers; i += kSums) {
      for (int s = 0; s < kSums; ++s) add<COLUMNS, FETCHES>(weights, numbers, x, i + s, sums[s]);
    }
    for (; i < numbers; ++i) add<COLUMNS, FETCHES>(weights, numbers, x, i, sums[0]);
    for (int c = 0; c < COLUMNS; ++c) {
      for (int v = 0; v < kVectors; ++v) {
        __m256 sum = sums[0][c][v];
        for (int s = 1; s < kSums; ++s) sum = _mm256_add_ps(sum, sums[s][c][v]);
        _mm256_storeu_ps(out[c] + v * kLanes, sum);
      }
    }
  }

  template <int COLUMNS, bool FETCHES>
  static inline void add(const ggml_fp16_t* weights, int64_t numbers, const float* const* x, int64_t i, __m256 (*sums)[kVectors]) {
    if (FETCHES && i % 2 == 0) _mm_prefetch(reinterpret_cast<const char*>(weights + (numbers + i) * kEarshotGroup), _MM_HINT_T0);
    __m256 w[kVectors];
    for (int v = 0; v < kVectors; ++v) {
      w[v] = _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(weights + i * kEarshotGroup + v * kLanes)));
    }
    for (int c = 0; c < COLUMNS; ++c) {
      const __m256 number = _mm256_broadcast_ss(x[c] + i);
      for (int v = 0; v < kVectors; ++v) sums[c][v] = _mm256_fmadd_ps(w[v], number, sums[c][v]);
    }
  }

  static float multiply_plain(const void* row, const void* column, int64_t numbers) {
    const auto* weights = static_cast<const ggml_fp16_t*>(row);
    const auto* x = static_cast<const float*>(column);
    float sum = 0;
    for (int64_t i = 0; i < numbers; ++i) sum += GGML_CPU_FP16_TO_FP32(weights[i]) * x[i];
    return sum;
  }
};
