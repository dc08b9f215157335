// Silero's detector of speech, which whisper.cpp runs.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <napi.h>

#include "whisper.h"

namespace earshot {

class SpeechDetector {
 public:
  // Checks the file and loads it. Throws model_not_found or model_invalid.
  static std::shared_ptr<SpeechDetector> load(const std::string& path);

  // How likely each window of 512 samples (32 ms) is speech, the last one continued with silence. Each call starts anew: what
  // an earlier one heard has no effect. Calls wait for each other. Throws aborted, invalid_argument or engine_failed.
  std::vector<float> probabilities(const std::vector<float>& samples, const std::function<bool()>& aborted);

 private:
  struct Deleter {
    void operator()(whisper_vad_context* context) const { whisper_vad_free(context); }
  };
  explicit SpeechDetector(whisper_vad_context* context) : context_(context) {}

  std::unique_ptr<whisper_vad_context, Deleter> context_;
  std::mutex mutex_;  // the context holds the state of the detection that runs
};

// loadSpeechDetector(path) → Promise<{speechProbabilities(pcm) → {promise: Promise<Float32Array>, abort()}}>
Napi::Value load_speech_detector(const Napi::CallbackInfo& info);

}  // namespace earshot
