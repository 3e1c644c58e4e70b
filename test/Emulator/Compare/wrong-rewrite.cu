// Equal results are worth something only if wrong ones are noticed: here the
// last turn of the throttled loop is left out on purpose.
//
// RUN: %same-results %s %t -fplugin-arg-sluice-promote=off
// RUN: %same-results %s %t -fplugin-arg-sluice-promote=off expect=different -fplugin-arg-sluice-test-wrong-rewrite=skip-turn 2>&1 | FileCheck %s
// RUN: not %same-results %s %t -fplugin-arg-sluice-promote=off -fplugin-arg-sluice-test-wrong-rewrite=skip-turn
// RUN: not %same-results %s %t -fplugin-arg-sluice-promote=off -fplugin-arg-sluice-throttle=off 2>&1 | FileCheck %s --check-prefix=NOTHING

// CHECK: difference: b1 differs in {{[0-9]+}} of 2097152 bytes, first at byte 512:
// NOTHING: nothing was transformed, so equal results say nothing

__global__ void rows(const float *A, float *sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < 512; ++j)
    sums[i] += A[i * 512 + j] * A[j];
}

void run(const float *A, float *sums) { rows<<<1056, 256>>>(A, sums); }
