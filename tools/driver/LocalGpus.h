// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The GPUs of this machine, as NVIDIA's driver tells them.

#ifndef SLUICE_TOOLS_LOCALGPUS_H
#define SLUICE_TOOLS_LOCALGPUS_H

#include <string>
#include <vector>

namespace sluice {

struct LocalGpu {
  std::string Name;         ///< "NVIDIA H100 80GB HBM3"
  std::string Architecture; ///< "sm_90"
};

struct LocalDriver {
  unsigned CudaVersion = 0; ///< Its newest, 13000 for 13.0; 0: no driver.
  std::vector<LocalGpu> Gpus;
  std::string Problem; ///< Why there is no driver, or no GPU.
};

/// Loads libcuda.so.1 and asks it.
LocalDriver askDriver();

} // namespace sluice

#endif
