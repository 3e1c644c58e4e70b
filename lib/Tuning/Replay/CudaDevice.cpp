// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Candidates are libraries of the driver, with variables of their own that are
// exchanged with the program's around each run. Comparing memory and emptying
// the L2 are kernels in PTX, as there is no compiler here.

#include "CudaDevice.h"
#include "ElfGlobals.h"
#include "sluice/Target/MergedBlocks.h"
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>

using namespace sluice;
using namespace sluice::replay;

// Two kernels of the replayer's own, compiled by the driver.
//
// sluice_differ counts the 4-byte words in which a and b differ. sluice_touch
// reads n words and so fills the L2 with clean lines that nobody wants: writing
// them instead would let the next kernel pay for their eviction.
//
// They step alike, and each is written out: a function for that would be longer
// than what it saves.
static const char OwnKernels[] = R"(
.version 6.3
.target sm_70
.address_size 64
.visible .entry sluice_differ(.param .u64 a, .param .u64 b, .param .u64 n,
                              .param .u64 out) {
  .reg .pred %p<3>;
  .reg .b32 %r<8>;
  .reg .b64 %rd<12>;
  ld.param.u64 %rd1, [a];
  ld.param.u64 %rd2, [b];
  ld.param.u64 %rd3, [n];
  ld.param.u64 %rd4, [out];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mov.u32 %r4, %nctaid.x;
  cvt.u64.u32 %rd6, %r3;
  mad.wide.u32 %rd5, %r1, %r2, %rd6;
  mul.wide.u32 %rd7, %r4, %r2;
  mov.u32 %r5, 0;
Loop:
  setp.ge.u64 %p1, %rd5, %rd3;
  @%p1 bra Done;
  shl.b64 %rd8, %rd5, 2;
  add.s64 %rd9, %rd1, %rd8;
  add.s64 %rd10, %rd2, %rd8;
  ld.global.u32 %r6, [%rd9];
  ld.global.u32 %r7, [%rd10];
  setp.ne.u32 %p2, %r6, %r7;
  @%p2 add.u32 %r5, %r5, 1;
  add.s64 %rd5, %rd5, %rd7;
  bra Loop;
Done:
  setp.eq.u32 %p1, %r5, 0;
  @%p1 bra End;
  cvt.u64.u32 %rd11, %r5;
  red.global.add.u64 [%rd4], %rd11;
End:
  ret;
}
.visible .entry sluice_touch(.param .u64 a, .param .u64 n, .param .u64 out) {
  .reg .pred %p<3>;
  .reg .b32 %r<8>;
  .reg .b64 %rd<12>;
  ld.param.u64 %rd1, [a];
  ld.param.u64 %rd3, [n];
  ld.param.u64 %rd4, [out];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mov.u32 %r4, %nctaid.x;
  cvt.u64.u32 %rd6, %r3;
  mad.wide.u32 %rd5, %r1, %r2, %rd6;
  mul.wide.u32 %rd7, %r4, %r2;
  mov.u32 %r5, 0;
Loop:
  setp.ge.u64 %p1, %rd5, %rd3;
  @%p1 bra Done;
  shl.b64 %rd8, %rd5, 2;
  add.s64 %rd9, %rd1, %rd8;
  ld.global.u32 %r6, [%rd9];
  or.b32 %r5, %r5, %r6;
  add.s64 %rd5, %rd5, %rd7;
  bra Loop;
Done:
  setp.eq.u32 %p1, %r5, 0;
  @%p1 bra End;
  st.global.u32 [%rd4], %r5;
End:
  ret;
}
)";

const Images::Image &Images::image(size_t Candidate) {
  const std::string &Path = TheJob.Candidates[Candidate].Image;
  auto [At, IsNew] = Loaded.try_emplace(Path);
  Image &I = At->second;
  if (!IsNew)
    return I;
  CUresult Status = CUDA.cuLibraryLoadFromFile(
      &I.Library, Path.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0);
  if (Status != CUDA_SUCCESS) {
    I.Library = nullptr;
    std::fprintf(stderr, "sluice: %s cannot be loaded: %s\n", Path.c_str(),
                 CUDA.describe(Status).c_str());
    return I;
  }
  std::ifstream In(Path, std::ios::binary);
  std::string Bytes((std::istreambuf_iterator<char>(In)), {});
  I.Globals = globalsOf(Bytes);
  I.Merged = findMergedKernels(Bytes);
  I.Short = findShortRowsKernels(Bytes);
  return I;
}

Relaunched Images::code(size_t Candidate, const Launch &Of) {
  const sluice::replay::Candidate &C = TheJob.Candidates[Candidate];
  Relaunched Code;
  Code.Function = Of.Function;
  Code.Claim = C.claim(Of.Kernel);
  if (C.Image.empty())
    return Code;
  const Image &I = image(Candidate);
  std::string Name = Of.Kernel;
  // As the host does it: not where it sets something for the kernel.
  const bool IsFree =
      Of.Parameters && Code.Claim == 0 && C.carveout(Of.Kernel) < 0;
  const auto Merged = I.Merged.find(Of.Kernel);
  const auto Short = I.Short.find(Of.Kernel);
  if (IsFree && Merged != I.Merged.end()) {
    Code.Merged = mergedLaunch({Of.Grid[0], Of.Grid[1], Of.Grid[2], Of.Block[0],
                                Of.Block[1], Of.Block[2], Of.SharedBytes},
                               Merged->second);
    Code.Parameters = Merged->second.Parameters;
    if (Code.Merged.Row)
      Name = mergedName(Of.Kernel, Merged->second);
  } else if (IsFree && Short != I.Short.end() &&
             hasShortRows(Short->second, Of.SharedBytes, [&](unsigned Number) {
               return Of.Parameters[Number];
             })) {
    Name = shortRowsName(Of.Kernel, Short->second);
  }
  CUkernel Kernel = nullptr;
  if (!I.Library ||
      CUDA.cuLibraryGetKernel(&Kernel, I.Library, Name.c_str()) !=
          CUDA_SUCCESS ||
      CUDA.cuKernelGetFunction(&Code.Function, Kernel) != CUDA_SUCCESS)
    Code.Function = nullptr;
  return Code;
}

std::vector<Images::Variable> Images::variables(size_t Candidate,
                                                const Launch &Of) {
  std::vector<Variable> Result;
  if (TheJob.Candidates[Candidate].Image.empty())
    return Result;
  const Image &I = image(Candidate);
  for (const std::string &Name : I.Globals) {
    Variable V{};
    size_t ProgramsBytes = 0;
    if (CUDA.cuLibraryGetGlobal(&V.Own, &V.Bytes, I.Library, Name.c_str()) !=
        CUDA_SUCCESS)
      continue;
    CUresult Status =
        Of.Library ? CUDA.cuLibraryGetGlobal(&V.Programs, &ProgramsBytes,
                                             Of.Library, Name.c_str())
                   : CUDA.cuModuleGetGlobal_v2(&V.Programs, &ProgramsBytes,
                                               Of.Module, Name.c_str());
    if (Status == CUDA_SUCCESS && ProgramsBytes == V.Bytes)
      Result.push_back(V);
  }
  return Result;
}

struct CudaDevice::Tools {
  CUfunction Differ = nullptr, Touch = nullptr;
  CUdeviceptr Counter = 0, Scratch = 0;
  size_t ScratchBytes = 0;
  CUevent Start = nullptr, Stop = nullptr;
};

CudaDevice::CudaDevice(const Driver &CUDA, const Job &TheJob, Images &Code,
                       const Launch &Of, std::vector<Buffer> Allocations)
    : CUDA(CUDA), TheJob(TheJob), Code(Code), Of(Of),
      Allocations(std::move(Allocations)) {}

CudaDevice::Tools &CudaDevice::tools() {
  static auto &All = *new std::map<CUcontext, Tools>; // for launches at exit
  CUcontext Context = nullptr;
  CUDA.cuCtxGetCurrent(&Context);
  auto [At, IsNew] = All.try_emplace(Context);
  Tools &T = At->second;
  if (!IsNew)
    return T;
  CUlibrary Library = nullptr;
  CUDA.cuLibraryLoadData(&Library, OwnKernels, nullptr, nullptr, 0, nullptr,
                         nullptr, 0);
  auto Find = [&](const char *Name) {
    CUkernel Kernel = nullptr;
    CUfunction Function = nullptr;
    if (CUDA.cuLibraryGetKernel(&Kernel, Library, Name) == CUDA_SUCCESS)
      CUDA.cuKernelGetFunction(&Function, Kernel);
    return Function;
  };
  T.Differ = Find("sluice_differ");
  T.Touch = Find("sluice_touch");
  CUDA.cuEventCreate(&T.Start, CU_EVENT_DEFAULT);
  CUDA.cuEventCreate(&T.Stop, CU_EVENT_DEFAULT);
  CUDA.cuMemAlloc_v2(&T.Counter, 16);
  CUdevice Device = 0;
  int L2Bytes = 0;
  CUDA.cuCtxGetDevice(&Device);
  CUDA.cuDeviceGetAttribute(&L2Bytes, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE,
                            Device);
  T.ScratchBytes = 2 * static_cast<size_t>(std::max(L2Bytes, 1 << 20));
  if (CUDA.cuMemAlloc_v2(&T.Scratch, T.ScratchBytes) != CUDA_SUCCESS)
    T.ScratchBytes = 0;
  else
    CUDA.cuMemsetD8_v2(T.Scratch, 0, T.ScratchBytes);
  return T;
}

bool CudaDevice::isReady() {
  Tools &T = tools();
  return T.Differ && T.Touch && T.Start && T.Stop && T.Counter;
}

std::vector<Buffer> CudaDevice::buffers() {
  std::vector<Buffer> All = Allocations;
  // The program's variables are those that the candidates' images know of.
  for (size_t C = 0; C < TheJob.Candidates.size(); ++C)
    for (const Images::Variable &V : Code.variables(C, Of)) {
      bool IsKnown = std::any_of(All.begin(), All.end(), [&](const Buffer &B) {
        return B.Address == V.Programs;
      });
      if (!IsKnown)
        All.push_back({V.Programs, V.Bytes});
    }
  return All;
}

std::optional<uint64_t> CudaDevice::allocate(size_t Bytes) {
  CUdeviceptr Address = 0;
  if (CUDA.cuMemAlloc_v2(&Address, std::max<size_t>(Bytes, 1)) != CUDA_SUCCESS)
    return std::nullopt;
  return Address;
}

void CudaDevice::release(uint64_t Address) { CUDA.cuMemFree_v2(Address); }

void CudaDevice::copy(uint64_t To, uint64_t From, size_t Bytes) {
  CUDA.cuMemcpyDtoD_v2(To, From, Bytes);
}

static constexpr unsigned OwnBlock = 256, OwnGrid = 2048;

uint64_t CudaDevice::differing(uint64_t A, uint64_t B, size_t Bytes) {
  // Variables may begin anywhere; they are small.
  if (A % 4 || B % 4 || Bytes < 4096) {
    std::vector<char> HostA(Bytes), HostB(Bytes);
    CUDA.cuMemcpyDtoH_v2(HostA.data(), A, Bytes);
    CUDA.cuMemcpyDtoH_v2(HostB.data(), B, Bytes);
    uint64_t Count = 0;
    for (size_t I = 0; I < Bytes; I += 4) {
      size_t Word = std::min<size_t>(4, Bytes - I);
      Count += std::memcmp(HostA.data() + I, HostB.data() + I, Word) != 0;
    }
    return Count;
  }
  uint64_t Words = Bytes / 4, Count = 0;
  Tools &T = tools();
  CUDA.cuMemsetD8_v2(T.Counter, 0, 8);
  void *Parameters[] = {&A, &B, &Words, &T.Counter};
  CUDA.cuLaunchKernel(T.Differ, OwnGrid, 1, 1, OwnBlock, 1, 1, 0, nullptr,
                      Parameters, nullptr);
  CUDA.cuMemcpyDtoH_v2(&Count, T.Counter, 8);
  size_t Rest = Bytes % 4;
  return Count + (Rest ? differing(A + Words * 4, B + Words * 4, Rest) : 0);
}

void CudaDevice::emptyCaches() {
  Tools &T = tools();
  uint64_t Words = T.ScratchBytes / 4;
  CUdeviceptr Out = T.Counter + 8;
  void *Parameters[] = {&T.Scratch, &Words, &Out};
  CUDA.cuLaunchKernel(T.Touch, OwnGrid, 1, 1, OwnBlock, 1, 1, 0, Of.Stream,
                      Parameters, nullptr);
}

Run CudaDevice::launch(size_t Candidate, bool Cold) {
  const Relaunched With = Code.code(Candidate, Of);
  CUfunction Function = With.Function;
  if (!Function)
    return {0, "the image has no such kernel", CUDA_ERROR_NOT_FOUND};
  Tools &T = tools();
  const sluice::replay::Candidate &C = TheJob.Candidates[Candidate];

  // What the program asked for its kernel goes for the candidate too.
  int SharedWanted = 0;
  constexpr CUfunction_attribute SharedLimit =
      CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
  constexpr CUfunction_attribute Carveout =
      CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT;
  int ProgramsCarveout = -1;
  CUDA.cuFuncGetAttribute(&ProgramsCarveout, Carveout, Of.Function);
  if (Function != Of.Function &&
      CUDA.cuFuncGetAttribute(&SharedWanted, SharedLimit, Of.Function) ==
          CUDA_SUCCESS)
    CUDA.cuFuncSetAttribute(Function, SharedLimit, SharedWanted);
  int Wanted = C.carveout(Of.Kernel);
  CUDA.cuFuncSetAttribute(Function, Carveout,
                          Wanted >= 0 ? Wanted : ProgramsCarveout);

  std::vector<Images::Variable> Variables = Code.variables(Candidate, Of);
  for (const Images::Variable &V : Variables)
    CUDA.cuMemcpyDtoD_v2(V.Own, V.Programs, V.Bytes);
  // The GPU is still reading when the launch arrives, so that the time has none
  // of the host's in it. A profiler that waits for cuProfilerStart sees these
  // launches and no others.
  if (Cold) {
    CUDA.cuProfilerStart();
    emptyCaches();
  }
  CUDA.cuEventRecord(T.Start, Of.Stream);
  CUresult Status = Of.Relaunch(With);
  CUDA.cuEventRecord(T.Stop, Of.Stream);
  CUresult Done = CUDA.cuCtxSynchronize();
  if (Cold)
    CUDA.cuProfilerStop();
  if (Function == Of.Function)
    CUDA.cuFuncSetAttribute(Function, Carveout, ProgramsCarveout);
  if (Status == CUDA_SUCCESS)
    Status = Done;
  if (Status != CUDA_SUCCESS)
    return {0, CUDA.describe(Status), static_cast<int>(Status)};
  for (const Images::Variable &V : Variables)
    CUDA.cuMemcpyDtoD_v2(V.Programs, V.Own, V.Bytes);
  float Ms = 0;
  CUDA.cuEventElapsedTime(&Ms, T.Start, T.Stop);
  return {Ms, "", 0};
}
