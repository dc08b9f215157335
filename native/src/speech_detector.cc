#include "speech_detector.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

#include "convert.h"
#include "engine_log.h"
#include "errors.h"
#include "file_reader.h"
#include "model_file.h"
#include "model_source.h"
#include "samples.h"
#include "task.h"
#include "tensor_header.h"

namespace earshot {

namespace {

constexpr size_t kWindow = 512;          // samples
constexpr size_t kBlock = 250 * kWindow;  // 8 s: an abort is noticed after each
constexpr int kLayers = 4;
constexpr int kMaxNameBytes = 64;

using Shape = std::array<int64_t, 4>;

// whisper.cpp builds the network for these shapes and crashes on others.
const std::map<std::string, std::pair<ggml_type, Shape>>& tensors() {
  static const std::map<std::string, std::pair<ggml_type, Shape>> all = {
      {"_model.stft.forward_basis_buffer", {GGML_TYPE_F16, {256, 1, 258, 1}}},
      {"_model.encoder.0.reparam_conv.weight", {GGML_TYPE_F16, {3, 129, 128, 1}}},
      {"_model.encoder.0.reparam_conv.bias", {GGML_TYPE_F32, {128, 1, 1, 1}}},
      {"_model.encoder.1.reparam_conv.weight", {GGML_TYPE_F16, {3, 128, 64, 1}}},
      {"_model.encoder.1.reparam_conv.bias", {GGML_TYPE_F32, {64, 1, 1, 1}}},
      {"_model.encoder.2.reparam_conv.weight", {GGML_TYPE_F16, {3, 64, 64, 1}}},
      {"_model.encoder.2.reparam_conv.bias", {GGML_TYPE_F32, {64, 1, 1, 1}}},
      {"_model.encoder.3.reparam_conv.weight", {GGML_TYPE_F16, {3, 64, 128, 1}}},
      {"_model.encoder.3.reparam_conv.bias", {GGML_TYPE_F32, {128, 1, 1, 1}}},
      {"_model.decoder.rnn.weight_ih", {GGML_TYPE_F32, {128, 512, 1, 1}}},
      {"_model.decoder.rnn.weight_hh", {GGML_TYPE_F32, {128, 512, 1, 1}}},
      {"_model.decoder.rnn.bias_ih", {GGML_TYPE_F32, {512, 1, 1, 1}}},
      {"_model.decoder.rnn.bias_hh", {GGML_TYPE_F32, {512, 1, 1, 1}}},
      {"_model.decoder.decoder.2.weight", {GGML_TYPE_F16, {128, 1, 1, 1}}},
      {"_model.decoder.decoder.2.bias", {GGML_TYPE_F32, {1, 1, 1, 1}}}};
  return all;
}

void expect(FileReader& reader, const char* field, int value) {
  check_range(field, reader.read<int32_t>("the header"), value, value);
}

// whisper.cpp trusts the file. Throws model_invalid with the reason.
void check_file(std::ifstream& file) {
  FileReader reader(file);
  check_magic(reader);
  const int name_length = reader.read<int32_t>("the header");
  check_range("the length of the model's name", name_length, 1, kMaxNameBytes);
  if (reader.text(static_cast<uint64_t>(name_length), "the header") != "silero-16k") {
    throw_invalid_model("it is no speech detector for 16 kHz");
  }
  for (int i = 0; i < 3; ++i) reader.read<int32_t>("the version");
  expect(reader, "window", kWindow);
  expect(reader, "context", 64);
  expect(reader, "layers", kLayers);
  constexpr int kChannels[kLayers + 1] = {129, 128, 64, 64, 128};
  for (int layer = 0; layer < kLayers; ++layer) {
    expect(reader, "channels", kChannels[layer]);
    expect(reader, "channels", kChannels[layer + 1]);
    expect(reader, "kernel", 3);
  }
  for (int i = 0; i < 3; ++i) expect(reader, "width", 128);
  expect(reader, "outputs", 1);

  const TensorLimits limits = {0, 3, 512, {GGML_TYPE_F32, GGML_TYPE_F16}};
  const auto names = check_tensors(reader, limits, [](const TensorHeader& tensor) {
    const auto known = tensors().find(tensor.name);
    if (known == tensors().end() || known->second != std::make_pair(tensor.type, tensor.shape)) {
      throw_wrong_size(tensor.name);
    }
  });
  check_tensor_count(names.size(), tensors().size());
  reader.rewind();
}

}  // namespace

std::shared_ptr<SpeechDetector> SpeechDetector::load(const std::string& path) {
  ModelSource source{open_model(path)};
  check_file(source.file);
  whisper_vad_context_params params = whisper_vad_default_context_params();
  params.n_threads = 1;  // a window is too little work to share
  const LogCapture log;
  auto loader = loader_of<whisper_model_loader>(source);
  whisper_vad_context* context = whisper_vad_init_with_params(&loader, params);
  if (context == nullptr) throw EngineError(kModelInvalid, log.or_else("The speech detector could not be loaded."));
  return std::shared_ptr<SpeechDetector>(new SpeechDetector(context));
}

std::vector<float> SpeechDetector::probabilities(const std::vector<float>& samples,
                                                 const std::function<bool()>& aborted) {
  require_finite(samples);
  const std::lock_guard<std::mutex> lock(mutex_);
  const LogCapture log;
  std::vector<float> result;
  whisper_vad_reset_state(context_.get());
  for (size_t at = 0; at < samples.size(); at += kBlock) {
    if (aborted()) throw EngineError(kAborted, "The detection was stopped.");
    const size_t length = std::min(kBlock, samples.size() - at);
    if (!whisper_vad_detect_speech_no_reset(context_.get(), samples.data() + at, static_cast<int>(length))) {
      throw EngineError(kEngineFailed, log.or_else("The detection of speech failed."));
    }
    const float* block = whisper_vad_probs(context_.get());
    result.insert(result.end(), block, block + whisper_vad_n_probs(context_.get()));
  }
  return result;
}

namespace {

Napi::Value to_float_array(Napi::Env env, const std::vector<float>& values) {
  Napi::Float32Array array = Napi::Float32Array::New(env, values.size());
  std::copy(values.begin(), values.end(), array.Data());
  return array;
}

Napi::Value speech_probabilities(const Napi::CallbackInfo& info, const std::shared_ptr<SpeechDetector>& detector) {
  const Napi::Env env = info.Env();
  const AbortFlag abort = std::make_shared<std::atomic<bool>>(false);
  const Napi::Value promise = guarded(env, [&]() -> Napi::Value {
    auto samples = std::make_shared<std::vector<float>>(read_samples(info[0]));
    return Task::start(
        env, "earshot.speech",
        [detector, samples](Task& task) -> Task::Finish {
          std::vector<float> found = detector->probabilities(*samples, [&task] { return task.aborted(); });
          return [found = std::move(found)](Napi::Env env) { return to_float_array(env, found); };
        },
        abort);
  });
  return make_job(env, promise, abort);
}

}  // namespace

Napi::Value load_speech_detector(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  return guarded(env, [&]() -> Napi::Value {
    const std::string path = read_path(info);
    return Task::start(env, "earshot.detector", [path](Task&) -> Task::Finish {
      std::shared_ptr<SpeechDetector> detector = SpeechDetector::load(path);
      return [detector](Napi::Env env) -> Napi::Value {
        Napi::Object object = Napi::Object::New(env);
        object.Set("speechProbabilities",
                   Napi::Function::New(env, [detector](const Napi::CallbackInfo& info) {
                     return speech_probabilities(info, detector);
                   }));
        return object;
      };
    });
  });
}

}  // namespace earshot
