// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The emulator runs the whole program, and the simulator predicts how long its
// kernels take. A program is built for each lambda: what is run is what the
// user gets by --sluice-sfu=LAMBDA.

#include "QualityMachine.h"
#include "EmulatedProgram.h"
#include "sluice/Analysis/Profile.h"
#include "sluice/Target/CriticalPoints.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"
#include <set>

using namespace llvm;
using namespace sluice;

static constexpr StringLiteral Tool = "sluice tune";

namespace {

class EmulatorMachine final : public QualityMachine {
public:
  EmulatorMachine(const MachineRequest &Request, EmulatedProgram Program)
      : Request(Request), Program(std::move(Program)) {}

  Expected<MachineRun> run(unsigned Lambda,
                           const std::vector<std::string> &ForProgram) override;
  std::string timesAre() const override {
    return "predicted by the simulator for " + GPU;
  }
  /// The simulator's arithmetic has no pipes: it says little of what the
  /// approximate functions save.
  bool isMeasured() const override { return false; }

private:
  std::string programFor(unsigned Lambda) const {
    return Request.File("emulated" + Twine(Lambda));
  }
  Error build(unsigned Lambda);
  Error readTimes(const std::string &File, MachineRun &Result);
  unsigned warpsOf(const KernelProfile &Kernel) const;

  const MachineRequest Request;
  const EmulatedProgram Program;
  std::string GPU = "the GPU";
  std::set<unsigned> Built;
};

} // namespace

Error EmulatorMachine::build(unsigned Lambda) {
  if (!Built.insert(Lambda).second)
    return Error::success();
  std::vector<std::string> Args = Program.ForClang;
  // Arguments of kernels can be named then. Warnings are said once.
  Args.push_back("-fno-discard-value-names");
  if (Built.size() > 1)
    Args.push_back("-w");
  Args.push_back("--sluice-sfu=" + std::to_string(Lambda));
  Args.insert(Args.end(), {"-o", programFor(Lambda)});
  return emulatorBuild(Args, Request.Argv0, Tool) == 0
             ? Error::success()
             : createStringError("the program could not be built");
}

/// How many warps lambda tells apart: of a block, or with sfu-index=slot of an
/// SM, as far as registers and threads say (the thesis, section 6.4.3,
/// observation 5).
unsigned EmulatorMachine::warpsOf(const KernelProfile &Kernel) const {
  const bool IsBySlot =
      is_contained(Request.Arguments.ForClang, "--sluice-sfu-index=slot");
  auto Model = findGPUModel(GPU);
  if (!Model)
    consumeError(Model.takeError());
  unsigned Most = 0;
  for (const LaunchProfile &Launch : Kernel.Launches) {
    const auto Threads = unsigned(Launch.Block.total().value_or(0));
    unsigned Warps = unsigned(divideCeil(Threads, 32));
    if (IsBySlot && Model)
      Warps *= std::max(1U, blocksPerSM(**Model,
                                        {Threads, Kernel.Registers, 0,
                                         Launch.DynamicSharedBytes},
                                        std::nullopt, (*Model)->DefaultSMs));
    Most = std::max(Most, Warps);
  }
  return std::min(Most, 64U);
}

Error EmulatorMachine::readTimes(const std::string &File, MachineRun &Result) {
  auto P = readProfileFile(File);
  if (!P)
    return P.takeError();
  GPU = P->GPU;
  for (const KernelProfile &Kernel : P->Kernels) {
    Result.Ms += double(Kernel.Time.Nanoseconds) * 1e-6;
    if (Request.Concerned.contains(Kernel.Name))
      Result.MostWarps = std::max(Result.MostWarps, warpsOf(Kernel));
  }
  return Error::success();
}

Expected<MachineRun>
EmulatorMachine::run(unsigned Lambda,
                     const std::vector<std::string> &ForProgram) {
  if (Error E = build(Lambda))
    return std::move(E);
  const std::string Dump = Request.File("buffers");
  const std::string Profile = Request.File("profile.yaml");
  for (const std::string &File : {Dump, Profile})
    sys::fs::remove(File);
  MachineRun Result;
  Result.PrintedInto = Request.File("printed");
  std::string Settings =
      "check=none,pairs=0,waves=16,dump=" + Dump + ",profile=" + Profile;
  if (!Program.GPU.empty())
    Settings += ",gpu=" + Program.GPU;
  Result.Status = runEmulatedProgram(programFor(Lambda), ForProgram, Settings,
                                     Tool, Result.PrintedInto);
  if (Result.Status != 0)
    Result.Problem = "it ended with " + std::to_string(Result.Status);
  if (!sys::fs::exists(Profile) || !sys::fs::exists(Dump)) {
    Result.Problem += Result.Problem.empty() ? "it did not end by itself" : "";
    return Result;
  }
  auto Buffers = emulator::readBufferDump(Dump);
  if (!Buffers)
    return Buffers.takeError();
  Result.Buffers = std::move(*Buffers);
  if (Error E = readTimes(Profile, Result))
    return std::move(E);
  return Result;
}

Expected<std::unique_ptr<QualityMachine>>
sluice::emulatorMachine(const MachineRequest &Request) {
  auto Program =
      findEmulatedProgram(Request.Arguments.ForClang, /*GPU=*/"", Tool);
  if (!Program)
    return Program.takeError();
  if (!Program->IsBuilt || !Program->Path.empty())
    return createStringError(
        "with --qos the program is built for each number of warps: give its "
        "sources, without -o");
  return std::make_unique<EmulatorMachine>(Request, std::move(*Program));
}
