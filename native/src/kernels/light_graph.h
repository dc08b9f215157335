// Graphs of little work, as a decoder has one for every token: see native/patches/20-helper-threads.patch.

#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>

#include "ggml-backend-impl.h"
#include "ggml-cpu.h"
#include "ggml-impl.h"
#include "helper_threads.h"
#include "shared_work.h"

// In ggml-cpu.c: computes a node with all its rows, by the thread that calls it, whatever the number of threads of the plan.
extern "C" void earshot_compute_alone(ggml_tensor* node, const ggml_cplan* plan);

// Multiplications of two numbers that take as long as it takes to wake a thread, tens of microseconds.
constexpr int64_t kEarshotSharedWork = 1 << 20;
// Of one task, so that the last one does not keep the others waiting for long.
constexpr int64_t kEarshotTaskWork = 1 << 19;
// Numbers of a result that one thread computes sooner than two agree on their shares.
constexpr int64_t kEarshotLightNumbers = 1 << 17;

// Operations whose results do not depend on the number of threads, and which need no other thread.
static bool earshot_is_plain(const ggml_tensor* node) {
  switch (node->op) {
    case GGML_OP_ADD:
    case GGML_OP_SUB:
    case GGML_OP_MUL:
    case GGML_OP_DIV:
    case GGML_OP_SCALE:
    case GGML_OP_LOG:
    case GGML_OP_UNARY:
    case GGML_OP_NORM:
    case GGML_OP_SOFT_MAX:
    case GGML_OP_GET_ROWS:
    case GGML_OP_CPY:
    case GGML_OP_CONT:
    case GGML_OP_DUP:
      return ggml_nelements(node) <= kEarshotLightNumbers;
    default:
      return false;
  }
}

static bool earshot_is_computed(const ggml_tensor* node) {
  return !ggml_op_is_empty(node->op) && !ggml_is_empty(node) && (node->flags & GGML_TENSOR_FLAG_COMPUTE) != 0;
}

// Whether all that takes long can be shared task by task. Other graphs are computed by all threads in step, as in ggml.
static bool earshot_is_light(const ggml_cgraph* graph, const ggml_cplan& plan) {
  if (plan.n_threads < 2 || plan.threadpool || plan.use_ref) return false;
  return std::all_of(graph->nodes, graph->nodes + graph->n_nodes, [](const ggml_tensor* node) {
    return !earshot_is_computed(node) || earshot_is_plain(node) || earshot_shared_work(node).units > 0;
  });
}

static void earshot_compute_light_node(ggml_tensor* node, const ggml_cplan& plan, earshot_helpers& helpers) {
  const earshot_work work = earshot_shared_work(node);
  const int64_t most = std::min<int64_t>(work.units, earshot_helpers::kMaxTasks);
  const int64_t tasks = std::min(most, work.units * work.unit_work / kEarshotTaskWork);
  if (tasks < 2 || work.units * work.unit_work < kEarshotSharedWork) return earshot_compute_alone(node, &plan);
  const auto params = [&](int thread) {
    return ggml_compute_params{thread, plan.n_threads, plan.work_size, plan.work_data, nullptr, false};
  };
  work.prepare(params(0), node);
  auto compute = [&](int task, int thread) {
    work.compute(params(thread), node, work.units * task / tasks, work.units * (task + 1) / tasks);
  };
  helpers.run(static_cast<int>(tasks), compute);
}

static ggml_status earshot_compute_light(const ggml_cgraph* graph, const ggml_cplan& plan, std::unique_ptr<earshot_helpers>& helpers) {
  const int wanted = plan.n_threads - 1;
  if (!helpers || helpers->wanted() != wanted) helpers = std::make_unique<earshot_helpers>(wanted);
  for (int i = 0; i < graph->n_nodes; ++i) {
    if (!earshot_is_computed(graph->nodes[i])) continue;
    earshot_compute_light_node(graph->nodes[i], plan, *helpers);
    if (plan.abort_callback && plan.abort_callback(plan.abort_callback_data)) return GGML_STATUS_ABORTED;
  }
  return GGML_STATUS_SUCCESS;
}
