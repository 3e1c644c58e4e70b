// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// OpenMP regions of host code, which clang compiles, run by the library of g++:
// each iteration once, whatever the schedule and the number of threads. nvcc
// and g++ say the same of this program.
//
// REQUIRES: gomp
// RUN: %sluice-nvcc --sluice-strict -arch=sm_90 -Werror all-warnings -Xcompiler -fopenmp,-Wall,-Werror %s -o %t
// RUN: %t | FileCheck %s
// RUN: env OMP_SCHEDULE=guided,3 %t | FileCheck %s
// RUN: %sluice-nvcc --sluice-strict -arch=sm_90 -O0 -forward-unknown-to-host-compiler -fopenmp -c %s -o %t.o
// RUN: g++ -fopenmp %t.o -o %t.byg++ -L%cuda/lib64 -lcudart_static -lrt -lpthread -ldl
// RUN: %t.byg++ | FileCheck %s
// CHECK-NOT: wrong
// CHECK: all right
//
// With clang's own library the calls stay calls.
// RUN: %sluice-nvcc --sluice-strict -arch=sm_90 -Xcompiler -fopenmp --sluice-libomp -c %s -o %t.libomp.o
// RUN: llvm-nm -u %t.libomp.o | FileCheck %s --check-prefix=LIBOMP
// LIBOMP: __kmpc_fork_call

#include <cstdio>
#include <omp.h>
#include <set>
#include <vector>

__global__ void kernel() {}

static bool Right = true;

static void say(const char *What, long N) {
  std::printf("wrong with %d threads, %ld iterations: %s\n",
              omp_get_max_threads(), N, What);
  Right = false;
}

// Are all iterations 0 to N - 1 run once?
template <typename Loop> void once(const char *What, long N, Loop Run) {
  std::vector<int> Runs(N);
  Run(Runs);
  for (int Count : Runs)
    if (Count != 1)
      return say(What, N);
}

#define LOOP(Clauses, Type)                                                    \
  once(#Clauses " " #Type, N, [&](std::vector<int> &Runs) {                    \
    _Pragma(Clauses) for (Type I = 0; I < (Type)N; ++I) ++Runs[I];             \
  })

static void loops(long N) {
  LOOP("omp parallel for", int);
  LOOP("omp parallel for", unsigned);
  LOOP("omp parallel for", long);
  LOOP("omp parallel for", unsigned long);
  LOOP("omp parallel for schedule(static, 3)", int);
  LOOP("omp parallel for schedule(static, 3)", unsigned long);
  LOOP("omp parallel for schedule(dynamic)", int);
  LOOP("omp parallel for schedule(dynamic, 4)", unsigned);
  LOOP("omp parallel for schedule(guided)", long);
  LOOP("omp parallel for schedule(runtime)", unsigned long);
  LOOP("omp parallel for schedule(auto)", int);
  LOOP("omp parallel for if (N > 50)", int);
  LOOP("omp parallel for num_threads(5)", int);
  once("down", N, [&](std::vector<int> &Runs) {
#pragma omp parallel for
    for (int I = N - 1; I >= 0; --I)
      ++Runs[I];
  });
  once("down by two, dynamic", N, [&](std::vector<int> &Runs) {
#pragma omp parallel for schedule(dynamic, 2)
    for (long I = N - 1; I >= 0; I -= 2) {
      ++Runs[I];
      if (I > 0)
        ++Runs[I - 1];
    }
  });
  once("two loops as one", N, [&](std::vector<int> &Runs) {
#pragma omp parallel for collapse(2)
    for (int A = 0; A < N / 10; ++A)
      for (int B = 0; B < 10; ++B)
        ++Runs[A * 10 + B];
    for (long I = N / 10 * 10; I < N; ++I)
      ++Runs[I];
  });
  once("a region in a region, switched off", N, [&](std::vector<int> &Runs) {
#pragma omp parallel for
    for (int A = 0; A < N; A += 4) {
#pragma omp parallel for if (0)
      for (int B = A; B < (A + 4 < N ? A + 4 : N); ++B)
        ++Runs[B];
    }
  });
}

static void values(long N) {
  long Sum = 0;
  double Half = 0;
  int Most = -1;
#pragma omp parallel for reduction(+ : Sum, Half) reduction(max : Most)
  for (int I = 0; I < N; ++I) {
    Sum += I;
    Half += 0.5 * I;
    Most = I > Most ? I : Most;
  }
  if (Sum != N * (N - 1) / 2 || Half != 0.5 * Sum || Most != N - 1)
    say("reductions", N);
  long Static = -1, Chunked = -1, Dynamic = -1;
#pragma omp parallel for lastprivate(Static)
  for (long I = 0; I < N; ++I)
    Static = I;
#pragma omp parallel for lastprivate(Chunked) schedule(static, 3)
  for (long I = 0; I < N; ++I)
    Chunked = I;
#pragma omp parallel for lastprivate(Dynamic) schedule(dynamic, 3)
  for (long I = 0; I < N; ++I)
    Dynamic = I;
  if (Static != N - 1 || Chunked != N - 1 || Dynamic != N - 1)
    say("the last iteration's value", N);
}

static void regions(int Threads) {
  int Atomic = 0, Critical = 0, Single = 0, Master = 0, Sections[2] = {0, 0};
  std::set<int> Numbers;
#pragma omp parallel
  {
#pragma omp atomic
    ++Atomic;
#pragma omp critical
    {
      ++Critical;
      Numbers.insert(omp_get_thread_num());
    }
#pragma omp barrier
#pragma omp single
    ++Single;
#pragma omp master
    ++Master;
#pragma omp sections
    {
#pragma omp section
      ++Sections[0];
#pragma omp section
      ++Sections[1];
    }
  }
  if (Atomic != Threads || Critical != Threads ||
      (int)Numbers.size() != Threads || Single != 1 || Master != 1 ||
      Sections[0] != 1 || Sections[1] != 1)
    say("a region", Threads);
  int Three = 0;
#pragma omp parallel num_threads(3)
  if (omp_get_num_threads() == 3) {
#pragma omp atomic
    ++Three;
  }
  if (Three != 3)
    say("num_threads", 3);
}

int main() {
  for (int Threads : {1, 2, 3, 7}) {
    omp_set_num_threads(Threads);
    for (long N : {0, 1, 2, 3, 17, 100}) {
      loops(N);
      values(N);
    }
    regions(Threads);
  }
  if (Right)
    std::puts("all right");
}
