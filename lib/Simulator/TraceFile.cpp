// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The trace as a file: little-endian, strings and lists behind their lengths.
// docs/profile-format.md says that it is for this version of Sluice alone.

#include "sluice/Simulator/RawTrace.h"
#include "sluice/Simulator/Trace.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/DataExtractor.h"
#include "llvm/Support/EndianStream.h"
#include "llvm/Support/FileOutputBuffer.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace sluice;

static constexpr StringLiteral Magic = "sluice trace\n";

namespace {

class Writer {
public:
  explicit Writer(raw_ostream &OS) : Out(OS, endianness::little) {}
  void number(uint64_t N) { Out.write<uint64_t>(N); }
  void text(StringRef S) {
    number(S.size());
    Out.OS << S;
  }
  void place(const SourcePlace &P) {
    text(P.File);
    number(P.Line);
    number(P.Column);
  }
  void id(const CodeId &Id) {
    place(Id.Place);
    number(Id.InlinedAt.size());
    for (const SourcePlace &P : Id.InlinedAt)
      place(P);
    number(Id.Ordinal);
  }
  void words(ArrayRef<uint32_t> Words) {
    number(Words.size());
    for (uint32_t W : Words)
      Out.write<uint32_t>(W);
  }
  void numbers(ArrayRef<unsigned> Numbers) {
    number(Numbers.size());
    for (unsigned N : Numbers)
      number(N);
  }
  void function(const FunctionSite &F) {
    text(F.Kernel);
    text(F.Source);
    text(F.File);
    number(F.FirstLine);
    number(F.LastLine);
    text(F.TextHash);
  }
  void launch(const LaunchTrace &L);

private:
  support::endian::Writer Out;
};

/// Reads what Writer writes. After an error everything is zero; the cursor has
/// it.
class Reader {
public:
  Reader(StringRef Bytes, DataExtractor::Cursor &C)
      : In(Bytes, /*IsLittleEndian=*/true, 8), C(C) {}
  uint64_t number() { return In.getU64(C); }
  /// How many of something that takes at least \p Bytes each follow.
  uint64_t count(uint64_t Bytes) {
    uint64_t N = number();
    if (C && N > (In.size() - C.tell()) / Bytes) {
      Broken = true;
      return 0;
    }
    return N;
  }
  std::string text() { return In.getBytes(C, count(1)).str(); }
  SourcePlace place() {
    SourcePlace P;
    P.File = text();
    P.Line = unsigned(number());
    P.Column = unsigned(number());
    return P;
  }
  CodeId id() {
    CodeId Id;
    Id.Place = place();
    for (uint64_t N = count(24); N; --N)
      Id.InlinedAt.push_back(place());
    Id.Ordinal = unsigned(number());
    return Id;
  }
  void words(std::vector<uint32_t> &Words) {
    Words.resize(count(4));
    for (uint32_t &W : Words)
      W = In.getU32(C);
  }
  std::vector<unsigned> numbers() {
    std::vector<unsigned> Numbers;
    for (uint64_t N = Version < 2 ? 0 : count(8); N; --N)
      Numbers.push_back(unsigned(number()));
    return Numbers;
  }
  FunctionSite function() {
    FunctionSite F;
    F.Kernel = text();
    F.Source = text();
    F.File = text();
    F.FirstLine = unsigned(number());
    F.LastLine = unsigned(number());
    F.TextHash = text();
    return F;
  }
  LaunchTrace launch();
  bool Broken = false;
  uint64_t Version = Trace::CurrentVersion;

private:
  DataExtractor In;
  DataExtractor::Cursor &C;
};

} // namespace

void Writer::launch(const LaunchTrace &L) {
  text(L.Kernel);
  for (unsigned N : L.Grid)
    number(N);
  for (unsigned N : L.Block)
    number(N);
  number(L.Registers);
  number(L.StaticSharedBytes);
  number(L.DynamicSharedBytes);
  number(uint64_t(int64_t(L.CarveoutPercent)));
  number(L.ActiveSMs);
  number(L.Sites.Accesses.size());
  for (const AccessSite &S : L.Sites.Accesses) {
    id(S.Id);
    for (uint64_t N :
         {uint64_t(S.Kind), uint64_t(S.Space), uint64_t(S.Bytes),
          uint64_t(S.Hint), uint64_t(S.ReadOnly), uint64_t(int64_t(S.Loop))})
      number(N);
    numbers(S.Functions);
  }
  number(L.Sites.Loops.size());
  for (const LoopSite &S : L.Sites.Loops) {
    id(S.Id);
    number(uint64_t(int64_t(S.Parent)));
    numbers(S.Functions);
  }
  number(L.Sites.Functions.size());
  for (const FunctionSite &F : L.Sites.Functions)
    function(F);
  number(L.Blocks.size());
  for (const BlockTrace &B : L.Blocks) {
    number(B.Number);
    number(B.Warps.size());
    for (const WarpTrace &W : B.Warps)
      words(W.Words);
  }
  number(L.SharedByOtherSM.size());
  for (float F : L.SharedByOtherSM)
    number(bit_cast<uint32_t>(F));
}

// Does a warp's trace hold what it may: whole accesses of known sites, known
// loops within each other, and the end at its end?
static bool isSound(const WarpTrace &W, const CodeSites &Sites) {
  SmallVector<uint32_t, 8> Open; // loops
  const uint32_t *P = W.Words.data(), *E = P + W.Words.size();
  while (P < E) {
    const uint32_t Argument = WarpTrace::argument(*P);
    switch (WarpTrace::op(*P)) {
    case WarpTrace::End:
      return P + 1 == E;
    case WarpTrace::Issue:
    case WarpTrace::Wait:
    case WarpTrace::Barrier:
      ++P;
      break;
    case WarpTrace::LoopEnter:
      if (Argument >= Sites.Loops.size())
        return false;
      Open.push_back(Argument);
      ++P;
      break;
    case WarpTrace::LoopExit:
    case WarpTrace::Iterate:
      if (Open.empty() || Open.back() != Argument)
        return false;
      if (WarpTrace::op(*P) == WarpTrace::LoopExit)
        Open.pop_back();
      ++P;
      break;
    case WarpTrace::Affine:
    case WarpTrace::Scattered:
      if (Argument >= Sites.Accesses.size() || E - P < 5 || P[1] == 0 ||
          Sites.Accesses[Argument].Bytes == 0)
        return false;
      P = skipAccess(P);
      break;
    default:
      return false;
    }
  }
  return false;
}

LaunchTrace Reader::launch() {
  LaunchTrace L;
  L.Kernel = text();
  for (unsigned &N : L.Grid)
    N = unsigned(number());
  for (unsigned &N : L.Block)
    N = unsigned(number());
  L.Registers = unsigned(number());
  L.StaticSharedBytes = number();
  L.DynamicSharedBytes = number();
  L.CarveoutPercent = int(number());
  L.ActiveSMs = unsigned(number());
  for (uint64_t N = count(80); N; --N) {
    AccessSite S;
    S.Id = id();
    S.Kind = AccessSite::KindTy(number());
    S.Space = AccessSite::SpaceTy(number());
    S.Bytes = uint8_t(number());
    S.Hint = L1Hint(number());
    S.ReadOnly = number() != 0;
    S.Loop = int(number());
    Broken |= S.Kind > AccessSite::Atomic || S.Space > AccessSite::Shared ||
              S.Hint > L1Hint::Global;
    S.Functions = numbers();
    L.Sites.Accesses.push_back(std::move(S));
  }
  for (uint64_t N = count(48); N; --N) {
    LoopSite S;
    S.Id = id();
    S.Parent = int(number());
    Broken |= S.Parent >= int(L.Sites.Loops.size());
    S.Functions = numbers();
    L.Sites.Loops.push_back(std::move(S));
  }
  for (uint64_t N = Version < 2 ? 0 : count(48); N; --N)
    L.Sites.Functions.push_back(function());
  auto IsFunction = [&](unsigned F) { return F < L.Sites.Functions.size(); };
  for (const AccessSite &S : L.Sites.Accesses)
    Broken |=
        !all_of(S.Functions, IsFunction) || S.Loop >= int(L.Sites.Loops.size());
  for (const LoopSite &S : L.Sites.Loops)
    Broken |= !all_of(S.Functions, IsFunction);
  for (uint64_t N = count(16); N; --N) {
    BlockTrace B;
    B.Number = number();
    B.Warps.resize(count(8));
    for (WarpTrace &W : B.Warps) {
      words(W.Words);
      Broken |= !isSound(W, L.Sites);
    }
    Broken |= B.Warps.size() != (L.blockThreads() + 31) / 32;
    L.Blocks.push_back(std::move(B));
  }
  for (uint64_t N = count(8); N; --N)
    L.SharedByOtherSM.push_back(bit_cast<float>(uint32_t(number())));
  Broken |= L.ActiveSMs == 0 || L.blockThreads() == 0 || L.gridBlocks() == 0 ||
            (!L.SharedByOtherSM.empty() &&
             L.SharedByOtherSM.size() != L.Sites.Accesses.size() + 1);
  return L;
}

void sluice::writeTrace(const Trace &T, raw_ostream &OS) {
  OS << Magic;
  Writer W(OS);
  W.number(Trace::CurrentVersion);
  W.text(T.Source);
  W.text(T.GPU);
  W.number(T.Launches.size());
  for (const LaunchTrace &L : T.Launches)
    W.launch(L);
}

Error sluice::writeTraceFile(const Trace &T, StringRef Path) {
  Error E = writeToOutput(Path, [&](raw_ostream &OS) {
    writeTrace(T, OS);
    return Error::success();
  });
  if (E)
    return createStringError("cannot write '" + Path +
                             "': " + toString(std::move(E)));
  return Error::success();
}

Expected<Trace> sluice::readTraceFile(StringRef Path) {
  auto Buffer = MemoryBuffer::getFile(Path, /*IsText=*/false,
                                      /*RequiresNullTerminator=*/false);
  if (!Buffer)
    return createStringError("cannot read '" + Path +
                             "': " + Buffer.getError().message());
  const std::string Name = ("'" + Path + "'").str();
  StringRef Bytes = (*Buffer)->getBuffer();
  if (Bytes.consume_front(RawTraceMagic))
    return readRawTrace(Bytes, Name);
  return readTrace(Bytes, Name);
}

Expected<Trace> sluice::readTrace(StringRef Bytes, StringRef Name) {
  if (!Bytes.consume_front(Magic))
    return createStringError(Name + " is not a trace of sluice profile");
  DataExtractor::Cursor C(0);
  Reader In(Bytes, C);
  In.Version = In.number();
  // Version 1 had no functions.
  if (C && (In.Version < 1 || In.Version > Trace::CurrentVersion))
    return createStringError(
        Name + " is a trace of version " + Twine(In.Version) +
        "; this Sluice reads version " + Twine(Trace::CurrentVersion) +
        ": record it again");
  Trace T;
  T.Source = In.text();
  T.GPU = In.text();
  for (uint64_t N = In.count(8); N && C && !In.Broken; --N)
    T.Launches.push_back(In.launch());
  Error E = C.takeError();
  if (E || In.Broken) {
    consumeError(std::move(E));
    return createStringError(Name +
                             " is damaged or was not written to its end");
  }
  return T;
}
