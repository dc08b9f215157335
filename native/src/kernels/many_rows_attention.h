// Attention of many query rows, as the encoder has, by AMX: see native/patches/19-attention-by-tiles.patch.

#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "amx_tiles.h"
#include "attention_parts.h"
#include "attention_rows.h"
#include "ggml-cpu.h"
#include "tiled_attention.h"
#include "vec.h"

#if defined(EARSHOT_AMX)

// Keys and values are half-precision numbers: two parts are all of one.
class earshot_many_rows {
 public:
  static bool fits(const ggml_tensor* op) {
    constexpr int64_t kManyRows = 64;
    const ggml_tensor* q = op->src[0];
    const ggml_tensor* k = op->src[1];
    const ggml_tensor* v = op->src[2];
    float options[3];  // scale, max_bias, logit_softcap
    memcpy(options, op->op_params, sizeof options);
    return q->ne[1] >= kManyRows && q->ne[3] == 1 && q->type == GGML_TYPE_F32 && k->type == GGML_TYPE_F16 && v->type == GGML_TYPE_F16 &&
           v->ne[0] == k->ne[0] && k->ne[0] % kEarshotTileDepth == 0 && !op->src[3] && !op->src[4] && options[1] == 0.0F &&
           options[2] == 0.0F && earshot_amx();
  }

  static size_t work_size(const ggml_tensor* op, int threads) { return kLine + threads * earshot_many_rows(op).bytes(); }

  static void compute(const ggml_compute_params* params, ggml_tensor* op) {
    earshot_many_rows work(op);
    work.place(params);
    const earshot_tiles tiles{earshot_tile_config{}};
    const auto split = [&](int64_t head) { work.split_head(head); };
    const auto attend = [&](int64_t head, int64_t row) { work.attend(head, row); };
    earshot_share_heads(params, op, kRows, split, attend);
  }

 private:
  static constexpr int64_t kLine = 64;
  static constexpr int64_t kRows = 2 * kEarshotTile;

  explicit earshot_many_rows(const ggml_tensor* op)
      : op_(op), width_(op->src[1]->ne[0]), keys_(op->src[1]->ne[1]), padded_((keys_ + kRows - 1) / kRows * kRows) {
    memcpy(&scale_, op->op_params, sizeof scale_);
  }

  int64_t panel(int64_t numbers) const { return earshot_panel_bytes(numbers); }
  int64_t keys_bytes() const { return padded_ / kEarshotTile * panel(width_); }
  int64_t values_bytes() const { return (width_ / kEarshotTile) * panel(padded_); }
  int64_t rows_bytes() const { return kRows * width_ * static_cast<int64_t>(sizeof(float)); }
  int64_t scores_bytes() const { return kRows * padded_ * static_cast<int64_t>(sizeof(float)); }
  int64_t bytes() const { return keys_bytes() + values_bytes() + 2 * panel(width_) + rows_bytes() + scores_bytes() + 2 * panel(padded_); }

  void place(const ggml_compute_params* params) {
    const uintptr_t start = (reinterpret_cast<uintptr_t>(params->wdata) + kLine - 1) / kLine * kLine;
    keys_panels_ = reinterpret_cast<char*>(start) + params->ith * bytes();
    values_panels_ = keys_panels_ + keys_bytes();
    query_panels_ = values_panels_ + values_bytes();
    rows_ = reinterpret_cast<float*>(query_panels_ + 2 * panel(width_));
    scores_ = rows_ + kRows * width_;
    weights_panels_ = reinterpret_cast<char*>(scores_ + kRows * padded_);
  }

  static const char* row_of(const ggml_tensor* tensor, int64_t row, int64_t head) {
    return static_cast<const char*>(tensor->data) + row * tensor->nb[1] + head * tensor->nb[2];
  }

  // Keys are panels of 16 keys, values panels of 16 of their numbers. What lies beyond the last key is zeros.
  void split_head(int64_t head) {
    const ggml_tensor* q = op_->src[0];
    const ggml_tensor* k = op_->src[1];
    const ggml_tensor* v = op_->src[2];
    float part[kEarshotTile * 256];
    for (int64_t key = 0; key < padded_; key += kEarshotTile) {
      const int64_t count = std::max<int64_t>(0, std::min(kEarshotTile, keys_ - key));
      for (int64_t from = 0; from < width_; from += 256) {
        const int64_t numbers = std::min<int64_t>(256, width_ - from);
        if (count < kEarshotTile) memset(part, 0, sizeof part);
        const char* x = row_of(k, key, head / (q->ne[2] / k->ne[2])) + from * static_cast<int64_t>(sizeof(ggml_fp16_t));
        if (count > 0) earshot_transpose_f16(x, k->nb[1], count, numbers, part, kEarshotTile);
        char* to = keys_panels_ + key / kEarshotTile * panel(width_) + panel(from);
        for (int64_t i = 0; i < numbers; i += 2) {
          earshot_split_pair(_mm512_loadu_ps(part + i * kEarshotTile), _mm512_loadu_ps(part + (i + 1) * kEarshotTile), i, to);
        }
      }
    }
    const auto value = [&](int64_t key, int64_t at) {
      if (key >= keys_) return _mm512_setzero_ps();
      const char* x = row_of(v, key, head / (q->ne[2] / v->ne[2])) + at * static_cast<int64_t>(sizeof(ggml_fp16_t));
      return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(x)));
    };
    for (int64_t key = 0; key < padded_; key += 2) {
      for (int64_t at = 0; at < width_; at += kEarshotTile) {
        earshot_split_pair(value(key, at), value(key + 1, at), key, values_panels_ + at / kEarshotTile * panel(padded_));
      }
    }
  }

  // Writes the weights of a row's keys, not yet divided by their sum, as a row of a panel, and returns the sum.
  float weigh(const float* scores, char* to) const {
    const auto mask = [&](int64_t i) { return static_cast<__mmask16>(keys_ - i >= 16 ? 0xffff : keys_ > i ? (1 << (keys_ - i)) - 1 : 0); };
    const __m512 lowest = _mm512_set1_ps(-INFINITY);
    __m512 most = lowest;
    for (int64_t i = 0; i < keys_; i += 16) most = _mm512_max_ps(most, _mm512_mask_loadu_ps(lowest, mask(i), scores + i));
    const __m512 scale = _mm512_set1_ps(scale_);
    const __m512 highest = _mm512_mul_ps(_mm512_set1_ps(_mm512_reduce_max_ps(most)), scale);
    __m512 sum = _mm512_setzero_ps();
    for (int64_t i = 0; i < padded_; i += 16) {
      const __m512 score = _mm512_mul_ps(_mm512_loadu_ps(scores + i), scale);
      const __m512 weight = _mm512_maskz_mov_ps(mask(i), ggml_v_expf(_mm512_sub_ps(score, highest)));
      sum = _mm512_add_ps(sum, weight);
      earshot_split_part(weight, i, to);
    }
    return _mm512_reduce_add_ps(sum);
  }

  void attend(int64_t head, int64_t first) {
    const ggml_tensor* q = op_->src[0];
    const int64_t count = std::min(kRows, q->ne[1] - first);
    for (int64_t r = 0; r < kRows; ++r) {
      const float* x = r < count ? reinterpret_cast<const float*>(row_of(q, first + r, head)) : nullptr;
      earshot_split_column(x, width_, query_panels_ + r / kEarshotTile * panel(width_), r % kEarshotTile);
    }
    for (int64_t key = 0; key < padded_; key += kRows) {
      const char* keys = keys_panels_ + key / kEarshotTile * panel(width_);
      earshot_multiply_panels<2, 2>(query_panels_, keys, width_, scores_ + key, padded_, false);
    }
    float sums[kRows];
    for (int64_t r = 0; r < kRows; ++r) {
      sums[r] = weigh(scores_ + r * padded_, weights_panels_ + r / kEarshotTile * panel(padded_) + r % kEarshotTile * 64);
    }
    for (int64_t at = 0; at < width_; at += kRows) {
      const char* values = values_panels_ + at / kEarshotTile * panel(padded_);
      earshot_multiply_panels<2, 2>(weights_panels_, values, padded_, rows_ + at, width_, false);
    }
    for (int64_t r = 0; r < count; ++r) {
      auto* out = reinterpret_cast<float*>(static_cast<char*>(op_->data) + (head + (first + r) * op_->ne[1]) * op_->nb[1]);
      const __m512 factor = _mm512_set1_ps(1.0F / sums[r]);
      for (int64_t i = 0; i < width_; i += 16) _mm512_storeu_ps(out + i, _mm512_mul_ps(_mm512_loadu_ps(rows_ + r * width_ + i), factor));
    }
  }

  const ggml_tensor* op_;
  int64_t width_;
  int64_t keys_;
  int64_t padded_;
  float scale_;
  char* keys_panels_;
  char* values_panels_;
  char* query_panels_;
  float* rows_;
  float* scores_;
  char* weights_panels_;
};

#endif

// Computes a whole flash attention of many rows; false if it is of another kind.
static bool earshot_many_rows_attention(const ggml_compute_params* params, ggml_tensor* dst) {
  if (params->use_ref) return false;
#if defined(EARSHOT_AMX)
  if (earshot_many_rows::fits(dst)) {
    earshot_many_rows::compute(params, dst);
    return true;
  }
#endif
#if defined(EARSHOT_TILED_ATTENTION)
  if (earshot_tiled_attention::fits(dst)) {
    earshot_tiled_attention::compute(params, dst);
    return true;
  }
#endif
  return false;
}

// For ggml_graph_plan, which is written in C.
extern "C" size_t earshot_attention_work_size([[maybe_unused]] const ggml_tensor* op, [[maybe_unused]] int threads) {
#if defined(EARSHOT_AMX)
  if (earshot_many_rows::fits(op)) return earshot_many_rows::work_size(op, threads);
#endif
#if defined(EARSHOT_TILED_ATTENTION)
  if (earshot_tiled_attention::fits(op)) return earshot_tiled_attention::work_size(op, threads);
#endif
  return 0;
}
