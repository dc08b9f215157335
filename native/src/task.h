// Work on a thread of its own, with a promise for its end and calls back into JavaScript on the way.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include <napi.h>

namespace earshot {

class Task {
 public:
  // Makes the promise's value, on JavaScript's thread.
  using Finish = std::function<Napi::Value(Napi::Env)>;
  // Does the work, on the task's thread. What it throws rejects the promise.
  using Work = std::function<Finish(Task&)>;

  // Starts `work` and returns the promise of its result. `abort` is set by whoever wants it to stop; `keep`
  // is let go of on JavaScript's thread after everything else, as references to JavaScript values must be.
  static Napi::Promise start(Napi::Env env, const char* name, Work work,
                             std::shared_ptr<std::atomic<bool>> abort = std::make_shared<std::atomic<bool>>(false),
                             std::shared_ptr<void> keep = nullptr);

  // True once the caller, or the end of the process, wants the work to stop.
  bool aborted() const { return abort_->load(std::memory_order_relaxed); }

  // Runs `call` on JavaScript's thread, in order, before the promise settles. Called on the task's thread.
  void post(std::function<void(Napi::Env)> call);

 private:
  Task(Napi::Env env, Work work, std::shared_ptr<std::atomic<bool>> abort, std::shared_ptr<void> keep);
  void run();
  void settle(Napi::Env env);

  Napi::Promise::Deferred deferred_;
  Napi::ThreadSafeFunction channel_;
  Work work_;
  std::shared_ptr<std::atomic<bool>> abort_;
  std::shared_ptr<void> keep_;
  std::thread thread_;
  Finish finish_;
  bool closed_ = false;  // the environment ended: the channel must not be touched again
  std::string error_code_;
  std::string error_message_;
};

}  // namespace earshot
