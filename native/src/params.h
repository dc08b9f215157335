// The options of a transcription.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <napi.h>

#include "model_file.h"

namespace earshot {

struct ModelOptions {
  bool use_gpu = true;
};

// Those of Whisper's decoder have no effect on other families.
struct TranscribeParams {
  std::string language;  // a code, or "auto"
  bool translate = false;
  int threads = 1;
  int beam_size = 1;  // 1 decodes greedily
  int best_of = 5;
  float temperature = 0;
  float temperature_increment = 0.2F;
  float entropy_threshold = 2.4F;
  float logprob_threshold = -1;
  float no_speech_threshold = 0.6F;
  std::string initial_prompt;
  bool carry_initial_prompt = false;
  int max_context = -1;  // tokens of earlier text given to the next window; -1 for as many as fit
  int audio_context = 0;
  bool suppress_blank = true;
  bool suppress_non_speech = false;
  bool token_times = true;
  bool align_words = false;  // token times by the model's attention, where it can
  std::vector<std::pair<int, int>> alignment_heads;  // {layer, head}; empty for the model's own
  std::optional<std::vector<std::pair<double, double>>> speech;  // where it is: {start, end} in seconds; none: not known
  std::vector<std::pair<std::string, float>> vocabulary;  // terms to prefer, with their weight
};

// Reads and checks the fields. Throws invalid_argument with the field's name.
TranscribeParams read_transcribe_params(const Napi::Object& from, const ModelFacts& facts);

// The positions of the encoder to compute, 0 for all. Throws invalid_argument.
int read_audio_context(const Napi::Object& from, const ModelFacts& facts);

ModelOptions read_model_options(const Napi::Object& from);

constexpr int kMaxThreads = 256;

}  // namespace earshot
