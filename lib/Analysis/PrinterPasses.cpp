// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the analyses find, as text for tests and for people. The launch that a
// footprint is of is a parameter of the pass: a module has none.
//
// And the option that lets LLVM_DEBUG speak, in all of Sluice.

#include "sluice/Analysis/PrinterPasses.h"
#include "sluice/Analysis/AccessAnalysis.h"
#include "sluice/Analysis/KernelFunction.h"
#include "sluice/Analysis/LoopFootprint.h"
#include "sluice/Analysis/StreamAnalysis.h"
#include "sluice/Target/GPUModel.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Function.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Debug.h"
#include "llvm/Support/raw_ostream.h"

using namespace sluice;
using namespace llvm;

#ifndef NDEBUG
/// An LLVM without assertions, as Debian's, has no -debug-only, but all that
/// this sets. Once, where both plugins are loaded.
[[maybe_unused]] static const bool HasDebugOnly = [] {
  static constexpr char Name[] = "sluice-debug-only";
  if (cl::getRegisteredOptions().contains(Name))
    return false;
  static cl::list<std::string> Types(
      Name, cl::CommaSeparated, cl::Hidden, cl::value_desc("sluice-promote"),
      cl::desc("Debug output of these DEBUG_TYPEs"),
      cl::callback([](const std::string &) {
        SmallVector<const char *> Names;
        for (const std::string &Type : Types)
          Names.push_back(Type.c_str());
        DebugFlag = true;
        setCurrentDebugTypes(Names.data(), unsigned(Names.size()));
      }));
  return true;
}();
#endif

void sluice::printAccessPatterns(const KernelFacts &Kernel, raw_ostream &OS) {
  OS << "kernel " << Kernel.Name << "\n";
  for (unsigned L = 0; L < Kernel.Loops.size(); ++L) {
    const LoopFacts &Loop = Kernel.Loops[L];
    OS << "  loop i" << L << " at " << Loop.Id.str();
    if (Loop.Parent)
      OS << " in i" << *Loop.Parent;
    OS << ", iterations ";
    if (Loop.TripCount)
      OS << *Loop.TripCount;
    else
      OS << (Loop.TripForm.str() == "0" ? "?" : Loop.TripForm.str());
    OS << "\n";
    for (const AccessPattern &A : Loop.Accesses) {
      OS << "    " << (A.IsStore ? "store " : "load ") << A.Bytes << " B at "
         << A.Id.str() << ": " << A.Address.str()
         << (A.isIndirect() ? " (indirect)" : "")
         << (isTooLarge(Kernel, A) ? " (too large to follow)" : "");
      for (const AddressForm &Guard : A.OnlyWhereZero)
        OS << " (where 0 is " << Guard.str() << ")";
      OS << "\n";
    }
  }
}

static KernelFacts factsOf(Function &F, FunctionAnalysisManager &FAM) {
  KernelFacts Kernel;
  Kernel.Name = F.getName().str();
  analyzeAccesses(FAM.getResult<LoopAnalysis>(F),
                  FAM.getResult<ScalarEvolutionAnalysis>(F), Kernel);
  return Kernel;
}

namespace {

struct AccessPatternPrinter : PassInfoMixin<AccessPatternPrinter> {
  PreservedAnalyses run(Function &F, FunctionAnalysisManager &FAM) {
    if (isKernel(F))
      printAccessPatterns(factsOf(F, FAM), errs());
    return PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

struct StreamPrinter : PassInfoMixin<StreamPrinter> {
  PreservedAnalyses run(Function &F, FunctionAnalysisManager &FAM) {
    if (isKernel(F)) {
      const KernelFacts Kernel = factsOf(F, FAM);
      printStreams(Kernel, findStreams(F, FAM, Kernel), errs());
    }
    return PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

/// Footprints of one thread block under a launch given as parameters.
class FootprintPrinter : public PassInfoMixin<FootprintPrinter> {
public:
  FootprintPrinter(const GPUModel &GPU, LaunchConfig Launch)
      : GPU(&GPU), Launch(std::move(Launch)) {}

  PreservedAnalyses run(Function &F, FunctionAnalysisManager &FAM) {
    if (isKernel(F))
      print(factsOf(F, FAM), errs());
    return PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }

private:
  void print(const KernelFacts &Kernel, raw_ostream &OS) const;

  const GPUModel *GPU;
  LaunchConfig Launch;
};

} // namespace

void FootprintPrinter::print(const KernelFacts &Kernel, raw_ostream &OS) const {
  OS << "kernel " << Kernel.Name << " on " << GPU->Name << "\n";
  for (unsigned L = 0; L < Kernel.Loops.size(); ++L) {
    LoopFootprint Footprint = computeLoopFootprint(Kernel, L, Launch, *GPU);
    OS << "  loop i" << L << " at " << Kernel.Loops[L].Id.str() << ": ";
    if (!Footprint.Unknown.empty()) {
      OS << "unknown, " << Footprint.Unknown << "\n";
      continue;
    }
    OS << (Footprint.UnknownDistance ? "at most " : "")
       << Footprint.linesPerBlock(1) << " lines a block"
       << ifNote(Footprint.OnlyIf)
       << (Footprint.HasReuse ? ", with reuse" : ", no reuse") << "\n";
    for (const AccessFootprint &A : Footprint.Accesses) {
      OS << "    " << (A.Access->IsStore ? "store" : "load") << " at "
         << A.Access->Id.str() << ": " << A.LinesPerWarp << " lines and "
         << A.SectorsPerWarp << " sectors a warp, " << A.LinesPerBlock
         << " lines a block, stride ";
      if (A.IterationStride)
        OS << *A.IterationStride << " B";
      else
        OS << "unknown";
      OS << (A.Assumed ? " (assumed)" : A.UnknownDistance ? " (at most)" : "");
      if (A.MostLinesPerBlock != 0)
        OS << " (at most " << A.MostLinesPerBlock << " lines a block)";
      if (!A.OnlyIf.empty())
        OS << " (if " << str(A.OnlyIf) << ")";
      OS << "\n";
    }
  }
}

/// "gpu=sm_90;grid=1056;block=256"; each may be left out.
static std::optional<FootprintPrinter> parseFootprintPrinter(StringRef Text) {
  const GPUModel *GPU = cantFail(findGPUModel("sm_90"));
  LaunchConfig Launch;
  Launch.Grid = LaunchDim::known(1);
  Launch.Block = LaunchDim::known(256);
  while (!Text.empty()) {
    auto [Item, Rest] = Text.split(';');
    auto [Key, Value] = Item.split('=');
    bool Ok = true;
    if (Key == "gpu") {
      auto Found = findGPUModel(Value);
      if (Found)
        GPU = *Found;
      else {
        errs() << "print<sluice-footprints>: " << toString(Found.takeError())
               << "\n";
        return std::nullopt;
      }
    } else if (Key == "grid") {
      Ok = parseDim(Value, Launch.Grid);
    } else if (Key == "block") {
      Ok = parseDim(Value, Launch.Block) && *Launch.Block.total() <= 1024;
    } else {
      Ok = false;
    }
    if (!Ok) {
      errs() << "print<sluice-footprints>: invalid parameter '" << Item
             << "'; valid are gpu=NAME, grid=XxYxZ, "
                "block=XxYxZ of at most 1024 threads\n";
      return std::nullopt;
    }
    Text = Rest;
  }
  return FootprintPrinter(*GPU, std::move(Launch));
}

void sluice::registerPrinterPasses(PassBuilder &PB) {
  PB.registerPipelineParsingCallback(
      [](StringRef Name, FunctionPassManager &FPM,
         ArrayRef<PassBuilder::PipelineElement>) {
        if (Name == "print<sluice-access-patterns>") {
          FPM.addPass(AccessPatternPrinter());
          return true;
        }
        if (Name == "print<sluice-streams>") {
          FPM.addPass(StreamPrinter());
          return true;
        }
        if (!Name.consume_front("print<sluice-footprints>"))
          return false;
        if (Name.consume_front("<") && !Name.consume_back(">"))
          return false;
        auto Printer = parseFootprintPrinter(Name);
        if (!Printer)
          return false;
        FPM.addPass(std::move(*Printer));
        return true;
      });
}
