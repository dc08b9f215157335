// Checks of what whisper.cpp computes outside of ggml, for products_check.cc: the log-mel spectrogram and log probabilities.

#pragma once

#include <vector>

// Whether bands of frames have the bits of whisper.cpp's, for frames that are there in part and bands anywhere.
bool bandsAreEqual(const std::vector<float>& samples);

// The largest error of log probabilities and of probabilities, as parts of one.
double errorOfProbabilities(const std::vector<float>& numbers);
