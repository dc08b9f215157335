// Work on a thread of its own, with a promise for its result and calls into JavaScript.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include <napi.h>

namespace earshot {

using AbortFlag = std::shared_ptr<std::atomic<bool>>;

class Task {
 public:
  // Creates the promise's value, on JavaScript's thread.
  using Finish = std::function<Napi::Value(Napi::Env)>;
  // Does the work on the task's thread. An exception rejects the promise.
  using Work = std::function<Finish(Task&)>;

  // Starts `work` and returns the promise of its result. Setting `abort` asks the work to stop. `keep` is released last,
  // on JavaScript's thread, as references to JavaScript values must be.
  static Napi::Promise start(Napi::Env env, const char* name, Work work,
                             AbortFlag abort = std::make_shared<std::atomic<bool>>(false),
                             std::shared_ptr<void> keep = nullptr);

  // True once the caller has aborted the task or the environment is ending.
  bool aborted() const { return abort_->load(std::memory_order_relaxed); }

  // Runs `call` on JavaScript's thread, in order, before the promise settles. Called on the task's thread.
  void post(std::function<void(Napi::Env)> call);

 private:
  Task(Napi::Env env, Work work, AbortFlag abort, std::shared_ptr<void> keep);
  void run();
  void settle(Napi::Env env);

  Napi::Promise::Deferred deferred_;
  Napi::ThreadSafeFunction channel_;
  Work work_;
  AbortFlag abort_;
  std::shared_ptr<void> keep_;
  std::thread thread_;
  Finish finish_;
  bool closed_ = false;  // the environment has ended: do not touch the channel
  std::string error_code_;
  std::string error_message_;
};

// The JavaScript object of a task that can be aborted: {promise, abort()}.
Napi::Object make_job(Napi::Env env, const Napi::Value& promise, const AbortFlag& abort);

}  // namespace earshot
