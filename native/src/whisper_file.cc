#include "whisper_file.h"

#include <algorithm>
#include <array>

#include "ggml.h"
#include "tensor_header.h"
#include "whisper.h"

namespace earshot {

namespace {

constexpr int kFftBins = 201;  // of whisper's 400-sample windows
constexpr int kMaxTokenBytes = 1024;
constexpr int kMaxLayers = 64;
constexpr int kMaxWidth = 4096;
constexpr int kHeadWidth = 64;  // the same in every Whisper model

struct Header {
  int n_vocab = 0;
  int n_audio_ctx = 0;
  int n_audio_state = 0;
  int n_audio_head = 0;
  int n_audio_layer = 0;
  int n_text_ctx = 0;
  int n_text_state = 0;
  int n_text_head = 0;
  int n_text_layer = 0;
  int n_mels = 0;
  int ftype = 0;
};

Header read_header(FileReader& reader) {
  Header header;
  for (int* field : {&header.n_vocab, &header.n_audio_ctx, &header.n_audio_state, &header.n_audio_head,
                     &header.n_audio_layer, &header.n_text_ctx, &header.n_text_state, &header.n_text_head,
                     &header.n_text_layer, &header.n_mels, &header.ftype}) {
    *field = reader.read<int32_t>("the header");
  }
  // 51864: English only, 51865: 99 languages, 51866: 100. whisper.cpp computes its special tokens from this number, and
  // any other leads outside its tables.
  check_range("n_vocab", header.n_vocab, 51864, 51866);
  check_range("n_audio_ctx", header.n_audio_ctx, 1, 1500);
  check_range("n_audio_state", header.n_audio_state, kHeadWidth, kMaxWidth);
  check_range("n_audio_layer", header.n_audio_layer, 1, kMaxLayers);
  check_range("n_text_ctx", header.n_text_ctx, 32, 4096);
  check_range("n_text_state", header.n_text_state, header.n_audio_state, header.n_audio_state);
  check_range("n_text_layer", header.n_text_layer, 1, kMaxLayers);
  check_range("n_audio_head", header.n_audio_head, header.n_audio_state / kHeadWidth, header.n_audio_state / kHeadWidth);
  check_range("n_text_head", header.n_text_head, header.n_text_state / kHeadWidth, header.n_text_state / kHeadWidth);
  if (header.n_audio_state % kHeadWidth != 0) throw_invalid_model("its width is not a multiple of 64");
  if (header.n_mels != 80 && header.n_mels != 128) {
    throw_invalid_model("its header says n_mels = " + std::to_string(header.n_mels) + ", expected 80 or 128");
  }
  return header;
}

void check_filters(FileReader& reader, const Header& header) {
  const int n_mel = reader.read<int32_t>("the mel filters");
  const int n_fft = reader.read<int32_t>("the mel filters");
  if (n_mel != header.n_mels || n_fft != kFftBins) throw_invalid_model("its mel filters have the wrong size");
  reader.skip(sizeof(float) * static_cast<uint64_t>(n_mel) * kFftBins, "the mel filters");
}

void check_vocabulary(FileReader& reader, const Header& header) {
  const int count = reader.read<int32_t>("the vocabulary");
  check_range("the vocabulary's size", count, 1, header.n_vocab);
  bool has_space = false;
  for (int i = 0; i < count; ++i) {
    const uint32_t length = reader.read<uint32_t>("the vocabulary");
    if (length > kMaxTokenBytes) throw_invalid_model("a word of its vocabulary is " + std::to_string(length) + " bytes long");
    if (reader.text(length, "the vocabulary") == " ") has_space = true;
  }
  if (!has_space) throw_invalid_model("its vocabulary has no space");  // whisper.cpp looks it up without checking
}

// Compares the tensors whose dimensions the header states; whisper.cpp checks the others.
void check_tensor(const Header& header, ggml_type weights, const TensorHeader& tensor) {
  const auto expect = [&](int64_t first, int64_t second, int64_t third) {
    if (tensor.shape != std::array<int64_t, 4>{first, second, third, 1}) throw_wrong_size(tensor.name);
  };
  if (tensor.name == "encoder.positional_embedding") expect(header.n_audio_state, header.n_audio_ctx, 1);
  if (tensor.name == "encoder.conv1.weight") expect(3, header.n_mels, header.n_audio_state);
  if (tensor.name == "decoder.positional_embedding") expect(header.n_text_state, header.n_text_ctx, 1);
  if (tensor.name == "decoder.token_embedding.weight") {
    expect(header.n_text_state, header.n_vocab, 1);
    if (tensor.type != weights) throw_invalid_model("its weights are not of the type that its header says");
  }
}

bool is_multilingual(const Header& header) { return header.n_vocab >= 51865; }

// 99 languages, from large-v3 on 100.
std::vector<std::string> languages_of(const Header& header) {
  if (!is_multilingual(header)) return {"en"};
  std::vector<std::string> codes;
  const int count = std::min(header.n_vocab - 51766, whisper_lang_max_id() + 1);
  for (int id = 0; id < count; ++id) codes.emplace_back(whisper_lang_str(id));
  return codes;
}

std::string type_name(const Header& header) {
  struct Known {
    int audio_layers;
    int text_layers;
    int width;
    const char* name;
  };
  static constexpr std::array<Known, 6> known = {{{4, 4, 384, "tiny"},
                                                  {6, 6, 512, "base"},
                                                  {12, 12, 768, "small"},
                                                  {24, 24, 1024, "medium"},
                                                  {32, 32, 1280, "large"},
                                                  {32, 4, 1280, "large-v3-turbo"}}};
  for (const Known& model : known) {
    if (model.audio_layers != header.n_audio_layer || model.text_layers != header.n_text_layer ||
        model.width != header.n_audio_state) {
      continue;
    }
    std::string name = model.name;
    if (name == "large" && header.n_vocab == 51866) name = "large-v3";
    return is_multilingual(header) ? name : name + ".en";
  }
  return "custom";
}

}  // namespace

ModelFacts check_whisper(FileReader& reader) {
  const Header header = read_header(reader);
  const ggml_type weights = weight_type(header.ftype);
  check_filters(reader, header);
  check_vocabulary(reader, header);

  const TensorLimits limits = {1, 3, header.n_vocab, {GGML_TYPE_F32, GGML_TYPE_F16, weights}};
  const auto names =
      check_tensors(reader, limits, [&](const TensorHeader& tensor) { check_tensor(header, weights, tensor); });
  check_tensor_count(names.size(), 11 + 15 * static_cast<size_t>(header.n_audio_layer) +
                                       24 * static_cast<size_t>(header.n_text_layer));

  ModelFacts facts;
  facts.family = Family::kWhisper;
  facts.type = type_name(header);
  facts.quantization = ggml_type_name(weights);
  facts.multilingual = is_multilingual(header);
  facts.languages = languages_of(header);
  facts.n_vocab = header.n_vocab;
  facts.n_audio_ctx = header.n_audio_ctx;
  facts.n_audio_layer = header.n_audio_layer;
  facts.n_text_layer = header.n_text_layer;
  facts.n_mels = header.n_mels;
  return facts;
}

}  // namespace earshot
