// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// -c of several files, CUDA and not; the lists of dependencies are the host's.
//
// RUN: rm -rf %t && mkdir %t && cd %t && cp %s one.cu && cp %s two.inc
// RUN: echo "int three() { return 3; }" > three.cpp
// RUN: echo "--sluice-emulate -MD -O2" > flags.rsp
// RUN: cd %t && %sluicexx @flags.rsp -c one.cu three.cpp -xcuda two.inc 2>&1 | count 0
// RUN: ls %t | FileCheck %s
// CHECK: one.d
// CHECK-NEXT: one.o
// CHECK-NEXT: three.cpp
// CHECK-NEXT: three.d
// CHECK-NEXT: three.o
// CHECK-NEXT: two.d
// CHECK-NEXT: two.inc
// CHECK-NEXT: two.o
// RUN: FileCheck %s --check-prefix=DEPENDENCIES < %t/one.d
// DEPENDENCIES: one.o: one.cu
//
// RUN: cd %t && %sluicexx --sluice-emulate -MMD -MF deps -MT target -c one.cu -o other.o
// RUN: FileCheck %s --check-prefix=NAMED < %t/deps
// NAMED: target: one.cu
//
// The host registers the kernel; its image is beside.
// RUN: llvm-nm %t/one.o | FileCheck %s --check-prefix=SYMBOLS
// SYMBOLS: __cudaRegisterFatBinary
// SYMBOLS: __cudaRegisterFunction
// RUN: llvm-readelf -S %t/one.o | FileCheck %s --check-prefix=SECTIONS --implicit-check-not=sluice_images
// SECTIONS: .nv_fatbin
static __global__ void kernel() {}
static void launch() { kernel<<<1, 1>>>(); }
void (*Use)() = launch;
