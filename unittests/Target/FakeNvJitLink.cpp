// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A libnvJitLink on a machine with a driver, whose cache has seen all code: its
// log tells what a kernel takes only if the cache is not asked. One that KNOWS
// no such option refuses it, as versions without a cache do.

#include <cstdint>
#include <cstdlib>
#include <cstring>

static bool AsksCache;

static const char *infoLog() {
  return AsksCache ? "info    : 0 bytes gmem\n"
                   : "ptxas info    : Compiling entry function 'k' for "
                     "'sm_90'\n"
                     "ptxas info    : Used 40 registers, used 0 barriers\n";
}

extern "C" {
int nvJitLinkCreate(void **Handle, uint32_t Count, const char **Options) {
  AsksCache = KNOWS;
  for (uint32_t I = 0; I < Count; ++I)
    if (!std::strcmp(Options[I], "-no-cache")) {
      if (!KNOWS)
        return 1; // NVJITLINK_ERROR_UNRECOGNIZED_OPTION
      AsksCache = false;
    }
  *Handle = std::malloc(1);
  return 0;
}
int nvJitLinkDestroy(void **Handle) {
  std::free(*Handle);
  *Handle = nullptr;
  return 0;
}
int nvJitLinkAddData(void *, int, const void *, size_t, const char *) {
  return 0;
}
int nvJitLinkComplete(void *) { return 0; }
int nvJitLinkGetErrorLogSize(void *, size_t *Size) {
  *Size = 0;
  return 0;
}
int nvJitLinkGetErrorLog(void *, char *) { return 0; }
int nvJitLinkGetInfoLogSize(void *, size_t *Size) {
  *Size = std::strlen(infoLog()) + 1;
  return 0;
}
int nvJitLinkGetInfoLog(void *, char *Log) {
  std::strcpy(Log, infoLog());
  return 0;
}
}
