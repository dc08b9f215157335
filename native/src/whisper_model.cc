#include "whisper_model.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "alignment_heads.h"
#include "engine_log.h"
#include "errors.h"
#include "samples.h"
#include "whisper_result.h"

// Added to whisper.cpp by native/patches/05-reuse-language-encoding.patch.
WHISPER_API void earshot_keep_mel(struct whisper_state* state);
WHISPER_API void earshot_set_audio_ctx(struct whisper_state* state, int n);
// Added by native/patches/08-vocabulary.patch.
WHISPER_API void earshot_set_vocabulary(struct whisper_state* state, const earshot_vocabulary* vocabulary);
// Added by native/patches/13-alignment.patch.
WHISPER_API void earshot_set_alignment(struct whisper_state* state, const earshot_alignment* alignment);
WHISPER_API void earshot_set_speech(struct whisper_state* state, const earshot_speech* speech);

namespace earshot {

namespace {

constexpr int kStateFreed = -7;  // whisper.cpp has already freed the state
constexpr size_t kWindowSamples = 30 * WHISPER_SAMPLE_RATE;

// Forwards whisper.cpp's callbacks to the listener. Must outlive the call of whisper_full.
class CallbackForwarder {
 public:
  explicit CallbackForwarder(const TranscribeListener& listener) : listener_(listener) {}

  void attach(whisper_full_params& full) {
    full.abort_callback = [](void* self) { return static_cast<CallbackForwarder*>(self)->listener_.aborted(); };
    full.abort_callback_user_data = this;
    full.encoder_begin_callback = [](whisper_context*, whisper_state*, void* self) {
      return !static_cast<CallbackForwarder*>(self)->listener_.aborted();
    };
    full.encoder_begin_callback_user_data = this;
    full.progress_callback = [](whisper_context*, whisper_state*, int percent, void* self) {
      static_cast<CallbackForwarder*>(self)->progress(percent);
    };
    full.progress_callback_user_data = this;
  }

  void progress(int percent) {
    const int capped = std::min(std::max(percent, 0), 100);
    if (capped <= percent_) return;
    percent_ = capped;
    listener_.on_progress(capped);
  }

 private:
  const TranscribeListener& listener_;
  int percent_ = -1;
};

std::vector<earshot_span> frames_of(const std::vector<std::pair<double, double>>& seconds) {
  std::vector<earshot_span> spans;
  for (const auto& span : seconds) {
    spans.push_back({static_cast<int>(std::lround(span.first * 100)), static_cast<int>(std::lround(span.second * 100))});
  }
  return spans;
}

}  // namespace

WhisperModel::WhisperModel(whisper_context* context, ModelFacts facts) : Model(std::move(facts)), context_(context) {}

WhisperModel::~WhisperModel() { whisper_free(context_); }

void WhisperModel::free_weights() {
  whisper_free(context_);
  context_ = nullptr;
}

std::shared_ptr<Model> WhisperModel::load(ModelSource& source, ModelFacts facts, const ModelOptions& options) {
  whisper_context_params params = whisper_context_default_params();
  params.use_gpu = options.use_gpu;
  params.flash_attn = true;  // about a third faster

  const LogCapture log;
  auto loader = loader_of<whisper_model_loader>(source);
  whisper_context* context = whisper_init_with_params_no_state(&loader, params);
  if (context == nullptr) throw EngineError(kModelInvalid, log.or_else("The model could not be loaded."));
  return std::shared_ptr<Model>(new WhisperModel(context, std::move(facts)));
}

const earshot_token_table& WhisperModel::tokens() const {
  std::call_once(tokens_read_, [this] {
    std::vector<std::string> texts;
    for (int id = 0; id < whisper_n_vocab(context_); ++id) texts.emplace_back(whisper_token_to_str(context_, id));
    tokens_ = std::make_unique<earshot_token_table>(std::move(texts), whisper_token_eot(context_));
  });
  return *tokens_;
}

std::unique_ptr<StateOwner> WhisperModel::new_state() const {
  const LogCapture log;
  whisper_state* state = whisper_init_state(context_);
  if (state == nullptr) throw EngineError(kOutOfMemory, log.or_else(kNoMemoryForState));
  return std::make_unique<StateOwner>(state);
}

LanguageGuess WhisperModel::detect_language(const std::vector<float>& samples, int threads, int audio_context) const {
  require_finite(samples);
  const std::unique_ptr<StateOwner> state = new_state();
  earshot_set_audio_ctx(state->get(), audio_context);
  return detect_language(state->get(), samples, threads);
}

LanguageGuess WhisperModel::detect_language(whisper_state* state, const std::vector<float>& samples,
                                            int threads) const {
  if (!facts().multilingual) return {"en", {{"en", 1.0F}}};
  const LogCapture log;
  const size_t length = std::min(samples.size(), kWindowSamples);
  if (whisper_pcm_to_mel_with_state(context_, state, samples.data(), static_cast<int>(length), threads) != 0) {
    throw EngineError(kEngineFailed, log.or_else("The audio could not be turned into a spectrogram."));
  }
  std::vector<float> raw(static_cast<size_t>(whisper_lang_max_id()) + 1, 0.0F);
  if (whisper_lang_auto_detect_with_state(context_, state, 0, threads, raw.data()) < 0) {
    throw EngineError(kEngineFailed, log.or_else("The language could not be detected."));
  }
  // whisper.cpp computes 100 probabilities for a model with 99 languages, too, where the last token is not a language:
  // keep those that the model knows, and normalize.
  LanguageGuess guess;
  float sum = 0;
  for (size_t id = 0; id < facts().languages.size(); ++id) {
    guess.probabilities.emplace_back(facts().languages[id], raw[id]);
    sum += raw[id];
  }
  for (auto& entry : guess.probabilities) entry.second = sum > 0 ? entry.second / sum : 0;
  std::stable_sort(guess.probabilities.begin(), guess.probabilities.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  guess.language = guess.probabilities.front().first;
  return guess;
}

Transcript WhisperModel::transcribe(const std::vector<float>& samples, TranscribeParams params,
                                    const TranscribeListener& listener) const {
  require_finite(samples);
  throw_if_aborted(listener);
  const std::unique_ptr<StateOwner> state = new_state();
  throw_if_aborted(listener);

  Transcript transcript;
  if (params.language == "auto") {
    earshot_set_audio_ctx(state->get(), params.audio_context);
    transcript.language = detect_language(state->get(), samples, params.threads);
    params.language = transcript.language.language;
    throw_if_aborted(listener);
    listener.on_language(transcript.language);
    // Detection made the spectrogram and the encoding of the first window, which is all of this audio: reuse both.
    if (facts().multilingual && samples.size() <= kWindowSamples) earshot_keep_mel(state->get());
  } else {
    transcript.language.language = params.language;
  }

  std::optional<earshot_vocabulary> vocabulary;
  if (!params.vocabulary.empty()) {
    vocabulary.emplace(tokens());
    for (const auto& entry : params.vocabulary) vocabulary->add(entry.first, entry.second);
    earshot_set_vocabulary(state->get(), &*vocabulary);
  }

  const earshot_alignment alignment = params.alignment_heads.empty()
                                          ? alignment_heads(facts(), context_)
                                          : alignment_heads(params.alignment_heads, context_);
  if (params.align_words && !alignment.heads.empty()) earshot_set_alignment(state->get(), &alignment);

  std::optional<earshot_speech> speech;
  if (params.speech) {
    speech.emplace(frames_of(*params.speech));
    earshot_set_speech(state->get(), &*speech);
  }

  const LogCapture log;
  whisper_full_params full = to_whisper(params, context_);
  CallbackForwarder callbacks(listener);
  callbacks.attach(full);
  const int outcome =
      whisper_full_with_state(context_, state->get(), full, samples.data(), static_cast<int>(samples.size()));
  if (outcome == kStateFreed) {
    state->forget();
    throw EngineError(kOutOfMemory, "There is not enough memory to decode with this many candidates.");
  }
  throw_if_aborted(listener);
  if (outcome != 0) throw EngineError(kEngineFailed, log.or_else("The recognition failed."));
  callbacks.progress(100);
  const int count = whisper_full_n_segments_from_state(state->get());
  for (int i = 0; i < count; ++i) transcript.segments.push_back(read_segment(context_, state->get(), i));
  return transcript;
}

}  // namespace earshot
