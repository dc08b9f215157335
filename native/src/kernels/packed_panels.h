// Products of packed weights with many columns, by AMX: see packed_weights.h, which includes this file.

#pragma once

// A Format writes numbers of a group of its rows as a panel of amx_tiles.h (`split`).
template <typename Format>
class earshot_panels {
 public:
  // Fewer columns are faster without tiles, and a matrix of columns is enough.
  static bool fit(const ggml_tensor* op) {
    constexpr int64_t kManyColumns = 32;
    return op->ne[1] >= kManyColumns && op->ne[1] == ggml_nrows(op) && op->src[0]->ne[0] % kEarshotTileDepth == 0 && earshot_amx();
  }

  // The panels of all columns, those of two groups of rows for each thread, and a row.
  static size_t work_size(int threads, const ggml_tensor* op) {
    return kLine + panels_of(op->ne[1]) * earshot_panel_bytes(op->src[0]->ne[0]) + threads * thread_bytes(op);
  }

  static void multiply(const ggml_compute_params* params, ggml_tensor* op) {
    const int64_t numbers = op->src[0]->ne[0];
    const int64_t panels = panels_of(op->ne[1]);
    for (int64_t panel = params->ith; panel < panels; panel += params->nth) {
      for (int64_t lane = 0; lane < kEarshotTile; ++lane) {
        const int64_t c = panel * kEarshotTile + lane;
        const float* x = c < op->ne[1] ? row_of<const float>(op->src[1], c) : nullptr;
        for (int64_t first = 0; first < numbers; first += kDepth) {
          earshot_split_column(x ? x + first : nullptr, depth(numbers, first), column_panel(params, op, panel, first), lane);
        }
      }
    }
    if (params->ith == 0) ggml_threadpool_chunk_set(params->threadpool, params->nth);
    ggml_barrier(params->threadpool);

    // Several parts for each thread, because a core may be busy with something else.
    const int64_t packed = earshot_packed_rows(op->src[0]->ne[1]);
    const int64_t pairs = (packed + kRows - 1) / kRows;
    const int64_t parts = params->nth == 1 ? 1 : std::min<int64_t>(pairs, 4 * params->nth);
    const earshot_tiles tiles{earshot_tile_config{}};
    for (int64_t part = params->ith; part < parts; part = ggml_threadpool_chunk_add(params->threadpool, 1)) {
      multiply_part(params, op, pairs * part / parts * kRows, std::min(packed, pairs * (part + 1) / parts * kRows));
    }
    for (int64_t row = packed + params->ith; row < op->src[0]->ne[1]; row += params->nth) multiply_plain(params, op, row);
  }

 private:
  static constexpr int64_t kLine = 64;
  static constexpr int64_t kRows = 2 * kEarshotTile;
  // Panels of so many columns, in this depth, stay in the second-level cache while rows go by.
  static constexpr int64_t kDepth = 512;
  static constexpr int64_t kColumns = 384;

  template <typename Number>
  static Number* row_of(const ggml_tensor* tensor, int64_t row) {
    return reinterpret_cast<Number*>(static_cast<char*>(tensor->data) + row * tensor->nb[1]);
  }

  static int64_t panels_of(int64_t columns) { return (columns + kEarshotTile - 1) / kEarshotTile; }

  static int64_t depth(int64_t numbers, int64_t first) { return std::min(kDepth, numbers - first); }

  static int64_t thread_bytes(const ggml_tensor* op) {
    const int64_t row = (op->src[0]->ne[0] * static_cast<int64_t>(sizeof(float)) + kLine - 1) / kLine * kLine;
    return std::max(2 * earshot_panel_bytes(kDepth), row);
  }

  static char* work(const ggml_compute_params* params) {
    return reinterpret_cast<char*>((reinterpret_cast<uintptr_t>(params->wdata) + kLine - 1) / kLine * kLine);
  }

  static char* thread_work(const ggml_compute_params* params, const ggml_tensor* op) {
    return work(params) + panels_of(op->ne[1]) * earshot_panel_bytes(op->src[0]->ne[0]) + params->ith * thread_bytes(op);
  }

  // Panels of one depth lie behind each other.
  static char* column_panel(const ggml_compute_params* params, const ggml_tensor* op, int64_t panel, int64_t first) {
    const int64_t before = panels_of(op->ne[1]) * earshot_panel_bytes(first);
    return work(params) + before + panel * earshot_panel_bytes(depth(op->src[0]->ne[0], first));
  }

  // Rows from `row`, the first of a group, to before `last`.
  static void multiply_part(const ggml_compute_params* params, ggml_tensor* op, int64_t row, int64_t last) {
    const ggml_tensor* weights = op->src[0];
    for (int64_t first = 0; first < weights->ne[0]; first += kDepth) {
      for (int64_t from = 0; from < op->ne[1]; from += kColumns) {
        const int64_t to = std::min(op->ne[1], from + kColumns);
        for (int64_t r = row; r < last; r += kRows) multiply_rows(params, op, r, std::min(last, r + kRows), from, to, first);
      }
    }
  }

  static void multiply_rows(const ggml_compute_params* params, ggml_tensor* op, int64_t row, int64_t last, int64_t from, int64_t to,
                            int64_t first) {
    const ggml_tensor* weights = op->src[0];
    const int64_t numbers = depth(weights->ne[0], first);
    const int64_t groups = (last - row) / kEarshotTile;
    char* rows = thread_work(params, op);
    for (int64_t group = 0; group < groups; ++group) {
      Format::split(row_of<const char>(weights, row + group * kEarshotTile), first, numbers, rows + group * earshot_panel_bytes(numbers));
    }
    const int64_t stride = op->nb[1] / sizeof(float);
    for (int64_t c = from; c < to; c += 2 * kEarshotTile) {
      const char* columns = column_panel(params, op, c / kEarshotTile, first);
      const int64_t count = std::min<int64_t>(2 * kEarshotTile, to - c);
      float* out = row_of<float>(op, c) + row;
      if (count % kEarshotTile == 0) {
        earshot_multiply_panels(count / kEarshotTile, groups, columns, rows, numbers, out, stride, first > 0);
        continue;
      }
      alignas(kLine) float part[2 * kEarshotTile * kRows];
      const size_t bytes = groups * kEarshotTile * sizeof(float);
      for (int64_t i = 0; first > 0 && i < count; ++i) memcpy(part + i * kRows, out + i * stride, bytes);
      earshot_multiply_panels(panels_of(count), groups, columns, rows, numbers, part, kRows, first > 0);
      for (int64_t i = 0; i < count; ++i) memcpy(out + i * stride, part + i * kRows, bytes);
    }
  }

  // A row behind the last whole group.
  static void multiply_plain(const ggml_compute_params* params, ggml_tensor* op, int64_t row) {
    const ggml_tensor* weights = op->src[0];
    auto* plain = reinterpret_cast<float*>(thread_work(params, op));
    ggml_get_type_traits(weights->type)->to_float(row_of<const char>(weights, row), plain, weights->ne[0]);
    for (int64_t c = 0; c < op->ne[1]; ++c) {
      const float* x = row_of<const float>(op->src[1], c);
      float sum = 0;
      for (int64_t i = 0; i < weights->ne[0]; ++i) sum += plain[i] * x[i];
      row_of<float>(op, c)[row] = sum;
    }
  }
};
