// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A pitch in a struct that the kernel takes by value is tested as one that is a
// parameter (only-if.cu). Of which structs, and in which code.
//
// RUN: %throttle-cc %s %remarks -Wall -Wextra -o %t.ptx 2>&1 | FileCheck %s --implicit-check-not=warning:
// RUN: FileCheck %s --check-prefix=PTX --input-file %t.ptx
// RUN: %plain-cc %s -o %t.plain.ptx
// RUN: python3 %S/Inputs/barriers.py %t.ptx %t.plain.ptx 5plain:1 6nested:1 10asUnsigned:1 7asShort:1 6second:1 4both:1 6copied:1 7doubled:1 7byValue:1 6closed:1 10gridStride:1 7anyGrid:1 5plane:1 6extent:1 6byCall:1 10byOperator:1 11byReference:1 8widening:same 7handing:same 7pointed:same 7viaThis:same 9recursive:same 5ofAllIf:1 7changed:same 10otherField:same 6passed:same 5whole:same 6asBits:same 6asBool:same 7inUnion:same 6inBase:same 7inArray:same 10asVolatile:same
// RUN: %same-results %s %t -fplugin-arg-sluice-promote=off skip=widening,handing,pointed,viaThis,recursive,passed,whole,changed,otherField,asBits,asBool,inUnion,inBase,inArray,asVolatile

// A plan has the fields by their numbers, and does the same when it is given back;
// names are not needed.
// RUN: %throttle-cc %s -fplugin-arg-sluice-emit-plan=%t.plan.yaml -o /dev/null
// RUN: FileCheck %s --check-prefix=PLAN --input-file %t.plan.yaml
// RUN: sed 's/, name: [a-z.]*//' %t.plan.yaml > %t.nameless.yaml
// RUN: %throttle-cc %s -fplugin-arg-sluice-plan=%t.nameless.yaml -o - | diff - %t.ptx
// RUN: sed 's/name: w.cols/name: v.cols/' %t.plan.yaml > %t.other.yaml
// RUN: %throttle-cc %s -fplugin-arg-sluice-plan=%t.other.yaml %remarks -o /dev/null 2>&1 | FileCheck %s --check-prefix=OTHER
// PLAN: second
// PLAN: - { argument: 8, name: w.cols, at-least: 32 }
// OTHER: remark: loop of 'second' not throttled: {{.*}}: argument 8 is 'w.cols' and not 'v.cols'

#define ROW const int i = blockIdx.x * blockDim.x + threadIdx.x;
#define SUM(V, PITCH)                                                          \
  for (int j = 0; j < 512; ++j)                                                \
    y[i] += V.A[i * PITCH + j] * V.B[i * PITCH + j];

struct View {
  const float *A, *B;
  int rows, cols;
};

// CHECK: remark: loop of 'plain' throttled, N=4 if v.cols >= 32: footprint 532480 B (8 blocks of 520 lines) is beyond the L1 of 229376 B; with N=4 it is 133120 B (
// PTX-LABEL: .entry _Z5plain
// PTX: ld.param.b32 %[[N:r[0-9]+]], [_Z5plain{{.*}}_param_0+20];
// PTX-DAG: setp.{{lt|gt|ge}}.s32 {{.*}}%[[N]], {{31|32}};
// PTX: bar.sync
__global__ void plain(View v, float *y) {
  ROW
  SUM(v, v.cols)
}

struct Image {
  char depth;
  struct Planes {
    const float *A, *B;
  } planes;
  struct {
    unsigned char unused;
    unsigned cols;
  } size;
};
// CHECK: remark: loop of 'nested' throttled, N=4 if image.size.cols >= 32:
// PTX-LABEL: .entry _Z6nested
// PTX: ld.param.b32 %[[N:r[0-9]+]], [_Z6nested{{.*}}_param_0+28];
// PTX-DAG: setp.{{lt|gt|ge}}.u32 {{.*}}%[[N]], {{31|32}};
// PTX: bar.sync
__global__ void nested(Image image, float *y) {
  ROW
  SUM(image.planes, image.size.cols)
}

template <class T> struct ViewOf {
  const float *A, *B;
  T cols;
};
// CHECK: remark: loop of 'asUnsigned' throttled, N=4 if v.cols >= 32:
// PTX-LABEL: .entry _Z10asUnsigned
// PTX: setp.{{lt|gt|ge}}.u64 {{.*}}, {{31|32}};
// PTX: bar.sync
__global__ void asUnsigned(ViewOf<unsigned long> v, float *y) {
  ROW
  SUM(v, v.cols)
}

// CHECK: remark: loop of 'asShort' throttled, N=4 if v.cols >= 32:
// PTX-LABEL: .entry _Z7asShort
// PTX: setp.{{lt|gt|ge}}.s16 {{.*}}, {{31|32}};
// PTX: bar.sync
__global__ void asShort(ViewOf<short> v, float *y) {
  ROW
  SUM(v, v.cols)
}

// Not the first of its kind, and parameters around it.
// CHECK: remark: loop of 'second' throttled, N=4 if w.cols >= 32:
// PTX-LABEL: .entry _Z6second
// PTX: ld.param.b32 %[[N:r[0-9]+]], [_Z6second{{.*}}_param_3+20];
// PTX-DAG: setp.{{lt|gt|ge}}.s32 {{.*}}%[[N]], {{31|32}};
// PTX: bar.sync
__global__ void second(int scale, View v, float *y, const View w, int more) {
  ROW
  y[i] += float(v.cols * scale + more);
  SUM(w, w.cols)
}

// CHECK: remark: loop of 'both' throttled, N=4 if n >= 32 and v.cols >= 32:
__global__ void both(View v, float *y, int n) {
  ROW
  for (int j = 0; j < 512; ++j)
    y[i] += v.A[i * n + j] * v.B[i * v.cols + j];
}

// CHECK: remark: loop of 'copied' throttled, N=4 if v.cols >= 32:
__global__ void copied(View v, float *y) {
  ROW
  const View w = v;
  SUM(w, w.cols)
}

// The copy is changed, and the field is not.
// CHECK: remark: loop of 'doubled' throttled, N=4 if v.cols >= 16:
__global__ void doubled(View v, float *y) {
  ROW
  View w = v;
  w.cols *= 2;
  SUM(w, w.cols)
}

__device__ void addRow(View w, int i, float *y) { SUM(w, w.cols) }
// CHECK: remark: loop of 'byValue' (only-if-fields.cu:{{.*}} inlined at {{.*}}) throttled, N=4 if v.cols >= 32:
__global__ void byValue(View v, float *y) {
  ROW
  addRow(v, i, y);
}

// The test is Sluice's and not the source's.
class Closed {
  const float *A, *B;
  int cols;
  friend __global__ void closed(Closed v, float *y);
};
// CHECK: remark: loop of 'closed' throttled, N=4 if v.cols >= 32:
__global__ void closed(Closed v, float *y) {
  ROW
  SUM(v, v.cols)
}

// CHECK: remark: loop of 'gridStride' throttled, N=4 if v.cols >= 32:
__global__ void gridStride(View v, float *y) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < v.rows;
       i += gridDim.x * blockDim.x)
    SUM(v, v.cols)
}

// CHECK: remark: loop of 'anyGrid' throttled, N by launch (256 threads: N=2 from {{.*}} blocks, N=4 from {{.*}} blocks) if v.cols >= 32:
__global__ void anyGrid(View v, float *y) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < v.rows;
       i += gridDim.x * blockDim.x)
    SUM(v, v.cols)
}

// By the number of the thread in a block of two dimensions.
// CHECK: remark: loop of 'plane' throttled, N=4 if v.cols >= 32:
__global__ void plane(View v, float *y) {
  const int i = (blockIdx.x * blockDim.y + threadIdx.y) * blockDim.x +
                threadIdx.x;
  SUM(v, v.cols)
}

// CHECK: remark: loop of 'extent' throttled, N=4 if size.x >= 32:
__global__ void extent(View v, dim3 size, float *y) {
  ROW
  SUM(v, size.x)
}

// What calls with the struct only read.
struct Matrix {
  const float *A, *B;
  int rows, cols;
  __device__ int pitch() const { return cols; }
  __device__ float a(int i, int j) const { return A[i * pitch() + j]; }
  __device__ const float &b(int i, int j) const { return B[i * cols + j]; }
  __device__ float operator()(int i, int j) const { return a(i, j) * b(i, j); }

  __device__ int widen(int by) const {
    const_cast<Matrix *>(this)->cols += by;
    return cols;
  }
  __device__ int &width() { return cols; }
  __device__ const int *where() const { return &cols; }
  __device__ void grow() { rows = ++cols; }
  __device__ int grown() { return this->grow(), rows; }
  __device__ int wait(int n) const { return n ? wait(n - 1) : cols; }
};
// CHECK: remark: loop of 'byCall' {{.*}}throttled, N=4 if v.cols >= 32:
__global__ void byCall(Matrix v, float *y) {
  ROW
  for (int j = 0; j < 512; ++j)
    y[i] += v.a(i, j) * v.b(i, j);
}

// CHECK: remark: loop of 'byOperator' {{.*}}throttled, N=4 if v.cols >= 32:
__global__ void byOperator(Matrix v, float *y) {
  ROW
  for (int j = 0; j < 512; ++j)
    y[i] += v(i, j);
}

__device__ void addRow(const Matrix &w, const int &i, float *y) {
  for (int j = 0; j < 512; ++j)
    y[i] += w(i, j);
}
// CHECK: remark: loop of 'byReference' {{.*}}throttled, N=4 if v.cols >= 32:
__global__ void byReference(Matrix v, float *y) {
  ROW
  addRow(v, i, y);
}

// CHECK: remark: loop of 'widening' not throttled: the footprint is unknown: the distance
__global__ void widening(Matrix v, float *y) {
  ROW
  SUM(v, v.cols)
  y[i] += float(v.widen(i));
}

// CHECK: remark: loop of 'handing' not throttled: the footprint is unknown: the distance
__global__ void handing(Matrix v, float *y) {
  ROW
  SUM(v, v.cols)
  v.width() = i;
  y[i] += float(v.cols);
}

// CHECK: remark: loop of 'pointed' not throttled: the footprint is unknown: the distance
__global__ void pointed(Matrix v, float *y) {
  ROW
  SUM(v, v.cols)
  y[i] += float(*v.where());
}

// CHECK: remark: loop of 'viaThis' not throttled: the footprint is unknown: the distance
__global__ void viaThis(Matrix v, float *y) {
  ROW
  SUM(v, v.cols)
  y[i] += float(v.grown());
}

// CHECK: remark: loop of 'recursive' not throttled: the footprint is unknown: the distance
__global__ void recursive(Matrix v, float *y) {
  ROW
  SUM(v, v.cols)
  y[i] += float(v.wait(i));
}

// CHECK: remark: loop of 'changed' not throttled: the footprint is unknown: the distance between the threads of a warp is not known at compile time
__global__ void changed(View v, float *y) {
  ROW
  v.cols *= 2;
  SUM(v, v.cols)
}

// Another field of it is written: the struct is not told apart.
// CHECK: remark: loop of 'otherField' not throttled: the footprint is unknown: the distance
__global__ void otherField(View v, float *y) {
  ROW
  SUM(v, v.cols)
  v.rows = i;
  y[i] += float(v.rows);
}

__device__ void widen(View &v) { v.cols += v.rows; }
// CHECK: remark: loop of 'passed' not throttled: the footprint is unknown: the distance
__global__ void passed(View v, float *y) {
  ROW
  SUM(v, v.cols)
  widen(v);
  y[i] += float(v.cols);
}

// CHECK: remark: loop of 'whole' not throttled: the footprint is unknown: the distance
__global__ void whole(View v, View w, float *y) {
  ROW
  if (i % 2)
    v = w;
  SUM(v, v.cols)
}

struct Bits {
  const float *A, *B;
  unsigned rows : 16, cols : 16;
};
// CHECK: remark: loop of 'asBits' not throttled: {{.*}}the distance
__global__ void asBits(Bits v, float *y) {
  ROW
  SUM(v, v.cols)
}

// CHECK: remark: loop of 'asBool' not throttled: {{.*}}the distance
__global__ void asBool(ViewOf<bool> v, float *y) {
  ROW
  SUM(v, v.cols)
}

struct Union {
  const float *A, *B;
  union {
    int cols;
    float weight;
  } size;
};
// CHECK: remark: loop of 'inUnion' not throttled: {{.*}}the distance
__global__ void inUnion(Union v, float *y) {
  ROW
  SUM(v, v.size.cols)
}

struct Derived : View {
  int more;
};
// CHECK: remark: loop of 'inBase' not throttled: {{.*}}the distance
__global__ void inBase(Derived v, float *y) {
  ROW
  SUM(v, v.cols)
}

struct Sizes {
  const float *A, *B;
  int sizes[2];
};
// CHECK: remark: loop of 'inArray' not throttled: {{.*}}the distance
__global__ void inArray(Sizes v, float *y) {
  ROW
  SUM(v, v.sizes[1])
}

// CHECK: remark: loop of 'asVolatile' not throttled: {{.*}}the distance
__global__ void asVolatile(ViewOf<volatile int> v, float *y) {
  ROW
  const int cols = v.cols;
  SUM(v, cols)
}

// CHECK: remark: loop of 'ofAll<float>' throttled, N=4 if v.cols >= 32:
template <class T> __global__ void ofAll(ViewOf<int> v, T *y) {
  ROW
  SUM(v, v.cols)
}

void run(View v, float *y, int n, Closed c) {
  plain<<<1056, 256>>>(v, y);
  nested<<<1056, 256>>>(Image{0, {v.A, v.B}, {0, 512}}, y);
  asUnsigned<<<1056, 256>>>({v.A, v.B, 512}, y);
  asShort<<<1056, 256>>>({v.A, v.B, 512}, y);
  second<<<1056, 256>>>(n, v, y, v, n);
  both<<<1056, 256>>>(v, y, n);
  copied<<<1056, 256>>>(v, y);
  doubled<<<1056, 256>>>(v, y);
  byValue<<<1056, 256>>>(v, y);
  closed<<<1056, 256>>>(c, y);
  gridStride<<<1056, 256>>>(v, y);
  anyGrid<<<n, 256>>>(v, y);
  plane<<<1056, dim3(32, 8)>>>(v, y);
  const Matrix m = {v.A, v.B, 512, 512};
  byCall<<<1056, 256>>>(m, y);
  byOperator<<<1056, 256>>>(m, y);
  byReference<<<1056, 256>>>(m, y);
  widening<<<1056, 256>>>(m, y);
  handing<<<1056, 256>>>(m, y);
  pointed<<<1056, 256>>>(m, y);
  viaThis<<<1056, 256>>>(m, y);
  recursive<<<1056, 256>>>(m, y);
  extent<<<1056, 256>>>(v, dim3(512), y);
  ofAll<<<1056, 256>>>({v.A, v.B, 512}, y);
  changed<<<1056, 256>>>(v, y);
  otherField<<<1056, 256>>>(v, y);
  passed<<<1056, 256>>>(v, y);
  whole<<<1056, 256>>>(v, v, y);
  asBits<<<1056, 256>>>({v.A, v.B, 512, 512}, y);
  asBool<<<1056, 256>>>({v.A, v.B, true}, y);
  inUnion<<<1056, 256>>>({v.A, v.B, {512}}, y);
  inBase<<<1056, 256>>>({v, 1}, y);
  inArray<<<1056, 256>>>({v.A, v.B, {512, 512}}, y);
  asVolatile<<<1056, 256>>>({v.A, v.B, 512}, y);
}
