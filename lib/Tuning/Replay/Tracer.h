// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Lets an instrumented program record what its kernels do (docs/passes/
/// trace.md), and keeps the records in a file.

#ifndef SLUICE_TUNING_REPLAY_TRACER_H
#define SLUICE_TUNING_REPLAY_TRACER_H

#include "CudaDevice.h"
#include "sluice/Simulator/TraceControl.h"
#include <fstream>

namespace sluice::replay {

class Tracer {
public:
  /// The tracer that $SLUICE_TRACE, a file's name, asks for; null: none.
  static Tracer *get();

  /// Runs the launch, traced if it is one of its kernel's first. The program's
  /// status.
  CUresult launch(const Launch &L);

private:
  struct Count {
    unsigned Launches = 0, Traced = 0;
    uint64_t Bytes = 0;
    double TracedMs = 0;
    std::vector<float> OtherMs;
    bool HasCode = true; ///< It was compiled with trace=gpu.
  };
  /// Where a kernel's image keeps its variables.
  struct Variables {
    CUdeviceptr Control = 0, Table = 0;
    size_t TableBytes = 0;
  };

  Tracer(const Driver &CUDA, const char *Path);
  bool find(const Launch &L, Variables &Of) const;
  bool makeBuffer();
  float run(const Launch &L, CUresult &Status);
  void keep(const Launch &L, const Variables &Of,
            const sluice::TraceControl &Control, Count &C);
  void report() const;

  const Driver &CUDA;
  std::string Path;
  std::ofstream Out;
  uint64_t BufferBytes;
  unsigned MostLaunches;
  std::map<CUcontext, CUdeviceptr> Buffers;
  CUdeviceptr Buffer = 0; ///< Of the launch's context.
  std::map<std::string, Count> Counts;
};

} // namespace sluice::replay

#endif
