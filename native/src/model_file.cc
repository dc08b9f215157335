#include "model_file.h"

#include <array>
#include <filesystem>
#include <limits>
#include <set>
#include <vector>

#include "errors.h"
#include "file_reader.h"
#include "ggml.h"

namespace earshot {

namespace {

constexpr int kFftBins = 201;  // of whisper's 400-sample windows
constexpr int kMaxTokenBytes = 1024;
constexpr int kMaxTensorNameBytes = 128;
constexpr int kMaxLayers = 64;
constexpr int kMaxWidth = 4096;
constexpr int kHeadWidth = 64;  // the same in every Whisper model

ModelFacts read_header(FileReader& reader) {
  check_magic(reader);
  ModelFacts facts;
  facts.file_size = reader.size();
  for (int* field : {&facts.n_vocab, &facts.n_audio_ctx, &facts.n_audio_state, &facts.n_audio_head,
                     &facts.n_audio_layer, &facts.n_text_ctx, &facts.n_text_state, &facts.n_text_head,
                     &facts.n_text_layer, &facts.n_mels, &facts.ftype}) {
    *field = reader.read<int32_t>("the header");
  }
  // 51864: English only, 51865: 99 languages, 51866: 100. whisper.cpp computes its special tokens from this number, and
  // any other leads outside its tables.
  check_range("n_vocab", facts.n_vocab, 51864, 51866);
  check_range("n_audio_ctx", facts.n_audio_ctx, 1, 1500);
  check_range("n_audio_state", facts.n_audio_state, kHeadWidth, kMaxWidth);
  check_range("n_audio_layer", facts.n_audio_layer, 1, kMaxLayers);
  check_range("n_text_ctx", facts.n_text_ctx, 32, 4096);
  check_range("n_text_state", facts.n_text_state, facts.n_audio_state, facts.n_audio_state);
  check_range("n_text_layer", facts.n_text_layer, 1, kMaxLayers);
  check_range("n_audio_head", facts.n_audio_head, facts.n_audio_state / kHeadWidth, facts.n_audio_state / kHeadWidth);
  check_range("n_text_head", facts.n_text_head, facts.n_text_state / kHeadWidth, facts.n_text_state / kHeadWidth);
  if (facts.n_audio_state % kHeadWidth != 0) throw_invalid_model("its width is not a multiple of 64");
  if (facts.n_mels != 80 && facts.n_mels != 128) {
    throw_invalid_model("its header says n_mels = " + std::to_string(facts.n_mels) + ", expected 80 or 128");
  }
  return facts;
}

ggml_type weight_type(const ModelFacts& facts) {
  const int ftype = facts.ftype % GGML_QNT_VERSION_FACTOR;
  // The types that whisper.cpp's quantize program writes; ggml aborts on an unknown one.
  const bool plausible = facts.ftype >= 0 && facts.ftype / GGML_QNT_VERSION_FACTOR <= GGML_QNT_VERSION;
  switch (plausible ? ftype : -1) {
    case GGML_FTYPE_ALL_F32:
    case GGML_FTYPE_MOSTLY_F16:
    case GGML_FTYPE_MOSTLY_Q4_0:
    case GGML_FTYPE_MOSTLY_Q4_1:
    case GGML_FTYPE_MOSTLY_Q5_0:
    case GGML_FTYPE_MOSTLY_Q5_1:
    case GGML_FTYPE_MOSTLY_Q8_0:
    case GGML_FTYPE_MOSTLY_Q2_K:
    case GGML_FTYPE_MOSTLY_Q3_K:
    case GGML_FTYPE_MOSTLY_Q4_K:
    case GGML_FTYPE_MOSTLY_Q5_K:
    case GGML_FTYPE_MOSTLY_Q6_K:
      return ggml_ftype_to_ggml_type(static_cast<ggml_ftype>(ftype));
    default:
      throw_invalid_model("its header says ftype = " + std::to_string(facts.ftype) + ", which is unknown");
  }
}

void check_filters(FileReader& reader, const ModelFacts& facts) {
  const int n_mel = reader.read<int32_t>("the mel filters");
  const int n_fft = reader.read<int32_t>("the mel filters");
  if (n_mel != facts.n_mels || n_fft != kFftBins) throw_invalid_model("its mel filters have the wrong size");
  reader.skip(sizeof(float) * static_cast<uint64_t>(n_mel) * kFftBins, "the mel filters");
}

void check_vocabulary(FileReader& reader, const ModelFacts& facts) {
  const int count = reader.read<int32_t>("the vocabulary");
  check_range("the vocabulary's size", count, 1, facts.n_vocab);
  bool has_space = false;
  for (int i = 0; i < count; ++i) {
    const uint32_t length = reader.read<uint32_t>("the vocabulary");
    if (length > kMaxTokenBytes) throw_invalid_model("a word of its vocabulary is " + std::to_string(length) + " bytes long");
    if (reader.text(length, "the vocabulary") == " ") has_space = true;
  }
  if (!has_space) throw_invalid_model("its vocabulary has no space");  // whisper.cpp looks it up without checking
}

// Compares the tensors whose dimensions the header states; whisper.cpp checks the others.
void check_shape(const ModelFacts& facts, const std::string& name, const std::array<int64_t, 3>& shape) {
  const auto expect = [&](int64_t first, int64_t second, int64_t third) {
    if (shape[0] != first || shape[1] != second || shape[2] != third) {
      throw_invalid_model("its tensor '" + name + "' does not have the size that its header says");
    }
  };
  if (name == "encoder.positional_embedding") expect(facts.n_audio_state, facts.n_audio_ctx, 1);
  if (name == "encoder.conv1.weight") expect(3, facts.n_mels, facts.n_audio_state);
  if (name == "decoder.positional_embedding") expect(facts.n_text_state, facts.n_text_ctx, 1);
  if (name == "decoder.token_embedding.weight") expect(facts.n_text_state, facts.n_vocab, 1);
}

// Checks the next tensor's header and skips its data. `weights` is the type of the large matrices.
void check_tensor(FileReader& reader, const ModelFacts& facts, ggml_type weights, std::set<std::string>& names) {
  const int n_dims = reader.read<int32_t>("a tensor");
  const int name_length = reader.read<int32_t>("a tensor");
  const int type = reader.read<int32_t>("a tensor");
  check_range("a tensor's number of dimensions", n_dims, 1, 3);
  check_range("the length of a tensor's name", name_length, 1, kMaxTensorNameBytes);
  if (type != GGML_TYPE_F32 && type != GGML_TYPE_F16 && type != weights) {
    throw_invalid_model("a tensor has type " + std::to_string(type) + ", which does not fit its header");
  }
  std::array<int64_t, 3> shape = {1, 1, 1};
  int64_t elements = 1;
  for (int i = 0; i < n_dims; ++i) {
    shape[i] = reader.read<int32_t>("a tensor");
    if (shape[i] < 1 || shape[i] > facts.n_vocab) throw_invalid_model("a tensor has an absurd dimension");
    elements *= shape[i];
  }
  if (elements > std::numeric_limits<int32_t>::max()) throw_invalid_model("a tensor is absurdly large");
  const std::string name = reader.text(static_cast<uint64_t>(name_length), "a tensor");
  if (!names.insert(name).second) throw_invalid_model("it holds a tensor twice");
  check_shape(facts, name, shape);
  const auto kind = static_cast<ggml_type>(type);
  if (name == "decoder.token_embedding.weight" && kind != weights) throw_invalid_model("its weights are not of the type that its header says");
  if (shape[0] % ggml_blck_size(kind) != 0) throw_invalid_model("a tensor's rows do not fit its type");
  reader.skip(static_cast<uint64_t>(elements / ggml_blck_size(kind)) * ggml_type_size(kind), "the weights");
}

std::string type_name(const ModelFacts& facts) {
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
    if (model.audio_layers != facts.n_audio_layer || model.text_layers != facts.n_text_layer ||
        model.width != facts.n_audio_state) {
      continue;
    }
    std::string name = model.name;
    if (name == "large" && facts.n_vocab == 51866) name = "large-v3";
    return facts.multilingual ? name : name + ".en";
  }
  return "custom";
}

}  // namespace

std::ifstream open_model(const std::string& path) {
  const std::filesystem::path file_path = std::filesystem::u8path(path);
  std::error_code failure;
  if (!std::filesystem::is_regular_file(file_path, failure)) {
    throw EngineError(kModelNotFound, "There is no model file at " + path + ".");
  }
  std::ifstream file(file_path, std::ios::binary);
  if (!file) throw EngineError(kModelNotFound, "The model file cannot be opened: " + path + ".");
  return file;
}

ModelFacts check_model(std::ifstream& file) {
  FileReader reader(file);
  ModelFacts facts = read_header(reader);
  const ggml_type weights = weight_type(facts);
  check_filters(reader, facts);
  check_vocabulary(reader, facts);

  std::set<std::string> names;
  while (reader.remaining() > 0) check_tensor(reader, facts, weights, names);
  const size_t expected = 11 + 15 * static_cast<size_t>(facts.n_audio_layer) + 24 * static_cast<size_t>(facts.n_text_layer);
  if (names.size() != expected) {
    throw_invalid_model("it holds " + std::to_string(names.size()) + " tensors of " + std::to_string(expected) +
            ", so it is cut off or damaged");
  }
  facts.multilingual = facts.n_vocab >= 51865;
  facts.n_languages = facts.n_vocab - 51765 - (facts.multilingual ? 1 : 0);
  facts.quantization = ggml_type_name(weights);
  facts.type = type_name(facts);
  reader.rewind();
  return facts;
}

}  // namespace earshot
