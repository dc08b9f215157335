// Waiting for another thread without a core of one's own: see native/patches/12-passive-waiting.patch.

#pragma once

// Rounds of the processor's pause instruction before a thread asks the system to wake it: 5 to 10 µs on current processors,
// which is as long as the threads of one operation differ when each has a core.
#define EARSHOT_SPIN_ROUNDS 200

#if defined(__linux__)

#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

// Threads that sleep in earshot_wait_while_equal; the last one to arrive needs no system call when all still spin.
static atomic_int earshot_sleepers = 0;

static inline void earshot_sleep_while_equal(atomic_int* value, int expected) {
  atomic_fetch_add_explicit(&earshot_sleepers, 1, memory_order_seq_cst);
  while (atomic_load_explicit(value, memory_order_seq_cst) == expected) {
    syscall(SYS_futex, (int*)value, FUTEX_WAIT_PRIVATE, expected, NULL, NULL, 0);
  }
  atomic_fetch_sub_explicit(&earshot_sleepers, 1, memory_order_seq_cst);
}

// Call after changing `*value` with sequential consistency.
static inline void earshot_wake_all(atomic_int* value) {
  if (atomic_load_explicit(&earshot_sleepers, memory_order_seq_cst) > 0) {
    syscall(SYS_futex, (int*)value, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
  }
}

#else

// Without a system call of one kind for all: other threads get the core between two looks.
static inline void earshot_sleep_while_equal(atomic_int* value, int expected) {
  while (atomic_load_explicit(value, memory_order_seq_cst) == expected) {
    sched_yield();
  }
}

static inline void earshot_wake_all(atomic_int* value) { (void)value; }

#endif

// Returns once `*value` is no longer `expected`.
static inline void earshot_wait_while_equal(atomic_int* value, int expected) {
  for (int round = 0; round < EARSHOT_SPIN_ROUNDS; ++round) {
    if (atomic_load_explicit(value, memory_order_relaxed) != expected) return;
    ggml_thread_cpu_relax();
  }
  earshot_sleep_while_equal(value, expected);
}
