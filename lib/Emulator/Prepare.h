// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Brings device IR closer to what the GPU runs, and into the form that the
/// decoder needs.

#ifndef SLUICE_LIB_EMULATOR_PREPARE_H
#define SLUICE_LIB_EMULATOR_PREPARE_H

#include "sluice/Transforms/ContractMultiplyAdd.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <memory>

namespace llvm {
class Function;
class Module;
class StoreInst;
class TargetMachine;
} // namespace llvm

namespace sluice::emulator {

/// NVPTX's target machine for \p GPU ("sm_90").
llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
makeTargetMachine(llvm::StringRef GPU);

/// What NVPTX does before and during instruction selection and which a program
/// can see: address spaces are inferred, adjacent accesses become vectors, and
/// fmul and fadd become fma as \p Contract says. Then what the decoder needs:
/// no switch, no irreducible loop, no memory intrinsic, one return in functions
/// that are called, and LCSSA.
void prepareModule(llvm::Module &M, llvm::TargetMachine &TM,
                   ContractionMode Contract);

/// Does \p Store, which prepareModule has made, write what a cp.async copies?
bool isOfAsyncCopy(const llvm::StoreInst &Store);

/// Operations on i128 become operations on i64.
void expandWideIntegers(llvm::Function &F);

} // namespace sluice::emulator

#endif
