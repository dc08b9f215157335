// Which language is spoken.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "model.h"

namespace earshot {

// What a language is told by, and what Whisper hears at once.
constexpr size_t kWindowSamples = 30 * WHISPER_SAMPLE_RATE;

struct LanguageGuess {
  std::string language;  // ISO 639-1 where there is one, as whisper.cpp names it
  // Every language the model knows with its probability, most likely first.
  std::vector<std::pair<std::string, float>> probabilities;
};

// True for a code that this model can be asked to write.
bool knows_language(const ModelFacts& facts, const std::string& code);

// Every code that this model can be asked to write, in whisper's own order.
std::vector<std::string> languages_of(const ModelFacts& facts);

// Listens to the first 30 seconds. A model for English alone answers English.
LanguageGuess detect_language(Model& model, whisper_state* state, const std::vector<float>& samples, int threads);

}  // namespace earshot
