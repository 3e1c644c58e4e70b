// The ways to write a launch's shape down. What is the same number every time
// is known, though the language may not call it a constant. What is not known is
// looked at when the kernel runs.
//
// RUN: %throttle-cc %s %remarks -o %t.ptx 2>&1 | FileCheck %s
// RUN: %plain-cc %s -o %t.plain.ptx
// RUN: python3 %S/Inputs/barriers.py %t.ptx %t.plain.ptx 7literal:1 8variable:1 9polybench:1 9modifiedX:1 13neverModified:1 8constant:1 5macro:1 11enumeration:1 6helper:1 6braced:1 12ceilDivision:1 11notThisSize:1
// RUN: %same-results %s %t -fplugin-arg-sluice-promote=off

#define BODY                                                                   \
  (const float *A, const float *B, float *sums) {                              \
    int i = blockIdx.x * blockDim.x + threadIdx.x;                             \
    for (int j = 0; j < 512; ++j)                                              \
      sums[i] += A[i * 512 + j] * B[i * 512 + j];                              \
  }

// CHECK: :[[@LINE+1]]:25: remark: loop of 'literal' throttled, N=4:
__global__ void literal BODY
// CHECK: remark: loop of 'variable' throttled, N=4:
__global__ void variable BODY
// CHECK: remark: loop of 'polybench' throttled, N=4:
__global__ void polybench BODY
// CHECK: remark: loop of 'modifiedX' throttled, N by launch (256 threads: N=2 from 397 blocks, N=4 from 793 blocks):
__global__ void modifiedX BODY
// CHECK: remark: loop of 'neverModified' throttled, N=4:
__global__ void neverModified BODY
// CHECK: remark: loop of 'constant' throttled, N=4:
__global__ void constant BODY
// CHECK: remark: loop of 'macro' throttled, N=4:
__global__ void macro BODY
// CHECK: remark: loop of 'enumeration' throttled, N=4:
__global__ void enumeration BODY
// CHECK: remark: loop of 'helper' throttled, N=4:
__global__ void helper BODY
// CHECK: remark: loop of 'braced' throttled, N=4:
__global__ void braced BODY
// CHECK: remark: loop of 'ceilDivision' throttled, N=4:
__global__ void ceilDivision BODY
// CHECK: remark: loop of 'notThisSize' throttled, N by launch ({{.*}}256 threads: N={{.*}}):
__global__ void notThisSize BODY

double ceil(double);
constexpr int Blocks = 1056;
#define THREADS 256
#define ROWS (1056 * 256)
enum { EnumBlocks = 1056, EnumThreads = 256 };
int blocksFor(int rows, int threads) { return (rows + threads - 1) / threads; }

void run(const float *A, const float *B, float *sums, int size) {
  literal<<<1056, 256>>>(A, B, sums);

  dim3 grid(Blocks), block(256, 1, 1);
  variable<<<grid, block>>>(A, B, sums);

  dim3 polyBlock(THREADS, 1);
  dim3 polyGrid((size_t)ceil((float)ROWS / (float)polyBlock.x), 1);
  polybench<<<polyGrid, polyBlock>>>(A, B, sums);

  int blocks = 1056;
  if (size > 9)
    blocks *= 2;
  modifiedX<<<blocks, 256>>>(A, B, sums);

  int rows = ROWS, threads = 256;
  neverModified<<<rows / threads, threads>>>(A, B, sums);

  const unsigned Rows = ROWS;
  constant<<<Rows / 256, 256>>>(A, B, sums);
  macro<<<ROWS / THREADS, THREADS>>>(A, B, sums);
  enumeration<<<EnumBlocks, EnumThreads>>>(A, B, sums);
  helper<<<blocksFor(rows, THREADS), THREADS>>>(A, B, sums);
  braced<<<dim3{1056, 1, 1}, dim3{256}>>>(A, B, sums);
  ceilDivision<<<(rows + THREADS - 1) / THREADS, THREADS, 0, 0>>>(A, B, sums);
  notThisSize<<<1056, size>>>(A, B, sums);
}
