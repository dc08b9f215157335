// One recognition from samples to segments.
#pragma once

#include <functional>
#include <vector>

#include "model.h"
#include "params.h"
#include "result.h"

namespace earshot {

struct Transcript {
  std::vector<Segment> segments;
  LanguageGuess language;
};

struct TranscribeListener {
  std::function<bool()> aborted;
  std::function<void(int)> on_progress;             // percent, never falling
  std::function<void(const Segment&)> on_segment;   // each segment once, in order
  std::function<void(const LanguageGuess&)> on_language;  // once, where it was to be detected, before all segments
};

// Blocks until done. Throws aborted, engine_failed or out_of_memory.
Transcript transcribe(Model& model, const std::vector<float>& samples, TranscribeParams params,
                      const TranscribeListener& listener);

// Throws invalid_argument where a sample is not a finite number: whisper.cpp would compute with it.
void require_finite(const std::vector<float>& samples);

}  // namespace earshot
