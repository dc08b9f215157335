// Attention of a few query rows, as a decoding step has one for each beam: see native/patches/10-few-rows-attention.patch.

#pragma once

#include <cstdint>

#include "ggml-cpu.h"
#include "row_max.h"
#include "shared_work.h"
#include "vec.h"

#if defined(__AVX2__) && defined(__FMA__) && defined(__F16C__)
#include <immintrin.h>

#if defined(__AVX512F__) && defined(__AVX512DQ__)
#define EARSHOT_WIDE_ROWS
#endif

constexpr int64_t kEarshotFewRows = 8;

struct earshot_attention_head {
  const float* q[kEarshotFewRows];          // query rows
  const ggml_fp16_t* mask[kEarshotFewRows];  // added to a row's scores; null: none
  const char* k;                             // half-precision keys, `k_stride` bytes apart
  const char* v;                             // half-precision values, `v_stride` bytes apart
  int64_t k_stride;
  int64_t v_stride;
  int64_t keys;
  int64_t width;  // of a key and of a value, a multiple of 16
  float scale;
  float* scores;                 // scratch: rows × keys
  float* out[kEarshotFewRows];  // result rows
};

static inline __m256 earshot_load_f16(const char* x, int64_t at) {
  return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(x + at * 2)));
}

// The sums of eight vectors.
static inline __m256 earshot_sums(const __m256* x) {
  const __m256 low = _mm256_hadd_ps(_mm256_hadd_ps(x[0], x[1]), _mm256_hadd_ps(x[2], x[3]));
  const __m256 high = _mm256_hadd_ps(_mm256_hadd_ps(x[4], x[5]), _mm256_hadd_ps(x[6], x[7]));
  return _mm256_add_ps(_mm256_permute2f128_ps(low, high, 0x20), _mm256_permute2f128_ps(low, high, 0x31));
}

// sums[row][at] and sums[row][at + 1]: sums of q[row] · k0 and of q[row] · k1 in eight parts.
template <int ROWS>
static inline void earshot_score_pair(const float* const* q, const char* k0, const char* k1, int64_t width, __m256 (*sums)[8], int64_t at) {
#if defined(EARSHOT_WIDE_ROWS)
  // A half of a vector for each key.
  __m512 both[ROWS];
  for (int r = 0; r < ROWS; ++r) both[r] = _mm512_setzero_ps();
  for (int64_t d = 0; d < width; d += 8) {
    const __m256i halves = _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(k0 + d * 2))),
                                                   _mm_loadu_si128(reinterpret_cast<const __m128i*>(k1 + d * 2)), 1);
    const __m512 x = _mm512_cvtph_ps(halves);
    for (int r = 0; r < ROWS; ++r) both[r] = _mm512_fmadd_ps(_mm512_broadcast_f32x8(_mm256_loadu_ps(q[r] + d)), x, both[r]);
  }
  for (int r = 0; r < ROWS; ++r) {
    sums[r][at] = _mm512_castps512_ps256(both[r]);
    sums[r][at + 1] = _mm512_extractf32x8_ps(both[r], 1);
  }
#else
  __m256 sum0[ROWS];
  __m256 sum1[ROWS];
  for (int r = 0; r < ROWS; ++r) sum0[r] = sum1[r] = _mm256_setzero_ps();
  for (int64_t d = 0; d < width; d += 8) {
    const __m256 x0 = earshot_load_f16(k0, d);
    const __m256 x1 = earshot_load_f16(k1, d);
    for (int r = 0; r < ROWS; ++r) {
      const __m256 numbers = _mm256_loadu_ps(q[r] + d);
      sum0[r] = _mm256_fmadd_ps(numbers, x0, sum0[r]);
      sum1[r] = _mm256_fmadd_ps(numbers, x1, sum1[r]);
    }
  }
  for (int r = 0; r < ROWS; ++r) {
    sums[r][at] = sum0[r];
    sums[r][at + 1] = sum1[r];
  }
#endif
}

// scores[row][key] = q[row] · k[key], eight keys at a time: each key is converted once for all rows.
template <int ROWS>
static inline void earshot_scores(const earshot_attention_head& a) {
  constexpr int kKeys = 8;
  constexpr int64_t kAhead = 2 * kKeys;
  for (int64_t from = 0; from < a.keys; from += kKeys) {
    const int64_t count = a.keys - from < kKeys ? a.keys - from : kKeys;
    __m256 sums[ROWS][kKeys];
    for (int64_t i = 0; i < kKeys; i += 2) {
      // What lies beyond the last key is computed from it again and not stored.
      const char* k0 = a.k + (from + (i < count ? i : count - 1)) * a.k_stride;
      const char* k1 = a.k + (from + (i + 1 < count ? i + 1 : count - 1)) * a.k_stride;
      for (int64_t at = 0; at < a.width * 2; at += 64) {
        _mm_prefetch(k0 + kAhead * a.k_stride + at, _MM_HINT_T0);
        _mm_prefetch(k1 + kAhead * a.k_stride + at, _MM_HINT_T0);
      }
      earshot_score_pair<ROWS>(a.q, k0, k1, a.width, sums, i);
    }
    for (int r = 0; r < ROWS; ++r) {
      float scores[kKeys];
      _mm256_storeu_ps(scores, _mm256_mul_ps(earshot_sums(sums[r]), _mm256_set1_ps(a.scale)));
      memcpy(a.scores + r * a.keys + from, scores, count * sizeof(float));
    }
  }
}

#if defined(EARSHOT_WIDE_ROWS)
struct earshot_value_vector {
  using Vector = __m512;
  static constexpr int kLanes = 16;

  static Vector zero() { return _mm512_setzero_ps(); }
  static Vector all(float x) { return _mm512_set1_ps(x); }
  static Vector load(const char* x) { return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(x))); }
  static void store(float* x, Vector v) { _mm512_storeu_ps(x, v); }
  static Vector add_product(Vector sum, Vector x, Vector y) { return _mm512_fmadd_ps(x, y, sum); }
  static Vector multiply(Vector x, Vector y) { return _mm512_mul_ps(x, y); }
};
#else
struct earshot_value_vector {
  using Vector = __m256;
  static constexpr int kLanes = 8;

  static Vector zero() { return _mm256_setzero_ps(); }
  static Vector all(float x) { return _mm256_set1_ps(x); }
  static Vector load(const char* x) { return earshot_load_f16(x, 0); }
  static void store(float* x, Vector v) { _mm256_storeu_ps(x, v); }
  static Vector add_product(Vector sum, Vector x, Vector y) { return _mm256_fmadd_ps(x, y, sum); }
  static Vector multiply(Vector x, Vector y) { return _mm256_mul_ps(x, y); }
};
#endif

// Columns from `d` on of earshot_weighted_values, VECTORS vectors of them: each value is converted once for all rows.
template <int ROWS, int VECTORS>
static inline void earshot_weighted_columns(const earshot_attention_head& a, const float* factor, int64_t d) {
  using F = earshot_value_vector;
  constexpr int64_t kAhead = 16;
  F::Vector sum[ROWS][VECTORS];
  for (int r = 0; r < ROWS; ++r) {
    for (int i = 0; i < VECTORS; ++i) sum[r][i] = F::zero();
  }
  const char* v = a.v + d * 2;
  for (int64_t key = 0; key < a.keys; ++key, v += a.v_stride) {
    F::Vector x[VECTORS];
    for (int i = 0; i < VECTORS; ++i) x[i] = F::load(v + i * F::kLanes * 2);
    _mm_prefetch(v + kAhead * a.v_stride, _MM_HINT_T0);
    for (int r = 0; r < ROWS; ++r) {
      const F::Vector p = F::all(a.scores[r * a.keys + key]);
      for (int i = 0; i < VECTORS; ++i) sum[r][i] = F::add_product(sum[r][i], p, x[i]);
    }
  }
  for (int r = 0; r < ROWS; ++r) {
    for (int i = 0; i < VECTORS; ++i) F::store(a.out[r] + d + i * F::kLanes, F::multiply(sum[r][i], F::all(factor[r])));
  }
}

// out[row] = Σ scores[row][key] · v[key] · factor[row], two vectors of columns at a time.
template <int ROWS>
static inline void earshot_weighted_values(const earshot_attention_head& a, const float* factor) {
  constexpr int64_t kColumns = 2 * earshot_value_vector::kLanes;
  int64_t d = 0;
  for (; d + kColumns <= a.width; d += kColumns) earshot_weighted_columns<ROWS, 2>(a, factor, d);
  if (d < a.width) earshot_weighted_columns<ROWS, 16 / earshot_value_vector::kLanes>(a, factor, d);
}

template <int ROWS>
static void earshot_attend_rows(const earshot_attention_head& a) {
  float factor[ROWS];
  earshot_scores<ROWS>(a);
  for (int r = 0; r < ROWS; ++r) {
    float* row = a.scores + r * a.keys;
    if (a.mask[r]) {
      int64_t i = 0;
      for (; i + 8 <= a.keys; i += 8) {
        const __m256 m = earshot_load_f16(reinterpret_cast<const char*>(a.mask[r]), i);
        _mm256_storeu_ps(row + i, _mm256_add_ps(_mm256_loadu_ps(row + i), m));
      }
      for (; i < a.keys; ++i) row[i] += ggml_fp16_to_fp32(a.mask[r][i]);
    }
    const int count = static_cast<int>(a.keys);
    const float max = earshot_max(row, count);
    // A row whose keys are all masked yields zeros.
    const double sum = max == -INFINITY ? 0.0 : ggml_vec_soft_max_f32(count, row, row, max);
    factor[r] = sum > 0 ? static_cast<float>(1.0 / sum) : 0.0F;
    if (!(sum > 0)) for (int64_t i = 0; i < a.keys; ++i) row[i] = 0.0F;
  }
  earshot_weighted_values<ROWS>(a, factor);
}

static void earshot_attend(const earshot_attention_head& a, int64_t rows) {
  switch (rows) {
    case 1: return earshot_attend_rows<1>(a);
    case 2: return earshot_attend_rows<2>(a);
    case 3: return earshot_attend_rows<3>(a);
    case 4: return earshot_attend_rows<4>(a);
    case 5: return earshot_attend_rows<5>(a);
    case 6: return earshot_attend_rows<6>(a);
    case 7: return earshot_attend_rows<7>(a);
    default: return earshot_attend_rows<8>(a);
  }
}

// ggml_graph_plan reserves so many floats for each thread.
static int64_t earshot_attention_scratch(const ggml_tensor* dst) {
  const int64_t width = dst->src[1]->ne[0];
  return 2 * GGML_FA_TILE_Q * (width + GGML_FA_TILE_KV) + 2 * GGML_FA_TILE_KV * width;
}

// Whether it is a flash attention of 1 to 8 rows, half-precision keys and values, and no options that Whisper does not use.
static bool earshot_has_few_rows(const ggml_tensor* dst) {
  const ggml_tensor* q = dst->src[0];
  const ggml_tensor* k = dst->src[1];
  const ggml_tensor* v = dst->src[2];
  const ggml_tensor* mask = dst->src[3];
  float options[3];  // scale, max_bias, logit_softcap
  memcpy(options, dst->op_params, sizeof options);
  return q->ne[1] <= kEarshotFewRows && q->ne[3] == 1 && q->type == GGML_TYPE_F32 && k->type == GGML_TYPE_F16 &&
         v->type == GGML_TYPE_F16 && v->ne[0] == k->ne[0] && k->ne[0] % 16 == 0 && !dst->src[4] && options[1] == 0.0F &&
         options[2] == 0.0F && q->ne[1] * k->ne[1] <= earshot_attention_scratch(dst) && (!mask || mask->type == GGML_TYPE_F16);
}

static void earshot_attend_head(const ggml_compute_params& params, ggml_tensor* dst, int64_t head) {
  const ggml_tensor* q = dst->src[0];
  const ggml_tensor* k = dst->src[1];
  const ggml_tensor* v = dst->src[2];
  const ggml_tensor* mask = dst->src[3];
  const int64_t rows = q->ne[1];
  earshot_attention_head a{};
  a.k = static_cast<const char*>(k->data) + head / (q->ne[2] / k->ne[2]) * k->nb[2];
  a.v = static_cast<const char*>(v->data) + head / (q->ne[2] / v->ne[2]) * v->nb[2];
  a.k_stride = k->nb[1];
  a.v_stride = v->nb[1];
  a.keys = k->ne[1];
  a.width = k->ne[0];
  memcpy(&a.scale, dst->op_params, sizeof a.scale);
  a.scores = static_cast<float*>(params.wdata) + params.ith * earshot_attention_scratch(dst);
  for (int64_t r = 0; r < rows; ++r) {
    a.q[r] = reinterpret_cast<const float*>(static_cast<const char*>(q->data) + r * q->nb[1] + head * q->nb[2]);
    a.out[r] = reinterpret_cast<float*>(static_cast<char*>(dst->data) + (head + r * dst->ne[1]) * dst->nb[1]);
    if (mask) {
      a.mask[r] = reinterpret_cast<const ggml_fp16_t*>(static_cast<const char*>(mask->data) + r * mask->nb[1] +
                                                       head % mask->ne[2] * mask->nb[2]);
    }
  }
  earshot_attend(a, rows);
}

// Computes a whole flash attention of a few rows, a head at a time; false if it is of another kind.
static bool earshot_few_rows_attention(const ggml_compute_params* params, ggml_tensor* dst) {
  if (params->use_ref || !earshot_has_few_rows(dst)) return false;
  for (int64_t head = params->ith; head < dst->src[0]->ne[2]; head += params->nth) earshot_attend_head(*params, dst, head);
  return true;
}

// A unit is a head.
earshot_work earshot_attention_work(const ggml_tensor* op) {
  if (!earshot_has_few_rows(op)) return {};
  // Scores and weighted values; converting a key or a value takes as long as multiplying it with a row.
  const int64_t work = 2 * op->src[1]->ne[1] * op->src[1]->ne[0] * (op->src[0]->ne[1] + 1);
  const auto heads = [](const ggml_compute_params& params, ggml_tensor* node, int64_t first, int64_t last) {
    for (int64_t head = first; head < last; ++head) earshot_attend_head(params, node, head);
  };
  return {op->src[0]->ne[2], work, [](const ggml_compute_params&, ggml_tensor*) {}, heads};
}
#else
static bool earshot_few_rows_attention(const ggml_compute_params*, ggml_tensor*) { return false; }

earshot_work earshot_attention_work(const ggml_tensor*) { return {}; }
#endif
