#include "tagger.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#ifdef _WIN32
#include <windows.h>
#else
#include <dlfcn.h>
#endif

#include "convert.h"
#include "errors.h"

namespace earshot {

namespace {

// The library comes with sherpa-onnx, which ships no header. The C interface is a table of functions whose order is
// frozen: each version only adds to its end (onnxruntime_c_api.h). Version 17 has all that is used here.
constexpr uint32_t kApiVersion = 17;
enum Slot {
  kGetErrorMessage = 2,
  kCreateEnv = 3,
  kCreateSession = 7,
  kRun = 9,
  kCreateSessionOptions = 10,
  kSetIntraOpNumThreads = 24,
  kSetInterOpNumThreads = 25,
  kCreateTensorWithData = 49,
  kGetTensorMutableData = 51,
  kCreateCpuMemoryInfo = 69,
  kReleaseEnv = 92,
  kReleaseStatus = 93,
  kReleaseMemoryInfo = 94,
  kReleaseSession = 95,
  kReleaseValue = 96,
  kReleaseSessionOptions = 100
};
constexpr int kInt64 = 7;
constexpr int kLoggingError = 3;
constexpr size_t kMaxTokens = 512;
constexpr size_t kLabels = 35;

struct ApiBase {
  const void* const* (*get_api)(uint32_t version);
  const char* (*version)();
};

#ifdef _WIN32
using Path = std::wstring;
Path native_path(const std::string& text) {
  Path path(static_cast<size_t>(MultiByteToWideChar(CP_UTF8, 0, text.c_str(), -1, nullptr, 0)), L'\0');
  MultiByteToWideChar(CP_UTF8, 0, text.c_str(), -1, path.data(), static_cast<int>(path.size()));
  return path;
}
#else
using Path = std::string;
Path native_path(const std::string& text) { return text; }
#endif

// The library stays open until the process ends.
const void* const* open_api(const std::string& library) {
  using GetApiBase = const ApiBase* (*)();
#ifdef _WIN32
  const HMODULE handle = LoadLibraryExW(native_path(library).c_str(), nullptr, LOAD_WITH_ALTERED_SEARCH_PATH);
  const auto base = handle ? reinterpret_cast<GetApiBase>(GetProcAddress(handle, "OrtGetApiBase")) : nullptr;
#else
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  const auto base = handle ? reinterpret_cast<GetApiBase>(dlsym(handle, "OrtGetApiBase")) : nullptr;
#endif
  const void* const* api = base ? base()->get_api(kApiVersion) : nullptr;
  if (api == nullptr) throw EngineError(kEngineFailed, "ONNX Runtime could not be loaded from " + library + ".");
  return api;
}

class Tagger {
 public:
  Tagger(const std::string& library, const std::string& model) : api_(open_api(library)) {
    check(call<void*>(kCreateEnv, kLoggingError, "earshot", &env_));
    void* options = nullptr;
    check(call<void*>(kCreateSessionOptions, &options));
    check(call<void*>(kSetIntraOpNumThreads, options, 1));
    check(call<void*>(kSetInterOpNumThreads, options, 1));
    void* status = call<void*>(kCreateSession, env_, native_path(model).c_str(), options, &session_);
    call<void>(kReleaseSessionOptions, options);
    check(status);
    check(call<void*>(kCreateCpuMemoryInfo, 1, 0, &memory_));
  }
  Tagger(const Tagger&) = delete;
  Tagger& operator=(const Tagger&) = delete;
  ~Tagger() {
    if (memory_) call<void>(kReleaseMemoryInfo, memory_);
    if (session_) call<void>(kReleaseSession, session_);
    if (env_) call<void>(kReleaseEnv, env_);
  }

  // The logits of each token: kLabels values a token.
  std::vector<float> logits(std::vector<int64_t> ids) const {
    const size_t count = ids.size();
    std::vector<int64_t> mask(count, 1);
    std::vector<int64_t> types(count, 0);
    const int64_t shape[] = {1, static_cast<int64_t>(count)};
    std::vector<void*> inputs;
    for (std::vector<int64_t>* values : {&ids, &mask, &types}) {
      void* value = nullptr;
      check(call<void*>(kCreateTensorWithData, memory_, values->data(), count * sizeof(int64_t), shape, size_t{2},
                        kInt64, &value));
      inputs.push_back(value);
    }
    const char* const names[] = {"input_ids", "attention_mask", "token_type_ids"};
    const char* const outputs[] = {"logits"};
    void* output = nullptr;
    void* status = call<void*>(kRun, session_, nullptr, names, inputs.data(), size_t{3}, outputs, size_t{1}, &output);
    for (void* value : inputs) call<void>(kReleaseValue, value);
    check(status);
    float* data = nullptr;
    check(call<void*>(kGetTensorMutableData, output, &data));
    std::vector<float> result(data, data + count * kLabels);
    call<void>(kReleaseValue, output);
    return result;
  }

 private:
  template <typename Result, typename... Arguments>
  Result call(Slot slot, Arguments... arguments) const {
    return reinterpret_cast<Result (*)(Arguments...)>(const_cast<void*>(api_[slot]))(arguments...);
  }

  void check(void* status) const {
    if (status == nullptr) return;
    const std::string message = call<const char*>(kGetErrorMessage, status);
    call<void>(kReleaseStatus, status);
    throw EngineError(kEngineFailed, message);
  }

  const void* const* api_;
  void* env_ = nullptr;
  void* session_ = nullptr;
  void* memory_ = nullptr;
};

Napi::Value run_tagger(const Napi::CallbackInfo& info, const Tagger& tagger) {
  const Napi::Env env = info.Env();
  if (info.Length() == 0 || !info[0].IsTypedArray() ||
      info[0].As<Napi::TypedArray>().TypedArrayType() != napi_int32_array) {
    throw Napi::TypeError::New(env, "The token ids must be an Int32Array.");
  }
  const auto ids = info[0].As<Napi::Int32Array>();
  if (ids.ElementLength() < 2 || ids.ElementLength() > kMaxTokens) {
    throw Napi::RangeError::New(env, "A sentence has 2 to 512 tokens.");
  }
  try {
    const std::vector<float> found = tagger.logits({ids.Data(), ids.Data() + ids.ElementLength()});
    Napi::Float32Array array = Napi::Float32Array::New(env, found.size());
    std::copy(found.begin(), found.end(), array.Data());
    return array;
  } catch (const EngineError& error) {
    throw Napi::Error::New(env, error.what());
  }
}

}  // namespace

Napi::Value load_tagger(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (info.Length() < 2 || !info[0].IsString() || !info[1].IsString()) {
    throw Napi::TypeError::New(env, "The library and the model must be paths.");
  }
  try {
    const auto tagger = std::make_shared<Tagger>(info[0].As<Napi::String>(), info[1].As<Napi::String>());
    return Napi::Function::New(env,
                               [tagger](const Napi::CallbackInfo& info) { return run_tagger(info, *tagger); });
  } catch (const EngineError& error) {
    throw Napi::Error::New(env, error.what());
  }
}

}  // namespace earshot
