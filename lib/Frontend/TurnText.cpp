// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// #pragma unroll 1 is what both clang and nvcc know.

#include "TurnText.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace sluice;
using llvm::formatv;
using llvm::StringRef;

std::string TurnText::comment() const {
  std::string N = Turns.isByLaunch()
                      ? "N by launch (" + Turns.WarpGroups.str() + ")"
                      : "N=" + std::to_string(Turns.WarpGroups.Otherwise);
  N += ifNote(Turns.OnlyIf);
  // What the footprint is with turns, the plan has.
  std::string Why = StringRef(Turns.Why).split("; with N=").first.str();
  llvm::replace(Why, '\n', ' ');
  return "// sluice: warps take turns, " + N + ": " +
         StringRef(Why).rtrim("\\").str();
}

/// `sluice_blocks < 265 ? 1 : sluice_blocks < 529 ? 2 : 4`
std::string TurnText::lookUp(llvm::ArrayRef<GridStep> Steps) const {
  std::string N = std::to_string(Steps.empty() ? 1 : Steps.back().WarpGroups);
  for (size_t I = Steps.size(); I-- > 0;)
    if (Steps[I].MinBlocks > 1)
      N = formatv("{0} < {1} ? {2} : {3}", name("blocks"), Steps[I].MinBlocks,
                  I ? Steps[I - 1].WarpGroups : 1, N);
  return N;
}

/// The same for a block of some of \p Ranges, by bisection.
void TurnText::lookUp(llvm::ArrayRef<LaunchTable::WarpRange> Ranges,
                      unsigned Depth, StringRef Before,
                      std::vector<std::string> &Lines) const {
  if (Ranges.size() == 1) {
    Lines.push_back(
        line(Depth, Before + (Ranges.front().Steps.empty()
                                  ? std::to_string(Turns.WarpGroups.Otherwise)
                                  : "(" + lookUp(Ranges.front().Steps) + ")")));
    return;
  }
  size_t Half = Ranges.size() / 2;
  Lines.push_back(line(Depth, Before + "(blockDim.x < " +
                                  llvm::Twine(32 * Ranges[Half].First)));
  lookUp(Ranges.take_front(Half), Depth + 1, "? ", Lines);
  lookUp(Ranges.drop_front(Half), Depth + 1, ": ", Lines);
  Lines.back() += ")";
}

/// `n < 32 || m < 47`: the tests that give N=1.
std::string TurnText::fails() const {
  std::string Text;
  for (const ArgumentMinimum &M : Turns.OnlyIf)
    Text +=
        formatv("{0}{1} < {2}", Text.empty() ? "" : " || ", M.Name, M.Minimum);
  return Text;
}

void TurnText::lookUp(std::vector<std::string> &Lines) const {
  const LaunchTable &Table = Turns.WarpGroups;
  if (!Turns.isByLaunch()) {
    Lines.push_back(
        line(1, "const unsigned " + name("groups") + " = " + fails() +
                    " ? 1 : " + llvm::Twine(Table.Otherwise) + ";"));
    return;
  }
  const size_t First = Lines.size();
  Lines.push_back(line(1, "const unsigned " + name("groups") + " ="));
  StringRef Before;
  if (!Turns.OnlyIf.empty()) {
    Lines.push_back(line(3, fails()));
    Lines.push_back(line(4, "? 1"));
    Before = ": ";
  }
  for (const auto &[Block, Steps] : llvm::reverse(Table.Shapes)) {
    Lines.push_back(line(3, Before + formatv("blockDim.x == {0} && blockDim.y "
                                             "== {1} && blockDim.z == {2}",
                                             Block[0], Block[1], Block[2])
                                         .str()));
    Lines.push_back(line(4, "? (" + lookUp(Steps) + ")"));
    Before = ": ";
  }
  auto Ranges = Table.warpRanges();
  if (Ranges.size() > 1 || !Ranges.front().Steps.empty()) {
    // One-dimensional, of whole warps.
    Lines.push_back(line(3, Before + "blockDim.y == 1 && blockDim.z == 1 && "
                                     "blockDim.x % 32 == 0"));
    lookUp(Ranges, 4, "? ", Lines);
    Before = ": ";
  }
  Lines.push_back(line(3, Before + llvm::Twine(Table.Otherwise) + ";"));
  if (llvm::any_of(
          Lines, [&](StringRef Line) { return Line.contains(name("blocks")); }))
    Lines.insert(Lines.begin() + First,
                 line(1, "const unsigned long long " + name("blocks") +
                             " = 1ull * gridDim.x * gridDim.y * gridDim.z;"));
}

std::vector<std::string> TurnText::before() const {
  std::vector<std::string> Lines = {line(0, comment()), line(0, "{")};
  const unsigned N = Turns.WarpGroups.Otherwise;
  std::string WarpsPerGroup =
      formatv("({0} + {1}) / {2}", name("threads"), 32 * N - 1, 32 * N);
  std::string Last = std::to_string(N - Turns.SkipTurn);
  if (Turns.isLookedUp()) {
    lookUp(Lines);
    std::string Times = "32 * " + name("groups");
    WarpsPerGroup = formatv("({0} + {1} - 1) / ({1})", name("threads"), Times);
    Last = name("groups") + (Turns.SkipTurn ? " - 1" : "");
  }
  Lines.push_back(
      line(1, "const unsigned " + name("thread") +
                  " = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * "
                  "threadIdx.z);"));
  Lines.push_back(line(1, "const unsigned " + name("threads") +
                              " = blockDim.x * blockDim.y * blockDim.z;"));
  Lines.push_back(line(1, "const unsigned " + name("group") + " = " +
                              name("thread") + " / 32 / (" + WarpsPerGroup +
                              ");"));
  Lines.push_back("#pragma unroll 1");
  Lines.push_back(line(1, formatv("for (unsigned {0} = 0; {0} < {1}; ++{0}) {{",
                                  name("turn"), Last)
                              .str()));
  Lines.push_back(
      line(2, "if (" + name("group") + " == " + name("turn") + ") {"));
  return Lines;
}

std::vector<std::string> TurnText::after() const {
  std::vector<std::string> Lines = {line(2, "}")};
  if (Turns.isLookedUp())
    Lines.push_back(line(2, "if (" + name("groups") + " > 1)"));
  Lines.push_back(line(Turns.isLookedUp() ? 3 : 2, "__syncthreads();"));
  Lines.push_back(line(1, "}"));
  Lines.push_back(line(0, "}"));
  return Lines;
}
