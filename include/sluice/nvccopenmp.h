// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// OpenMP regions of host code, compiled by clang and run by libgomp.
///
/// clang makes calls of its own library, libomp, of a region. But the program
/// is linked by g++ -fopenmp, often not by sluice-nvcc, and so with libgomp. A
/// program with both has two pools of threads. So sluice-nvcc puts this header
/// before CUDA sources with -fopenmp: it defines the functions that clang
/// calls (named in LLVM's OMPKinds.def) by those of libgomp (named in GCC's
/// libgomp manual, "The libgomp ABI"). They are weak and hidden: each program
/// and shared object has them once.
///
/// It has parallel regions, loops with all schedules, reductions, sections,
/// single, master, critical and barriers. What it lacks (tasks, ordered loops,
/// cancellation) stays undefined, and nvcc compiles the file.

#ifndef SLUICE_NVCCOPENMP_H
#define SLUICE_NVCCOPENMP_H
#pragma GCC system_header // no warnings about it in users' files

#if !defined(__CUDA_ARCH__) && defined(_OPENMP)
#include <omp.h>
#include <stdarg.h>

extern "C" {
void GOMP_parallel(void (*)(void *), void *, unsigned, unsigned);
void GOMP_barrier(void);
void GOMP_taskwait(void);
void GOMP_critical_start(void);
void GOMP_critical_end(void);
void GOMP_critical_name_start(void **);
void GOMP_critical_name_end(void **);
bool GOMP_single_start(void);
bool GOMP_loop_ull_dynamic_start(bool, unsigned long long, unsigned long long,
                                 unsigned long long, unsigned long long,
                                 unsigned long long *, unsigned long long *);
bool GOMP_loop_ull_dynamic_next(unsigned long long *, unsigned long long *);
bool GOMP_loop_ull_guided_start(bool, unsigned long long, unsigned long long,
                                unsigned long long, unsigned long long,
                                unsigned long long *, unsigned long long *);
bool GOMP_loop_ull_guided_next(unsigned long long *, unsigned long long *);
bool GOMP_loop_ull_runtime_start(bool, unsigned long long, unsigned long long,
                                 unsigned long long, unsigned long long *,
                                 unsigned long long *);
bool GOMP_loop_ull_runtime_next(unsigned long long *, unsigned long long *);
void GOMP_loop_end_nowait(void);

#define SLUICE_OMP __attribute__((weak, visibility("hidden")))

/// Of each thread, between two calls.
struct __sluice_omp_thread {
  unsigned Wanted;     ///< By num_threads, for the next region; 0: as many as
                       ///< there are.
  unsigned Serialized; ///< Regions around that an if clause has switched off.
  // The loop that is dispatched, counted from 0 in its iterations.
  unsigned long long First, Step, Iterations, Chunk;
  int Schedule;
  bool Started;
};
SLUICE_OMP thread_local __sluice_omp_thread __sluice_omp_state;

SLUICE_OMP int __kmpc_global_thread_num(void *) { return omp_get_thread_num(); }

SLUICE_OMP void __kmpc_push_num_threads(void *, int, int Threads) {
  __sluice_omp_state.Wanted = Threads;
}

SLUICE_OMP void __kmpc_push_proc_bind(void *, int, int) {}

/// Arguments that a region's function does not have do no harm in the calling
/// conventions of Linux.
#define SLUICE_OMP_8(A, I)                                                     \
  A[I], A[I + 1], A[I + 2], A[I + 3], A[I + 4], A[I + 5], A[I + 6], A[I + 7]
enum { __sluice_omp_most = 64 };
struct __sluice_omp_region {
  void (*Function)(int *, int *, ...);
  void *Arguments[__sluice_omp_most];
};

SLUICE_OMP void __sluice_omp_run(void *Given) {
  auto *Region = (__sluice_omp_region *)Given;
  void **A = Region->Arguments;
  int Thread = omp_get_thread_num(), Zero = 0;
  __sluice_omp_thread Around = __sluice_omp_state;
  __sluice_omp_state = __sluice_omp_thread();
  Region->Function(&Thread, &Zero, SLUICE_OMP_8(A, 0), SLUICE_OMP_8(A, 8),
                   SLUICE_OMP_8(A, 16), SLUICE_OMP_8(A, 24),
                   SLUICE_OMP_8(A, 32), SLUICE_OMP_8(A, 40),
                   SLUICE_OMP_8(A, 48), SLUICE_OMP_8(A, 56));
  __sluice_omp_state = Around;
}
#undef SLUICE_OMP_8

SLUICE_OMP void __kmpc_fork_call(void *, int Count,
                                 void (*Function)(int *, int *, ...), ...) {
  __sluice_omp_region Region = {Function, {}};
  if (Count > __sluice_omp_most)
    __builtin_trap();
  va_list Arguments;
  va_start(Arguments, Function);
  for (int I = 0; I < Count; ++I)
    Region.Arguments[I] = va_arg(Arguments, void *);
  va_end(Arguments);
  unsigned Threads = __sluice_omp_state.Wanted;
  __sluice_omp_state.Wanted = 0;
  GOMP_parallel(__sluice_omp_run, &Region, Threads, 0);
}

SLUICE_OMP void __kmpc_serialized_parallel(void *, int) {
  ++__sluice_omp_state.Serialized;
}
SLUICE_OMP void __kmpc_end_serialized_parallel(void *, int) {
  --__sluice_omp_state.Serialized;
}

SLUICE_OMP void __kmpc_barrier(void *, int) {
  if (!__sluice_omp_state.Serialized)
    GOMP_barrier();
}
SLUICE_OMP int __kmpc_omp_taskwait(void *, int) {
  GOMP_taskwait();
  return 0;
}
SLUICE_OMP void __kmpc_flush(void *) { __sync_synchronize(); }

SLUICE_OMP int __kmpc_master(void *, int) {
  return __sluice_omp_state.Serialized || omp_get_thread_num() == 0;
}
SLUICE_OMP void __kmpc_end_master(void *, int) {}
SLUICE_OMP int __kmpc_masked(void *, int, int Filter) {
  return __sluice_omp_state.Serialized || omp_get_thread_num() == Filter;
}
SLUICE_OMP void __kmpc_end_masked(void *, int) {}
SLUICE_OMP int __kmpc_single(void *, int) {
  return __sluice_omp_state.Serialized || GOMP_single_start();
}
SLUICE_OMP void __kmpc_end_single(void *, int) {}

SLUICE_OMP void __kmpc_critical(void *, int, void **Lock) {
  GOMP_critical_name_start(Lock);
}
SLUICE_OMP void __kmpc_critical_with_hint(void *, int, void **Lock, unsigned) {
  GOMP_critical_name_start(Lock);
}
SLUICE_OMP void __kmpc_end_critical(void *, int, void **Lock) {
  GOMP_critical_name_end(Lock);
}

// Each thread adds what it has, one after the other: the answer 1 says so.
SLUICE_OMP int __kmpc_reduce(void *, int, int, unsigned long, void *,
                             void (*)(void *, void *), void **Lock) {
  GOMP_critical_name_start(Lock);
  return 1;
}
SLUICE_OMP int __kmpc_reduce_nowait(void *, int, int, unsigned long, void *,
                                    void (*)(void *, void *), void **Lock) {
  GOMP_critical_name_start(Lock);
  return 1;
}
SLUICE_OMP void __kmpc_end_reduce_nowait(void *, int, void **Lock) {
  GOMP_critical_name_end(Lock);
}
SLUICE_OMP void __kmpc_end_reduce(void *Place, int Thread, void **Lock) {
  GOMP_critical_name_end(Lock);
  __kmpc_barrier(Place, Thread);
}

//===- Loops --------------------------------------------------------------===//

// Numbers of schedules: kmp_sch_* of LLVM's OMPKinds and libomp's kmp.h.
enum {
  __sluice_omp_static_chunked = 33,
  __sluice_omp_dynamic = 35,
  __sluice_omp_guided = 36,
};

/// The bounds of one thread's first chunk, and the way to its next one. The
/// bounds are inclusive; Step is not 0.
#define SLUICE_OMP_STATIC(Suffix, T, Unsigned, Signed)                         \
  SLUICE_OMP void __kmpc_for_static_init_##Suffix(                             \
      void *, int, int Schedule, int *Last, T *Lower, T *Upper,                \
      Signed *Stride, Signed Step, Signed Chunk) {                             \
    bool Alone = __sluice_omp_state.Serialized;                                \
    Unsigned Threads = Alone ? 1 : omp_get_num_threads();                      \
    Unsigned Thread = Alone ? 0 : omp_get_thread_num();                        \
    T First = *Lower, End = *Upper;                                            \
    if (Step > 0 ? End < First : First < End) {                                \
      *Last = 0; /* no iteration, of nobody */                                 \
      *Stride = Step;                                                          \
      return;                                                                  \
    }                                                                          \
    Unsigned Trips = Step > 0                                                  \
                         ? ((Unsigned)End - (Unsigned)First) / (Unsigned)Step  \
                         : ((Unsigned)First - (Unsigned)End) /                 \
                               ((Unsigned)0 - (Unsigned)Step);                 \
    /* Trips + 1 iterations: the sum might not fit. */                         \
    if ((Schedule & 63) == __sluice_omp_static_chunked) {                      \
      Unsigned Size = Chunk > 0 ? Chunk : 1;                                   \
      *Lower = First + (T)(Thread * Size * (Unsigned)Step);                    \
      *Upper = *Lower + (T)((Size - 1) * (Unsigned)Step);                      \
      *Stride = (Signed)(Size * Threads * (Unsigned)Step);                     \
      *Last = Trips / Size % Threads == Thread;                                \
      return;                                                                  \
    }                                                                          \
    Unsigned Each = Trips / Threads, More = Trips % Threads + 1;               \
    if (More == Threads) {                                                     \
      ++Each;                                                                  \
      More = 0;                                                                \
    }                                                                          \
    Unsigned Mine = Each + (Thread < More);                                    \
    Unsigned Before = Thread * Each + (Thread < More ? Thread : More);         \
    *Last = Mine != 0 && Before + Mine - 1 == Trips;                           \
    *Stride = Step;                                                            \
    *Lower = First + (T)(Before * (Unsigned)Step);                             \
    *Upper = *Lower + (T)((Mine - 1) * (Unsigned)Step);                        \
    if (Mine == 0) { /* nothing: an upper bound before the lower one */        \
      *Lower = Step > 0;                                                       \
      *Upper = Step < 0;                                                       \
    }                                                                          \
  }
SLUICE_OMP_STATIC(4, int, unsigned, int)
SLUICE_OMP_STATIC(4u, unsigned, unsigned, int)
SLUICE_OMP_STATIC(8, long long, unsigned long long, long long)
SLUICE_OMP_STATIC(8u, unsigned long long, unsigned long long, long long)
#undef SLUICE_OMP_STATIC

SLUICE_OMP void __kmpc_for_static_fini(void *, int) {}

/// The next chunk of the iterations 0 to Iterations - 1; End is behind it.
SLUICE_OMP bool __sluice_omp_next(unsigned long long *Begin,
                                  unsigned long long *End) {
  __sluice_omp_thread &L = __sluice_omp_state;
  bool First = !L.Started, Is;
  L.Started = true;
  if (L.Serialized) {
    *Begin = 0;
    *End = L.Iterations;
    return First && L.Iterations;
  }
  if (L.Schedule == __sluice_omp_dynamic)
    Is = First ? GOMP_loop_ull_dynamic_start(true, 0, L.Iterations, 1, L.Chunk,
                                             Begin, End)
               : GOMP_loop_ull_dynamic_next(Begin, End);
  else if (L.Schedule == __sluice_omp_guided)
    Is = First ? GOMP_loop_ull_guided_start(true, 0, L.Iterations, 1, L.Chunk,
                                            Begin, End)
               : GOMP_loop_ull_guided_next(Begin, End);
  else // runtime and auto
    Is = First
             ? GOMP_loop_ull_runtime_start(true, 0, L.Iterations, 1, Begin, End)
             : GOMP_loop_ull_runtime_next(Begin, End);
  if (!Is)
    GOMP_loop_end_nowait();
  return Is;
}

#define SLUICE_OMP_DISPATCH(Suffix, T, Unsigned, Signed)                       \
  SLUICE_OMP void __kmpc_dispatch_init_##Suffix(void *, int, int Schedule,     \
                                                T Lower, T Upper, Signed Step, \
                                                Signed Chunk) {                \
    __sluice_omp_thread &L = __sluice_omp_state;                               \
    L.First = (unsigned long long)Lower;                                       \
    L.Step = (unsigned long long)Step;                                         \
    L.Schedule = Schedule & 63;                                                \
    L.Chunk = Chunk > 0 ? Chunk : 1;                                           \
    L.Started = false;                                                         \
    if (Step > 0 ? Upper < Lower : Lower < Upper)                              \
      L.Iterations = 0;                                                        \
    else if (Step > 0)                                                         \
      L.Iterations =                                                           \
          1ull + ((Unsigned)Upper - (Unsigned)Lower) / (Unsigned)Step;         \
    else                                                                       \
      L.Iterations = 1ull + ((Unsigned)Lower - (Unsigned)Upper) /              \
                                ((Unsigned)0 - (Unsigned)Step);                \
  }                                                                            \
  SLUICE_OMP int __kmpc_dispatch_next_##Suffix(                                \
      void *, int, int *Last, T *Lower, T *Upper, Signed *Stride) {            \
    unsigned long long Begin, End;                                             \
    __sluice_omp_thread &L = __sluice_omp_state;                               \
    if (!__sluice_omp_next(&Begin, &End))                                      \
      return 0;                                                                \
    *Lower = (T)(L.First + Begin * L.Step);                                    \
    *Upper = (T)(L.First + (End - 1) * L.Step);                                \
    *Stride = (Signed)L.Step;                                                  \
    *Last = End == L.Iterations;                                               \
    return 1;                                                                  \
  }                                                                            \
  SLUICE_OMP void __kmpc_dispatch_fini_##Suffix(void *, int) {}
SLUICE_OMP_DISPATCH(4, int, unsigned, int)
SLUICE_OMP_DISPATCH(4u, unsigned, unsigned, int)
SLUICE_OMP_DISPATCH(8, long long, unsigned long long, long long)
SLUICE_OMP_DISPATCH(8u, unsigned long long, unsigned long long, long long)
#undef SLUICE_OMP_DISPATCH
SLUICE_OMP void __kmpc_dispatch_deinit(void *, int) {}

#undef SLUICE_OMP
} // extern "C"
#endif
#endif
