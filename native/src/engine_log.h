// The log of whisper.cpp and ggml, which has one callback for the whole process.
#pragma once

#include <string>

namespace earshot {

// Replaces the libraries' printing to stderr. Call once, when the addon is loaded.
void install_log();

// Captures the error lines that this thread's calls into whisper.cpp log during its lifetime.
class LogCapture {
 public:
  LogCapture();
  ~LogCapture();
  LogCapture(const LogCapture&) = delete;
  LogCapture& operator=(const LogCapture&) = delete;

  // The captured lines joined, or `fallback` if there are none.
  std::string or_else(const std::string& fallback) const;

 private:
  std::string lines_;
  std::string* previous_;
};

}  // namespace earshot
