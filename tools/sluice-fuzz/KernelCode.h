// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// PTX with cache hints beside PTX without: all else is to be the same text.

#ifndef SLUICE_TOOLS_FUZZ_KERNELCODE_H
#define SLUICE_TOOLS_FUZZ_KERNELCODE_H

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace sluice::fuzz {

/// The kernels of \p PTX by name, without what hints add:
///
///   createpolicy.fractional.L2::evict_last.b64 %rd7, 1.0;   (the whole line)
///   ld.global.nc.L1::evict_first.L2::cache_hint.b32 %r1, [%rd2], %rd7;
/// is
///   ld.global.nc.b32 %r1, [%rd2];
///
/// The registers of policies are taken from the number that the kernel
/// declares; they are its last.
llvm::StringMap<std::string> kernelsWithoutHints(llvm::StringRef PTX);

/// Where \p Hinted differs from \p Plain, each as above: the first lines that
/// do. Empty: nowhere.
std::string firstDifference(llvm::StringRef Plain, llvm::StringRef Hinted);

} // namespace sluice::fuzz

#endif
