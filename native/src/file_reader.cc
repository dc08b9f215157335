#include "file_reader.h"

#include "errors.h"

namespace earshot {

namespace {

constexpr uint32_t kMagic = 0x67676d6c;  // "ggml"

}  // namespace

void throw_invalid_model(const std::string& why) {
  throw EngineError(kModelInvalid, "This is not a usable model file: " + why + ".");
}

void check_range(const char* field, int value, int min, int max) {
  if (value >= min && value <= max) return;
  const std::string expected =
      min == max ? std::to_string(min) : std::to_string(min) + " to " + std::to_string(max);
  throw_invalid_model(std::string("it says ") + field + " = " + std::to_string(value) + ", expected " + expected);
}

FileReader::FileReader(std::ifstream& file) : file_(file) {
  file_.seekg(0, std::ios::end);
  const std::streamoff size = file_.tellg();
  file_.seekg(0, std::ios::beg);
  if (size < 0 || !file_) throw_invalid_model("its size cannot be read");
  size_ = static_cast<uint64_t>(size);
}

std::string FileReader::text(uint64_t length, const char* what) {
  require(length, what);
  std::string value(length, '\0');
  file_.read(value.data(), static_cast<std::streamsize>(length));
  advance(length, what);
  return value;
}

void FileReader::skip(uint64_t length, const char* what) {
  require(length, what);
  file_.seekg(static_cast<std::streamoff>(length), std::ios::cur);
  advance(length, what);
}

void FileReader::rewind() {
  file_.clear();
  file_.seekg(0, std::ios::beg);
  at_ = 0;
}

void FileReader::require(uint64_t length, const char* what) const {
  if (length > remaining()) throw_invalid_model(std::string("it ends inside ") + what + ", so it is cut off or damaged");
}

void FileReader::advance(uint64_t length, const char* what) {
  if (!file_) throw_invalid_model(std::string("it cannot be read at ") + what);
  at_ += length;
}

void check_magic(FileReader& reader) {
  if (reader.read<uint32_t>("the header") != kMagic) throw_invalid_model("it does not start with the mark of a ggml file");
}

}  // namespace earshot
