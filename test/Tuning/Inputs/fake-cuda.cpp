// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libcuda.so.1 without a GPU. Device memory is host memory, a kernel is one of
// the host functions below, and an image is a text that begins with a word: how
// this image's code for the kernels behaves. Each run takes the time that goes
// with the word, on a clock that nothing else moves.

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <cudaProfiler.h>
#include <fstream>
#include <map>
#include <string>
#include <unistd.h>

// The second version came with CUDA 13; a driver has both.
#undef cuEventElapsedTime

namespace {

struct Image {
  std::string Word;
};

using HostFunction = void (*)(void **Parameters);

/// Behind a CUkernel and behind a CUfunction, which are not the same.
struct Code {
  HostFunction Run;
  std::string Word;
  bool IsKernel;
};

template <typename T> T parameter(void **Parameters, int I) {
  return *static_cast<T *>(Parameters[I]);
}

/// In place, so that a second run on the first one's results would show.
void accumulate(void **P) {
  float *Data = parameter<float *>(P, 0);
  for (int I = 0; I < parameter<int>(P, 1); ++I)
    Data[I] = Data[I] / 2 + float(I);
}

void fill(void **P) {
  float *Data = parameter<float *>(P, 0);
  for (int I = 0; I < parameter<int>(P, 1); ++I)
    Data[I] = 1;
}

// The replayer's own.
void differ(void **P) {
  auto *A = parameter<uint32_t *>(P, 0), *B = parameter<uint32_t *>(P, 1);
  for (uint64_t I = 0; I < parameter<uint64_t>(P, 2); ++I)
    *parameter<uint64_t *>(P, 3) += A[I] != B[I];
}
void touch(void **) {}

// Never destroyed, for a program whose static objects still use the driver.
using KernelTable = std::map<std::string, HostFunction>;
const auto &Kernels = *new KernelTable{
    {"accumulate", accumulate},
    {"fill", fill},
    {"sluice_differ", differ},
    {"sluice_touch", touch},
};
const auto &Ms = *new std::map<std::string, double>{
    {"program", 2}, {"fast", 1}, {"slow", 4}, {"wrong", 0.5}};
auto &Allocations = *new std::map<CUdeviceptr, size_t>;

double Clock = 0;
size_t Used = 0;

CUresult allocate(CUdeviceptr *Address, size_t Bytes) {
  constexpr size_t All = 64 << 20;
  if (Bytes == 0)
    return CUDA_ERROR_INVALID_VALUE;
  if (Bytes > All - Used)
    return CUDA_ERROR_OUT_OF_MEMORY;
  *Address = reinterpret_cast<CUdeviceptr>(std::calloc(Bytes, 1));
  Allocations[*Address] = Bytes;
  Used += Bytes;
  return CUDA_SUCCESS;
}

CUresult release(CUdeviceptr Address) {
  auto At = Allocations.find(Address);
  if (At == Allocations.end())
    return CUDA_ERROR_INVALID_VALUE;
  Used -= At->second;
  Allocations.erase(At);
  std::free(reinterpret_cast<void *>(Address));
  return CUDA_SUCCESS;
}

CUresult launch(CUfunction F, void **Parameters) {
  if (!F)
    return CUDA_ERROR_INVALID_HANDLE;
  const Code &C = *reinterpret_cast<Code *>(F);
  if (C.Word == "crash")
    _exit(70);
  if (C.Word == "broken")
    return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
  C.Run(Parameters);
  if (C.Word == "wrong")
    for (int I : {5, 6})
      parameter<float *>(Parameters, 0)[I] += 1;
  auto Takes = Ms.find(C.Word);
  Clock += Takes == Ms.end() ? 0.125 : Takes->second;
  return CUDA_SUCCESS;
}

std::string firstWord(const std::string &Text) {
  size_t Begin = Text.find_first_not_of(" \n");
  return Begin == std::string::npos
             ? ""
             : Text.substr(Begin, Text.find_first_of(" \n", Begin) - Begin);
}

template <typename HandleT>
CUresult find(HandleT *Handle, const void *In, const char *Name,
              bool IsKernel) {
  if (!In)
    return CUDA_ERROR_INVALID_HANDLE;
  const Image &I = *static_cast<const Image *>(In);
  auto At = Kernels.find(Name);
  if (At == Kernels.end() || I.Word == "empty")
    return CUDA_ERROR_NOT_FOUND;
  *Handle = reinterpret_cast<HandleT>(new Code{At->second, I.Word, IsKernel});
  return CUDA_SUCCESS;
}

template <typename T> T *at(CUdeviceptr Address) {
  return reinterpret_cast<T *>(Address);
}

} // namespace

extern "C" {

CUresult cuInit(unsigned) { return CUDA_SUCCESS; }
CUresult cuDriverGetVersion(int *Version) {
  *Version = 13000;
  return CUDA_SUCCESS;
}
CUresult cuGetErrorString(CUresult Status, const char **Text) {
  *Text = Status == CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES
              ? "too many resources requested for launch"
              : "some error of the fake driver";
  return CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext *Context) {
  *Context = reinterpret_cast<CUcontext>(&Clock);
  return CUDA_SUCCESS;
}
CUresult cuCtxGetDevice(CUdevice *Device) {
  *Device = 0;
  return CUDA_SUCCESS;
}
CUresult cuCtxSynchronize() { return CUDA_SUCCESS; }
CUresult cuDeviceGetAttribute(int *Value, CUdevice_attribute Which, CUdevice) {
  *Value = Which == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR ? 9
           : Which == CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT   ? 132
           : Which == CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE          ? 1 << 20
                                                                 : 0;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetName(char *Name, int Bytes, CUdevice) {
  std::strncpy(Name, "Fake GPU", Bytes);
  return CUDA_SUCCESS;
}

CUresult cuMemAlloc(CUdeviceptr *Address, size_t Bytes) {
  return allocate(Address, Bytes);
}
CUresult cuMemAllocPitch(CUdeviceptr *Address, size_t *Pitch, size_t Width,
                         size_t Height, unsigned) {
  *Pitch = (Width + 511) / 512 * 512;
  return allocate(Address, *Pitch * Height);
}
CUresult cuMemAllocAsync(CUdeviceptr *Address, size_t Bytes, CUstream) {
  return allocate(Address, Bytes);
}
CUresult cuMemAllocFromPoolAsync(CUdeviceptr *Address, size_t Bytes,
                                 CUmemoryPool, CUstream) {
  return allocate(Address, Bytes);
}
CUresult cuMemAllocManaged(CUdeviceptr *Address, size_t Bytes, unsigned) {
  return allocate(Address, Bytes);
}
CUresult cuMemFree(CUdeviceptr Address) { return release(Address); }
CUresult cuMemFreeAsync(CUdeviceptr Address, CUstream) {
  return release(Address);
}
CUresult cuMemHostGetDevicePointer(CUdeviceptr *Address, void *Host, unsigned) {
  *Address = reinterpret_cast<CUdeviceptr>(Host);
  return CUDA_SUCCESS;
}
CUresult cuMemMap(CUdeviceptr, size_t, size_t, CUmemGenericAllocationHandle,
                  unsigned long long) {
  return CUDA_ERROR_NOT_SUPPORTED;
}
CUresult cuMemGetInfo(size_t *Free, size_t *Total) {
  *Total = 64 << 20;
  *Free = *Total - Used;
  return CUDA_SUCCESS;
}
CUresult cuMemcpyDtoD(CUdeviceptr To, CUdeviceptr From, size_t Bytes) {
  std::memcpy(at<void>(To), at<void>(From), Bytes);
  return CUDA_SUCCESS;
}
CUresult cuMemcpyDtoH(void *To, CUdeviceptr From, size_t Bytes) {
  std::memcpy(To, at<void>(From), Bytes);
  return CUDA_SUCCESS;
}
CUresult cuMemcpyHtoD(CUdeviceptr To, const void *From, size_t Bytes) {
  std::memcpy(at<void>(To), From, Bytes);
  return CUDA_SUCCESS;
}
CUresult cuMemsetD8(CUdeviceptr To, unsigned char With, size_t Bytes) {
  std::memset(at<void>(To), With, Bytes);
  return CUDA_SUCCESS;
}

CUresult cuEventDestroy(CUevent Event) {
  delete reinterpret_cast<double *>(Event);
  return CUDA_SUCCESS;
}
CUresult cuEventCreate(CUevent *Event, unsigned) {
  *Event = reinterpret_cast<CUevent>(new double(0));
  return CUDA_SUCCESS;
}
CUresult cuEventRecord(CUevent Event, CUstream) {
  *reinterpret_cast<double *>(Event) = Clock;
  return CUDA_SUCCESS;
}
CUresult cuEventSynchronize(CUevent) { return CUDA_SUCCESS; }
CUresult cuEventElapsedTime(float *Result, CUevent From, CUevent To) {
  *Result = static_cast<float>(*reinterpret_cast<double *>(To) -
                               *reinterpret_cast<double *>(From));
  return CUDA_SUCCESS;
}
CUresult cuProfilerStart() { return CUDA_SUCCESS; }
CUresult cuProfilerStop() { return CUDA_SUCCESS; }
CUresult cuStreamIsCapturing(CUstream, CUstreamCaptureStatus *Status) {
  *Status = CU_STREAM_CAPTURE_STATUS_NONE;
  return CUDA_SUCCESS;
}

CUresult cuLibraryLoadData(CUlibrary *Library, const void *Text, CUjit_option *,
                           void **, unsigned, CUlibraryOption *, void **,
                           unsigned) {
  std::string Word = firstWord(static_cast<const char *>(Text));
  if (Word == ".version" && std::getenv("CUDA_DISABLE_PTX_JIT"))
    return CUDA_ERROR_JIT_COMPILATION_DISABLED;
  *Library = reinterpret_cast<CUlibrary>(new Image{Word});
  return CUDA_SUCCESS;
}
CUresult cuLibraryLoadFromFile(CUlibrary *Library, const char *Path,
                               CUjit_option *, void **, unsigned,
                               CUlibraryOption *, void **, unsigned) {
  std::ifstream In(Path);
  std::string Word;
  if (!(In >> Word))
    return CUDA_ERROR_FILE_NOT_FOUND;
  *Library = reinterpret_cast<CUlibrary>(new Image{Word});
  return CUDA_SUCCESS;
}
CUresult cuLibraryGetKernel(CUkernel *Kernel, CUlibrary Library,
                            const char *Name) {
  return find(Kernel, Library, Name, /*IsKernel=*/true);
}
CUresult cuLibraryGetGlobal(CUdeviceptr *, size_t *, CUlibrary, const char *) {
  return CUDA_ERROR_NOT_FOUND;
}
CUresult cuKernelGetFunction(CUfunction *Function, CUkernel Kernel) {
  const Code &C = *reinterpret_cast<Code *>(Kernel);
  if (!C.IsKernel)
    return CUDA_ERROR_INVALID_HANDLE;
  *Function =
      reinterpret_cast<CUfunction>(new Code{C.Run, C.Word, /*IsKernel=*/false});
  return CUDA_SUCCESS;
}
CUresult cuModuleLoadData(CUmodule *Module, const void *Text) {
  *Module = reinterpret_cast<CUmodule>(
      new Image{firstWord(static_cast<const char *>(Text))});
  return CUDA_SUCCESS;
}
CUresult cuModuleGetFunction(CUfunction *Function, CUmodule Module,
                             const char *Name) {
  return find(Function, Module, Name, /*IsKernel=*/false);
}
CUresult cuModuleGetGlobal(CUdeviceptr *, size_t *, CUmodule, const char *) {
  return CUDA_ERROR_NOT_FOUND;
}
CUresult cuFuncGetAttribute(int *Value, CUfunction_attribute, CUfunction F) {
  *Value = 0;
  return reinterpret_cast<Code *>(F)->IsKernel ? CUDA_ERROR_INVALID_HANDLE
                                               : CUDA_SUCCESS;
}
CUresult cuFuncSetAttribute(CUfunction F, CUfunction_attribute, int) {
  return reinterpret_cast<Code *>(F)->IsKernel ? CUDA_ERROR_INVALID_HANDLE
                                               : CUDA_SUCCESS;
}
// A pointer and a number: what the program's kernels take.
CUresult cuFuncGetParamInfo(CUfunction, size_t I, size_t *Offset,
                            size_t *Bytes) {
  if (I > 1)
    return CUDA_ERROR_INVALID_VALUE;
  *Offset = 8 * I;
  *Bytes = I == 0 ? 8 : 4;
  return CUDA_SUCCESS;
}

CUresult cuLaunchKernel(CUfunction F, unsigned, unsigned, unsigned, unsigned,
                        unsigned, unsigned, unsigned, CUstream,
                        void **Parameters, void **) {
  return launch(F, Parameters);
}
CUresult cuLaunchKernelEx(const CUlaunchConfig *, CUfunction F,
                          void **Parameters, void **) {
  return launch(F, Parameters);
}
CUresult cuLaunchCooperativeKernel(CUfunction F, unsigned, unsigned, unsigned,
                                   unsigned, unsigned, unsigned, unsigned,
                                   CUstream, void **Parameters) {
  return launch(F, Parameters);
}

CUresult cuGetProcAddress(const char *Name, void **Function, int, cuuint64_t,
                          CUdriverProcAddressQueryResult *) {
// The name as programs say it, the function of the version that it stands for.
#define FUNCTION(Name)                                                         \
  {                                                                            \
    #Name, reinterpret_cast<void *>(&Name)                                     \
  }
  static const std::map<std::string, void *> Functions = {
      FUNCTION(cuGetProcAddress),
      FUNCTION(cuInit),
      FUNCTION(cuLaunchCooperativeKernel),
      FUNCTION(cuLaunchKernel),
      FUNCTION(cuLaunchKernelEx),
      FUNCTION(cuLibraryGetKernel),
      FUNCTION(cuLibraryLoadData),
      FUNCTION(cuKernelGetFunction),
      FUNCTION(cuMemAlloc),
      FUNCTION(cuMemAllocAsync),
      FUNCTION(cuMemAllocManaged),
      FUNCTION(cuMemAllocPitch),
      FUNCTION(cuMemFree),
      FUNCTION(cuMemFreeAsync),
      FUNCTION(cuMemcpyDtoH),
      FUNCTION(cuModuleGetFunction),
      FUNCTION(cuModuleLoadData),
  };
#undef FUNCTION
  auto At = Functions.find(Name);
  *Function = At == Functions.end() ? nullptr : At->second;
  return *Function ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

} // extern "C"
