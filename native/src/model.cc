#include "model.h"

#include <map>

#include "engine_log.h"
#include "errors.h"
#include "model_loader.h"

namespace earshot {

namespace {

const std::map<std::string, whisper_alignment_heads_preset>& dtw_presets() {
  static const std::map<std::string, whisper_alignment_heads_preset> presets = {
      {"tiny", WHISPER_AHEADS_TINY},         {"tiny.en", WHISPER_AHEADS_TINY_EN},
      {"base", WHISPER_AHEADS_BASE},         {"base.en", WHISPER_AHEADS_BASE_EN},
      {"small", WHISPER_AHEADS_SMALL},       {"small.en", WHISPER_AHEADS_SMALL_EN},
      {"medium", WHISPER_AHEADS_MEDIUM},     {"medium.en", WHISPER_AHEADS_MEDIUM_EN},
      {"large-v1", WHISPER_AHEADS_LARGE_V1}, {"large-v2", WHISPER_AHEADS_LARGE_V2},
      {"large-v3", WHISPER_AHEADS_LARGE_V3}, {"large-v3-turbo", WHISPER_AHEADS_LARGE_V3_TURBO},
  };
  return presets;
}

// A preset made for another model makes whisper.cpp fail later, or reads heads that are not there.
bool fits(const std::string& preset, const ModelFacts& facts) {
  if (preset == "large-v1" || preset == "large-v2") return facts.type == "large";
  return preset == facts.type;
}

// The alignment heads to use; WHISPER_AHEADS_NONE for none. Version 1 and 2 of "large" have the same shape,
// so "auto" leaves them out.
whisper_alignment_heads_preset choose_dtw(const ModelOptions& options, const ModelFacts& facts) {
  if (options.dtw.empty()) return WHISPER_AHEADS_NONE;
  const bool automatic = options.dtw == "auto";
  const auto preset = dtw_presets().find(automatic ? facts.type : options.dtw);
  if (preset == dtw_presets().end()) {
    if (automatic) return WHISPER_AHEADS_NONE;
    throw EngineError(kInvalidArgument, "There are no alignment heads named '" + options.dtw + "'.");
  }
  if (!fits(preset->first, facts)) {
    throw EngineError(kInvalidArgument, "The alignment heads of '" + options.dtw + "' do not fit a model of type '" +
                                            facts.type + "'.");
  }
  if (options.flash_attention) {
    throw EngineError(kInvalidArgument, "DTW token times need flash attention to be off.");
  }
  return preset->second;
}

}  // namespace

Model::Model(whisper_context* context, ModelFacts facts, bool has_dtw)
    : context_(context), facts_(std::move(facts)), has_dtw_(has_dtw) {}

Model::~Model() { whisper_free(context_); }

std::shared_ptr<Model> Model::load(const std::string& path, const ModelOptions& options) {
  ModelSource source{open_model(path)};
  ModelFacts facts = check_model(source.file);

  whisper_context_params params = whisper_context_default_params();
  params.use_gpu = options.use_gpu;
  params.gpu_device = options.gpu_device;
  params.flash_attn = options.flash_attention;
  params.dtw_aheads_preset = choose_dtw(options, facts);
  params.dtw_token_timestamps = params.dtw_aheads_preset != WHISPER_AHEADS_NONE;

  const LogCapture log;
  whisper_model_loader loader = loader_of(source);
  whisper_context* context = whisper_init_with_params_no_state(&loader, params);
  if (context == nullptr) {
    throw EngineError(kModelInvalid, log.or_else("The model could not be loaded."));
  }
  const bool has_dtw = params.dtw_token_timestamps;
  return std::shared_ptr<Model>(new Model(context, std::move(facts), has_dtw));
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
