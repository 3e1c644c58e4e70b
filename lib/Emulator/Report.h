// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What the emulator found wrong, printed once for each kind and source line
/// and counted after that.

#ifndef SLUICE_LIB_EMULATOR_REPORT_H
#define SLUICE_LIB_EMULATOR_REPORT_H

#include "Program.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <map>
#include <mutex>

namespace sluice::emulator {

/// Thread-safe.
class Reporter {
public:
  explicit Reporter(bool FailFast) : FailFast(FailFast) {}
  ~Reporter();

  /// Prints "sluice emulate: error: \p What" and the lines below it, unless the
  /// same What was reported with the same \p Key.
  void error(const std::string &What, const std::string &Key,
             const std::vector<std::string> &Lines);
  /// Prints "sluice emulate: warning: " and the text, the first time it is
  /// called with \p Key. Warnings do not count as errors.
  void warnOnce(const void *Key, llvm::function_ref<std::string()> Text);
  uint64_t errors() const { return Errors; }
  /// Says how often each repeated report was left out.
  void summary();

private:
  std::mutex Lock;
  std::map<std::string, uint64_t> Seen;
  std::map<std::string, std::string> Heads;
  llvm::DenseSet<const void *> Warned;
  uint64_t Errors = 0;
  bool FailFast;
};

/// The source place of \p PC in the function that \p C runs.
const CodePlace &placeOf(const Context &C, const Instruction *PC);

/// Reports what a lane of a running warp did. \p Detail: further lines.
void reportLane(Context *C, const Instruction *PC, unsigned Lane,
                const std::string &What, std::vector<std::string> Detail,
                const uint64_t *Address = nullptr);

} // namespace sluice::emulator

#endif
