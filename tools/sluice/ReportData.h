// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What `sluice report` shows, before it is a page.

#ifndef SLUICE_TOOLS_SLUICE_REPORTDATA_H
#define SLUICE_TOOLS_SLUICE_REPORTDATA_H

#include "XKernels.h"
#include "sluice/Analysis/Profile.h"
#include "llvm/Support/JSON.h"
#include <optional>
#include <string>
#include <vector>

namespace sluice {

/// A time of one launch that somebody measured.
struct MeasuredTime {
  std::string Kernel; ///< Mangled.
  std::string What;   ///< A plan of the tuner, or a variant: "untuned".
  double Milliseconds = 0;
  std::string GPU;
};

/// Of \p Kernels, from the tuner's store \p Path: the median of each plan's
/// launches, of the last code and arguments that were tuned.
llvm::Expected<std::vector<MeasuredTime>>
timesOfStore(const std::string &Path, llvm::ArrayRef<std::string> Kernels);
/// Likewise from results of benchmarks/run (docs/internals/benchmarks.md), of
/// the program \p Program where there are several with such a kernel.
llvm::Expected<std::vector<MeasuredTime>>
timesOfResults(llvm::StringRef Path, llvm::StringRef Program,
               llvm::ArrayRef<std::string> Kernels);

/// The file \p Path, which errors name.
llvm::Expected<llvm::json::Value> readJSON(llvm::StringRef Path);

/// A kernel of such results.
struct ResultsKernel {
  std::string Program, Name; ///< The name is mangled.
  std::vector<MeasuredTime> Times;
};
/// All of \p Results, the file \p Path; an error if it has no programs.
llvm::Expected<std::vector<ResultsKernel>>
kernelsOfResults(const llvm::json::Object &Results, llvm::StringRef Path);

struct ReportInputs {
  BothCompiles Code;
  XKernels X;
  std::optional<Profile> Run;
  std::string SourceName, SourceText;
  std::vector<MeasuredTime> Measured;
  bool HasStore = false, HasResults = false; ///< They were given.
};

/// Another way to run a kernel, with what is known of its time.
struct Alternative {
  enum KindTy {
    AsIs,
    Turns,
    Blocks,
    Carveout,
    Hints,
    Rows,
    Registers,        ///< A limit, of a thread.
    CachedWarps,      ///< Of a block, the others bypass the L1: pi.
    CachedWarpsAlone, ///< Likewise, in clang's code.
    ApproximateWarps, ///< Of a block, by the SFU: lambda.
    Other
  };
  KindTy Kind = Other;
  std::string What;    ///< "N = 4 at app.cu:30:3"
  unsigned Number = 0; ///< Of its kind, or per cent; as it is: blocks on an SM.
  std::optional<double> Simulated, ByXModel, Measured; ///< Milliseconds.
  bool IsDecided = false;
};

/// Where times are from, the best first, and how they are called: in the
/// report's JSON, and to people.
struct TimeSource {
  std::optional<double> Alternative::*Time;
  llvm::StringLiteral Key, Name;
};
inline constexpr TimeSource TimeSources[] = {
    {&Alternative::Measured, "ms-measured", "measured"},
    {&Alternative::Simulated, "ms-simulated", "simulator"},
    {&Alternative::ByXModel, "ms-x-model", "X-model"}};

/// Those of \p X, with \p Plan's decisions marked. \p Of is its profile; null:
/// there is none.
std::vector<Alternative> alternativesOf(const XKernel &X,
                                        const KernelPlan &Plan,
                                        const KernelProfile *Of,
                                        llvm::ArrayRef<MeasuredTime> Measured);

/// The times over N and over M; none if there are none.
std::optional<Chart> drawSweep(llvm::ArrayRef<Alternative> Alternatives);
/// The measured times over what else is a number: registers, cached warps and
/// approximate warps. Key is of the report's JSON.
struct MeasuredSweep {
  llvm::StringRef Key, InWords;
  Chart Drawn;
};
/// Those with two points and more.
std::vector<MeasuredSweep>
drawMeasuredSweeps(llvm::ArrayRef<Alternative> Alternatives);
/// Instructions a cycle over instructions for each byte, at the L1's look-ups,
/// at the L2 and at DRAM. None: \p Of has no time.
std::optional<Chart> drawRoofline(const XKernel &X, const KernelProfile *Of);
/// How many lines are touched between two touches of one. None: nothing is.
std::optional<Chart> drawReuse(const XKernel &X, const KernelProfile *Of);

/// The whole, an object.
void writeReportData(llvm::json::OStream &J, const ReportInputs &In);

} // namespace sluice

#endif
