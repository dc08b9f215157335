// A token classifier in ONNX, run by the ONNX Runtime library that comes with sherpa-onnx.
#pragma once

#include <napi.h>

namespace earshot {

// loadTagger(library, model) → (ids: Int32Array) → Float32Array of the logits, 35 a token. Both calls are synchronous: the
// tagger has a process of its own.
Napi::Value load_tagger(const Napi::CallbackInfo& info);

}  // namespace earshot
