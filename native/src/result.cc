#include "result.h"

namespace earshot {

namespace {

// whisper.cpp's unit is a hundredth of a second.
double seconds(int64_t hundredths) { return hundredths < 0 ? -1 : static_cast<double>(hundredths) / 100; }

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

size_t complete_utf8_length(const std::string& text) {
  // Look back over at most three continuation bytes for the lead byte of an incomplete character.
  const size_t size = text.size();
  for (size_t back = 1; back <= 4 && back <= size; ++back) {
    const auto byte = static_cast<unsigned char>(text[size - back]);
    if ((byte & 0xC0) == 0x80) continue;
    const size_t needed = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1;
    return needed > back ? size - back : size;
  }
  return size;
}

Segment read_segment(whisper_context* context, whisper_state* state, int index) {
  Segment segment;
  segment.start = seconds(whisper_full_get_segment_t0_from_state(state, index));
  segment.end = seconds(whisper_full_get_segment_t1_from_state(state, index));
  segment.no_speech_probability = whisper_full_get_segment_no_speech_prob_from_state(state, index);

  const int count = whisper_full_n_tokens_from_state(state, index);
  const int first_special = whisper_token_eot(context);
  std::string unfinished;  // the start of a character that continues in the next token, which gets all of it
  double logprobs = 0;
  int text_tokens = 0;
  for (int i = 0; i < count; ++i) {
    const whisper_token_data data = whisper_full_get_token_data_from_state(state, index, i);
    Token token;
    token.id = data.id;
    token.probability = data.p;
    token.start = seconds(data.t0);
    token.end = seconds(data.t1);
    token.special = data.id >= first_special;
    const char* bytes = whisper_full_get_token_text_from_state(context, state, index, i);
    if (token.special) {
      token.text = bytes;
    } else {
      unfinished += bytes;
      const size_t whole = complete_utf8_length(unfinished);
      token.text = unfinished.substr(0, whole);
      unfinished.erase(0, whole);
      segment.text += token.text;
      logprobs += data.plog;
      ++text_tokens;
    }
    segment.tokens.push_back(std::move(token));
  }
  segment.average_logprob = text_tokens > 0 ? static_cast<float>(logprobs / text_tokens) : 0;
  return segment;
}

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
  for (const std::string& code : languages_of(facts)) languages.Set(languages.Length(), code);
  Napi::Object object = Napi::Object::New(env);
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
