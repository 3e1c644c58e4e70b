// Two matrices, a row per thread, sums in memory: the footprint is twice the
// L1, and N=4 makes it fit.
//
// RUN: %sluice-cc %s %remarks 2>&1 | FileCheck %s
// RUN: %sluice-cc %s 2>/dev/null | FileCheck %s --check-prefix=PTX
// RUN: %same-results %s %t

constexpr int Rows = 132 * 2048, Columns = 512;

__global__ void gesummv(const float *A, const float *B, const float *x,
                        float *tmp, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= Rows)
    return;
  // CHECK: gesummv.cu:[[@LINE+1]]:3: remark: loop of 'gesummv' throttled, N=4: footprint {{[0-9]+}} B (8 blocks of {{[0-9]+}} lines) is beyond the L1 of {{[0-9]+}} B; with N=4 it is {{[0-9]+}} B (8 blocks of 256 threads on an SM, {{[0-9]+}} registers by the assembler)
  for (int j = 0; j < Columns; ++j) {
    tmp[i] += A[i * Columns + j] * x[j];
    y[i] += B[i * Columns + j] * x[j];
  }
}

void run(const float *A, const float *B, const float *x, float *tmp, float *y) {
  gesummv<<<Rows / 256, 256>>>(A, B, x, tmp, y);
}

// The turn: a loop that is not unrolled, with one barrier in it.
// PTX-LABEL: .entry _Z7gesummv
// PTX: div.u32
// PTX: .pragma "nounroll";
// RUN: %sluice-cc %s 2>/dev/null | grep -c 'bar.sync' | FileCheck %s --check-prefix=BARRIERS
// BARRIERS: {{^}}1{{$}}
