#include "task.h"

#include <new>
#include <string>
#include <utility>

#include "errors.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace earshot {

namespace {

// A job frees tens of megabytes in small blocks. glibc keeps them in the arena of the job's thread, and the next job may
// use another arena: without trimming, a busy worker grows by hundreds of megabytes.
void trim_heap() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

}  // namespace

Task::Task(Napi::Env env, Work work, AbortFlag abort, std::shared_ptr<void> keep)
    : deferred_(Napi::Promise::Deferred::New(env)),
      work_(std::move(work)),
      abort_(std::move(abort)),
      keep_(std::move(keep)) {}

Napi::Promise Task::start(Napi::Env env, const char* name, Work work, AbortFlag abort, std::shared_ptr<void> keep) {
  // Freed by the channel's finalizer, which runs when the thread has released the channel, or when the environment ends.
  // Until then the channel keeps the process alive.
  auto* task = new Task(env, std::move(work), std::move(abort), std::move(keep));
  const Napi::Promise promise = task->deferred_.Promise();
  task->channel_ = Napi::ThreadSafeFunction::New(
      env, Napi::Function(), name, 0, 1, [task](Napi::Env) {
        task->abort_->store(true);
        task->thread_.join();
        delete task;
      });
  task->thread_ = std::thread([task] { task->run(); });
  return promise;
}

void Task::run() {
  try {
    finish_ = work_(*this);
  } catch (const EngineError& error) {
    error_code_ = error.code();
    error_message_ = error.what();
  } catch (const std::bad_alloc&) {
    error_code_ = kOutOfMemory;
    error_message_ = "There is not enough memory for this model or this recording.";
  } catch (const std::exception& error) {
    error_code_ = kEngineFailed;
    error_message_ = error.what();
  } catch (...) {
    error_code_ = kEngineFailed;
    error_message_ = "The speech engine failed without saying why.";
  }
  // Release what the work captured (the audio, a model) now rather than in the finalizer.
  work_ = nullptr;
  trim_heap();
  post([this](Napi::Env env) { settle(env); });
  if (!closed_) channel_.Release();
}

void Task::post(std::function<void(Napi::Env)> call) {
  if (closed_) return;
  auto* pending = new std::function<void(Napi::Env)>(std::move(call));
  const napi_status status =
      channel_.BlockingCall(pending, [](Napi::Env env, Napi::Function, std::function<void(Napi::Env)>* run) {
        const std::unique_ptr<std::function<void(Napi::Env)>> owner(run);
        const Napi::HandleScope scope(env);
        (*run)(env);
      });
  if (status != napi_ok) {  // the environment is ending
    closed_ = true;
    delete pending;
  }
}

void Task::settle(Napi::Env env) {
  if (error_code_.empty()) {
    try {
      deferred_.Resolve(finish_(env));
    } catch (const Napi::Error& error) {
      deferred_.Reject(error.Value());
    }
    finish_ = nullptr;
    return;
  }
  const Napi::Error error = Napi::Error::New(env, error_message_);
  error.Value().Set("code", error_code_);
  deferred_.Reject(error.Value());
}

Napi::Object make_job(Napi::Env env, const Napi::Value& promise, const AbortFlag& abort) {
  Napi::Object object = Napi::Object::New(env);
  object.Set("promise", promise);
  object.Set("abort", Napi::Function::New(env, [abort](const Napi::CallbackInfo&) { abort->store(true); }));
  return object;
}

}  // namespace earshot
