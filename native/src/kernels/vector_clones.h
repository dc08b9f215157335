// Functions that are compiled for several generations of processors, of which the loader chooses one: whisper.cpp itself is
// compiled for any x86-64, whose vectors have four floats. -ffp-contract=off (CMakeLists.txt) keeps all forms to the same bits.

#pragma once

// Elsewhere, clang and systems without glibc included, there is the plain form alone.
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__)
#define EARSHOT_VECTOR_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define EARSHOT_VECTOR_CLONES
#endif
