// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The X-models of a file's kernels, from a compile and a profile: what
/// `sluice xmodel` prints and `sluice report` shows.

#ifndef SLUICE_TOOLS_SLUICE_XKERNELS_H
#define SLUICE_TOOLS_SLUICE_XKERNELS_H

#include "Chart.h"
#include "DeviceCompile.h"
#include "sluice/XModel/PlannedMoves.h"
#include "llvm/Support/JSON.h"
#include <optional>

namespace sluice {

/// The file as it is written, and as Sluice makes it.
struct BothCompiles {
  DeviceCode Plain, Sluice;
};

/// Compiles twice, at the same time. With \p ProfileFile Sluice plans with it.
llvm::Expected<BothCompiles> compileBoth(std::vector<std::string> Options,
                                         llvm::StringRef ProfileFile,
                                         RemarksWanted Remarks,
                                         const char *Argv0);

/// The profile \p Path, with its places moved to where they are in \p Source
/// now. An error if it is of another source or GPU than \p Code. A kernel whose
/// text has changed is left out, and that is said on standard error.
llvm::Expected<Profile> profileFor(const DeviceCode &Code,
                                   llvm::StringRef Source, llvm::StringRef Path,
                                   llvm::StringRef Tool);

/// A kernel's graph, with what was decided and what could be.
struct XKernel {
  KernelX X;
  std::string DisplayName;
  std::vector<Move> Possible, Planned;
  std::vector<Intersection> At; ///< All.
  Intersection Settled;
};

struct XKernels {
  std::vector<XKernel> Kernels;
  /// Kernels without a graph, as a sentence each.
  std::vector<std::string> Without;
};

/// Of the kernels of \p Code; with \p Kernel of that alone, an error if there
/// is none.
llvm::Expected<XKernels> xKernels(const BothCompiles &Code, const Profile *P,
                                  llvm::StringRef Kernel);

Chart drawXGraph(const XKernel &K);
/// The same in words.
std::string describeXGraph(const XKernel &K);
void printXKernel(llvm::raw_ostream &OS, const XKernel &K);
/// An object, into \p J.
void writeXKernel(llvm::json::OStream &J, const XKernel &K);

} // namespace sluice

#endif
