// What every family asks of audio and of a job.
#pragma once

#include <vector>

#include "transcript.h"

namespace earshot {

constexpr const char* kNoMemoryForState = "There is not enough memory for another job with this model.";

// Throws invalid_argument if a sample is not finite: whisper.cpp would compute with it.
void require_finite(const std::vector<float>& samples);

// Throws aborted.
void throw_if_aborted(const TranscribeListener& listener);

}  // namespace earshot
