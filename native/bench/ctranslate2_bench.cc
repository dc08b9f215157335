// The same measurements as engine-bench (see engine_bench.cc) with CTranslate2, which faster-whisper runs on:
//
//   ctranslate2-bench encode MODEL THREADS
//   ctranslate2-bench token MODEL THREADS BEAM
//   ctranslate2-bench file MODEL THREADS BEAM PCM
//
// MODEL is a folder that test/bench/ctranslate2-model.ts wrote. Weights are 8-bit integers, as faster-whisper's
// compute_type="int8" has them. Making the spectrogram is not timed: faster-whisper does it outside CTranslate2.

#include <ctranslate2/models/whisper.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <utility>
#include <vector>

namespace {

constexpr int kRate = 16000;
constexpr int kWindowFrames = 3000;
constexpr int kHop = 160;
constexpr int kFft = 400;
constexpr int kBins = kFft / 2 + 1;
constexpr size_t kEnd = 50257;
constexpr size_t kStart = 50258;
constexpr size_t kEnglish = 50259;
constexpr int kFewTokens = 8;
constexpr int kManyTokens = 72;

// Tokens behind the languages, of which large-v3 has one more.
struct Tokens {
  size_t transcribe;
  size_t noTimestamps;
  size_t firstTimestamp;

  explicit Tokens(size_t languages)
      : transcribe(kEnglish + languages + 1), noTimestamps(transcribe + 4), firstTimestamp(transcribe + 5) {}
};

struct Times {
  double cpu;
  double wall;
};

template <typename Work>
Times timesOf(Work work) {
  const auto wall = std::chrono::steady_clock::now();
  const std::clock_t cpu = std::clock();
  work();
  const double seconds = static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC;
  return {1e3 * seconds, std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - wall).count()};
}

std::vector<float> readFloats(const std::string& path) {
  std::vector<float> values;
  FILE* file = std::fopen(path.c_str(), "rb");
  if (!file) return values;
  std::vector<float> part(1 << 16);
  for (size_t count; (count = std::fread(part.data(), sizeof(float), part.size(), file)) > 0;)
    values.insert(values.end(), part.begin(), part.begin() + static_cast<std::ptrdiff_t>(count));
  std::fclose(file);
  return values;
}

// The same noise as engine-bench's.
std::vector<float> noise() {
  std::vector<float> samples(30 * kRate);
  uint32_t state = 1;
  for (float& sample : samples) {
    state = state * 1664525U + 1013904223U;
    sample = (static_cast<float>(state >> 8) / 16777216.0F - 0.5F) * 0.1F;
  }
  return samples;
}

// A log-mel spectrogram, `frames` numbers for each mel band, with 30 seconds of silence behind the samples.
struct Spectrogram {
  int mels;
  int frames;
  std::vector<float> values;

  // One window, zeros behind the last frame.
  ctranslate2::StorageView window(int from) const {
    std::vector<float> part(static_cast<size_t>(mels) * kWindowFrames);
    const int count = std::min(kWindowFrames, frames - from);
    for (int mel = 0; mel < mels; ++mel)
      std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(mel) * frames + from, count,
                  part.begin() + static_cast<std::ptrdiff_t>(mel) * kWindowFrames);
    return {ctranslate2::Shape{1, mels, kWindowFrames}, part};
  }
};

// The power of each frequency of a frame, by the definition of the transform: it is not timed.
void powers(const float* frame, const std::vector<double>& circle, double* power) {
  for (int bin = 0; bin < kBins; ++bin) {
    double real = 0;
    double imaginary = 0;
    for (int i = 0; i < kFft; ++i) {
      const int angle = bin * i % kFft;
      real += frame[i] * circle[static_cast<size_t>((angle + kFft / 4) % kFft)];
      imaginary += frame[i] * circle[static_cast<size_t>(angle)];
    }
    power[bin] = real * real + imaginary * imaginary;
  }
}

Spectrogram spectrogramOf(const std::vector<float>& samples, const std::vector<float>& filters) {
  const double turn = 2 * std::acos(-1.0);
  std::vector<double> circle(kFft);
  for (int i = 0; i < kFft; ++i) circle[static_cast<size_t>(i)] = std::sin(turn * i / kFft);
  const int count = static_cast<int>(samples.size());
  Spectrogram result{static_cast<int>(filters.size()) / kBins, count / kHop + kWindowFrames, {}};
  result.values.resize(static_cast<size_t>(result.mels) * static_cast<size_t>(result.frames));
  float highest = -1e9F;
  std::vector<float> frame(kFft);
  std::vector<double> power(kBins);
  for (int at = 0; at < result.frames; ++at) {
    for (int i = 0; i < kFft; ++i) {
      const int from = std::abs(at * kHop - kFft / 2 + i);
      const double window = 0.5 * (1 - std::cos(turn * i / kFft));
      frame[static_cast<size_t>(i)] = from < count ? static_cast<float>(samples[static_cast<size_t>(from)] * window) : 0.0F;
    }
    powers(frame.data(), circle, power.data());
    for (int mel = 0; mel < result.mels; ++mel) {
      double sum = 0;
      for (int bin = 0; bin < kBins; ++bin) sum += filters[static_cast<size_t>(mel * kBins + bin)] * power[static_cast<size_t>(bin)];
      const float value = static_cast<float>(std::log10(std::max(sum, 1e-10)));
      highest = std::max(highest, value);
      result.values[static_cast<size_t>(mel) * static_cast<size_t>(result.frames) + static_cast<size_t>(at)] = value;
    }
  }
  for (float& value : result.values) value = (std::max(value, highest - 8) + 4) / 4;
  return result;
}

using Model = ctranslate2::models::Whisper;

Times measureEncoder(Model& model, const Spectrogram& spectrogram) {
  const ctranslate2::StorageView window = spectrogram.window(0);
  model.encode(window, false).get();
  return timesOf([&] { model.encode(window, false).get(); });
}

Times measureToken(Model& model, const Tokens& tokens, const Spectrogram& spectrogram, int beam) {
  const ctranslate2::StorageView encoded = model.encode(spectrogram.window(0), false).get();
  const auto decode = [&](int length) {
    ctranslate2::models::WhisperOptions options;
    options.beam_size = static_cast<size_t>(beam);
    options.suppress_tokens = {static_cast<int>(kEnd)};
    // CTranslate2 counts the prompt's half of the context as well.
    options.max_length = static_cast<size_t>(2 * length);
    size_t count = 0;
    const Times times = timesOf([&] {
      auto results = model.generate(encoded, {{kStart, kEnglish, tokens.transcribe, tokens.noTimestamps}}, options);
      count = results[0].get().sequences_ids[0].size();
    });
    return std::make_pair(times, static_cast<double>(count));
  };
  const auto [few, fewCount] = decode(kFewTokens);
  const auto [many, manyCount] = decode(kManyTokens);
  const double more = manyCount - fewCount;
  return {(many.cpu - few.cpu) / more, (many.wall - few.wall) / more};
}

// How far a window's text reaches, in frames: to its last pair of timestamps, or to the window's end.
int framesOf(const std::vector<size_t>& tokens, size_t firstTimestamp, int size) {
  const auto isTime = [&](size_t at) { return tokens[at] >= firstTimestamp; };
  const size_t count = tokens.size();
  if (count >= 2 && isTime(count - 1) && !isTime(count - 2)) return size;
  for (size_t i = count; i-- > 1;) {
    if (!isTime(i) || !isTime(i - 1)) continue;
    const int frames = static_cast<int>(tokens[i - 1] - firstTimestamp) * 2;
    return frames > 0 ? frames : size;
  }
  return size;
}

Times measureFile(Model& model, const Tokens& tokens, const Spectrogram& spectrogram, int beam) {
  const int end = spectrogram.frames - kWindowFrames;
  size_t count = 0;
  const Times times = timesOf([&] {
    for (int at = 0; at < end;) {
      const ctranslate2::StorageView encoded = model.encode(spectrogram.window(at), false).get();
      ctranslate2::models::WhisperOptions options;
      options.beam_size = static_cast<size_t>(beam);
      options.max_initial_timestamp_index = 50;
      options.return_no_speech_prob = true;
      options.return_scores = true;
      options.suppress_tokens = {};
      auto results = model.generate(encoded, {{kStart, kEnglish, tokens.transcribe}}, options);
      const std::vector<size_t> spoken = results[0].get().sequences_ids[0];
      count += spoken.size();
      at += framesOf(spoken, tokens.firstTimestamp, std::min(kWindowFrames, end - at));
    }
  });
  std::fprintf(stderr, "ctranslate2-bench: %zu tokens\n", count);
  return times;
}

}  // namespace

int main(int count, char** arguments) {
  const std::string mode = count > 3 ? arguments[1] : "";
  const int beam = count > 4 ? std::atoi(arguments[4]) : 1;
  if (!(mode == "encode" && count == 4) && !(mode == "token" && count == 5) && !(mode == "file" && count == 6)) {
    std::fprintf(stderr,
                 "usage: ctranslate2-bench encode MODEL THREADS | token MODEL THREADS BEAM | file MODEL THREADS BEAM PCM\n");
    return 2;
  }
  const std::string folder = arguments[2];
  const Spectrogram spectrogram =
      spectrogramOf(mode == "file" ? readFloats(arguments[5]) : noise(), readFloats(folder + "/mel_filters.f32"));
  ctranslate2::models::ModelLoader loader(folder);
  loader.device = ctranslate2::Device::CPU;
  loader.compute_type = ctranslate2::ComputeType::INT8;
  ctranslate2::ReplicaPoolConfig config;
  config.num_threads_per_replica = static_cast<size_t>(std::atoi(arguments[3]));
  Model model(loader, config);
  const Tokens tokens(model.num_languages());
  Times times{};
  if (mode == "encode") times = measureEncoder(model, spectrogram);
  if (mode == "token") times = measureToken(model, tokens, spectrogram, beam);
  if (mode == "file") times = measureFile(model, tokens, spectrogram, beam);
  std::printf("{\"cpu\":%.3f,\"wall\":%.3f}\n", times.cpu, times.wall);
  return 0;
}
