// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What clang cannot compile, nvcc does, with one remark; or nobody, if that is
// asked for.
//
// REQUIRES: nvcc
// RUN: rm -rf %t && mkdir %t
// RUN: %sluice-nvcc -arch=sm_90 -DSPACES %s -o %t/app --sluice-throttle=off 2> %t/said
// RUN: FileCheck %s --check-prefix=SPACES < %t/said
// SPACES: sluice-nvcc: warning: {{.*}}fallback.cu is compiled by nvcc, without Sluice: clang says: {{.*}}fallback.cu:[[# @LINE + 19]]:{{[0-9]+}}: error: expected expression
// SPACES-NOT: {{.}}
// RUN: not %sluice-nvcc -arch=sm_90 -DSPACES %s -o %t/none --sluice-strict 2>&1 | FileCheck %s --check-prefix=STRICT
// STRICT-NOT: compiled by nvcc
// STRICT: error: expected expression
// RUN: not ls %t/none
//
// OpenMP's tasks need clang's own library.
// RUN: %sluice-nvcc -arch=sm_90 -Xcompiler -fopenmp -MD -c %s -o %t/omp.o 2>&1 | FileCheck %s --check-prefix=OMP
// OMP: fallback.cu is compiled by nvcc, without Sluice: its OpenMP needs clang's own library
// RUN: FileCheck %s --check-prefix=DEPENDS < %t/omp.d
// DEPENDS: omp.o{{ ?}}:{{.*}}
// RUN: not %sluice-nvcc -arch=sm_90 -Xcompiler -fopenmp -c %s -o %t/omp.o --sluice-strict 2>&1 | FileCheck %s --check-prefix=OMPSTRICT
// OMPSTRICT: error: {{.*}}fallback.cu: its OpenMP needs clang's own library

__global__ void kernel(int *A) { A[threadIdx.x] = 1; }

int main() {
#ifdef SPACES
  kernel<< < 1, 32 >> >(nullptr);
#endif
#pragma omp parallel
#pragma omp single
#pragma omp task
  kernel<<<1, 32>>>(nullptr);
}

// What is refused for clang goes to nvcc whole.
// RUN: env NVCC_APPEND_FLAGS="-DSPACES" %sluice-nvcc -arch=sm_90 -ewp -c %s -o %t/ewp.o 2>&1 | FileCheck %s --check-prefix=REFUSED
// REFUSED: sluice-nvcc: warning: '-ewp' is not for clang (use `-dc`): nvcc runs this command, without Sluice
// RUN: ls %t/ewp.o
// RUN: not %sluice-nvcc -ewp -c %s -o %t/none --sluice-strict 2>&1 | FileCheck %s --check-prefix=REFUSEDSTRICT
// REFUSEDSTRICT: error: '-ewp' is not for clang (use `-dc`)

// A link named nvcc works in nvcc's place, and does not take itself for nvcc.
// RUN: ln -s %build/bin/sluice-nvcc %t/nvcc
// RUN: env PATH=%t:/usr/bin:/bin nvcc -arch=sm_90 -DSPACES %s -o %t/linked 2>&1 | FileCheck %s --check-prefix=SPACES
// RUN: mkdir -p %t/toolkit && cp -rs %cuda/include %t/toolkit/
// RUN: not env CUDA_PATH=%t/toolkit PATH=%t:/usr/bin:/bin nvcc -ewp -c %s -o %t/none 2>&1 | FileCheck %s --check-prefix=REFUSEDSTRICT

// A variable of both sides, which clang would make one of the device alone.
// RUN: %sluice-nvcc -arch=sm_90 -c %S/Inputs/managed.cu -o %t/managed.o 2>&1 | FileCheck %s --check-prefix=MANAGED
// MANAGED: managed.cu is compiled by nvcc, without Sluice: clang says: {{.*}}error: 'managed' attribute ignored

// Attributes of kernels that clang would drop without a word.
// RUN: echo '__global__ void __cluster_dims__(2, 1, 1) k(int *A) { A[0] = 1; }' > %t/cluster.cu
// RUN: %sluice-nvcc -arch=sm_90 -ptx %t/cluster.cu -o %t/cluster.ptx 2>&1 | FileCheck %s --check-prefix=CLUSTER
// CLUSTER: cluster.cu is compiled by nvcc, without Sluice: clang says: {{.*}}cluster.cu:1:{{[0-9]+}}: error: clang 22 makes no code of __cluster_dims__
// RUN: grep -F '.reqnctapercluster 2, 1, 1' %t/cluster.ptx
// RUN: echo '__global__ void __maxnreg__(32) k(int *A) { A[0] = 1; }' > %t/maxnreg.cu
// RUN: not %sluice-nvcc --sluice-strict -arch=sm_90 -c %t/maxnreg.cu -o %t/none 2>&1 | FileCheck %s --check-prefix=MAXNREG
// MAXNREG: error: clang 22 makes no code of __maxnreg__
