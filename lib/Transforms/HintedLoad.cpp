// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HintedLoad.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/CodeGen/MachineInstr.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/NVPTXAddrSpace.h"

using namespace llvm;
using namespace sluice;

std::optional<PTXLoad> sluice::asLoad(const MachineInstr &MI,
                                      const TargetInstrInfo &TII) {
  StringRef Name = TII.getName(MI.getOpcode());
  const bool IsReadOnly = Name.starts_with("LD_GLOBAL_NC_");
  if (!IsReadOnly && !Name.starts_with("LD_i") && !Name.starts_with("LDV_i"))
    return std::nullopt;
  // Others have before these: semantics, scope, address space.
  const unsigned Defs = MI.getNumExplicitDefs();
  const unsigned First = Defs + (IsReadOnly ? 0 : 3);
  if (Defs == 0 || MI.getNumExplicitOperands() != First + 5)
    return std::nullopt;
  for (unsigned I = Defs; I < First + 3; ++I)
    if (!MI.getOperand(I).isImm())
      return std::nullopt;
  PTXLoad Load{};
  Load.Space = PTXLoad::Global;
  Load.IsReadOnly = IsReadOnly;
  if (!IsReadOnly) {
    if (MI.getOperand(Defs).getImm() != 0)
      return std::nullopt; // not weak
    const int64_t Space = MI.getOperand(Defs + 2).getImm();
    Load.Space = Space == NVPTXAS::ADDRESS_SPACE_GLOBAL    ? PTXLoad::Global
                 : Space == NVPTXAS::ADDRESS_SPACE_GENERIC ? PTXLoad::Generic
                                                           : PTXLoad::Other;
  }
  const int64_t Type = MI.getOperand(First).getImm();
  if (Type < 0 || Type > 3)
    return std::nullopt;
  Load.Type = "usfb"[Type];
  Load.Bits = MI.getOperand(First + 1).getImm();
  Load.UsedBytes = uint32_t(MI.getOperand(First + 2).getImm());
  Load.Address = &MI.getOperand(First + 3);
  Load.Offset = &MI.getOperand(First + 4);
  if (!Load.Offset->isImm() ||
      !(Load.Address->isReg() || Load.Address->isGlobal()))
    return std::nullopt;
  return Load;
}

/// "$0", or "{$0, $1}".
static std::string loadedOperands(unsigned Count) {
  ListSeparator Comma;
  std::string Text;
  for (unsigned I = 0; I < Count; ++I)
    Text += (StringRef(Comma) + "$" + Twine(I)).str();
  return Count == 1 ? Text : "{" + Text + "}";
}

/// One load instruction.
static void writeLoad(raw_ostream &OS, const PTXLoad &Load,
                      const CacheHint &Hint, const AsmOperands &Numbers,
                      StringRef Guard = "") {
  CacheHint Operator, Eviction, Prefetch;
  Operator.Operator = Hint.Operator;
  Eviction.L1 = Hint.L1;
  Prefetch.L2PrefetchBytes = Hint.L2PrefetchBytes;
  auto Qualifier = [&](const CacheHint &Part) {
    if (!Part.empty())
      OS << '.' << Part.str();
  };
  if (Load.UsedBytes != UINT32_MAX)
    OS << formatv(".pragma \"used_bytes_mask {0:x}\";\n\t", Load.UsedBytes);
  OS << Guard << "ld.global";
  Qualifier(Operator);
  if (Hint.ReadOnly)
    OS << ".nc";
  Qualifier(Eviction);
  if (Numbers.Policy != 0)
    OS << ".L2::cache_hint";
  Qualifier(Prefetch);
  const unsigned Count = Numbers.Address;
  if (Count > 1)
    OS << ".v" << Count;
  OS << '.' << Load.Type << Load.Bits << " \t" << loadedOperands(Count)
     << ", [$" << Count;
  if (Load.Offset->getImm() != 0)
    OS << '+' << Load.Offset->getImm();
  OS << ']';
  if (Numbers.Policy != 0)
    OS << ", $" << Numbers.Policy;
  OS << ';';
}

std::string sluice::textOf(const PTXLoad &Load, CacheHint Hint,
                           const AsmOperands &Numbers) {
  std::string Text;
  raw_string_ostream OS(Text);
  Hint.ReadOnly = Load.IsReadOnly;
  if (Hint.ByWarp != CacheHint::WarpBypass::L1) {
    writeLoad(OS, Load, Hint, Numbers);
    return Text;
  }
  const std::string Predicate = "$" + std::to_string(Numbers.FirstWarps);
  writeLoad(OS, Load, Hint, Numbers, "@" + Predicate + " ");
  OS << "\n\t";
  CacheHint Past = Hint;
  Past.Operator = CacheHint::CacheOperator::CG;
  Past.L1 = CacheHint::L1Eviction::None;
  Past.ReadOnly = false;
  writeLoad(OS, Load, Past, Numbers, "@!" + Predicate + " ");
  return Text;
}
