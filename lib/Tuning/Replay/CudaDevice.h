// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The replayer's Device on the CUDA driver, for one intercepted launch.

#ifndef SLUICE_TUNING_REPLAY_CUDADEVICE_H
#define SLUICE_TUNING_REPLAY_CUDADEVICE_H

#include "Driver.h"
#include "Job.h"
#include "Replayer.h"
#include "sluice/Target/MergedBlocks.h"
#include "sluice/Target/ShortRows.h"
#include <map>
#include <memory>

namespace sluice::replay {

/// What a launch is made again with.
struct Relaunched {
  CUfunction Function = nullptr;
  unsigned Claim = 0; ///< Bytes of dynamic shared memory in addition.
  /// If it has a row, the function does the work of several blocks in one, and
  /// has one more than the program's so many parameters.
  MergedLaunch Merged = {};
  unsigned Parameters = 0;
};

/// A launch the program made. Relaunch makes it again.
struct Launch {
  std::string Kernel;          ///< Mangled name.
  CUlibrary Library = nullptr; ///< The program's, or
  CUmodule Module = nullptr;   ///< its module.
  CUfunction Function = nullptr;
  CUstream Stream = nullptr;
  void **Parameters = nullptr; ///< As cuLaunchKernel has them; null: unknown.
  unsigned Grid[3] = {}, Block[3] = {}, SharedBytes = 0;
  std::function<CUresult(const Relaunched &)> Relaunch;
};

/// The candidates' images, loaded when first needed.
class Images {
public:
  Images(const Driver &CUDA, const Job &TheJob) : CUDA(CUDA), TheJob(TheJob) {}

  /// Its code for a kernel in the current context; no function: it has none. An
  /// image that cannot be loaded is reported once.
  Relaunched code(size_t Candidate, const Launch &Of);

  /// Variables of the candidate beside the program's of the same name.
  struct Variable {
    CUdeviceptr Own, Programs;
    size_t Bytes;
  };
  std::vector<Variable> variables(size_t Candidate, const Launch &Of);

private:
  struct Image {
    CUlibrary Library = nullptr;
    std::vector<std::string> Globals;
    /// The kernels of which several blocks may be one.
    std::map<std::string, MergedForm> Merged;
    std::map<std::string, ShortRowsForm> Short;
  };
  const Image &image(size_t Candidate);

  const Driver &CUDA;
  const Job &TheJob;
  std::map<std::string, Image> Loaded;
};

class CudaDevice : public Device {
public:
  CudaDevice(const Driver &CUDA, const Job &TheJob, Images &Code,
             const Launch &Of, std::vector<Buffer> Allocations);

  /// Whether the replayer's own kernels and memory are there: without them no
  /// difference would be seen.
  bool isReady();
  std::vector<Buffer> buffers() override;
  std::optional<uint64_t> allocate(size_t Bytes) override;
  void release(uint64_t Address) override;
  void copy(uint64_t To, uint64_t From, size_t Bytes) override;
  uint64_t differing(uint64_t A, uint64_t B, size_t Bytes) override;
  Run launch(size_t Candidate, bool Cold) override;

private:
  struct Tools; ///< What is made once for each context.
  Tools &tools();
  void emptyCaches();

  const Driver &CUDA;
  const Job &TheJob;
  Images &Code;
  const Launch &Of;
  std::vector<Buffer> Allocations;
};

} // namespace sluice::replay

#endif
