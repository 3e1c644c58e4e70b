// What only looks constant must not be taken for it: none of these launches has
// a block whose size is known.
//
// RUN: %throttle-cc %s %remarks -o %t.ptx 2>&1 | FileCheck %s --implicit-check-not="throttled, N=4"

#define BODY                                                                   \
  (const float *A, const float *B, float *sums) {                              \
    int i = blockIdx.x * blockDim.x + threadIdx.x;                             \
    for (int j = 0; j < 512; ++j)                                              \
      sums[i] += A[i * 512 + j] * B[i * 512 + j];                              \
  }
// A block of any size has a table, N by the number of warps; with one more
// launch of which nothing is known there is no answer.
// CHECK: 'inBranch' throttled, N by launch ({{.*}}1024 threads
__global__ void inBranch BODY
// CHECK: 'inNextTurn' throttled, N by launch ({{.*}}1024 threads
__global__ void inNextTurn BODY
// CHECK: 'jumped' throttled, N by launch ({{.*}}1024 threads
__global__ void jumped BODY
// CHECK: 'inCase' throttled, N by launch ({{.*}}1024 threads
__global__ void inCase BODY
// CHECK: 'inLambda' throttled, N by launch ({{.*}}1024 threads
__global__ void inLambda BODY
// CHECK: 'mutableCopy' throttled, N by launch ({{.*}}1024 threads
__global__ void mutableCopy BODY
// CHECK: 'reference' throttled, N by launch ({{.*}}1024 threads
__global__ void reference BODY
// CHECK: 'address' throttled, N by launch ({{.*}}1024 threads
__global__ void address BODY
// CHECK: 'global' throttled, N by launch ({{.*}}1024 threads
__global__ void global BODY
// CHECK: 'visible' throttled, N by launch ({{.*}}1024 threads
__global__ void visible BODY
// CHECK: 'twoCalls' throttled, N by launch ({{.*}}1024 threads
__global__ void twoCalls BODY
// CHECK: 'byPointer' throttled, N by launch ({{.*}}1024 threads
__global__ void byPointer BODY
// CHECK: 'recursive' throttled, N by launch ({{.*}}1024 threads
__global__ void recursive BODY
// CHECK: 'virtualCall' throttled, N by launch ({{.*}}1024 threads
__global__ void virtualCall BODY
// CHECK: 'outerArgument' throttled, N by launch ({{.*}}1024 threads
__global__ void outerArgument BODY
// CHECK: 'otherStruct' throttled, N by launch ({{.*}}1024 threads
__global__ void otherStruct BODY
// CHECK: 'config' not throttled: {{.*}} has a block size and dynamic shared memory that are not known
__global__ void config BODY
// CHECK: 'noField' not throttled: {{.*}} has dynamic shared memory of a size that is not known
__global__ void noField BODY
// CHECK: 'escapes' not throttled: the launch at launch-not-folded.cu:{{[0-9]+:[0-9]+}} has a block size and dynamic shared memory that are not known
__global__ void escapes BODY
// CHECK: 'held' not throttled: {{.*}} has a block size and dynamic shared memory that are not known
__global__ void held BODY

// CHECK: 'passed' not throttled: {{.*}} has a block size and dynamic shared memory that are not known
__global__ void passed BODY

struct uint3 {
  unsigned x, y, z;
};
struct dim3From : dim3 {
  dim3From(uint3 v) : dim3(v.x, v.y, v.z) {}
};
struct cudaLaunchConfig_t {
  dim3 gridDim, blockDim;
  size_t dynamicSmemBytes;
  cudaStream_t stream;
};
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *, const void *,
                                void **);
void change(cudaLaunchConfig_t &);
void change(unsigned *);
void useLater(void (*)(const float *, const float *, float *));
bool again();

static int changed = 256;
int visibleToAll = 256;
void setChanged() { changed = 128; }

static void call(const float *A, const float *B, float *sums, int threads) {
  twoCalls<<<1056, threads>>>(A, B, sums);
}
static void callee(const float *A, const float *B, float *sums, int threads) {
  byPointer<<<1056, threads>>>(A, B, sums);
}
static void recurse(const float *A, const float *B, float *sums, int threads) {
  recursive<<<1056, threads>>>(A, B, sums);
  if (again())
    recurse(A, B, sums, threads / 2);
}
struct Sizes {
  virtual int threads() { return 256; }
};
static int given(int threads, int unknown) {
  return unknown ? threads : given(unknown, 1);
}

template <class K>
void launch(K kernel, const float *A, const float *B, float *sums) {
  kernel<<<8, 8>>>(A, B, sums);
}

void run(const float *A, const float *B, float *sums, int size, Sizes &sizes,
         uint3 v) {
  dim3 block(256);
  if (size > 2)
    block.x = 128;
  inBranch<<<1056, block>>>(A, B, sums);

  int threads = 256;
  for (int i = 0; i < 3; ++i) {
    inNextTurn<<<1056, threads>>>(A, B, sums);
    threads /= 2;
  }

  int picked = 64;
  switch (size) {
  case 0:
    picked = 256;
  case 1:
    inCase<<<1056, picked>>>(A, B, sums);
  }

  int captured = 256;
  auto change1 = [&] { captured = 128; };
  change1();
  inLambda<<<1056, captured>>>(A, B, sums);
  int copied = 256;
  [=]() mutable {
    copied = 128;
    mutableCopy<<<1056, copied>>>(A, B, sums);
  }();

  int bound = 256;
  int &alias = bound;
  alias = 128;
  reference<<<1056, bound>>>(A, B, sums);
  dim3 taken(256);
  change(&taken.y);
  address<<<1056, taken>>>(A, B, sums);

  global<<<1056, changed>>>(A, B, sums);
  visible<<<1056, visibleToAll>>>(A, B, sums);
  call(A, B, sums, 256);
  call(A, B, sums, 128);
  auto p = callee;
  callee(A, B, sums, 256);
  p(A, B, sums, size);
  recurse(A, B, sums, 256);
  virtualCall<<<1056, sizes.threads()>>>(A, B, sums);
  outerArgument<<<1056, given(256, size)>>>(A, B, sums);
  otherStruct<<<1056, dim3From(v)>>>(A, B, sums);

  void *arguments[] = {&A, &B, &sums};
  cudaLaunchConfig_t c = {dim3(1056), dim3(256), 0, 0};
  change(c);
  cudaLaunchKernelExC(&c, (const void *)config, arguments);
  cudaLaunchConfig_t c2;
  c2.gridDim = 1056;
  c2.blockDim = 256;
  cudaLaunchKernelExC(&c2, (const void *)noField, arguments);

  escapes<<<1056, 256>>>(A, B, sums);
  useLater(escapes);
  passed<<<1056, 256>>>(A, B, sums);
  launch(passed, A, B, sums);
  auto kernel = held;
  kernel<<<1056, 256>>>(A, B, sums);
  useLater(kernel);
}

void jump(const float *A, const float *B, float *sums, int size) {
  int threads = 64;
  if (size)
    goto launch;
  threads = 256;
launch:
  jumped<<<1056, threads>>>(A, B, sums);
}
