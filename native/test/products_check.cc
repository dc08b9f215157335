// Compares the engine's products and attention with exact arithmetic, for test/integration/native/products.test.ts:
//
//   products-check THREADS
//
// prints whether AMX is used, what its self-test says of right and of wrong tiles, and the largest error of each kind, a root of
// mean squares relative to the results, as one line of JSON.

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
  ggml_backend_buffer_type_t packed;  // null where the processor packs nothing
};

Engine openEngine(int threads) {
  ggml_backend_load_all();
  Engine engine{ggml_backend_init_by_type(GGML_BACKEND_DEVICE_TYPE_CPU, nullptr), nullptr};
  ggml_backend_dev_t device = ggml_backend_get_device(engine.backend);
  ggml_backend_reg_t registry = ggml_backend_dev_backend_reg(device);
  const auto setThreads =
      reinterpret_cast<ggml_backend_set_n_threads_t>(ggml_backend_reg_get_proc_address(registry, "ggml_backend_set_n_threads"));
  setThreads(engine.backend, threads);
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

// The error of attention of `rows` rows to `keys` keys of `width` numbers, with two heads.
double errorOfAttention(const Engine& engine, int64_t rows, int64_t keys, int64_t width) {
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
  for (float& number : queries) number *= 8;
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

const char* name(bool value) { return value ? "true" : "false"; }

}  // namespace

int main(int count, char** arguments) {
  const Engine engine = openEngine(count > 1 ? std::atoi(arguments[1]) : 1);
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
  std::printf("\"attention\":%.3g}\n", worstAttention(engine));
  ggml_backend_free(engine.backend);
  return 0;
}
