// Language detection.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "model.h"

namespace earshot {

// Samples of Whisper's 30-second window, by which a language is detected.
constexpr size_t kWindowSamples = 30 * WHISPER_SAMPLE_RATE;

struct LanguageGuess {
  std::string language;  // ISO 639-1 where there is one, as whisper.cpp names it
  // Every language that the model knows with its probability, most likely first.
  std::vector<std::pair<std::string, float>> probabilities;
};

// Whether the model can transcribe this language code.
bool knows_language(const ModelFacts& facts, const std::string& code);

// Every language code that the model can transcribe, in whisper.cpp's order.
std::vector<std::string> languages_of(const ModelFacts& facts);

// Detects the language of the first 30 seconds. An English-only model returns English.
LanguageGuess detect_language(Model& model, whisper_state* state, const std::vector<float>& samples, int threads);

}  // namespace earshot
