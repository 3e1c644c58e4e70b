// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Only a driver that the program has loaded itself is used: a program without
// CUDA stays one.

#include "Driver.h"
#include <dlfcn.h>

using namespace sluice::replay;

std::string Driver::describe(CUresult Status) const {
  const char *Text = nullptr;
  if (cuGetErrorString(Status, &Text) != CUDA_SUCCESS || !Text)
    return "CUDA error " + std::to_string(Status);
  return Text;
}

const Driver *sluice::replay::findDriver(std::string &Missing) {
  static auto &FirstMissing = *new std::string; // for launches at exit
  static const Driver Found = [] {
    Driver D;
    void *Library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
#define SLUICE_FIND(Name)                                                      \
  D.Name = reinterpret_cast<decltype(D.Name)>(                                 \
      Library ? realDlsym(Library, #Name) : nullptr);
#define SLUICE_DEMAND(Name)                                                    \
  if (!D.Name && FirstMissing.empty())                                         \
    FirstMissing = #Name;
    SLUICE_DRIVER_FUNCTIONS(SLUICE_FIND)
    SLUICE_OPTIONAL_DRIVER_FUNCTIONS(SLUICE_FIND)
    SLUICE_DRIVER_FUNCTIONS(SLUICE_DEMAND)
#undef SLUICE_FIND
#undef SLUICE_DEMAND
    return D;
  }();
  Missing = FirstMissing;
  return Missing.empty() ? &Found : nullptr;
}
