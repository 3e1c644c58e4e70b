// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "KernelCode.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Regex.h"

using namespace llvm;
using namespace sluice;

static constexpr StringLiteral Load = "\tld.global.";

/// The policy's register in \p Line, a load; empty: it has none.
static StringRef policyIn(StringRef Line) {
  static const Regex Policy("], (%rd[0-9]+);$");
  SmallVector<StringRef, 2> Matches;
  return Line.contains(".L2::cache_hint.") && Policy.match(Line, &Matches)
             ? Matches[1]
             : "";
}

static std::string withoutHint(StringRef Line) {
  StringRef Policy = policyIn(Line);
  auto [Opcode, Operands] = Line.split(' ');
  std::string Text;
  ListSeparator Dot(".");
  for (StringRef Word : split(Opcode, '.'))
    if (!Word.starts_with("L1::") && !Word.starts_with("L2::") &&
        !is_contained({"ca", "cg", "cs", "lu", "cv"}, Word))
      Text += (StringRef(Dot) + Word).str();
  if (Policy.empty())
    return (Text + " " + Operands).str();
  Operands = Operands.drop_back((", " + Policy + ";").str().size());
  return (Text + " " + Operands + ";").str();
}

/// Of "\tmov.b64 \t%rd7, 1;" and the like the register, if that is what a
/// policy may come from.
static StringRef policyOf(StringRef Line) {
  if (!Line.starts_with("\tcreatepolicy.") && !Line.starts_with("\tmov.b64 "))
    return "";
  return Line.split(' ').second.ltrim('\t').split(',').first;
}

/// ".reg .b64 %rd<N>;" declares one register less than N.
static std::string declaringFewer(StringRef Line, unsigned Fewer) {
  auto [Before, Rest] = Line.split('<');
  unsigned Declared = 0;
  if (Rest.consumeInteger(10, Declared) || Declared <= Fewer + 1)
    return "";
  return (Before + "<" + Twine(Declared - Fewer) + Rest + "\n").str();
}

static std::string withoutHints(StringRef Kernel) {
  StringSet<> Policies, Made;
  for (StringRef Line : split(Kernel, '\n'))
    if (StringRef Policy = policyIn(Line); !Policy.empty())
      Policies.insert(Policy);
  std::string Text;
  bool AtEntry = true;
  for (StringRef Line : split(Kernel, '\n')) {
    AtEntry &= !Line.starts_with("$L__BB");
    StringRef Policy = policyIn(Line), Making = policyOf(Line);
    if (Line.ends_with(" inline asm"))
      continue;
    // Once, and where all loads come behind it; else it stays.
    if (AtEntry && Policies.contains(Making) && Made.insert(Making).second)
      continue;
    if (Line.starts_with("\t.reg .b64 "))
      Text += declaringFewer(Line, Policies.size());
    else if (Line.starts_with(Load) &&
             (Policy.empty() || Made.contains(Policy)))
      Text += withoutHint(Line) + "\n";
    else
      Text += (Line + "\n").str();
  }
  return Text;
}

StringMap<std::string> fuzz::kernelsWithoutHints(StringRef PTX) {
  static constexpr StringLiteral Entry = ".entry ";
  StringMap<std::string> Kernels;
  for (size_t At = PTX.find(Entry); At != StringRef::npos;
       At = PTX.find(Entry, At)) {
    StringRef Kernel = PTX.substr(At + Entry.size());
    Kernel = Kernel.take_front(Kernel.find("\n}"));
    At += Entry.size() + Kernel.size();
    Kernels[Kernel.take_until([](char C) { return C == '('; })] =
        withoutHints(Kernel);
  }
  return Kernels;
}

std::string fuzz::firstDifference(StringRef Plain, StringRef Hinted) {
  if (Plain == Hinted)
    return "";
  while (!Plain.empty() || !Hinted.empty()) {
    auto [Line, Rest] = Plain.split('\n');
    auto [HintedLine, HintedRest] = Hinted.split('\n');
    if (Line != HintedLine)
      return ("with hints '" + HintedLine.trim() + "' where there is '" +
              Line.trim() + "' without")
          .str();
    Plain = Rest;
    Hinted = HintedRest;
  }
  return "the end differs";
}
