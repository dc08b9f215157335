// A Parakeet TDT model: a FastConformer encoder and a token-and-duration transducer (Xu et al. 2023,
// https://arxiv.org/abs/2304.06795), which says for each token where it starts and how long it lasts.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "model.h"
#include "model_source.h"
#include "parakeet.h"

namespace earshot {

class ParakeetModel : public Model {
 public:
  // `facts` are those of the file. Throws model_invalid.
  static std::shared_ptr<Model> load(ModelSource& source, ModelFacts facts, const ModelOptions& options);
  ~ParakeetModel() override;

  // One segment with all tokens, or none. Of the parameters, the language and the number of threads count. The language
  // of a model that knows several is as it was given, since the model does not say which one it heard.
  Transcript transcribe(const std::vector<float>& samples, TranscribeParams params,
                        const TranscribeListener& listener) const override;
  LanguageGuess detect_language(const std::vector<float>& samples, int threads, int audio_context) const override;

 private:
  ParakeetModel(parakeet_context* context, ModelFacts facts);
  void free_weights() override;

  parakeet_context* context_;
};

}  // namespace earshot
