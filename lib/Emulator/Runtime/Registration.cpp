// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What clang's host code calls before main: images, kernels and variables are
// made known. And what is due when the program ends.

#include "Runtime.h"
#include "llvm/Support/Error.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <unistd.h>

using namespace sluice::emulator;
using namespace sluice::emulator::runtime;

namespace {

struct Registered {
  unsigned Image;
  std::string Name;
  LoadedKernel *Kernel = nullptr;
  Allocation *Variable = nullptr;
  bool Failed = false;
};

struct Tables {
  std::mutex Lock;
  std::map<const void *, Registered> Kernels, Variables;
};

Tables &tables() {
  static Tables *T = new Tables; // outlives static destructors
  return *T;
}

// The wrapper that clang makes around an image: magic, version, data.
struct FatBinary {
  int Magic, Version;
  const char *Data;
  void *Unused;
};

void finishProgram(int Status, void *) {
  std::fflush(stdout);
  if (!Device::get().finish() && Status == 0) {
    std::fflush(nullptr);
    _exit(86);
  }
}

// Before main, so that it runs after the program's own exit handlers.
__attribute__((constructor)) void prepareExit() {
  on_exit(finishProgram, nullptr);
}

// An offload binary says its own size; bare bitcode does not.
llvm::StringRef imageBytes(const char *Data) {
  struct {
    unsigned char Magic[4];
    uint32_t Version;
    uint64_t Size;
  } Header;
  std::memcpy(&Header, Data, sizeof Header);
  const unsigned char Magic[4] = {0x10, 0xFF, 0x10, 0xAD};
  if (std::memcmp(Header.Magic, Magic, 4) != 0)
    return "";
  return llvm::StringRef(Data, Header.Size);
}

} // namespace

LoadedKernel *sluice::emulator::runtime::kernelOf(const void *Host) {
  Tables &T = tables();
  std::lock_guard<std::mutex> Guard(T.Lock);
  auto It = T.Kernels.find(Host);
  if (It == T.Kernels.end())
    return nullptr;
  Registered &R = It->second;
  if (!R.Kernel && !R.Failed) {
    auto K = Device::get().kernel(R.Image, R.Name);
    if (K)
      R.Kernel = *K;
    else {
      R.Failed = true;
      Device::get().reportError(llvm::toString(K.takeError()));
    }
  }
  return R.Kernel;
}

const char *sluice::emulator::runtime::kernelNameOf(const void *Host) {
  Tables &T = tables();
  std::lock_guard<std::mutex> Guard(T.Lock);
  auto It = T.Kernels.find(Host);
  return It == T.Kernels.end() ? nullptr : It->second.Name.c_str();
}

Allocation *sluice::emulator::runtime::variableOf(const void *Host) {
  Tables &T = tables();
  std::lock_guard<std::mutex> Guard(T.Lock);
  auto It = T.Variables.find(Host);
  if (It == T.Variables.end())
    return nullptr;
  Registered &R = It->second;
  if (!R.Variable && !R.Failed) {
    auto V = Device::get().variable(R.Image, R.Name);
    if (V)
      R.Variable = V->Memory;
    else {
      R.Failed = true;
      Device::get().reportError(llvm::toString(V.takeError()));
    }
  }
  return R.Variable;
}

extern "C" {

// The names that clang's host code calls.
// NOLINTBEGIN(bugprone-reserved-identifier)
void **__cudaRegisterFatBinary(void *Wrapper) {
  auto *W = static_cast<FatBinary *>(Wrapper);
  llvm::StringRef Bytes = imageBytes(W->Data);
  unsigned Number = Device::get().registerImage(Bytes);
  return pointerTo<void *>(uint64_t(Number) + 1);
}
void __cudaRegisterFatBinaryEnd(void **) {}
void __cudaUnregisterFatBinary(void **) {}

void __cudaRegisterFunction(void **Handle, const char *Host, char *,
                            const char *Name, int, void *, void *, void *,
                            void *, int *) {
  Tables &T = tables();
  std::lock_guard<std::mutex> Guard(T.Lock);
  T.Kernels[Host] = {unsigned(uintptr_t(Handle) - 1), Name};
}
void __cudaRegisterVar(void **Handle, char *Host, char *, const char *Name, int,
                       size_t, int, int) {
  Tables &T = tables();
  std::lock_guard<std::mutex> Guard(T.Lock);
  T.Variables[Host] = {unsigned(uintptr_t(Handle) - 1), Name};
}
void __cudaRegisterManagedVar(...) {}
void __cudaRegisterTexture(...) {}
void __cudaRegisterSurface(...) {}
char __cudaInitModule(void **) { return 1; }
// NOLINTEND(bugprone-reserved-identifier)

/// The images and entries of a program that was built with -fgpu-rdc: see
/// lib/Emulator/LinkedStart. Entries are LLVM's offloading entries.
void sluiceRegisterLinkedImages(const char *ImagesBegin, const char *ImagesEnd,
                                const void *EntriesBegin,
                                const void *EntriesEnd) {
  struct Entry {
    uint64_t Reserved;
    uint16_t Version, Kind;
    uint32_t Flags;
    void *Address;
    char *Name;
    uint64_t Size, Data;
    void *Auxiliary;
  };
  unsigned Number = 0;
  bool Any = false;
  for (const char *At = ImagesBegin; At + 16 < ImagesEnd;) {
    llvm::StringRef Bytes = imageBytes(At);
    if (Bytes.empty()) {
      At += 8;
      continue;
    }
    Number = Device::get().registerImage(Bytes, /*Linked=*/true);
    Any = true;
    At += (Bytes.size() + 7) & ~size_t(7);
  }
  if (!Any)
    return;
  Tables &T = tables();
  std::lock_guard<std::mutex> Guard(T.Lock);
  for (auto *E = static_cast<const Entry *>(EntriesBegin);
       E < static_cast<const Entry *>(EntriesEnd); ++E) {
    if (!E->Address || !E->Name)
      continue;
    (E->Size ? T.Variables : T.Kernels)[E->Address] = {Number, E->Name};
  }
}

} // extern "C"
