// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The report's numbers as JSON: what --json prints, and what the page has in it
// and shows. Charts are SVG in it, so that the page draws nothing itself.

#include "ReportData.h"
#include "RecordedRemarks.h"
#include "sluice/Analysis/FunctionText.h"
#include "sluice/Target/Occupancy.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>

using namespace llvm;
using namespace sluice;

/// Names and messages of compilers and users are not always UTF-8.
static void writeText(json::OStream &J, StringRef Key, StringRef Text) {
  J.attribute(Key, json::fixUTF8(Text));
}

static void writeTime(json::OStream &J, StringRef Key,
                      const std::optional<double> &Milliseconds) {
  if (Milliseconds)
    J.attribute(Key, *Milliseconds);
}

//===- Remarks ------------------------------------------------------------===//

static void writeRemarks(json::OStream &J, ArrayRef<RecordedRemark> Remarks,
                         StringRef Function) {
  J.attributeArray("remarks", [&] {
    for (const RecordedRemark &R : Remarks) {
      if (R.Function != Function)
        continue;
      J.object([&] {
        J.attribute("kind", R.Kind);
        writeText(J, "pass", R.Pass);
        writeText(J, "file", R.File);
        J.attribute("line", R.Line);
        J.attribute("column", R.Column);
        writeText(J, "message", R.Message);
      });
    }
  });
}

//===- A kernel -----------------------------------------------------------===//

namespace {

/// What is known of one kernel.
struct KernelInputs {
  const KernelPlan &Plan;
  const XKernel *X = nullptr;
  const KernelProfile *Run = nullptr;
  std::vector<Alternative> Alternatives;
};

class Writer {
public:
  Writer(json::OStream &J, const ReportInputs &In)
      : J(J), In(In), Remarks(In.Code.Sluice.Remarks) {}
  void write();

private:
  KernelInputs inputsOf(const KernelPlan &Plan) const;
  void writeKernel(const KernelInputs &K);
  void writeTimes(const KernelInputs &K);
  void writeOccupancy(const KernelInputs &K);
  void writeLines(const KernelInputs &K);
  void writeAccesses(const KernelProfile &Run);
  void writeWhys(const KernelPlan &Plan);
  void writeAlternatives(const KernelInputs &K);
  void writeChart(StringRef Key, const std::optional<Chart> &Drawn,
                  StringRef InWords);
  void writeMissing();

  json::OStream &J;
  const ReportInputs &In;
  ArrayRef<RecordedRemark> Remarks;
};

} // namespace

KernelInputs Writer::inputsOf(const KernelPlan &Plan) const {
  KernelInputs K{Plan, nullptr, nullptr, {}};
  for (const XKernel &X : In.X.Kernels)
    if (X.X.Name == Plan.Name)
      K.X = &X;
  K.Run = In.Run ? In.Run->kernel(Plan.Name) : nullptr;
  if (K.X)
    K.Alternatives = alternativesOf(
        *K.X, Plan, K.X->X.IsProfiled ? K.Run : nullptr, In.Measured);
  return K;
}

void Writer::writeChart(StringRef Key, const std::optional<Chart> &Drawn,
                        StringRef InWords) {
  if (Drawn)
    J.attribute(Key, json::fixUTF8(Drawn->inlined(InWords)));
}

/// By the simulator before the X-model; what was measured before both.
static std::optional<double> timeOf(const Alternative &A) {
  return A.Measured ? A.Measured : A.Simulated ? A.Simulated : A.ByXModel;
}

void Writer::writeTimes(const KernelInputs &K) {
  if (!K.Run || K.Run->Time.Nanoseconds == 0)
    return;
  const double Now = double(K.Run->Time.Nanoseconds) / 1e6;
  J.attribute("ms", Now);
  J.attribute("bound-by", nameOfUnit(K.Run->Time.boundBy()));
  uint64_t Launches = 0;
  for (const LaunchProfile &L : K.Run->Launches)
    Launches += L.Launches;
  J.attribute("launches", Launches);
  if (K.Alternatives.empty())
    return;
  // Compared with the time of the same source as it is.
  const Alternative &AsIs = K.Alternatives.front();
  const Alternative *Best = &AsIs;
  double BestShare = 1;
  for (const Alternative &A : drop_begin(K.Alternatives)) {
    std::optional<double> Share;
    if (A.Measured && AsIs.Measured)
      Share = *A.Measured / *AsIs.Measured;
    else if (A.Simulated && AsIs.Simulated)
      Share = *A.Simulated / *AsIs.Simulated;
    if (Share && *Share < BestShare) {
      BestShare = *Share;
      Best = &A;
    }
  }
  J.attribute("best", json::fixUTF8(Best->What));
  J.attribute("best-is-decided", Best->IsDecided);
  J.attribute("best-is-measured", Best->Measured && AsIs.Measured);
  J.attribute("ms-with-best", Now * BestShare);
  J.attribute("ms-to-win", Now * (1 - BestShare));
}

void Writer::writeOccupancy(const KernelInputs &K) {
  auto GPU = findGPUModel(In.Code.Sluice.Decided.GPU);
  if (!GPU)
    return consumeError(GPU.takeError());
  J.attributeObject("occupancy", [&] {
    // Of the code that was run, or else of the plan's.
    const unsigned Registers =
        K.Run && K.Run->Registers ? K.Run->Registers : K.Plan.Registers;
    J.attribute("registers", Registers);
    J.attribute("registers-from",
                K.Run && K.Run->Registers ? "profile" : K.Plan.RegistersFrom);
    J.attribute("static-shared-bytes", K.Plan.StaticSharedBytes);
    J.attribute("most-warps", (*GPU)->MaxWarps);
    if (!K.X)
      return;
    const LaunchX &L = K.X->X.Launch;
    J.attribute("blocks", L.BlocksPerSM);
    J.attribute("warps", L.warps());
    J.attribute("warps-per-block", L.WarpsPerBlock);
    J.attribute("grid-blocks", L.GridBlocks);
    J.attribute("l1-bytes", L.L1Bytes);
    std::string LimitedBy = L.LimitedBy;
    if (LimitedBy.empty()) {
      BlockResources Block;
      Block.ThreadsPerBlock = L.WarpsPerBlock * (*GPU)->WarpSize;
      Block.RegistersPerThread = Registers;
      Block.StaticSharedBytes = K.Plan.StaticSharedBytes;
      auto O = computeOccupancy(
          **GPU, Block,
          L.GridBlocks ? std::optional<uint64_t>(L.GridBlocks) : std::nullopt,
          K.X->X.SMs);
      if (O)
        LimitedBy = O->LimitedBy;
      else
        consumeError(O.takeError());
    }
    writeText(J, "limited-by", LimitedBy);
  });
}

/// The lines of the source that are the kernel's: by its profile, or around
/// what the plan and remarks say of it.
void Writer::writeLines(const KernelInputs &K) {
  unsigned First = 0, Last = 0;
  if (K.Run && K.Run->FirstLine && K.Run->File == In.SourceName) {
    First = K.Run->FirstLine;
    Last = K.Run->LastLine;
  } else {
    auto Include = [&](StringRef File, unsigned Line) {
      if (!Line || File != In.SourceName)
        return;
      First = First ? std::min(First, Line) : Line;
      Last = std::max(Last, Line);
    };
    for (const LoopPlan &L : K.Plan.Loops) {
      Include(L.Id.kernelPlace().File, L.Id.kernelPlace().Line);
      for (const AccessPlan &A : L.Accesses)
        Include(A.Id.kernelPlace().File, A.Id.kernelPlace().Line);
    }
    for (const RecordedRemark &R : Remarks)
      if (R.Function == K.Plan.Name)
        Include(R.File, R.Line);
    if (First) {
      First -= std::min(First - 1, 4u);
      Last += 4;
    }
  }
  J.attribute("first-line", First);
  J.attribute("last-line", Last);
}

void Writer::writeAccesses(const KernelProfile &Run) {
  uint64_t Misses = 0;
  for (const AccessProfile &A : Run.Accesses)
    Misses += A.Counts.misses();
  J.attributeArray("accesses", [&] {
    for (const AccessProfile &A : Run.Accesses) {
      const AccessCounts &C = A.Counts;
      // Of what another file has, the call in this one.
      const SourcePlace *Place = &A.Id.Place;
      for (const SourcePlace &Call : A.Id.InlinedAt)
        if (Place->File != In.SourceName)
          Place = &Call;
      J.object([&] {
        writeText(J, "file", Place->File);
        J.attribute("line", Place->Line);
        J.attribute("column", Place->Column);
        writeText(J, "at", A.Id.str());
        J.attribute("kind", A.Kind);
        J.attribute("bytes", A.Bytes);
        J.attribute("requests", C.Requests);
        J.attribute("lines", C.Lines);
        J.attribute("sectors", C.Sectors);
        J.attribute("hits", C.Hits);
        J.attribute("pending-hits", C.PendingHits);
        J.attribute("misses", C.misses());
        J.attribute("dram-sectors", C.DRAMSectors);
        J.attribute("useful-bytes", C.UsefulBytes);
        J.attribute("share-of-misses",
                    Misses ? double(C.misses()) / double(Misses) : 0.0);
      });
    }
  });
}

/// What the plan says of each decision, in its own words.
void Writer::writeWhys(const KernelPlan &Plan) {
  J.attributeArray("decisions", [&] {
    auto Say = [&](StringRef Of, const std::string &Where, unsigned Line,
                   const std::string &Why) {
      if (Why.empty())
        return;
      J.object([&] {
        J.attribute("of", Of);
        writeText(J, "at", Where);
        J.attribute("line", Line);
        writeText(J, "why", Why);
      });
    };
    Say("blocks", "", 0, Plan.BlocksWhy);
    Say("carveout", "", 0, Plan.CarveoutWhy);
    Say("registers", "", 0, Plan.RegistersWhy);
    Say("warp bypass", "", 0, Plan.BypassWhy);
    Say("approximate warps", "", 0, Plan.SfuWhy);
    for (const LoopPlan &L : Plan.Loops) {
      const SourcePlace &At = L.Id.kernelPlace();
      const unsigned Line = At.File == In.SourceName ? At.Line : 0;
      Say(formatv("throttle: N = {0}", L.WarpGroups).str(), L.Id.str(), Line,
          L.Why);
      Say("sums in registers", L.Id.str(), Line, L.PromoteWhy);
      Say("rows in shared memory", L.Id.str(), Line, L.StagedWhy);
      Say("rows in registers", L.Id.str(), Line, L.WidenedWhy);
      Say("lines of threads", L.Id.str(), Line, L.LinesWhy);
      Say("loads in flight", L.Id.str(), Line, L.UnrollWhy);
    }
    for (const LoadPlan &L : Plan.Loads)
      Say(L.Hint.str(), L.Id.str(),
          L.Id.Place.File == In.SourceName ? L.Id.Place.Line : 0, L.Why);
  });
}

void Writer::writeAlternatives(const KernelInputs &K) {
  J.attributeArray("alternatives", [&] {
    for (const Alternative &A : K.Alternatives) {
      if (!timeOf(A))
        continue;
      J.object([&] {
        writeText(J, "what", A.What);
        for (const TimeSource &From : TimeSources)
          writeTime(J, From.Key, A.*From.Time);
        J.attribute("decided", A.IsDecided);
      });
    }
  });
}

/// The text of \p Kernel in \p PTX, without what says where code is from: both
/// compiles do not say that alike.
static std::string ptxOf(StringRef PTX, StringRef Kernel) {
  const size_t At = PTX.find((".entry " + Kernel + "(").str());
  if (At == StringRef::npos)
    return {};
  StringRef Rest = PTX.drop_front(At);
  Rest = Rest.take_front(Rest.find("\n}") + 2);
  std::string Text;
  while (!Rest.empty()) {
    StringRef Line;
    std::tie(Line, Rest) = Rest.split('\n');
    const StringRef Code = Line.trim();
    if (Code.starts_with(".loc") || Code.starts_with("$L__tmp") ||
        Code.starts_with("$L__func_") || Code.starts_with("//"))
      continue;
    Text += (Line.rtrim() + "\n").str();
  }
  return Text;
}

void Writer::writeKernel(const KernelInputs &K) {
  J.object([&] {
    writeText(J, "name", K.Plan.Name);
    writeText(J, "display", K.Plan.DisplayName);
    writeText(J, "signature", demangle(K.Plan.Name));
    writeTimes(K);
    writeLines(K);
    writeOccupancy(K);
    if (K.X) {
      J.attributeBegin("x-model");
      writeXKernel(J, *K.X);
      J.attributeEnd();
      const std::string Words = describeXGraph(*K.X);
      writeText(J, "x-graph-words", Words);
      writeChart("x-graph", drawXGraph(*K.X), Words);
      const KernelProfile *Run = K.X->X.IsProfiled ? K.Run : nullptr;
      writeChart("roofline", drawRoofline(*K.X, Run),
                 "Instructions a cycle over instructions for each byte, with "
                 "what issue, the L1, the L2 and DRAM can give.");
      writeChart("reuse", drawReuse(*K.X, Run),
                 "How many other lines come between two touches of a line.");
      writeChart("sweep", drawSweep(K.Alternatives),
                 "Predicted and measured times with turns and fewer blocks.");
      for (const MeasuredSweep &Sweep : drawMeasuredSweeps(K.Alternatives))
        writeChart(Sweep.Key, Sweep.Drawn, Sweep.InWords);
    }
    if (K.Run)
      writeAccesses(*K.Run);
    writeAlternatives(K);
    writeWhys(K.Plan);
    writeRemarks(J, Remarks, K.Plan.Name);
    writeText(J, "ptx-before", ptxOf(In.Code.Plain.PTX, K.Plan.Name));
    writeText(J, "ptx-after", ptxOf(In.Code.Sluice.PTX, K.Plan.Name));
  });
}

//===- The whole ----------------------------------------------------------===//

/// What else could be shown, and how to get it.
void Writer::writeMissing() {
  J.attributeArray("missing", [&] {
    const std::string &Source = In.SourceName;
    if (!In.Run)
      J.value(formatv("No profile was given, so that there are no times, hits, "
                      "rooflines and reuse distances. Take one without a GPU: "
                      "sluice profile {0} --sluice-transforms=off "
                      "--output=profile.yaml -- arguments; then add "
                      "--profile=profile.yaml.",
                      Source)
                  .str());
    if (!In.HasStore)
      J.value(formatv("No measured times of plans: sluice tune {0} -- "
                      "arguments, on a machine with a GPU, keeps them in "
                      "sluice-tune.db; then add --store=sluice-tune.db.",
                      Source)
                  .str());
    for (const std::string &Why : In.X.Without)
      J.value(json::fixUTF8(Why));
  });
}

void Writer::write() {
  const Plan &Decided = In.Code.Sluice.Decided;
  J.object([&] {
    J.attribute("sluice-report", 1);
    writeText(J, "source", In.SourceName);
    writeText(J, "gpu", Decided.GPU);
    if (!Decided.Chip.empty())
      writeText(J, "chip", Decided.Chip);
    J.attribute("sms", Decided.SMs);
    if (In.Run)
      J.attributeObject("profile", [&] {
        writeText(J, "origin", In.Run->Origin);
        J.attribute("runs", In.Run->Runs);
      });
    std::string GPU;
    for (const MeasuredTime &T : In.Measured)
      GPU = T.GPU;
    if (!GPU.empty())
      writeText(J, "measured-on", GPU);
    writeMissing();
    J.attributeArray("kernels", [&] {
      for (const KernelPlan &Kernel : Decided.Kernels)
        writeKernel(inputsOf(Kernel));
    });
    // What no kernel has: of the whole file.
    writeRemarks(J, Remarks, "");
    writeText(J, "text", In.SourceText);
  });
}

void sluice::writeReportData(json::OStream &J, const ReportInputs &In) {
  Writer(J, In).write();
}
