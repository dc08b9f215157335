// A vectorized maximum: without -ffast-math a compiler may not reorder the plain loop.

#pragma once

#include <cmath>

constexpr int kEarshotLanes = 16;

// The largest of `n` numbers; -INFINITY if there are none.
static inline float earshot_max(const float* x, int n) {
  float lanes[kEarshotLanes];
  for (float& lane : lanes) lane = -INFINITY;
  int i = 0;
  for (; i + kEarshotLanes <= n; i += kEarshotLanes) {
    for (int j = 0; j < kEarshotLanes; ++j) lanes[j] = lanes[j] > x[i + j] ? lanes[j] : x[i + j];
  }
  float max = -INFINITY;
  for (; i < n; ++i) max = max > x[i] ? max : x[i];
  for (const float lane : lanes) max = max > lane ? max : lane;
  return max;
}
