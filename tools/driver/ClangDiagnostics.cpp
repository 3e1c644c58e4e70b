// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ClangDiagnostics.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Regex.h"

using namespace sluice;
using namespace llvm;

std::string sluice::withoutColours(StringRef Text) {
  static const Regex Colour("\x1b\\[[0-9;]*[mK]");
  std::string Result;
  SmallVector<StringRef, 1> Match;
  while (Colour.match(Text, &Match)) {
    Result += Text.take_front(Match[0].data() - Text.data());
    Text = Text.drop_front(Match[0].end() - Text.data());
  }
  return Result + Text.str();
}

std::vector<std::string> sluice::splitDiagnostics(StringRef Said) {
  static const Regex Count("^[0-9]+ (warning|error)s?( and [0-9]+ errors?)? "
                           "generated");
  static const Regex Start(": (warning|error|fatal error|remark): ");
  std::vector<std::string> Result;
  bool InPath = false; // The lines "In file included from" begin the next one.
  while (!Said.empty()) {
    size_t End = std::min(Said.find('\n'), Said.size() - 1) + 1;
    StringRef Text = Said.take_front(End);
    Said = Said.drop_front(End);
    std::string Plain = withoutColours(Text);
    if (Count.match(Plain))
      continue;
    bool IsPath = StringRef(Plain).starts_with("In file included from") ||
                  (InPath && StringRef(Plain).starts_with("         "));
    bool Begins = (IsPath || Start.match(Plain)) && !InPath;
    if (Begins || Result.empty())
      Result.emplace_back();
    InPath = IsPath;
    Result.back() += Text;
  }
  return Result;
}
