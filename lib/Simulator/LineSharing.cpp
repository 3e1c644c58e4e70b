// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lines are chosen by a hash of their number, so that every SM's set has the
// same ones in it.

#include "sluice/Simulator/LineSharing.h"

using namespace sluice;

static bool isSampled(uint64_t Line) {
  constexpr unsigned LineSample = 16; // one line of so many
  return (Line * 0x9E3779B97F4A7C15u >> 40) % LineSample == 0;
}

void LineSharing::start(llvm::ArrayRef<unsigned> StandsFor) {
  Others.clear();
  for (unsigned N : StandsFor)
    Others.push_back({N, {}});
}

void LineSharing::touch(unsigned OtherSM, uint32_t Lanes,
                        const uint64_t *Addresses, unsigned Bytes) {
  Scratch.clear();
  WarpTrace::encodeAccess(/*Site=*/0, Lanes, Addresses, Scratch);
  for (const uint32_t *P = Scratch.data(), *E = P + Scratch.size(); P < E;) {
    P = expandAccess(P, Bytes, Lines);
    for (unsigned I = 0; I < Lines.Count; ++I)
      if (isSampled(Lines.Line[I]))
        Others[OtherSM].Lines.insert(Lines.Line[I]);
  }
}

std::vector<float> LineSharing::shareOf(const LaunchTrace &T) {
  const size_t Count = T.Sites.Accesses.size();
  std::vector<uint64_t> Seen(Count + 1), Met(Count + 1);
  llvm::DenseSet<std::pair<uint32_t, uint64_t>> Done;
  std::vector<float> Result;
  if (Others.empty())
    return Result;
  for (const BlockTrace &B : T.Blocks)
    for (const WarpTrace &W : B.Warps)
      for (const uint32_t *P = W.Words.data(), *E = P + W.Words.size();
           P < E;) {
        auto Op = WarpTrace::op(*P);
        if (Op != WarpTrace::Affine && Op != WarpTrace::Scattered) {
          ++P;
          continue;
        }
        uint32_t Site = WarpTrace::argument(*P);
        if (T.Sites.Accesses[Site].Space != AccessSite::Global) {
          P = skipAccess(P);
          continue;
        }
        P = expandAccess(P, T.Sites.Accesses[Site].Bytes, Lines);
        for (unsigned I = 0; I < Lines.Count; ++I) {
          if (!isSampled(Lines.Line[I]) ||
              !Done.insert({Site, Lines.Line[I]}).second)
            continue;
          for (const Other &O : Others) {
            const unsigned N =
                O.Lines.contains(Lines.Line[I]) ? O.StandsFor : 0;
            Seen[Site] += O.StandsFor, Seen[Count] += O.StandsFor;
            Met[Site] += N, Met[Count] += N;
          }
        }
      }
  for (size_t I = 0; I <= Count; ++I)
    Result.push_back(Seen[I] ? float(Met[I]) / float(Seen[I]) : 0);
  return Result;
}
