// 8-bit weights (q8_0), packed, with AVX2 or AVX-VNNI: see packed_weights.h, which includes this file. A group is two vectors.

#pragma once

#include <immintrin.h>

#if defined(__AVXVNNI__)
// Four numbers of each row at a time, biased by 128 to be unsigned.
struct earshot_q8_product {
  static constexpr int64_t kStep = 4;
  static constexpr int kBias = 128;
  using Number = int8_t;

  static __m256i weights(const uint8_t* from) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)); }
  static __m256i add(__m256i sum, __m256i w, __m256i x) { return _mm256_dpbusd_avx_epi32(sum, w, x); }
};
#else
// Two numbers of each row at a time, widened to 16 bits: products of 8-bit numbers would need the sign of each moved first.
struct earshot_q8_product {
  static constexpr int64_t kStep = 2;
  static constexpr int kBias = 0;
  using Number = int16_t;

  static __m256i weights(const uint8_t* from) {
    return _mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
  }
  static __m256i add(__m256i sum, __m256i w, __m256i x) { return _mm256_add_epi32(sum, _mm256_madd_epi16(w, x)); }
};
#endif

// A block of 16 rows in the space of 16 blocks: a few numbers of each row in turn.
struct earshot_q8_group {
  ggml_half d[kEarshotGroup];
  uint8_t qs[kEarshotGroup * QK8_0];
};
static_assert(sizeof(earshot_q8_group) == kEarshotGroup * sizeof(block_q8_0), "a group has the size of its rows");

// A block of a column: what block_q8_0 has, and the sum that takes the weights' bias back.
struct earshot_q8_column {
  float d;
  int32_t start;
  earshot_q8_product::Number qs[QK8_0];
};

struct earshot_q8 {
  static constexpr ggml_type kType = GGML_TYPE_Q8_0;
  // With six columns, their sums of integers, the weights and a column's numbers fit into the 16 registers.
  static constexpr int kTileGroups = 1;
  static constexpr int kTileColumns = 6;
  static constexpr int kLanes = 8;
  static constexpr int kVectors = kEarshotGroup / kLanes;
  using Product = earshot_q8_product;

  static size_t column_size(int64_t numbers) { return numbers / QK8_0 * sizeof(earshot_q8_column); }

  // Rounds a column to 8 bits exactly as ggml does.
  static void prepare(const float* x, int64_t numbers, void* column) {
    auto* to = static_cast<earshot_q8_column*>(column);
    constexpr int64_t kPart = 16;
    block_q8_0 part[kPart];
    for (int64_t from = 0; from < numbers / QK8_0; from += kPart) {
      const int64_t count = std::min(kPart, numbers / QK8_0 - from);
      quantize_row_q8_0(x + from * QK8_0, part, count * QK8_0);
      for (int64_t i = 0; i < count; ++i) {
        earshot_q8_column& block = to[from + i];
        block.d = GGML_CPU_FP16_TO_FP32(part[i].d);
        int32_t sum = 0;
        for (int64_t n = 0; n < QK8_0; ++n) {
          block.qs[n] = part[i].qs[n];
          sum += part[i].qs[n];
        }
        block.start = -Product::kBias * sum;
      }
    }
  }

  static void pack(const void* rows, int64_t numbers, void* group) {
    const auto* from = static_cast<const block_q8_0*>(rows);
    auto* to = static_cast<earshot_q8_group*>(group);
    const int64_t blocks = numbers / QK8_0;
    for (int64_t block = 0; block < blocks; ++block, ++to) {
      for (int64_t lane = 0; lane < kEarshotGroup; ++lane) {
        const block_q8_0& source = from[lane * blocks + block];
        to->d[lane] = source.d;
        for (int64_t i = 0; i < QK8_0; ++i) to->qs[place(lane, i)] = static_cast<uint8_t>(source.qs[i] + Product::kBias);
      }
    }
  }

  static void unpack(const void* group, int64_t lane, int64_t numbers, float* y) {
    const auto* from = static_cast<const earshot_q8_group*>(group);
    for (int64_t i = 0; i < numbers; ++i) {
      const earshot_q8_group& block = from[i / QK8_0];
      const auto number = static_cast<int8_t>(block.qs[place(lane, i % QK8_0)] - Product::kBias);
      y[i] = static_cast<float>(number) * GGML_CPU_FP16_TO_FP32(block.d[lane]);
    }
  }

  // Where a row's number lies in a group.
  static int64_t place(int64_t lane, int64_t i) {
    return (i / Product::kStep * kEarshotGroup + lane) * Product::kStep + i % Product::kStep;
  }

  // The memory keeps up with it, so that nothing is fetched ahead.
  template <int GROUPS, int COLUMNS, bool FETCHES>
  static void multiply(const void* groups, const void* const* columns, int64_t numbers, float* const* out) {
    static_assert(GROUPS == 1, "a tile is one group");
    const auto* weights = static_cast<const earshot_q8_group*>(groups);
    const earshot_q8_column* x[COLUMNS];
    __m256 sums[COLUMNS][kVectors];
    for (int c = 0; c < COLUMNS; ++c) {
      x[c] = static_cast<const earshot_q8_column*>(columns[c]);
      for (int v = 0; v < kVectors; ++v) sums[c][v] = _mm256_setzero_ps();
    }
    for (int64_t block = 0; block < numbers / QK8_0; ++block) {
      __m256i dots[COLUMNS][kVectors];
      for (int c = 0; c < COLUMNS; ++c) {
        for (int v = 0; v < kVectors; ++v) dots[c][v] = _mm256_set1_epi32(x[c][block].start);
      }
#if defined(__GNUC__)
      // A loop would keep most sums in memory.
#pragma GCC unroll 16
#endif
      for (int64_t i = 0; i < QK8_0; i += Product::kStep) {
        __m256i w[kVectors];
        for (int v = 0; v < kVectors; ++v) w[v] = Product::weights(weights[block].qs + place(v * kLanes, i));
        for (int c = 0; c < COLUMNS; ++c) {
          int32_t few;
          memcpy(&few, x[c][block].qs + i, sizeof few);
          const __m256i several = _mm256_set1_epi32(few);
          for (int v = 0; v < kVectors; ++v) {
            dots[c][v] = Product::add(dots[c][v], w[v], several);
#if defined(__GNUC__)
            // GCC 12 would add in another order, for which the registers do not suffice.
            __asm__("" : "+x"(dots[c][v]));
#endif
          }
        }
      }
      for (int v = 0; v < kVectors; ++v) {
        const __m256 scale = _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(weights[block].d + v * kLanes)));
        for (int c = 0; c < COLUMNS; ++c) {
          const __m256 both = _mm256_mul_ps(scale, _mm256_set1_ps(x[c][block].d));
          sums[c][v] = _mm256_fmadd_ps(_mm256_cvtepi32_ps(dots[c][v]), both, sums[c][v]);
        }
      }
    }
    for (int c = 0; c < COLUMNS; ++c) {
      for (int v = 0; v < kVectors; ++v) _mm256_storeu_ps(out[c] + v * kLanes, sums[c][v]);
    }
  }

  static float multiply_plain(const void* row, const void* column, int64_t numbers) {
    const auto* weights = static_cast<const block_q8_0*>(row);
    const auto* x = static_cast<const earshot_q8_column*>(column);
    float sum = 0;
    for (int64_t block = 0; block < numbers / QK8_0; ++block) {
      int32_t dot = 0;
      for (int i = 0; i < QK8_0; ++i) dot += weights[block].qs[i] * x[block].qs[i];
      sum += GGML_CPU_FP16_TO_FP32(weights[block].d) * x[block].d * static_cast<float>(dot);
    }
    return sum;
  }
};
