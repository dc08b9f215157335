// A model file, read by whisper.cpp's loaders.
#pragma once

#include <cstddef>
#include <fstream>

namespace earshot {

// The loaders take the end of the file for the end of the tensors.
struct ModelSource {
  std::ifstream file;
  bool at_end = false;
};

// `Loader` is whisper_model_loader or parakeet_model_loader, which have the same fields. `source` must outlive the loading.
template <typename Loader>
Loader loader_of(ModelSource& source) {
  Loader loader = {};
  loader.context = &source;
  loader.read = [](void* context, void* output, size_t size) -> size_t {
    auto* from = static_cast<ModelSource*>(context);
    from->file.read(static_cast<char*>(output), static_cast<std::streamsize>(size));
    if (!from->file) from->at_end = true;
    return static_cast<size_t>(from->file.gcount());
  };
  loader.eof = [](void* context) { return static_cast<ModelSource*>(context)->at_end; };
  loader.close = [](void* context) { static_cast<ModelSource*>(context)->file.close(); };
  return loader;
}

}  // namespace earshot
