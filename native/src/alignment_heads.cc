#include "alignment_heads.h"

#include <map>
#include <string>
#include <vector>

#include "errors.h"

namespace earshot {

namespace {

using Heads = std::vector<earshot_head>;

// {layer, head} by the type in the model's facts; fine-tuned models have the shape of the one that they come from.
// From openai/whisper (whisper/__init__.py), by correlation of the attention with the times of words. The first large model has
// the shape of the second, whose heads are these.
const std::map<std::string, Heads>& published() {
  static const std::map<std::string, Heads> table = {
      {"tiny.en", {{1, 0}, {2, 0}, {2, 5}, {3, 0}, {3, 1}, {3, 2}, {3, 3}, {3, 4}}},
      {"tiny", {{2, 2}, {3, 0}, {3, 2}, {3, 3}, {3, 4}, {3, 5}}},
      {"base.en", {{3, 3}, {4, 7}, {5, 1}, {5, 5}, {5, 7}}},
      {"base", {{3, 1}, {4, 2}, {4, 3}, {4, 7}, {5, 1}, {5, 2}, {5, 4}, {5, 6}}},
      {"small.en", {{6, 6}, {7, 0}, {7, 3}, {7, 8}, {8, 2}, {8, 5}, {8, 7}, {9, 0}, {9, 4}, {9, 8}, {9, 10},
       {10, 0}, {10, 1}, {10, 2}, {10, 3}, {10, 6}, {10, 11}, {11, 2}, {11, 4}}},
      {"small", {{5, 3}, {5, 9}, {8, 0}, {8, 4}, {8, 7}, {8, 8}, {9, 0}, {9, 7}, {9, 9}, {10, 5}}},
      {"medium.en", {{11, 4}, {14, 1}, {14, 12}, {14, 14}, {15, 4}, {16, 0}, {16, 4}, {16, 9}, {17, 12}, {17,
       14}, {18, 7}, {18, 10}, {18, 15}, {20, 0}, {20, 3}, {20, 9}, {20, 14}, {21, 12}}},
      {"medium", {{13, 15}, {15, 4}, {15, 15}, {16, 1}, {20, 0}, {23, 4}}},
      {"large", {{10, 12}, {13, 17}, {16, 11}, {16, 12}, {16, 13}, {17, 15}, {17, 16}, {18, 4}, {18, 11}, {18,
       19}, {19, 11}, {21, 2}, {21, 3}, {22, 3}, {22, 9}, {22, 12}, {23, 5}, {23, 7}, {23, 13}, {25, 5}, {26,
       1}, {26, 12}, {27, 15}}},
      {"large-v3", {{7, 0}, {10, 17}, {12, 18}, {13, 12}, {16, 1}, {17, 14}, {19, 11}, {21, 4}, {24, 1}, {25,
       6}}},
      {"large-v3-turbo", {{2, 4}, {2, 11}, {3, 3}, {3, 6}, {3, 11}, {3, 14}}},
  };
  return table;
}

constexpr size_t kMaxHeads = 32;  // bounds the memory of the pass

}  // namespace

earshot_alignment alignment_heads(const ModelFacts& facts, whisper_context* context) {
  const auto known = published().find(facts.type);
  if (known != published().end()) return {known->second};
  earshot_alignment alignment;
  const int layers = whisper_model_n_text_layer(context);
  for (int layer = layers - 1; layer >= layers / 2; --layer) {
    for (int head = 0; head < whisper_model_n_text_head(context) && alignment.heads.size() < kMaxHeads; ++head) {
      alignment.heads.push_back({layer, head});
    }
  }
  return alignment;
}

earshot_alignment alignment_heads(const std::vector<std::pair<int, int>>& heads, whisper_context* context) {
  earshot_alignment alignment;
  for (const auto& each : heads) {
    if (each.first >= whisper_model_n_text_layer(context) || each.second >= whisper_model_n_text_head(context)) {
      throw EngineError(kInvalidArgument, "'alignmentHeads' names a head that the model does not have.");
    }
    alignment.heads.push_back({each.first, each.second});
  }
  return alignment;
}

}  // namespace earshot
