// 8-bit weights (q8_0), packed: see packed_weights.h, which includes this file.

#pragma once

#include <immintrin.h>

// Numbers of a row that one instruction multiplies with those of a column.
constexpr int64_t kEarshotStep = 4;
constexpr int64_t kEarshotSteps = QK8_0 / kEarshotStep;

// A block of 16 rows in the space of 16 blocks: four numbers of each row in turn, biased by 128 to be unsigned.
struct earshot_q8_group {
  ggml_half d[kEarshotGroup];
  uint8_t qs[kEarshotGroup * QK8_0];
};
static_assert(sizeof(earshot_q8_group) == kEarshotGroup * sizeof(block_q8_0), "a group has the size of its rows");

// A block of a column: what block_q8_0 has, and the sum that takes the weights' bias back.
struct earshot_q8_column {
  float d;
  int32_t start;
  int8_t qs[QK8_0];
};

struct earshot_q8 {
  static constexpr ggml_type kType = GGML_TYPE_Q8_0;
  // Six columns would fit into the registers, too, but take a fifth more time for each: decision 004.
  static constexpr int kTileGroups = 2;
  static constexpr int kTileColumns = 5;

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
        memcpy(block.qs, part[i].qs, QK8_0);
        int32_t sum = 0;
        for (const int8_t number : block.qs) sum += number;
        block.start = -128 * sum;
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
        for (int64_t step = 0; step < kEarshotSteps; ++step) {
          uint32_t four;
          memcpy(&four, source.qs + step * kEarshotStep, sizeof four);
          four ^= 0x80808080U;
          memcpy(to->qs + (step * kEarshotGroup + lane) * kEarshotStep, &four, sizeof four);
        }
      }
    }
  }

  static void unpack(const void* group, int64_t lane, int64_t numbers, float* y) {
    const auto* from = static_cast<const earshot_q8_group*>(group);
    for (int64_t i = 0; i < numbers; ++i) {
      const earshot_q8_group& block = from[i / QK8_0];
      const int64_t at = (i % QK8_0 / kEarshotStep * kEarshotGroup + lane) * kEarshotStep + i % kEarshotStep;
      y[i] = static_cast<float>(block.qs[at] - 128) * GGML_CPU_FP16_TO_FP32(block.d[lane]);
    }
  }

#if defined(EARSHOT_AMX)
  // Writes numbers of a group, from `first` on, times their scales, as a panel of amx_tiles.h.
  static void split(const void* group, int64_t first, int64_t numbers, char* panel) {
    const auto* from = static_cast<const earshot_q8_group*>(group) + first / QK8_0;
    const __m512i byte = _mm512_set1_epi32(0xff);
    const __m512i bias = _mm512_set1_epi32(128);
    for (int64_t i = 0; i < numbers; i += kEarshotStep) {
      const earshot_q8_group& block = from[i / QK8_0];
      const __m512i four = _mm512_loadu_si512(block.qs + i % QK8_0 * kEarshotGroup);
      const __m512 scale = _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(block.d)));
      const auto number = [&](__m512i value) {
        return _mm512_mul_ps(_mm512_cvtepi32_ps(_mm512_sub_epi32(_mm512_and_si512(value, byte), bias)), scale);
      };
      earshot_split_pair(number(four), number(_mm512_srli_epi32(four, 8)), i, panel);
      earshot_split_pair(number(_mm512_srli_epi32(four, 16)), number(_mm512_srli_epi32(four, 24)), i + 2, panel);
    }
  }
#endif

  template <int GROUPS, int COLUMNS, bool FETCHES>
  static void multiply(const void* groups, const void* const* columns, int64_t numbers, float* const* out) {
    const int64_t blocks = numbers / QK8_0;
    const auto* weights = static_cast<const earshot_q8_group*>(groups);
    const earshot_q8_column* x[COLUMNS];
    __m512 sums[GROUPS][COLUMNS];
    for (int c = 0; c < COLUMNS; ++c) {
      x[c] = static_cast<const earshot_q8_column*>(columns[c]);
      for (int g = 0; g < GROUPS; ++g) sums[g][c] = _mm512_setzero_ps();
    }
    for (int64_t block = 0; block < blocks; ++block) {
      __m512i dots[GROUPS][COLUMNS];
      for (int c = 0; c < COLUMNS; ++c) {
        for (int g = 0; g < GROUPS; ++g) dots[g][c] = _mm512_set1_epi32(x[c][block].start);
      }
      for (int64_t step = 0; step < kEarshotSteps; ++step) {
        __m512i w[GROUPS];
        for (int g = 0; g < GROUPS; ++g) {
          w[g] = _mm512_loadu_si512(weights[g * blocks + block].qs + step * 64);
          if (FETCHES) _mm_prefetch(reinterpret_cast<const char*>(weights[(GROUPS + g) * blocks + block].qs + step * 64), _MM_HINT_T0);
        }
        for (int c = 0; c < COLUMNS; ++c) {
          int32_t four;
          memcpy(&four, x[c][block].qs + step * kEarshotStep, sizeof four);
          for (int g = 0; g < GROUPS; ++g) dots[g][c] = _mm512_dpbusd_epi32(dots[g][c], w[g], _mm512_set1_epi32(four));
        }
      }
      for (int g = 0; g < GROUPS; ++g) {
        const void* d = weights[g * blocks + block].d;
        const __m512 scale = _mm512_cvtph_ps(_mm256_loadu_si256(static_cast<const __m256i*>(d)));
        for (int c = 0; c < COLUMNS; ++c) {
          const __m512 both = _mm512_mul_ps(scale, _mm512_set1_ps(x[c][block].d));
          sums[g][c] = _mm512_fmadd_ps(_mm512_cvtepi32_ps(dots[g][c]), both, sums[g][c]);
        }
      }
    }
    for (int c = 0; c < COLUMNS; ++c) {
      for (int g = 0; g < GROUPS; ++g) _mm512_storeu_ps(out[c] + g * kEarshotGroup, sums[g][c]);
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
