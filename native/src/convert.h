// Reading JavaScript values with checks that name what is wrong.
#pragma once

#include <string>
#include <vector>

#include <napi.h>

namespace earshot {

// Throws an EngineError, so call these on JavaScript's thread inside `guarded`.
std::string read_string(const Napi::Object& from, const char* name, const std::string& fallback);
bool read_bool(const Napi::Object& from, const char* name, bool fallback);
double read_number(const Napi::Object& from, const char* name, double fallback, double least, double most);
int read_int(const Napi::Object& from, const char* name, int fallback, int least, int most);
Napi::Function read_function(const Napi::Object& from, const char* name);

// Mono 32-bit samples at 16 kHz, copied in one piece. Rejects what is not a Float32Array, or is empty.
std::vector<float> read_samples(const Napi::Value& value);

// A promise that is already rejected with an error with this code.
Napi::Promise rejected(Napi::Env env, const char* code, const std::string& message);

// Runs `body`; what it throws becomes a rejected promise instead of a thrown error.
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
