// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Streams and events. Everything is done when the call returns, in the order of
// the calls, which is one of the orders that streams allow.

#include "Runtime.h"
#include <cstdio>
#include <mutex>
#include <set>

using namespace sluice::emulator;
using namespace sluice::emulator::runtime;

namespace {
struct Event {
  bool Recorded = false;
  double Seconds = 0;
  unsigned Flags = 0;
};
std::mutex Lock;
std::set<void *> &streams() {
  static auto *S = new std::set<void *>;
  return *S;
}
std::set<Event *> &events() {
  static auto *S = new std::set<Event *>;
  return *S;
}

bool isStream(cudaStream_t S) {
  uintptr_t Number = reinterpret_cast<uintptr_t>(S);
  if (Number <= 2) // the default streams
    return true;
  std::lock_guard<std::mutex> Guard(Lock);
  return streams().count(S);
}
Event *eventOf(cudaEvent_t E) {
  std::lock_guard<std::mutex> Guard(Lock);
  auto *P = reinterpret_cast<Event *>(E);
  return events().count(P) ? P : nullptr;
}
} // namespace

extern "C" {

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *S, unsigned) {
  if (!S)
    return failed(cudaErrorInvalidValue);
  auto *New = new char[16];
  std::lock_guard<std::mutex> Guard(Lock);
  streams().insert(New);
  *S = reinterpret_cast<cudaStream_t>(New);
  return cudaSuccess;
}
cudaError_t cudaStreamCreate(cudaStream_t *S) {
  return cudaStreamCreateWithFlags(S, 0);
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *S, unsigned Flags, int) {
  return cudaStreamCreateWithFlags(S, Flags);
}
cudaError_t cudaStreamDestroy(cudaStream_t S) {
  std::lock_guard<std::mutex> Guard(Lock);
  if (!streams().erase(S))
    return failed(cudaErrorInvalidResourceHandle);
  delete[] reinterpret_cast<char *>(S);
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t S) {
  return isStream(S) ? stickyError() : failed(cudaErrorInvalidResourceHandle);
}
cudaError_t cudaStreamQuery(cudaStream_t S) { return cudaStreamSynchronize(S); }
cudaError_t cudaStreamWaitEvent(cudaStream_t S, cudaEvent_t E, unsigned) {
  return isStream(S) && eventOf(E) ? stickyError()
                                   : failed(cudaErrorInvalidResourceHandle);
}
cudaError_t cudaStreamAddCallback(cudaStream_t S, cudaStreamCallback_t F,
                                  void *Data, unsigned) {
  if (!isStream(S) || !F)
    return failed(cudaErrorInvalidValue);
  F(S, stickyError(), Data);
  return cudaSuccess;
}
cudaError_t cudaLaunchHostFunc(cudaStream_t S, cudaHostFn_t F, void *Data) {
  if (!isStream(S) || !F)
    return failed(cudaErrorInvalidValue);
  F(Data);
  return stickyError();
}
cudaError_t cudaStreamGetFlags(cudaStream_t, unsigned *Flags) {
  *Flags = 0;
  return cudaSuccess;
}
cudaError_t cudaStreamGetPriority(cudaStream_t, int *Priority) {
  *Priority = 0;
  return cudaSuccess;
}
cudaError_t cudaStreamIsCapturing(cudaStream_t, cudaStreamCaptureStatus *S) {
  *S = cudaStreamCaptureStatusNone;
  return cudaSuccess;
}
cudaError_t cudaStreamAttachMemAsync(cudaStream_t, void *, size_t, unsigned) {
  return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *E, unsigned Flags) {
  if (!E)
    return failed(cudaErrorInvalidValue);
  auto *New = new Event;
  New->Flags = Flags;
  std::lock_guard<std::mutex> Guard(Lock);
  events().insert(New);
  *E = reinterpret_cast<cudaEvent_t>(New);
  return cudaSuccess;
}
cudaError_t cudaEventCreate(cudaEvent_t *E) {
  return cudaEventCreateWithFlags(E, 0);
}
cudaError_t cudaEventDestroy(cudaEvent_t E) {
  std::lock_guard<std::mutex> Guard(Lock);
  auto *P = reinterpret_cast<Event *>(E);
  if (!events().erase(P))
    return failed(cudaErrorInvalidResourceHandle);
  delete P;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t E, cudaStream_t S) {
  Event *P = eventOf(E);
  if (!P || !isStream(S))
    return failed(cudaErrorInvalidResourceHandle);
  P->Recorded = true;
  P->Seconds = Device::get().emulatedSeconds();
  return stickyError();
}
cudaError_t cudaEventRecordWithFlags(cudaEvent_t E, cudaStream_t S, unsigned) {
  return cudaEventRecord(E, S);
}
cudaError_t cudaEventSynchronize(cudaEvent_t E) {
  return eventOf(E) ? stickyError() : failed(cudaErrorInvalidResourceHandle);
}
cudaError_t cudaEventQuery(cudaEvent_t E) { return cudaEventSynchronize(E); }
cudaError_t cudaEventElapsedTime(float *Milliseconds, cudaEvent_t Start,
                                 cudaEvent_t End) {
  Event *A = eventOf(Start), *B = eventOf(End);
  if (!Milliseconds || !A || !B || !A->Recorded || !B->Recorded ||
      ((A->Flags | B->Flags) & cudaEventDisableTiming))
    return failed(cudaErrorInvalidResourceHandle);
  static bool Said = false;
  if (!Said)
    std::fputs("sluice emulate: note: event times are emulated, not a "
               "prediction\n",
               stderr);
  Said = true;
  *Milliseconds = float((B->Seconds - A->Seconds) * 1e3);
  return stickyError();
}

} // extern "C"
