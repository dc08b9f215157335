// The segments and tokens of a transcription, and their JavaScript form.
#pragma once

#include <string>
#include <vector>

#include <napi.h>

#include "language.h"
#include "whisper.h"

namespace earshot {

struct Token {
  int id = 0;
  std::string text;  // whole UTF-8 characters only
  float probability = 0;
  double start = -1;  // seconds; -1 without token times
  double end = -1;
  bool special = false;
};

struct Segment {
  double start = 0;
  double end = 0;
  std::string text;
  float no_speech_probability = 0;
  float average_logprob = 0;
  std::vector<Token> tokens;
};

Segment read_segment(whisper_context* context, whisper_state* state, int index);

Napi::Object segment_to_js(Napi::Env env, const Segment& segment);
Napi::Object language_to_js(Napi::Env env, const LanguageGuess& guess);
Napi::Object facts_to_js(Napi::Env env, const ModelFacts& facts);

// The length in bytes of `text` without an incomplete UTF-8 character at its end.
size_t complete_utf8_length(const std::string& text);

}  // namespace earshot
