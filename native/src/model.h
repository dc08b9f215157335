// A loaded model, whose weights all of its jobs share.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "model_file.h"
#include "whisper.h"

namespace earshot {

struct ModelOptions {
  bool use_gpu = true;
};

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

class Model {
 public:
  // Checks the file and loads it. Throws model_not_found or model_invalid.
  static std::shared_ptr<Model> load(const std::string& path, const ModelOptions& options);
  ~Model();
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  const ModelFacts& facts() const { return facts_; }
  whisper_context* context() const { return context_; }

  // A new state for one job. Throws out_of_memory. States are not reused: the random numbers and the text of an earlier
  // job would make the same audio give another text.
  std::unique_ptr<StateOwner> new_state() const;

  // Throws model_closed after refuse() or close(); pairs with leave().
  void enter();
  void leave();
  // Refuses new jobs.
  void refuse();
  // Refuses new jobs, waits for the running ones, and frees the weights. Safe to call twice.
  void close();

 private:
  Model(whisper_context* context, ModelFacts facts);

  whisper_context* context_;
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
