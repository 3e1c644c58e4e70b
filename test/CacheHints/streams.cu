// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Without a profile: streams beside an indirect load bypass the L1, and nothing
// else does. All else stays to the letter.
//
// RUN: %sluice-cc -fplugin-arg-sluice-fewer-instructions=off %s -Rpass=sluice-cache-hints -Rpass-analysis=sluice-cache-hints -o %t.ptx 2>&1 | FileCheck %s --implicit-check-not=remark:
// RUN: FileCheck %s --check-prefix=PTX < %t.ptx
// RUN: %plain-cc %s > %t.plain
// RUN: %sluice-cc -fplugin-arg-sluice-fewer-instructions=off %s -fplugin-arg-sluice-transforms=off -o - | diff - %t.plain
// RUN: sed 's/\.L1::no_allocate//' %t.ptx | grep -v 'inline asm' | diff - %t.plain
//
// A given plan has hints of its own, and nothing is said of others.
// RUN: echo '{sluice-plan: 4, gpu: sm_90, kernels: [{name: _Z7ellpackPKfPKiS0_Pfi, loads: [{load: "streams.cu:27:12", hint: cs}]}]}' > %t.yaml
// RUN: %sluice-cc -fplugin-arg-sluice-fewer-instructions=off %s -fplugin-arg-sluice-plan=%t.yaml -Rpass=sluice-cache-hints -Rpass-analysis=sluice-cache-hints -o /dev/null 2>&1 | FileCheck %s --check-prefix=GIVEN --implicit-check-not=bypass
// GIVEN: streams.cu:27:12: remark: the load's cache hint is cs
//
// CHECK: streams.cu:[[@LINE+4]]:17: remark: 2 loads that no thread reads twice bypass the L1 for the sake of indirect loads
// CHECK-DAG: streams.cu:[[@LINE+9]]:12: remark: the load's cache hint is L1::no_allocate
// CHECK-DAG: streams.cu:[[@LINE+8]]:32: remark: the load's cache hint is L1::no_allocate
// PTX-LABEL: .entry _Z7ellpack
__global__ void ellpack(const float *data, const int *indices, const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float sum = 0;
  for (int k = 0; k < 16; ++k)
    sum += data[k * n + i] * x[indices[k * n + i] & 1023];
  y[i] = sum;
}

// The same data for all iterations, and rows.
// PTX-LABEL: .entry _Z4rows
// PTX-NOT: no_allocate
__global__ void rows(const float *data, const int *indices, const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; ++k)
    sum += data[i] * x[indices[i * n + k] & 1023];
  y[i] = sum;
}

// Nothing indirect.
__global__ void dense(const float *data, const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; ++k)
    sum += data[k * n + i] * x[k];
  y[i] = sum;
}
