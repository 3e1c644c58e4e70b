// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// A device image: bitcode, read and decoded when it is first needed.

#ifndef SLUICE_LIB_EMULATOR_IMAGE_H
#define SLUICE_LIB_EMULATOR_IMAGE_H

#include "Handlers.h"
#include "Prepare.h"
#include "Program.h"
#include "SharedLayout.h"
#include <map>

namespace llvm {
class GlobalVariable;
class LLVMContext;
class TargetMachine;
} // namespace llvm

namespace sluice::emulator {

class Image {
public:
  struct Environment {
    DeviceMemory *Memory;
    const GPUModel *GPU;
    const HandlerTable *Handlers;
    bool ObserveAccesses;
    bool AssumeReadOnly; ///< SiteTable::AssumeReadOnly.
    bool CountRegisters; ///< By assembling the kernels; else they are guessed.
  };
  explicit Image(Environment E) : E(E) {}

  /// Adds an offload binary (or bare bitcode) to what this image is made of.
  void add(llvm::StringRef Bytes) { Parts.push_back(Bytes); }
  /// Reads, links, prepares and decodes all parts; nothing the second time. An
  /// error stays one.
  llvm::Error load();

  llvm::Expected<LoadedKernel *> kernel(llvm::StringRef Name);
  llvm::Expected<VariableFacts> variable(llvm::StringRef Name);
  /// The code of a kernel of this image, else null.
  const Function *codeOf(const LoadedKernel &Kernel) const;
  const Program &program() const { return Code; }

private:
  llvm::Error read(std::unique_ptr<llvm::Module> &M, llvm::LLVMContext &Context,
                   ContractionMode &Contract);
  llvm::Error placeVariables(llvm::Module &M);
  void countRegisters(const llvm::Module &M, llvm::TargetMachine &TM);
  void decode(llvm::Module &M, llvm::TargetMachine &TM);
  std::unique_ptr<LoadedKernel> factsOf(const llvm::Function &F,
                                        const Function &Decoded) const;

  Environment E;
  std::vector<llvm::StringRef> Parts;
  bool Loaded = false;
  std::string Problem;
  Program Code;
  llvm::DenseMap<const llvm::GlobalVariable *, uint64_t> Addresses;
  llvm::StringMap<unsigned> Registers; ///< Of kernels, where counted.
  SharedLayout Shared;                 ///< While the module is there.
  uint64_t ConstantBytes = 0;
  std::map<std::string, std::unique_ptr<LoadedKernel>, std::less<>> Kernels;
  std::map<std::string, VariableFacts, std::less<>> Variables;
};

} // namespace sluice::emulator

#endif
