#include "tensor_header.h"

#include <algorithm>
#include <limits>

namespace earshot {

namespace {

constexpr int kMaxTensorNameBytes = 128;

}  // namespace

ggml_type weight_type(int ftype) {
  // The types that whisper.cpp's quantize programs write; ggml aborts on an unknown one.
  const bool plausible = ftype >= 0 && ftype / GGML_QNT_VERSION_FACTOR <= GGML_QNT_VERSION;
  switch (plausible ? ftype % GGML_QNT_VERSION_FACTOR : -1) {
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
      return ggml_ftype_to_ggml_type(static_cast<ggml_ftype>(ftype % GGML_QNT_VERSION_FACTOR));
    default:
      throw_invalid_model("its header says ftype = " + std::to_string(ftype) + ", which is unknown");
  }
}

TensorHeader read_tensor_header(FileReader& reader, const TensorLimits& limits) {
  const int n_dims = reader.read<int32_t>("a tensor");
  const int name_length = reader.read<int32_t>("a tensor");
  const int type = reader.read<int32_t>("a tensor");
  check_range("a tensor's number of dimensions", n_dims, limits.min_dimensions, limits.max_dimensions);
  check_range("the length of a tensor's name", name_length, 1, kMaxTensorNameBytes);
  const auto known = std::find(limits.types.begin(), limits.types.end(), type);
  if (known == limits.types.end()) {
    throw_invalid_model("a tensor has type " + std::to_string(type) + ", which does not fit its header");
  }
  TensorHeader tensor;
  tensor.type = *known;
  int64_t elements = 1;
  for (int i = 0; i < n_dims; ++i) {
    tensor.shape[i] = reader.read<int32_t>("a tensor");
    if (tensor.shape[i] < 1 || tensor.shape[i] > limits.dimension) throw_invalid_model("a tensor has an absurd dimension");
    elements *= tensor.shape[i];
    if (elements > std::numeric_limits<int32_t>::max()) throw_invalid_model("a tensor is absurdly large");
  }
  tensor.name = reader.text(static_cast<uint64_t>(name_length), "a tensor");
  return tensor;
}

void skip_tensor_data(FileReader& reader, const TensorHeader& tensor) {
  const int64_t block = ggml_blck_size(tensor.type);
  if (tensor.shape[0] % block != 0) throw_invalid_model("a tensor's rows do not fit its type");
  int64_t elements = 1;
  for (const int64_t length : tensor.shape) elements *= length;
  reader.skip(static_cast<uint64_t>(elements / block) * ggml_type_size(tensor.type), "the weights");
}

void throw_wrong_size(const std::string& name) {
  throw_invalid_model("its tensor '" + name + "' does not have the size that its header says");
}

void check_tensor_count(size_t found, size_t expected) {
  if (found == expected) return;
  throw_invalid_model("it holds " + std::to_string(found) + " tensors of " + std::to_string(expected) +
                      ", so it is cut off or damaged");
}

}  // namespace earshot
