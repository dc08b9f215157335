// The file of a Parakeet TDT model.
#pragma once

#include "file_reader.h"
#include "model_file.h"

namespace earshot {

// Reads on after the magic number, to the end of the file. Throws model_invalid with the reason.
ModelFacts check_parakeet(FileReader& reader);

}  // namespace earshot
