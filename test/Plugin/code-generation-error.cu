// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What only clang's code generator can say, it says once, and where it is an
// error there are no remarks.
//
// RUN: %plain-cc %s -Watomic-alignment -o /dev/null 2> %t.plain
// RUN: %sluice-cc %s -Watomic-alignment -o /dev/null 2> %t.sluice
// RUN: diff %t.plain %t.sluice
// RUN: FileCheck %s --check-prefix=WARNING < %t.sluice
// WARNING: warning: {{.*}}atomic operation
// WARNING: 2 warnings generated
//
// RUN: not %plain-cc %s -DTWICE -o /dev/null 2> %t.plain
// RUN: not %sluice-cc %s -DTWICE %remarks -o /dev/null 2> %t.sluice
// RUN: diff %t.plain %t.sluice
// RUN: FileCheck %s --check-prefix=ERROR < %t.sluice
// ERROR: error: definition with same mangled name 'same' as another definition

#include "Inputs/gesummv.cu"

struct Wide {
  long long a, b, c;
};
__device__ void copy(Wide *from, Wide *to) {
  __atomic_load(from, to, __ATOMIC_RELAXED);
}

#ifdef TWICE
extern "C" __device__ void first() asm("same");
extern "C" __device__ void second() asm("same");
extern "C" __device__ void first() {}
extern "C" __device__ void second() {}
#endif
