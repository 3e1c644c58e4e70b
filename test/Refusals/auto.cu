// The same refusal when the model, not the user, wants the turns: the remark has
// the footprint that made it want them. Thread blocks are limited instead, which
// adds a record for the host and changes no code.
//
// RUN: %sluice-cc %s %remarks 2>&1 | FileCheck %s
// CHECK: auto.cu:{{.*}} remark: thread blocks of 'k' limited to M=4 of 8: claim of 1024 B with a carveout of 1 %: footprint
// RUN: %plain-cc %s > %t.plain
// RUN: %sluice-cc %s 2>/dev/null | grep -v __sluice_host | diff %t.plain -

__global__ void k(const float *A, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK: auto.cu:[[@LINE+1]]:3: remark: loop of 'k' not throttled: N={{[0-9]+}} is wanted (footprint {{[0-9]+}} B {{.*}}), but the region at auto.cu:[[@LINE+1]]:3 contains a block barrier at auto.cu:[[@LINE+3]]:5
  for (int j = 0; j < 512; ++j) {
    y[i] += A[i * 512 + j] + A[i * 512 + j + 40000000];
    __syncthreads();
  }
}

void run(const float *A, float *y) { k<<<132 * 8, 256>>>(A, y); }
