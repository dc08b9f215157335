// Matrices that are packed when they are loaded, 16 rows together: see native/patches/17-packed-weights.patch.

#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "amx_tiles.h"
#include "ggml-cpu-impl.h"
#include "ggml-cpu.h"
#include "ggml-quants.h"
#include "quants.h"
#include "repack.h"
#include "shared_work.h"

// Rows of a group: as many as a vector has floats. Rows behind the last whole group stay as they are.
constexpr int64_t kEarshotGroup = 16;

static inline int64_t earshot_packed_rows(int64_t rows) { return rows / kEarshotGroup * kEarshotGroup; }

#if defined(__AVX512F__)
#define EARSHOT_PACKED_F16
#include "packed_f16.h"
#if defined(__AVX512VNNI__)
#define EARSHOT_PACKED_Q8
#include "packed_q8.h"
#endif
#elif defined(__AVX2__) && defined(__FMA__) && defined(__F16C__)
#define EARSHOT_PACKED_F16
#define EARSHOT_PACKED_Q8
#include "packed_f16_avx2.h"
#include "packed_q8_avx2.h"
#endif

#if defined(EARSHOT_PACKED_F16)

#if defined(EARSHOT_AMX)
#include "packed_panels.h"
#endif

// Calls multiply.run<COLUMNS>() with as many columns as there are, 1 to MOST.
template <int MOST, typename Multiply>
static inline void earshot_with_columns(int64_t count, Multiply multiply) {
  if constexpr (MOST > 1) {
    if (count < MOST) return earshot_with_columns<MOST - 1>(count, multiply);
  }
  multiply.template run<MOST>();
}

// Products of GROUPS groups of rows with a few columns. FETCHES: asks for the weights of the next groups, which come from the memory
// while these are multiplied; a processor does so by itself within a page only.
template <typename Format, int GROUPS, bool FETCHES>
struct earshot_tile {
  const void* groups;
  const void* const* columns;
  int64_t numbers;
  float* const* out;

  template <int COLUMNS>
  void run() const {
    Format::template multiply<GROUPS, COLUMNS, FETCHES>(groups, columns, numbers, out);
  }
};

// Matrix products and row look-ups over a packed tensor. A Format has the weights' type, and how columns are prepared.
template <typename Format>
class earshot_packed_weights : public ggml::cpu::repack::tensor_traits_base {
 public:
  static bool fits(const ggml_tensor* tensor) {
    return tensor->type == Format::kType && ggml_is_matrix(tensor) && tensor->ne[1] >= kEarshotGroup;
  }

  bool work_size(int threads, const ggml_tensor* op, size_t& size) override {
    if (op->op != GGML_OP_MUL_MAT) return false;
    size = ggml_nrows(op->src[1]) * Format::column_size(op->src[1]->ne[0]);
#if defined(EARSHOT_AMX)
    if (earshot_panels<Format>::fit(op)) size = earshot_panels<Format>::work_size(threads, op);
#endif
    return true;
  }

  bool compute_forward(ggml_compute_params* params, ggml_tensor* op) override {
    if (op->op == GGML_OP_MUL_MAT) multiply(params, op);
    else if (op->op == GGML_OP_GET_ROWS) look_up(params, op);
    else return false;
    return true;
  }

  int repack(ggml_tensor* tensor, const void* data, size_t size) override {
    GGML_ASSERT(size == ggml_nbytes(tensor));
    const int64_t packed = earshot_packed_rows(tensor->ne[1]);
    const size_t stride = tensor->nb[1];
    const char* from = static_cast<const char*>(data);
    char* to = static_cast<char*>(tensor->data);
    for (int64_t row = 0; row < packed; row += kEarshotGroup) Format::pack(from + row * stride, tensor->ne[0], to + row * stride);
    memcpy(to + packed * stride, from + packed * stride, (tensor->ne[1] - packed) * stride);
    return 0;
  }

  // A unit is a tile of rows. Many columns are computed by all threads in step.
  static earshot_work shared_work(const ggml_tensor* op) {
    constexpr int64_t kFewColumns = 8;
    // Reading a weight takes as long as multiplying it with so many columns.
    constexpr int64_t kReading = 5;
    const int64_t columns = ggml_nrows(op);
    if (columns > kFewColumns) return {};
    return {tiles_of(op), kTile * op->src[0]->ne[0] * (columns + kReading), prepare_all, multiply_tiles};
  }

 private:
  static constexpr int64_t kTile = Format::kTileGroups * kEarshotGroup;

  static int64_t tiles_of(const ggml_tensor* op) { return (op->src[0]->ne[1] + kTile - 1) / kTile; }

  // The address of a column, counted over all dimensions behind the first.
  static char* column_of(const ggml_tensor* tensor, int64_t column) {
    // Three divisions would take a fifth of the product of a short row.
    if (column < tensor->ne[1]) return static_cast<char*>(tensor->data) + column * tensor->nb[1];
    const int64_t i1 = column % tensor->ne[1];
    const int64_t i2 = column / tensor->ne[1] % tensor->ne[2];
    const int64_t i3 = column / (tensor->ne[1] * tensor->ne[2]);
    return static_cast<char*>(tensor->data) + i1 * tensor->nb[1] + i2 * tensor->nb[2] + i3 * tensor->nb[3];
  }

  static const void* prepared(const ggml_compute_params* params, const ggml_tensor* input, int64_t column) {
    const size_t size = Format::column_size(input->ne[0]);
    return size == 0 ? column_of(input, column) : static_cast<const char*>(params->wdata) + column * size;
  }

  template <int GROUPS>
  static void multiply_rows(const ggml_compute_params* params, ggml_tensor* op, int64_t row, int64_t from, int64_t to) {
    const ggml_tensor* weights = op->src[0];
    for (int64_t c = from; c < to; c += Format::kTileColumns) {
      const int64_t count = std::min<int64_t>(Format::kTileColumns, to - c);
      const void* columns[Format::kTileColumns];
      float* out[Format::kTileColumns];
      for (int64_t i = 0; i < count; ++i) {
        columns[i] = prepared(params, op->src[1], c + i);
        out[i] = reinterpret_cast<float*>(column_of(op, c + i)) + row;
      }
      const void* groups = static_cast<const char*>(weights->data) + row * weights->nb[1];
      const earshot_tile<Format, GROUPS, false> tile{groups, columns, weights->ne[0], out};
      const earshot_tile<Format, GROUPS, true> last_tile{groups, columns, weights->ne[0], out};
      if (c + count < to) earshot_with_columns<Format::kTileColumns>(count, tile);
      else earshot_with_columns<Format::kTileColumns>(count, last_tile);
    }
  }

  // Rows from `first`, the first of a group, to before `last`.
  static void multiply_part(const ggml_compute_params* params, ggml_tensor* op, int64_t first, int64_t last) {
    // Columns that stay in the caches while all weights go by.
    constexpr int64_t kColumnsAtOnce = 60;
    static_assert(kColumnsAtOnce % Format::kTileColumns == 0, "whole tiles");
    const ggml_tensor* weights = op->src[0];
    const int64_t count = ggml_nrows(op);
    const int64_t packed = std::min(last, earshot_packed_rows(weights->ne[1]));
    for (int64_t from = 0; from < count; from += kColumnsAtOnce) {
      const int64_t to = std::min(count, from + kColumnsAtOnce);
      int64_t row = first;
      for (; row + kTile <= packed; row += kTile) multiply_rows<Format::kTileGroups>(params, op, row, from, to);
      for (; row < packed; row += kEarshotGroup) multiply_rows<1>(params, op, row, from, to);
    }
    for (int64_t row = std::max(first, packed); row < last; ++row) {
      const void* plain = static_cast<const char*>(weights->data) + row * weights->nb[1];
      for (int64_t c = 0; c < count; ++c) {
        reinterpret_cast<float*>(column_of(op, c))[row] = Format::multiply_plain(plain, prepared(params, op->src[1], c), weights->ne[0]);
      }
    }
  }

  // Every `step`th column from `first` on.
  static void prepare(const ggml_compute_params& params, const ggml_tensor* op, int64_t first, int64_t step) {
    const ggml_tensor* input = op->src[1];
    GGML_ASSERT(input->type == GGML_TYPE_F32 && input->nb[0] == sizeof(float) && op->nb[0] == sizeof(float));
    const size_t size = Format::column_size(input->ne[0]);
    for (int64_t c = first; size > 0 && c < ggml_nrows(input); c += step) {
      Format::prepare(reinterpret_cast<const float*>(column_of(input, c)), input->ne[0],
                      static_cast<char*>(params.wdata) + c * size);
    }
  }

  static void prepare_all(const ggml_compute_params& params, ggml_tensor* op) { prepare(params, op, 0, 1); }

  static void multiply_tiles(const ggml_compute_params& params, ggml_tensor* op, int64_t first, int64_t last) {
    multiply_part(&params, op, first * kTile, std::min(op->src[0]->ne[1], last * kTile));
  }

  static void multiply(ggml_compute_params* params, ggml_tensor* op) {
#if defined(EARSHOT_AMX)
    if (earshot_panels<Format>::fit(op)) return earshot_panels<Format>::multiply(params, op);
#endif
    prepare(*params, op, params->ith, params->nth);
    if (params->ith == 0) ggml_threadpool_chunk_set(params->threadpool, params->nth);
    ggml_barrier(params->threadpool);

    // Several parts for each thread, because a core may be busy with something else.
    const int64_t tiles = tiles_of(op);
    const int64_t parts = params->nth == 1 ? 1 : std::min<int64_t>(tiles, 4 * params->nth);
    for (int64_t part = params->ith; part < parts; part = ggml_threadpool_chunk_add(params->threadpool, 1)) {
      multiply_tiles(*params, op, tiles * part / parts, tiles * (part + 1) / parts);
    }
  }

  static void look_up(ggml_compute_params* params, ggml_tensor* op) {
    const ggml_tensor* weights = op->src[0];
    const ggml_tensor* indices = op->src[1];
    GGML_ASSERT(indices->type == GGML_TYPE_I32 && ggml_nrows(op) == ggml_nelements(indices));
    for (int64_t i = params->ith; i < ggml_nrows(op); i += params->nth) {
      int32_t row;
      memcpy(&row, column_of(indices, i / indices->ne[0]) + i % indices->ne[0] * indices->nb[0], sizeof row);
      GGML_ASSERT(row >= 0 && row < weights->ne[1]);
      const bool is_packed = row < earshot_packed_rows(weights->ne[1]);
      const int64_t first = is_packed ? row / kEarshotGroup * kEarshotGroup : row;
      const void* data = static_cast<const char*>(weights->data) + first * weights->nb[1];
      auto* y = reinterpret_cast<float*>(column_of(op, i));
      if (is_packed) Format::unpack(data, row - first, weights->ne[0], y);
      else ggml_get_type_traits(weights->type)->to_float(data, y, weights->ne[0]);
    }
  }
};

static const ggml::cpu::tensor_traits* earshot_packed_traits(const ggml_tensor* tensor) {
  static const earshot_packed_weights<earshot_f16> f16;
  if (f16.fits(tensor)) return &f16;
#if defined(EARSHOT_PACKED_Q8)
  static const earshot_packed_weights<earshot_q8> q8;
  if (q8.fits(tensor)) return &q8;
#endif
  return nullptr;
}

earshot_work earshot_product_work(const ggml_tensor* op) {
  const ggml_tensor* weights = op->src[0];
  if (!weights->buffer || weights->buffer->buft != ggml_backend_cpu_repack_buffer_type()) return {};
  if (earshot_packed_weights<earshot_f16>::fits(weights)) return earshot_packed_weights<earshot_f16>::shared_work(op);
#if defined(EARSHOT_PACKED_Q8)
  if (earshot_packed_weights<earshot_q8>::fits(weights)) return earshot_packed_weights<earshot_q8>::shared_work(op);
#endif
  return {};
}
#else
static const ggml::cpu::tensor_traits* earshot_packed_traits(const ggml_tensor*) { return nullptr; }

earshot_work earshot_product_work(const ggml_tensor*) { return {}; }
#endif
