// A Whisper model.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "model.h"
#include "model_source.h"
#include "kernels/vocabulary.h"
#include "whisper.h"

namespace earshot {

// Owns a state. After forget() it does not free it: on some errors whisper.cpp has done so itself.
class StateOwner {
 public:
  explicit StateOwner(whisper_state* state) : state_(state) {}
  ~StateOwner() { whisper_free_state(state_); }
  StateOwner(const StateOwner&) = delete;
  StateOwner& operator=(const StateOwner&) = delete;
  whisper_state* get() const { return state_; }
  void forget() { state_ = nullptr; }

 private:
  whisper_state* state_;
};

class WhisperModel : public Model {
 public:
  // `facts` are those of the file. Throws model_invalid.
  static std::shared_ptr<Model> load(ModelSource& source, ModelFacts facts, const ModelOptions& options);
  ~WhisperModel() override;

  Transcript transcribe(const std::vector<float>& samples, TranscribeParams params,
                        const TranscribeListener& listener) const override;
  LanguageGuess detect_language(const std::vector<float>& samples, int threads, int audio_context) const override;

 private:
  WhisperModel(whisper_context* context, ModelFacts facts);
  void free_weights() override;

  // A new state for one job. Throws out_of_memory. States are not reused: the random numbers and the text of an earlier
  // job would make the same audio give another text.
  std::unique_ptr<StateOwner> new_state() const;
  LanguageGuess detect_language(whisper_state* state, const std::vector<float>& samples, int threads) const;

  // The texts of its tokens, read when a vocabulary first needs them.
  const earshot_token_table& tokens() const;

  whisper_context* context_;
  mutable std::once_flag tokens_read_;
  mutable std::unique_ptr<earshot_token_table> tokens_;
};

}  // namespace earshot
