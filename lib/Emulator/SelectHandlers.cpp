// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One binary for all of x86-64: the handlers are in it three times, and which
// of them run is decided here.

#include "Handlers.h"

using namespace sluice::emulator;

const HandlerTable *sluice::emulator::selectHandlers(llvm::StringRef ISA) {
  bool AVX2 = __builtin_cpu_supports("x86-64-v3"),
       AVX512 = __builtin_cpu_supports("x86-64-v4");
  if (ISA.empty())
    ISA = AVX512 ? "avx512" : AVX2 ? "avx2" : "base";
  if (ISA == "base")
    return &baseHandlers();
  if (ISA == "avx2" && AVX2)
    return &avx2Handlers();
  if (ISA == "avx512" && AVX512)
    return &avx512Handlers();
  return nullptr;
}
