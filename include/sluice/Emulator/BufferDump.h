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
#include <string>
#include <vector>

namespace sluice::emulator {

struct BufferContents {
  std::string Name; ///< "buffer 2 (app.cu:12)": the second that was allocated.
  bool OrderDependent = false; ///< Not compared.
  std::vector<uint8_t> Bytes;
};

/// A file of buffers: for each a line "BYTES NAME", its bytes, a line's end.
/// Buffers stand in it in the order in which they were freed, the others behind
/// them.
class BufferDump {
public:
  /// A file that cannot be written is the program's end, with a message.
  explicit BufferDump(const std::string &Path);
  ~BufferDump();
  BufferDump(const BufferDump &) = delete;
  BufferDump &operator=(const BufferDump &) = delete;

  /// Writes what the program can see: its buffers and variables; not a kernel's
  /// parameters or heap.
  void add(const Allocation &A);

private:
  std::FILE *File;
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
