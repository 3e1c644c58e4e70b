// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Addresses are reserved with mmap, and pages come when they are touched.
// Allocations have gaps between them and are remembered when they are freed, so
// that an access that misses can be told with the buffer that it missed.

#include "sluice/Emulator/DeviceMemory.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

using namespace sluice::emulator;

static uint64_t alignUp(uint64_t V, uint64_t A) { return (V + A - 1) / A * A; }

static constexpr uint64_t PageBytes = 4096;
// Free addresses behind each allocation, so that running over its end falls
// into nothing.
static constexpr uint64_t Gap = 256;

// Both windows are reserved once for the process; pages appear when touched.
static void reserveWindows() {
  static const bool Done = [] {
    auto Reserve = [](uint64_t At, int Protection) {
      void *P = mmap(pointerTo(At), GlobalWindowBytes, Protection,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE |
                         MAP_FIXED_NOREPLACE,
                     -1, 0);
      if (P == pointerTo(At))
        return;
      std::fprintf(stderr,
                   "sluice emulate: error: the addresses that emulated device "
                   "memory needs are taken or limited (ulimit -v)\n");
      std::exit(1);
    };
    Reserve(GlobalWindow, PROT_NONE);
    Reserve(GlobalWindow + DeviceToHost, PROT_READ | PROT_WRITE);
    return true;
  }();
  (void)Done;
}

// In place of what is mapped there, which stays if the system cannot do it.
static void mapAnew(uint64_t At, uint64_t Bytes, int Protection) {
  [[maybe_unused]] void *Mapped =
      mmap(pointerTo(At), Bytes, Protection,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

DeviceMemory::DeviceMemory(uint64_t CapacityBytes, bool TrackWritten)
    : Capacity(CapacityBytes), Next(GlobalWindow), TrackWritten(TrackWritten) {
  reserveWindows();
}

// The next device of the process begins with zeroes again.
DeviceMemory::~DeviceMemory() {
  for (uint64_t At : {GlobalWindow, GlobalWindow + DeviceToHost})
    mapAnew(At, alignUp(Next - GlobalWindow, PageBytes),
            At == GlobalWindow ? PROT_NONE : PROT_READ | PROT_WRITE);
}

// Memory that the host sees too: the same pages at both addresses.
static bool shareWithHost(uint64_t Begin, uint64_t Bytes) {
  int FD = memfd_create("sluice-emulate", MFD_CLOEXEC);
  if (FD < 0)
    return false;
  bool Ok = ftruncate(FD, off_t(Bytes)) == 0;
  for (uint64_t At : {Begin, Begin + DeviceToHost})
    Ok = Ok && mmap(pointerTo(At), Bytes, PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_FIXED, FD, 0) != MAP_FAILED;
  close(FD);
  return Ok;
}

static bool isShared(MemoryKind K) {
  return K == MemoryKind::Pinned || K == MemoryKind::Managed;
}

Allocation *DeviceMemory::allocate(uint64_t Bytes, MemoryKind Kind,
                                   HostPlace Made, uint64_t Align) {
  std::lock_guard<std::mutex> Guard(Lock);
  if (Bytes > Capacity - std::min(Capacity, Used))
    return nullptr;
  // As cudaMalloc places it: which lines of an L1 two buffers meet in depends
  // on it. What is large has 2 MiB pages of its own.
  if (Kind == MemoryKind::Device)
    Align = std::max<uint64_t>(Align, Bytes >= 1 << 20 ? 2 << 20 : 512);
  Align = std::max<uint64_t>(Align, 256);
  if (isShared(Kind))
    Align = std::max(Align, PageBytes);
  uint64_t Begin = alignUp(Next, Align);
  uint64_t End = Begin + Bytes;
  uint64_t After = alignUp(End + Gap, isShared(Kind) ? PageBytes : 256);
  if (After > GlobalWindow + GlobalWindowBytes)
    return nullptr;
  if (isShared(Kind) && !shareWithHost(Begin, alignUp(Bytes, PageBytes)))
    return nullptr;
  Next = After;
  auto A = std::make_unique<Allocation>();
  A->Begin = Begin;
  A->End = End;
  A->Kind = Kind;
  A->Made = Made;
  if (isShared(Kind) || Kind == MemoryKind::Device)
    A->Number = ++Buffers;
  // The host may write shared memory unseen.
  A->Initialised = !TrackWritten || isShared(Kind);
  if (!A->Initialised)
    A->Written.reset(new uint8_t[(Bytes + 7) / 8]());
  Used += Bytes;
  Allocation *Raw = A.get();
  ByBegin[Begin] = std::move(A);
  return Raw;
}

Allocation *DeviceMemory::registerHost(void *Host, uint64_t Bytes,
                                       HostPlace Made) {
  std::lock_guard<std::mutex> Guard(Lock);
  uint64_t Begin = reinterpret_cast<uint64_t>(Host) - DeviceToHost;
  for (const auto &[Other, A] : ByBegin)
    if (A->Kind == MemoryKind::Registered && !A->Freed &&
        A->Begin < Begin + Bytes && Begin < A->End)
      return nullptr;
  auto A = std::make_unique<Allocation>();
  A->Begin = Begin;
  A->End = Begin + Bytes;
  A->Kind = MemoryKind::Registered;
  A->Initialised = true;
  A->Made = Made;
  A->Number = ++Buffers;
  Allocation *Raw = A.get();
  ByBegin[Begin] = std::move(A);
  return Raw;
}

void DeviceMemory::release(Allocation &A, HostPlace Released) {
  std::lock_guard<std::mutex> Guard(Lock);
  if (A.Freed)
    return;
  if (BeforeRelease)
    BeforeRelease(A);
  A.Freed = true;
  A.Released = Released;
  A.Written.reset();
  if (A.Kind == MemoryKind::Registered)
    return;
  Used -= A.bytes();
  // Whole pages that are this allocation's alone go back.
  uint64_t First = alignUp(A.Begin, PageBytes),
           Last = A.End / PageBytes * PageBytes;
  if (isShared(A.Kind)) {
    uint64_t Bytes = alignUp(A.bytes(), PageBytes);
    mapAnew(A.Begin, Bytes, PROT_NONE);
    mapAnew(A.Begin + DeviceToHost, Bytes, PROT_READ | PROT_WRITE);
  } else if (First < Last)
    madvise(hostPointer<void>(First), Last - First, MADV_DONTNEED);
  // A launch's parameters are never looked at again: do not keep a record of
  // each of a million launches.
  if (A.Kind == MemoryKind::Parameters)
    ByBegin.erase(A.Begin);
}

Allocation *DeviceMemory::find(uint64_t Address) const {
  std::lock_guard<std::mutex> Guard(Lock);
  auto After = ByBegin.upper_bound(Address);
  Allocation *Before = nullptr;
  if (After != ByBegin.begin()) {
    Before = std::prev(After)->second.get();
    if (Address < Before->End)
      return Before;
  }
  constexpr uint64_t Near = 4096;
  uint64_t Past = Before ? Address - Before->End : ~uint64_t(0),
           Ahead =
               After != ByBegin.end() ? After->first - Address : ~uint64_t(0);
  if (Past <= Near && Past <= Ahead)
    return Before;
  if (Ahead <= Near)
    return After->second.get();
  return nullptr;
}

Allocation *DeviceMemory::findBegin(uint64_t Address) const {
  std::lock_guard<std::mutex> Guard(Lock);
  auto It = ByBegin.find(Address);
  return It == ByBegin.end() || It->second->Freed ? nullptr : It->second.get();
}

Allocation *DeviceMemory::findHost(const void *Host) const {
  uint64_t H = reinterpret_cast<uint64_t>(Host);
  for (uint64_t Address : {H, H - DeviceToHost}) {
    Allocation *A = find(Address);
    if (!A || A->Freed || !A->contains(Address, 1))
      continue;
    if (Address == H ? isShared(A->Kind) : A->Kind == MemoryKind::Registered)
      return A;
  }
  return nullptr;
}

void DeviceMemory::markWritten(uint64_t Address, uint64_t Bytes) {
  Allocation *A = find(Address);
  if (!A || A->Freed || A->Initialised || !A->contains(Address, Bytes))
    return;
  if (Address == A->Begin && Bytes == A->bytes()) {
    A->Initialised = true;
    return;
  }
  uint64_t At = Address - A->Begin, End = At + Bytes;
  for (; At < End && At % 8; ++At)
    A->Written[At / 8] |= 1 << At % 8;
  if (End / 8 > At / 8)
    std::memset(&A->Written[At / 8], 0xff, End / 8 - At / 8);
  for (At = std::max(At, End / 8 * 8); At < End; ++At)
    A->Written[At / 8] |= 1 << At % 8;
}

void DeviceMemory::settle() {
  std::lock_guard<std::mutex> Guard(Lock);
  for (auto &[Begin, A] : ByBegin) {
    if (A->Initialised || A->Freed)
      continue;
    uint64_t Whole = A->bytes() / 8, Rest = A->bytes() % 8;
    const uint8_t *W = A->Written.get();
    bool All = std::all_of(W, W + Whole, [](uint8_t B) { return B == 0xff; }) &&
               (!Rest || (W[Whole] & ((1 << Rest) - 1)) == (1 << Rest) - 1);
    if (All) {
      A->Initialised = true;
      A->Written.reset();
    }
  }
}

std::vector<const Allocation *> DeviceMemory::leaks() const {
  std::lock_guard<std::mutex> Guard(Lock);
  std::vector<const Allocation *> All;
  for (const auto &[Begin, A] : ByBegin)
    if (!A->Freed &&
        (A->Kind == MemoryKind::Device || A->Kind == MemoryKind::Pinned ||
         A->Kind == MemoryKind::Managed))
      All.push_back(A.get());
  return All;
}

std::vector<Allocation *> DeviceMemory::live() const {
  std::lock_guard<std::mutex> Guard(Lock);
  std::vector<Allocation *> All;
  for (const auto &[Begin, A] : ByBegin)
    if (!A->Freed)
      All.push_back(A.get());
  return All;
}
