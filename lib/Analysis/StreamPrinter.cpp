// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Streams as text: a line for each, and below it what belongs to it.

#include "sluice/Analysis/StreamAnalysis.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/raw_ostream.h"

using namespace sluice;
using namespace llvm;

static StringRef name(StreamTrip Trip) {
  switch (Trip) {
  case StreamTrip::Exact:
    return "iterations known at entry";
  case StreamTrip::AtMost:
    return "most iterations known at entry";
  case StreamTrip::Unknown:
    return "iterations unknown";
  }
  llvm_unreachable("all are listed");
}

static StringRef name(StreamRuns Runs) {
  switch (Runs) {
  case StreamRuns::Always:
    return "";
  case StreamRuns::ButLast:
    return ", perhaps not in the last iteration";
  case StreamRuns::Sometimes:
    return ", sometimes";
  }
  llvm_unreachable("all are listed");
}

static std::string lanes(const StreamFacts &S) {
  switch (S.Spread) {
  case LaneSpread::Uniform:
    return "lanes at the same bytes";
  case LaneSpread::Coalesced:
    return "lanes " + S.Distance.str() + " B apart, coalesced";
  case LaneSpread::Wide:
    return "lanes " + S.Distance.str() + " B apart, wide";
  case LaneSpread::Symbolic:
    return "lanes " + S.Distance.str() + " B apart";
  case LaneSpread::Loaded:
    return "lanes where loaded values say";
  case LaneSpread::Unknown:
    return "lanes at unknown distances";
  }
  llvm_unreachable("all are listed");
}

static void print(const StreamFacts &S, raw_ostream &OS) {
  OS << "    " << (S.IsStore ? "store" : "load") << " stream, step " << S.Step
     << " B, " << S.Bytes << " of " << S.Span << " B, " << lanes(S)
     << ", aligned to " << S.Alignment;
  if (S.AlignmentBehindBase != S.Alignment)
    OS << ", behind its base to " << S.AlignmentBehindBase;
  if (S.ParentStep)
    OS << ", outer step " << *S.ParentStep << " B";
  OS << (S.IsGlobal ? "" : ", perhaps not global")
     << (S.IsReadOnly ? ", read-only" : "")
     << (S.NeedsWrapTest ? ", if its index does not wrap" : "") << "\n";
  for (const StreamAccess &A : S.Accesses)
    OS << "      " << A.Bytes << " B + " << A.Offset << " at " << A.Id.str()
       << name(A.Runs) << "\n";
  for (const StreamConflict &C : S.Conflicts) {
    OS << "      may overlap what is " << (C.Writes ? "written" : "read")
       << " at " << C.Id.str();
    if (C.Offset)
      OS << ", + " << *C.Offset;
    OS << (C.IsTestable ? "" : ", cannot be tested") << "\n";
  }
}

void sluice::printStreams(const KernelFacts &Kernel,
                          ArrayRef<LoopStreams> Streams, raw_ostream &OS) {
  OS << "kernel " << Kernel.Name << "\n";
  for (const LoopStreams &Of : Streams) {
    const StreamLoopFacts &Facts = Of.Facts;
    OS << "  loop i" << Facts.Loop << " at "
       << Kernel.Loops[Facts.Loop].Id.str()
       << (Facts.IsInnermost ? ", " : ", has loops in it, ") << name(Facts.Trip)
       << "\n";
    for (const StreamHazard &Hazard : Facts.Hazards)
      OS << "    " << Hazard.str() << " at " << Hazard.Id.str() << "\n";
    for (const StreamFacts &S : Facts.Streams)
      print(S, OS);
    for (const UnstreamedAccess &A : Facts.Others)
      OS << "    no stream at " << A.Id.str() << ": " << A.Why << "\n";
  }
}
