#include "result.h"

namespace earshot {

namespace {

Napi::Value time_or_null(Napi::Env env, double time) {
  if (time < 0) return env.Null();
  return Napi::Number::New(env, time);
}

Napi::Object token_to_js(Napi::Env env, const Token& token) {
  Napi::Object object = Napi::Object::New(env);
  object.Set("id", token.id);
  object.Set("text", token.text);
  object.Set("probability", token.probability);
  object.Set("start", time_or_null(env, token.start));
  object.Set("end", time_or_null(env, token.end));
  object.Set("special", token.special);
  return object;
}

}  // namespace

Napi::Object segment_to_js(Napi::Env env, const Segment& segment) {
  Napi::Array tokens = Napi::Array::New(env, segment.tokens.size());
  for (size_t i = 0; i < segment.tokens.size(); ++i) {
    tokens.Set(static_cast<uint32_t>(i), token_to_js(env, segment.tokens[i]));
  }
  Napi::Object object = Napi::Object::New(env);
  object.Set("start", segment.start < 0 ? 0 : segment.start);
  object.Set("end", segment.end < 0 ? 0 : segment.end);
  object.Set("text", segment.text);
  object.Set("noSpeechProbability", segment.no_speech_probability);
  object.Set("averageLogprob", segment.average_logprob);
  object.Set("tokens", tokens);
  object.Set("aligned", segment.aligned);
  return object;
}

Napi::Object language_to_js(Napi::Env env, const LanguageGuess& guess) {
  Napi::Object probabilities = Napi::Object::New(env);
  for (const auto& entry : guess.probabilities) probabilities.Set(entry.first, entry.second);
  Napi::Object object = Napi::Object::New(env);
  object.Set("language", guess.language);
  object.Set("probabilities", probabilities);
  return object;
}

Napi::Object facts_to_js(Napi::Env env, const ModelFacts& facts) {
  Napi::Array languages = Napi::Array::New(env);
  for (const std::string& code : facts.languages) languages.Set(languages.Length(), code);
  Napi::Object object = Napi::Object::New(env);
  object.Set("family", facts.family == Family::kParakeet ? "parakeet" : "whisper");
  object.Set("type", facts.type);
  object.Set("quantization", facts.quantization);
  object.Set("multilingual", facts.multilingual);
  object.Set("languages", languages);
  object.Set("vocabulary", facts.n_vocab);
  object.Set("audioLayers", facts.n_audio_layer);
  object.Set("textLayers", facts.n_text_layer);
  object.Set("melBands", facts.n_mels);
  object.Set("fileSize", static_cast<double>(facts.file_size));
  return object;
}

}  // namespace earshot
