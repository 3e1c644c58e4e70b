// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The instruction histogram, the annotated listing and the trace.

#include "Observers.h"
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>
#include <tuple>

using namespace sluice::emulator;

namespace {

std::FILE *openOutput(const std::string &Path) {
  std::FILE *F = Path == "-" ? stdout : std::fopen(Path.c_str(), "w");
  if (!F)
    std::fprintf(stderr, "sluice emulate: error: cannot write %s\n",
                 Path.c_str());
  return F;
}

void closeOutput(std::FILE *F) {
  if (F == stdout)
    std::fflush(F);
  else
    std::fclose(F);
}

class Histogram : public Observer {
public:
  explicit Histogram(std::string Path) : Path(std::move(Path)) {}
  void blockEntered(const WarpPlace &, uint32_t Lanes,
                    const BlockSummary &B) override {
    unsigned Active = __builtin_popcount(Lanes);
    for (const auto &O : B.Opcodes) {
      Counts[O.Opcode].first += O.Instructions;
      Counts[O.Opcode].second += uint64_t(O.Instructions) * Active;
    }
  }
  void finish() override {
    std::FILE *F = openOutput(Path);
    if (!F)
      return;
    std::vector<std::pair<std::string, std::pair<uint64_t, uint64_t>>> Sorted(
        Counts.begin(), Counts.end());
    // The map's order, by name, where counts are equal.
    std::sort(Sorted.begin(), Sorted.end(), [](const auto &A, const auto &B) {
      return std::tie(B.second.second, A.first) <
             std::tie(A.second.second, B.first);
    });
    std::fprintf(F, "%16s %16s  %s\n", "warp instr.", "lane instr.", "opcode");
    for (const auto &[Name, Count] : Sorted)
      std::fprintf(F, "%16llu %16llu  %s\n", (unsigned long long)Count.first,
                   (unsigned long long)Count.second, Name.c_str());
    closeOutput(F);
  }

private:
  std::string Path;
  std::map<std::string, std::pair<uint64_t, uint64_t>> Counts;
};

/// For each line: warp instructions, lane instructions, and the mean share of a
/// warp's lanes that were active.
class Annotation : public Observer {
public:
  explicit Annotation(std::string Path) : Path(std::move(Path)) {}
  void blockEntered(const WarpPlace &, uint32_t Lanes,
                    const BlockSummary &B) override {
    unsigned Active = __builtin_popcount(Lanes);
    for (const auto &L : B.Lines) {
      auto &C = Lines[L.File][L.Line];
      C.first += L.Instructions;
      C.second += uint64_t(L.Instructions) * Active;
    }
  }
  /// Of warp instructions and lane instructions.
  static double percentActive(std::pair<uint64_t, uint64_t> C) {
    return 100.0 * double(C.second) / (32.0 * double(C.first));
  }
  void finish() override {
    std::FILE *F = openOutput(Path);
    if (!F)
      return;
    for (const auto &[File, Counts] : Lines) {
      if (File.empty())
        continue;
      std::fprintf(F, "%s\n%14s %14s %7s\n", File.c_str(), "warp instr.",
                   "lane instr.", "active");
      std::ifstream Source(File);
      if (!Source) {
        for (const auto &[Line, C] : Counts)
          std::fprintf(F, "%14llu %14llu %6.1f%%  line %u\n",
                       (unsigned long long)C.first,
                       (unsigned long long)C.second, percentActive(C), Line);
        continue;
      }
      std::string Text;
      for (unsigned Line = 1; std::getline(Source, Text); ++Line) {
        auto It = Counts.find(Line);
        if (It == Counts.end())
          std::fprintf(F, "%37s  %s\n", "", Text.c_str());
        else
          std::fprintf(F, "%14llu %14llu %6.1f%%  %s\n",
                       (unsigned long long)It->second.first,
                       (unsigned long long)It->second.second,
                       percentActive(It->second), Text.c_str());
      }
    }
    closeOutput(F);
  }

private:
  std::string Path;
  std::map<std::string, std::map<unsigned, std::pair<uint64_t, uint64_t>>>
      Lines;
};

/// A line of text for each event.
class TextTrace : public Observer {
public:
  explicit TextTrace(const std::string &Path) : File(openOutput(Path)) {}
  void launch(const LaunchFacts &L) override {
    const LaunchShape &S = L.Shape;
    if (File)
      std::fprintf(File, "launch %s grid %u,%u,%u block %u,%u,%u shared %llu\n",
                   L.Kernel.Name.c_str(), S.Grid.X, S.Grid.Y, S.Grid.Z,
                   S.Block.X, S.Block.Y, S.Block.Z,
                   (unsigned long long)S.DynamicSharedBytes);
  }
  void blockEntered(const WarpPlace &P, uint32_t Lanes,
                    const BlockSummary &B) override {
    if (File)
      std::fprintf(File, "run block %llu warp %u lanes %08x %s:%u count %u\n",
                   (unsigned long long)P.Block, P.Warp, Lanes, P.File, P.Line,
                   B.Instructions);
  }
  void access(const MemoryAccess &A, WarpThreads) override {
    if (!File)
      return;
    std::fprintf(File, "%s block %llu warp %u lanes %08x %s:%u bytes %u",
                 A.IsAtomic  ? "atomic"
                 : A.IsWrite ? "store"
                             : "load",
                 (unsigned long long)A.Place.Block, A.Place.Warp, A.Lanes,
                 A.Place.File, A.Place.Line, A.Bytes);
    for (unsigned L = 0; L < 32; ++L)
      if (A.Lanes >> L & 1)
        std::fprintf(File, " %c%llx",
                     A.Space[L] == AccessSpace::Shared  ? 's'
                     : A.Space[L] == AccessSpace::Local ? 'l'
                                                        : 'g',
                     (unsigned long long)A.Addresses[L]);
    std::fputc('\n', File);
  }
  void barrier(uint64_t Block, unsigned Warp, uint32_t Lanes) override {
    if (!File)
      return;
    if (Warp == ~0u)
      std::fprintf(File, "barrier block %llu\n", (unsigned long long)Block);
    else
      std::fprintf(File, "syncwarp block %llu warp %u lanes %08x\n",
                   (unsigned long long)Block, Warp, Lanes);
  }
  void finish() override {
    if (File)
      closeOutput(File);
    File = nullptr;
  }

private:
  std::FILE *File;
};

} // namespace

static std::string nameOf(const Dim3 &Size, uint64_t Number) {
  return "(" + std::to_string(Number % Size.X) + "," +
         std::to_string(Number / Size.X % Size.Y) + "," +
         std::to_string(Number / Size.X / Size.Y) + ")";
}

std::string sluice::emulator::nameOfThread(const LaunchShape &Shape,
                                           uint64_t Block, unsigned Thread) {
  return "thread " + nameOf(Shape.Block, Thread) + " of block " +
         nameOf(Shape.Grid, Block);
}

std::vector<std::unique_ptr<Observer>>
sluice::emulator::makeObservers(const EmulatorOptions &Options) {
  std::vector<std::unique_ptr<Observer>> All;
  if (Options.CheckRaces) {
    All.push_back(makeRaceChecker());
    All.push_back(makeReadOnlyLoadChecker());
  }
  if (Options.CheckOrder)
    All.push_back(makeOrderChecker());
  if (!Options.Histogram.empty())
    All.push_back(std::make_unique<Histogram>(Options.Histogram));
  if (!Options.Annotate.empty())
    All.push_back(std::make_unique<Annotation>(Options.Annotate));
  if (!Options.Trace.empty())
    All.push_back(std::make_unique<TextTrace>(Options.Trace));
  return All;
}
