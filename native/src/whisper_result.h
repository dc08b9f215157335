// The parameters that whisper.cpp takes and the segments that it gives.
#pragma once

#include <cstddef>
#include <string>

#include "params.h"
#include "transcript.h"
#include "whisper.h"

namespace earshot {

// Converts to whisper.cpp's form, which points into `params`.
whisper_full_params to_whisper(const TranscribeParams& params, whisper_context* context);

Segment read_segment(whisper_context* context, whisper_state* state, int index);

// The length in bytes of `text` without an incomplete UTF-8 character at its end.
size_t complete_utf8_length(const std::string& text);

}  // namespace earshot
