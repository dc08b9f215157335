#include "model.h"

#include <fstream>

#include "engine_log.h"
#include "errors.h"

namespace earshot {

namespace {

// Reads a model file for whisper.cpp, which takes the end of the file for the end of the tensors.
struct ModelSource {
  std::ifstream file;
  bool at_end = false;
};

// `source` must outlive the loading.
whisper_model_loader loader_of(ModelSource& source) {
  whisper_model_loader loader = {};
  loader.context = &source;
  loader.read = [](void* context, void* output, size_t size) -> size_t {
    auto* from = static_cast<ModelSource*>(context);
    from->file.read(static_cast<char*>(output), static_cast<std::streamsize>(size));
    if (!from->file) from->at_end = true;
    return static_cast<size_t>(from->file.gcount());
  };
  loader.eof = [](void* context) { return static_cast<ModelSource*>(context)->at_end; };
  loader.close = [](void* context) { static_cast<ModelSource*>(context)->file.close(); };
  return loader;
}

}  // namespace

Model::Model(whisper_context* context, ModelFacts facts) : context_(context), facts_(std::move(facts)) {}

Model::~Model() { whisper_free(context_); }

std::shared_ptr<Model> Model::load(const std::string& path, const ModelOptions& options) {
  ModelSource source{open_model(path)};
  ModelFacts facts = check_model(source.file);

  whisper_context_params params = whisper_context_default_params();
  params.use_gpu = options.use_gpu;
  params.flash_attn = true;  // about a third faster

  const LogCapture log;
  whisper_model_loader loader = loader_of(source);
  whisper_context* context = whisper_init_with_params_no_state(&loader, params);
  if (context == nullptr) {
    throw EngineError(kModelInvalid, log.or_else("The model could not be loaded."));
  }
  return std::shared_ptr<Model>(new Model(context, std::move(facts)));
}

std::unique_ptr<StateOwner> Model::new_state() const {
  const LogCapture log;
  whisper_state* state = whisper_init_state(context_);
  if (state == nullptr) {
    throw EngineError(kOutOfMemory, log.or_else("There is not enough memory for another job with this model."));
  }
  return std::make_unique<StateOwner>(state);
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
  whisper_free(context_);
  context_ = nullptr;
}

void Model::refuse() {
  const std::lock_guard<std::mutex> lock(mutex_);
  closed_ = true;
}

}  // namespace earshot
