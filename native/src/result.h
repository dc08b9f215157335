// The JavaScript form of results.
#pragma once

#include <napi.h>

#include "model_file.h"
#include "transcript.h"

namespace earshot {

Napi::Object segment_to_js(Napi::Env env, const Segment& segment);
Napi::Object language_to_js(Napi::Env env, const LanguageGuess& guess);
Napi::Object facts_to_js(Napi::Env env, const ModelFacts& facts);

}  // namespace earshot
