// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// From the records of an instrumented program that ran on a GPU to traces.

#ifndef SLUICE_SIMULATOR_RAWTRACE_H
#define SLUICE_SIMULATOR_RAWTRACE_H

#include "sluice/Simulator/Trace.h"
#include "sluice/Simulator/TraceControl.h"
#include "sluice/Simulator/TraceTable.h"

namespace sluice {

/// The trace of one launch of \p Kernel. Fails where \p Records are not of the
/// code that \p Table describes.
llvm::Expected<LaunchTrace> traceOfRecords(const TraceTable &Table,
                                           llvm::StringRef Kernel,
                                           const RawLaunchHeader &Launch,
                                           llvm::ArrayRef<uint32_t> Records);

/// The traces in the bytes of a file that the preloaded library wrote, behind
/// RawTraceMagic. \p Name: of the file, for errors.
llvm::Expected<Trace> readRawTrace(llvm::StringRef Bytes, llvm::StringRef Name);

} // namespace sluice

#endif
