// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files without their folders, as plans and remarks have them. Line 0 is what
// LLVM gives to code of no line: no place.

#include "sluice/Analysis/DebugPlace.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DebugLoc.h"
#include "llvm/IR/Function.h"
#include "llvm/Support/Path.h"

using namespace sluice;
using namespace llvm;

SourcePlace sluice::placeOf(const DILocation *Location) {
  if (!Location || Location->getLine() == 0)
    return {};
  return {sys::path::filename(Location->getFilename()).str(),
          Location->getLine(), Location->getColumn()};
}

CodeId sluice::codeIdOf(const DILocation *Location) {
  CodeId Id;
  if (!Location)
    return Id;
  Id.Place = placeOf(Location);
  for (const DILocation *At = Location->getInlinedAt(); At;
       At = At->getInlinedAt())
    Id.InlinedAt.push_back(placeOf(At));
  return Id;
}

SourcePlace sluice::kernelPlaceOf(const DILocation *Location,
                                  const Function &Kernel) {
  while (Location && Location->getInlinedAt())
    Location = Location->getInlinedAt();
  const DISubprogram *Subprogram = Kernel.getSubprogram();
  if (!Location || !Subprogram || Location->getFile() != Subprogram->getFile())
    return {};
  return placeOf(Location);
}

CodeId sluice::codeIdOf(const Loop &L) {
  return codeIdOf(L.getLocRange().getStart().get());
}
