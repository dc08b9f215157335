// Measures the engine's parts without the service, for `npm run bench -- --peers`:
//
//   engine-bench encode MODEL THREADS         one window of 30 seconds
//   engine-bench token MODEL THREADS BEAM     one token of the decoder; a beam of 1 decodes greedily
//   engine-bench file MODEL THREADS BEAM PCM  a recording of raw 16 kHz mono floats
//
// prints processor time of all threads and elapsed time, in milliseconds, as one line of JSON.

#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include "whisper.h"

namespace {

constexpr int kWindow = 30 * WHISPER_SAMPLE_RATE;
// Tokens between which the decoder is timed.
constexpr int kFewTokens = 8;
constexpr int kManyTokens = 72;

struct Times {
  double cpu;
  double wall;
};

Times now() {
  const auto wall = std::chrono::steady_clock::now().time_since_epoch();
  return {1e3 * static_cast<double>(std::clock()) / CLOCKS_PER_SEC, std::chrono::duration<double, std::milli>(wall).count()};
}

template <typename Work>
Times timesOf(Work work) {
  const Times start = now();
  work();
  const Times end = now();
  return {end.cpu - start.cpu, end.wall - start.wall};
}

std::vector<float> noise() {
  std::vector<float> samples(kWindow);
  uint32_t state = 1;
  for (float& sample : samples) {
    state = state * 1664525U + 1013904223U;
    sample = (static_cast<float>(state >> 8) / 16777216.0F - 0.5F) * 0.1F;
  }
  return samples;
}

std::vector<float> readSamples(const char* path) {
  std::vector<float> samples;
  FILE* file = std::fopen(path, "rb");
  if (!file) return samples;
  std::vector<float> part(1 << 16);
  for (size_t count; (count = std::fread(part.data(), sizeof(float), part.size(), file)) > 0;)
    samples.insert(samples.end(), part.begin(), part.begin() + static_cast<std::ptrdiff_t>(count));
  std::fclose(file);
  return samples;
}

// When the decoder reached kFewTokens and kManyTokens.
struct Progress {
  Times few{};
  Times many{};
};

// Ends the text after kManyTokens and never before.
void limitTokens(whisper_context* context, whisper_state*, const whisper_token_data*, int count, float* logits, void* data) {
  Progress& progress = *static_cast<Progress*>(data);
  if (count == kFewTokens && progress.few.wall == 0) progress.few = now();
  if (count == kManyTokens && progress.many.wall == 0) progress.many = now();
  const int end = whisper_token_eot(context);
  if (count < kManyTokens) {
    logits[end] = -INFINITY;
    return;
  }
  for (int i = 0; i < whisper_n_vocab(context); ++i) logits[i] = i == end ? 0.0F : -INFINITY;
}

whisper_full_params decoding(int threads, int beam) {
  whisper_full_params params =
      whisper_full_default_params(beam > 1 ? WHISPER_SAMPLING_BEAM_SEARCH : WHISPER_SAMPLING_GREEDY);
  params.n_threads = threads;
  params.beam_search.beam_size = beam;
  params.greedy.best_of = 1;
  params.temperature_inc = 0;
  params.language = "en";
  params.no_context = true;
  // As in the product: no text of one window is fed to the next.
  params.n_max_text_ctx = 0;
  params.print_progress = false;
  params.print_realtime = false;
  params.print_timestamps = false;
  return params;
}

Times measureEncoder(whisper_context* context, int threads) {
  const std::vector<float> samples = noise();
  whisper_pcm_to_mel(context, samples.data(), kWindow, threads);
  whisper_encode(context, 10, threads);
  return timesOf([&] { whisper_encode(context, 0, threads); });
}

Times measureToken(whisper_context* context, int threads, int beam) {
  const std::vector<float> samples = noise();
  Progress progress;
  whisper_full_params params = decoding(threads, beam);
  params.single_segment = true;
  params.no_timestamps = true;
  params.logprob_thold = -1e9F;
  params.entropy_thold = -1e9F;
  params.logits_filter_callback = limitTokens;
  params.logits_filter_callback_user_data = &progress;
  whisper_full(context, params, samples.data(), kWindow);
  constexpr int kTokens = kManyTokens - kFewTokens;
  return {(progress.many.cpu - progress.few.cpu) / kTokens, (progress.many.wall - progress.few.wall) / kTokens};
}

}  // namespace

int main(int count, char** arguments) {
  const std::string mode = count > 3 ? arguments[1] : "";
  const int beam = count > 4 ? std::atoi(arguments[4]) : 1;
  if (!(mode == "encode" && count == 4) && !(mode == "token" && count == 5) && !(mode == "file" && count == 6)) {
    std::fprintf(stderr, "usage: engine-bench encode MODEL THREADS | token MODEL THREADS BEAM | file MODEL THREADS BEAM PCM\n");
    return 2;
  }
  whisper_log_set([](ggml_log_level, const char*, void*) {}, nullptr);
  whisper_context_params options = whisper_context_default_params();
  options.use_gpu = false;
  whisper_context* context = whisper_init_from_file_with_params(arguments[2], options);
  if (!context) {
    std::fprintf(stderr, "engine-bench: %s is not a model\n", arguments[2]);
    return 1;
  }
  const int threads = std::atoi(arguments[3]);
  Times times{};
  if (mode == "encode") times = measureEncoder(context, threads);
  if (mode == "token") times = measureToken(context, threads, beam);
  if (mode == "file") {
    const std::vector<float> samples = readSamples(arguments[5]);
    times = timesOf([&] {
      whisper_full(context, decoding(threads, beam), samples.data(), static_cast<int>(samples.size()));
    });
  }
  std::printf("{\"cpu\":%.3f,\"wall\":%.3f}\n", times.cpu, times.wall);
  whisper_free(context);
  return 0;
}
