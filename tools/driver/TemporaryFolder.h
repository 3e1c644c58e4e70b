// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// A folder for what is needed only while a tool runs.

#ifndef SLUICE_TOOLS_TEMPORARYFOLDER_H
#define SLUICE_TOOLS_TEMPORARYFOLDER_H

#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include <string>

namespace sluice {

/// A folder that goes away with what is in it, also when the process is ended
/// by a signal it can hear. There may be several.
class TemporaryFolder {
public:
  TemporaryFolder() = default;
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;
  ~TemporaryFolder();

  llvm::Error create();
  /// \p Name in the folder.
  std::string file(const llvm::Twine &Name) const;

private:
  std::string Path;
};

} // namespace sluice

#endif
