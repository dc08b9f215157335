// Failures with a code for programs and a sentence for people.
#pragma once

#include <stdexcept>
#include <string>

namespace earshot {

// Becomes a JavaScript Error whose `code` is one of the constants below.
class EngineError : public std::runtime_error {
 public:
  EngineError(const char* code, const std::string& message) : std::runtime_error(message), code_(code) {}
  const char* code() const { return code_; }

 private:
  const char* code_;
};

constexpr const char* kInvalidArgument = "invalid_argument";
constexpr const char* kModelInvalid = "model_invalid";
constexpr const char* kModelNotFound = "model_not_found";
constexpr const char* kModelClosed = "model_closed";
constexpr const char* kAborted = "aborted";
constexpr const char* kEngineFailed = "engine_failed";
constexpr const char* kOutOfMemory = "out_of_memory";

}  // namespace earshot
