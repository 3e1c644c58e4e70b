// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The bytes that a program left in its buffers, written down and compared: how
/// differential tests know that a transform changed no result.

#ifndef SLUICE_EMULATOR_BUFFERDUMP_H
#define SLUICE_EMULATOR_BUFFERDUMP_H

#include "sluice/Emulator/DeviceMemory.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <cstdio>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace sluice::emulator {

/// A pointer into a buffer was an argument of a launch.
struct BufferUse {
  std::string Kernel;    ///< Mangled.
  unsigned Index = 0;    ///< Of the argument, from 0.
  bool MayWrite = false; ///< Through this argument.
  std::string Parameter; ///< Its name; empty: the code has none.

  friend bool operator<(const BufferUse &A, const BufferUse &B) {
    return A.Kernel != B.Kernel ? A.Kernel < B.Kernel : A.Index < B.Index;
  }
};

struct BufferContents {
  std::string Name; ///< "buffer 2 (app.cu:12)": the second that was allocated.
  bool OrderDependent = false; ///< Not compared.
  std::vector<uint8_t> Bytes;
  std::vector<BufferUse> Uses = {}; ///< Up to its end, each once.
};

/// A file of buffers: for each a line "BYTES NAME", its bytes, a line's end.
/// Behind the name "KERNEL INDEX r|w [PARAMETER]" for each use, with a tab
/// before it. Buffers stand in it in the order in which they were freed, the
/// others behind them.
class BufferDump {
public:
  /// A file that cannot be written is the program's end, with a message.
  explicit BufferDump(const std::string &Path);
  ~BufferDump();
  BufferDump(const BufferDump &) = delete;
  BufferDump &operator=(const BufferDump &) = delete;

  /// Notes a use, which is written with \p A.
  void passed(const Allocation &A, BufferUse Use);
  /// Writes what the program can see: its buffers and variables; not a kernel's
  /// parameters or heap.
  void add(const Allocation &A);

private:
  std::FILE *File;
  std::map<const Allocation *, std::set<BufferUse>> Uses;
};

/// The error names the file.
llvm::Expected<std::vector<BufferContents>>
readBufferDump(llvm::StringRef Path);

/// Empty if both have the same buffers with the same bytes, except those that
/// depend on order; else a line for each buffer that differs, with the place of
/// its first differing byte. Buffers are matched by what stands before " (" in
/// their names.
std::string differences(llvm::ArrayRef<BufferContents> Before,
                        llvm::ArrayRef<BufferContents> After);

} // namespace sluice::emulator

#endif
