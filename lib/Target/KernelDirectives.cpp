// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sluice/Target/KernelDirectives.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <vector>

using namespace llvm;
using namespace sluice;

namespace {

/// Of a kernel's definition, what stands between ".entry" and "{".
struct Header {
  StringRef Name;
  StringRef Rest; ///< Parameters and directives; ends where "{" stands.
};

} // namespace

static std::vector<Header> headersOf(StringRef PTX) {
  constexpr StringLiteral Word = ".entry";
  std::vector<Header> Result;
  for (size_t At = PTX.find(Word); At != StringRef::npos;
       At = PTX.find(Word, At + Word.size())) {
    const size_t Line = PTX.rfind('\n', At);
    if (PTX.slice(Line == StringRef::npos ? 0 : Line, At).contains("//"))
      continue;
    StringRef Rest = PTX.substr(At + Word.size()).ltrim();
    StringRef Name = Rest.take_while(
        [](char C) { return isAlnum(C) || is_contained("_$%", C); });
    const size_t End = Rest.find_first_of("{;");
    if (End == StringRef::npos || Rest[End] == ';') // a declaration
      continue;
    Result.push_back({Name, Rest.slice(Name.size(), End)});
  }
  return Result;
}

/// The numbers behind \p Directive in \p Text, multiplied: "256, 2, 1" is 512.
static std::optional<unsigned> numberBehind(StringRef Text,
                                            StringRef Directive) {
  const size_t At = Text.find(Directive);
  if (At == StringRef::npos)
    return std::nullopt;
  Text = Text.substr(At + Directive.size());
  unsigned Product = 1, Number;
  do {
    Text = Text.ltrim();
    if (Text.consumeInteger(10, Number))
      return std::nullopt;
    Product *= Number;
    Text = Text.ltrim();
  } while (Text.consume_front(","));
  return Product;
}

StringMap<KernelDirectives> sluice::directivesOf(StringRef PTX) {
  StringMap<KernelDirectives> Result;
  for (const Header &H : headersOf(PTX)) {
    KernelDirectives &D = Result[H.Name];
    D.Threads = numberBehind(H.Rest, ".maxntid");
    if (!D.Threads)
      D.Threads = numberBehind(H.Rest, ".reqntid");
    D.MinBlocksPerSM = numberBehind(H.Rest, ".minnctapersm");
    D.MaxRegisters = numberBehind(H.Rest, ".maxnreg");
  }
  return Result;
}

/// \p Text without its limit, if it has one.
static std::string withoutLimit(StringRef Text) {
  auto [Before, Behind] = Text.split(".maxnreg");
  return (Before + Behind.ltrim().ltrim("0123456789")).str();
}

std::string sluice::limitRegisters(StringRef PTX,
                                   const StringMap<unsigned> &Limits) {
  std::string Result;
  const char *Copied = PTX.begin();
  for (const Header &H : headersOf(PTX)) {
    auto Limit = Limits.find(H.Name);
    if (Limit == Limits.end())
      continue;
    Result.append(Copied, H.Rest.begin());
    Result += withoutLimit(H.Rest);
    Result += ".maxnreg " + std::to_string(Limit->second) + "\n";
    Copied = H.Rest.end();
  }
  Result.append(Copied, PTX.end());
  return Result;
}

std::string sluice::enableSharedSpills(StringRef PTX,
                                       const StringSet<> &Kernels) {
  std::string Result;
  const char *Copied = PTX.begin();
  for (const Header &H : headersOf(PTX)) {
    if (!Kernels.contains(H.Name))
      continue;
    Result.append(Copied, H.Rest.end() + 1); // with "{"
    Result += ("\n\t" + SharedSpillsPragma + "\n").str();
    Copied = H.Rest.end() + 1;
  }
  Result.append(Copied, PTX.end());
  return Result;
}
