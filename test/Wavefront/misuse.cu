// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a wavefront cannot be is said when it is compiled.
//
// RUN: not %plain-cc -fsyntax-only -ferror-limit=0 %s -I%build/include 2>&1 | FileCheck %s

#include <sluice/wavefront.h>

using namespace sluice;

// CHECK: error: {{.*}}a cell is From<Up, Left> or From<Up, Back, Left>
template struct sluice::From<1>;
// CHECK: error: {{.*}}Up is 0 or 1
template struct sluice::From<2, 0>;
// CHECK: error: {{.*}}in its own row a cell needs earlier ones: Left is 1 or more
template struct sluice::From<0, -1>;
// CHECK: error: {{.*}}Left is -4 to 4
template struct sluice::From<1, 5>;
// CHECK: error: {{.*}}a cell of the plane before is From<0, 1, 0>
template struct sluice::From<1, 1, 0>;
// CHECK: error: {{.*}}T has at most 4 bytes
template class sluice::Wavefront<double, From<1, 0>>;
// CHECK: error: {{.*}}an actor needs a cell at least
template class sluice::Wavefront<int>;
// CHECK: error: {{.*}}a block has 1 to 32 warps
template struct sluice::Wavefront<int, From<1, 0>>::Shared<33>;
