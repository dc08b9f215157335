#include "model_object.h"

#include <utility>
#include <vector>

#include "convert.h"
#include "params.h"
#include "result.h"
#include "task.h"

namespace earshot {

namespace {

struct Listeners {
  Napi::FunctionReference progress;
  Napi::FunctionReference language;
};

std::shared_ptr<Listeners> read_listeners(const Napi::Object& from) {
  auto listeners = std::make_shared<Listeners>();
  const Napi::Function progress = read_function(from, "onProgress");
  const Napi::Function language = read_function(from, "onLanguage");
  if (!progress.IsEmpty()) listeners->progress = Napi::Persistent(progress);
  if (!language.IsEmpty()) listeners->language = Napi::Persistent(language);
  return listeners;
}

TranscribeListener make_listener(Task& task, Listeners* listeners) {
  TranscribeListener listener;
  listener.aborted = [&task] { return task.aborted(); };
  listener.on_progress = [&task, listeners](int percent) {
    if (listeners->progress.IsEmpty()) return;
    task.post([listeners, percent](Napi::Env env) {
      listeners->progress.Call({Napi::Number::New(env, percent)});
    });
  };
  listener.on_language = [&task, listeners](const LanguageGuess& guess) {
    if (listeners->language.IsEmpty()) return;
    task.post([listeners, guess](Napi::Env env) { listeners->language.Call({language_to_js(env, guess)}); });
  };
  return listener;
}

Napi::Value transcript_to_js(Napi::Env env, const Transcript& transcript) {
  Napi::Array segments = Napi::Array::New(env, transcript.segments.size());
  for (size_t i = 0; i < transcript.segments.size(); ++i) {
    segments.Set(static_cast<uint32_t>(i), segment_to_js(env, transcript.segments[i]));
  }
  Napi::Object object = Napi::Object::New(env);
  object.Set("segments", segments);
  object.Set("language", transcript.language.language);
  const bool detected = !transcript.language.probabilities.empty();
  object.Set("languageProbabilities",
             detected ? language_to_js(env, transcript.language).Get("probabilities") : env.Null());
  return object;
}

}  // namespace

void ModelObject::define(Napi::Env env) {
  const Napi::Function constructor = DefineClass(env, "Model",
                                                 {InstanceMethod("facts", &ModelObject::facts),
                                                  InstanceMethod("transcribe", &ModelObject::transcribe),
                                                  InstanceMethod("detectLanguage", &ModelObject::detect_language),
                                                  InstanceMethod("free", &ModelObject::free)});
  env.SetInstanceData(new Napi::FunctionReference(Napi::Persistent(constructor)));
}

Napi::Object ModelObject::wrap(Napi::Env env, std::shared_ptr<Model> model) {
  const Napi::Object object = env.GetInstanceData<Napi::FunctionReference>()->New({});
  Napi::ObjectWrap<ModelObject>::Unwrap(object)->model_ = std::move(model);
  return object;
}

ModelObject::ModelObject(const Napi::CallbackInfo& info) : Napi::ObjectWrap<ModelObject>(info) {}

Napi::Value ModelObject::facts(const Napi::CallbackInfo& info) { return facts_to_js(info.Env(), model_->facts()); }

Napi::Value ModelObject::transcribe(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  const AbortFlag abort = std::make_shared<std::atomic<bool>>(false);
  const Napi::Value promise = guarded(env, [&]() -> Napi::Value {
    auto use = std::make_shared<ModelUse>(model_);
    auto samples = std::make_shared<std::vector<float>>(read_samples(info[0]));
    const TranscribeParams params = read_transcribe_params(object_at(info, 1), model_->facts());
    const std::shared_ptr<Listeners> listeners = read_listeners(object_at(info, 2));
    Listeners* callbacks = listeners.get();  // kept alive by the task
    return Task::start(
        env, "earshot.transcribe",
        [use, samples, params, callbacks](Task& task) -> Task::Finish {
          Transcript transcript = (*use)->transcribe(*samples, params, make_listener(task, callbacks));
          return [transcript = std::move(transcript)](Napi::Env env) { return transcript_to_js(env, transcript); };
        },
        abort, listeners);
  });
  return make_job(env, promise, abort);
}

Napi::Value ModelObject::detect_language(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  return guarded(env, [&]() -> Napi::Value {
    auto use = std::make_shared<ModelUse>(model_);
    auto samples = std::make_shared<std::vector<float>>(read_samples(info[0]));
    const Napi::Object from = object_at(info, 1);
    const int threads = read_int(from, "threads", 1, 1, kMaxThreads);
    const int audio_context = read_audio_context(from, model_->facts());
    return Task::start(env, "earshot.language", [use, samples, threads, audio_context](Task&) -> Task::Finish {
      const LanguageGuess guess = (*use)->detect_language(*samples, threads, audio_context);
      return [guess](Napi::Env env) -> Napi::Value { return language_to_js(env, guess); };
    });
  });
}

Napi::Value ModelObject::free(const Napi::CallbackInfo& info) {
  const std::shared_ptr<Model> model = model_;
  model->refuse();
  return Task::start(info.Env(), "earshot.free", [model](Task&) -> Task::Finish {
    model->close();
    return [](Napi::Env env) -> Napi::Value { return env.Undefined(); };
  });
}

}  // namespace earshot
