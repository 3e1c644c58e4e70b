// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Runs the kernels of an IR module without a host program, as a description
/// says: what differential tests of passes and the fuzzer use.

#ifndef SLUICE_EMULATOR_MODULERUN_H
#define SLUICE_EMULATOR_MODULERUN_H

#include "sluice/Emulator/BufferDump.h"
#include "sluice/Emulator/Device.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"
#include <string>
#include <vector>

namespace sluice::emulator {

/// What a buffer or an argument consists of.
enum class ElementType : uint8_t { I8, I16, I32, I64, F32, F64 };

/// What a buffer holds before the first launch.
enum class BufferFill : uint8_t {
  Uninitialised, ///< Reading it before it is written is an error.
  Zero,
  Iota,   ///< Element i is Low + i.
  Random, ///< Uniform in [Low, High], from the buffer's seed.
};

struct ModuleBuffer {
  std::string Name;
  ElementType Type = ElementType::F32;
  uint64_t Elements = 0;
  BufferFill Fill = BufferFill::Zero;
  double Low = 0, High = 1; ///< Of Iota and Random.
  uint64_t Seed = 1;        ///< Of Random.
  /// Its bytes may depend on the order of blocks and warps (float atomics): not
  /// compared.
  bool OrderDependent = false;

  uint64_t bytes() const;
};

/// One kernel argument: a buffer's address, the bytes of a value, or several of
/// these one after another (a struct by value).
struct ModuleArgument {
  std::string Buffer;                  ///< Empty: a value.
  llvm::SmallVector<uint8_t, 8> Value; ///< In the GPU's byte order.

  std::vector<ModuleArgument> Parts; ///< If there are any, the above is unused.

  static ModuleArgument buffer(llvm::StringRef Name);
  template <class T> static ModuleArgument value(T V) {
    ModuleArgument A;
    auto *Bytes = reinterpret_cast<const uint8_t *>(&V);
    A.Value.assign(Bytes, Bytes + sizeof(T));
    return A;
  }
};

struct ModuleLaunch {
  std::string Kernel; ///< Mangled.
  LaunchShape Shape;
  std::vector<ModuleArgument> Arguments;
};

struct ModuleDescription {
  std::vector<ModuleBuffer> Buffers;
  std::vector<ModuleLaunch> Launches; ///< In order.
};

/// What a run left.
struct ModuleResult {
  /// In the description's order, then the module's variables.
  std::vector<BufferContents> Buffers;
  std::vector<LaunchStatus> Launches;
  EmulatorCounts Counts; ///< Errors have been printed on stderr.
};

/// Reads a description in YAML (docs/emulator.md, "A module without a host
/// program"). The error has file, line and column.
llvm::Expected<ModuleDescription>
readModuleDescription(llvm::MemoryBufferRef YAML);

/// Runs \p Module, the bytes of device bitcode or of textual IR, on a device of
/// its own. Fails if the module does not parse, a kernel or a buffer is missing
/// or the arguments do not have the sizes of the kernel's parameters; what goes
/// wrong inside a launch is in the result.
llvm::Expected<ModuleResult> runModule(llvm::StringRef Module,
                                       const ModuleDescription &Description,
                                       const EmulatorOptions &Options);

/// As for their buffers (BufferDump.h).
inline std::string differences(const ModuleResult &Before,
                               const ModuleResult &After) {
  return differences(Before.Buffers, After.Buffers);
}

} // namespace sluice::emulator

#endif
