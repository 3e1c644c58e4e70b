// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lines of threads give the bytes that memory gives: of texts that end by their
// data, gathers, rows that lanes find in memory, backward rows, inner loops,
// accesses in some iterations, of all element sizes; of what is written too, and
// of what is written by a pointer and read by another; around barriers, fences,
// atomics and volatile accesses; in whole warps and in parts of them; in blocks
// of any size. Each thread chooses after a while (a thread of these kernels has
// few accesses, so after 20 or none in place of 300), or all have lines from the
// beginning. Faults are noticed.
//
// DEFINE: %{lines-cc} = %staging-cc %s -fplugin-arg-sluice-software-l1=shared -fplugin-arg-sluice-transforms=off
// RUN: %{lines-cc} -Rpass=sluice-software > %t.ptx 2> %t.remarks
// RUN: FileCheck %s --input-file %t.ptx
// RUN: FileCheck %s --input-file %t.remarks --check-prefix=REMARK
// RUN: %{lines-cc} -fplugin-arg-sluice-emit-plan=%t.plan -o %t.s
// RUN: FileCheck %s --input-file %t.plan --check-prefix=PLAN
// RUN: %staging-cc %s -fplugin-arg-sluice-fewer-instructions=off -fplugin-arg-sluice-plan=%t.plan | diff %t.s -
// DEFINE: %{same} = %same-staged %s %t -fplugin-arg-sluice-transforms=off -fplugin-arg-sluice-software-l1=shared fill=ints=100
// RUN: %{same} int=200 block=256 grid=2 kib=1024
// RUN: %{same} int=200 block=256 grid=2 kib=1024 -fplugin-arg-sluice-test-count=20
// RUN: %{same} int=131 block=128 grid=2 kib=1024 -fplugin-arg-sluice-test-count=1
// RUN: %{same} int=67 block=1024 grid=1 kib=2048 -fplugin-arg-sluice-test-count=20
// RUN: %{same} int=67 block=96x2 grid=2 kib=1024 -fplugin-arg-sluice-test-count=0
// RUN: %{same} int=67 block=1024 grid=1 kib=2048 -fplugin-arg-sluice-test-count=0
// RUN: %{same} int=5 block=100 grid=3 kib=1024 -fplugin-arg-sluice-test-count=0
// RUN: not %{same} int=67 block=128 grid=1 -fplugin-arg-sluice-test-count=0 -fplugin-arg-sluice-test-wrong-rewrite=stale-line
// RUN: not %{same} int=67 block=128 grid=1 -fplugin-arg-sluice-test-count=0 -fplugin-arg-sluice-test-wrong-rewrite=aliased-line
// RUN: not %{same} int=67 block=128 grid=1 -fplugin-arg-sluice-test-count=0 -fplugin-arg-sluice-test-wrong-rewrite=lost-line
//
// CHECK: .entry _Z4textPKcPi(
// CHECK: .maxnreg 64
// CHECK-NOT: local
// CHECK: .shared .align 16 .b8 __sluice_lines_{{.*}}[16384];
// CHECK: ld.global.v4.b32
// CHECK: st.shared.b32
// CHECK: .entry
// REMARK-COUNT-16: threads keep lines of what the loop accesses in shared memory
// REMARK-NOT: threads keep lines
// PLAN: sluice-plan: 11
// PLAN: name: _Z4textPKcPi
// PLAN: lines:
// PLAN-NEXT: - at: 'lines.cu:[[#]]:
// PLAN-NEXT: lines-per-thread: 1
// PLAN-NEXT: line-threads: 1024
// PLAN-NEXT: lines-monitored: true
// PLAN-NEXT: lines-why: up to 1 of 1 data structures, chosen as it runs, for 1024 threads of a block
// PLAN: name: _Z9exchangesPiPji
// PLAN: lines-per-thread: 2
// PLAN-NEXT: line-threads:
// PLAN-NEXT: lines-why: {{.*}}chosen by the code

#define ME                                                                     \
  (blockIdx.x * blockDim.x * blockDim.y + threadIdx.y * blockDim.x +           \
   threadIdx.x)
#define THREADS (gridDim.x * blockDim.x * blockDim.y)

// It ends by its data.
__global__ void text(const char *A, int *y) {
  int s = 0;
  for (const char *p = A + ME * 111; *p != 77 && p < A + ME * 111 + 200; ++p)
    s = s * 3 + *p;
  y[ME] = s;
}

__global__ void upper(const char *A, char *B, int n) {
  for (int j = 0; j < n; ++j) {
    char c = A[ME * 211 + j];
    B[ME * 211 + j] = c >= 'A' && c <= 'Z' ? c + 32 : c;
  }
}

// Where a thread reads next is what it has read.
__global__ void gather(const int *A, int *y, int n) {
  int s = 0, at = ME;
  for (int j = 0; j < n; ++j) {
    at = A[(ME * 64 + at + j / 4) % 4096];
    s = s * 3 + at;
  }
  y[ME] = s;
}

// Rows whose bounds are in memory.
__global__ void sparse(const int *from, const int *columns, const float *x,
                       float *y, int n) {
  for (int i = ME; i < n * 8; i += THREADS) {
    float s = 0;
    for (int k = from[i] * 8; k < from[i] * 8 + from[i + 1]; ++k)
      s = s * 0.5f + x[columns[k]];
    y[i] = s;
  }
}

__global__ void backwards(const double *A, double *y, int n) {
  double s = 0;
  for (int j = n; j >= 0; --j)
    s = s * 0.5 + A[ME * 200 + j];
  y[ME] = s;
}

// Read in some iterations, written in others.
__global__ void sometimes(unsigned short *A, const short *B, int n) {
  for (int j = 0; j < n; ++j)
    if (B[ME * 150 + j] & 1)
      A[ME * 210 + j] += j;
    else if (B[ME * 150 + j] & 2)
      A[ME * 210 + j / 2] = j;
}

// Neighbours share lines of what they write.
__global__ void neighbours(char *A, const char *B, int n) {
  for (int j = 0; j < n; ++j)
    A[ME + j % 3 * THREADS] = B[ME * 70 + j] + A[ME + j % 2 * THREADS];
}

// By two pointers, to the same memory.
__global__ void twice(int *A, int shift, int n) {
  int *to = A + ME * 300, *from = A + ME * 300 + shift % 9;
  for (int j = 0; j < n; ++j) {
    to[j] = from[j] + from[j / 2];
    if (from[j] & 1)
      from[j + 1] = to[j] * 3;
  }
}

struct Wide {
  long long First, Second;
};

// Eight bytes where no address is a multiple of them, over lines of bytes.
__global__ void unaligned(char *A, int n) {
  char *mine = A + ME * 300;
  for (int j = 0; j < n; ++j) {
    mine[j] += j;
    long long All;
    __builtin_memcpy(&All, mine + j % 40, 8);
    mine[j / 2] += char(All >> 24);
    __builtin_memcpy(mine + (j * 3) % 50, &All, 8);
  }
}

__global__ void pairs(Wide *A, int n) {
  for (int j = 0; j < n; ++j)
    A[ME * 100 + j % 100].Second += A[ME * 100 + j / 3].First;
}

// A barrier in the loop: what others have written is seen.
__global__ void exchanges(int *A, unsigned *mail, int n) {
  const int Threads = blockDim.x * blockDim.y;
  const int me = ME, first = me - me % Threads;
  for (int j = 0; j < n % 32 + 2; ++j) {
    mail[me] = A[me * 16 + j % 16] + j;
    __syncthreads();
    A[me * 16 + j % 16] = mail[first + (me + 1) % Threads] * 3;
    __syncthreads();
  }
}

__global__ void fences(int *A, int n) {
  int *mine = A + ME * 64;
  for (int j = 0; j < n; ++j) {
    mine[j % 64] += j;
    if (j % 5 == 1)
      __threadfence();
    mine[j / 2 % 64] = *(volatile int *)&mine[(j + 1) % 64];
  }
}

// Some of what they change is in a line.
__global__ void atomics(int *A, int *y, int n) {
  int *mine = A + ME * 64, s = 0;
  for (int j = 0; j < n; ++j) {
    mine[j % 64] += j;
    atomicAdd(&mine[(j + 2) % 64], 3);
    if (j % 7 == 2)
      s = s * 3 + atomicExch(&mine[j % 5], j);
    atomicAdd(&y[j % 8], s & 3);
  }
}

// Lanes that are not there, and that leave by three ways.
__global__ void divergent(const int *A, int *B, int n) {
  if (threadIdx.x % 3 == 1)
    return;
  for (int j = 0; j < n; ++j) {
    int v = A[ME * 150 + j];
    B[ME * 200 + j] = v;
    if (v == 50)
      break;
    if (v == 60)
      return;
  }
  B[ME * 200 + 199] = 7;
}

// A pointer that was read from memory: of half of the lanes to shared memory.
__global__ void loaded(int *A, int **rows, int n) {
  __shared__ int own[4 * 1024];
  const int Threads = blockDim.x * blockDim.y;
  const int me = ME, thread = me % Threads, first = me - thread;
  for (int k = 0; k < 4; ++k)
    own[4 * thread + k] = k;
  rows[me] = thread % 2 ? own + 4 * thread : A + me * 32;
  __syncthreads();
  int *row = rows[first + (thread + 1) % Threads];
  for (int j = 0; j < n; ++j)
    row[j % 4] = row[j / 2 % 4] * 3 + j;
  A[me * 32 + 31] = row[2];
  __syncthreads();
  rows[me] = nullptr;
}

// One pointer or another.
__global__ void either(int *A, int *B, int n) {
  int s = 0;
  for (int j = 0; j < n; ++j) {
    int *p = j & 2 ? A + ME * 64 : B + ME * 64;
    s = s * 3 + p[j % 64];
    p[s & 31] = j;
    A[ME * 64 + j / 4 % 64] += s;
  }
  B[ME * 64] = s;
}
