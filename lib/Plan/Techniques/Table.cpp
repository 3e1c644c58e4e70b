// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of techniques, out of Techniques.def.

#include "sluice/Plan/Technique.h"
#include "llvm/ADT/STLExtras.h"

using namespace sluice;

llvm::ArrayRef<const Technique *> sluice::techniques() {
  static const Technique *const Table[] = {
#define SLUICE_TECHNIQUE(Name) &Name##Technique(),
#include "sluice/Plan/Techniques.def"
  };
  return Table;
}

const LoopPlan *sluice::findLoop(const KernelPlan *Kernel, const CodeId &Id) {
  if (!Kernel)
    return nullptr;
  auto Found = llvm::find_if(Kernel->Loops,
                             [&](const LoopPlan &L) { return L.Id == Id; });
  return Found == Kernel->Loops.end() ? nullptr : &*Found;
}

void sluice::listLoops(const KernelFacts &Facts, KernelPlan &Plan) {
  if (!Plan.Loops.empty())
    return;
  for (const LoopFacts &Loop : Facts.Loops) {
    Plan.Loops.emplace_back();
    Plan.Loops.back().Id = Loop.Id;
  }
}
