// What is known of a launch from the statements before it, from other functions
// of the file, and from a launch's configuration.
//
// RUN: %throttle-cc %s %remarks -o %t.ptx 2>&1 | FileCheck %s
// RUN: %plain-cc %s -o %t.plain.ptx
// RUN: python3 %S/Inputs/barriers.py %t.ptx %t.plain.ptx _Z7members:1 _Z8assigned:1 _Z7earlier:1 _Z6inLoop:1 _Z6global:1 _Z9parameter:1 _Z6chosen:1 _Z8smallest:1 _Z6helped:1 _Z6lambda:1 _Z6config:1 _Z7configC:1 _Z7pointer:1 _Z6theirs:1 _Z5other:1
// RUN: %same-results %s %t -fplugin-arg-sluice-promote=off

#define BODY                                                                   \
  (const float *A, const float *B, float *sums) {                              \
    int i = blockIdx.x * blockDim.x + threadIdx.x;                             \
    for (int j = 0; j < 512; ++j)                                              \
      sums[i] += A[i * 512 + j] * B[i * 512 + j];                              \
  }

// CHECK: remark: loop of 'members' throttled, N=4:
__global__ void members BODY
// CHECK: remark: loop of 'assigned' throttled, N=4:
__global__ void assigned BODY
// CHECK: remark: loop of 'earlier' throttled, N=4:
__global__ void earlier BODY
// CHECK: remark: loop of 'inLoop' throttled, N=4:
__global__ void inLoop BODY
// CHECK: remark: loop of 'global' throttled, N=4:
__global__ void global BODY
// CHECK: remark: loop of 'parameter' throttled, N=4:
__global__ void parameter BODY
// CHECK: remark: loop of 'chosen' throttled, N=4:
__global__ void chosen BODY
// CHECK: remark: loop of 'smallest' throttled, N=4:
__global__ void smallest BODY
// CHECK: remark: loop of 'helped' throttled, N=4:
__global__ void helped BODY
// CHECK: remark: loop of 'lambda' throttled, N=4:
__global__ void lambda BODY
// CHECK: remark: loop of 'config' throttled, N=4:
__global__ void config BODY
// CHECK: remark: loop of 'configC' throttled, N=4:
__global__ void configC BODY
// CHECK: remark: loop of 'pointer' throttled, N=4:
__global__ void pointer BODY
// CHECK: remark: loop of 'theirs' throttled, N=4:
__global__ void theirs BODY
// CHECK: remark: loop of 'other' throttled, N=4:
__global__ void other BODY

struct cudaLaunchConfig_t {
  dim3 gridDim, blockDim;
  size_t dynamicSmemBytes;
  cudaStream_t stream;
};
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *, const void *,
                                void **);
template <class... P, class... A>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *c, void (*k)(P...),
                               A &&...a) {
  void *arguments[] = {&a...};
  return cudaLaunchKernelExC(c, (const void *)k, arguments);
}
cudaError_t cudaFuncSetCacheConfig(const void *, int);
namespace std {
template <class T> const T &min(const T &a, const T &b) {
  if (b < a)
    return b;
  return a;
}
} // namespace std

static int threadsOfAll = 256;
static dim3 gridOfAll(1056);
namespace {
dim3 blockOfAll(256, 1);
}
dim3 blockFor(int threads) { return dim3(threads, 1); }

template <class K> void lookAt(K kernel) {
  cudaFuncSetCacheConfig((const void *)kernel, 1);
}

static void call(const float *A, const float *B, float *sums, int threads,
                 dim3 grid) {
  parameter<<<1056, threads>>>(A, B, sums);
}

void run(const float *A, const float *B, float *sums, int size) {
  dim3 grid, block;
  grid.x = 1056;
  block.x = 256;
  block.y = 1;
  members<<<grid, block>>>(A, B, sums);

  int threads;
  threads = 128;
  threads = 256;
  grid = dim3(4 * 264);
  (void)threads;
  if (size > 2)
    assigned<<<grid, threads>>>(A, B, sums);

  block.x = 256;
  earlier<<<grid, block>>>(A, B, sums);
  block.x = 32; // what comes later does not matter

  for (int step = 0; step < 3; ++step) {
    threads = 256;
    inLoop<<<1056, threads>>>(A, B, sums);
    threads /= 2;
  }

  global<<<gridOfAll, threadsOfAll>>>(A, B, sums);
  global<<<1056, blockOfAll>>>(A, B, sums);
  call(A, B, sums, 256, grid);
  call(A, B, sums, 200 + 56, size);
  chosen<<<1056, size ? 256 : 2 * 128>>>(A, B, sums);
  const int most = 1024, wanted = 256;
  smallest<<<1056, std::min(most, wanted)>>>(A, B, sums);
  helped<<<1056, blockFor(wanted)>>>(A, B, sums);
  auto half = [](int n) { return n / 2; };
  lambda<<<1056, half(512)>>>(A, B, sums);

  cudaLaunchConfig_t c = {};
  c.gridDim = 1056;
  c.blockDim.x = 256;
  c.blockDim.y = c.blockDim.z = 1;
  c.dynamicSmemBytes = 64 * sizeof(float);
  c.blockDim = dim3(256);
  cudaLaunchKernelEx(&c, config, A, B, sums);
  void *arguments[] = {&A, &B, &sums};
  cudaLaunchConfig_t c2{dim3(1056), dim3(256), 0, 0};
  cudaLaunchKernelExC(&c2, (const void *)configC, arguments);

  auto kernel = pointer;
  cudaFuncSetCacheConfig((const void *)kernel, 2);
  kernel<<<1056, 256>>>(A, B, sums);
  lookAt(pointer);
  auto either = size ? &theirs : &other;
  either<<<1056, 256>>>(A, B, sums);
}
