// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lines of the host program, for reports.

#include "sluice/Emulator/DeviceMemory.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/DebugInfo/Symbolize/Symbolize.h"
#include <dlfcn.h>
#include <execinfo.h>
#include <mutex>

using namespace sluice::emulator;
using namespace llvm;

HostPlace HostPlace::here(unsigned Skip) {
  void *Frames[24];
  int N = backtrace(Frames, 24);
  HostPlace P;
  for (int I = int(Skip) + 1, J = 0; I < N && J < 8; ++I, ++J)
    P.Frames[J] = reinterpret_cast<uint64_t>(Frames[I]);
  return P;
}

std::string HostPlace::str() const {
  static std::mutex Lock;
  std::lock_guard<std::mutex> Guard(Lock);
  static auto *Symbolizer = new symbolize::LLVMSymbolizer();
  static const void *Self = [] {
    Dl_info I;
    return dladdr(reinterpret_cast<void *>(&HostPlace::here), &I) ? I.dli_fbase
                                                                  : nullptr;
  }();
  for (uint64_t Frame : Frames) {
    Dl_info Info;
    if (!Frame || !dladdr(pointerTo(Frame), &Info) || Info.dli_fbase == Self ||
        !Info.dli_fname)
      continue;
    // A return address is behind its call. Programs that are not position
    // independent have their addresses as they are.
    uint64_t Base = reinterpret_cast<uint64_t>(Info.dli_fbase);
    uint64_t Offset = Frame - 1 - (Base < 0x10000000 ? 0 : Base);
    auto Found = Symbolizer->symbolizeInlinedCode(
        StringRef(Info.dli_fname),
        {Offset, object::SectionedAddress::UndefSection});
    if (!Found) {
      consumeError(Found.takeError());
      continue;
    }
    for (unsigned I = 0; I < Found->getNumberOfFrames(); ++I) {
      const DILineInfo &L = Found->getFrame(I);
      StringRef File = L.FileName;
      if (!L.Line || File == DILineInfo::BadString ||
          File.contains("cuda_runtime") || File.contains("/crt/") ||
          File.contains("cuda_device_runtime") ||
          File.contains("__clang_cuda") ||
          StringRef(L.FunctionName).contains("__device_stub__"))
        continue;
      StringRef Name = File.substr(File.rfind('/') + 1);
      return (Name + ":" + Twine(L.Line)).str();
    }
  }
  return "";
}
