#include "engine_log.h"

#include "parakeet.h"
#include "whisper.h"

namespace earshot {

namespace {

constexpr size_t kMaxCaptured = 2000;
thread_local std::string* captured = nullptr;

void on_log(ggml_log_level level, const char* text, void*) {
  if (level != GGML_LOG_LEVEL_ERROR || captured == nullptr || text == nullptr) return;
  if (captured->size() < kMaxCaptured) captured->append(text);
}

}  // namespace

void install_log() {
  whisper_log_set(on_log, nullptr);
  parakeet_log_set(on_log, nullptr);
  ggml_log_set(on_log, nullptr);
}

LogCapture::LogCapture() : previous_(captured) { captured = &lines_; }
LogCapture::~LogCapture() { captured = previous_; }

std::string LogCapture::or_else(const std::string& fallback) const {
  std::string line;
  for (const char c : lines_) line.push_back(c == '\n' ? ' ' : c);
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line.empty() ? fallback : line;
}

}  // namespace earshot
