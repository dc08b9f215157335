#include "vad.h"

#include <array>
#include <limits>
#include <memory>

#include "convert.h"
#include "engine_log.h"
#include "errors.h"
#include "file_reader.h"
#include "ggml.h"
#include "model_file.h"
#include "model_loader.h"
#include "params.h"
#include "transcribe.h"

namespace earshot {

namespace {

constexpr int kTensors = 15;

// The one shape that whisper.cpp's graph is written for: window, context, layers, then in, out and kernel of
// each layer, then the recurrent layer's and the last one's sizes. Another makes it end the process.
constexpr std::array<int, 19> kShape = {512, 64, 4, 129, 128, 3, 128, 64, 3, 64, 64, 3, 64, 128, 3, 128, 128, 128, 1};

// whisper.cpp trusts the file's lengths and counts; see check_model for why nothing here does.
void check_vad_model(std::ifstream& file) {
  FileReader reader(file);
  check_magic(reader);
  const int name_length = reader.read<int32_t>("the header");
  in_range("the length of its name", name_length, 0, 64);
  reader.text(static_cast<uint64_t>(name_length), "the header");
  reader.skip(3 * sizeof(int32_t), "the header");  // the version
  for (const int expected : kShape) in_range("a dimension", reader.read<int32_t>("the header"), expected, expected);

  int tensors = 0;
  for (; reader.left() > 0; ++tensors) {
    const int n_dims = reader.read<int32_t>("a tensor");
    const int length = reader.read<int32_t>("a tensor");
    const int type = reader.read<int32_t>("a tensor");
    in_range("a tensor's number of dimensions", n_dims, 0, 4);  // a single number has none
    in_range("the length of a tensor's name", length, 1, 128);
    if (type != GGML_TYPE_F32 && type != GGML_TYPE_F16) invalid("a tensor has an unknown type");
    uint64_t elements = 1;
    for (int i = 0; i < n_dims; ++i) {
      const int size = reader.read<int32_t>("a tensor");
      in_range("a tensor's dimension", size, 1, 1 << 20);
      elements *= static_cast<uint64_t>(size);
      if (elements > reader.left()) invalid("it ends inside the weights, so it is cut off or damaged");
    }
    reader.skip(static_cast<uint64_t>(length), "a tensor");
    reader.skip(elements * ggml_type_size(static_cast<ggml_type>(type)), "the weights");
  }
  if (tensors != kTensors) invalid("it holds " + std::to_string(tensors) + " tensors of " + std::to_string(kTensors));
  reader.rewind();
}

}  // namespace

SpeechParams read_speech_params(const Napi::Object& from) {
  SpeechParams params;
  params.model_path = read_string(from, "modelPath", "");
  if (params.model_path.empty()) throw EngineError(kInvalidArgument, "'modelPath' must name a VAD model.");
  params.threads = read_int(from, "threads", 1, 1, kMostThreads);
  params.vad.threshold = static_cast<float>(read_number(from, "threshold", 0.5, 0, 1));
  params.vad.min_speech_duration_ms = read_int(from, "minSpeechMs", 250, 0, 60000);
  params.vad.min_silence_duration_ms = read_int(from, "minSilenceMs", 100, 0, 60000);
  params.vad.speech_pad_ms = read_int(from, "padMs", 30, 0, 10000);
  const double longest = std::numeric_limits<float>::max();
  params.vad.max_speech_duration_s = static_cast<float>(read_number(from, "maxSpeechSeconds", longest, 1, longest));
  return params;
}

std::vector<SpeechSpan> detect_speech(const std::vector<float>& samples, const SpeechParams& params) {
  require_finite(samples);
  ModelSource source{open_model(params.model_path)};
  check_vad_model(source.file);
  const LogCapture log;
  whisper_vad_context_params context_params = whisper_vad_default_context_params();
  context_params.n_threads = params.threads;
  whisper_model_loader loader = loader_of(source);
  const std::unique_ptr<whisper_vad_context, decltype(&whisper_vad_free)> context(
      whisper_vad_init_with_params(&loader, context_params), whisper_vad_free);
  if (!context) throw EngineError(kModelInvalid, log.or_else("The VAD model could not be loaded."));
  const std::unique_ptr<whisper_vad_segments, decltype(&whisper_vad_free_segments)> segments(
      whisper_vad_segments_from_samples(context.get(), params.vad, samples.data(), static_cast<int>(samples.size())),
      whisper_vad_free_segments);
  if (!segments) throw EngineError(kEngineFailed, log.or_else("The speech detection failed."));

  std::vector<SpeechSpan> spans;
  const int count = whisper_vad_segments_n_segments(segments.get());
  for (int i = 0; i < count; ++i) {  // whisper.cpp counts in hundredths of a second
    spans.push_back({whisper_vad_segments_get_segment_t0(segments.get(), i) / 100.0,
                     whisper_vad_segments_get_segment_t1(segments.get(), i) / 100.0});
  }
  return spans;
}

}  // namespace earshot
