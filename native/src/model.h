// A loaded model: the weights, shared by every job that runs on it.
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
  int gpu_device = 0;
  bool flash_attention = true;
  // Name of the alignment heads for DTW token times ("base.en", …), "auto" for the model's own, "" for none.
  std::string dtw;
};

// Frees a state, unless whisper.cpp has done so itself (see forget()).
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
  // Checks and loads. Throws model_not_found, model_invalid, invalid_argument (DTW) or out_of_memory.
  static std::shared_ptr<Model> load(const std::string& path, const ModelOptions& options);
  ~Model();
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  const ModelFacts& facts() const { return facts_; }
  whisper_context* context() const { return context_; }
  bool has_dtw() const { return has_dtw_; }

  // A new state for one job. States are not kept between jobs: a used state carries its random numbers and
  // its text over, so that the same audio could give another text the second time.
  std::unique_ptr<StateOwner> new_state() const;

  // Throws model_closed once close() was called; pairs with leave().
  void enter();
  void leave();
  // Refuses new jobs from now on.
  void refuse();
  // Refuses new jobs, waits for the running ones, frees the weights. Safe to call twice.
  void close();

 private:
  Model(whisper_context* context, ModelFacts facts, bool has_dtw);

  whisper_context* context_;
  ModelFacts facts_;
  bool has_dtw_;
  mutable std::mutex mutex_;
  std::condition_variable idle_;
  int running_ = 0;
  bool closed_ = false;
};

// Holds a model open for the length of one job.
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
