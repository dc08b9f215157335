#include "model_loader.h"

namespace earshot {

whisper_model_loader loader_of(ModelSource& source) {
  whisper_model_loader loader = {};
  loader.context = &source;
  loader.read = [](void* context, void* output, size_t size) -> size_t {
    auto* from = static_cast<ModelSource*>(context);
    from->file.read(static_cast<char*>(output), static_cast<std::streamsize>(size));
    if (!from->file) from->ended = true;
    return static_cast<size_t>(from->file.gcount());
  };
  loader.eof = [](void* context) { return static_cast<ModelSource*>(context)->ended; };
  loader.close = [](void* context) { static_cast<ModelSource*>(context)->file.close(); };
  return loader;
}

}  // namespace earshot
