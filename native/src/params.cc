#include "params.h"

#include <algorithm>

#include "convert.h"
#include "errors.h"

namespace earshot {

namespace {

constexpr int kMaxDecoders = 8;          // whisper.cpp's WHISPER_MAX_DECODERS
constexpr size_t kMaxPromptBytes = 4096;   // whisper.cpp's tokenizer is recursive; Whisper uses only the last 224 tokens
constexpr int kMaxContext = 1 << 14;
constexpr uint32_t kMaxTerms = 1000;
constexpr size_t kMaxTermBytes = 800;
constexpr double kMaxWeight = 10;
constexpr uint32_t kMaxAlignmentHeads = 32;
constexpr int kMaxPositions = 1500;  // of the encoder of any Whisper model
constexpr int kMaxLayers = 1 << 10;
constexpr double kMaxSeconds = 1e6;

std::vector<std::pair<std::string, float>> read_vocabulary(const Napi::Object& from) {
  std::vector<std::pair<std::string, float>> terms;
  const Napi::Value value = from.Get("vocabulary");
  if (value.IsUndefined() || value.IsNull()) return terms;
  if (!value.IsArray() || value.As<Napi::Array>().Length() > kMaxTerms) {
    throw EngineError(kInvalidArgument, "'vocabulary' must be a list of at most " + std::to_string(kMaxTerms) + " terms.");
  }
  const auto list = value.As<Napi::Array>();
  for (uint32_t i = 0; i < list.Length(); ++i) {
    const Napi::Value entry = list.Get(i);
    if (!entry.IsObject()) throw EngineError(kInvalidArgument, "'vocabulary' must be a list of objects.");
    const auto object = entry.As<Napi::Object>();
    const std::string term = read_string(object, "term", "");
    if (term.empty() || term.size() > kMaxTermBytes) {
      throw EngineError(kInvalidArgument,
                        "'term' must be 1 to " + std::to_string(kMaxTermBytes) + " bytes long.");
    }
    terms.emplace_back(term, static_cast<float>(read_number(object, "weight", 1, 0, kMaxWeight)));
  }
  return terms;
}

std::vector<std::pair<int, int>> read_alignment_heads(const Napi::Object& from) {
  std::vector<std::pair<int, int>> heads;
  const Napi::Value value = from.Get("alignmentHeads");
  if (!value.IsArray()) return heads;
  const auto list = value.As<Napi::Array>();
  for (uint32_t i = 0; i < std::min(list.Length(), kMaxAlignmentHeads); ++i) {
    const Napi::Value entry = list.Get(i);
    if (!entry.IsObject()) throw EngineError(kInvalidArgument, "'alignmentHeads' must be a list of objects.");
    const auto object = entry.As<Napi::Object>();
    heads.emplace_back(read_int(object, "layer", 0, 0, kMaxLayers), read_int(object, "head", 0, 0, kMaxLayers));
  }
  return heads;
}

std::optional<std::vector<std::pair<double, double>>> read_speech(const Napi::Object& from) {
  const Napi::Value value = from.Get("speech");
  if (value.IsUndefined() || value.IsNull()) return std::nullopt;
  if (!value.IsArray()) throw EngineError(kInvalidArgument, "'speech' must be a list of spans.");
  std::vector<std::pair<double, double>> spans;
  const auto list = value.As<Napi::Array>();
  for (uint32_t i = 0; i < list.Length(); ++i) {
    const Napi::Value entry = list.Get(i);
    if (!entry.IsObject()) throw EngineError(kInvalidArgument, "'speech' must be a list of spans.");
    const auto object = entry.As<Napi::Object>();
    const double earliest = spans.empty() ? 0 : spans.back().second;
    const double start = read_number(object, "start", 0, earliest, kMaxSeconds);
    spans.emplace_back(start, read_number(object, "end", 0, start, kMaxSeconds));
  }
  return spans;
}

}  // namespace

int read_audio_context(const Napi::Object& from, const ModelFacts& facts) {
  return std::min(read_int(from, "audioContext", 0, 0, kMaxPositions), facts.n_audio_ctx);
}

TranscribeParams read_transcribe_params(const Napi::Object& from, const ModelFacts& facts) {
  TranscribeParams params;
  params.language = read_string(from, "language", "auto");
  const auto& known = facts.languages;
  if (params.language != "auto" && std::find(known.begin(), known.end(), params.language) == known.end()) {
    throw EngineError(kInvalidArgument, facts.multilingual
                                            ? "The model does not know the language '" + params.language + "'."
                                            : "This model knows English alone, not '" + params.language + "'.");
  }
  params.translate = read_bool(from, "translate", false);
  if (params.translate && !facts.multilingual) {
    throw EngineError(kInvalidArgument, "A model for English alone cannot translate.");
  }
  if (params.translate && facts.family != Family::kWhisper) {
    throw EngineError(kInvalidArgument, "This model cannot translate.");
  }
  params.threads = read_int(from, "threads", 1, 1, kMaxThreads);
  params.beam_size = read_int(from, "beamSize", 1, 1, kMaxDecoders);
  params.best_of = read_int(from, "bestOf", 5, 1, kMaxDecoders);
  params.temperature = static_cast<float>(read_number(from, "temperature", 0, 0, 1));
  params.temperature_increment = static_cast<float>(read_number(from, "temperatureIncrement", 0.2, 0, 1));
  params.entropy_threshold = static_cast<float>(read_number(from, "entropyThreshold", 2.4, -100, 100));
  params.logprob_threshold = static_cast<float>(read_number(from, "logprobThreshold", -1, -100, 100));
  params.no_speech_threshold = static_cast<float>(read_number(from, "noSpeechThreshold", 0.6, 0, 1));
  params.initial_prompt = read_string(from, "initialPrompt", "");
  if (params.initial_prompt.size() > kMaxPromptBytes) {
    throw EngineError(kInvalidArgument, "'initialPrompt' must not be longer than " + std::to_string(kMaxPromptBytes) +
                                            " bytes.");
  }
  params.carry_initial_prompt = read_bool(from, "carryInitialPrompt", false);
  params.max_context = read_int(from, "maxContext", -1, -1, kMaxContext);
  params.audio_context = read_audio_context(from, facts);
  params.suppress_blank = read_bool(from, "suppressBlank", true);
  params.suppress_non_speech = read_bool(from, "suppressNonSpeech", false);
  params.token_times = read_bool(from, "tokenTimes", true);
  params.align_words = read_bool(from, "alignWords", false);
  params.alignment_heads = read_alignment_heads(from);
  params.speech = read_speech(from);
  params.vocabulary = read_vocabulary(from);
  return params;
}

ModelOptions read_model_options(const Napi::Object& from) {
  ModelOptions options;
  options.use_gpu = read_bool(from, "useGpu", true);
  return options;
}

}  // namespace earshot
