#include "parakeet_file.h"

#include <array>
#include <map>

#include "ggml.h"
#include "tensor_header.h"

namespace earshot {

namespace {

constexpr int kMaxTokenBytes = 1024;
constexpr int kMaxLayers = 64;
constexpr int kMaxWidth = 4096;
constexpr int kMaxDuration = 64;  // frames of 80 ms
// parakeet.cpp reserves room for the tensors of two.
constexpr int kMaxPredictionLayers = 2;
// NVIDIA's English models have 1,024 sub-words, those for 25 languages 8,192. The file itself names no language.
constexpr int kMultilingualVocabulary = 8192;

struct Header {
  int n_vocab = 0;
  int n_audio_ctx = 0;
  int n_audio_state = 0;
  int n_audio_head = 0;
  int n_audio_layer = 0;
  int n_mels = 0;
  int ftype = 0;
  int n_fft = 0;
  int subsampling = 0;
  int n_subsampling_channels = 0;
  int n_conv_kernel = 0;
  int n_pred_dim = 0;
  int n_pred_layers = 0;
  int n_durations = 0;
  int n_max_tokens = 0;
};

Header read_header(FileReader& reader) {
  Header header;
  for (int* field : {&header.n_vocab, &header.n_audio_ctx, &header.n_audio_state, &header.n_audio_head,
                     &header.n_audio_layer, &header.n_mels, &header.ftype, &header.n_fft, &header.subsampling,
                     &header.n_subsampling_channels, &header.n_conv_kernel, &header.n_pred_dim,
                     &header.n_pred_layers, &header.n_durations, &header.n_max_tokens}) {
    *field = reader.read<int32_t>("the header");
  }
  check_range("n_vocab", header.n_vocab, 1, 1 << 16);
  check_range("n_audio_ctx", header.n_audio_ctx, 100, 20000);
  check_range("n_audio_state", header.n_audio_state, 8, kMaxWidth);
  check_range("n_audio_head", header.n_audio_head, 1, header.n_audio_state);
  check_range("n_audio_layer", header.n_audio_layer, 1, kMaxLayers);
  check_range("n_mels", header.n_mels, 8, 256);
  check_range("n_fft", header.n_fft, 16, 4096);
  // The convolutions of parakeet.cpp halve the time three times, whatever the header says.
  check_range("subsampling_factor", header.subsampling, 8, 8);
  check_range("n_subsampling_channels", header.n_subsampling_channels, 1, kMaxWidth);
  check_range("n_conv_kernel", header.n_conv_kernel, 1, 127);
  check_range("n_pred_dim", header.n_pred_dim, 1, kMaxWidth);
  check_range("n_pred_layers", header.n_pred_layers, 1, kMaxPredictionLayers);
  check_range("n_tdt_durations", header.n_durations, 1, kMaxDuration);
  check_range("n_max_tokens", header.n_max_tokens, 1, 100);
  const bool is_even = header.n_audio_state % (2 * header.n_audio_head) == 0;
  if (!is_even) throw_invalid_model("its width is not a multiple of twice its heads");
  if (header.n_mels % header.subsampling != 0) throw_invalid_model("its mel bands are not a multiple of 8");
  if (header.n_fft % 2 != 0) throw_invalid_model("its FFT size is odd");
  if (header.n_conv_kernel % 2 == 0) throw_invalid_model("its convolution kernel has an even size");
  return header;
}

// The mel filters, the window of the FFT, and the durations, which parakeet.cpp uses without a look.
void check_tables(FileReader& reader, const Header& header) {
  const int n_mel = reader.read<int32_t>("the mel filters");
  const int n_bins = reader.read<int32_t>("the mel filters");
  if (n_mel != header.n_mels || n_bins != header.n_fft / 2 + 1) throw_invalid_model("its mel filters have the wrong size");
  reader.skip(sizeof(float) * static_cast<uint64_t>(n_mel) * static_cast<uint64_t>(n_bins), "the mel filters");

  const int n_window = reader.read<int32_t>("the window");
  check_range("the window's size", n_window, 1, header.n_fft);
  reader.skip(sizeof(float) * static_cast<uint64_t>(n_window), "the window");

  for (int i = 0; i < header.n_durations; ++i) {
    check_range("a duration", reader.read<int32_t>("the durations"), 0, kMaxDuration);
  }
}

void check_vocabulary(FileReader& reader, const Header& header) {
  const int count = reader.read<int32_t>("the vocabulary");
  check_range("the vocabulary's size", count, header.n_vocab, header.n_vocab);
  for (int i = 0; i < count; ++i) {
    const uint32_t length = reader.read<uint32_t>("the vocabulary");
    if (length > kMaxTokenBytes) throw_invalid_model("a word of its vocabulary is " + std::to_string(length) + " bytes long");
    reader.skip(length, "the vocabulary");
  }
}

struct Expected {
  std::array<int64_t, 4> shape;
  ggml_type type;
};
using Tensors = std::map<std::string, Expected>;

void expect_subsampling(Tensors& tensors, const Header& header, ggml_type weights) {
  const int64_t width = header.n_audio_state;
  const int64_t channels = header.n_subsampling_channels;
  const std::string at = "encoder.pre_encode.";
  for (const int layer : {0, 2, 3, 5, 6}) {
    const std::string name = at + "conv." + std::to_string(layer);
    const bool is_pointwise = layer == 3 || layer == 6;
    tensors[name + ".weight"] = {is_pointwise ? std::array<int64_t, 4>{1, 1, channels, channels}
                                              : std::array<int64_t, 4>{3, 3, 1, channels},
                                 GGML_TYPE_F32};
    tensors[name + ".bias"] = {{1, 1, channels, 1}, GGML_TYPE_F32};
  }
  tensors[at + "out.weight"] = {{header.n_mels / header.subsampling * channels, width, 1, 1}, weights};
  tensors[at + "out.bias"] = {{width, 1, 1, 1}, GGML_TYPE_F32};
}

void expect_layer(Tensors& tensors, const Header& header, ggml_type weights, int layer) {
  const int64_t width = header.n_audio_state;
  const std::string at = "encoder.layers." + std::to_string(layer) + ".";
  const auto vector = [&](const std::string& name) { tensors[at + name] = {{width, 1, 1, 1}, GGML_TYPE_F32}; };
  const auto matrix = [&](const std::string& name, int64_t row, int64_t rows) {
    tensors[at + name] = {{row, rows, 1, 1}, weights};
  };
  for (const char* norm : {"norm_feed_forward1", "norm_conv", "norm_self_att", "norm_feed_forward2", "norm_out"}) {
    vector(std::string(norm) + ".weight");
    vector(std::string(norm) + ".bias");
  }
  for (const char* name : {"weight", "bias", "running_mean", "running_var"}) {
    vector(std::string("conv.batch_norm.") + name);
  }
  // Written as a float, read as an integer, and used by neither.
  tensors[at + "conv.batch_norm.num_batches_tracked"] = {{1, 1, 1, 1}, GGML_TYPE_F32};
  for (const char* name : {"feed_forward1.linear", "feed_forward2.linear"}) {
    matrix(std::string(name) + "1.weight", width, 4 * width);
    matrix(std::string(name) + "2.weight", 4 * width, width);
  }
  matrix("conv.pointwise_conv1.weight", width, 2 * width);
  matrix("conv.pointwise_conv2.weight", width, width);
  for (const char* name : {"q", "k", "v", "out", "pos"}) {
    matrix(std::string("self_attn.linear_") + name + ".weight", width, width);
  }
  for (const char* name : {"self_attn.pos_bias_u", "self_attn.pos_bias_v"}) {
    tensors[at + name] = {{width / header.n_audio_head, header.n_audio_head, 1, 1}, GGML_TYPE_F32};
  }
  tensors[at + "conv.depthwise_conv.weight"] = {{header.n_conv_kernel, width, 1, 1}, GGML_TYPE_F32};
}

void expect_prediction_and_joint(Tensors& tensors, const Header& header, ggml_type weights) {
  const int64_t hidden = header.n_pred_dim;
  const int64_t outputs = header.n_vocab + 1 + header.n_durations;  // the blank beside the vocabulary
  // Rows that do not divide into a quantized type's blocks stay floats, as parakeet.cpp expects them.
  const int64_t block = ggml_blck_size(weights);
  const ggml_type type = block > 1 && hidden % block != 0 ? GGML_TYPE_F32 : weights;
  const std::string lstm = "decoder.prediction.dec_rnn.lstm.";
  tensors["decoder.prediction.embed.weight"] = {{hidden, header.n_vocab + 1, 1, 1}, type};
  for (int i = 0; i < header.n_pred_layers; ++i) {
    const std::string layer = "l" + std::to_string(i);
    tensors[lstm + "weight_ih_" + layer] = {{hidden, 4 * hidden, 1, 1}, type};
    tensors[lstm + "weight_hh_" + layer] = {{hidden, 4 * hidden, 1, 1}, type};
    tensors[lstm + "bias_h_" + layer] = {{4 * hidden, 1, 1, 1}, GGML_TYPE_F32};
  }
  tensors["joint.pred.weight"] = {{hidden, hidden, 1, 1}, type};
  tensors["joint.pred.bias"] = {{hidden, 1, 1, 1}, GGML_TYPE_F32};
  tensors["joint.enc.weight"] = {{header.n_audio_state, hidden, 1, 1}, weights};
  tensors["joint.enc.bias"] = {{hidden, 1, 1, 1}, GGML_TYPE_F32};
  tensors["joint.joint_net.2.weight"] = {{hidden, outputs, 1, 1}, type};
  tensors["joint.joint_net.2.bias"] = {{outputs, 1, 1, 1}, GGML_TYPE_F32};
}

Tensors expected_tensors(const Header& header, ggml_type weights) {
  Tensors tensors;
  expect_subsampling(tensors, header, weights);
  for (int layer = 0; layer < header.n_audio_layer; ++layer) expect_layer(tensors, header, weights, layer);
  expect_prediction_and_joint(tensors, header, weights);
  return tensors;
}

std::string type_name(const Header& header) {
  const bool is_published = header.n_audio_layer == 24 && header.n_audio_state == 1024 && header.n_pred_dim == 640;
  if (!is_published) return "custom";
  return header.n_vocab == kMultilingualVocabulary ? "parakeet-tdt-0.6b-v3" : "parakeet-tdt-0.6b-v2";
}

// Of parakeet-tdt-0.6b-v3: https://huggingface.co/nvidia/parakeet-tdt-0.6b-v3
std::vector<std::string> languages_of(const Header& header) {
  if (header.n_vocab != kMultilingualVocabulary) return {"en"};
  return {"bg", "hr", "cs", "da", "nl", "en", "et", "fi", "fr", "de", "el", "hu", "it",
          "lv", "lt", "mt", "pl", "pt", "ro", "sk", "sl", "es", "sv", "ru", "uk"};
}

}  // namespace

ModelFacts check_parakeet(FileReader& reader) {
  const Header header = read_header(reader);
  const ggml_type weights = weight_type(header.ftype);
  check_tables(reader, header);
  check_vocabulary(reader, header);

  const Tensors tensors = expected_tensors(header, weights);
  const TensorLimits limits = {0, 4, 1 << 17, {GGML_TYPE_F32, weights}};
  const auto names = check_tensors(reader, limits, [&](const TensorHeader& tensor) {
    const auto expected = tensors.find(tensor.name);
    if (expected == tensors.end()) throw_invalid_model("it holds a tensor that no Parakeet model has");
    if (tensor.shape != expected->second.shape) throw_wrong_size(tensor.name);
    if (tensor.type != expected->second.type) {
      throw_invalid_model("its tensor '" + tensor.name + "' is not of the type that its header says");
    }
  });
  check_tensor_count(names.size(), tensors.size());

  ModelFacts facts;
  facts.family = Family::kParakeet;
  facts.type = type_name(header);
  facts.quantization = ggml_type_name(weights);
  facts.languages = languages_of(header);
  facts.multilingual = facts.languages.size() > 1;
  facts.n_vocab = header.n_vocab;
  facts.n_audio_ctx = header.n_audio_ctx;
  facts.n_audio_layer = header.n_audio_layer;
  facts.n_text_layer = header.n_pred_layers;
  facts.n_mels = header.n_mels;
  return facts;
}

}  // namespace earshot
