// Hands an opened model file to whisper.cpp.
#pragma once

#include <fstream>

#include "whisper.h"

namespace earshot {

// An open file and whether a read has met its end, which is how whisper.cpp knows that the tensors are over.
struct ModelSource {
  std::ifstream file;
  bool ended = false;
};

// `source` must live until the loading is done.
whisper_model_loader loader_of(ModelSource& source);

}  // namespace earshot
