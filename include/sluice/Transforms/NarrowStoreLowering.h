// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Stores of a floating-point number's low bits, which the assembler of CUDA 13
/// makes conversions of.

#ifndef SLUICE_TRANSFORMS_NARROWSTORELOWERING_H
#define SLUICE_TRANSFORMS_NARROWSTORELOWERING_H

namespace llvm {
class TargetMachine;
class TargetPassConfig;
namespace legacy {
class PassManagerBase;
} // namespace legacy
} // namespace llvm

namespace sluice {

/// A RegisterTargetPassConfigCallback: has NVPTX's code generator move what a
/// store writes a part of, unless it is shown to be an integer:
///
///   mul.rn.f32 %r3, %r1, %r2;     mul.rn.f32 %r3, %r1, %r2;
///   st.b8 [%rd1], %r3;            mov.b32 %r4, %r3;
///                                 st.b8 [%rd1], %r4;
///
/// On the left ptxas 13.0 stores the number as it is converted to an unsigned
/// integer (F2I); PTX says that its low eight bits are stored.
void addNarrowStoreLowering(llvm::TargetMachine &TM,
                            llvm::legacy::PassManagerBase &Passes,
                            llvm::TargetPassConfig *Config);

} // namespace sluice

#endif
