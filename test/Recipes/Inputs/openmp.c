// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The same loop as OpenMP's runtime distributes it, and with threads that are
// the GPU's own, with -DBARE.

#ifndef BARE
void distributed(const float *a, const float *x, float *y, int n) {
#pragma omp target teams distribute parallel for                               \
    map(to : a[0 : n * 512], x[0 : 512]) map(from : y[0 : n])
  for (int i = 0; i < n; ++i) {
    float sum = 0;
    for (int j = 0; j < 512; ++j)
      sum += a[i * 512 + j] * x[j];
    y[i] = sum;
  }
}

#else
static inline int threadIndex(void) {
#ifdef __NVPTX__
  return __nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() +
         __nvvm_read_ptx_sreg_tid_x();
#else
  return 0; // the host compiles it too
#endif
}

void bare(const float *a, const float *x, float *y, int n) {
#pragma omp target teams ompx_bare num_teams(1056)    thread_limit(256)        \
    map(to : a[0 : n * 512], x[0 : 512]) map(from : y[0 : n])
  {
    int i = threadIndex();
    float sum = 0;
    for (int j = 0; j < 512; ++j)
      sum += a[i * 512 + j] * x[j];
    y[i] = sum;
  }
}
#endif
