// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// NVPTX's machine instructions that load, and the same as PTX text with a
/// cache hint. It goes with CacheHintLowering.cpp.

#ifndef SLUICE_LIB_TRANSFORMS_HINTEDLOAD_H
#define SLUICE_LIB_TRANSFORMS_HINTEDLOAD_H

#include "sluice/Target/CacheHint.h"
#include <optional>
#include <string>

namespace llvm {
class MachineInstr;
class MachineOperand;
class TargetInstrInfo;
} // namespace llvm

namespace sluice {

/// NVPTX's load instructions, as their names and operands have them
/// (NVPTXInstrInfo.td: LD, LDV_*, LD_GLOBAL_NC_*).
struct PTXLoad {
  enum SpaceTy { Global, Generic, Other } Space;
  bool IsReadOnly; ///< ld.global.nc
  char Type;       ///< Of u32, s32, f32, b32.
  int64_t Bits;    ///< Of an element.
  uint32_t UsedBytes;
  const llvm::MachineOperand *Address, *Offset;
};

/// Empty: \p MI is no load that takes hints.
std::optional<PTXLoad> asLoad(const llvm::MachineInstr &MI,
                              const llvm::TargetInstrInfo &TII);

/// The numbers of an instruction's operands behind what it loads; 0: it has
/// none.
struct AsmOperands {
  unsigned Address = 0, Policy = 0, FirstWarps = 0;
};

/// The load with operands by number; a pair of which each warp executes one,
/// where the first warps alone use the L1 (Listing 5.1 of the thesis). With
/// `nc` a warp that bypasses reads by a plain load, as there.
std::string textOf(const PTXLoad &Load, CacheHint Hint,
                   const AsmOperands &Numbers);

} // namespace sluice

#endif
