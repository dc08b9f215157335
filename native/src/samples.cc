#include "samples.h"

#include <cmath>

#include "errors.h"

namespace earshot {

void require_finite(const std::vector<float>& samples) {
  for (const float sample : samples) {
    if (!std::isfinite(sample)) throw EngineError(kInvalidArgument, "The audio holds samples that are not numbers.");
  }
}

void throw_if_aborted(const TranscribeListener& listener) {
  if (listener.aborted()) throw EngineError(kAborted, "The recognition was stopped.");
}

}  // namespace earshot
