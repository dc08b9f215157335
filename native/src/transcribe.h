// Transcribes samples into segments.
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
  std::function<void(int)> on_progress;  // percent, never falling
  std::function<void(const LanguageGuess&)> on_language;  // once, if it was to be detected, before decoding
};

// Blocks until done. Throws aborted, engine_failed or out_of_memory.
Transcript transcribe(Model& model, const std::vector<float>& samples, TranscribeParams params,
                      const TranscribeListener& listener);

// Throws invalid_argument if a sample is not finite: whisper.cpp would compute with it.
void require_finite(const std::vector<float>& samples);

}  // namespace earshot
