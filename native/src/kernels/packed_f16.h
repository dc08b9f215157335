// Half-precision weights, packed: see packed_weights.h, which includes this file. Columns stay floats.

#pragma once

#include <immintrin.h>

struct earshot_f16 {
  static constexpr ggml_type kType = GGML_TYPE_F16;
  // With six columns, their sums and the weights fit into the registers.
  static constexpr int kTileGroups = 4;
  static constexpr int kTileColumns = 6;

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

#if defined(EARSHOT_AMX)
  // Writes numbers of a group, from `first` on, as a panel of amx_tiles.h, whose two parts are all of a half-precision number.
  static void split(const void* group, int64_t first, int64_t numbers, char* panel) {
    const auto* from = static_cast<const ggml_fp16_t*>(group) + first * kEarshotGroup;
    const auto load = [&](int64_t i) {
      return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + i * kEarshotGroup)));
    };
    for (int64_t i = 0; i < numbers; i += 2) earshot_split_pair(load(i), load(i + 1), i, panel);
  }
#endif

  template <int GROUPS, int COLUMNS, bool FETCHES>
  static void multiply(const void* groups, const void* const* columns, int64_t numbers, float* const* out) {
    const auto* weights = static_cast<const ggml_fp16_t*>(groups);
    if constexpr (COLUMNS == 1) {
      for (int g = 0; g < GROUPS; ++g) {
        multiply_column(weights + g * numbers * kEarshotGroup, static_cast<const float*>(columns[0]), numbers, out[0] + g * kEarshotGroup);
      }
      return;
    }
    const float* x[COLUMNS];
    __m512 sums[GROUPS][COLUMNS];
    for (int c = 0; c < COLUMNS; ++c) {
      x[c] = static_cast<const float*>(columns[c]);
      for (int g = 0; g < GROUPS; ++g) sums[g][c] = _mm512_setzero_ps();
    }
    for (int64_t i = 0; i < numbers; ++i) {
      __m512 w[GROUPS];
      for (int g = 0; g < GROUPS; ++g) {
        const ggml_fp16_t* part = weights + (g * numbers + i) * kEarshotGroup;
        w[g] = _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(part)));
        if (FETCHES && i % 2 == 0) _mm_prefetch(reinterpret_cast<const char*>(part + GROUPS * numbers * kEarshotGroup), _MM_HINT_T0);
      }
      for (int c = 0; c < COLUMNS; ++c) {
        const __m512 number = _mm512_set1_ps(x[c][i]);
        for (int g = 0; g < GROUPS; ++g) sums[g][c] = _mm512_fmadd_ps(w[g], number, sums[g][c]);
      }
    }
    for (int c = 0; c < COLUMNS; ++c) {
      for (int g = 0; g < GROUPS; ++g) _mm512_storeu_ps(out[c] + g * kEarshotGroup, sums[g][c]);
    }
  }

  // One group with one column, four sums at a time: a sum alone would wait for itself.
  static void multiply_column(const ggml_fp16_t* weights, const float* x, int64_t numbers, float* out) {
    constexpr int kSums = 4;
    __m512 sums[kSums];
    for (__m512& sum : sums) sum = _mm512_setzero_ps();
    int64_t i = 0;
    const auto add = [&](int64_t at, __m512& sum) {
      const __m256i part = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(weights + at * kEarshotGroup));
      sum = _mm512_fmadd_ps(_mm512_cvtph_ps(part), _mm512_set1_ps(x[at]), sum);
    };
    for (; i + kSums <= numbers; i += kSums) {
      for (int s = 0; s < kSums; ++s) add(i + s, sums[s]);
    }
    for (; i < numbers; ++i) add(i, sums[0]);
    _mm512_storeu_ps(out, _mm512_add_ps(_mm512_add_ps(sums[0], sums[1]), _mm512_add_ps(sums[2], sums[3])));
  }

  static float multiply_plain(const void* row, const void* column, int64_t numbers) {
    const auto* weights = static_cast<const ggml_fp16_t*>(row);
    const auto* x = static_cast<const float*>(column);
    float sum = 0;
    for (int64_t i = 0; i < numbers; ++i) sum += GGML_CPU_FP16_TO_FP32(weights[i]) * x[i];
    return sum;
  }
};
