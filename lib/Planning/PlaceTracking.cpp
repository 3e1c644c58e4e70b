// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Debug locations survive inlining, unrolling and the rest, as nothing else in
// IR does.

#include "sluice/Planning/PlaceTracking.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DIBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Path.h"

using namespace llvm;

void sluice::trackPlaces(Module &M) {
  DIBuilder Builder(M, /*AllowUnresolved=*/false);
  DIFile *File = nullptr;
  DISubroutineType *Type = nullptr;
  unsigned Number = 0;
  for (Function &F : M) {
    if (F.isDeclaration())
      continue;
    if (F.getSubprogram()) {
      Number += F.getInstructionCount();
      continue;
    }
    if (!File) {
      // No line of the source, if that is in another language.
      std::string Name = M.getSourceFileName();
      if (!StringRef(Name).ends_with(".ll"))
        Name += ".ll";
      File = Builder.createFile(sys::path::filename(Name),
                                sys::path::parent_path(Name));
      Builder.createCompileUnit(
          DISourceLanguageName(dwarf::DW_LANG_C), File, "sluice",
          /*isOptimized=*/true, "", 0, "", DICompileUnit::NoDebug);
      Type = Builder.createSubroutineType(Builder.getOrCreateTypeArray({}));
    }
    DISubprogram *SP = Builder.createFunction(
        File, F.getName(), F.getName(), File, Number + 1, Type, Number + 1,
        DINode::FlagZero,
        DISubprogram::SPFlagDefinition | DISubprogram::SPFlagOptimized);
    F.setSubprogram(SP);
    for (BasicBlock &BB : F)
      for (Instruction &I : BB)
        I.setDebugLoc(DILocation::get(M.getContext(), ++Number, 1, SP));
  }
  Builder.finalize();
  if (File && !M.getModuleFlag("Debug Info Version"))
    M.addModuleFlag(Module::Warning, "Debug Info Version",
                    DEBUG_METADATA_VERSION);
}
