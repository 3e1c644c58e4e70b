// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel's carveout is an attribute that the host sets. Which kernels, and
// how much, the plan says; where, is the launch stub that clang makes for each
// kernel: every <<<>>> goes through it. A static initialiser would make the
// CUDA context too early, and once for a process is not enough: the attribute
// belongs to a device.

#include "sluice/Transforms/CarveoutPass.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include <cstdlib>
#include <memory>

using namespace llvm;
using namespace sluice;

static constexpr char PassName[] = "sluice-carveout";
/// cudaFuncAttributePreferredSharedMemoryCarveout.
static constexpr unsigned CarveoutAttribute = 9;

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

/// \p Call sets a kernel's carveout or its preference for L1 or shared memory.
static bool setsPreference(const CallBase &Call) {
  // The C++ header's templates have the C functions' names inside theirs.
  StringRef Callee = calleeName(Call);
  if (Callee.contains("cudaFuncSetCacheConfig"))
    return true;
  if (!Callee.contains("cudaFuncSetAttribute") || Call.arg_size() < 2)
    return false;
  const auto *Which = dyn_cast<ConstantInt>(Call.getArgOperand(1));
  return !Which || Which->getZExtValue() == CarveoutAttribute;
}

/// The calls that set a preference for a kernel known only at run time.
static SmallVector<const CallBase *> settingsThroughPointers(const Module &M) {
  SmallVector<const CallBase *> Settings;
  for (const Function &F : M) {
    if (F.getName().contains("cudaFuncSet"))
      continue; // the header's template: what matters is who calls it
    for (const Instruction &I : instructions(F))
      if (const auto *Call = dyn_cast<CallBase>(&I))
        if (setsPreference(*Call) &&
            !isa<Function>(Call->getArgOperand(0)->stripPointerCasts()))
          Settings.push_back(Call);
  }
  return Settings;
}

/// A call by which the program sets the kernel's preference, or may do so
/// because the kernel's address is one that it keeps; null: there is none in
/// this module.
static const CallBase *
programsOwnSetting(const Function &Stub,
                   ArrayRef<const CallBase *> ThroughPointers) {
  bool AddressIsKept = false;
  for (const Use &U : Stub.uses()) {
    const auto *Call = dyn_cast<CallBase>(U.getUser());
    if (!Call || !(Call->isCallee(&U) || calleeName(*Call).contains("cuda")))
      AddressIsKept = true;
    else if (!Call->isCallee(&U) && setsPreference(*Call))
      return Call;
  }
  return AddressIsKept && !ThroughPointers.empty() ? ThroughPointers.front()
                                                   : nullptr;
}

/// void __sluice_set_carveout(ptr kernel, ptr done, i32 percent): `done` has a
/// bit for each of the first 64 devices. One for the whole program.
static Function *carveoutHelper(Module &M) {
  constexpr char Name[] = "__sluice_set_carveout";
  if (Function *Known = M.getFunction(Name))
    return Known;
  LLVMContext &C = M.getContext();
  Type *I32 = Type::getInt32Ty(C), *I64 = Type::getInt64Ty(C);
  Type *Void = Type::getVoidTy(C);
  PointerType *Ptr = PointerType::getUnqual(C);
  Function *Helper = Function::createWithDefaultAttr(
      FunctionType::get(Void, {Ptr, Ptr, I32}, false),
      GlobalValue::LinkOnceODRLinkage, /*AddrSpace=*/0, Name, &M);
  Helper->setVisibility(GlobalValue::HiddenVisibility);
  Helper->setDoesNotThrow();
  Helper->addFnAttr(Attribute::NoInline); // a launch is not the faster for it
  if (Triple(M.getTargetTriple()).supportsCOMDAT())
    Helper->setComdat(M.getOrInsertComdat(Name));
  FunctionCallee GetDevice = M.getOrInsertFunction("cudaGetDevice", I32, Ptr);
  FunctionCallee SetAttribute =
      M.getOrInsertFunction("cudaFuncSetAttribute", I32, Ptr, I32, I32);
  FunctionCallee Peek = M.getOrInsertFunction("cudaPeekAtLastError", I32);
  FunctionCallee Clear = M.getOrInsertFunction("cudaGetLastError", I32);

  auto NewBlock = [&](const char *Label) {
    return BasicBlock::Create(C, Label, Helper);
  };
  BasicBlock *Entry = NewBlock("entry"), *Clean = NewBlock("clean"),
             *Mark = NewBlock("mark"), *Set = NewBlock("set"),
             *Failed = NewBlock("failed"), *Done = NewBlock("done");
  IRBuilder<> B(Entry);
  Value *Device = B.CreateAlloca(I32);
  // An error of the program's, once overwritten, could not be put back. So
  // while there is one, nothing is called that may fail.
  B.CreateCondBr(B.CreateIsNull(B.CreateCall(Peek, {})), Clean, Done);

  B.SetInsertPoint(Clean);
  Value *DeviceStatus = B.CreateCall(GetDevice, {Device});
  B.CreateCondBr(B.CreateIsNull(DeviceStatus), Mark, Failed);

  B.SetInsertPoint(Mark);
  Value *Number = B.CreateAnd(B.CreateLoad(I32, Device), 63);
  Value *Bit = B.CreateShl(B.getInt64(1), B.CreateZExt(Number, I64));
  Value *Old = B.CreateAtomicRMW(AtomicRMWInst::Or, Helper->getArg(1), Bit,
                                 Align(8), AtomicOrdering::Monotonic);
  B.CreateCondBr(B.CreateIsNull(B.CreateAnd(Old, Bit)), Set, Done);

  B.SetInsertPoint(Set);
  Value *SetStatus = B.CreateCall(
      SetAttribute,
      {Helper->getArg(0), B.getInt32(CarveoutAttribute), Helper->getArg(2)});
  B.CreateCondBr(B.CreateIsNull(SetStatus), Done, Failed);

  B.SetInsertPoint(Failed); // the error is ours, and nobody's business
  B.CreateCall(Clear, {});
  B.CreateBr(Done);
  B.SetInsertPoint(Done);
  B.CreateRetVoid();
  return Helper;
}

/// Notes on which devices the kernel was set; one for all files that share the
/// stub of a template.
static GlobalVariable *doneWord(Function &Stub) {
  Module &M = *Stub.getParent();
  std::string Name = ("__sluice_carveout_done." + Stub.getName()).str();
  if (GlobalVariable *Known = M.getNamedGlobal(Name))
    return Known;
  bool IsShared = Stub.isWeakForLinker();
  auto *Word = new GlobalVariable(
      M, Type::getInt64Ty(M.getContext()), /*isConstant=*/false,
      IsShared ? GlobalValue::LinkOnceODRLinkage : GlobalValue::InternalLinkage,
      ConstantInt::get(Type::getInt64Ty(M.getContext()), 0), Name);
  Word->setAlignment(Align(8));
  if (IsShared) {
    Word->setVisibility(GlobalValue::HiddenVisibility);
    if (Triple(M.getTargetTriple()).supportsCOMDAT())
      Word->setComdat(M.getOrInsertComdat(Name));
  }
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

PreservedAnalyses CarveoutPass::run(Module &M, ModuleAnalysisManager &) {
  bool Changed = false;
  SmallVector<std::pair<Function *, unsigned>> Wanted;
  for (Function &F : M) {
    std::string Kernel = F.isDeclaration() ? "" : kernelOfStub(F.getName());
    auto Percent = Percents.find(Kernel);
    if (!Kernel.empty() && Percent != Percents.end())
      Wanted.push_back({&F, Percent->second});
  }
  SmallVector<const CallBase *> ThroughPointers;
  if (!Wanted.empty())
    ThroughPointers = settingsThroughPointers(M);
  for (auto [Stub, Percent] : Wanted) {
    OptimizationRemarkEmitter Remarks(Stub);
    std::string Kernel = demangle(kernelOfStub(Stub->getName()));
    if (isSwitchedOff(*Stub)) {
      Remarks.emit([&, S = Stub] {
        return OptimizationRemarkMissed(PassName, "SwitchedOff",
                                        DiagnosticLocation(), &S->front())
               << "carveout of '" << Kernel
               << "' left alone: switched off in the source";
      });
      continue;
    }
    if (const CallBase *Own = programsOwnSetting(*Stub, ThroughPointers)) {
      bool IsCertain = Own->getArgOperand(0)->stripPointerCasts() == Stub;
      Remarks.emit([&] {
        return OptimizationRemarkMissed(PassName, "ProgramsOwn", Own)
               << "carveout of '" << Kernel << "' left alone: "
               << (IsCertain ? "the program sets it itself"
                             : "the program may set it itself, through a "
                               "pointer to the kernel");
      });
      continue;
    }
    for (CallBase *Launch : launchesIn(*Stub)) {
      IRBuilder<> B(Launch);
      B.CreateCall(carveoutHelper(M), {Launch->getArgOperand(0),
                                       doneWord(*Stub), B.getInt32(Percent)});
      Changed = true;
      Remarks.emit([&, L = Launch, P = Percent] {
        return OptimizationRemark(PassName, "Set", L)
               << "carveout of '" << Kernel << "' set to "
               << ore::NV("Percent", P) << " per cent before its launches";
      });
    }
  }
  return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}
