// What a model says about audio.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace earshot {

struct Token {
  int id = 0;
  std::string text;  // whole UTF-8 characters only
  float probability = 0;
  double start = -1;  // seconds; -1 without token times
  double end = -1;
  bool special = false;
  bool aligned = false;  // its times come from the model's attention
};

struct Segment {
  double start = 0;
  double end = 0;
  std::string text;
  float no_speech_probability = 0;
  float average_logprob = 0;
  std::vector<Token> tokens;
  bool aligned = false;  // all of its text is
};

struct LanguageGuess {
  std::string language;  // ISO 639-1 where there is one, as whisper.cpp names it
  // Every language that the model knows with its probability, most likely first.
  std::vector<std::pair<std::string, float>> probabilities;
};

struct Transcript {
  std::vector<Segment> segments;
  LanguageGuess language;
};

struct TranscribeListener {
  std::function<bool()> aborted;
  std::function<void(int)> on_progress;  // percent, never falling
  std::function<void(const LanguageGuess&)> on_language;  // once, if it was to be detected, before decoding
};

}  // namespace earshot
