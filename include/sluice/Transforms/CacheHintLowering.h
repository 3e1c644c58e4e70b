// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// From `!mem.cache_hint` to PTX, which LLVM 22 cannot do yet.

#ifndef SLUICE_TRANSFORMS_CACHEHINTLOWERING_H
#define SLUICE_TRANSFORMS_CACHEHINTLOWERING_H

namespace llvm {
class TargetMachine;
class TargetPassConfig;
namespace legacy {
class PassManagerBase;
} // namespace legacy
} // namespace llvm

namespace sluice {

/// A RegisterTargetPassConfigCallback: gives NVPTX's code generator the passes
/// by which a load's hint becomes qualifiers of its instruction:
///
///   %x = load float, ptr addrspace(1) %p, !mem.cache_hint !0
///   !0 = !{i32 0, !{!"nvvm.l1_eviction", !"no_allocate"}}
///
///   ld.global.L1::no_allocate.b32 %r1, [%rd1];   instead of
///   ld.global.b32 %r1, [%rd1];
///
/// All else, registers included, is what it is without hints.
void addCacheHintLowering(llvm::TargetMachine &TM,
                          llvm::legacy::PassManagerBase &Passes,
                          llvm::TargetPassConfig *Config);

/// Is a hint that an instruction cannot have a warning too, once a function?
/// Not at first; for tools that show no remarks.
bool &warnsOfDroppedHints();

} // namespace sluice

#endif
