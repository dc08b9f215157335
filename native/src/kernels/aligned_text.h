// The tokens of a text as they are spoken: see native/patches/13-alignment.patch.

#pragma once

#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

// One token with sound.
struct earshot_spoken {
  int row;           // of the attention from which the token was predicted
  float letters;     // its length in Latin letters
  bool starts_word;  // a pause may come before it
};

// In frames of 10 ms.
struct earshot_span {
  int start;
  int end;
};

// Sorts a text's tokens into those with sound and those without: punctuation, and bytes that continue a character.
class earshot_text {
 public:
  // `first_row` is the place of the first token in what the decoder reads.
  explicit earshot_text(size_t first_row) : row_(static_cast<int>(first_row) - 1) {}

  // `bytes` are UTF-8, but need not be whole characters.
  void add(const std::string& bytes) {
    const float letters = letters_of(bytes);
    may_pause_ = may_pause_ || (!bytes.empty() && (bytes[0] == ' ' || is_ideograph(bytes[0])));
    Token token;
    token.is_spoken = letters > 0;
    token.opens = opens_word(bytes);
    token.continues = !bytes.empty() && (static_cast<unsigned char>(bytes[0]) & 0xC0) == 0x80;
    tokens_.push_back(token);
    if (token.is_spoken) {
      spoken_.push_back({row_, letters, may_pause_});
      may_pause_ = false;
    }
    ++row_;
  }

  const std::vector<earshot_spoken>& spoken() const { return spoken_; }

  // The spans of all tokens, from those of the spoken ones; empty if there are none. A mark has no length and stands at the
  // word that it belongs to.
  std::vector<earshot_span> spans_of(const std::vector<earshot_span>& spoken) const {
    std::vector<earshot_span> spans;
    if (spoken.empty()) return spans;
    size_t next = 0;
    earshot_span last = {spoken[0].start, spoken[0].start};
    for (const Token& token : tokens_) {
      if (token.is_spoken) last = spoken[next++];
      if (token.is_spoken || token.continues) {
        spans.push_back(last);
      } else {
        const int at = token.opens && next < spoken.size() ? spoken[next].start : last.end;
        spans.push_back({at, at});
      }
    }
    return spans;
  }

 private:
  struct Token {
    bool is_spoken = false;
    bool opens = false;
    bool continues = false;
  };

  // In letters.
  static constexpr float kDigit = 4;
  static constexpr float kSymbol = 6;
  static constexpr float kIdeograph = 2.5F;

  // By the first byte of a character of Chinese, Japanese or Korean.
  static bool is_ideograph(char byte) {
    const auto lead = static_cast<unsigned char>(byte);
    return lead >= 0xE3 && lead <= 0xED;
  }

  static bool opens_word(const std::string& bytes) {
    static constexpr const char* kAnywhere[] = {"\xC2\xBF", "\xC2\xA1", "(", "[", "{"};
    static constexpr const char* kAfterSpace[] = {"\"", "'", "\xC2\xAB", "\xE2\x80\x9C", "\xE2\x80\x98", "\xE2\x80\x9E"};
    const size_t at = bytes.find_first_not_of(' ');
    if (at == std::string::npos) return true;
    const auto begins_with = [&](const char* mark) { return bytes.compare(at, std::strlen(mark), mark) == 0; };
    for (const char* mark : kAnywhere) {
      if (begins_with(mark)) return true;
    }
    for (const char* mark : kAfterSpace) {
      if (at > 0 && begins_with(mark)) return true;
    }
    return false;
  }

  // Counts first bytes of characters: a Latin, Greek, Cyrillic, Semitic or Indic letter is one, a syllable or ideograph more.
  static float letters_of(const std::string& bytes) {
    float letters = 0;
    for (size_t i = 0; i < bytes.size(); ++i) {
      const auto byte = static_cast<unsigned char>(bytes[i]);
      if (byte < 0x80) letters += letters_of_ascii(bytes[i]);
      else if (byte == 0xE2) letters += bytes.compare(i, 2, "\xE2\x82") == 0 ? kSymbol : 0;     // currencies
      else if (byte == 0xE3) letters += bytes.compare(i, 2, "\xE3\x80") == 0 ? 0 : kIdeograph;  // not its punctuation
      else if (is_ideograph(bytes[i])) letters += kIdeograph;
      else if (byte >= 0xC3 && byte <= 0xE1) letters += 1;
    }
    return letters;
  }

  static float letters_of_ascii(char byte) {
    if (byte >= '0' && byte <= '9') return kDigit;
    if ((byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z')) return 1;
    return byte != 0 && std::strchr("%$&+=@#", byte) != nullptr ? kSymbol : 0;
  }

  int row_;
  bool may_pause_ = true;
  std::vector<Token> tokens_;
  std::vector<earshot_spoken> spoken_;
};
