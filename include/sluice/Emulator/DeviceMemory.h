// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The emulated GPU's global memory: every allocation with its limits, where it
/// was made and freed, and which of its bytes were ever written.
///
/// Addresses. Global memory has a window of addresses of its own, reserved
/// without access rights, so that host code which reads a device pointer faults
/// as it does with a GPU. The bytes lie at `address + DeviceToHost`. Memory
/// that the host may touch too (pinned, managed) is mapped at both places.
/// Memory of the host that is registered later (cudaHostRegister) gets the
/// device address `host address - DeviceToHost`, which is outside the window.

#ifndef SLUICE_EMULATOR_DEVICEMEMORY_H
#define SLUICE_EMULATOR_DEVICEMEMORY_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace sluice::emulator {

/// Added to a global device address to get the host address of its byte.
constexpr uint64_t DeviceToHost = uint64_t(0x1000) << 32;
/// The window of global device addresses.
constexpr uint64_t GlobalWindow = uint64_t(0x2000) << 32;
constexpr uint64_t GlobalWindowBytes = uint64_t(256) << 32; // 1 TiB
/// Generic addresses of shared memory, at most 1 GiB: window + offset.
constexpr uint64_t SharedWindow = uint64_t(0x1800) << 32;
/// Generic addresses of local memory (a thread's own), at most 1 GiB.
constexpr uint64_t LocalWindow = uint64_t(0x1900) << 32;
constexpr uint64_t PrivateWindowBytes = uint64_t(1) << 30;

enum class MemoryKind : uint8_t {
  Device,     ///< cudaMalloc and its like.
  Pinned,     ///< cudaMallocHost, cudaHostAlloc: the host may touch it.
  Managed,    ///< cudaMallocManaged: the host may touch it.
  Registered, ///< cudaHostRegister: the host's own memory.
  Variable,   ///< A __device__ or __constant__ variable.
  Parameters, ///< The kernel parameters of one launch.
  Heap,       ///< malloc in a kernel.
};

/// Where in the host program something was asked for: return addresses, the
/// innermost first, made readable only when they are printed.
struct HostPlace {
  uint64_t Frames[8] = {};

  /// The caller's stack. \p Skip innermost frames are left out.
  static HostPlace here(unsigned Skip = 1);
  /// "file.cu:12" of the innermost frame that has a line and is not in the
  /// toolkit's headers; empty if none has.
  std::string str() const;
};

/// Addresses are numbers here, and become pointers in this place only.
template <class T = void> T *pointerTo(uint64_t Address) {
  // The host program has the numbers as pointers: there is none to start from.
  return reinterpret_cast<T *>(Address); // NOLINT(performance-no-int-to-ptr)
}
/// Where the host sees a device address.
template <class T> T *hostPointer(uint64_t Address) {
  return pointerTo<T>(Address + DeviceToHost);
}

struct Allocation {
  uint64_t Begin = 0; ///< First device address.
  uint64_t End = 0;   ///< One past the last byte asked for.
  MemoryKind Kind = MemoryKind::Device;
  bool ReadOnly = false; ///< __constant__ variables, parameters.
  bool Freed = false;
  /// Every byte has been written; the shadow need not be looked at.
  bool Initialised = false;
  HostPlace Made;
  HostPlace Released;
  std::string Name; ///< Of a variable; else empty.
  /// Of the program's own buffers, from 1, in the order of their making.
  unsigned Number = 0;
  /// One bit for each byte, set once it was written. Null when Initialised or
  /// when uninitialised reads are not looked for.
  std::unique_ptr<uint8_t[]> Written;

  uint64_t bytes() const { return End - Begin; }
  bool contains(uint64_t Address, uint64_t Bytes) const {
    return Address >= Begin && Bytes <= End - Begin &&
           Address - Begin <= End - Begin - Bytes;
  }
  void *host() const { return hostPointer<void>(Begin); }
};

/// Thread-safe. Allocations stay where they are, also after they are freed: a
/// pointer to one stays valid, and a freed one explains a use after free. A
/// freed allocation's pages go back to the system and its addresses are not
/// used again.
class DeviceMemory {
public:
  /// \p CapacityBytes: what the emulated GPU has. \p TrackWritten: keep
  /// Allocation::Written.
  /// One at a time in a process.
  DeviceMemory(uint64_t CapacityBytes, bool TrackWritten);
  ~DeviceMemory();

  /// Called with each allocation before its bytes are given back.
  std::function<void(const Allocation &)> BeforeRelease;

  /// Zeroed pages on the host side, but counted as never written. Begins at a
  /// multiple of \p Align (at least 256), and is followed by at least 256
  /// addresses that belong to nothing. Null when the capacity is exhausted.
  /// 0 bytes is an error of the caller.
  Allocation *allocate(uint64_t Bytes, MemoryKind Kind, HostPlace Made,
                       uint64_t Align = 256);
  /// Registers memory of the host. Null if it overlaps what is registered.
  Allocation *registerHost(void *Host, uint64_t Bytes, HostPlace Made);
  /// Marks an allocation as freed and gives its pages back.
  void release(Allocation &A, HostPlace Released);

  /// The allocation whose [Begin, End) holds \p Address, else the nearest one
  /// that ends at most 4096 bytes before it or begins at most 4096 bytes after
  /// it (for messages), else null. May be a freed one.
  Allocation *find(uint64_t Address) const;
  /// The live allocation that begins at \p Address, or null.
  Allocation *findBegin(uint64_t Address) const;
  /// The live pinned, managed or registered allocation that the host sees at
  /// \p Host, or null.
  Allocation *findHost(const void *Host) const;

  /// Notes that the host or a copy wrote [Address, Address + Bytes).
  void markWritten(uint64_t Address, uint64_t Bytes);
  /// Drops the shadow of allocations whose bytes are all written: called after
  /// a launch, it makes later checks cheaper.
  void settle();

  uint64_t capacity() const { return Capacity; }
  uint64_t used() const { return Used; }
  bool tracksWritten() const { return TrackWritten; }
  /// Every live allocation of the kinds a program frees, by address.
  std::vector<const Allocation *> leaks() const;
  /// Every live allocation, by address.
  std::vector<Allocation *> live() const;

private:
  mutable std::mutex Lock;
  std::map<uint64_t, std::unique_ptr<Allocation>> ByBegin;
  uint64_t Capacity;
  uint64_t Used = 0;
  unsigned Buffers = 0;
  uint64_t Next; ///< First device address not yet given out.
  bool TrackWritten;
};

} // namespace sluice::emulator

#endif
