// The text of a template is no launch: only what it is instantiated to is. It
// is not folded either, whatever stands in it.
//
// RUN: %throttle-cc %s %remarks -o %t.ptx 2>&1 | FileCheck %s
// RUN: %plain-cc %s -o %t.plain.ptx
// RUN: python3 %S/Inputs/barriers.py %t.ptx %t.plain.ptx _Z4rows:1 _Z9perMember:1 _Z9perLambda:1 _Z9discarded:1 _Z5never:same
// RUN: %same-results %s %t -fplugin-arg-sluice-promote=off skip=never

#define BODY                                                                   \
  (const float *A, const float *B, float *sums) {                              \
    int i = blockIdx.x * blockDim.x + threadIdx.x;                             \
    for (int j = 0; j < 512; ++j)                                              \
      sums[i] += A[i * 512 + j] * B[i * 512 + j];                              \
  }

// CHECK: remark: loop of 'rows' throttled, N=4:
__global__ void rows BODY
// CHECK: remark: loop of 'perMember' throttled, N=4:
__global__ void perMember BODY
// CHECK: remark: loop of 'perLambda' throttled, N=4:
__global__ void perLambda BODY
// CHECK: remark: loop of 'discarded' throttled, N=4:
__global__ void discarded BODY
// CHECK: 'never' {{.*}}no launch of this kernel is in this file
extern __shared__ float dynamic[];
__global__ void never(const float *A, const float *B, float *sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < 512; ++j)
    sums[i] += A[i * 512 + j] * B[i * 512 + j] + dynamic[j];
}

template <int T> void go(const float *A, const float *B, float *sums) {
  rows<<<2000, T, T * 4>>>(A, B, sums);
}

template <class T> struct Launcher {
  T threads;
  void member(const float *A, const float *B, float *sums) {
    constexpr T Threads = 256;
    perMember<<<1056, Threads>>>(A, B, sums);
  }
  void unused(const float *A, const float *B, float *sums) {
    perMember<<<1056, threads>>>(A, B, sums);
  }
};

// Never instantiated, and full of what has no type yet.
template <class T>
void launch(const float *A, const float *B, float *sums, T n) {
  dim3 grid(n), block{n}, other = n, unknown = typename T::dim(n);
  T x = n + 1;
  never<<<grid, 1>>>(A, B, sums);
  never<<<x, block.x>>>(A, B, sums);
  never<<<other.x, unknown, sizeof(T)>>>(A, B, sums);
  never<<<n.grid, T::threads, n(3)>>>(A, B, sums);
  rows<<<n ? n : T(1), static_cast<unsigned>(n), (int)n>>>(A, B, sums);
  void *arguments[] = {&A, &B, &sums};
  cudaLaunchKernel((const void *)rows, grid, dim3(n), arguments, n, 0);
  cudaLaunchKernel((const void *)T::kernel, n, n, arguments, n, 0);
}

void run(const float *A, const float *B, float *sums) {
  go<256>(A, B, sums);
  Launcher<int>().member(A, B, sums);
  auto generic = [=](auto threads) {
    dim3 grid(threads * 0 + 1056);
    perLambda<<<grid, decltype(threads)::value>>>(A, B, sums);
  };
  struct Threads {
    enum { value = 256 };
    operator int() const { return value; }
  };
  generic(Threads());
  auto unused = [=](auto threads) { perLambda<<<1, threads>>>(A, B, sums); };
  if constexpr (sizeof(void *) == 8)
    discarded<<<1056, 256>>>(A, B, sums);
  else
    discarded<<<1, 32>>>(A, B, sums);
}
