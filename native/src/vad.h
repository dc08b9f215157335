// Where in the audio somebody speaks, by a Silero model in whisper.cpp's format.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <napi.h>

#include "whisper.h"

namespace earshot {

struct SpeechSpan {
  double start = 0;  // seconds
  double end = 0;
};

struct SpeechParams {
  std::string model_path;
  int threads = 1;
  whisper_vad_params vad = whisper_vad_default_params();
};

SpeechParams read_speech_params(const Napi::Object& from);

// Blocks until done. Throws model_not_found, model_invalid or engine_failed.
std::vector<SpeechSpan> detect_speech(const std::vector<float>& samples, const SpeechParams& params);

}  // namespace earshot
