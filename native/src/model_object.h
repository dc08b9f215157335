// The JavaScript object of a loaded model.
#pragma once

#include <memory>

#include <napi.h>

#include "model.h"

namespace earshot {

class ModelObject : public Napi::ObjectWrap<ModelObject> {
 public:
  // Defines the class in this environment. Call once, before wrap().
  static void define(Napi::Env env);
  static Napi::Object wrap(Napi::Env env, std::shared_ptr<Model> model);

  explicit ModelObject(const Napi::CallbackInfo& info);

 private:
  Napi::Value facts(const Napi::CallbackInfo& info);
  Napi::Value transcribe(const Napi::CallbackInfo& info);
  Napi::Value detect_language(const Napi::CallbackInfo& info);
  Napi::Value free(const Napi::CallbackInfo& info);

  std::shared_ptr<Model> model_;
};

}  // namespace earshot
