// Operations that threads compute part by part, without waiting for each other: see native/patches/20-helper-threads.patch.

#pragma once

#include <cstdint>

#include "ggml-cpu-impl.h"
#include "ggml.h"

// `units`: how many rows, heads or the like can be computed one by one; 0: the operation is of another kind. `unit_work`:
// multiplications of each. `prepare` is called once, before any unit; `compute` for units from `first` to before `last`, with the
// number of the thread in params->ith, which has scratch memory of its own in params->wdata. Neither uses params->threadpool.
struct earshot_work {
  int64_t units = 0;
  int64_t unit_work = 0;
  void (*prepare)(const ggml_compute_params& params, ggml_tensor* op) = nullptr;
  void (*compute)(const ggml_compute_params& params, ggml_tensor* op, int64_t first, int64_t last) = nullptr;
};

// In repack.cpp (packed_weights.h) and ops.cpp (few_rows_attention.h).
earshot_work earshot_product_work(const ggml_tensor* op);
earshot_work earshot_attention_work(const ggml_tensor* op);

static inline earshot_work earshot_shared_work(const ggml_tensor* op) {
  if (op->op == GGML_OP_MUL_MAT) return earshot_product_work(op);
  if (op->op == GGML_OP_FLASH_ATTN_EXT) return earshot_attention_work(op);
  return {};
}
