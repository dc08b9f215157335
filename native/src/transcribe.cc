#include "transcribe.h"

#include <algorithm>
#include <cmath>

#include "engine_log.h"
#include "errors.h"

// Added to whisper.cpp by CMakeLists.txt. whisper_full takes the spectrogram that the state has for that of its samples;
// the language is told by as many of the encoder's positions as the text will be.
WHISPER_API void earshot_keep_mel(struct whisper_state* state);
WHISPER_API void earshot_set_audio_ctx(struct whisper_state* state, int n);

namespace earshot {

namespace {

constexpr int kStateFreed = -7;  // whisper.cpp has freed the state itself

// Carries whisper.cpp's callbacks to the listener.
class Run {
 public:
  Run(Model& model, whisper_state* state, const TranscribeListener& listener)
      : model_(model), state_(state), listener_(listener) {}

  void attach(whisper_full_params& full) {
    full.abort_callback = [](void* run) { return static_cast<Run*>(run)->listener_.aborted(); };
    full.abort_callback_user_data = this;
    full.encoder_begin_callback = [](whisper_context*, whisper_state*, void* run) {
      return !static_cast<Run*>(run)->listener_.aborted();
    };
    full.encoder_begin_callback_user_data = this;
    // With DTW whisper.cpp counts its new segments wrong, so both callbacks look at what there is.
    full.new_segment_callback = [](whisper_context*, whisper_state*, int, void* run) {
      static_cast<Run*>(run)->take_segments();
    };
    full.new_segment_callback_user_data = this;
    full.progress_callback = [](whisper_context*, whisper_state*, int percent, void* run) {
      static_cast<Run*>(run)->take_segments();
      static_cast<Run*>(run)->progress(percent);
    };
    full.progress_callback_user_data = this;
  }

  void take_segments() {
    const int count = whisper_full_n_segments_from_state(state_);
    while (static_cast<int>(segments_.size()) < count) {
      segments_.push_back(read_segment(model_.context(), state_, static_cast<int>(segments_.size())));
      listener_.on_segment(segments_.back());
    }
  }

  void progress(int percent) {
    const int capped = std::min(std::max(percent, 0), 100);
    if (capped <= percent_) return;
    percent_ = capped;
    listener_.on_progress(capped);
  }

  std::vector<Segment> segments() { return std::move(segments_); }

 private:
  Model& model_;
  whisper_state* state_;
  const TranscribeListener& listener_;
  std::vector<Segment> segments_;
  int percent_ = -1;
};

void stop_if_aborted(const TranscribeListener& listener) {
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
  stop_if_aborted(listener);
  const std::unique_ptr<StateOwner> state = model.new_state();
  stop_if_aborted(listener);

  Transcript transcript;
  if (params.language == "auto") {
    earshot_set_audio_ctx(state->get(), params.audio_context);
    transcript.language = detect_language(model, state->get(), samples, params.threads);
    params.language = transcript.language.language;
    stop_if_aborted(listener);
    listener.on_language(transcript.language);
    // The language was found in the first window: neither its spectrogram nor its encoding is made again.
    if (model.facts().multilingual && samples.size() <= kWindowSamples) earshot_keep_mel(state->get());
  } else {
    transcript.language.language = params.language;
  }

  const LogCapture log;
  whisper_full_params full = to_whisper(params, model.context());
  Run run(model, state->get(), listener);
  run.attach(full);
  const int outcome = whisper_full_with_state(model.context(), state->get(), full, samples.data(),
                                              static_cast<int>(samples.size()));
  if (outcome == kStateFreed) {
    state->forget();
    throw EngineError(kOutOfMemory, "There is not enough memory to decode with this many candidates.");
  }
  stop_if_aborted(listener);
  if (outcome != 0) throw EngineError(kEngineFailed, log.or_else("The recognition failed."));
  run.take_segments();
  run.progress(100);
  transcript.segments = run.segments();
  return transcript;
}

}  // namespace earshot
