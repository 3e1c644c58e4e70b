// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// sluice throttle: the tests of arguments as text, and where there can be none.
//
// RUN: %sluice-text %s -Wall -Wextra -o %t.cu 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=TEXT --input-file %t.cu --match-full-lines --strict-whitespace
// RUN: %plain-cc %t.cu -Wall -Wextra -Werror -o %t.text.ptx
// RUN: %plain-cc %s -o %t.plain.ptx
// RUN: python3 %S/Inputs/barriers.py %t.text.ptx %t.plain.ptx 3one:1 4both:1 7anyGrid:1 8shadowed:same 7binding:same 7inMacro:same 6packed:same 5ofAllIf:same 5ofAllIs:same 5alikeIf:1 5alikeIi:1 5field:1 7ofClass:same 9fieldName:same 7pitchOfIf:1

// CHECK: remark: loop of 'one' throttled, N=4 if n >= 32: footprint
//      TEXT:__global__ void one(const float *A, const float *B, float *y, int n) {
// TEXT-NEXT:  int i = blockIdx.x * blockDim.x + threadIdx.x;
// TEXT-NEXT:  // sluice: warps take turns, N=4 if n >= 32: footprint 532480 B (8 blocks of 520 lines) is beyond the L1 of 229376 B
// TEXT-NEXT:  {
// TEXT-NEXT:    const unsigned sluice_groups = n < 32 ? 1 : 4;
// TEXT-NEXT:    const unsigned sluice_thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
// TEXT-NEXT:    const unsigned sluice_threads = blockDim.x * blockDim.y * blockDim.z;
// TEXT-NEXT:    const unsigned sluice_group = sluice_thread / 32 / ((sluice_threads + 32 * sluice_groups - 1) / (32 * sluice_groups));
// TEXT-NEXT:#pragma unroll 1
// TEXT-NEXT:    for (unsigned sluice_turn = 0; sluice_turn < sluice_groups; ++sluice_turn) {
// TEXT-NEXT:      if (sluice_group == sluice_turn) {
// TEXT-NEXT:  for (int j = 0; j < n; ++j)
// TEXT-NEXT:    y[i] += A[i * n + j] * B[i * n + j];
// TEXT-NEXT:      }
// TEXT-NEXT:      if (sluice_groups > 1)
// TEXT-NEXT:        __syncthreads();
// TEXT-NEXT:    }
// TEXT-NEXT:  }
// TEXT-NEXT:}
__global__ void one(const float *A, const float *B, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < n; ++j)
    y[i] += A[i * n + j] * B[i * n + j];
}

// CHECK: remark: loop of 'both' throttled, N=4 if n >= 32 and m >= 32: footprint
// TEXT:    const unsigned sluice_groups = n < 32 || m < 32 ? 1 : 4;
__global__ void both(const float *A, const float *B, float *y, unsigned n,
                     long m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (unsigned j = 0; j < n; ++j)
    y[i] += A[i * n + j] * B[i * m + j];
}

// CHECK: remark: loop of 'anyGrid' throttled, N by launch (256 threads: N=2 from 397 blocks, N=4 from 793 blocks) if n >= 32: footprint
//      TEXT:  // sluice: warps take turns, N by launch (256 threads: N=2 from 397 blocks, N=4 from 793 blocks) if n >= 32: footprint {{.*}}
// TEXT-NEXT:  {
// TEXT-NEXT:    const unsigned long long sluice_blocks = 1ull * gridDim.x * gridDim.y * gridDim.z;
// TEXT-NEXT:    const unsigned sluice_groups =
// TEXT-NEXT:        n < 32
// TEXT-NEXT:          ? 1
// TEXT-NEXT:        : blockDim.x == 256 && blockDim.y == 1 && blockDim.z == 1
// TEXT-NEXT:          ? (sluice_blocks < 397 ? 1 : sluice_blocks < 793 ? 2 : 4)
// TEXT-NEXT:        : 1;
__global__ void anyGrid(const float *A, const float *B, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < n; ++j)
    y[i] += A[i * n + j] * B[i * n + j];
}

// In the text n would be another variable. (In a compile it is the parameter.)
// CHECK: warning: loop of 'shadowed' not throttled: N=4 if n >= 32 is planned, but the region at only-if-source.cu:[[@LINE+5]]:5 is in a kernel where 'n' is also another name than that of the parameter
__global__ void shadowed(const float *A, const float *B, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int pitch = n;
  for (int n = 0; n < 2; ++n)
    for (int j = 0; j < pitch; ++j)
      y[i] += A[i * pitch + j] * B[i * pitch + j] * n;
}

struct Two {
  int n, m;
};
// CHECK: warning: loop of 'binding' not throttled: N=4 if n >= 32 is planned, but the region at only-if-source.cu:[[@LINE+6]]:5 is in a kernel where 'n' is also another name than that of the parameter
__global__ void binding(const float *A, const float *B, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int pitch = n;
  {
    auto [n, m] = Two{2, 3};
    for (int j = 0; j < 512; ++j)
      y[i] += A[i * pitch + j] * B[i * pitch + j] * n * m;
  }
}

// CHECK: warning: loop of 'inMacro' not throttled: N=4 if n >= 32 is planned, but the region at only-if-source.cu:[[@LINE+4]]:3 is in a kernel where 'n' is also another name than that of the parameter
__global__ void inMacro(const float *A, const float *B, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
#define n (n)
  for (int j = 0; j < 512; ++j)
    y[i] += A[i * n + j] * B[i * n + j];
}
#undef n

struct View {
  const float *A, *B;
  struct {
    int rows, cols;
  } size;
};
// CHECK: remark: loop of 'field' throttled, N=4 if v.size.cols >= 32: footprint
// TEXT:    const unsigned sluice_groups = v.size.cols < 32 ? 1 : 4;
__global__ void field(View v, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < v.size.cols; ++j)
    y[i] += v.A[i * v.size.cols + j] * v.B[i * v.size.cols + j];
}

class Closed {
  const float *A, *B;
  int cols;
  friend void __global__ ofClass(Closed v, float *y);
};
// CHECK: warning: loop of 'ofClass' not throttled: N=4 if v.cols >= 32 is planned, but the region at only-if-source.cu:[[@LINE+3]]:3 is in a kernel that may not name 'cols', which is not public
__global__ void ofClass(Closed v, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < v.cols; ++j)
    y[i] += v.A[i * v.cols + j] * v.B[i * v.cols + j];
}

// CHECK: warning: loop of 'fieldName' not throttled: N=4 if v.size.cols >= 32 is planned, but the region at only-if-source.cu:[[@LINE+5]]:3 is where 'cols' is a macro
__global__ void fieldName(View v, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int pitch = v.size.cols;
#define cols rows
  for (int j = 0; j < pitch; ++j)
    y[i] += v.A[i * pitch + j] * v.B[i * pitch + j];
}
#undef cols

// What is in a pack has no name of its own.
// CHECK: warning: loop of 'packed<int>' not throttled: N=4 if n >= 32 is planned, but the region at only-if-source.cu:[[@LINE+5]]:3 is in a kernel whose parameter is one of the pack 'n'
template <class... T>
__global__ void packed(const float *A, const float *B, float *y, T... n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int pitch = (n + ...);
  for (int j = 0; j < 512; ++j)
    y[i] += A[i * pitch + j] * B[i * pitch + j];
}

// A float's row is a line from 32 on, a short's from 64.
// CHECK: warning: loop of 'ofAll<float>' not throttled: N=4 if n >= 32 is planned, but the template has one text, and its instantiations want different turns
// CHECK: warning: loop of 'ofAll<short>' not throttled: N=4 if n >= 64 is planned, but the template has one text, and its instantiations want different turns
template <class T>
__global__ void ofAll(const T *A, const T *B, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < n; ++j)
    y[i] += A[i * n + j] * B[i * n + j];
}

// CHECK: remark: loop of 'alike<float>' throttled, N=4 if n >= 32:
// CHECK: remark: loop of 'alike<int>' throttled, N=4 if n >= 32:
// TEXT:    const unsigned sluice_groups = n < 32 ? 1 : 4;
template <class T>
__global__ void alike(const T *A, const T *B, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < n; ++j)
    y[i] += A[i * n + j] * B[i * n + j];
}

template <class T> struct ViewOf {
  const T *A, *B;
  int cols;
};
// CHECK: remark: loop of 'pitchOf<float>' throttled, N=4 if v.cols >= 32: footprint
// TEXT:    const unsigned sluice_groups = v.cols < 32 ? 1 : 4;
template <class T> __global__ void pitchOf(ViewOf<T> v, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < v.cols; ++j)
    y[i] += v.A[i * v.cols + j] * v.B[i * v.cols + j];
}

void run(const float *A, const float *B, const short *D, const int *C,
         float *y, int size, View v, Closed c, ViewOf<float> f) {
  one<<<1056, 256>>>(A, B, y, size);
  both<<<1056, 256>>>(A, B, y, size, size);
  anyGrid<<<size, 256>>>(A, B, y, size);
  shadowed<<<1056, 256>>>(A, B, y, size);
  binding<<<1056, 256>>>(A, B, y, size);
  inMacro<<<1056, 256>>>(A, B, y, size);
  packed<<<1056, 256>>>(A, B, y, size);
  ofAll<<<1056, 256>>>(A, B, y, size);
  ofAll<<<1056, 256>>>(D, D, y, size);
  alike<<<1056, 256>>>(A, B, y, size);
  alike<<<1056, 256>>>(C, C, y, size);
  field<<<1056, 256>>>(v, y);
  ofClass<<<1056, 256>>>(c, y);
  fieldName<<<1056, 256>>>(v, y);
  pitchOf<<<1056, 256>>>(f, y);
}
