#include "model.h"

#include "errors.h"
#include "model_source.h"
#include "parakeet_model.h"
#include "whisper_model.h"

namespace earshot {

std::shared_ptr<Model> Model::load(const std::string& path, const ModelOptions& options) {
  ModelSource source{open_model(path)};
  ModelFacts facts = check_model(source.file);
  if (facts.family == Family::kParakeet) return ParakeetModel::load(source, std::move(facts), options);
  return WhisperModel::load(source, std::move(facts), options);
}

void Model::enter() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (closed_) throw EngineError(kModelClosed, "The model was freed; load it again first.");
  ++running_;
}

void Model::leave() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (--running_ == 0) idle_.notify_all();
}

void Model::close() {
  std::unique_lock<std::mutex> lock(mutex_);
  closed_ = true;
  idle_.wait(lock, [this] { return running_ == 0; });
  free_weights();
}

void Model::refuse() {
  const std::lock_guard<std::mutex> lock(mutex_);
  closed_ = true;
}

}  // namespace earshot
