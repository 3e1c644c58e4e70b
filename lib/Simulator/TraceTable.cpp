// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts and kernels, and behind them a trace without blocks, which has the
// accesses and loops.

#include "sluice/Simulator/TraceTable.h"
#include "llvm/Support/DataExtractor.h"
#include "llvm/Support/EndianStream.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace sluice;

static constexpr StringLiteral Magic = "sluice trace table 1\n";

std::string sluice::writeTraceTable(const TraceTable &T) {
  std::string Bytes;
  raw_string_ostream OS(Bytes);
  OS << Magic;
  support::endian::Writer Out(OS, endianness::little);
  auto Number = [&](uint32_t N) { Out.write<uint32_t>(N); };
  Number(T.Parts.size());
  for (const TracedPart &P : T.Parts) {
    Number(uint32_t(P.Loop));
    Number(P.BeginsIteration | P.EndsInBarrier << 1);
    Number(P.Addresses);
    Number(P.Steps.size());
    for (const IssueStep &S : P.Steps) {
      Number(S.Kind);
      Number(S.Argument);
    }
    Number(P.Accesses.size());
    for (const TracedPart::Access &A : P.Accesses) {
      Number(A.Site);
      Number(A.Address);
      Out.write<int64_t>(A.Offset);
    }
  }
  Number(T.Kernels.size());
  for (const TraceTable::Kernel &K : T.Kernels) {
    Number(K.Registers);
    Number(K.Name.size());
    OS << K.Name;
  }
  Trace Code;
  Code.Source = T.Source;
  Code.GPU = T.GPU;
  Code.Launches.emplace_back();
  Code.Launches.back().Sites = T.Sites;
  writeTrace(Code, OS);
  return Bytes;
}

namespace {

/// After an error everything is zero; the cursor has it.
class Reader {
public:
  explicit Reader(StringRef Bytes)
      : In(Bytes, /*IsLittleEndian=*/true, 8), C(0) {}
  uint32_t number() { return In.getU32(C); }
  int64_t offset() { return int64_t(In.getU64(C)); }
  /// How many of something that takes at least \p Bytes each follow.
  uint32_t count(uint32_t Bytes) {
    uint32_t N = number();
    if (C && N > (In.size() - C.tell()) / Bytes) {
      Broken = true;
      return 0;
    }
    return N;
  }
  std::string text() { return In.getBytes(C, count(1)).str(); }
  TracedPart part();
  StringRef rest() { return In.getData().substr(C.tell()); }
  bool failed() {
    Error E = C.takeError();
    const bool Failed = bool(E) || Broken;
    consumeError(std::move(E));
    return Failed;
  }

private:
  DataExtractor In;
  DataExtractor::Cursor C;
  bool Broken = false;
};

} // namespace

TracedPart Reader::part() {
  TracedPart P;
  P.Loop = int(number());
  const uint32_t Flags = number();
  P.BeginsIteration = Flags & 1;
  P.EndsInBarrier = Flags & 2;
  P.Addresses = number();
  for (uint32_t N = count(8); N; --N) {
    const uint32_t Kind = number();
    Broken |= Kind > IssueStep::Wait;
    P.Steps.push_back({IssueStep::KindTy(Kind), number()});
  }
  for (uint32_t N = count(16); N; --N) {
    TracedPart::Access A;
    A.Site = number();
    A.Address = number();
    A.Offset = offset();
    Broken |= A.Address != TracedPart::NoAddress && A.Address >= P.Addresses;
    P.Accesses.push_back(A);
  }
  return P;
}

// Are all accesses and loops that \p P names known?
static bool isSound(const TracedPart &P, const CodeSites &Sites) {
  if (P.Loop >= int(Sites.Loops.size()) || (P.BeginsIteration && P.Loop < 0))
    return false;
  for (const IssueStep &S : P.Steps)
    if (S.Kind != IssueStep::Issue && S.Argument >= Sites.Accesses.size())
      return false;
  for (const TracedPart::Access &A : P.Accesses)
    if (A.Site >= Sites.Accesses.size() || !Sites.Accesses[A.Site].Bytes)
      return false;
  return true;
}

Expected<TraceTable> sluice::readTraceTable(StringRef Bytes) {
  if (!Bytes.consume_front(Magic))
    return createStringError("the table of the traced code is not one that "
                             "this version of Sluice reads");
  TraceTable T;
  Reader In(Bytes);
  for (uint32_t N = In.count(20); N; --N)
    T.Parts.push_back(In.part());
  for (uint32_t N = In.count(8); N; --N) {
    TraceTable::Kernel K;
    K.Registers = In.number();
    K.Name = In.text();
    T.Kernels.push_back(std::move(K));
  }
  StringRef Rest = In.rest();
  if (In.failed())
    return createStringError("the table of the traced code is damaged");
  auto Code = readTrace(Rest, "the table of the traced code");
  if (!Code)
    return Code.takeError();
  T.Source = Code->Source;
  T.GPU = Code->GPU;
  if (!Code->Launches.empty())
    T.Sites = std::move(Code->Launches.front().Sites);
  for (const TracedPart &P : T.Parts)
    if (!isSound(P, T.Sites))
      return createStringError("the table of the traced code is damaged");
  return T;
}
