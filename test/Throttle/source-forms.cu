// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// sluice throttle where a region is not lines of its own: variables that a call
// initialises, statements that share a line, branches, templates.
//
// RUN: %sluice-text %s -o %t.cu 2> %t.said
// RUN: FileCheck %s --input-file %t.cu
// RUN: %plain-cc %t.cu -o %t.text.ptx
// RUN: %plain-cc %s -o %t.plain.ptx
// RUN: python3 %S/Inputs/barriers.py %t.text.ptx %t.plain.ptx 5plain:1 8constant:1 7deduced:1 6parens:1 5scope:1 7oneLine:1 8branches:2 9rowsTimesIf:1 9rowsTimesId:1
//
// Text that has turns takes no more.
// RUN: %sluice-text %t.cu -o %t.again.cu 2>&1 | FileCheck %s --check-prefix=AGAIN
// RUN: diff %t.cu %t.again.cu
// AGAIN: takes turns in the source

__device__ float weigh(const float *a, const float *b) {
  float sum = 0;
  for (int j = 0; j < 512; ++j)
    sum += a[j] * b[j];
  return sum;
}

// CHECK-LABEL: {{^}}__global__ void plain(
//       CHECK:   float s;
//  CHECK-NEXT:   // sluice: warps take turns, N=4
//       CHECK:       if (sluice_group == sluice_turn) {
//  CHECK-NEXT:         s = weigh(A + i * 512, B + i * 512); // of row i
//  CHECK-NEXT:       }
//       CHECK:   y[i] = s;
__global__ void plain(const float *A, const float *B, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s =
      weigh(A + i * 512, B + i * 512); // of row i
  y[i] = s;
}

// It stays constant.
// CHECK-LABEL: {{^}}__global__ void constant(
//       CHECK:   float sluice_value;
//  CHECK-NEXT:   // sluice: warps take turns, N=4
//       CHECK:         sluice_value = weigh(A + i * 512, B + i * 512);
//       CHECK:       __syncthreads();
//  CHECK-NEXT:     }
//  CHECK-NEXT:   }
//  CHECK-NEXT:   const float s = sluice_value;
//  CHECK-NEXT:   y[i] = s;
__global__ void constant(const float *A, const float *B, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float s = weigh(A + i * 512, B + i * 512);
  y[i] = s;
}

// CHECK-LABEL: {{^}}__global__ void deduced(
//       CHECK:   float sluice_value;
//       CHECK:         sluice_value = {weigh(A + i * 512, B + i * 512)};
//       CHECK:   auto s = sluice_value;
//  CHECK-NEXT:   float t(s);
__global__ void deduced(const float *A, const float *B, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  auto s{weigh(A + i * 512, B + i * 512)}; float t(s);
  y[i] = s + t;
}

// CHECK-LABEL: {{^}}__global__ void parens(
//       CHECK:   float s;
//       CHECK:         s = (weigh(A + i * 512, B + i * 512));
__global__ void parens(const float *A, const float *B, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s(weigh(A + i * 512, B + i * 512));
  y[i] = s;
}

// The rest of the scope goes along.
// CHECK-LABEL: {{^}}__global__ void scope(
//       CHECK:       if (sluice_group == sluice_turn) {
//  CHECK-NEXT:   float s = weigh(A + i * 512, B + i * 512), t = s * 2;
//  CHECK-NEXT:   y[i] = s + t; // the end
//  CHECK-NEXT:       }
__global__ void scope(const float *A, const float *B, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = weigh(A + i * 512, B + i * 512), t = s * 2;
  y[i] = s + t; // the end
}

// CHECK-LABEL: {{^}}__global__ void oneLine(
//  CHECK-SAME: int i = threadIdx.x;{{$}}
//  CHECK-NEXT:   // sluice: warps take turns, N=4
//       CHECK:       if (sluice_group == sluice_turn) {
//  CHECK-NEXT:   y[i] = weigh(A + i * 512, B + i * 512);
//  CHECK-NEXT:       }
//  CHECK-NEXT:       __syncthreads();
//  CHECK-NEXT:     }
//  CHECK-NEXT:   }
//  CHECK-NEXT:   }
__global__ void oneLine(const float *A, const float *B, float *y) { int i = threadIdx.x; y[i] = weigh(A + i * 512, B + i * 512); }

// CHECK-LABEL: {{^}}__global__ void branches(
//       CHECK:   if (n > 3){{$}}
//  CHECK-NEXT:     // sluice: warps take turns, N=4
//       CHECK:     y[i] = weigh(A + i * 512, B + i * 512);
//       CHECK:     else y[i] = 2;
//       CHECK:   if (n > 4)
//  CHECK-NEXT:     // sluice: warps take turns, N=4
//       CHECK: #pragma unroll 4
//  CHECK-NEXT:     for (int j = 0; j < 512; ++j)
//  CHECK-NEXT:       y[i] += A[i * 512 + j] * B[i * 512 + j];
//       CHECK:   else{{$}}
//  CHECK-NEXT:     y[i] += 1;
__global__ void branches(const float *A, const float *B, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (n > 3) y[i] = weigh(A + i * 512, B + i * 512); else y[i] = 2;
  if (n > 4)
#pragma unroll 4
    for (int j = 0; j < 512; ++j)
      y[i] += A[i * 512 + j] * B[i * 512 + j];
  else
    y[i] += 1;
}

// Both instantiations want the same, so the template can have it.
// CHECK-LABEL: {{^}}__global__ void rowsTimes(
//       CHECK:   T s;
//       CHECK:         s = weigh(A + i * 512, B + i * 512) * factor;
template <class T>
__global__ void rowsTimes(const float *A, const float *B, float *y, T factor) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  T s = weigh(A + i * 512, B + i * 512) * factor;
  y[i] = s;
}

void run(const float *A, const float *B, float *y, int n) {
  plain<<<1056, 256>>>(A, B, y);
  constant<<<1056, 256>>>(A, B, y);
  deduced<<<1056, 256>>>(A, B, y);
  parens<<<1056, 256>>>(A, B, y);
  scope<<<1056, 256>>>(A, B, y);
  oneLine<<<1056, 256>>>(A, B, y);
  branches<<<1056, 256>>>(A, B, y, n);
  rowsTimes<<<1056, 256>>>(A, B, y, 2.0f);
  rowsTimes<<<1056, 256>>>(A, B, y, 2.0);
}
