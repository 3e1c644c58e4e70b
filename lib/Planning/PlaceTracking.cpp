// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Debug locations survive inlining, unrolling and the rest, as nothing else in
// IR does.

#include "sluice/Planning/PlaceTracking.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DIBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace {

/// Numbers the instructions of a module that have no place.
class PlaceTracker {
public:
  explicit PlaceTracker(Module &M)
      : M(M), Builder(M, /*AllowUnresolved=*/false) {}
  void track();

private:
  void createFile();
  DIScope *scopeFor(Function &F);

  Module &M;
  DIBuilder Builder;
  DIFile *File = nullptr; ///< When first asked for, with the next.
  DISubroutineType *Type = nullptr;
  unsigned Number = 0; ///< Of instructions so far.
};

} // namespace

void PlaceTracker::createFile() {
  // No line of the source, if that is in another language.
  std::string Name = M.getSourceFileName();
  if (!StringRef(Name).ends_with(".ll"))
    Name += ".ll";
  File = Builder.createFile(sys::path::filename(Name),
                            sys::path::parent_path(Name));
  Builder.createCompileUnit(DISourceLanguageName(dwarf::DW_LANG_C), File,
                            "sluice", /*isOptimized=*/true, "", 0, "",
                            DICompileUnit::NoDebug);
  Type = Builder.createSubroutineType(Builder.getOrCreateTypeArray({}));
}

/// A function that has debug information keeps it.
DIScope *PlaceTracker::scopeFor(Function &F) {
  if (DISubprogram *SP = F.getSubprogram())
    return Builder.createLexicalBlockFile(SP, File);
  DISubprogram *SP = Builder.createFunction(
      File, F.getName(), F.getName(), File, Number + 1, Type, Number + 1,
      DINode::FlagZero,
      DISubprogram::SPFlagDefinition | DISubprogram::SPFlagOptimized);
  F.setSubprogram(SP);
  return SP;
}

/// What has a place when it is inlined needs that of the call.
static bool mayBeInlined(const Instruction &I) {
  const auto *Call = dyn_cast<CallBase>(&I);
  return Call && !Call->isInlineAsm() && !isa<IntrinsicInst>(Call);
}

void PlaceTracker::track() {
  for (Function &F : M) {
    const bool HasPlaces = F.getSubprogram();
    DIScope *Scope = nullptr;
    for (Instruction &I : instructions(F)) {
      if (!HasPlaces || (mayBeInlined(I) && !I.getDebugLoc())) {
        if (!File)
          createFile();
        if (!Scope)
          Scope = scopeFor(F);
        I.setDebugLoc(DILocation::get(M.getContext(), Number + 1, 1, Scope));
      }
      ++Number;
    }
  }
  if (!File)
    return;
  Builder.finalize();
  if (!M.getModuleFlag("Debug Info Version"))
    M.addModuleFlag(Module::Warning, "Debug Info Version",
                    DEBUG_METADATA_VERSION);
}

void sluice::trackPlaces(Module &M) { PlaceTracker(M).track(); }
