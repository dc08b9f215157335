// Attention of many query rows, as the encoder has, by vectors of floats: see native/patches/19-attention-by-tiles.patch.

#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

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
  static __m256 halves(Vector x) { return x; }
};
#endif

// Adds the sums of four vectors to `sum` one after the other, each with the bits of ggml_vec_soft_max_f32.
static inline double earshot_add_sums(double sum, const __m256* x) {
  __m128 four[4];
  for (int i = 0; i < 4; ++i) four[i] = _mm_add_ps(_mm256_extractf128_ps(x[i], 1), _mm256_castps256_ps128(x[i]));
  __m128 two[2];
  for (int i = 0; i < 2; ++i) two[i] = _mm_add_ps(_mm_movelh_ps(four[2 * i], four[2 * i + 1]), _mm_movehl_ps(four[2 * i + 1], four[2 * i]));
  float sums[4];
  _mm_storeu_ps(sums, _mm_add_ps(_mm_shuffle_ps(two[0], two[1], 0x88), _mm_shuffle_ps(two[0], two[1], 0xDD)));
  for (const float each : sums) sum += static_cast<double>(each);
  return sum;
}

// c[ROWS][VECTORS] of `depth` products each, or what is there plus them. Strides are in floats.
template <int ROWS, int VECTORS>
static inline void earshot_multiply_tile(const float* a, int64_t a_stride, const float* b, int64_t b_stride, int64_t depth, float* c,
                                         int64_t c_stride, bool adds) {
  using F = earshot_floats;
  F::Vector sums[ROWS][VECTORS];
  for (int r = 0; r < ROWS; ++r) {
    for (int v = 0; v < VECTORS; ++v) sums[r][v] = adds ? F::load(c + r * c_stride + v * F::kLanes) : F::zero();
  }
  for (int64_t i = 0; i < depth; ++i) {
    F::Vector x[VECTORS];
    for (int v = 0; v < VECTORS; ++v) {
      x[v] = F::load(b + i * b_stride + v * F::kLanes);
#if defined(__GNUC__)
      // GCC 12 would load it again for each row, and the loads would be the limit.
      __asm__("" : "+x"(x[v]));
#endif
    }
    for (int r = 0; r < ROWS; ++r) {
      const F::Vector number = F::all(a[r * a_stride + i]);
      for (int v = 0; v < VECTORS; ++v) sums[r][v] = F::add_product(sums[r][v], x[v], number);
    }
  }
  for (int r = 0; r < ROWS; ++r) {
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
    // Several parts for each thread, because a core may be busy with something else.
    const int64_t blocks = (op->src[0]->ne[1] + kRows - 1) / kRows;
    const int64_t heads = op->src[0]->ne[2];
    const int64_t parts = params->nth == 1 ? 1 : std::min<int64_t>(blocks, (4 * params->nth + heads - 1) / heads);
    if (params->ith == 0) ggml_threadpool_chunk_set(params->threadpool, params->nth);
    ggml_barrier(params->threadpool);
    earshot_tiled_attention work(op);
    work.place(params);
    for (int64_t at = params->ith; at < heads * parts; at = ggml_threadpool_chunk_add(params->threadpool, 1)) {
      work.convert_head(at / parts);
      const int64_t part = at % parts;
      for (int64_t block = blocks * part / parts; block < blocks * (part + 1) / parts; ++block) work.attend(at / parts, block * kRows);
    }
  }

 private:
  using F = earshot_floats;
  static constexpr int64_t kLine = 64;
  // Rows and keys of a block: its scores, keys, values and results stay in the first-level cache.
  static constexpr int64_t kRows = 5 * F::kTileRows;
  static constexpr int64_t kKeys = 64;
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

  template <int ROWS>
  static void multiply_rows(int64_t rows, const float* a, int64_t a_stride, const float* b, int64_t columns, int64_t depth, float* c,
                            bool adds) {
    if constexpr (ROWS > 0) {
      if (rows < ROWS) return multiply_rows<ROWS - 1>(rows, a, a_stride, b, columns, depth, c, adds);
      for (int64_t at = 0; at < columns; at += kPart) {
        earshot_multiply_tile<ROWS, F::kTileVectors>(a, a_stride, b + at, columns, depth, c + at, columns, adds);
      }
    }
  }

  static void multiply(int64_t rows, const float* a, int64_t a_stride, const float* b, int64_t columns, int64_t depth, float* c, bool adds) {
    for (int64_t r = 0; r < rows; r += F::kTileRows) {
      multiply_rows<F::kTileRows>(rows - r, a + r * a_stride, a_stride, b, columns, depth, c + r * columns, adds);
    }
  }

  // Turns a row's scores into weights. The largest score so far only grows: what was summed up below it is scaled down.
  void weigh(float* scores, float* results, float& highest, float& sum) const {
    F::Vector x[kVectors];
    for (int v = 0; v < kVectors; ++v) x[v] = F::multiply(F::load(scores + v * F::kLanes), F::all(scale_));
    F::Vector most = x[0];
    for (int v = 1; v < kVectors; ++v) most = F::larger(most, x[v]);
    const float largest = F::largest(most);
    if (largest > highest) {
      const float factor = expf(highest - largest);
      for (int64_t i = 0; i < width_; i += F::kLanes) F::store(results + i, F::multiply(F::load(results + i), F::all(factor)));
      sum *= factor;
      highest = largest;
    }
    // A row whose scores are all infinite yields zeros.
    if (highest == -INFINITY) return std::fill(scores, scores + kKeys, 0.0F);
    double part = 0;
    for (int v = 0; v < kVectors; v += 4) {
      __m256 halves[4];
      for (int i = 0; i < 4; ++i) {
        const F::Vector weight = ggml_v_expf(F::subtract(x[v + i], F::all(highest)));
        F::store(scores + (v + i) * F::kLanes, weight);
        halves[i] = F::halves(weight);
      }
      part = earshot_add_sums(part, halves);
    }
    sum += part;
  }

  void attend(int64_t head, int64_t first) {
    const ggml_tensor* q = op_->src[0];
    const int64_t rows = std::min(kRows, q->ne[1] - first);
    float highest[kRows];
    float sums[kRows] = {};
    std::fill(highest, highest + kRows, -INFINITY);
    memset(results_, 0, rows * width_ * sizeof(float));
    const auto* queries = reinterpret_cast<const float*>(row_of(q, first, head));
    for (int64_t key = 0; key < padded_; key += kKeys) {
      multiply(rows, queries, q->nb[1] / sizeof(float), key_tiles_ + key * width_, kKeys, width_, scores_, false);
      for (int64_t r = 0; r < rows; ++r) {
        float* scores = scores_ + r * kKeys;
        if (keys_ - key < kKeys) std::fill(scores + (keys_ - key), scores + kKeys, -INFINITY);
        weigh(scores, results_ + r * width_, highest[r], sums[r]);
      }
      multiply(rows, scores_, kKeys, values_ + key * width_, width_, kKeys, results_, true);
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
