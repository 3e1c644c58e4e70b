// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The little of CUDA that a test needs, so that a device compile takes a tenth
// of a second. threadIdx and its like are made as clang's own header makes
// them.
#pragma once

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))

typedef __SIZE_TYPE__ size_t;

struct dim3 {
  unsigned x, y, z;
  __host__ __device__ constexpr dim3(unsigned x = 1, unsigned y = 1,
                                     unsigned z = 1)
      : x(x), y(y), z(z) {}
};

#define SLUICE_TEST_REGISTER(NAME, REGISTER)                                   \
  struct __cuda_builtin_##NAME##_t {                                           \
    __declspec(property(get = fetch_x)) unsigned x;                            \
    __declspec(property(get = fetch_y)) unsigned y;                            \
    __declspec(property(get = fetch_z)) unsigned z;                            \
    static inline __device__ unsigned fetch_x() {                              \
      return __nvvm_read_ptx_sreg_##REGISTER##_x();                            \
    }                                                                          \
    static inline __device__ unsigned fetch_y() {                              \
      return __nvvm_read_ptx_sreg_##REGISTER##_y();                            \
    }                                                                          \
    static inline __device__ unsigned fetch_z() {                              \
      return __nvvm_read_ptx_sreg_##REGISTER##_z();                            \
    }                                                                          \
  };                                                                           \
  extern const __device__ __attribute__((weak)) __cuda_builtin_##NAME##_t NAME;
SLUICE_TEST_REGISTER(threadIdx, tid)
SLUICE_TEST_REGISTER(blockIdx, ctaid)
SLUICE_TEST_REGISTER(blockDim, ntid)
SLUICE_TEST_REGISTER(gridDim, nctaid)

typedef struct cudaStream *cudaStream_t;
enum cudaError_t { cudaSuccess };
extern "C" int cudaConfigureCall(dim3 grid, dim3 block, size_t shared = 0,
                                 cudaStream_t stream = 0);
extern "C" int __cudaPushCallConfiguration(dim3 grid, dim3 block,
                                           size_t shared = 0,
                                           cudaStream_t stream = 0);
extern "C" cudaError_t cudaLaunchKernel(const void *function, dim3 grid,
                                        dim3 block, void **arguments,
                                        size_t shared, cudaStream_t stream);
extern "C" cudaError_t cudaLaunchCooperativeKernel(const void *function,
                                                   dim3 grid, dim3 block,
                                                   void **arguments,
                                                   size_t shared,
                                                   cudaStream_t stream);

inline __device__ int min(int a, int b) { return a < b ? a : b; }
inline __device__ int max(int a, int b) { return a > b ? a : b; }
inline __device__ float atomicAdd(float *address, float value) {
  return __nvvm_atom_add_gen_f(address, value);
}
inline __device__ int atomicAdd(int *address, int value) {
  return __nvvm_atom_add_gen_i(address, value);
}
inline __device__ int atomicCAS(int *address, int compare, int value) {
  return __nvvm_atom_cas_gen_i(address, compare, value);
}
inline __device__ int atomicExch(int *address, int value) {
  return __nvvm_atom_xchg_gen_i(address, value);
}
inline __device__ void __threadfence() { __nvvm_membar_gl(); }
