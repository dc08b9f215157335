// The addon's exports. Their TypeScript types are in electron/core/engines/whisper/addon.ts.

#include <string>

#include <napi.h>

#include "convert.h"
#include "engine_log.h"
#include "model_object.h"
#include "params.h"
#include "result.h"
#include "speech_detector.h"
#include "tagger.h"
#include "task.h"
#include "vulkan_library.h"

#include "ggml-backend.h"
#include "whisper.h"

namespace earshot {

namespace {

// loadModel(path, options) → Promise<Model>
Napi::Value load_model(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  return guarded(env, [&]() -> Napi::Value {
    const std::string path = read_path(info);
    const ModelOptions options = read_model_options(object_at(info, 1));
    return Task::start(env, "earshot.load", [path, options](Task&) -> Task::Finish {
      std::shared_ptr<Model> model = Model::load(path, options);
      return [model](Napi::Env env) -> Napi::Value { return ModelObject::wrap(env, model); };
    });
  });
}

// inspectModel(path) → Promise<ModelFacts>; checks the file without loading it
Napi::Value inspect_model(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  return guarded(env, [&]() -> Napi::Value {
    const std::string path = read_path(info);
    return Task::start(env, "earshot.inspect", [path](Task&) -> Task::Finish {
      std::ifstream file = open_model(path);
      const ModelFacts facts = check_model(file);
      return [facts](Napi::Env env) -> Napi::Value { return facts_to_js(env, facts); };
    });
  });
}

// systemInfo() → {version, features, devices}
Napi::Value system_info(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  Napi::Array devices = Napi::Array::New(env);
  for (size_t i = 0; i < ggml_backend_dev_count(); ++i) {
    ggml_backend_dev_t device = ggml_backend_dev_get(i);
    const enum ggml_backend_dev_type type = ggml_backend_dev_type(device);
    Napi::Object entry = Napi::Object::New(env);
    entry.Set("name", ggml_backend_dev_name(device));
    entry.Set("description", ggml_backend_dev_description(device));
    entry.Set("kind", type == GGML_BACKEND_DEVICE_TYPE_CPU     ? "cpu"
                      : type == GGML_BACKEND_DEVICE_TYPE_ACCEL ? "accelerator"
                                                               : "gpu");
    devices.Set(devices.Length(), entry);
  }
  Napi::Object object = Napi::Object::New(env);
  object.Set("version", whisper_version());
  object.Set("features", whisper_print_system_info());
  object.Set("devices", devices);
  return object;
}

// loadBackends(folder): portable builds select the CPU library for this processor; other builds have it linked in.
Napi::Value load_backends(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
#ifdef EARSHOT_PORTABLE
  if (ggml_backend_dev_by_type(GGML_BACKEND_DEVICE_TYPE_CPU) == nullptr && info.Length() > 0) {
    ggml_backend_load_all_from_path(info[0].ToString().Utf8Value().c_str());
  }
#endif
  if (ggml_backend_dev_by_type(GGML_BACKEND_DEVICE_TYPE_CPU) == nullptr) {
    throw Napi::Error::New(env, "No CPU library of the speech engine fits this processor.");
  }
  return env.Undefined();
}

// loadVulkan(path) → Promise<{name, driver, kind}>; models loaded from then on may use that device
Napi::Value load_vulkan_library(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  return guarded(env, [&]() -> Napi::Value {
    const std::string path = read_path(info);
    return Task::start(env, "earshot.vulkan", [path](Task&) -> Task::Finish {
      const VulkanDevice device = load_vulkan(path);
      return [device](Napi::Env env) -> Napi::Value {
        Napi::Object object = Napi::Object::New(env);
        object.Set("name", device.name);
        object.Set("driver", device.driver);
        object.Set("kind", device.kind);
        return object;
      };
    });
  });
}

}  // namespace

Napi::Object init(Napi::Env env, Napi::Object exports) {
  install_log();
  ModelObject::define(env);
  exports.Set("loadBackends", Napi::Function::New(env, load_backends));
  exports.Set("loadVulkan", Napi::Function::New(env, load_vulkan_library));
  exports.Set("loadModel", Napi::Function::New(env, load_model));
  exports.Set("loadSpeechDetector", Napi::Function::New(env, load_speech_detector));
  exports.Set("loadTagger", Napi::Function::New(env, load_tagger));
  exports.Set("inspectModel", Napi::Function::New(env, inspect_model));
  exports.Set("systemInfo", Napi::Function::New(env, system_info));
  return exports;
}

}  // namespace earshot

Napi::Object initialize(Napi::Env env, Napi::Object exports) { return earshot::init(env, exports); }

NODE_API_MODULE(earshot_engine, initialize)
