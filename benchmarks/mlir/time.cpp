// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times matvec's kernels from several compilers, in turns, and says whether
// they store what the first does.
//
//   time KERNEL:CUBIN...
//
// KERNEL is main_kernel, which MLIR makes and which takes memrefs, or matvec.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <string>
#include <vector>

static constexpr int64_t Rows = 270336, Columns = 512;
static constexpr int Rounds = 25;

static void check(CUresult Result, const char *What) {
  if (Result == CUDA_SUCCESS)
    return;
  const char *Text = "";
  cuGetErrorString(Result, &Text);
  std::fprintf(stderr, "%s: %s\n", What, Text);
  std::exit(1);
}
#define CHECK(Call) check(Call, #Call)

static CUdeviceptr toDevice(const std::vector<float> &Values) {
  CUdeviceptr Where;
  CHECK(cuMemAlloc(&Where, Values.size() * 4));
  CHECK(cuMemcpyHtoD(Where, Values.data(), Values.size() * 4));
  return Where;
}

struct Version {
  std::string Name, Path; ///< Of the kernel, and of its cubin.
  CUfunction Kernel = nullptr;
  std::vector<float> Times, Result = std::vector<float>(Rows);
};

int main(int ArgC, char **ArgV) {
  CUdevice Device;
  CUcontext Context;
  CHECK(cuInit(0));
  CHECK(cuDeviceGet(&Device, 0));
  CHECK(cuDevicePrimaryCtxRetain(&Context, Device));
  CHECK(cuCtxSetCurrent(Context));
  char Name[128];
  CHECK(cuDeviceGetName(Name, sizeof Name, Device));
  std::printf("# %s\nkernel,cubin,median ms,least ms,result\n", Name);

  std::vector<Version> Versions;
  for (int I = 1; I < ArgC; ++I) {
    const std::string Argument = ArgV[I];
    const size_t Colon = Argument.find(':');
    if (Colon == std::string::npos) {
      std::fprintf(stderr, "%s: say KERNEL:CUBIN\n", ArgV[I]);
      return 2;
    }
    Version V;
    V.Name = Argument.substr(0, Colon);
    V.Path = Argument.substr(Colon + 1);
    CUmodule Module;
    CHECK(cuModuleLoad(&Module, V.Path.c_str()));
    CHECK(cuModuleGetFunction(&V.Kernel, Module, V.Name.c_str()));
    Versions.push_back(V);
  }

  unsigned Seed = 7;
  std::vector<float> Values(Rows * Columns);
  for (float &V : Values) {
    Seed = Seed * 1664525u + 1013904223u;
    V = float(Seed >> 8) / 8388608.0f - 1.0f;
  }
  CUdeviceptr A = toDevice(Values);
  CUdeviceptr X = toDevice({Values.begin(), Values.begin() + Columns});
  CUdeviceptr Y = toDevice(std::vector<float>(Rows));
  int64_t Zero = 0, One = 1, AllRows = Rows, AllColumns = Columns;
  // A memref is two pointers, an offset, sizes and strides.
  void *Memrefs[] = {&A,   &A, &Zero, &AllRows, &AllColumns, &AllColumns,
                     &One, &X, &X,    &Zero,    &AllColumns, &One,
                     &Y,   &Y, &Zero, &AllRows, &One};
  void *Pointers[] = {&A, &X, &Y};

  CUevent Start, Stop;
  CHECK(cuEventCreate(&Start, CU_EVENT_DEFAULT));
  CHECK(cuEventCreate(&Stop, CU_EVENT_DEFAULT));
  for (int Round = -1; Round < Rounds; ++Round)
    for (Version &V : Versions) {
      CHECK(cuMemsetD32(Y, 0, Rows));
      CHECK(cuEventRecord(Start, nullptr));
      CHECK(cuLaunchKernel(V.Kernel, Rows / 256, 1, 1, 256, 1, 1, 0, nullptr,
                           V.Name == "matvec" ? Pointers : Memrefs, nullptr));
      CHECK(cuEventRecord(Stop, nullptr));
      CHECK(cuEventSynchronize(Stop));
      float Time;
      CHECK(cuEventElapsedTime(&Time, Start, Stop));
      if (Round < 0)
        CHECK(cuMemcpyDtoH(V.Result.data(), Y, Rows * 4));
      else
        V.Times.push_back(Time);
    }
  for (Version &V : Versions) {
    std::sort(V.Times.begin(), V.Times.end());
    const bool IsSame =
        !std::memcmp(V.Result.data(), Versions.front().Result.data(), Rows * 4);
    std::printf("%s,%s,%.4f,%.4f,%s\n", V.Name.c_str(), V.Path.c_str(),
                V.Times[Rounds / 2], V.Times[0],
                IsSame ? "the same" : "different");
  }
}
