// Reads the fields of an untrusted model file.
#pragma once

#include <cstdint>
#include <fstream>
#include <string>

namespace earshot {

// Throws model_invalid; `why` completes "This is not a usable model file: …".
[[noreturn]] void throw_invalid_model(const std::string& why);

// Throws model_invalid unless min <= value <= max.
void check_range(const char* field, int value, int min, int max);

// Reads little-endian fields, never past the end of the file. `what` names the part of the file in error messages.
class FileReader {
 public:
  explicit FileReader(std::ifstream& file);

  uint64_t size() const { return size_; }
  uint64_t remaining() const { return size_ - at_; }

  template <typename Field>
  Field read(const char* what) {
    Field value{};
    require(sizeof(Field), what);
    file_.read(reinterpret_cast<char*>(&value), sizeof(Field));
    advance(sizeof(Field), what);
    return value;
  }
  std::string text(uint64_t length, const char* what);
  void skip(uint64_t length, const char* what);
  void rewind();

 private:
  void require(uint64_t length, const char* what) const;
  void advance(uint64_t length, const char* what);

  std::ifstream& file_;
  uint64_t size_ = 0;
  uint64_t at_ = 0;
};

// Throws model_invalid unless the next four bytes are the magic number of ggml files.
void check_magic(FileReader& reader);

}  // namespace earshot
