// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CudaLibraries.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Regex.h"

using namespace sluice;
using namespace llvm;

StringRef sluice::libraryName(StringRef Text) {
  StringRef File = sys::path::filename(Text);
  if (!File.consume_front("lib"))
    return "";
  for (StringRef Ending : {".so", ".a"})
    if (size_t At = File.find(Ending); At != StringRef::npos) {
      StringRef Rest = File.drop_front(At + Ending.size());
      if (Rest.empty() || Rest.starts_with("."))
        return File.take_front(At);
    }
  return "";
}

bool sluice::isRuntimeLibrary(StringRef Name) {
  return Name == "cudart" || Name == "cudart_static" || Name == "cudadevrt" ||
         Name == "culibos";
}

// A prefix and what its variants add ("cublasLt_static", "nppif").
bool sluice::isMissingLibrary(StringRef Name) {
  Name.consume_back("_static");
  if (StringSwitch<bool>(Name)
          .Cases({"cuda", "nvidia-ml", "cupti", "nvJitLink", "nccl"}, true)
          .Cases({"nvjpeg", "cutensor", "nvrtc-builtins", "nvptxcompiler"},
                 true)
          .Default(false))
    return true;
  for (StringRef Prefix :
       {"cublas", "cufft", "curand", "cusparse", "cusolver", "nvrtc", "cudnn"})
    if (Name.starts_with(Prefix))
      return true;
  static const Regex NPP("^npp(c|i[a-z]*|s)?$");
  return NPP.match(Name);
}
