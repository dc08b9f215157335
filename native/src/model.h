// A loaded model, whose weights all of its jobs share.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "model_file.h"
#include "params.h"
#include "transcript.h"

namespace earshot {

// Of one of the families. Several jobs may run at once.
class Model {
 public:
  // Checks the file and loads it. Throws model_not_found or model_invalid.
  static std::shared_ptr<Model> load(const std::string& path, const ModelOptions& options);
  virtual ~Model() = default;
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  const ModelFacts& facts() const { return facts_; }

  // Blocks until done. Throws aborted, engine_failed or out_of_memory.
  virtual Transcript transcribe(const std::vector<float>& samples, TranscribeParams params,
                                const TranscribeListener& listener) const = 0;
  // Of the first 30 seconds; `audio_context` as in TranscribeParams. A model for one language returns that one. Throws invalid_argument if the model cannot tell.
  virtual LanguageGuess detect_language(const std::vector<float>& samples, int threads, int audio_context) const = 0;

  // Throws model_closed after refuse() or close(); pairs with leave().
  void enter();
  void leave();
  // Refuses new jobs.
  void refuse();
  // Refuses new jobs, waits for the running ones, and frees the weights. Safe to call twice.
  void close();

 protected:
  explicit Model(ModelFacts facts) : facts_(std::move(facts)) {}
  // Safe to call twice.
  virtual void free_weights() = 0;

 private:
  ModelFacts facts_;
  mutable std::mutex mutex_;
  std::condition_variable idle_;
  int running_ = 0;
  bool closed_ = false;
};

// Keeps a model from being freed during one job.
class ModelUse {
 public:
  explicit ModelUse(std::shared_ptr<Model> model) : model_(std::move(model)) { model_->enter(); }
  ~ModelUse() { model_->leave(); }
  ModelUse(const ModelUse&) = delete;
  ModelUse& operator=(const ModelUse&) = delete;
  Model& operator*() const { return *model_; }
  Model* operator->() const { return model_.get(); }

 private:
  std::shared_ptr<Model> model_;
};

}  // namespace earshot
