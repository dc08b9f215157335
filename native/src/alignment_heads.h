// The attention heads of Whisper models that tell when a word is spoken.
#pragma once

#include <utility>
#include <vector>

#include "kernels/alignment.h"
#include "model_file.h"
#include "whisper.h"

namespace earshot {

// Measured for OpenAI's models. For others the later half of the decoder's layers, as
// openai/whisper does.
earshot_alignment alignment_heads(const ModelFacts& facts, whisper_context* context);

// Those named, as {layer, head}. Throws invalid_argument if the model has not got one of them.
earshot_alignment alignment_heads(const std::vector<std::pair<int, int>>& heads, whisper_context* context);

}  // namespace earshot
