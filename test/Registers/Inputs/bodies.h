// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// As bodies that attract one another. By itself the assembler keeps to 32
// registers, so that all warps fit; with 40 it orders the loop better.

struct alignas(16) float4 {
  float x, y, z, w;
};

#define BODY                                                                   \
  __shared__ float4 tile[256];                                                 \
  float4 mine = p[blockIdx.x * 256 + threadIdx.x], sum = {};                   \
  for (int t = 0; t < n; ++t) {                                                \
    tile[threadIdx.x] = p[t * 256 + threadIdx.x];                              \
    __syncthreads();                                                           \
    _Pragma("unroll 8") for (int j = 0; j < 256; ++j) {                        \
      float x = tile[j].x - mine.x, y = tile[j].y - mine.y,                    \
            z = tile[j].z - mine.z;                                            \
      float r = __nvvm_rsqrt_approx_f(x * x + y * y + z * z + 0.01f);          \
      float f = tile[j].w * r * r * r;                                         \
      sum.x += x * f;                                                          \
      sum.y += y * f;                                                          \
      sum.z += z * f;                                                          \
    }                                                                          \
    __syncthreads();                                                           \
  }                                                                            \
  p[blockIdx.x * 256 + threadIdx.x] = sum;
