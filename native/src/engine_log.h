// whisper.cpp's and ggml's log, whose callback is one for the whole process.
#pragma once

#include <string>

namespace earshot {

// Silences the libraries' own printing. Call once when the addon is loaded.
void install_log();

// While one lives, keeps the last error lines that this thread's calls into whisper.cpp report.
class LogCapture {
 public:
  LogCapture();
  ~LogCapture();
  LogCapture(const LogCapture&) = delete;
  LogCapture& operator=(const LogCapture&) = delete;

  // The captured lines in one, or `fallback` when there are none.
  std::string or_else(const std::string& fallback) const;

 private:
  std::string lines_;
  std::string* previous_;
};

}  // namespace earshot
