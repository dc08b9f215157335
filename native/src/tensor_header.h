// The tensors of a model file, by their headers.
#pragma once

#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "file_reader.h"
#include "ggml.h"

namespace earshot {

struct TensorHeader {
  std::string name;
  ggml_type type = GGML_TYPE_F32;
  std::array<int64_t, 4> shape = {1, 1, 1, 1};  // ggml's order: the length of a row first
};

struct TensorLimits {
  int min_dimensions = 1;
  int max_dimensions = 4;
  int64_t dimension = 0;         // no dimension is larger
  std::vector<ggml_type> types;  // that a tensor may have
};

// The type of the large matrices by the header's `ftype`. Throws model_invalid for one that ggml would abort on.
ggml_type weight_type(int ftype);

// Reads the header of each tensor to the end of the file and skips its data, calling `check` between the two. Returns the
// names. Throws model_invalid if a tensor is out of bounds, comes twice, or is cut off.
template <typename Check>
std::set<std::string> check_tensors(FileReader& reader, const TensorLimits& limits, Check check);

TensorHeader read_tensor_header(FileReader& reader, const TensorLimits& limits);
void skip_tensor_data(FileReader& reader, const TensorHeader& tensor);

// Throws model_invalid, naming the tensor.
[[noreturn]] void throw_wrong_size(const std::string& name);
// Throws model_invalid unless all tensors are there.
void check_tensor_count(size_t found, size_t expected);

}  // namespace earshot

template <typename Check>
std::set<std::string> earshot::check_tensors(FileReader& reader, const TensorLimits& limits, Check check) {
  std::set<std::string> names;
  while (reader.remaining() > 0) {
    const TensorHeader tensor = read_tensor_header(reader, limits);
    if (!names.insert(tensor.name).second) throw_invalid_model("it holds a tensor twice");
    check(tensor);
    skip_tensor_data(reader, tensor);
  }
  return names;
}
