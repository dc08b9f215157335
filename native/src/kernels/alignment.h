// When the tokens of a text are spoken: see native/patches/13-alignment.patch.
//
// Some of Whisper's attention heads look at the sound of the token that comes next. Like openai/whisper's timing.py this
// normalizes their attention over the tokens and smooths it over time. In place of dynamic time warping, the best path
// through the audio is found in steps of 10 ms, half those of the encoder, with what else is known: a token has about the
// length that its letters suggest, nobody speaks while it is quiet or, where that is known, outside of speech, between words there
// may be a pause, and a border is where the spectrum changes.

#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "aligned_text.h"

struct earshot_head {
  int layer;
  int head;
};

// A model's heads to align with.
struct earshot_alignment {
  std::vector<earshot_head> heads;

  int last_layer() const {
    int last = 0;
    for (const earshot_head& each : heads) last = std::max(last, each.layer);
    return last;
  }
};

namespace earshot_aligner {

constexpr int kMedian = 3;              // positions of the encoder
constexpr int kBorderFrames = 2;        // compared before and after a border
constexpr float kBorder = 6.0F;         // bonus for a change of 1 in the spectrum's decades
constexpr float kPause = 1.2F;          // bonus of a quiet frame in a pause, and cost of a loud one
constexpr float kQuiet = 2.0F;          // cost of a quiet frame in a token
constexpr float kQuietBelow = 30.0F;    // dB below the loud frames
constexpr float kAboveNoise = 6.0F;     // dB: nor is what is so little louder than the softest frames sound
constexpr float kAtLeastBelow = 15.0F;  // dB below the loud frames, in any case
constexpr float kOutside = 3.0F;        // cost of a frame in a token that is too far from speech
constexpr int kNearSpeech = 20;         // frames: a detector is no more exact
constexpr float kLength = 1.0F;         // cost for each expected frame of a token of e or 1/e times its expected length
constexpr float kAhead = 1.5F;          // positions by which attention precedes its sound
constexpr float kRate = 1.2F;           // of the frames with sound that a letter takes
constexpr int kMinFrames = 2;
constexpr int kMaxFrames = 150;
constexpr float kNever = 1e9F;

// Over the tokens, so that what every token attends to counts nothing. `weights` is [tokens][positions].
inline void normalize(std::vector<float>& weights, int tokens, int positions) {
  for (int p = 0; p < positions; ++p) {
    double sum = 0;
    double squares = 0;
    for (int t = 0; t < tokens; ++t) {
      const double w = weights[static_cast<size_t>(t) * positions + p];
      sum += w;
      squares += w * w;
    }
    const double mean = sum / tokens;
    const double deviation = std::sqrt(std::max(0.0, squares / tokens - mean * mean));
    const double scale = deviation > 1e-9 ? 1 / deviation : 0;
    for (int t = 0; t < tokens; ++t) {
      float& w = weights[static_cast<size_t>(t) * positions + p];
      w = static_cast<float>((w - mean) * scale);
    }
  }
}

// Adds the running median of `from` to `to`.
inline void add_median(const float* from, float* to, int positions) {
  std::vector<float> window(kMedian);
  for (int p = 0; p < positions; ++p) {
    for (int i = 0; i < kMedian; ++i) {
      const int at = p + i - kMedian / 2;
      window[i] = from[std::min(std::max(at, 0), positions - 1)];
    }
    std::nth_element(window.begin(), window.begin() + kMedian / 2, window.end());
    to[p] += window[kMedian / 2];
  }
}

}  // namespace earshot_aligner

// Where a recording has speech, in frames.
class earshot_speech {
 public:
  // Spans in order, which do not overlap.
  explicit earshot_speech(std::vector<earshot_span> spans) : spans_(std::move(spans)) {}

  // Of speech from one frame to another.
  int frames(int from, int to) const {
    int count = 0;
    for (const earshot_span& span : spans_) count += std::max(0, std::min(span.end, to) - std::max(span.start, from));
    return count;
  }

  bool is_near(int frame) const {
    const int margin = earshot_aligner::kNearSpeech;
    const auto later = std::partition_point(spans_.begin(), spans_.end(),
                                            [&](const earshot_span& span) { return span.end + margin <= frame; });
    return later != spans_.end() && frame >= later->start - margin;
  }

 private:
  std::vector<earshot_span> spans_;
};

// The sound of a window, from its spectrogram in Whisper's form: [bands][stride], (log10 + 4) / 4.
class earshot_sound {
 public:
  // `speech` may be null. `first_frame` is the window's place in the recording.
  earshot_sound(const float* mel, int bands, int stride, int frames, const earshot_speech* speech, int first_frame)
      : quiet_(frames), change_(frames + 1), outside_(frames) {
    // A window without any was misheard by whoever looked for it.
    const bool is_known = speech != nullptr && speech->frames(first_frame, first_frame + frames) > 0;
    for (int f = 0; f < frames; ++f) outside_[f] = is_known && !speech->is_near(first_frame + f);
    loudness(mel, bands, stride, frames);
    changes(mel, bands, stride, frames);
  }

  int frames() const { return static_cast<int>(quiet_.size()); }
  // 1 in silence, -1 in loud sound.
  float quiet(int frame) const { return quiet_[frame]; }
  // Too far from speech for a word.
  bool outside(int frame) const { return outside_[frame]; }
  // How much the spectrum changes before this frame, in decades.
  float change(int frame) const { return change_[frame]; }

 private:
  void loudness(const float* mel, int bands, int stride, int frames) {
    std::vector<float> decibels(frames);
    for (int f = 0; f < frames; ++f) {
      float power = 0;
      for (int b = 0; b < bands; ++b) power += std::pow(10.0F, 4 * mel[static_cast<size_t>(b) * stride + f] - 4);
      decibels[f] = 10 * std::log10(std::max(power / bands, 1e-10F));
    }
    // Music beside the speech says nothing of how loud that is.
    std::vector<float> sorted;
    for (int f = 0; f < frames; ++f) {
      if (!outside_[f]) sorted.push_back(decibels[f]);
    }
    if (sorted.empty()) sorted = decibels;
    const size_t loud = sorted.size() * 95 / 100;
    std::nth_element(sorted.begin(), sorted.begin() + loud, sorted.end());
    const float peak = sorted[loud];
    const size_t soft = sorted.size() * 5 / 100;
    std::nth_element(sorted.begin(), sorted.begin() + soft, sorted.end());
    const float above_noise = std::min(sorted[soft] + earshot_aligner::kAboveNoise, peak - earshot_aligner::kAtLeastBelow);
    const float border = std::max(peak - earshot_aligner::kQuietBelow, above_noise);
    for (int f = 0; f < frames; ++f) {
      quiet_[f] = outside_[f] ? 1.0F : std::min(1.0F, std::max(-1.0F, (border - decibels[f]) / 10));
    }
  }

  void changes(const float* mel, int bands, int stride, int frames) {
    const int n = earshot_aligner::kBorderFrames;
    for (int b = 0; b < bands; ++b) {
      const float* row = mel + static_cast<size_t>(b) * stride;
      const auto at = [&](int f) { return row[std::min(std::max(f, 0), frames - 1)]; };
      float before = 0;
      float after = 0;
      for (int i = 0; i < n; ++i) {
        before += at(i - n);
        after += at(i);
      }
      for (int f = 0; f < frames; ++f) {
        change_[f] += std::abs(after - before) * 4 / (n * bands);
        before += at(f) - at(f - n);
        after += at(f + n) - at(f);
      }
    }
  }

  std::vector<float> quiet_;
  std::vector<float> change_;
  std::vector<bool> outside_;
};

// The path of least cost through all tokens. Pauses take what is left.
class earshot_path {
 public:
  // `scores` is [rows][positions]: how well a token fits a position of the encoder.
  earshot_path(const std::vector<float>& scores, int positions, const earshot_sound& sound)
      : scores_(scores), positions_(positions), sound_(sound), frames_(sound.frames()), pause_(frames_ + 1) {
    for (int f = 0; f < frames_; ++f) pause_[f + 1] = pause_[f] - earshot_aligner::kPause * sound.quiet(f);
  }

  // Empty if there is less audio than tokens.
  std::vector<earshot_span> find(const std::vector<earshot_spoken>& tokens) {
    const size_t size = static_cast<size_t>(frames_) + 1;
    std::vector<float> cost(size, earshot_aligner::kNever);
    cost[0] = 0;
    frames_per_letter_ = rate(tokens);
    std::vector<std::vector<int32_t>> begins;   // where the pause before a token that may begin at a frame began
    std::vector<std::vector<int16_t>> lengths;  // of the token that ends at a frame
    for (const earshot_spoken& token : tokens) {
      begins.push_back(token.starts_word ? add_pause(cost) : std::vector<int32_t>());
      lengths.push_back(add_token(cost, token));
    }
    const std::vector<int32_t> last = add_pause(cost);
    if (cost[frames_] >= earshot_aligner::kNever / 2) return {};
    std::vector<earshot_span> spans(tokens.size());
    int at = last[frames_];
    for (size_t i = tokens.size(); i-- > 0;) {
      spans[i] = {at - lengths[i][at], at};
      at = begins[i].empty() ? spans[i].start : begins[i][spans[i].start];
    }
    return spans;
  }

 private:
  // How fast is spoken, within what people can.
  float rate(const std::vector<earshot_spoken>& tokens) const {
    float letters = 0;
    for (const earshot_spoken& token : tokens) letters += std::max(1.0F, token.letters);
    int loud = 0;
    for (int f = 0; f < frames_; ++f) loud += sound_.quiet(f) < 0 ? 1 : 0;
    const float frames = earshot_aligner::kRate * static_cast<float>(loud) / std::max(1.0F, letters);
    return std::min(std::max(frames, 3.0F), 15.0F);
  }

  std::vector<int32_t> add_pause(std::vector<float>& cost) const {
    std::vector<int32_t> from(cost.size());
    int best = 0;
    for (int f = 0; f <= frames_; ++f) {
      if (cost[f] - pause_[f] <= cost[best] - pause_[best]) best = f;
      from[f] = best;
    }
    std::vector<float> before = cost;
    for (int f = 0; f <= frames_; ++f) cost[f] = before[from[f]] - pause_[from[f]] + pause_[f];
    return from;
  }

  // The cost of each frame in the token, summed from the start.
  std::vector<float> summed(const earshot_spoken& token) const {
    const float* row = scores_.data() + static_cast<size_t>(token.row) * positions_;
    std::vector<float> sum(frames_ + 1);
    for (int f = 0; f < frames_; ++f) {
      const float at = std::min(std::max(0.0F, static_cast<float>(f) / 2 - earshot_aligner::kAhead), static_cast<float>(positions_ - 1));
      const int p = static_cast<int>(at);
      const float next = row[std::min(p + 1, positions_ - 1)];
      const float score = row[p] + (at - static_cast<float>(p)) * (next - row[p]);
      const float cost = sound_.outside(f) ? earshot_aligner::kOutside : earshot_aligner::kQuiet * std::max(0.0F, sound_.quiet(f));
      sum[f + 1] = sum[f] - score + cost;
    }
    return sum;
  }

  std::vector<int16_t> add_token(std::vector<float>& cost, const earshot_spoken& token) const {
    const std::vector<float> sum = summed(token);
    std::vector<float> start(frames_ + 1);
    for (int f = 0; f <= frames_; ++f) start[f] = cost[f] - sum[f] - earshot_aligner::kBorder * sound_.change(f);
    std::vector<float> best(frames_ + 1, earshot_aligner::kNever);
    std::vector<int16_t> length(frames_ + 1, 0);
    const float expected = std::max(1.0F, token.letters) * frames_per_letter_;
    const int longest = std::min({frames_, earshot_aligner::kMaxFrames, static_cast<int>(4 * expected) + 20});
    for (int d = earshot_aligner::kMinFrames; d <= longest; ++d) {
      const float off = std::log(static_cast<float>(d) / expected);
      const float penalty = earshot_aligner::kLength * expected * off * off;
      const float* from = start.data();
      float* to = best.data() + d;
      int16_t* own = length.data() + d;
      const int count = frames_ + 1 - d;
      for (int i = 0; i < count; ++i) {
        const float candidate = from[i] + penalty;
        const bool is_better = candidate < to[i];
        to[i] = is_better ? candidate : to[i];
        own[i] = is_better ? static_cast<int16_t>(d) : own[i];
      }
    }
    for (int f = 0; f <= frames_; ++f) cost[f] = std::min(earshot_aligner::kNever, best[f] + sum[f]);
    return length;
  }

  const std::vector<float>& scores_;
  int positions_;
  const earshot_sound& sound_;
  int frames_;
  std::vector<float> pause_;
  float frames_per_letter_ = 6;
};

// The mean over the heads, each normalized and smoothed. `weights` are the heads' attention, [tokens][positions] each.
inline std::vector<float> earshot_scores(std::vector<std::vector<float>>& weights, int tokens, int positions) {
  std::vector<float> scores(static_cast<size_t>(tokens) * positions, 0);
  for (std::vector<float>& head : weights) {
    earshot_aligner::normalize(head, tokens, positions);
    for (int t = 0; t < tokens; ++t) {
      const size_t at = static_cast<size_t>(t) * positions;
      earshot_aligner::add_median(head.data() + at, scores.data() + at, positions);
    }
  }
  for (float& score : scores) score /= static_cast<float>(weights.size());
  return scores;
}
