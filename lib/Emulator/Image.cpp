// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Link, count registers, prepare, place variables, decode: each step needs the
// one before. The LLVM module is gone at the end; what runs is decoded.

#include "Image.h"
#include "Decoder.h"
#include "Prepare.h"
#include "sluice/Analysis/AnalysisManagers.h"
#include "sluice/Analysis/KernelFunction.h"
#include "sluice/Simulator/IssueOrder.h"
#include "sluice/Target/MergedBlocks.h"
#include "sluice/Target/PTXAssembler.h"
#include "sluice/Target/ShortRows.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/BinaryFormat/Magic.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Object/OffloadBinary.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include <cstring>

using namespace sluice::emulator;
using namespace llvm;

Error Image::read(std::unique_ptr<Module> &M, LLVMContext &Context,
                  ContractionMode &Contract) {
  Contract = ContractionMode::Flagged;
  for (StringRef Part : Parts) {
    StringRef Bitcode = Part;
    std::unique_ptr<MemoryBuffer> Copy; // aligned, and lives until it is read
    std::unique_ptr<object::OffloadBinary> Binary;
    if (identify_magic(Part) == file_magic::offload_binary) {
      Copy = MemoryBuffer::getMemBufferCopy(Part);
      auto Opened = object::OffloadBinary::create(*Copy);
      if (!Opened)
        return Opened.takeError();
      Binary = std::move(*Opened);
      StringRef Mode = Binary->getString("fp-contract");
      if (Mode != "off" && Mode != "on")
        Contract = ContractionMode::All;
      Bitcode = Binary->getImage();
    }
    SMDiagnostic Diagnostic;
    auto One =
        parseIR(MemoryBufferRef(Bitcode, "device image"), Diagnostic, Context);
    if (!One)
      return createStringError(
          "the device image is not one of sluice's: build the program with "
          "sluice-clang++ --sluice-emulate (" +
          Diagnostic.getMessage() + ")");
    if (!M)
      M = std::move(One);
    else if (Linker::linkModules(*M, std::move(One)))
      return createStringError("device code could not be linked");
  }
  if (!M)
    return createStringError("the device image is empty");
  return Error::success();
}

// Shared variables get offsets in the block's shared memory; the others device
// addresses.
Error Image::placeVariables(Module &M) {
  const DataLayout &DL = M.getDataLayout();
  Shared = layOutSharedMemory(M, ReservedSharedBytes);
  for (const auto &[G, Offset] : Shared.Offsets)
    Addresses[G] = Offset;
  for (GlobalVariable &G : M.globals()) {
    // Of the second only the name matters, and only to the host's compile
    // (sluice/Plan/HostRecord.h).
    if (G.getName().starts_with("llvm.") ||
        G.getName().starts_with("__sluice_host$"))
      continue;
    Type *T = G.getValueType();
    uint64_t Bytes = DL.getTypeAllocSize(T);
    uint64_t Align = std::max<uint64_t>(G.getAlign().valueOrOne().value(),
                                        DL.getPreferredAlign(&G).value());
    if (G.getAddressSpace() == 3)
      continue;
    if (G.isDeclaration())
      continue; // an error where it is used
    Allocation *A =
        E.Memory->allocate(std::max<uint64_t>(Bytes, 1), MemoryKind::Variable,
                           HostPlace(), std::max<uint64_t>(Align, 256));
    if (!A)
      return createStringError("the emulated GPU has no memory left for " +
                               G.getName());
    A->Name = demangle(G.getName().str());
    Addresses[&G] = A->Begin;
    if (G.getAddressSpace() == 4) {
      ConstantBytes += Bytes;
      A->ReadOnly = true;
    }
    E.Memory->markWritten(A->Begin, A->bytes());
    Variables[G.getName().str()] = {G.getName().str(), A};
  }
  return Error::success();
}

namespace {
/// Writes initial values into memory.
struct Initialiser {
  const DataLayout &DL;
  const DenseMap<const GlobalVariable *, uint64_t> &Addresses;
  const Program &Code;

  uint64_t address(const llvm::Constant *C) const {
    if (auto *G = dyn_cast<GlobalVariable>(C))
      return Addresses.lookup(G);
    if (auto *F = dyn_cast<llvm::Function>(C)) {
      for (size_t I = 0; I < Code.ByAddress.size(); ++I)
        if (Code.ByAddress[I]->Name == F->getName())
          return FunctionBase + 16 * I;
      return 0;
    }
    if (auto *G = dyn_cast<GEPOperator>(C)) {
      APInt Offset(64, 0);
      G->accumulateConstantOffset(DL, Offset);
      return address(cast<llvm::Constant>(G->getPointerOperand())) +
             Offset.getSExtValue();
    }
    if (auto *X = dyn_cast<ConstantExpr>(C)) {
      uint64_t A = address(X->getOperand(0));
      if (X->getOpcode() == llvm::Instruction::AddrSpaceCast &&
          X->getOperand(0)->getType()->getPointerAddressSpace() == 3)
        A += SharedWindow;
      return A;
    }
    if (auto *I = dyn_cast<ConstantInt>(C))
      return I->getZExtValue();
    return 0;
  }

  void write(const llvm::Constant *C, char *To) const {
    Type *T = C->getType();
    if (isa<UndefValue, ConstantAggregateZero, ConstantPointerNull>(C))
      return; // memory begins as zeros
    if (auto *D = dyn_cast<ConstantDataSequential>(C)) {
      StringRef Raw = D->getRawDataValues();
      std::memcpy(To, Raw.data(), Raw.size());
      return;
    }
    if (auto *S = dyn_cast<StructType>(T)) {
      for (unsigned I = 0; I < S->getNumElements(); ++I)
        write(C->getAggregateElement(I),
              To + DL.getStructLayout(S)->getElementOffset(I));
      return;
    }
    if (T->isArrayTy() || T->isVectorTy()) {
      Type *Element = T->isArrayTy()
                          ? T->getArrayElementType()
                          : cast<FixedVectorType>(T)->getElementType();
      unsigned N = T->isArrayTy() ? T->getArrayNumElements()
                                  : cast<FixedVectorType>(T)->getNumElements();
      for (unsigned I = 0; I < N; ++I)
        write(C->getAggregateElement(I), To + I * DL.getTypeAllocSize(Element));
      return;
    }
    uint64_t Word = 0;
    unsigned Bytes = DL.getTypeStoreSize(T);
    if (auto *F = dyn_cast<ConstantFP>(C))
      Word = F->getValueAPF().bitcastToAPInt().getZExtValue();
    else if (auto *I = dyn_cast<ConstantInt>(C); I && I->getBitWidth() > 64) {
      std::memcpy(To, I->getValue().getRawData(), Bytes);
      return;
    } else
      Word = address(C);
    std::memcpy(To, &Word, std::min(Bytes, 8u));
  }
};
} // namespace

static unsigned attributeNumber(const llvm::Function &F, StringRef Name,
                                unsigned Default) {
  unsigned Product = 1, Part;
  StringRef Text = F.getFnAttribute(Name).getValueAsString();
  if (Text.empty())
    return Default;
  while (!Text.empty()) {
    StringRef Word;
    std::tie(Word, Text) = Text.split(',');
    if (Word.getAsInteger(10, Part))
      return Default;
    Product *= Part;
  }
  return Product;
}

// As people write kernels' names.
static std::string nameWithoutParameters(const std::string &Mangled) {
  if (const auto Merged = sluice::mergedKernel(Mangled))
    return nameWithoutParameters(Merged->Kernel) + " (blocks merged)";
  if (const auto Short = sluice::shortRowsKernel(Mangled))
    return nameWithoutParameters(Short->Kernel) + " (short rows)";
  ItaniumPartialDemangler Demangler;
  if (Demangler.partialDemangle(Mangled.c_str()) || !Demangler.isFunction())
    return demangle(Mangled);
  char *Name = Demangler.getFunctionName(nullptr, nullptr);
  std::string Text = Name ? Name : Mangled;
  std::free(Name);
  return Text;
}

// What ptxas gives the kernels of the module. Where it cannot be had they stay
// guessed.
void Image::countRegisters(const Module &M, TargetMachine &TM) {
  std::unique_ptr<Module> Copy = CloneModule(M);
  SmallString<0> PTX;
  raw_svector_ostream OS(PTX);
  legacy::PassManager Passes;
  if (TM.addPassesToEmitFile(Passes, OS, nullptr,
                             CodeGenFileType::AssemblyFile))
    return;
  Passes.run(*Copy);
  auto Kernels = assemblePTX(PTX, E.GPU->Name, "");
  if (!Kernels) {
    consumeError(Kernels.takeError());
    return;
  }
  for (const auto &Kernel : *Kernels)
    Registers[Kernel.first()] = Kernel.second.Registers;
}

static void placeParameters(const llvm::Function &F,
                            sluice::emulator::Function &Out) {
  const DataLayout &DL = F.getDataLayout();
  uint32_t Offset = 0;
  for (const Argument &A : F.args()) {
    Type *ByValue = A.getParamByValType();
    Type *T = ByValue ? ByValue : A.getType();
    uint32_t Bytes = DL.getTypeAllocSize(T);
    uint64_t Align = ByValue ? A.getParamAlign().valueOrOne().value()
                             : DL.getABITypeAlign(T).value();
    Offset = alignTo(Offset, std::max<uint64_t>(Align, 1));
    Out.ParameterByValue.push_back(ByValue && Out.IsKernel);
    Out.ParameterReadOnly.push_back(T->isPointerTy() && !ByValue &&
                                    A.onlyReadsMemory());
    Out.ParameterNames.push_back(A.getName().str());
    Out.ParameterOffsets.push_back(Offset);
    Out.ParameterBytes.push_back(Bytes);
    Offset += Bytes;
  }
}

std::unique_ptr<LoadedKernel>
Image::factsOf(const llvm::Function &F,
               const sluice::emulator::Function &Out) const {
  auto Facts = std::make_unique<LoadedKernel>();
  Facts->Name = Out.Name;
  Facts->StaticSharedBytes = Shared.Kernels.find(&F)->second.StaticBytes;
  Facts->ConstantBytes = ConstantBytes;
  Facts->LocalBytes = Out.LocalBytes;
  Facts->MaxThreadsPerBlock = attributeNumber(F, "nvvm.maxntid", 1024);
  Facts->Registers = Out.Registers;
  Facts->ParameterBytes.assign(Out.ParameterBytes.begin(),
                               Out.ParameterBytes.end());
  Facts->MaxDynamicSharedBytes =
      DefaultSharedBytes -
      std::min(DefaultSharedBytes, Facts->StaticSharedBytes);
  return Facts;
}

void Image::decode(Module &M, TargetMachine &TM) {
  PassBuilder PB(&TM);
  AnalysisManagers Analyses(PB);
  FunctionAnalysisManager &FAM = Analyses.OfFunctions;
  const DataLayout &DL = M.getDataLayout();

  DecodeContext DC;
  DC.Handlers = E.Handlers;
  DC.Addresses = Addresses;
  DC.Out = &Code;
  SiteTable Table(Code.Sites);
  Table.AssumeReadOnly = E.AssumeReadOnly;
  DC.Sites = E.ObserveAccesses ? &Table : nullptr;
  for (llvm::Function &F : M) {
    if (F.isDeclaration())
      continue;
    auto Out = std::make_unique<sluice::emulator::Function>();
    Out->Name = F.getName().str();
    Out->PrettyName = nameWithoutParameters(Out->Name);
    Out->IsKernel = isKernel(F);
    DC.Functions[&F] = Out.get();
    Code.ByAddress.push_back(Out.get());
    Code.Functions[F.getName()] = std::move(Out);
  }
  Initialiser Init{DL, Addresses, Code};
  for (GlobalVariable &G : M.globals())
    if (auto It = Addresses.find(&G);
        It != Addresses.end() && G.getAddressSpace() != 3 && G.hasInitializer())
      Init.write(G.getInitializer(), hostPointer<char>(It->second));

  uint32_t Sites = 0;
  for (llvm::Function &F : M) {
    if (F.isDeclaration())
      continue;
    sluice::emulator::Function &Out = *DC.Functions[&F];
    if (auto Counted = Registers.find(Out.Name); Counted != Registers.end())
      Out.Registers = Counted->second;
    placeParameters(F, Out);
    FunctionDecoder(F, Out, DC, FAM.getResult<UniformityInfoAnalysis>(F),
                    FAM.getResult<LoopAnalysis>(F))
        .run();
    Out.FirstSite = Sites;
    Sites += Out.NumSites;
    if (!Out.IsKernel)
      continue;
    if (DC.Sites)
      DC.Sites->kernel(F);
    Out.DynamicSharedBase = Shared.Kernels.find(&F)->second.DynamicBase;
    Kernels[Out.Name] = factsOf(F, Out);
  }
}

Error Image::load() {
  if (Loaded)
    return Problem.empty() ? Error::success() : createStringError(Problem);
  Loaded = true;
  auto Fail = [&](Error Err) {
    Problem = toString(std::move(Err));
    return createStringError(Problem);
  };
  LLVMContext Context;
  std::unique_ptr<Module> M;
  ContractionMode Contract;
  if (Error Err = read(M, Context, Contract))
    return Fail(std::move(Err));
  auto TM = makeTargetMachine(E.GPU->Name);
  if (!TM)
    return Fail(TM.takeError());
  if (E.CountRegisters)
    countRegisters(*M, **TM);
  prepareModule(*M, **TM, Contract);
  if (std::getenv("SLUICE_EMULATE_PRINT_IR"))
    M->print(errs(), nullptr);
  if (Error Err = placeVariables(*M))
    return Fail(std::move(Err));
  decode(*M, **TM);
  Addresses.clear();
  Shared = SharedLayout();
  return Error::success();
}

Expected<LoadedKernel *> Image::kernel(StringRef Name) {
  auto It = Kernels.find(Name);
  if (It == Kernels.end())
    return createStringError("the device image has no kernel " +
                             demangle(Name.str()));
  return It->second.get();
}

Expected<VariableFacts> Image::variable(StringRef Name) {
  auto It = Variables.find(Name);
  if (It == Variables.end())
    return createStringError("the device image has no variable " +
                             demangle(Name.str()));
  return It->second;
}

const sluice::emulator::Function *
Image::codeOf(const LoadedKernel &Kernel) const {
  auto It = Kernels.find(Kernel.Name);
  if (It == Kernels.end() || It->second.get() != &Kernel)
    return nullptr;
  auto F = Code.Functions.find(Kernel.Name);
  return F == Code.Functions.end() ? nullptr : F->second.get();
}
