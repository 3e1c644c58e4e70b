// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// shared-spills=own: values that wait for a use behind a loop that needs all registers are in shared memory meanwhile. Other
// blocks than those that are known run the code as it was.
//
// RUN: %sluice-cc %s -fplugin-arg-sluice-registers=32 -fplugin-arg-sluice-shared-spills=own -Rpass=sluice-register -Rpass-missed=sluice-register -o %t.ptx 2> %t.remarks
// RUN: FileCheck %s < %t.ptx
// RUN: FileCheck %s --check-prefix=REMARK --input-file %t.remarks
// RUN: %sluice-cc %s -fplugin-arg-sluice-registers=32 -fplugin-arg-sluice-shared-spills=off | FileCheck %s --check-prefix=NONE
// RUN: %sluice-cc %s -fplugin-arg-sluice-registers=32 | FileCheck %s --check-prefix=AUTO
//
// Blocks as they are known, others, and of another shape.
// RUN: %same-results %s %t -fplugin-arg-sluice-registers=32 -fplugin-arg-sluice-shared-spills=own skip=withasm,sizes int=3 block=128 grid=2 shared=1024 -ffp-contract=fast
// RUN: %same-results %s %t -fplugin-arg-sluice-registers=32 -fplugin-arg-sluice-shared-spills=own skip=withasm,sizes,bounded int=3 block=160 shared=1024
// RUN: %same-results %s %t -fplugin-arg-sluice-registers=32 -fplugin-arg-sluice-shared-spills=own skip=withasm,sizes,dynamic int=3 block=5x7x2 shared=1024
// A slot of another thread is seen.
// RUN: %same-results %s %t -fplugin-arg-sluice-registers=32 -fplugin-arg-sluice-shared-spills=own -fplugin-arg-sluice-test-wrong-rewrite=others-slot skip=withasm,sizes int=3 block=128 grid=3 shared=1024 expect=different
//
// By default only where Sluice is what limits registers.
// AUTO: .entry line(
// AUTO: st.volatile.shared.b32
// AUTO: .entry bounded(
// AUTO-NOT: .volatile.shared
// AUTO: .entry
//
// CHECK: .entry line(
// CHECK: .maxnreg 32
// CHECK: .shared .align 16 .b8 __sluice_slots_$_line[
// CHECK-DAG: %ntid.x
// CHECK-DAG: %ntid.y
// CHECK-DAG: %ntid.z
// CHECK: st.volatile.shared.b32
// CHECK: ld.volatile.shared.b32
// CHECK: .entry square(
// CHECK: st.volatile.shared.b32
// CHECK: .entry bounded(
// CHECK: .maxntid 128
// CHECK-NOT: %ntid.z
// CHECK: st.volatile.shared.b32
// CHECK: .entry dynamic(
// CHECK: st.volatile.shared.b32
// CHECK: .entry wide(
// CHECK: st.volatile.shared.b64
// CHECK: .entry withasm(
// CHECK-NOT: .volatile
// CHECK: .entry sizes(
// CHECK-NOT: .volatile
// CHECK: .entry unknown(
// CHECK-NOT: .volatile
// NONE: .entry line(
// NONE-NOT: .volatile
// REMARK-DAG: remark: [[#]] values of a thread wait in [[#]] bytes of shared memory, with [[#]] accesses, and [[#]] bytes are spilled to local memory in place of [[#]]
// REMARK-DAG: remark: what a thread spills goes to local memory: it has inline assembly
// REMARK-DAG: remark: what a thread spills goes to local memory: it reads how much shared memory it has
// REMARK-DAG: remark: what a thread spills goes to local memory: no launch of it is in this file

#define BODY(T, N)                                                             \
  T a[N], b[N];                                                                \
  int t = threadIdx.x + 17 * threadIdx.y + 131 * threadIdx.z + 400 * blockIdx.x; \
  _Pragma("unroll") for (int i = 0; i < N; ++i) a[i] = p[t + i * 8];           \
  _Pragma("unroll") for (int i = 0; i < N; ++i) b[i] = a[i] * 3;               \
  for (int k = 0; k < n; ++k)                                                  \
    _Pragma("unroll") for (int i = 0; i < N; ++i) b[i] =                       \
        b[i] * b[(i * 7 + 3) % N] + b[(i + 1) % N];                            \
  T sum = 0;                                                                   \
  _Pragma("unroll") for (int i = 0; i < N; ++i) sum += a[i] * b[i];            \
  q[t] = sum;

extern "C" __global__ void line(float *p, float *q, int n) { BODY(float, 22) }
extern "C" __global__ void square(int *p, int *q, int n) { BODY(int, 22) }
extern "C" __global__ void __launch_bounds__(128, 16) bounded(float *p, float *q, int n) { BODY(float, 22) }
extern "C" __global__ void dynamic(float *p, float *q, int n) {
  extern __shared__ float s[];
  s[threadIdx.x] = p[threadIdx.x];
  __syncthreads();
  BODY(float, 22)
  q[t] += s[threadIdx.x ^ 1];
}
extern "C" __global__ void wide(double *p, double *q, int n) { BODY(double, 10) }
extern "C" __global__ void withasm(float *p, float *q, int n) {
  asm volatile("// once");
  BODY(float, 22)
}
__device__ int totalSize() asm("llvm.nvvm.read.ptx.sreg.total_smem_size");
extern "C" __global__ void sizes(float *p, float *q, int n) {
  BODY(float, 22)
  q[t] += totalSize();
}
extern "C" __global__ void unknown(float *p, float *q, int n) { BODY(float, 22) }

void launch(float *p, int *i, double *d, int n) {
  line<<<1000, 128>>>(p, p + 100000, n);
  square<<<1000, dim3(16, 8)>>>(i, i + 100000, n);
  bounded<<<1000, 128>>>(p, p + 100000, n);
  dynamic<<<1000, 128, 1024>>>(p, p + 100000, n);
  wide<<<1000, 128>>>(d, d + 100000, n);
  withasm<<<1000, 128>>>(p, p + 100000, n);
  sizes<<<1000, 128>>>(p, p + 100000, n);
}
