// How threads share the attention of many rows: see native/patches/19-attention-by-tiles.patch.

#pragma once

#include <algorithm>
#include <cstdint>

#include "ggml-cpu-impl.h"
#include "ggml-cpu.h"

// Calls prepare(head), then attend(head, row) for blocks of `rows` query rows of it, as long as there are some for this thread.
template <typename Prepare, typename Attend>
static void earshot_share_heads(const ggml_compute_params* params, const ggml_tensor* op, int64_t rows, Prepare prepare, Attend attend) {
  // Several parts for each thread, because a core may be busy with something else.
  const int64_t blocks = (op->src[0]->ne[1] + rows - 1) / rows;
  const int64_t heads = op->src[0]->ne[2];
  const int64_t parts = params->nth == 1 ? 1 : std::min<int64_t>(blocks, (4 * params->nth + heads - 1) / heads);
  if (params->ith == 0) ggml_threadpool_chunk_set(params->threadpool, params->nth);
  ggml_barrier(params->threadpool);
  for (int64_t at = params->ith; at < heads * parts; at = ggml_threadpool_chunk_add(params->threadpool, 1)) {
    prepare(at / parts);
    const int64_t part = at % parts;
    for (int64_t block = blocks * part / parts; block < blocks * (part + 1) / parts; ++block) attend(at / parts, block * rows);
  }
}
