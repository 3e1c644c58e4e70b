// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The assembler may fuse `mul.f32` with `add.f32`, and neither with a rounding
// that is written down, `mul.rn.f32`. So the same code is assembled twice, once
// with all of them as written down, and nothing else is different.

#include "WrittenRounding.h"
#include "sluice/Target/AssemblyCache.h"
#include "sluice/Transforms/PlanMetadata.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace sluice;

/// \p PTX with products and sums that are not fused.
static std::string unfused(StringRef PTX) {
  std::string Text;
  Text.reserve(PTX.size() + PTX.size() / 16);
  for (StringRef Line : split(PTX, '\n')) {
    const StringRef Code = Line.ltrim();
    for (StringRef Name : {"mul.f", "add.f", "sub.f"})
      if (Code.starts_with(Name)) {
        Text += Name.take_front(Name.size() - 1).str() + "rn.";
        Line = Code.drop_front(Name.size() - 1);
        break;
      }
    Text += Line;
    Text += '\n';
  }
  return Text;
}

Expected<std::string> sluice::whyAssemblerFuses(StringRef Kernel, StringRef PTX,
                                                StringRef Arch,
                                                const AttachedPlan &Attached) {
  auto Cache = AssemblyCache::open(compilersAssembler(/*CudaPath=*/""),
                                   Attached.Opts.AssemblyCacheFolder);
  if (!Cache)
    return Cache.takeError();
  auto Code =
      Cache->assembleAll({{PTX.str(), Arch.str()}, {unfused(PTX), Arch.str()}});
  if (!Code)
    return Code.takeError();
  const AssembledKernel AsIs = (*Code)[0].lookup(Kernel),
                        Unfused = (*Code)[1].lookup(Kernel);
  if (!AsIs.Instructions || !Unfused.Instructions)
    return "the assembler's code cannot be read";
  if (AsIs.Sums != Unfused.Sums || AsIs.FusedSums != Unfused.FusedSums)
    return "the assembler fuses a product that LLVM does not";
  return "";
}
