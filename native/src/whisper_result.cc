#include "whisper_result.h"

#include <algorithm>
#include <utility>

namespace earshot {

namespace {

// whisper.cpp ignores the initial prompt if no context is allowed. To use the prompt without feeding text from window to
// window, carry the prompt and make the context just long enough for it.
void apply_context(const TranscribeParams& params, whisper_context* context, whisper_full_params& full) {
  const int longest = whisper_n_text_ctx(context) / 2;
  full.n_max_text_ctx = params.max_context < 0 ? 16384 : params.max_context;
  full.carry_initial_prompt = params.carry_initial_prompt;
  if (params.initial_prompt.empty()) return;
  full.initial_prompt = params.initial_prompt.c_str();
  if (params.max_context == 0) {
    full.carry_initial_prompt = true;
    full.n_max_text_ctx = whisper_token_count(context, full.initial_prompt) + 1;
  }
  // whisper.cpp computes a negative length for a carried prompt with room for one token.
  full.n_max_text_ctx = std::min(std::max(full.n_max_text_ctx, 2), std::max(longest, 2));
}

// whisper.cpp's unit is a hundredth of a second.
double seconds(int64_t hundredths) { return hundredths < 0 ? -1 : static_cast<double>(hundredths) / 100; }

// A frame of the spectrogram is centered at its time, so a border between two frames lies half a frame earlier.
double border(int64_t frame) { return std::max(0.0, seconds(frame) - 0.005); }

}  // namespace

whisper_full_params to_whisper(const TranscribeParams& params, whisper_context* context) {
  whisper_full_params full =
      whisper_full_default_params(params.beam_size > 1 ? WHISPER_SAMPLING_BEAM_SEARCH : WHISPER_SAMPLING_GREEDY);
  full.language = params.language.c_str();
  full.translate = params.translate;
  full.n_threads = params.threads;
  full.beam_search.beam_size = params.beam_size;
  full.greedy.best_of = params.best_of;
  full.temperature = params.temperature;
  full.temperature_inc = params.temperature_increment;
  full.entropy_thold = params.entropy_threshold;
  full.logprob_thold = params.logprob_threshold;
  full.no_speech_thold = params.no_speech_threshold;
  full.audio_ctx = params.audio_context;
  full.suppress_blank = params.suppress_blank;
  full.suppress_nst = params.suppress_non_speech;
  full.token_timestamps = params.token_times;
  full.no_context = true;  // never the text of another job
  full.print_progress = false;
  full.print_realtime = false;
  full.print_special = false;
  full.print_timestamps = false;
  apply_context(params, context, full);
  return full;
}

size_t complete_utf8_length(const std::string& text) {
  // Look back over at most three continuation bytes for the lead byte of an incomplete character.
  const size_t size = text.size();
  for (size_t back = 1; back <= 4 && back <= size; ++back) {
    const auto byte = static_cast<unsigned char>(text[size - back]);
    if ((byte & 0xC0) == 0x80) continue;
    const size_t needed = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1;
    return needed > back ? size - back : size;
  }
  return size;
}

Segment read_segment(whisper_context* context, whisper_state* state, int index) {
  Segment segment;
  segment.start = seconds(whisper_full_get_segment_t0_from_state(state, index));
  segment.end = seconds(whisper_full_get_segment_t1_from_state(state, index));
  segment.no_speech_probability = whisper_full_get_segment_no_speech_prob_from_state(state, index);

  const int count = whisper_full_n_tokens_from_state(state, index);
  const int first_special = whisper_token_eot(context);
  std::string unfinished;  // the start of a character that continues in the next token, which gets all of it
  double logprobs = 0;
  int text_tokens = 0;
  int aligned_tokens = 0;
  for (int i = 0; i < count; ++i) {
    const whisper_token_data data = whisper_full_get_token_data_from_state(state, index, i);
    Token token;
    token.id = data.id;
    token.probability = data.p;
    token.aligned = data.t_dtw >= 0;
    token.start = token.aligned ? border(data.t0) : seconds(data.t0);
    token.end = token.aligned ? border(data.t1) : seconds(data.t1);
    token.special = data.id >= first_special;
    const char* bytes = whisper_full_get_token_text_from_state(context, state, index, i);
    if (token.special) {
      token.text = bytes;
    } else {
      unfinished += bytes;
      const size_t whole = complete_utf8_length(unfinished);
      token.text = unfinished.substr(0, whole);
      unfinished.erase(0, whole);
      segment.text += token.text;
      logprobs += data.plog;
      ++text_tokens;
      aligned_tokens += token.aligned ? 1 : 0;
    }
    segment.tokens.push_back(std::move(token));
  }
  segment.aligned = text_tokens > 0 && aligned_tokens == text_tokens;
  segment.average_logprob = text_tokens > 0 ? static_cast<float>(logprobs / text_tokens) : 0;
  return segment;
}

}  // namespace earshot
