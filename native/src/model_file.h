// The header of a model file, and whether the file is complete.
#pragma once

#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

namespace earshot {

// The architectures that whisper.cpp reads. The file's header tells them apart.
enum class Family { kWhisper, kParakeet };

struct ModelFacts {
  Family family = Family::kWhisper;
  std::string type;          // tiny, base, large-v3-turbo, parakeet-tdt-0.6b, … by its shape, or custom
  std::string quantization;  // the type of the large matrices: f32, f16, q5_0, q8_0, …
  std::vector<std::string> languages;  // the codes of those that it transcribes
  bool multilingual = false;
  int n_vocab = 0;
  int n_audio_ctx = 0;
  int n_audio_layer = 0;
  int n_text_layer = 0;  // of Parakeet: of its prediction network
  int n_mels = 0;
  uint64_t file_size = 0;
};

// Opens a file by its UTF-8 path, on Windows too. Throws model_not_found.
std::ifstream open_model(const std::string& path);

// Reads the file's header and walks through the headers of all tensors. whisper.cpp trusts the file: one that is cut off
// in the vocabulary loads "for testing", one that is cut off later loads and returns nonsense, and an absurd dimension
// aborts the process. So everything that it relies on is checked here first.
// Throws model_invalid with the reason. Leaves the stream at its start.
ModelFacts check_model(std::ifstream& file);

}  // namespace earshot
