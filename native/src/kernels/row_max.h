// A vectorized maximum: without -ffast-math a compiler may not reorder the plain loop.

#pragma once

#include <cmath>

constexpr int kEarshotLanes = 16;

// The largest of `n` numbers; -INFINITY if there are none.
static inline float earshot_max(const float* x, int n) {
  // Four vectors at a time: a vector alone would wait for itself.
  constexpr int kMany = 4 * kEarshotLanes;
  float lanes[kMany];
  for (float& lane : lanes) lane = -INFINITY;
  int i = 0;
  for (; i + kMany <= n; i += kMany) {
    for (int j = 0; j < kMany; ++j) lanes[j] = lanes[j] > x[i + j] ? lanes[j] : x[i + j];
  }
  for (int j = kEarshotLanes; j < kMany; ++j) {
    float& lane = lanes[j % kEarshotLanes];
    lane = lane > lanes[j] ? lane : lanes[j];
  }
  for (; i + kEarshotLanes <= n; i += kEarshotLanes) {
    for (int j = 0; j < kEarshotLanes; ++j) lanes[j] = lanes[j] > x[i + j] ? lanes[j] : x[i + j];
  }
  float max = -INFINITY;
  for (; i < n; ++i) max = max > x[i] ? max : x[i];
  // Half of the lanes at a time: one by one, each comparison would wait for the one before.
  for (int half = kEarshotLanes / 2; half > 0; half /= 2) {
    for (int j = 0; j < half; ++j) lanes[j] = lanes[j] > lanes[j + half] ? lanes[j] : lanes[j + half];
  }
  return max > lanes[0] ? max : lanes[0];
}
