// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of libdevice in the loop over a row, as of a softmax. When the plan is made they are declared
// only, and convergent as all functions that clang declares. The library shows which have no loop and no
// barrier. A slow path with a loop keeps rows from being staged.
//
// RUN: %staging-libdevice-cc %s -DSINES -Rpass=sluice-software-l1 -Rpass-missed=sluice-software-l1 2> %t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file %t.remarks
// RUN: %staging-cc %s -Rpass=sluice-software-l1 -Rpass-missed=sluice-software-l1 2>&1 | FileCheck %s --check-prefix=UNSEEN
// RUN: %same-libdevice-staged %s %t block=64 grid=2 int=200 kib=1024
//
// CHECK: .entry exponents(
// CHECK: atom.{{.*}}shared.cas.b32
// CHECK: .entry powers(
// CHECK: atom.{{.*}}shared.cas.b32
// CHECK: .entry sines(
// CHECK-NOT: shared.cas.b32
// REMARK: library.cu:31:3: remark: 2 streams of the loop are staged in shared memory
// REMARK: library.cu:39:3: remark: 2 streams of the loop are staged in shared memory
// REMARK: library.cu:48:3: remark: rows of its threads are not staged: lanes may exchange values in it, or a function that it calls may loop
// UNSEEN-NOT: {{(is|are)}} staged in shared memory

extern "C" __device__ float __nv_expf(float);
extern "C" __device__ float __nv_powf(float, float);
extern "C" __device__ float __nv_sinf(float);

extern "C" __global__ void exponents(const float *in, float *out, int n) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  const float *x = in + row * n;
  float *y = out + row * n;
  for (int j = 0; j < n; ++j)
    y[j] = __nv_expf(x[j] - 1.0f);
}

extern "C" __global__ void powers(const float *in, float *out, int n) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  const float *x = in + row * n;
  float *y = out + row * n;
  for (int j = 0; j < n; ++j)
    y[j] = __nv_powf(x[j], 2.5f);
}

#ifdef SINES // has a table, which becomes another variable
extern "C" __global__ void sines(const float *in, float *out, int n) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  const float *x = in + row * n;
  float *y = out + row * n;
  for (int j = 0; j < n; ++j)
    y[j] = __nv_sinf(x[j]);
}
#endif

void launch(const float *in, float *out, int n) {
  exponents<<<1024, 256>>>(in, out, n);
  powers<<<1024, 256>>>(in, out, n);
#ifdef SINES
  sines<<<1024, 256>>>(in, out, n);
#endif
}
