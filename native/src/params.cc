#include "params.h"

#include <algorithm>

#include "convert.h"
#include "errors.h"
#include "language.h"

namespace earshot {

namespace {

constexpr int kMaxDecoders = 8;          // whisper.cpp's WHISPER_MAX_DECODERS
constexpr size_t kMaxPromptBytes = 4096;   // whisper.cpp's tokenizer is recursive; Whisper uses only the last 224 tokens
constexpr int kMaxContext = 1 << 14;

// whisper.cpp ignores the initial prompt if no context is allowed. To use the prompt without feeding text from window to
// window, carry the prompt and make the context just long enough for it.
void apply_context(const TranscribeParams& params, whisper_context* context, whisper_full_params& full) {
  const int longest = whisper_n_text_ctx(context) / 2;
  full.n_max_text_ctx = params.max_context < 0 ? 16384 : params.max_context;
  full.carry_initial_prompt = params.carry_initial_prompt;
  if (params.initial_prompt.empty()) return;
  full.initial_prompt = params.initial_prompt.c_str();
  if (params.max_context == 0) {
    full.carry_initial_prompt = true;
    full.n_max_text_ctx = whisper_token_count(context, full.initial_prompt) + 1;
  }
  // whisper.cpp computes a negative length for a carried prompt with room for one token.
  full.n_max_text_ctx = std::min(std::max(full.n_max_text_ctx, 2), std::max(longest, 2));
}

}  // namespace

TranscribeParams read_transcribe_params(const Napi::Object& from, const ModelFacts& facts) {
  TranscribeParams params;
  params.language = read_string(from, "language", "auto");
  if (params.language != "auto" && !knows_language(facts, params.language)) {
    throw EngineError(kInvalidArgument, facts.multilingual
                                            ? "The model does not know the language '" + params.language + "'."
                                            : "This model knows English alone, not '" + params.language + "'.");
  }
  params.translate = read_bool(from, "translate", false);
  if (params.translate && !facts.multilingual) {
    throw EngineError(kInvalidArgument, "A model for English alone cannot translate.");
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
  params.audio_context = read_int(from, "audioContext", 0, 0, facts.n_audio_ctx);
  params.suppress_blank = read_bool(from, "suppressBlank", true);
  params.suppress_non_speech = read_bool(from, "suppressNonSpeech", false);
  params.token_times = read_bool(from, "tokenTimes", true);
  return params;
}

whisper_full_params to_whisper(const TranscribeParams& params, whisper_context* context) {
  whisper_full_params full =
      whisper_full_default_params(params.beam_size > 1 ? WHISPER_SAMPLING_BEAM_SEARCH : WHISPER_SAMPLING_GREEDY);
  full.language = params.language.c_str();
  full.translate = params.translate;
  full.n_threads = params.threads;
  full.beam_search.beam_size = params.beam_size;
  full.greedy.best_of = params.best_of;
  full.temperature = params.temperature;
  full.temperature_inc = params.temperature_increment;
  full.entropy_thold = params.entropy_threshold;
  full.logprob_thold = params.logprob_threshold;
  full.no_speech_thold = params.no_speech_threshold;
  full.audio_ctx = params.audio_context;
  full.suppress_blank = params.suppress_blank;
  full.suppress_nst = params.suppress_non_speech;
  full.token_timestamps = params.token_times;
  full.no_context = true;  // never the text of another job
  full.print_progress = false;
  full.print_realtime = false;
  full.print_special = false;
  full.print_timestamps = false;
  apply_context(params, context, full);
  return full;
}

ModelOptions read_model_options(const Napi::Object& from) {
  ModelOptions options;
  options.use_gpu = read_bool(from, "useGpu", true);
  return options;
}

}  // namespace earshot
