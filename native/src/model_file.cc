#include "model_file.h"

#include <array>
#include <filesystem>

#include "errors.h"
#include "file_reader.h"
#include "parakeet_file.h"
#include "whisper_file.h"

namespace earshot {

namespace {

constexpr size_t kParakeetFft = 7;
constexpr size_t kParakeetSubsampling = 8;

// Both families' files begin with the same magic number and a row of numbers, without a name for the family. In the places
// of Parakeet's FFT size (512) and subsampling (8) a Whisper file has the numbers of its decoder's heads and layers, and
// of these no published Whisper model has as many.
Family family_of(const std::array<int32_t, 9>& header) {
  const bool is_parakeet = header[kParakeetFft] == 512 || header[kParakeetSubsampling] == 8;
  const bool has_whisper_vocabulary = header[0] >= 51864 && header[0] <= 51866;
  return is_parakeet && !has_whisper_vocabulary ? Family::kParakeet : Family::kWhisper;
}

}  // namespace

std::ifstream open_model(const std::string& path) {
  const std::filesystem::path file_path = std::filesystem::u8path(path);
  std::error_code failure;
  if (!std::filesystem::is_regular_file(file_path, failure)) {
    throw EngineError(kModelNotFound, "There is no model file at " + path + ".");
  }
  std::ifstream file(file_path, std::ios::binary);
  if (!file) throw EngineError(kModelNotFound, "The model file cannot be opened: " + path + ".");
  return file;
}

ModelFacts check_model(std::ifstream& file) {
  FileReader reader(file);
  check_magic(reader);
  std::array<int32_t, 9> header{};
  for (int32_t& field : header) field = reader.read<int32_t>("the header");
  reader.rewind();
  check_magic(reader);
  ModelFacts facts = family_of(header) == Family::kParakeet ? check_parakeet(reader) : check_whisper(reader);
  facts.file_size = reader.size();
  reader.rewind();
  return facts;
}

}  // namespace earshot
