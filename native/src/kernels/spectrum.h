// Power spectra and mel bands of many frames of audio at once: see native/patches/22-log-mel-frames.patch.

#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "vector_clones.h"

// A number of each of 16 frames.
constexpr int kEarshotFrames = 16;
#if defined(__GNUC__)
// Its alignment is stated because it would depend on the processor that a function is compiled for.
typedef float earshot_frames __attribute__((vector_size(64), aligned(64)));
static_assert(sizeof(earshot_frames) == kEarshotFrames * sizeof(float), "a float for each frame");
#else
struct earshot_frames {
  float of[kEarshotFrames];

  float& operator[](int frame) { return of[frame]; }
  float operator[](int frame) const { return of[frame]; }
};

template <typename Operation>
static inline earshot_frames earshot_each(const earshot_frames& x, const earshot_frames& y, Operation operation) {
  earshot_frames z;
  for (int i = 0; i < kEarshotFrames; ++i) z.of[i] = operation(x.of[i], y.of[i]);
  return z;
}

static inline earshot_frames operator+(const earshot_frames& x, const earshot_frames& y) {
  return earshot_each(x, y, [](float a, float b) { return a + b; });
}
static inline earshot_frames operator-(const earshot_frames& x, const earshot_frames& y) {
  return earshot_each(x, y, [](float a, float b) { return a - b; });
}
static inline earshot_frames operator*(const earshot_frames& x, const earshot_frames& y) {
  return earshot_each(x, y, [](float a, float b) { return a * b; });
}
static inline earshot_frames operator*(const earshot_frames& x, float y) {
  return earshot_each(x, x, [y](float a, float) { return a * y; });
}
#endif

// Structures, because a template such as std::vector would forget how a vector alone is aligned.
struct earshot_real_frames {
  earshot_frames re;
};

struct earshot_complex_frames {
  earshot_frames re;
  earshot_frames im;
};

// What the spectra of all frames share. `cosines` and `sines` are of `size` angles of a full turn.
struct earshot_spectrum_plan {
  int size;  // samples of a frame
  int odd;   // its odd divisor, whose transforms are the sums that define them
  const float* cosines;
  const float* sines;
};

static inline earshot_spectrum_plan earshot_plan(int size, const float* cosines, const float* sines) {
  int odd = size;
  while (odd % 2 == 0) odd /= 2;
  return {size, odd, cosines, sines};
}

// The transform of every `step`th sample from `samples` on: `plan.odd` of them.
static inline void earshot_transform_odd(const earshot_spectrum_plan& plan, const earshot_real_frames* samples, int step,
                                         earshot_complex_frames* out) {
  constexpr int kSums = 5;  // at a time: one alone would wait for itself
  for (int first = 0; first < plan.odd; first += kSums) {
    earshot_complex_frames sums[kSums] = {};
    int angles[kSums] = {};
    int turns[kSums];
    for (int i = 0; i < kSums; ++i) turns[i] = (first + i) % plan.odd;
    for (int n = 0; n < plan.odd; ++n) {
      const earshot_frames x = samples[n * step].re;
      for (int i = 0; i < kSums; ++i) {
        sums[i].re = sums[i].re + x * plan.cosines[angles[i] * step];
        sums[i].im = sums[i].im - x * plan.sines[angles[i] * step];
        angles[i] += turns[i];
        if (angles[i] >= plan.odd) angles[i] -= plan.odd;
      }
    }
    for (int i = 0; i < kSums && first + i < plan.odd; ++i) out[first + i] = sums[i];
  }
}

// `out[k]`: the transform of `plan.size` samples. Each number has the bits of whisper.cpp's `fft`, which computes the same sums.
EARSHOT_VECTOR_CLONES static void earshot_transform(const earshot_spectrum_plan& plan, const earshot_real_frames* samples,
                                                    earshot_complex_frames* out) {
  const int parts = plan.size / plan.odd;
  for (int part = 0; part < parts; ++part) {
    // Even samples come first, at every level.
    int start = 0;
    for (int bit = 1; bit < parts; bit *= 2) start = 2 * start + (part & bit ? 1 : 0);
    earshot_transform_odd(plan, samples + start, parts, out + part * plan.odd);
  }
  for (int half = plan.odd; half < plan.size; half *= 2) {
    const int step = plan.size / (2 * half);
    for (int from = 0; from < plan.size; from += 2 * half) {
      for (int k = 0; k < half; ++k) {
        const float re = plan.cosines[k * step];
        const float im = -plan.sines[k * step];
        earshot_complex_frames& low = out[from + k];
        earshot_complex_frames& high = out[from + half + k];
        const earshot_complex_frames even = low;
        const earshot_complex_frames odd = high;
        low.re = even.re + odd.re * re - odd.im * im;
        low.im = even.im + odd.im * re + odd.re * im;
        high.re = even.re - odd.re * re + odd.im * im;
        high.im = even.im - odd.im * re - odd.re * im;
      }
    }
  }
}

// power[k] of the first `count` numbers of a transform.
EARSHOT_VECTOR_CLONES static void earshot_power(const earshot_complex_frames* x, int count, earshot_real_frames* power) {
  for (int k = 0; k < count; ++k) power[k].re = x[k].re * x[k].re + x[k].im * x[k].im;
}

// The energy of a band in each frame, summed up four numbers at a time as whisper.cpp does. Numbers before `first`, a multiple of
// four, and from `last` on have no weight.
EARSHOT_VECTOR_CLONES static void earshot_band(const float* filter, int count, int first, int last, const earshot_real_frames* power,
                                               double* sums) {
  for (int i = 0; i < kEarshotFrames; ++i) sums[i] = 0;
  int k = first;
  for (; k < last && k + 3 < count; k += 4) {
    const earshot_frames four = power[k].re * filter[k] + power[k + 1].re * filter[k + 1] + power[k + 2].re * filter[k + 2] +
                                power[k + 3].re * filter[k + 3];
    for (int i = 0; i < kEarshotFrames; ++i) sums[i] += four[i];
  }
  for (; k < last; ++k) {
    const earshot_frames one = power[k].re * filter[k];
    for (int i = 0; i < kEarshotFrames; ++i) sums[i] += one[i];
  }
}

// Where the weights of each band lie.
struct earshot_band_range {
  int first;
  int last;
};

static inline std::vector<earshot_band_range> earshot_band_ranges(const float* filters, int bands, int count) {
  std::vector<earshot_band_range> ranges;
  for (int band = 0; band < bands; ++band) {
    const float* filter = filters + static_cast<size_t>(band) * count;
    const auto has_weight = [](float weight) { return weight != 0.0F; };
    const auto first = static_cast<int>(std::find_if(filter, filter + count, has_weight) - filter);
    int last = count;
    while (last > first && filter[last - 1] == 0.0F) --last;
    ranges.push_back({first / 4 * 4, last});
  }
  return ranges;
}

// Writes the logarithms of the bands of `frames` frames, each `step` samples behind the one before, to out[band * out_stride + frame].
class earshot_log_bands {
 public:
  // Keeps the pointers. `filters` has `bands` rows of `size` / 2 + 1 weights.
  earshot_log_bands(const earshot_spectrum_plan& plan, const float* window, const float* filters, int bands)
      : plan_(plan),
        window_(window),
        filters_(filters),
        count_(plan.size / 2 + 1),
        ranges_(earshot_band_ranges(filters, bands, count_)),
        samples_(plan.size),
        transform_(plan.size),
        power_(count_) {}

  // What lies behind the last of `n_samples` samples counts as zeros. `frames` is at most kEarshotFrames.
  void compute(const float* samples, int64_t n_samples, int step, int frames, float* out, int64_t out_stride) {
    for (int j = 0; j < plan_.size; ++j) {
      for (int i = 0; i < kEarshotFrames; ++i) {
        const int64_t at = static_cast<int64_t>(i) * step + j;
        samples_[j].re[i] = i < frames && at < n_samples ? window_[j] * samples[at] : 0.0F;
      }
    }
    earshot_transform(plan_, samples_.data(), transform_.data());
    earshot_power(transform_.data(), count_, power_.data());
    for (size_t band = 0; band < ranges_.size(); ++band) {
      double sums[kEarshotFrames];
      earshot_band(filters_ + band * count_, count_, ranges_[band].first, ranges_[band].last, power_.data(), sums);
      for (int i = 0; i < frames; ++i) out[band * out_stride + i] = static_cast<float>(std::log10(std::max(sums[i], 1e-10)));
    }
  }

 private:
  earshot_spectrum_plan plan_;
  const float* window_;
  const float* filters_;
  int count_;
  std::vector<earshot_band_range> ranges_;
  std::vector<earshot_real_frames> samples_;
  std::vector<earshot_complex_frames> transform_;
  std::vector<earshot_real_frames> power_;
};
