// Functions over the probabilities of the whole vocabulary: see native/patches/02-vectorize-sampling.patch.

#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "row_max.h"
#include "vector_clones.h"

// e^x with an error of at most 2 ulp, 0 below -87.3: the polynomial of Cephes (S. Moshier, expf) in a form that compilers
// vectorize.
static inline float earshot_exp_of(float x) {
  const float bounded = x > -87.3F ? x : -87.3F;
  // Adding and subtracting 1.5 * 2^23 rounds to an integer.
  const float whole = (bounded * 1.44269504F + 12582912.0F) - 12582912.0F;
  const float r = (bounded - whole * 0.693359375F) + whole * 2.12194440e-4F;
  float p = 1.9875691500e-4F;
  p = p * r + 1.3981999507e-3F;
  p = p * r + 8.3334519073e-3F;
  p = p * r + 4.1665795894e-2F;
  p = p * r + 1.6666665459e-1F;
  p = p * r + 5.0000001201e-1F;
  const float mantissa = p * r * r + r + 1.0F;
  const int32_t exponent = (static_cast<int32_t>(whole) + 127) << 23;
  float power;
  std::memcpy(&power, &exponent, sizeof power);
  return x > -87.3F ? mantissa * power : 0.0F;
}

// y[i] = e^x[i]; 0 for -INFINITY.
EARSHOT_VECTOR_CLONES static void earshot_exp(const float* x, float* y, int n) {
  for (int i = 0; i < n; ++i) y[i] = earshot_exp_of(x[i]);
}

// The sum of `n` numbers.
EARSHOT_VECTOR_CLONES static double earshot_sum(const float* x, int n) {
  float lanes[kEarshotLanes] = {};
  int i = 0;
  for (; i + kEarshotLanes <= n; i += kEarshotLanes) {
    for (int j = 0; j < kEarshotLanes; ++j) lanes[j] += x[i + j];
  }
  double sum = 0;
  for (; i < n; ++i) sum += x[i];
  for (const float lane : lanes) sum += lane;
  return sum;
}

// The sum of e^(x[i] - max).
EARSHOT_VECTOR_CLONES static float earshot_sum_exp(const float* x, int n, float max) {
  float lanes[kEarshotLanes] = {};
  int i = 0;
  for (; i + kEarshotLanes <= n; i += kEarshotLanes) {
    for (int j = 0; j < kEarshotLanes; ++j) lanes[j] += earshot_exp_of(x[i + j] - max);
  }
  double sum = 0;
  for (; i < n; ++i) sum += earshot_exp_of(x[i] - max);
  for (const float lane : lanes) sum += lane;
  return static_cast<float>(sum);
}

// y[i] = x[i] - log_sum; -INFINITY stays.
EARSHOT_VECTOR_CLONES static void earshot_log_probabilities(const float* x, float* y, int n, float log_sum) {
  for (int i = 0; i < n; ++i) y[i] = x[i] > -INFINITY ? x[i] - log_sum : -INFINITY;
}

// The indices of the `k` largest of `n` numbers that are above 0, the largest first, of equal ones the one with the lower index.
static inline std::vector<int> earshot_largest(const float* x, int n, int k) {
  constexpr int kBlock = 512;
  std::vector<int> found;
  const auto is_among = [&](int i) { return static_cast<int>(found.size()) < k || x[i] > x[found.back()]; };
  for (int from = 0; from < n; from += kBlock) {
    const int to = n - from < kBlock ? n : from + kBlock;
    // Most blocks have none: the maximum is computed with vectors.
    if (static_cast<int>(found.size()) == k && !(earshot_max(x + from, to - from) > x[found.back()])) continue;
    for (int i = from; i < to; ++i) {
      if (!(x[i] > 0) || !is_among(i)) continue;
      if (static_cast<int>(found.size()) == k) found.pop_back();
      const auto place = std::find_if(found.begin(), found.end(), [&](int other) { return x[i] > x[other]; });
      found.insert(place, i);
    }
  }
  return found;
}

// Draws indices by weight as std::discrete_distribution does (the first whose cumulative sum reaches a random share of
// the total), without copying the weights: it finds the block first, then the index in the block.
class earshot_distribution {
 public:
  earshot_distribution(const float* weights, int count) : weights_(weights), count_(count) {
    for (int block = 0; block * kBlock < count; ++block) {
      const int from = block * kBlock;
      sums_.push_back(earshot_sum(weights + from, count - from < kBlock ? count - from : kBlock));
      total_ += sums_.back();
    }
  }

  template <typename Random>
  int operator()(Random& random) const {
    const double wanted = std::generate_canonical<double, std::numeric_limits<double>::digits>(random) * total_;
    double reached = 0;
    size_t block = 0;
    while (block + 1 < sums_.size() && reached + sums_[block] < wanted) reached += sums_[block++];
    const int from = static_cast<int>(block) * kBlock;
    const int to = count_ - from < kBlock ? count_ : from + kBlock;
    int last = from;
    for (int i = from; i < to; ++i) {
      if (weights_[i] <= 0) continue;
      last = i;
      reached += weights_[i];
      if (reached >= wanted) break;
    }
    return last;
  }

 private:
  static constexpr int kBlock = 512;
  const float* weights_;
  int count_;
  std::vector<double> sums_;
  double total_ = 0;
};
