// Attention of many query rows, as the encoder has, by vectors of floats: see native/patches/19-attention-by-tiles.patch.

#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "attention_parts.h"
#include "attention_rows.h"
#include "ggml-cpu.h"
#include "vec.h"

#if defined(__AVX2__) && defined(__FMA__) && defined(__F16C__) && (!defined(__AVX512F__) || defined(__AVX512DQ__))
#define EARSHOT_TILED_ATTENTION

// A vector of floats, and how many rows and vectors of a product's tile fit into the registers.
#if defined(__AVX512F__)
struct earshot_floats {
  using Vector = __m512;
  static constexpr int kLanes = 16;
  static constexpr int kTileRows = 6;
  static constexpr int kTileVectors = 4;

  static Vector zero() { return _mm512_setzero_ps(); }
  static Vector all(float x) { return _mm512_set1_ps(x); }
  static Vector load(const float* x) { return _mm512_loadu_ps(x); }
  static void store(float* x, Vector v) { _mm512_storeu_ps(x, v); }
  static Vector add_product(Vector sum, Vector x, Vector y) { return _mm512_fmadd_ps(x, y, sum); }
  static Vector multiply(Vector x, Vector y) { return _mm512_mul_ps(x, y); }
  static Vector subtract(Vector x, Vector y) { return _mm512_sub_ps(x, y); }
  static Vector larger(Vector x, Vector y) { return _mm512_max_ps(x, y); }
  static float largest(Vector x) { return _mm512_reduce_max_ps(x); }
  // e^x for x of at most 0, with the bits of ggml_v_expf but without its branch for numbers beyond the range of floats.
  static Vector weight(Vector x) {
    const Vector shift = all(0x1.8p23F);
    const Vector n = _mm512_sub_ps(_mm512_fmadd_ps(x, all(0x1.715476p+0F), shift), shift);
    const Vector b = _mm512_fnmadd_ps(n, all(0x1.7f7d1cp-20F), _mm512_fnmadd_ps(n, all(0x1.62e4p-1F), x));
    const Vector square = _mm512_mul_ps(b, b);
    const Vector high = _mm512_fmadd_ps(all(0x1.0e4020p-7F), b, all(0x1.573e2ep-5F));
    const Vector middle = _mm512_fmadd_ps(all(0x1.555e66p-3F), b, all(0x1.fffdb6p-2F));
    const Vector low = _mm512_fmadd_ps(all(0x1.ffffecp-1F), b, all(1.0F));
    const Vector power = _mm512_fmadd_ps(_mm512_fmadd_ps(high, square, middle), square, low);
    return _mm512_maskz_scalef_ps(_mm512_cmp_ps_mask(n, all(-192.0F), _CMP_NLT_UQ), power, n);
  }
  // The sums of lanes eight apart.
  static __m256 halves(Vector x) { return _mm256_add_ps(_mm512_extractf32x8_ps(x, 1), _mm512_castps512_ps256(x)); }
};
#else
struct earshot_floats {
  using Vector = __m256;
  static constexpr int kLanes = 8;
  static constexpr int kTileRows = 6;
  static constexpr int kTileVectors = 2;

  static Vector zero() { return _mm256_setzero_ps(); }
  static Vector all(float x) { return _mm256_set1_ps(x); }
  static Vector load(const float* x) { return _mm256_loadu_ps(x); }
  static void store(float* x, Vector v) { _mm256_storeu_ps(x, v); }
  static Vector add_product(Vector sum, Vector x, Vector y) { return _mm256_fmadd_ps(x, y, sum); }
  static Vector multiply(Vector x, Vector y) { return _mm256_mul_ps(x, y); }
  static Vector subtract(Vector x, Vector y) { return _mm256_sub_ps(x, y); }
  static Vector larger(Vector x, Vector y) { return _mm256_max_ps(x, y); }
  static float largest(Vector x) {
    __m128 four = _mm_max_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
    four = _mm_max_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_max_ss(four, _mm_movehdup_ps(four)));
  }
  static Vector weight(Vector x) { return ggml_v_expf(x); }
  static __m256 halves(Vector x) { return x; }
};
#endif

#if defined(__GNUC__)
// Inlined, or with loops that GCC 12 does not unroll, a tile's sums would pass through memory.
#define EARSHOT_NOT_INLINE __attribute__((noinline))
#define EARSHOT_UNROLL _Pragma("GCC unroll 8")
#else
#define EARSHOT_NOT_INLINE
#define EARSHOT_UNROLL
#endif

// The sums of four vectors, each with the bits of ggml_vec_soft_max_f32.
static inline __m128 earshot_sums_of_four(const __m256* x) {
  __m128 four[4];
  for (int i = 0; i < 4; ++i) four[i] = _mm_add_ps(_mm256_extractf128_ps(x[i], 1), _mm256_castps256_ps128(x[i]));
  __m128 two[2];
  for (int i = 0; i < 2; ++i) two[i] = _mm_add_ps(_mm_movelh_ps(four[2 * i], four[2 * i + 1]), _mm_movehl_ps(four[2 * i + 1], four[2 * i]));
  return _mm_add_ps(_mm_shuffle_ps(two[0], two[1], 0x88), _mm_shuffle_ps(two[0], two[1], 0xDD));
}

// Adds `count` numbers of each of four rows, one after the other, to the rows' sums. `count` is a multiple of four.
static inline void earshot_add_rows(const float* x, int count, float* sums) {
  __m256d all = _mm256_setzero_pd();
  for (int i = 0; i < count; i += 4) {
    __m128 four[4];
    for (int row = 0; row < 4; ++row) four[row] = _mm_loadu_ps(x + row * count + i);
    _MM_TRANSPOSE4_PS(four[0], four[1], four[2], four[3]);
    for (const __m128& each : four) all = _mm256_add_pd(all, _mm256_cvtps_pd(each));
  }
  _mm_storeu_ps(sums, _mm256_cvtpd_ps(_mm256_add_pd(_mm256_cvtps_pd(_mm_loadu_ps(sums)), all)));
}

// c[ROWS][VECTORS] of `depth` products each, or what is there plus them. Strides are in floats.
template <int ROWS, int VECTORS, bool ADDS>
EARSHOT_NOT_INLINE static void earshot_multiply_tile(const float* a, int64_t a_stride, const float* b, int64_t b_stride, int64_t depth,
                                                     float* c, int64_t c_stride) {
  using F = earshot_floats;
  F::Vector sums[ROWS][VECTORS];
  EARSHOT_UNROLL
  for (int r = 0; r < ROWS; ++r) {
    EARSHOT_UNROLL
    for (int v = 0; v < VECTORS; ++v) sums[r][v] = ADDS ? F::load(c + r * c_stride + v * F::kLanes) : F::zero();
  }
  for (int64_t i = 0; i < depth; ++i) {
    F::Vector x[VECTORS];
    for (int v = 0; v < VECTORS; ++v) {
      x[v] = F::load(b + i * b_stride + v * F::kLanes);
#if defined(__GNUC__)
      // GCC 12 would load it again for each row, and the loads would be the limit.
      __asm__("" : "+v"(x[v]));
#endif
    }
    for (int r = 0; r < ROWS; ++r) {
      const F::Vector number = F::all(a[r * a_stride + i]);
      for (int v = 0; v < VECTORS; ++v) sums[r][v] = F::add_product(sums[r][v], x[v], number);
    }
  }
  EARSHOT_UNROLL
  for (int r = 0; r < ROWS; ++r) {
    EARSHOT_UNROLL
    for (int v = 0; v < VECTORS; ++v) F::store(c + r * c_stride + v * F::kLanes, sums[r][v]);
  }
}

// Computes what ggml's tiled attention computes, with the same bits, and converts keys and values once for each head.
class earshot_tiled_attention {
 public:
  static bool fits(const ggml_tensor* op) {
    constexpr int64_t kManyRows = 64;
    const ggml_tensor* q = op->src[0];
    const ggml_tensor* k = op->src[1];
    const ggml_tensor* v = op->src[2];
    float options[3];  // scale, max_bias, logit_softcap
    memcpy(options, op->op_params, sizeof options);
    return q->ne[1] >= kManyRows && q->ne[3] == 1 && q->type == GGML_TYPE_F32 && q->nb[0] == sizeof(float) && k->type == GGML_TYPE_F16 &&
           v->type == GGML_TYPE_F16 && v->ne[0] == k->ne[0] && k->ne[0] % kPart == 0 && k->ne[0] <= kMaxWidth && !op->src[3] &&
           !op->src[4] && options[1] == 0.0F && options[2] == 0.0F;
  }

  static size_t work_size(const ggml_tensor* op, int threads) { return kLine + threads * earshot_tiled_attention(op).bytes(); }

  static void compute(const ggml_compute_params* params, ggml_tensor* op) {
    earshot_tiled_attention work(op);
    work.place(params);
    const auto convert = [&](int64_t head) { work.convert_head(head); };
    const auto attend = [&](int64_t head, int64_t row) { work.attend(head, row); };
    earshot_share_heads(params, op, kRows, convert, attend);
  }

 private:
  using F = earshot_floats;
  static constexpr int64_t kLine = 64;
  // Rows and keys of a block: its scores, keys, values and results stay in the first-level cache.
  static constexpr int64_t kRows = 5 * F::kTileRows;
  static constexpr int64_t kKeys = 64;
  static constexpr int64_t kPaddedRows = (kRows + 3) / 4 * 4;
  static constexpr int64_t kPart = F::kLanes * F::kTileVectors;
  static constexpr int64_t kMaxWidth = 512;
  static constexpr int kVectors = kKeys / F::kLanes;

  explicit earshot_tiled_attention(const ggml_tensor* op)
      : op_(op), width_(op->src[1]->ne[0]), keys_(op->src[1]->ne[1]), padded_((keys_ + kKeys - 1) / kKeys * kKeys) {
    memcpy(&scale_, op->op_params, sizeof scale_);
  }

  int64_t floats() const { return 2 * padded_ * width_ + kRows * (kKeys + width_); }
  int64_t bytes() const { return (floats() * static_cast<int64_t>(sizeof(float)) + kLine - 1) / kLine * kLine; }

  void place(const ggml_compute_params* params) {
    const uintptr_t start = (reinterpret_cast<uintptr_t>(params->wdata) + kLine - 1) / kLine * kLine;
    key_tiles_ = reinterpret_cast<float*>(start + params->ith * bytes());
    values_ = key_tiles_ + padded_ * width_;
    scores_ = values_ + padded_ * width_;
    results_ = scores_ + kRows * kKeys;
  }

  static const char* row_of(const ggml_tensor* tensor, int64_t row, int64_t head) {
    return static_cast<const char*>(tensor->data) + row * tensor->nb[1] + head * tensor->nb[2];
  }

  // Keys become tiles of 64 columns. What lies beyond the last key is zeros.
  void convert_head(int64_t head) {
    const ggml_tensor* q = op_->src[0];
    const ggml_tensor* k = op_->src[1];
    const ggml_tensor* v = op_->src[2];
    if (padded_ > keys_) memset(key_tiles_ + (padded_ - kKeys) * width_, 0, kKeys * width_ * sizeof(float));
    for (int64_t key = 0; key < keys_; key += kKeys) {
      const char* from = row_of(k, key, head / (q->ne[2] / k->ne[2]));
      earshot_transpose_f16(from, k->nb[1], std::min(kKeys, keys_ - key), width_, key_tiles_ + key * width_, kKeys);
    }
    for (int64_t key = 0; key < keys_; ++key) {
      const char* from = row_of(v, key, head / (q->ne[2] / v->ne[2]));
      ggml_cpu_fp16_to_fp32(reinterpret_cast<const ggml_fp16_t*>(from), values_ + key * width_, width_);
    }
    memset(values_ + keys_ * width_, 0, (padded_ - keys_) * width_ * sizeof(float));
  }

  template <bool ADDS, int ROWS>
  static void multiply_rows(int64_t rows, const float* a, int64_t a_stride, const float* b, int64_t columns, int64_t depth, float* c) {
    if constexpr (ROWS > 0) {
      if (rows < ROWS) return multiply_rows<ADDS, ROWS - 1>(rows, a, a_stride, b, columns, depth, c);
      for (int64_t at = 0; at < columns; at += kPart) {
        earshot_multiply_tile<ROWS, F::kTileVectors, ADDS>(a, a_stride, b + at, columns, depth, c + at, columns);
      }
    }
  }

  template <bool ADDS>
  static void multiply(int64_t rows, const float* a, int64_t a_stride, const float* b, int64_t columns, int64_t depth, float* c) {
    for (int64_t r = 0; r < rows; r += F::kTileRows) {
      multiply_rows<ADDS, F::kTileRows>(rows - r, a + r * a_stride, a_stride, b, columns, depth, c + r * columns);
    }
  }

  // Scales a row's scores, and returns the largest.
  float scale_row(float* scores) const {
    const F::Vector scale = F::all(scale_);
    F::Vector most = F::all(-INFINITY);
    for (int v = 0; v < kVectors; ++v) {
      const F::Vector x = F::multiply(F::load(scores + v * F::kLanes), scale);
      F::store(scores + v * F::kLanes, x);
      most = F::larger(most, x);
    }
    return F::largest(most);
  }

  // The largest score of a row so far only grows: what was summed up below it is scaled down.
  void raise(float largest, float* results, float& highest, float& sum) const {
    const float factor = expf(highest - largest);
    for (int64_t i = 0; i < width_; i += F::kLanes) F::store(results + i, F::multiply(F::load(results + i), F::all(factor)));
    sum *= factor;
    highest = largest;
  }

  // Turns a row's scores into weights, and writes the sum of each vector.
  static void weigh_row(float* scores, float highest, float* sums) {
    // A row whose scores are all infinite yields zeros.
    if (highest == -INFINITY) {
      std::fill(scores, scores + kKeys, 0.0F);
      std::fill(sums, sums + kVectors, 0.0F);
      return;
    }
    for (int v = 0; v < kVectors; v += 4) {
      __m256 halves[4];
      for (int i = 0; i < 4; ++i) {
        float* each = scores + (v + i) * F::kLanes;
        const F::Vector weight = F::weight(F::subtract(F::load(each), F::all(highest)));
        F::store(each, weight);
        halves[i] = F::halves(weight);
      }
      _mm_storeu_ps(sums + v, earshot_sums_of_four(halves));
    }
  }

  // Turns the scores of `rows` rows into weights. Each step is of all rows, so that they do not wait for each other's branches.
  void weigh(int64_t rows, int64_t keys, float* highest, float* sums) {
    float largest[kRows];
    for (int64_t r = 0; r < rows; ++r) {
      float* scores = scores_ + r * kKeys;
      if (keys < kKeys) std::fill(scores + keys, scores + kKeys, -INFINITY);
      largest[r] = scale_row(scores);
    }
    for (int64_t r = 0; r < rows; ++r) {
      if (largest[r] > highest[r]) raise(largest[r], results_ + r * width_, highest[r], sums[r]);
    }
    float parts[kPaddedRows * kVectors];
    for (int64_t r = 0; r < rows; ++r) weigh_row(scores_ + r * kKeys, highest[r], parts + r * kVectors);
    std::fill(parts + rows * kVectors, parts + kPaddedRows * kVectors, 0.0F);
    for (int64_t r = 0; r < rows; r += 4) earshot_add_rows(parts + r * kVectors, kVectors, sums + r);
  }

  void attend(int64_t head, int64_t first) {
    const ggml_tensor* q = op_->src[0];
    const int64_t rows = std::min(kRows, q->ne[1] - first);
    float highest[kRows];
    float sums[kPaddedRows] = {};
    std::fill(highest, highest + kRows, -INFINITY);
    memset(results_, 0, rows * width_ * sizeof(float));
    const auto* queries = reinterpret_cast<const float*>(row_of(q, first, head));
    for (int64_t key = 0; key < padded_; key += kKeys) {
      multiply<false>(rows, queries, q->nb[1] / sizeof(float), key_tiles_ + key * width_, kKeys, width_, scores_);
      const int64_t keys = std::min(kKeys, keys_ - key);
      weigh(rows, keys, highest, sums);
      multiply<true>(rows, scores_, kKeys, values_ + key * width_, width_, keys, results_);
    }
    for (int64_t r = 0; r < rows; ++r) {
      auto* out = reinterpret_cast<float*>(static_cast<char*>(op_->data) + (head + (first + r) * op_->ne[1]) * op_->nb[1]);
      const F::Vector factor = F::all(sums[r] == 0.0F ? 0.0F : 1.0F / sums[r]);
      for (int64_t i = 0; i < width_; i += F::kLanes) F::store(out + i, F::multiply(F::load(results_ + r * width_ + i), factor));
    }
  }

  const ggml_tensor* op_;
  int64_t width_;
  int64_t keys_;
  int64_t padded_;
  float scale_;
  float* key_tiles_;
  float* values_;
  float* scores_;
  float* results_;
};
#endif
