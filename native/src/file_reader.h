// Reading a model file's fields without ever believing them.
#pragma once

#include <cstdint>
#include <fstream>
#include <string>

namespace earshot {

// Throws model_invalid; `why` completes "This is not a usable model file: …".
[[noreturn]] void invalid(const std::string& why);

// Throws model_invalid unless least <= value <= most.
void in_range(const char* field, int value, int least, int most);

// Reads little-endian fields and never past the end of the file. `what` names the part in error messages.
class FileReader {
 public:
  explicit FileReader(std::ifstream& file);

  uint64_t size() const { return size_; }
  uint64_t left() const { return size_ - at_; }

  template <typename Field>
  Field read(const char* what) {
    Field value{};
    need(sizeof(Field), what);
    file_.read(reinterpret_cast<char*>(&value), sizeof(Field));
    advance(sizeof(Field), what);
    return value;
  }
  std::string text(uint64_t length, const char* what);
  void skip(uint64_t length, const char* what);
  void rewind();

 private:
  void need(uint64_t length, const char* what) const;
  void advance(uint64_t length, const char* what);

  std::ifstream& file_;
  uint64_t size_ = 0;
  uint64_t at_ = 0;
};

// Throws model_invalid unless the next four bytes are the mark of a ggml file.
void check_magic(FileReader& reader);

}  // namespace earshot
