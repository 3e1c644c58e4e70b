// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %sluice emulate %s --fail-fast --check=memory,races | FileCheck %s
// CHECK: PASS
#include "Inputs/check.h"

__global__ void ptx(const unsigned *a, unsigned *out) {
  unsigned t = threadIdx.x, x = a[t], y = a[t + 1];
  unsigned *o = out + 8 * t;
  asm("{\n\t.reg .pred p;\n\t.reg .u32 s;\n\tsetp.gt.u32 p, %1, %2;\n\t"
      "mov.u32 s, 7;\n\t@p add.u32 s, s, %1;\n\t@!p sub.u32 s, s, %2;\n\tmov.u32 %0, s;\n\t}"
      : "=r"(o[0]) : "r"(x), "r"(y));
  asm("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(o[1]) : "r"(x), "r"(y), "r"(t));
  asm("prmt.b32 %0, %1, %2, 0x3175;" : "=r"(o[2]) : "r"(x), "r"(y));
  unsigned low, high;
  asm("add.cc.u32 %0, %2, %3;\n\taddc.u32 %1, 0, 0;" : "=r"(low), "=r"(high) : "r"(x), "r"(y));
  o[3] = low ^ high;
  asm("{mad.lo.cc.u32 %0, %2, %3, %4; madc.hi.u32 %1, %2, %3, 0;}"
      : "=r"(low), "=r"(high) : "r"(x), "r"(y), "r"(t));
  o[4] = high;
  unsigned lane;
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
  o[5] = lane;
  unsigned loaded;
  asm volatile("ld.global.cg.u32 %0, [%1+4];" : "=r"(loaded) : "l"(a + t));
  o[6] = loaded;
  asm volatile("st.global.wb.u32 [%0], %1;" ::"l"(o + 7), "r"(x * 2) : "memory");
}

int main() {
  const int n = 96;
  Buffer<unsigned> a(n + 1, [](size_t i) { return unsigned(i * 2654435761u ^ i << 7); });
  Buffer<unsigned> out(8 * n);
  ptx<<<1, n>>>(a, out);
  out.check("ptx", [&](size_t i) -> unsigned {
    unsigned t = i / 8, x = a.host[t], y = a.host[t + 1];
    auto byte = [&](int k) { return k < 4 ? x >> 8 * k & 255 : y >> 8 * (k - 4) & 255; };
    switch (i % 8) {
    case 0: return x > y ? 7 + x : 7 - y;
    case 1: return x ^ y ^ t;
    case 2: return byte(5) | byte(7) << 8 | byte(1) << 16 | byte(3) << 24;
    case 3: return (x + y) ^ unsigned(uint64_t(x) + y >> 32);
    case 4: return unsigned(uint64_t(x) * y + t >> 32);
    case 5: return t % 32;
    case 6: return y;
    default: return x * 2;
    }
  });
  return finish();
}
