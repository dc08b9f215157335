// Shallow fusion of a list of terms with Whisper's decoder: see native/patches/08-vocabulary.patch.
//
// A prefix tree over the model's tokens holds every term as the model would write it, after a space and without one. A
// hypothesis that starts or continues a term gets a bonus for every token, which it loses when it leaves the term before
// its end, as in the context graphs of icefall (https://github.com/k2-fsa/icefall, context_graph.py). The bonus ranks
// hypotheses; the probabilities that the engine reports are the model's own.

#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

// Where a hypothesis stands in the tree.
struct earshot_term_path {
  int node = 0;
  float open = 0;  // bonus of the term that it is in, kept only if the term is completed
  float done = 0;  // bonus of completed terms
};

// The texts of a model's tokens.
struct earshot_token_table {
  // `all` are the bytes of every token; those from `first_special_id` on are no text.
  earshot_token_table(std::vector<std::string> all, int first_special_id)
      : texts(std::move(all)), first_special(first_special_id) {
    for (int id = 0; id < first_special; ++id) {
      if (!texts[id].empty()) ids.emplace(texts[id], id);
    }
  }

  std::vector<std::string> texts;
  int first_special;
  std::unordered_map<std::string, int> ids;
};

class earshot_vocabulary {
 public:
  // Log probability that the bonus adds to a token of a term with weight 1.
  static constexpr float kBonus = 3.0F;
  // A token gets a bonus only if the model itself finds it at most this much less likely than the best one (log
  // probability): what was not said is far below. The first token of a term decides most, so it has to be more likely.
  static constexpr float kStartMargin = 5.0F;
  static constexpr float kMargin = 8.0F;

  // Keeps a reference to the table.
  explicit earshot_vocabulary(const earshot_token_table& table) : table_(table), nodes_(1) {}

  // `term` is UTF-8 without spaces around it. Terms that the model cannot write are left out.
  void add(const std::string& term, float weight) {
    insert(tokens_of(" " + term), weight);
    insert(tokens_of(term), weight);
  }

  earshot_term_path advance(earshot_term_path path, int token, bool has_bonus) const {
    // A term is completed only if no letter follows it.
    if (path.node != 0 && nodes_[path.node].is_end && !continues_word(token)) {
      const int next = child(path.node, token);
      if (next == 0 || !has_bonus) {
        path.done += path.open;
        path.open = 0;
        path.node = 0;
      }
    }
    int next = has_bonus ? child(path.node, token) : 0;
    if (next == 0) {
      path.open = 0;
      next = has_bonus ? child(0, token) : 0;
    }
    path.node = next;
    if (next != 0) path.open += kBonus * nodes_[next].weight;
    return path;
  }

  // The tokens to prefer after a hypothesis whose last token is `last` (-1: none), with their bonus.
  void bonuses(const earshot_term_path& path, int last, const float* logprobs,
               std::vector<std::pair<int, float>>& out) const {
    out.clear();
    float best = -std::numeric_limits<float>::infinity();
    for (size_t id = 0; id < table_.texts.size(); ++id) best = logprobs[id] > best ? logprobs[id] : best;
    if (path.node != 0) collect(path.node, logprobs, best - kMargin, out);
    const bool in_word = is_text(last) && is_word_byte(table_.texts[last].back());
    for (const auto& entry : nodes_[0].next) {
      if (in_word && continues_word(entry.first)) continue;
      if (path.node != 0 && child(path.node, entry.first) != 0) continue;
      if (logprobs[entry.first] >= best - kStartMargin) out.emplace_back(entry.first, bonus(entry.second));
    }
  }

 private:
  struct Node {
    std::unordered_map<int, int> next;
    float weight = 0;  // the largest of the terms through this node
    bool is_end = false;
  };

  static bool is_word_byte(char byte) {
    const auto value = static_cast<unsigned char>(byte);
    return value >= 0x80 || (value >= '0' && value <= '9') || ((value | 0x20) >= 'a' && (value | 0x20) <= 'z');
  }
  bool is_text(int token) const {
    return token >= 0 && token < table_.first_special && !table_.texts[token].empty();
  }
  bool continues_word(int token) const { return is_text(token) && is_word_byte(table_.texts[token].front()); }

  int child(int node, int token) const {
    const auto found = nodes_[node].next.find(token);
    return found == nodes_[node].next.end() ? 0 : found->second;
  }

  float bonus(int node) const { return kBonus * nodes_[node].weight; }

  void collect(int node, const float* logprobs, float least, std::vector<std::pair<int, float>>& out) const {
    for (const auto& entry : nodes_[node].next) {
      if (logprobs[entry.first] >= least) out.emplace_back(entry.first, bonus(entry.second));
    }
  }

  void insert(const std::vector<int>& tokens, float weight) {
    if (tokens.empty()) return;
    int node = 0;
    for (const int token : tokens) {
      int next = child(node, token);
      if (next == 0) {
        next = static_cast<int>(nodes_.size());
        nodes_.emplace_back();
        nodes_[node].next.emplace(token, next);
      }
      nodes_[next].weight = weight > nodes_[next].weight ? weight : nodes_[next].weight;
      node = next;
    }
    nodes_[node].is_end = true;
  }

  // Byte pair encoding: joins the neighbors whose token has the lowest id, which is the order in which the pairs were
  // learned (openai/tiktoken, src/lib.rs). Each word with its space by itself. Empty if bytes are not in the vocabulary.
  std::vector<int> tokens_of(const std::string& text) const {
    std::vector<int> tokens;
    size_t from = 0;
    while (from < text.size()) {
      size_t to = from + 1;
      while (to < text.size() && text[to] != ' ') ++to;
      std::vector<std::string> parts;
      for (size_t i = from; i < to; ++i) parts.emplace_back(1, text[i]);
      while (parts.size() > 1) {
        size_t place = parts.size();
        int lowest = std::numeric_limits<int>::max();
        for (size_t i = 0; i + 1 < parts.size(); ++i) {
          const auto found = table_.ids.find(parts[i] + parts[i + 1]);
          if (found == table_.ids.end() || found->second >= lowest) continue;
          lowest = found->second;
          place = i;
        }
        if (place == parts.size()) break;
        parts[place] += parts[place + 1];
        parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(place) + 1);
      }
      for (const auto& part : parts) {
        const auto found = table_.ids.find(part);
        if (found == table_.ids.end()) return {};
        tokens.push_back(found->second);
      }
      from = to;
    }
    return tokens;
  }

  const earshot_token_table& table_;
  std::vector<Node> nodes_;
};
