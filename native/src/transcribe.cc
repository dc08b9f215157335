#include "transcribe.h"

#include <algorithm>
#include <cmath>

#include "engine_log.h"
#include "errors.h"

// Added to whisper.cpp by native/patches/05-reuse-language-encoding.patch.
WHISPER_API void earshot_keep_mel(struct whisper_state* state);
WHISPER_API void earshot_set_audio_ctx(struct whisper_state* state, int n);

namespace earshot {

namespace {

constexpr int kStateFreed = -7;  // whisper.cpp has already freed the state

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

void throw_if_aborted(const TranscribeListener& listener) {
  if (listener.aborted()) throw EngineError(kAborted, "The recognition was stopped.");
}

}  // namespace

void require_finite(const std::vector<float>& samples) {
  for (const float sample : samples) {
    if (!std::isfinite(sample)) throw EngineError(kInvalidArgument, "The audio holds samples that are not numbers.");
  }
}

Transcript transcribe(Model& model, const std::vector<float>& samples, TranscribeParams params,
                      const TranscribeListener& listener) {
  require_finite(samples);
  throw_if_aborted(listener);
  const std::unique_ptr<StateOwner> state = model.new_state();
  throw_if_aborted(listener);

  Transcript transcript;
  if (params.language == "auto") {
    earshot_set_audio_ctx(state->get(), params.audio_context);
    transcript.language = detect_language(model, state->get(), samples, params.threads);
    params.language = transcript.language.language;
    throw_if_aborted(listener);
    listener.on_language(transcript.language);
    // Detection made the spectrogram and the encoding of the first window, which is all of this audio: reuse both.
    if (model.facts().multilingual && samples.size() <= kWindowSamples) earshot_keep_mel(state->get());
  } else {
    transcript.language.language = params.language;
  }

  const LogCapture log;
  whisper_full_params full = to_whisper(params, model.context());
  CallbackForwarder callbacks(listener);
  callbacks.attach(full);
  const int outcome = whisper_full_with_state(model.context(), state->get(), full, samples.data(),
                                              static_cast<int>(samples.size()));
  if (outcome == kStateFreed) {
    state->forget();
    throw EngineError(kOutOfMemory, "There is not enough memory to decode with this many candidates.");
  }
  throw_if_aborted(listener);
  if (outcome != 0) throw EngineError(kEngineFailed, log.or_else("The recognition failed."));
  callbacks.progress(100);
  const int count = whisper_full_n_segments_from_state(state->get());
  for (int i = 0; i < count; ++i) transcript.segments.push_back(read_segment(model.context(), state->get(), i));
  return transcript;
}

}  // namespace earshot
