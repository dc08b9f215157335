// Compares the engine's products and attention with exact arithmetic, for test/integration/native/products.test.ts:
//
//   products-check THREADS
//
// prints whether AMX is used, what its self-test says of right and of wrong tiles, the largest error of each kind, a root of
// mean squares relative to the results, how threads share the graph of a token, and what sound_check.h says, as one line of JSON.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "amx_tiles.h"
#include "ggml-alloc.h"
#include "ggml-backend.h"
#include "ggml.h"
#include "sound_check.h"

#if defined(__linux__)
#include <sched.h>
#include <sys/resource.h>
#endif

namespace {

using Numbers = std::vector<float>;

Numbers noise(size_t count, uint32_t state) {
  Numbers numbers(count);
  for (float& number : numbers) {
    state = state * 1664525U + 1013904223U;
    number = static_cast<float>(state >> 8) / 8388608.0F - 1.0F;
  }
  return numbers;
}

struct Engine {
  ggml_backend_t backend;
  ggml_backend_set_n_threads_t set_threads;
  ggml_backend_buffer_type_t packed;  // null where the processor packs nothing
};

Engine openEngine(int threads) {
  ggml_backend_load_all();
  Engine engine{ggml_backend_init_by_type(GGML_BACKEND_DEVICE_TYPE_CPU, nullptr), nullptr, nullptr};
  ggml_backend_dev_t device = ggml_backend_get_device(engine.backend);
  ggml_backend_reg_t registry = ggml_backend_dev_backend_reg(device);
  engine.set_threads =
      reinterpret_cast<ggml_backend_set_n_threads_t>(ggml_backend_reg_get_proc_address(registry, "ggml_backend_set_n_threads"));
  engine.set_threads(engine.backend, threads);
  const auto list = reinterpret_cast<ggml_backend_dev_get_extra_bufts_t>(
      ggml_backend_reg_get_proc_address(registry, "ggml_backend_dev_get_extra_bufts"));
  for (auto* type = list ? list(device) : nullptr; type && *type; ++type) {
    if (std::string(ggml_backend_buft_name(*type)) == "CPU_REPACK") engine.packed = *type;
  }
  return engine;
}

ggml_context* newContext() { return ggml_init({16 * ggml_tensor_overhead() + 2 * ggml_graph_overhead(), nullptr, true}); }

Numbers compute(const Engine& engine, ggml_context* context, ggml_tensor* result, ggml_gallocr_t allocator) {
  ggml_cgraph* graph = ggml_new_graph(context);
  ggml_build_forward_expand(graph, result);
  ggml_backend_graph_compute(engine.backend, graph);
  Numbers numbers(ggml_nelements(result));
  ggml_backend_tensor_get(result, numbers.data(), 0, ggml_nbytes(result));
  ggml_gallocr_free(allocator);
  return numbers;
}

ggml_gallocr_t allocate(ggml_context* context, ggml_tensor* result) {
  ggml_cgraph* graph = ggml_new_graph(context);
  ggml_set_output(result);
  ggml_build_forward_expand(graph, result);
  ggml_gallocr_t allocator = ggml_gallocr_new(ggml_backend_cpu_buffer_type());
  ggml_gallocr_alloc_graph(allocator, graph);
  return allocator;
}

// The error of products of `rows` rows of `depth` numbers with `count` columns.
double errorOfProduct(const Engine& engine, ggml_type type, int64_t depth, int64_t rows, int64_t count) {
  ggml_context* held = newContext();
  ggml_context* context = newContext();
  ggml_tensor* weights = ggml_new_tensor_2d(held, type, depth, rows);
  ggml_backend_buffer_type_t kind = engine.packed ? engine.packed : ggml_backend_cpu_buffer_type();
  ggml_backend_buffer_t buffer = ggml_backend_alloc_ctx_tensors_from_buft(held, kind);
  const Numbers exact = noise(depth * rows, 1);
  std::vector<char> stored(ggml_nbytes(weights));
  ggml_quantize_chunk(type, exact.data(), stored.data(), 0, rows, depth, nullptr);
  ggml_backend_tensor_set(weights, stored.data(), 0, stored.size());
  Numbers held_numbers(depth * rows);
  ggml_get_type_traits(type)->to_float(stored.data(), held_numbers.data(), depth * rows);

  const Numbers x = noise(depth * count, 2);
  ggml_tensor* columns = ggml_new_tensor_2d(context, GGML_TYPE_F32, depth, count);
  ggml_set_input(columns);
  ggml_tensor* product = ggml_mul_mat(context, weights, columns);
  ggml_gallocr_t allocator = allocate(context, product);
  ggml_backend_tensor_set(columns, x.data(), 0, x.size() * sizeof(float));
  const Numbers y = compute(engine, context, product, allocator);
  double wrong = 0;
  double whole = 0;
  for (int64_t c = 0; c < count; ++c) {
    for (int64_t r = 0; r < rows; ++r) {
      double sum = 0;
      for (int64_t i = 0; i < depth; ++i) sum += static_cast<double>(held_numbers[r * depth + i]) * x[c * depth + i];
      const double error = y[c * rows + r] - sum;
      wrong += error * error;
      whole += sum * sum;
    }
  }
  ggml_backend_buffer_free(buffer);
  ggml_free(held);
  ggml_free(context);
  return std::sqrt(wrong / whole);
}

// The error of attention of `rows` rows to `keys` keys of `width` numbers, with two heads. `size` is that of queries.
double errorOfAttention(const Engine& engine, int64_t rows, int64_t keys, int64_t width, float size = 8) {
  constexpr int64_t kHeads = 2;
  const float scale = 1.0F / std::sqrt(static_cast<float>(width));
  ggml_context* context = newContext();
  ggml_tensor* q = ggml_new_tensor_3d(context, GGML_TYPE_F32, width, rows, kHeads);
  ggml_tensor* k = ggml_new_tensor_3d(context, GGML_TYPE_F16, width, keys, kHeads);
  ggml_tensor* v = ggml_new_tensor_3d(context, GGML_TYPE_F16, width, keys, kHeads);
  for (ggml_tensor* tensor : {q, k, v}) ggml_set_input(tensor);
  ggml_tensor* result = ggml_flash_attn_ext(context, q, k, v, nullptr, scale, 0.0F, 0.0F);
  ggml_gallocr_t allocator = allocate(context, result);
  Numbers queries = noise(ggml_nelements(q), 3);
  for (float& number : queries) number *= size;
  ggml_backend_tensor_set(q, queries.data(), 0, ggml_nbytes(q));
  Numbers held[2];
  for (int i = 0; i < 2; ++i) {
    held[i] = noise(ggml_nelements(k), 4 + i);
    std::vector<ggml_fp16_t> halves(held[i].size());
    ggml_fp32_to_fp16_row(held[i].data(), halves.data(), static_cast<int64_t>(halves.size()));
    ggml_fp16_to_fp32_row(halves.data(), held[i].data(), static_cast<int64_t>(halves.size()));
    ggml_backend_tensor_set(i == 0 ? k : v, halves.data(), 0, ggml_nbytes(k));
  }
  const Numbers y = compute(engine, context, result, allocator);
  double wrong = 0;
  double whole = 0;
  std::vector<double> weights(keys);
  for (int64_t head = 0; head < kHeads; ++head) {
    for (int64_t r = 0; r < rows; ++r) {
      double all = 0;
      for (int64_t key = 0; key < keys; ++key) {
        double score = 0;
        for (int64_t i = 0; i < width; ++i)
          score += static_cast<double>(queries[(head * rows + r) * width + i]) * held[0][(head * keys + key) * width + i];
        weights[key] = std::exp(score * scale);
        all += weights[key];
      }
      for (int64_t i = 0; i < width; ++i) {
        double sum = 0;
        for (int64_t key = 0; key < keys; ++key) sum += weights[key] / all * held[1][(head * keys + key) * width + i];
        const double error = y[(r * kHeads + head) * width + i] - sum;
        wrong += error * error;
        whole += sum * sum;
      }
    }
  }
  ggml_free(context);
  return std::sqrt(wrong / whole);
}

// With fewer columns than AMX multiplies.
double worstWithFew(const Engine& engine, ggml_type type) {
  double worst = 0;
  for (int64_t count = 1; count < 32; ++count) worst = std::max(worst, errorOfProduct(engine, type, 96, 49, count));
  return worst;
}

double worstWithMany(const Engine& engine, ggml_type type) {
  double worst = 0;
  for (const int64_t depth : {32, 96, 160, 512, 544, 1056}) {
    for (const int64_t rows : {16, 17, 33, 100, 208}) {
      for (const int64_t count : {32, 33, 40, 48, 65}) worst = std::max(worst, errorOfProduct(engine, type, depth, rows, count));
    }
  }
  // More columns than stay in the cache at once.
  return std::max(worst, errorOfProduct(engine, type, 544, 40, 801));
}

double worstAttention(const Engine& engine) {
  double worst = 0;
  for (const int64_t rows : {64, 65, 95, 130}) {
    for (const int64_t keys : {1, 31, 64, 100, 257}) worst = std::max(worst, errorOfAttention(engine, rows, keys, 64));
  }
  return std::max({worst, errorOfAttention(engine, 70, 33, 32), errorOfAttention(engine, 70, 33, 96), errorOfAttention(engine, 64, 40, 288)});
}

// As a decoding step has, with one row for each beam.
double worstAttentionOfFew(const Engine& engine) {
  double worst = 0;
  for (const int64_t rows : {1, 2, 5, 8}) {
    for (const int64_t keys : {1, 7, 64, 257}) {
      for (const int64_t width : {16, 64, 80}) worst = std::max(worst, errorOfAttention(engine, rows, keys, width));
    }
  }
  return worst;
}

// Times that threads of this process went to sleep; 0 where nobody counts them.
long sleeps() {
#if defined(__linux__)
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_nvcsw;
#else
  return 0;
#endif
}

// Threads that are started from now on share one core.
void stayOnOneCore() {
#if defined(__linux__)
  cpu_set_t allowed;
  sched_getaffinity(0, sizeof allowed, &allowed);
  int core = 0;
  while (!CPU_ISSET(core, &allowed)) ++core;
  CPU_ZERO(&allowed);
  CPU_SET(core, &allowed);
  sched_setaffinity(0, sizeof allowed, &allowed);
#endif
}

struct Sharing {
  bool equal = true;         // whether the results have the bits of a single thread
  double sleeps_a_layer = 0;
};

// Like a token of a beam of five: small operations and a product in each of many layers.
Sharing shareToken(const Engine& engine, int threads) {
  constexpr int64_t kWidth = 512;
  constexpr int64_t kBeam = 5;
  constexpr int kLayers = 24;
  constexpr int kRuns = 20;
  ggml_context* held = newContext();
  ggml_tensor* weights = ggml_new_tensor_2d(held, GGML_TYPE_F16, kWidth, kWidth);
  ggml_backend_buffer_t buffer =
      ggml_backend_alloc_ctx_tensors_from_buft(held, engine.packed ? engine.packed : ggml_backend_cpu_buffer_type());
  const Numbers exact = noise(kWidth * kWidth, 6);
  std::vector<ggml_fp16_t> halves(exact.size());
  ggml_fp32_to_fp16_row(exact.data(), halves.data(), static_cast<int64_t>(halves.size()));
  ggml_backend_tensor_set(weights, halves.data(), 0, ggml_nbytes(weights));

  ggml_context* context = ggml_init({8 * kLayers * ggml_tensor_overhead() + ggml_graph_overhead(), nullptr, true});
  ggml_tensor* input = ggml_new_tensor_2d(context, GGML_TYPE_F32, kWidth, kBeam);
  ggml_set_input(input);
  ggml_tensor* x = input;
  for (int layer = 0; layer < kLayers; ++layer) {
    ggml_tensor* y = ggml_mul_mat(context, weights, ggml_scale(context, ggml_norm(context, x, 1e-5F), 0.1F));
    x = ggml_add(context, ggml_mul(context, ggml_gelu(context, y), y), x);
  }
  ggml_set_output(x);
  ggml_cgraph* graph = ggml_new_graph(context);
  ggml_build_forward_expand(graph, x);
  ggml_gallocr_t allocator = ggml_gallocr_new(ggml_backend_cpu_buffer_type());
  ggml_gallocr_alloc_graph(allocator, graph);

  const Numbers start = noise(kWidth * kBeam, 7);
  const auto run = [&](int count) {
    engine.set_threads(engine.backend, count);
    ggml_backend_tensor_set(input, start.data(), 0, ggml_nbytes(input));
    ggml_backend_graph_compute(engine.backend, graph);
    Numbers numbers(ggml_nelements(x));
    ggml_backend_tensor_get(x, numbers.data(), 0, ggml_nbytes(x));
    return numbers;
  };
  Sharing sharing;
  const Numbers alone = run(1);
  for (int i = 0; i < kRuns; ++i) {
    const long before = sleeps();
    const Numbers together = run(threads);
    sharing.sleeps_a_layer += static_cast<double>(sleeps() - before) / kLayers / kRuns;
    sharing.equal = sharing.equal && memcmp(alone.data(), together.data(), ggml_nbytes(x)) == 0;
  }
  engine.set_threads(engine.backend, threads);
  ggml_gallocr_free(allocator);
  ggml_backend_buffer_free(buffer);
  ggml_free(held);
  ggml_free(context);
  return sharing;
}

const char* name(bool value) { return value ? "true" : "false"; }

}  // namespace

int main(int count, char** arguments) {
  const int threads = count > 1 ? std::atoi(arguments[1]) : 1;
  const Engine engine = openEngine(threads);
  bool amx = false;
  bool right = true;
  bool wrong = false;
#if defined(EARSHOT_AMX)
  amx = earshot_amx();
  if (amx) {
    earshot_tile_config small;
    for (int i = 0; i < 8; ++i) {
      small.rows[i] = 8;
      small.row_bytes[i] = 32;
    }
    right = earshot_tiles_agree(earshot_tile_config{});
    wrong = earshot_tiles_agree(small);
  }
#endif
  std::printf("{\"amx\":%s,\"right\":%s,\"wrong\":%s,", name(amx), name(right), name(wrong));
  for (const ggml_type type : {GGML_TYPE_F16, GGML_TYPE_Q8_0}) {
    const double few = worstWithFew(engine, type);
    std::printf("\"%s\":{\"few\":%.3g,\"many\":%.3g},", ggml_type_name(type), few, worstWithMany(engine, type));
  }
  // Most weights of steep scores are too small for a float.
  std::printf("\"attention\":{\"many\":%.3g,\"few\":%.3g,\"steep\":%.3g},", worstAttention(engine), worstAttentionOfFew(engine),
              errorOfAttention(engine, 95, 100, 64, 400));
  std::printf("\"bands\":%s,\"probabilities\":%.3g,", name(bandsAreEqual(noise(5000, 8))), errorOfProbabilities(noise(5000, 9)));
  const bool equal = shareToken(engine, threads).equal;
  ggml_backend_free(engine.backend);
  stayOnOneCore();
  const Engine busy = openEngine(threads);
  const Sharing sharing = shareToken(busy, threads);
  std::printf("\"token\":{\"equal\":%s,\"sleeps\":%.2f}}\n", name(equal && sharing.equal), sharing.sleeps_a_layer);
  ggml_backend_free(busy.backend);
  return 0;
}
