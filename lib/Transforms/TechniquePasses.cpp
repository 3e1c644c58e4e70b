// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A technique's row names its pass; here is what makes one of the name.

#include "sluice/Transforms/TechniquePasses.h"
#include "llvm/ADT/StringSet.h"

namespace sluice {
#define SLUICE_PASS(Name) void register##Name##Pass(llvm::PassBuilder &);
#include "sluice/Plan/Techniques.def"
} // namespace sluice

using namespace llvm;
using namespace sluice;

void sluice::registerTechniquePasses(PassBuilder &PB) {
#define SLUICE_PASS(Name) register##Name##Pass(PB);
#include "sluice/Plan/Techniques.def"
}

void sluice::addTechniquePasses(PassBuilder &PB, ModulePassManager &MPM,
                                PassStage Stage, bool LinkMakesCode) {
  StringSet<> Added;
  for (const Technique *T : techniques())
    for (const TechniquePass &Pass : {T->pass(), T->endingPass()}) {
      if (Pass.Name.empty() || Pass.Stage != Stage ||
          !Added.insert(Pass.Name).second)
        continue;
      StringRef Parameters = LinkMakesCode ? Pass.BeforeLink : Pass.Parameters;
      cantFail(PB.parsePassPipeline(MPM, (Pass.Name + Parameters).str()));
    }
}
