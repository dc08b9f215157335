#include "language.h"

#include <algorithm>

#include "engine_log.h"
#include "errors.h"

namespace earshot {

bool knows_language(const ModelFacts& facts, const std::string& code) {
  const std::vector<std::string> known = languages_of(facts);
  return std::find(known.begin(), known.end(), code) != known.end();
}

std::vector<std::string> languages_of(const ModelFacts& facts) {
  if (!facts.multilingual) return {"en"};
  std::vector<std::string> codes;
  const int count = std::min(facts.n_languages, whisper_lang_max_id() + 1);
  for (int id = 0; id < count; ++id) codes.emplace_back(whisper_lang_str(id));
  return codes;
}

LanguageGuess detect_language(Model& model, whisper_state* state, const std::vector<float>& samples, int threads) {
  if (!model.facts().multilingual) return {"en", {{"en", 1.0F}}};
  const LogCapture log;
  const size_t length = std::min(samples.size(), kWindowSamples);
  if (whisper_pcm_to_mel_with_state(model.context(), state, samples.data(), static_cast<int>(length), threads) != 0) {
    throw EngineError(kEngineFailed, log.or_else("The audio could not be turned into a spectrogram."));
  }
  std::vector<float> raw(static_cast<size_t>(whisper_lang_max_id()) + 1, 0.0F);
  if (whisper_lang_auto_detect_with_state(model.context(), state, 0, threads, raw.data()) < 0) {
    throw EngineError(kEngineFailed, log.or_else("The language could not be detected."));
  }
  // whisper.cpp computes 100 probabilities for a model with 99 languages, too, where the last token is not a language:
  // keep those that the model knows, and normalize.
  LanguageGuess guess;
  float sum = 0;
  const std::vector<std::string> codes = languages_of(model.facts());
  for (size_t id = 0; id < codes.size(); ++id) {
    guess.probabilities.emplace_back(codes[id], raw[id]);
    sum += raw[id];
  }
  for (auto& entry : guess.probabilities) entry.second = sum > 0 ? entry.second / sum : 0;
  std::stable_sort(guess.probabilities.begin(), guess.probabilities.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  guess.language = guess.probabilities.front().first;
  return guess;
}

}  // namespace earshot
