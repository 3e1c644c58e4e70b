// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A CUDA program: a kernel that updates its array in place, launched five times
// and checked after each. It finds the driver's functions
//
//   program proc-address   as the CUDA runtime does: with cuGetProcAddress;
//                          launches go by CUkernel
//   program dlsym          one by one; launches go by a module's CUfunction
//   program managed        as the first, and has some managed memory
//   program at-exit        as the first; a static object launches once more and
//                          frees when the program ends

#include <cstdio>
#include <cstring>
#include <cuda.h>
#include <dlfcn.h>
#include <functional>
#include <vector>

static void *Driver;
static decltype(&cuGetProcAddress) GetProcAddress;

template <typename T>
static void find(T &Function, const char *Name, const char *Symbol) {
  void *Found = nullptr;
  if (GetProcAddress)
    GetProcAddress(Name, &Found, 12000, 0, nullptr);
  else
    Found = dlsym(Driver, Symbol);
  if (!Found)
    std::printf("there is no %s\n", Name);
  Function = reinterpret_cast<T>(Found);
}

/// As a global container with device memory does.
static struct AtExit {
  std::function<void()> Do;
  ~AtExit() {
    if (Do)
      Do();
  }
} Last;

#define TEXT_OF(Symbol) #Symbol
#define TEXT(Symbol) TEXT_OF(Symbol)
// cuda.h's macros make the symbol of the name.
#define FIND(Variable, Name)                                                   \
  decltype(&Name) Variable;                                                    \
  find(Variable, #Name, TEXT(Name))

int main(int, char **Arguments) {
  const bool ByDlsym = !std::strcmp(Arguments[1], "dlsym");
  const bool Managed = !std::strcmp(Arguments[1], "managed");
  Driver = dlopen("libcuda.so.1", RTLD_NOW);
  if (!Driver) {
    std::printf("%s\n", dlerror());
    return 1;
  }
  if (!ByDlsym) {
    GetProcAddress = reinterpret_cast<decltype(&cuGetProcAddress)>(
        dlsym(Driver, "cuGetProcAddress_v2"));
    FIND(Again, cuGetProcAddress); // As the runtime does.
    GetProcAddress = Again;
  }
  FIND(Init, cuInit);
  FIND(Alloc, cuMemAlloc);
  FIND(AllocManaged, cuMemAllocManaged);
  FIND(Free, cuMemFree);
  FIND(CopyBack, cuMemcpyDtoH);
  FIND(Launch, cuLaunchKernel);
  Init(0);

  CUfunction Fill = nullptr, Accumulate = nullptr;
  if (ByDlsym) {
    FIND(Load, cuModuleLoadData);
    FIND(Get, cuModuleGetFunction);
    CUmodule Module = nullptr;
    Load(&Module, "program");
    Get(&Fill, Module, "fill");
    Get(&Accumulate, Module, "accumulate");
  } else {
    FIND(Load, cuLibraryLoadData);
    FIND(Get, cuLibraryGetKernel);
    CUlibrary Library = nullptr;
    CUkernel Kernels[2] = {};
    Load(&Library, "program", nullptr, nullptr, 0, nullptr, nullptr, 0);
    Get(&Kernels[0], Library, "fill");
    Get(&Kernels[1], Library, "accumulate");
    Fill = reinterpret_cast<CUfunction>(Kernels[0]);
    Accumulate = reinterpret_cast<CUfunction>(Kernels[1]);
  }

  int Count = 2048, FewCount = 3;
  CUdeviceptr Data = 0, Few = 0, Shared = 0;
  Alloc(&Data, Count * sizeof(float));
  Alloc(&Few, FewCount * sizeof(float));
  if (Managed)
    AllocManaged(&Shared, 4096, CU_MEM_ATTACH_GLOBAL);
  void *OfData[] = {&Data, &Count}, *OfFew[] = {&Few, &FewCount};
  Launch(Fill, 1, 1, 1, 32, 1, 1, 0, nullptr, OfData, nullptr);
  Launch(Fill, 1, 1, 1, 32, 1, 1, 0, nullptr, OfFew, nullptr);

  std::vector<float> Expected(Count, 1), Found(Count);
  for (int Number = 0; Number < 5; ++Number) {
    CUresult Status =
        Launch(Accumulate, 8, 1, 1, 256, 1, 1, 0, nullptr, OfData, nullptr);
    CopyBack(Found.data(), Data, Count * sizeof(float));
    for (int I = 0; I < Count; ++I)
      Expected[I] = Expected[I] / 2 + float(I);
    std::printf("launch %d: status %d, %s, last element %g\n", Number, Status,
                Found == Expected ? "right" : "wrong", Found.back());
  }
  CopyBack(Found.data(), Few, FewCount * sizeof(float));
  std::printf("untouched: %g %g %g\n", Found[0], Found[1], Found[2]);
  auto Finish = [=]() mutable {
    Free(Data);
    Free(Few);
  };
  if (std::strcmp(Arguments[1], "at-exit"))
    Finish();
  else
    Last.Do = [=]() mutable {
      void *Again[] = {&Data, &Count};
      Launch(Accumulate, 8, 1, 1, 256, 1, 1, 0, nullptr, Again, nullptr);
      CopyBack(Found.data(), Data, Count * sizeof(float));
      std::printf("at exit: last element %g\n", Found.back());
      Finish();
    };
}
