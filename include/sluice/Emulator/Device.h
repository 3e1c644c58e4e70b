// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The emulated GPU as its runtime sees it: images are registered, kernels
/// launched, memory handed out. One for each process.

#ifndef SLUICE_EMULATOR_DEVICE_H
#define SLUICE_EMULATOR_DEVICE_H

#include "sluice/Emulator/DeviceMemory.h"
#include "sluice/Simulator/Simulator.h"
#include "sluice/Target/GPUModel.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <optional>
#include <string>

namespace sluice::emulator {

/// How to run, from the environment variable SLUICE_EMULATE, which `sluice
/// emulate` sets: "key=value" joined with ','. See parseEmulatorOptions.
struct EmulatorOptions {
  std::string GPU = "sm_90";
  bool CheckMemory = true;   ///< check=memory: uninitialised reads. (Limits and
                             ///< alignment are always looked at.)
  bool CheckRaces = false;   ///< check=races
  bool CheckOrder = false;   ///< check=order
  bool CheckLeaks = false;   ///< check=leaks
  bool FailFast = false;     ///< Exit at the first error.
  uint64_t ScheduleSeed = 0; ///< 0: blocks and warps in order.
  unsigned Threads = 0;      ///< CPU threads; 0: one for each core. 1 gives a
                             ///< fixed block order.
  uint64_t InstructionLimit = 0; ///< Lane-instructions a launch; 0: none.
  uint64_t MemoryBytes = uint64_t(16) << 30; ///< Of the emulated GPU.
  std::string ISA;         ///< Handlers: "", "base", "avx2" or "avx512".
  std::string Annotate;    ///< Write the annotated source listing here.
  std::string Histogram;   ///< Write the instruction histogram here.
  std::string Trace;       ///< Write the trace here.
  std::string Dump;        ///< Write every buffer's bytes here at exit.
  std::string Profile;     ///< Write the profile here (`sluice profile`).
  std::string AccessTrace; ///< Write the simulator's trace here.
  unsigned SMs = 0;        ///< Of the GPU; 0: as the model has.
  uint64_t L1KiB = 0;      ///< Of the simulated L1; 0: as the driver would.
  std::string Kernel;      ///< Profile kernels whose names hold this; all.
  std::string NotKernel;   ///< And do not hold this.
  unsigned EachLaunch = 1; ///< Of each kernel, every so many-th is profiled.
  unsigned Waves = 0;      ///< And of it so many waves of blocks; 0: all.
  bool Pairs = true;       ///< Profile pairs of loads.
  /// Simulate fewer warps that use the L1.
  bool CachedWarps = false;
  WarpScheduler Scheduler = WarpScheduler::LooseRoundRobin; ///< Simulated.
  /// Let the profiled loads pass stores, as `ld.global.nc` would.
  bool AssumeReadOnly = false;
  bool OnlySample = false; ///< Run the profiled blocks alone.
  bool Statistics = false; ///< Print lane-instructions and time of each launch.
};

/// The error names the key and lists those that exist, or the value.
llvm::Expected<EmulatorOptions> parseEmulatorOptions(llvm::StringRef Text);

struct Dim3 {
  unsigned X = 1, Y = 1, Z = 1;
  uint64_t count() const { return uint64_t(X) * Y * Z; }
};

struct LaunchShape {
  Dim3 Grid;
  Dim3 Block;
  Dim3 Cluster; ///< 1,1,1 when the launch has no clusters.
  uint64_t DynamicSharedBytes = 0;
  bool Cooperative = false; ///< All blocks are resident together.
  unsigned SMs = 0;         ///< That blocks run on; 0: the GPU's.
  /// Of shared memory, which limits the blocks of an SM. Empty: what they need.
  std::optional<unsigned> CarveoutPercent;
};

/// How a launch ended, to be made the runtime's error code.
enum class LaunchStatus {
  Success,
  InvalidConfiguration, ///< Zero or too many threads, blocks.
  OutOfResources,       ///< Too much shared memory, or a cooperative grid that
                        ///< cannot be resident.
  IllegalAddress,       ///< Out of bounds, use after free.
  MisalignedAddress,
  Assert,      ///< assert() failed.
  Trap,        ///< __trap() or unreachable code.
  Hang,        ///< Deadlock, or the instruction limit.
  CheckFailed, ///< A check that hardware does not make (race, uninitialised
               ///< read, barrier that is not reached). The kernel's other
               ///< effects stand.
  Unsupported, ///< Something the emulator cannot run; said on stderr.
};

/// The shared memory of a block whose kernel asks for no more.
constexpr uint64_t DefaultSharedBytes = uint64_t(48) * 1024;

/// What cudaFuncGetAttributes tells and the launch checks.
struct LoadedKernel {
  std::string Name; ///< As it is in the device image (mangled).
  uint64_t StaticSharedBytes = 0;
  uint64_t ConstantBytes = 0; ///< Of the module's __constant__ variables.
  uint64_t LocalBytes = 0;    ///< Of one thread.
  unsigned MaxThreadsPerBlock = 1024; ///< __launch_bounds__, or the chip's.
  unsigned Registers = 0;             ///< An estimate; labelled so.
  std::vector<unsigned> ParameterBytes;
  /// Set by cudaFuncSetAttribute; what a block may ask for dynamically.
  uint64_t MaxDynamicSharedBytes = DefaultSharedBytes;
  int PreferredCarveout = -1;
};

/// A __device__ or __constant__ variable.
struct VariableFacts {
  std::string Name;
  Allocation *Memory = nullptr;
};

/// Ended checks. What `sluice emulate` turns into its exit status.
struct EmulatorCounts {
  uint64_t Errors = 0; ///< Reports printed.
  uint64_t Launches = 0;
  uint64_t LaneInstructions = 0;
};

/// Thread-safe from the host program's side: one launch runs at a time, and is
/// finished when launch() returns.
class Device {
public:
  /// The process's device, made from $SLUICE_EMULATE on first use. Bad options
  /// end the process with a message.
  static Device &get();
  explicit Device(EmulatorOptions Options);
  ~Device();

  const EmulatorOptions &options() const;
  const GPUModel &model() const;
  DeviceMemory &memory();

  /// Takes a device image: an offload binary that holds LLVM bitcode. It is
  /// read when something in it is first asked for. Returns its number. Images
  /// that were registered with \p Linked form one program together
  /// (-fgpu-rdc): their kernels and variables may be asked for by any of their
  /// numbers.
  unsigned registerImage(llvm::StringRef Bytes, bool Linked = false);

  /// The kernel of that (mangled) name. The error says what is missing.
  llvm::Expected<LoadedKernel *> kernel(unsigned Image, llvm::StringRef Name);
  llvm::Expected<VariableFacts> variable(unsigned Image, llvm::StringRef Name);

  /// Runs a kernel to its end. \p Arguments: one pointer for each parameter,
  /// as cudaLaunchKernel has them. What goes wrong has been printed when this
  /// returns, with \p Where, the host line.
  LaunchStatus launch(LoadedKernel &Kernel, const LaunchShape &Shape,
                      void *const *Arguments, HostPlace Where);

  /// Largest number of resident blocks on one SM.
  unsigned residentBlocks(const LoadedKernel &Kernel, unsigned BlockThreads,
                          uint64_t DynamicSharedBytes) const;

  /// Emulated seconds since the device was made: what events record. Advances
  /// with the work done, by a stated crude rate; not a prediction.
  double emulatedSeconds() const;

  EmulatorCounts counts() const;
  /// Says on stderr what an error is, in the emulator's own form, and counts
  /// it: "sluice emulate: error: ...". Exits under fail-fast.
  void reportError(const std::string &Message);
  /// "sluice emulate: warning: ...", which is not an error; each text once.
  void reportWarning(const std::string &Message);

  /// What is due at the end of the program: leaks, listings, the dump. Returns
  /// false if an error was reported at any time. Called once, by the runtime.
  bool finish();

private:
  struct Impl;
  std::unique_ptr<Impl> I;
};

} // namespace sluice::emulator

#endif
