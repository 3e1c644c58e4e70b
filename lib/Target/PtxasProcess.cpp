// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The toolkit's ptxas, as clang runs it. nvJitLink assembles for a link, as
// ptxas does with -c, and then other registers come out: 32 in place of 39 of
// the suite's sgemm, 78 in place of 74 of its euler_flux (CUDA 13.0). Who asks
// what a program takes has to ask ptxas.

#include "sluice/Target/AssemblerLog.h"
#include "sluice/Target/AssemblyCache.h"
#include "sluice/Target/GPUModel.h"
#include "sluice/Target/MachineCode.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace sluice;

static ErrorOr<std::string> findPtxas(StringRef CudaPath) {
  SmallVector<std::string, 2> Folders;
  for (StringRef Root : {CudaPath, StringRef(SLUICE_CUDA_PATH)})
    if (!Root.empty())
      Folders.push_back((Root + "/bin").str());
  SmallVector<StringRef, 2> Paths(Folders.begin(), Folders.end());
  if (auto Found = sys::findProgramByName("ptxas", Paths))
    return Found;
  return sys::findProgramByName("ptxas");
}

static Expected<AssembledKernels> run(const std::string &Ptxas,
                                      const AssemblyRequest &Request) {
  if (auto GPU = findGPUModel(Request.Arch); !GPU)
    return GPU.takeError();
  SmallString<128> Input, Log, Cubin;
  int Descriptor;
  if (sys::fs::createTemporaryFile("sluice", "ptx", Descriptor, Input))
    return createStringError("no temporary file can be made");
  FileRemover RemoveInput(Input);
  raw_fd_ostream(Descriptor, /*shouldClose=*/true) << Request.PTX;
  if (sys::fs::createTemporaryFile("sluice", "log", Log))
    return createStringError("no temporary file can be made");
  FileRemover RemoveLog(Log);
  if (sys::fs::createTemporaryFile("sluice", "cubin", Cubin))
    return createStringError("no temporary file can be made");
  FileRemover RemoveCubin(Cubin);

  StringRef Number = Request.Arch;
  Number.consume_front("sm_");
  const std::string Arch = ("-arch=sm_" + Number).str(),
                    Level = "-O" + std::to_string(Request.OptLevel);
  SmallVector<StringRef, 8> Args = {Ptxas, "-v", Arch, Level,
                                    Input, "-o", Cubin};
  if (Request.Relocatable)
    Args.push_back("-c");
  std::optional<StringRef> Redirects[] = {StringRef(""), Log.str(), Log.str()};
  std::string Problem;
  int Status =
      sys::ExecuteAndWait(Ptxas, Args, std::nullopt, Redirects, 0, 0, &Problem);
  auto Said = MemoryBuffer::getFile(Log);
  StringRef Text = Said ? (*Said)->getBuffer().trim() : "";
  if (Status != 0)
    return createStringError("the PTX does not assemble for " + Request.Arch +
                             ": " + (Problem.empty() ? Text : Problem));
  auto Kernels = readAssemblerLog(Text, Request.PTX, "ptxas");
  auto Code = MemoryBuffer::getFile(Cubin, /*IsText=*/false,
                                    /*RequiresNullTerminator=*/false);
  if (Kernels && Code && !Request.Relocatable)
    countInstructions((*Code)->getBuffer(), Request.Arch, *Kernels);
  return Kernels;
}

Expected<Assembler> sluice::compilersAssembler(StringRef CudaPath) {
  auto Ptxas = findPtxas(CudaPath);
  if (!Ptxas)
    return installedAssembler(CudaPath);
  sys::fs::file_status Status;
  if (sys::fs::status(*Ptxas, Status))
    return createStringError(*Ptxas + " cannot be looked at");
  std::string Identity =
      formatv("{0} {1} {2}", *Ptxas, Status.getSize(),
              Status.getLastModificationTime().time_since_epoch().count());
  return Assembler{std::move(Identity),
                   [Path = *Ptxas](const AssemblyRequest &Request) {
                     return run(Path, Request);
                   }};
}
