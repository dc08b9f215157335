// What was recognised, and its JavaScript form.
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
  double start = -1;  // seconds; -1 where there are no token times
  double end = -1;
  double dtw = -1;    // seconds; -1 where the model has no alignment heads
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

// How many of the bytes at the front of `text` are whole UTF-8 characters, leaving out an unfinished last one.
size_t whole_characters(const std::string& text);

}  // namespace earshot
