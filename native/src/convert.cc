#include "convert.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <new>

#include "errors.h"

namespace earshot {

namespace {

bool is_absent(const Napi::Value& value) { return value.IsUndefined() || value.IsNull(); }

[[noreturn]] void reject_field(const char* name, const std::string& expected) {
  throw EngineError(kInvalidArgument, std::string("'") + name + "' must be " + expected + ".");
}

}  // namespace

std::string read_string(const Napi::Object& from, const char* name, const std::string& fallback) {
  const Napi::Value value = from.Get(name);
  if (is_absent(value)) return fallback;
  if (!value.IsString()) reject_field(name, "a string");
  return value.As<Napi::String>().Utf8Value();
}

bool read_bool(const Napi::Object& from, const char* name, bool fallback) {
  const Napi::Value value = from.Get(name);
  if (is_absent(value)) return fallback;
  if (!value.IsBoolean()) reject_field(name, "true or false");
  return value.As<Napi::Boolean>().Value();
}

double read_number(const Napi::Object& from, const char* name, double fallback, double min, double max) {
  const Napi::Value value = from.Get(name);
  if (is_absent(value)) return fallback;
  const double number = value.IsNumber() ? value.As<Napi::Number>().DoubleValue() : std::nan("");
  if (!(number >= min && number <= max)) {
    reject_field(name, "a number from " + Napi::Number::New(from.Env(), min).ToString().Utf8Value() + " to " +
                    Napi::Number::New(from.Env(), max).ToString().Utf8Value());
  }
  return number;
}

int read_int(const Napi::Object& from, const char* name, int fallback, int min, int max) {
  const double number = read_number(from, name, fallback, min, max);
  if (number != std::floor(number)) reject_field(name, "a whole number");
  return static_cast<int>(number);
}

Napi::Function read_function(const Napi::Object& from, const char* name) {
  const Napi::Value value = from.Get(name);
  if (is_absent(value)) return Napi::Function();
  if (!value.IsFunction()) reject_field(name, "a function");
  return value.As<Napi::Function>();
}

Napi::Object object_at(const Napi::CallbackInfo& info, size_t index) {
  return info.Length() > index && info[index].IsObject() ? info[index].As<Napi::Object>() : Napi::Object::New(info.Env());
}

std::string read_path(const Napi::CallbackInfo& info) {
  if (info.Length() < 1 || !info[0].IsString()) throw EngineError(kInvalidArgument, "The path must be a string.");
  return info[0].As<Napi::String>().Utf8Value();
}

std::vector<float> read_samples(const Napi::Value& value) {
  if (!value.IsTypedArray() || value.As<Napi::TypedArray>().TypedArrayType() != napi_float32_array) {
    throw EngineError(kInvalidArgument, "The audio must be a Float32Array of mono samples at 16 kHz.");
  }
  const auto array = value.As<Napi::Float32Array>();
  const size_t length = array.ElementLength();
  if (length == 0) throw EngineError(kInvalidArgument, "The audio is empty.");
  if (length > static_cast<size_t>(std::numeric_limits<int>::max())) {
    throw EngineError(kInvalidArgument, "The audio is too long for one call.");
  }
  return std::vector<float>(array.Data(), array.Data() + length);
}

Napi::Promise rejected(Napi::Env env, const char* code, const std::string& message) {
  const auto deferred = Napi::Promise::Deferred::New(env);
  const Napi::Error error = Napi::Error::New(env, message);
  error.Value().Set("code", Napi::String::New(env, code));
  deferred.Reject(error.Value());
  return deferred.Promise();
}

}  // namespace earshot
