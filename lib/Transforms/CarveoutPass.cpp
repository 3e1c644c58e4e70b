// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel's carveout is an attribute that the host sets. Which kernels, and
// how much, the plan says; where, is the launch stub that clang makes for each
// kernel: every <<<>>> goes through it. A static initialiser would make the
// CUDA context too early, and once for a process is not enough: the attribute
// belongs to a device.
//
//   rows<<<1056, 256>>>(A, B, y);
//
// calls a stub, which in the host's IR is, but for its other operands,
//
//   %status = call i32 @cudaLaunchKernel(ptr @stub, ..., i64 %shared, ...)
//
// and of which a carveout of 1 % and a claim of 2432 B, where the block may
// have 46720 B of dynamic shared memory so far, make
//
//   call void @__sluice_set_carveout(ptr @stub, ptr @done, i32 1)
//   %claimed = call i64 @__sluice_claim_shared(
//                           i64 %shared, i64 46720, i64 2432)
//   %status = call i32 @cudaLaunchKernel(ptr @stub, ..., i64 %claimed, ...)
//   %invalid = icmp eq i32 %status, 1
//   %differs = icmp ne i64 %claimed, %shared
//   %refused = and i1 %differs, %invalid
//   br i1 %refused, label %again, label %go
// again:
//   call i32 @cudaGetLastError()
//   call i32 @cudaLaunchKernel(ptr @stub, ..., i64 %shared, ...)
//
// Device code stays what it is: PTX has no word for either.

#include "sluice/Transforms/CarveoutPass.h"
#include "LaunchHelpers.h"
#include "MergedLaunches.h"
#include "ShortLaunches.h"
#include "sluice/Plan/Plan.h"
#include "sluice/Transforms/PlacedRemarks.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/Debug.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include <cstdlib>
#include <memory>

using namespace llvm;
using namespace sluice;

#define DEBUG_TYPE "sluice-carveout"

STATISTIC(NumCarveouts, "Launches before which a carveout is set");
STATISTIC(NumClaims, "Launches that claim shared memory");
STATISTIC(NumMerged, "Launches that may merge blocks");
STATISTIC(NumByLength, "Launches that choose a kernel by its rows' length");
STATISTIC(NumLeftAlone, "Kernels whose launches stay as the program has them");

/// cudaFuncAttributeMaxDynamicSharedMemorySize.
static constexpr unsigned MostDynamicAttribute = 8;
static constexpr unsigned InvalidValueError = 1; ///< cudaErrorInvalidValue.

std::string sluice::kernelOfStub(StringRef Stub) {
  constexpr StringRef Mark = "__device_stub__";
  if (Stub.starts_with(Mark)) // extern "C"
    return Stub.drop_front(Mark.size()).str();
  if (!Stub.contains(Mark))
    return "";
  // The digits before the mark need not all be the name's length: in
  // "_ZN3ns221__device_stub__kernelEv" it is 21.
  std::string Mangled = Stub.str();
  ItaniumPartialDemangler Demangler;
  if (Demangler.partialDemangle(Mangled.c_str()) || !Demangler.isFunction())
    return "";
  std::unique_ptr<char, decltype(&std::free)> Base(
      Demangler.getFunctionBaseName(nullptr, nullptr), &std::free);
  StringRef Name = Base ? Base.get() : "";
  std::string StubPart = (Twine(Name.size()) + Name).str();
  size_t At = Stub.find(StubPart);
  if (!Name.consume_front(Mark) || Name.empty() || At == StringRef::npos)
    return "";
  return (Stub.take_front(At) + Twine(Name.size()) + Name +
          Stub.drop_front(At + StubPart.size()))
      .str();
}

/// annotate("sluice:off") on the kernel is on its stub too.
static bool isSwitchedOff(const Function &Stub) {
  const GlobalVariable *Annotations =
      Stub.getParent()->getNamedGlobal("llvm.global.annotations");
  if (!Annotations || !Annotations->hasInitializer())
    return false;
  return any_of(Annotations->getInitializer()->operands(), [&](const Use &U) {
    const auto *Entry = cast<User>(U);
    StringRef Text;
    return Entry->getOperand(0)->stripPointerCasts() == &Stub &&
           getConstantStringInfo(Entry->getOperand(1), Text) &&
           Text == "sluice:off";
  });
}

static StringRef calleeName(const CallBase &Call) {
  const Function *Callee = Call.getCalledFunction();
  return Callee ? Callee->getName() : "";
}

/// \p Call sets a kernel's carveout or its preference for L1 or shared memory;
/// with \p OrLimit also the most dynamic shared memory that it may have.
static bool setsPreference(const CallBase &Call, bool OrLimit) {
  // The C++ header's templates have the C functions' names inside theirs.
  StringRef Callee = calleeName(Call);
  if (Callee.contains("cudaFuncSetCacheConfig"))
    return true;
  if (!Callee.contains("cudaFuncSetAttribute") || Call.arg_size() < 2)
    return false;
  const auto *Which = dyn_cast<ConstantInt>(Call.getArgOperand(1));
  return !Which || Which->getZExtValue() == CarveoutAttribute ||
         (OrLimit && Which->getZExtValue() == MostDynamicAttribute);
}

/// A launch in which all blocks of the grid, or of a cluster, must be resident.
static bool launchesTogether(const CallBase &Call) {
  StringRef Callee = calleeName(Call);
  return Callee.contains("cudaLaunchCooperativeKernel") ||
         Callee.contains("cudaLaunchKernelEx");
}

/// The calls that set a preference for a kernel known only at run time.
static SmallVector<const CallBase *> settingsThroughPointers(const Module &M) {
  SmallVector<const CallBase *> Settings;
  for (const Function &F : M) {
    if (F.getName().contains("cudaFuncSet"))
      continue; // the header's template: what matters is who calls it
    for (const Instruction &I : instructions(F))
      if (const auto *Call = dyn_cast<CallBase>(&I))
        if (setsPreference(*Call, /*OrLimit=*/true) &&
            !isa<Function>(Call->getArgOperand(0)->stripPointerCasts()))
          Settings.push_back(Call);
  }
  return Settings;
}

/// A call by which the program sets the kernel's preference, or may do so
/// because the kernel's address is one that it keeps; null: there is none in
/// this module. For a kernel with a claim also one that the claim could make
/// fail.
static const CallBase *
programsOwnSetting(const Function &Stub, bool HasClaim,
                   ArrayRef<const CallBase *> ThroughPointers) {
  bool AddressIsKept = false;
  for (const Use &U : Stub.uses()) {
    const auto *Call = dyn_cast<CallBase>(U.getUser());
    if (!Call || !(Call->isCallee(&U) || calleeName(*Call).contains("cuda")))
      AddressIsKept = true;
    else if (!Call->isCallee(&U) && (setsPreference(*Call, HasClaim) ||
                                     (HasClaim && launchesTogether(*Call))))
      return Call;
  }
  auto Matters = [&](const CallBase *Call) {
    return setsPreference(*Call, HasClaim);
  };
  const auto *Own = find_if(ThroughPointers, Matters);
  return AddressIsKept && Own != ThroughPointers.end() ? *Own : nullptr;
}

/// \p Own in words, for \p Stub's kernel.
static StringRef nameOfSetting(const CallBase &Own, const Function &Stub) {
  if (launchesTogether(Own))
    return "the program launches it cooperatively or with attributes";
  if (!setsPreference(Own, /*OrLimit=*/false))
    return "the program limits its dynamic shared memory itself";
  return Own.getArgOperand(0)->stripPointerCasts() == &Stub
             ? "the program sets it itself"
             : "the program may set it itself, through a pointer to the kernel";
}

/// Notes on which devices the kernel was set.
static GlobalVariable *doneWord(Function &Stub) {
  Module &M = *Stub.getParent();
  std::string Name = ("__sluice_carveout_done." + Stub.getName()).str();
  if (GlobalVariable *Known = M.getNamedGlobal(Name))
    return Known;
  GlobalVariable *Word =
      newSharedByStub(Stub, Name, Type::getInt64Ty(M.getContext()));
  Word->setAlignment(Align(8));
  return Word;
}

/// The calls in a stub that launch.
static SmallVector<CallBase *, 1> launchesIn(Function &Stub) {
  SmallVector<CallBase *, 1> Launches;
  for (Instruction &I : instructions(Stub))
    if (auto *Call = dyn_cast<CallBase>(&I))
      if (calleeName(*Call).starts_with("cudaLaunchKernel"))
        Launches.push_back(Call);
  return Launches;
}

/// Lets \p Launch ask for the claim; if the runtime refuses it, for what the
/// program asks for.
static void claimShared(CallInst &Launch, const HostRequest &Request) {
  Module &M = *Launch.getModule();
  const unsigned SharedIndex = Launch.arg_size() - 2;
  IRBuilder<> B(&Launch);
  Value *Shared = Launch.getArgOperand(SharedIndex);
  Value *Claimed = B.CreateCall(claimHelper(M),
                                {Shared, B.getInt64(Request.MostDynamicBytes),
                                 B.getInt64(Request.ClaimedSharedBytes)});
  auto *Plain = cast<CallInst>(Launch.clone());
  Launch.setArgOperand(SharedIndex, Claimed);

  BasicBlock *First = Launch.getParent();
  BasicBlock *Rest = SplitBlock(First, Launch.getNextNode());
  BasicBlock *Again =
      BasicBlock::Create(M.getContext(), "", First->getParent(), Rest);
  PHINode *Status = PHINode::Create(Launch.getType(), 2, "", Rest->begin());
  Launch.replaceAllUsesWith(Status);
  Status->addIncoming(&Launch, First);
  Status->addIncoming(Plain, Again);

  First->getTerminator()->eraseFromParent();
  B.SetInsertPoint(First);
  Value *IsRefused = B.CreateICmpEQ(
      &Launch, ConstantInt::get(Launch.getType(), InvalidValueError));
  B.CreateCondBr(B.CreateAnd(IsRefused, B.CreateICmpNE(Claimed, Shared)), Again,
                 Rest);
  B.SetInsertPoint(Again);
  B.CreateCall(M.getOrInsertFunction("cudaGetLastError", B.getInt32Ty()), {});
  B.Insert(Plain);
  B.CreateBr(Rest);
}

/// "carveout of 'f' left alone: ".
static std::string leftAlone(const Function &Stub, bool HasClaim) {
  return std::string(HasClaim ? "thread blocks and carveout of '"
                              : "carveout of '") +
         demangle(kernelOfStub(Stub.getName())) + "' left alone: ";
}

/// Why \p Stub's launches stay as they are, as a remark; empty: they need not.
static bool refuses(Function &Stub, bool HasClaim,
                    ArrayRef<const CallBase *> ThroughPointers,
                    OptimizationRemarkEmitter &Remarks) {
  if (isSwitchedOff(Stub)) {
    Remarks.emit([&] {
      return OptimizationRemarkMissed(DEBUG_TYPE, "SwitchedOff",
                                      DiagnosticLocation(), &Stub.front())
             << leftAlone(Stub, HasClaim) << "switched off in the source";
    });
    return true;
  }
  const CallBase *Own = programsOwnSetting(Stub, HasClaim, ThroughPointers);
  if (!Own)
    return false;
  emitPlaced(Remarks, Own->getDebugLoc(), [&](const DebugLoc &At) {
    return OptimizationRemarkMissed(DEBUG_TYPE, "ProgramsOwn", At,
                                    Own->getParent())
           << leftAlone(Stub, HasClaim) << nameOfSetting(*Own, Stub);
  });
  return true;
}

static bool merge(CallInst &Launch, const MergedForm &Form,
                  OptimizationRemarkEmitter &Remarks) {
  const std::string Kernel =
      demangle(kernelOfStub(Launch.getFunction()->getName()));
  if (!mergeLaunch(Launch, Form))
    return false;
  ++NumMerged;
  emitPlaced(Remarks, Launch.getDebugLoc(), [&](const DebugLoc &At) {
    return OptimizationRemark(DEBUG_TYPE, "Merged", At, Launch.getParent())
           << "large grids of small blocks of '" << Kernel
           << "' are launched as larger blocks";
  });
  return true;
}

static bool choose(CallInst &Launch, const ShortRowsForm &Form,
                   OptimizationRemarkEmitter &Remarks) {
  const std::string Kernel =
      demangle(kernelOfStub(Launch.getFunction()->getName()));
  if (!chooseByLength(Launch, Form))
    return false;
  ++NumByLength;
  emitPlaced(Remarks, Launch.getDebugLoc(), [&](const DebugLoc &At) {
    return OptimizationRemark(DEBUG_TYPE, "ByLength", At, Launch.getParent())
           << "launches of '" << Kernel
           << "' with short rows take a kernel that does not stage or widen "
              "them";
  });
  return true;
}

/// Carries \p Request out for one launch in the stub.
static bool request(CallBase &Launch, const HostRequest &Request,
                    OptimizationRemarkEmitter &Remarks) {
  Function &Stub = *Launch.getFunction();
  std::string Kernel = demangle(kernelOfStub(Stub.getName()));
  bool Changed = false;
  if (Request.CarveoutPercent) {
    IRBuilder<> B(&Launch);
    B.CreateCall(carveoutHelper(*Stub.getParent()),
                 {Launch.getArgOperand(0), doneWord(Stub),
                  B.getInt32(*Request.CarveoutPercent)});
    Changed = true;
    ++NumCarveouts;
    emitPlaced(Remarks, Launch.getDebugLoc(), [&](const DebugLoc &At) {
      return OptimizationRemark(DEBUG_TYPE, "Set", At, Launch.getParent())
             << "carveout of '" << Kernel << "' set to "
             << ore::NV("Percent", *Request.CarveoutPercent)
             << " per cent before its launches";
    });
  }
  auto *Call = dyn_cast<CallInst>(&Launch);
  if (Request.ClaimedSharedBytes == 0 || !Call) {
    // What is set for the kernel would not hold for the other one.
    if (!Changed && Call && Request.Merged)
      return merge(*Call, *Request.Merged, Remarks);
    if (!Changed && Call && Request.Short)
      return choose(*Call, *Request.Short, Remarks);
    return Changed;
  }
  emitPlaced(Remarks, Launch.getDebugLoc(), [&](const DebugLoc &At) {
    return OptimizationRemark(DEBUG_TYPE, "Claimed", At, Launch.getParent())
           << "launches of '" << Kernel << "' claim "
           << ore::NV("Bytes", Request.ClaimedSharedBytes)
           << " bytes of shared memory for each block";
  });
  claimShared(*Call, Request);
  ++NumClaims;
  return true;
}

PreservedAnalyses CarveoutPass::run(Module &M, ModuleAnalysisManager &) {
  bool Changed = false;
  SmallVector<Function *> Stubs;
  for (Function &F : M)
    if (!F.isDeclaration() && !kernelOfStub(F.getName()).empty())
      Stubs.push_back(&F);
  // Before calls of our own are among them.
  SmallVector<const CallBase *> ThroughPointers;
  if (!Stubs.empty())
    ThroughPointers = settingsThroughPointers(M);
  for (Function *Stub : Stubs) {
    OptimizationRemarkEmitter Remarks(Stub);
    std::string Kernel = kernelOfStub(Stub->getName());
    auto Refused = Wanted.Refusals.find(Kernel);
    if (Refused != Wanted.Refusals.end())
      Remarks.emit([&] {
        return OptimizationRemarkMissed(DEBUG_TYPE, "Refused",
                                        DiagnosticLocation(), &Stub->front())
               << leftAlone(*Stub, /*HasClaim=*/true) << Refused->second;
      });
    auto Found = Wanted.Requests.find(Kernel);
    if (Found == Wanted.Requests.end()) {
      LLVM_DEBUG(dbgs() << "nothing is asked for '" << Kernel << "'\n");
      continue;
    }
    const HostRequest &Request = Found->second;
    if (refuses(*Stub, Request.ClaimedSharedBytes != 0, ThroughPointers,
                Remarks)) {
      ++NumLeftAlone;
      continue;
    }
    for (CallBase *Launch : launchesIn(*Stub))
      Changed |= request(*Launch, Request, Remarks);
  }
  return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

namespace {

/// What the pass gets by name: files.
struct CarveoutFiles {
  std::string GPUBinary, Plan;
};

/// The pass by its name, which knows the source only when it runs.
struct NamedCarveoutPass : PassInfoMixin<NamedCarveoutPass> {
  CarveoutFiles Files;

  explicit NamedCarveoutPass(CarveoutFiles Files) : Files(std::move(Files)) {}
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &Analyses);
  static bool isRequired() { return true; }
};

} // namespace

static Error readRequests(const CarveoutFiles &Files, const Module &M,
                          AgreedRequests &Wanted) {
  if (!Files.GPUBinary.empty()) {
    auto Buffer = MemoryBuffer::getFile(Files.GPUBinary);
    if (!Buffer)
      return createStringError("cannot read '" + Files.GPUBinary +
                               "': " + Buffer.getError().message());
    auto Images = imagesOf((*Buffer)->getBuffer());
    if (!Images)
      return Images.takeError();
    Wanted = agreeOn(*Images);
  }
  if (Files.Plan.empty())
    return Error::success();
  auto Plans = readPlanFile(Files.Plan);
  if (!Plans)
    return Plans.takeError();
  for (const std::string &Kernel : takeCarveouts(
           *Plans, sys::path::filename(M.getSourceFileName()), Wanted.Requests))
    Wanted.Refusals[Kernel] = "its plans disagree";
  return Error::success();
}

PreservedAnalyses NamedCarveoutPass::run(Module &M,
                                         ModuleAnalysisManager &Analyses) {
  AgreedRequests Wanted;
  if (Error E = readRequests(Files, M, Wanted)) {
    M.getContext().diagnose(DiagnosticInfoGeneric(
        Twine(DEBUG_TYPE) + ": " + toString(std::move(E)), DS_Error));
    return PreservedAnalyses::all();
  }
  return CarveoutPass(std::move(Wanted)).run(M, Analyses);
}

void sluice::registerCarveoutPass(PassBuilder &PB) {
  PB.registerPipelineParsingCallback(
      [](StringRef Name, ModulePassManager &MPM,
         ArrayRef<PassBuilder::PipelineElement>) {
        if (!Name.consume_front(DEBUG_TYPE) || !Name.consume_front("<") ||
            !Name.consume_back(">"))
          return false;
        CarveoutFiles Files;
        for (StringRef Item : split(Name, ';')) {
          if (Item.consume_front("gpu-binary="))
            Files.GPUBinary = Item.str();
          else if (Item.consume_front("plan="))
            Files.Plan = Item.str();
          else
            return false;
        }
        MPM.addPass(NamedCarveoutPass(std::move(Files)));
        return true;
      });
}
