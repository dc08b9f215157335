// Matrix products with Intel's AMX, in bfloat16 parts: see native/patches/17-packed-weights.patch and 19-attention-by-tiles.patch.

#pragma once

#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && defined(__AVX512F__) && defined(__AVX512BF16__) && \
    !defined(EARSHOT_WITHOUT_AMX)
#define EARSHOT_AMX

#include <cpuid.h>
#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>

// A tile has 16 rows of 32 bfloat16 numbers, or of 16 floats.
constexpr int64_t kEarshotTile = 16;
constexpr int64_t kEarshotTileDepth = 32;
constexpr int64_t kEarshotTileBytes = 1024;
// A number is split into the sum of two bfloat16 numbers, high and low, each in a tile of its own.
constexpr int64_t kEarshotParts = 2;

struct alignas(64) earshot_tile_config {
  uint8_t palette = 1;
  uint8_t start_row = 0;
  uint8_t reserved[14] = {};
  uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};
static_assert(sizeof(earshot_tile_config) == 64, "the processor reads 64 bytes");

// The instructions are written out, each with what it reads and writes: the header of GCC 12 says that ldtilecfg reads 8 bytes,
// and that tileloadd reads none, so that the compiler drops or moves the stores before them.
#define EARSHOT_TILE_LOAD(tile, from, stride) \
  __asm__ volatile("tileloadd (%0,%1,1), %%tmm" #tile : : "r"(from), "r"(static_cast<int64_t>(stride)) : "memory")
#define EARSHOT_TILE_STORE(tile, to, stride) \
  __asm__ volatile("tilestored %%tmm" #tile ", (%0,%1,1)" : : "r"(to), "r"(static_cast<int64_t>(stride)) : "memory")
#define EARSHOT_TILE_ZERO(tile) __asm__ volatile("tilezero %%tmm" #tile : :)
#define EARSHOT_TILE_MULTIPLY(sums, columns, rows) __asm__ volatile("tdpbf16ps %%tmm" #rows ", %%tmm" #columns ", %%tmm" #sums : :)

// Tiles are a thread's own, and released so that the system saves none of them when it switches threads.
class earshot_tiles {
 public:
  explicit earshot_tiles(const earshot_tile_config& config) { __asm__ volatile("ldtilecfg %0" : : "m"(config) : "memory"); }
  ~earshot_tiles() { __asm__ volatile("tilerelease" : :); }
  earshot_tiles(const earshot_tiles&) = delete;
  earshot_tiles& operator=(const earshot_tiles&) = delete;
};

// 16 numbers rounded to bfloat16, one in each 32 bits.
static inline __m512i earshot_round(__m512 x) {
  return _mm512_cvtepu16_epi32(reinterpret_cast<__m256i>(_mm512_cvtneps_pbh(x)));
}

// What rounding leaves over.
static inline __m512 earshot_rest(__m512 x, __m512i rounded) {
  return _mm512_sub_ps(x, _mm512_castsi512_ps(_mm512_slli_epi32(rounded, 16)));
}

// Bytes of 16 rows or columns in parts.
static inline int64_t earshot_panel_bytes(int64_t numbers) { return numbers / kEarshotTileDepth * kEarshotParts * kEarshotTileBytes; }

// Writes two numbers, `i` and `i + 1`, of each of 16 rows into their panel.
static inline void earshot_split_pair(__m512 first, __m512 second, int64_t i, char* panel) {
  char* to = panel + earshot_panel_bytes(i / kEarshotTileDepth * kEarshotTileDepth) + i % kEarshotTileDepth / 2 * 64;
  const __m512i h0 = earshot_round(first);
  const __m512i h1 = earshot_round(second);
  _mm512_storeu_si512(to, _mm512_or_si512(h0, _mm512_slli_epi32(h1, 16)));
  const __m512i l0 = earshot_round(earshot_rest(first, h0));
  const __m512i l1 = earshot_round(earshot_rest(second, h1));
  _mm512_storeu_si512(to + kEarshotTileBytes, _mm512_or_si512(l0, _mm512_slli_epi32(l1, 16)));
}

// Writes 16 numbers of a column, from `i` on, into its row of a panel's tiles.
static inline void earshot_split_part(__m512 value, int64_t i, char* row) {
  char* to = row + earshot_panel_bytes(i / kEarshotTileDepth * kEarshotTileDepth) + i % kEarshotTileDepth * 2;
  const __m512i high = earshot_round(value);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm512_cvtepi32_epi16(high));
  const __m512i low = earshot_round(earshot_rest(value, high));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + kEarshotTileBytes), _mm512_cvtepi32_epi16(low));
}

// Writes a column as its row of a panel; zeros without a column.
static inline void earshot_split_column(const float* x, int64_t numbers, char* panel, int64_t lane) {
  for (int64_t i = 0; i < numbers; i += 16) earshot_split_part(x ? _mm512_loadu_ps(x + i) : _mm512_setzero_ps(), i, panel + lane * 64);
}

// The products of one or two panels of columns with one or two of rows, which lie behind each other.
// out[column * stride + row], 16 of each for each panel; with `add`, added to what is there.
// The product of both low parts is beneath what the sum keeps.
template <int COLUMNS, int ROWS>
static inline void earshot_multiply_panels(const char* columns, const char* rows, int64_t numbers, float* out, int64_t stride, bool add) {
  const int64_t panel = earshot_panel_bytes(numbers);
  float* below = out + kEarshotTile * stride;
  const int64_t bytes = stride * static_cast<int64_t>(sizeof(float));
  if (add) {
    EARSHOT_TILE_LOAD(0, out, bytes);
    if (ROWS == 2) EARSHOT_TILE_LOAD(1, out + kEarshotTile, bytes);
    if (COLUMNS == 2) EARSHOT_TILE_LOAD(2, below, bytes);
    if (COLUMNS == 2 && ROWS == 2) EARSHOT_TILE_LOAD(3, below + kEarshotTile, bytes);
  } else {
    EARSHOT_TILE_ZERO(0);
    EARSHOT_TILE_ZERO(1);
    EARSHOT_TILE_ZERO(2);
    EARSHOT_TILE_ZERO(3);
  }
  const auto multiply = [] {
    EARSHOT_TILE_MULTIPLY(0, 4, 6);
    if (ROWS == 2) EARSHOT_TILE_MULTIPLY(1, 4, 7);
    if (COLUMNS == 2) EARSHOT_TILE_MULTIPLY(2, 5, 6);
    if (COLUMNS == 2 && ROWS == 2) EARSHOT_TILE_MULTIPLY(3, 5, 7);
  };
  const auto load_columns = [&](const char* from) {
    EARSHOT_TILE_LOAD(4, from, 64);
    if (COLUMNS == 2) EARSHOT_TILE_LOAD(5, from + panel, 64);
  };
  const auto load_rows = [&](const char* from) {
    EARSHOT_TILE_LOAD(6, from, 64);
    if (ROWS == 2) EARSHOT_TILE_LOAD(7, from + panel, 64);
  };
  for (int64_t at = 0; at < panel; at += kEarshotParts * kEarshotTileBytes) {
    load_rows(rows + at);
    load_columns(columns + at + kEarshotTileBytes);
    multiply();
    load_columns(columns + at);
    multiply();
    load_rows(rows + at + kEarshotTileBytes);
    multiply();
  }
  EARSHOT_TILE_STORE(0, out, bytes);
  if (ROWS == 2) EARSHOT_TILE_STORE(1, out + kEarshotTile, bytes);
  if (COLUMNS == 2) EARSHOT_TILE_STORE(2, below, bytes);
  if (COLUMNS == 2 && ROWS == 2) EARSHOT_TILE_STORE(3, below + kEarshotTile, bytes);
}

// The same with as many panels as there are.
static inline void earshot_multiply_panels(int64_t column_panels, int64_t row_panels, const char* columns, const char* rows,
                                           int64_t numbers, float* out, int64_t stride, bool add) {
  if (column_panels == 2 && row_panels == 2) earshot_multiply_panels<2, 2>(columns, rows, numbers, out, stride, add);
  else if (column_panels == 2) earshot_multiply_panels<2, 1>(columns, rows, numbers, out, stride, add);
  else if (row_panels == 2) earshot_multiply_panels<1, 2>(columns, rows, numbers, out, stride, add);
  else earshot_multiply_panels<1, 1>(columns, rows, numbers, out, stride, add);
}

// Whether the tiles multiply 32 rows with 32 columns as plain arithmetic does.
static bool earshot_tiles_agree(const earshot_tile_config& config) {
  constexpr int64_t kSize = 2 * kEarshotTile;
  constexpr int64_t kNumbers = 3 * kEarshotTileDepth;
  static float x[2][kSize][kNumbers];
  alignas(64) static char panels[2][2][kNumbers / kEarshotTileDepth * 2 * kEarshotTileBytes];
  alignas(64) static float out[kSize][kSize];
  uint32_t state = 1;
  for (float* number = &x[0][0][0]; number < &x[0][0][0] + 2 * kSize * kNumbers; ++number) {
    state = state * 1664525U + 1013904223U;
    *number = static_cast<float>(state >> 8) / 8388608.0F - 1.0F;
  }
  memset(out, 0xff, sizeof out);
  for (int64_t i = 0; i < kSize; ++i) earshot_split_column(x[0][i], kNumbers, panels[0][i / kEarshotTile], i % kEarshotTile);
  for (int64_t row = 0; row < kSize; row += kEarshotTile) {
    for (int64_t i = 0; i < kNumbers; i += 2) {
      float pair[2][kEarshotTile];
      for (int64_t lane = 0; lane < kEarshotTile; ++lane) {
        pair[0][lane] = x[1][row + lane][i];
        pair[1][lane] = x[1][row + lane][i + 1];
      }
      earshot_split_pair(_mm512_loadu_ps(pair[0]), _mm512_loadu_ps(pair[1]), i, panels[1][row / kEarshotTile]);
    }
  }
  {
    const earshot_tiles tiles(config);
    earshot_multiply_panels<2, 2>(panels[0][0], panels[1][0], kNumbers, &out[0][0], kSize, false);
  }
  for (int64_t c = 0; c < kSize; ++c) {
    for (int64_t r = 0; r < kSize; ++r) {
      double sum = 0;
      for (int64_t i = 0; i < kNumbers; ++i) sum += static_cast<double>(x[0][c][i]) * x[1][r][i];
      if (!(std::fabs(out[c][r] - sum) < 1e-3)) return false;
    }
  }
  return true;
}

// Whether processor and system have AMX and let this process use it.
static bool earshot_may_use_amx() {
  constexpr unsigned kTile = 1U << 24;
  constexpr unsigned kBfloat16 = 1U << 22;
  constexpr unsigned kTileState = 3U << 17;
  constexpr unsigned kSavesState = 1U << 27;
  constexpr long kRequestPermission = 0x1023;
  constexpr long kTileData = 18;
  unsigned a, b, c, d;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & kSavesState)) return false;
  unsigned state, upper;
  __asm__ volatile("xgetbv" : "=a"(state), "=d"(upper) : "c"(0));
  if ((state & kTileState) != kTileState) return false;
  if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || (d & (kTile | kBfloat16)) != (kTile | kBfloat16)) return false;
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}

// Decided once for the process. EARSHOT_NO_AMX=1 leaves AMX out.
static bool earshot_amx() {
  static const bool usable = [] {
    const char* out = std::getenv("EARSHOT_NO_AMX");
    return !(out && *out == '1') && earshot_may_use_amx() && earshot_tiles_agree(earshot_tile_config{});
  }();
  return usable;
}
#endif
