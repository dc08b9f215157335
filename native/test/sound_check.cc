#include "sound_check.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "sampling.h"
#include "spectrum.h"

namespace {

// Bands of frames as whisper.cpp computed them before patches/22-log-mel-frames.patch, one frame at a time.
class OriginalBands {
 public:
  static constexpr int kSize = 400;
  static constexpr int kCount = kSize / 2 + 1;

  OriginalBands() : cosines(kSize), sines(kSize), window(kSize) {
    for (int i = 0; i < kSize; ++i) {
      const double angle = 2 * 3.14159265358979323846 * i / kSize;
      sines[i] = static_cast<float>(std::sin(angle));
      cosines[i] = static_cast<float>(std::cos(angle));
      window[i] = static_cast<float>(0.5 * (1.0 - std::cos(angle)));
    }
  }

  std::vector<float> compute(const float* samples, int64_t count, const std::vector<float>& filters) const {
    std::vector<float> in(2 * kSize);
    std::vector<float> out(8 * kSize);
    for (int j = 0; j < kSize; ++j) in[j] = j < count ? window[j] * samples[j] : 0.0F;
    transform(in.data(), kSize, out.data());
    for (int k = 0; k < kCount; ++k) out[k] = out[2 * k] * out[2 * k] + out[2 * k + 1] * out[2 * k + 1];
    std::vector<float> bands;
    for (size_t at = 0; at < filters.size(); at += kCount) {
      const float* filter = filters.data() + at;
      double sum = 0;
      int k = 0;
      for (; k < kCount - 3; k += 4) {
        sum += out[k] * filter[k] + out[k + 1] * filter[k + 1] + out[k + 2] * filter[k + 2] + out[k + 3] * filter[k + 3];
      }
      for (; k < kCount; ++k) sum += out[k] * filter[k];
      bands.push_back(static_cast<float>(std::log10(std::max(sum, 1e-10))));
    }
    return bands;
  }

  std::vector<float> cosines;
  std::vector<float> sines;
  std::vector<float> window;

 private:
  void transform(float* in, int size, float* out) const {
    const int step = kSize / size;
    if (size % 2 == 1) {
      for (int k = 0; k < size; ++k) {
        float re = 0;
        float im = 0;
        for (int n = 0; n < size; ++n) {
          re += in[n] * cosines[k * n * step % kSize];
          im -= in[n] * sines[k * n * step % kSize];
        }
        out[2 * k] = re;
        out[2 * k + 1] = im;
      }
      return;
    }
    const int half = size / 2;
    float* part = in + size;
    float* even = out + 2 * size;
    float* odd = even + size;
    for (int i = 0; i < half; ++i) part[i] = in[2 * i];
    transform(part, half, even);
    for (int i = 0; i < half; ++i) part[i] = in[2 * i + 1];
    transform(part, half, odd);
    for (int k = 0; k < half; ++k) {
      const float re = cosines[k * step];
      const float im = -sines[k * step];
      out[2 * k] = even[2 * k] + re * odd[2 * k] - im * odd[2 * k + 1];
      out[2 * k + 1] = even[2 * k + 1] + re * odd[2 * k + 1] + im * odd[2 * k];
      out[2 * (k + half)] = even[2 * k] - re * odd[2 * k] + im * odd[2 * k + 1];
      out[2 * (k + half) + 1] = even[2 * k + 1] - re * odd[2 * k + 1] - im * odd[2 * k];
    }
  }
};

}  // namespace

bool bandsAreEqual(const std::vector<float>& samples) {
  constexpr int kStep = 160;
  constexpr int kBands = 9;
  const OriginalBands original;
  std::vector<float> filters(kBands * OriginalBands::kCount);
  for (int band = 0; band < kBands; ++band) {
    // The last one has no weight at all.
    for (int i = 0; i < 5 * band && band < kBands - 1; ++i) {
      filters[band * OriginalBands::kCount + (band * 37 + i) % OriginalBands::kCount] = samples[band * 50 + i] + 2.0F;
    }
  }
  earshot_log_bands bands(earshot_plan(OriginalBands::kSize, original.cosines.data(), original.sines.data()), original.window.data(),
                          filters.data(), kBands);
  bool equal = true;
  for (const int frames : {1, 7, kEarshotFrames}) {
    for (const int64_t count : {int64_t{0}, int64_t{1}, int64_t{399}, int64_t{1777}, static_cast<int64_t>(samples.size())}) {
      std::vector<float> out(kBands * frames);
      bands.compute(samples.data(), count, kStep, frames, out.data(), frames);
      for (int frame = 0; frame < frames; ++frame) {
        const std::vector<float> expected = original.compute(samples.data() + frame * kStep, count - frame * kStep, filters);
        for (int band = 0; band < kBands; ++band) {
          equal = equal && memcmp(&out[band * frames + frame], &expected[band], sizeof(float)) == 0;
        }
      }
    }
  }
  return equal;
}

double errorOfProbabilities(const std::vector<float>& numbers) {
  double worst = 0;
  for (const int count : {1, 15, 16, 17, 63, 64, 65, 130, 4001}) {
    std::vector<float> logits(count);
    for (int i = 0; i < count; ++i) logits[i] = i % 5 == 3 ? -INFINITY : 12 * numbers[i];
    double sum = 0;
    for (const float logit : logits) sum += std::exp(static_cast<double>(logit));
    const float most = earshot_max(logits.data(), count);
    if (most != *std::max_element(logits.begin(), logits.end())) return INFINITY;
    std::vector<float> logs(count);
    std::vector<float> shares(count);
    earshot_log_probabilities(logits.data(), logs.data(), count, std::log(earshot_sum_exp(logits.data(), count, most)) + most);
    earshot_exp(logs.data(), shares.data(), count);
    for (int i = 0; i < count; ++i) {
      const double share = std::exp(static_cast<double>(logits[i])) / sum;
      worst = std::max(worst, std::abs(shares[i] - share));
      if (share > 0) worst = std::max(worst, std::abs(logs[i] - std::log(share)));
      else if (logs[i] != -INFINITY) return INFINITY;
    }
    worst = std::max(worst, std::abs(earshot_sum(shares.data(), count) - 1));
  }
  return worst;
}
