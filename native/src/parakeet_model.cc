#include "parakeet_model.h"

#include <algorithm>
#include <cmath>

#include "engine_log.h"
#include "errors.h"
#include "samples.h"

namespace earshot {

namespace {

// parakeet.cpp's mean and deviation of a spectrogram take two frames of 10 ms: shorter audio is continued with silence.
constexpr size_t kMinSamples = PARAKEET_SAMPLE_RATE / 10;
// Of the time that a recording takes, the encoder's share, after which the tokens come. In percent.
constexpr int kEncoderPercent = 80;
constexpr double kSecondsPerMelFrame = static_cast<double>(PARAKEET_HOP_LENGTH) / PARAKEET_SAMPLE_RATE;

struct StateDeleter {
  void operator()(parakeet_state* state) const { parakeet_free_state(state); }
};
using StateOwner = std::unique_ptr<parakeet_state, StateDeleter>;

// Forwards parakeet.cpp's callbacks to the listener. Must outlive the call of parakeet_full.
class CallbackForwarder {
 public:
  CallbackForwarder(const TranscribeListener& listener, double seconds) : listener_(listener), seconds_(seconds) {}

  void attach(parakeet_full_params& full) {
    full.abort_callback = [](void* self) { return static_cast<CallbackForwarder*>(self)->listener_.aborted(); };
    full.abort_callback_user_data = this;
    full.new_token_callback = [](parakeet_context*, parakeet_state*, const parakeet_token_data* token, void* self) {
      static_cast<CallbackForwarder*>(self)->on_token(*token);
    };
    full.new_token_callback_user_data = this;
  }

  void progress(int percent) {
    if (percent <= percent_) return;
    percent_ = percent;
    listener_.on_progress(percent);
  }

 private:
  void on_token(const parakeet_token_data& token) {
    const double share = std::min(1.0, static_cast<double>(token.t0) * kSecondsPerMelFrame / seconds_);
    progress(kEncoderPercent + static_cast<int>(share * (99 - kEncoderPercent)));
  }

  const TranscribeListener& listener_;
  double seconds_;
  int percent_ = -1;
};

Token to_token(parakeet_context* context, const parakeet_token_data& data) {
  char text[1100];  // longer than the longest word of a vocabulary: see parakeet_file.cc
  parakeet_token_to_text(parakeet_token_to_str(context, data.id), false, text, sizeof(text));
  Token token;
  token.id = data.id;
  token.text = text;
  token.probability = data.p;
  token.start = static_cast<double>(data.t0) * kSecondsPerMelFrame;
  token.end = static_cast<double>(data.t1) * kSecondsPerMelFrame;
  token.special = token.text.empty();
  return token;
}

Segment to_segment(parakeet_context* context, parakeet_state* state, int index, double seconds) {
  Segment segment;
  double logprobs = 0;
  int text_tokens = 0;
  const int count = parakeet_full_n_tokens_from_state(state, index);
  for (int i = 0; i < count; ++i) {
    Token token = to_token(context, parakeet_full_get_token_data_from_state(state, index, i));
    // The last token may last beyond the end of the audio.
    token.start = std::min(token.start, seconds);
    token.end = std::min(token.end, seconds);
    if (!token.special) {
      segment.text += token.text;
      logprobs += std::log(std::max(token.probability, 1e-10F));
      ++text_tokens;
    }
    segment.tokens.push_back(std::move(token));
  }
  if (!segment.tokens.empty()) {
    segment.start = segment.tokens.front().start;
    segment.end = segment.tokens.back().end;
  }
  segment.average_logprob = text_tokens > 0 ? static_cast<float>(logprobs / text_tokens) : 0;
  return segment;
}

}  // namespace

ParakeetModel::ParakeetModel(parakeet_context* context, ModelFacts facts)
    : Model(std::move(facts)), context_(context) {}

ParakeetModel::~ParakeetModel() { parakeet_free(context_); }

void ParakeetModel::free_weights() {
  parakeet_free(context_);
  context_ = nullptr;
}

std::shared_ptr<Model> ParakeetModel::load(ModelSource& source, ModelFacts facts, const ModelOptions& options) {
  parakeet_context_params params = parakeet_context_default_params();
  params.use_gpu = options.use_gpu;

  const LogCapture log;
  auto loader = loader_of<parakeet_model_loader>(source);
  parakeet_context* context = parakeet_init_with_params_no_state(&loader, params);
  if (context == nullptr) throw EngineError(kModelInvalid, log.or_else("The model could not be loaded."));
  return std::shared_ptr<Model>(new ParakeetModel(context, std::move(facts)));
}

LanguageGuess ParakeetModel::detect_language(const std::vector<float>&, int, int) const {
  if (!facts().multilingual) return {facts().languages.front(), {{facts().languages.front(), 1.0F}}};
  throw EngineError(kInvalidArgument, "A Parakeet model cannot tell which language it hears.");
}

Transcript ParakeetModel::transcribe(const std::vector<float>& given, TranscribeParams params,
                                     const TranscribeListener& listener) const {
  require_finite(given);
  throw_if_aborted(listener);
  std::vector<float> samples = given;
  if (samples.size() < kMinSamples) samples.resize(kMinSamples, 0.0F);

  Transcript transcript;
  transcript.language.language = params.language;
  if (params.language == "auto" && !facts().multilingual) {
    transcript.language = detect_language(samples, params.threads, params.audio_context);
    listener.on_language(transcript.language);
  }

  const LogCapture log;
  const StateOwner state(parakeet_init_state(context_));
  if (state == nullptr) throw EngineError(kOutOfMemory, log.or_else(kNoMemoryForState));
  throw_if_aborted(listener);

  const double seconds = static_cast<double>(given.size()) / PARAKEET_SAMPLE_RATE;
  parakeet_full_params full = parakeet_full_default_params(PARAKEET_SAMPLING_GREEDY);
  full.n_threads = params.threads;
  CallbackForwarder callbacks(listener, seconds);
  callbacks.attach(full);
  callbacks.progress(0);
  const int outcome =
      parakeet_full_with_state(context_, state.get(), full, samples.data(), static_cast<int>(samples.size()));
  throw_if_aborted(listener);
  if (outcome != 0) throw EngineError(kEngineFailed, log.or_else("The recognition failed."));
  callbacks.progress(100);
  const int count = parakeet_full_n_segments_from_state(state.get());
  for (int i = 0; i < count; ++i) transcript.segments.push_back(to_segment(context_, state.get(), i, seconds));
  return transcript;
}

}  // namespace earshot
