// Threads that take over tasks when they have a core, and are not waited for when they have none: see
// native/patches/20-helper-threads.patch.

#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#if defined(__x86_64__) || defined(_M_X64)
#include <immintrin.h>
#endif

// The owner calls run(), one call at a time. Every task is claimed by one thread, in ascending order, from a shared counter.
// The owner claims tasks as well and waits only for those that a helper has begun, so that a helper whose core is busy with
// something else delays nothing ("dynamic self-scheduling", without the barrier that usually ends it).
class earshot_helpers {
 public:
  static constexpr int kMaxTasks = 0xffff;

  // Fewer helpers than asked for, or none, where the system starts no more threads: the owner does the tasks.
  explicit earshot_helpers(int count) : wanted_(count) {
    threads_.reserve(static_cast<size_t>(count));
    try {
      for (int i = 0; i < count; ++i) threads_.emplace_back([this, thread = i + 1] { help(thread); });
    } catch (const std::system_error&) {
      // The limit of threads or of memory.
    }
  }

  earshot_helpers(const earshot_helpers&) = delete;
  earshot_helpers& operator=(const earshot_helpers&) = delete;

  ~earshot_helpers() {
    stopping_.store(true);
    publish(0);
    wake(helpers_, threads_.size());
    for (std::thread& thread : threads_) thread.join();
  }

  // How many helpers were asked for.
  int wanted() const { return wanted_; }

  // Calls work(task, thread) for each task from 0 to before `tasks`, at most kMaxTasks; the owner is thread 0. No two calls with
  // the same thread overlap. Returns when all calls have returned; they must not throw.
  template <typename Work>
  void run(int tasks, Work& work) {
    call_ = [](void* data, int task, int thread) { (*static_cast<Work*>(data))(task, thread); };
    data_ = &work;
    left_.store(tasks, std::memory_order_relaxed);
    publish(tasks);
    wake(helpers_, static_cast<size_t>(tasks - 1));
    while (claim(0)) {
    }
    wait(owner_, left_, [](int left) { return left == 0; });
  }

 private:
  // Sleepers that wait for a change; `count` is read without the lock.
  struct Sleepers {
    std::mutex mutex;
    std::condition_variable condition;
    std::atomic<int> count{0};
  };

  // Rounds of the processor's pause instruction before a thread sleeps: 5 to 10 µs on current processors, which is as long as
  // the owner takes for what it does alone between two runs of one token.
  static constexpr int kSpinRounds = 200;

  static void relax() {
#if defined(__x86_64__) || defined(_M_X64)
    _mm_pause();
#elif defined(__aarch64__) && (defined(__GNUC__) || defined(__clang__))
    __asm__ volatile("yield" ::: "memory");
#endif
  }

  // Returns once `is_done` holds for the value. Who changes it calls wake() afterwards. All accesses that decide about sleeping
  // are sequentially consistent: either the sleeper sees the new value, or the waker sees the sleeper.
  template <typename Value, typename IsDone>
  static void wait(Sleepers& sleepers, std::atomic<Value>& value, IsDone is_done) {
    for (int round = 0; round < kSpinRounds; ++round) {
      if (is_done(value.load(std::memory_order_acquire))) return;
      relax();
    }
    std::unique_lock<std::mutex> lock(sleepers.mutex);
    sleepers.count.fetch_add(1);
    sleepers.condition.wait(lock, [&] { return is_done(value.load()); });
    sleepers.count.fetch_sub(1);
  }

  static void wake(Sleepers& sleepers, size_t count) {
    if (sleepers.count.load() == 0 || count == 0) return;
    // A sleeper between its look at the value and its sleep holds the lock.
    { const std::lock_guard<std::mutex> lock(sleepers.mutex); }
    if (count == 1) sleepers.condition.notify_one();
    else sleepers.condition.notify_all();
  }

  void publish(int tasks) {
    const uint64_t round = (claims_.load(std::memory_order_relaxed) >> 32) + 1;
    claims_.store(round << 32 | static_cast<uint64_t>(tasks) << 16);
  }

  // Does the next task; false if none is left. What the owner wrote before it published is read after a claim only: the owner
  // cannot go on before that task is done.
  bool claim(int thread) {
    uint64_t claims = claims_.load(std::memory_order_acquire);
    do {
      if ((claims & kMaxTasks) == (claims >> 16 & kMaxTasks)) return false;
    } while (!claims_.compare_exchange_weak(claims, claims + 1, std::memory_order_acq_rel, std::memory_order_acquire));
    call_(data_, static_cast<int>(claims & kMaxTasks), thread);
    if (left_.fetch_sub(1) == 1 && thread != 0) wake(owner_, 1);
    return true;
  }

  void help(int thread) {
    while (!stopping_.load()) {
      const uint64_t round = claims_.load(std::memory_order_acquire) >> 32;
      while (claim(thread)) {
      }
      wait(helpers_, claims_, [round](uint64_t claims) { return claims >> 32 != round; });
    }
  }

  // The round, and below it the number of tasks and how many of them are claimed, 16 bits each.
  alignas(64) std::atomic<uint64_t> claims_{0};
  void (*call_)(void*, int, int) = nullptr;
  void* data_ = nullptr;
  alignas(64) std::atomic<int> left_{0};
  std::atomic<bool> stopping_{false};
  alignas(64) Sleepers helpers_;
  Sleepers owner_;
  const int wanted_;
  std::vector<std::thread> threads_;
};
