// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lines are there for blocks of 128 threads, which this file launches. In larger
// ones, which another file may launch, the further warps run the loops as they
// were: also where all threads of a block meet in the loop.
//
// DEFINE: %{flags} = -fplugin-arg-sluice-transforms=off -fplugin-arg-sluice-software-l1=shared
// RUN: %staging-cc %s %{flags} -Rpass=sluice-software 2>&1 >%t.ptx | FileCheck %s
// RUN: FileCheck %s --check-prefix=PTX --input-file %t.ptx
// DEFINE: %{same} = %same-staged %s %t %{flags} fill=ints=100 int=70 kib=1024
// RUN: %{same} block=128 grid=2 -fplugin-arg-sluice-test-count=20
// RUN: %{same} block=256 grid=2 -fplugin-arg-sluice-test-count=20
// RUN: %{same} block=40x8 grid=2 -fplugin-arg-sluice-test-count=1
// RUN: %{same} block=1000 grid=1 -fplugin-arg-sluice-test-count=0
//
// CHECK-COUNT-3: chosen {{.*}} for 128 threads of a block
// PTX: .entry _Z5upper
// PTX: setp.{{gt|lt}}.u32 {{.*}}, 12{{7|8}};

#define ME                                                                     \
  (blockIdx.x * blockDim.x * blockDim.y + threadIdx.y * blockDim.x +           \
   threadIdx.x)

__global__ void upper(const char *A, char *B, int n) {
  for (int j = 0; j < n; ++j) {
    char c = A[ME * 211 + j];
    B[ME * 211 + j] = c >= 'A' && c <= 'Z' ? c + 32 : c;
  }
}

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

// Both loops use the same lines, one after the other.
__global__ void both(int *A, int *B, int n) {
  int s = 0;
  for (int j = 0; j < n; ++j)
    s = s * 3 + A[ME * 100 + j];
  for (int j = 0; j < n; ++j)
    B[ME * 100 + j] += s ^ j;
}

void run(int *A, unsigned *mail, int n) {
  upper<<<1056, 128>>>((const char *)A, (char *)mail, n);
  exchanges<<<1056, 128>>>(A, mail, n);
  both<<<1056, 128>>>(A, (int *)mail, n);
}
