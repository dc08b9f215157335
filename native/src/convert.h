// Reads JavaScript values, with errors that name the field and what it must be.
#pragma once

#include <string>
#include <vector>

#include <napi.h>

namespace earshot {

// These throw EngineError: call them on JavaScript's thread, inside `guarded`. An absent field is `fallback`.
std::string read_string(const Napi::Object& from, const char* name, const std::string& fallback);
bool read_bool(const Napi::Object& from, const char* name, bool fallback);
double read_number(const Napi::Object& from, const char* name, double fallback, double min, double max);
int read_int(const Napi::Object& from, const char* name, int fallback, int min, int max);
// Empty if the field is absent.
Napi::Function read_function(const Napi::Object& from, const char* name);

// The argument at `index`, or an empty object if it is not one.
Napi::Object object_at(const Napi::CallbackInfo& info, size_t index);

// The first argument, a path. Throws invalid_argument.
std::string read_path(const Napi::CallbackInfo& info);

// Copies a Float32Array of mono samples at 16 kHz. Throws invalid_argument if it is another type or empty.
std::vector<float> read_samples(const Napi::Value& value);

// A rejected promise, whose error has this `code`.
Napi::Promise rejected(Napi::Env env, const char* code, const std::string& message);

// Runs `body` and converts an exception into a rejected promise.
template <typename Body>
Napi::Value guarded(Napi::Env env, Body body);

}  // namespace earshot

#include "errors.h"

template <typename Body>
Napi::Value earshot::guarded(Napi::Env env, Body body) {
  try {
    return body();
  } catch (const EngineError& error) {
    return rejected(env, error.code(), error.what());
  } catch (const std::bad_alloc&) {
    return rejected(env, kOutOfMemory, "There is not enough memory for this recording.");
  }
}
