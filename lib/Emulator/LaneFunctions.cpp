// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Finds lane functions by name and keeps what was found.

#include "sluice/Emulator/LaneFunctions.h"
#include "LaneOpcode.h"
#include "llvm/ADT/StringMap.h"
#include <mutex>

using namespace llvm;
using namespace sluice;
using namespace sluice::emulator;

namespace {

/// Names asked for and their functions, also those that do not exist. Decoders
/// may ask from several threads.
class FunctionCache {
public:
  template <class Resolve>
  const LaneFunction *get(StringRef Name, Resolve resolve) {
    std::lock_guard<std::mutex> Guard(Lock);
    auto [Place, New] = Known.try_emplace(Name);
    if (New)
      Place->second = resolve(Name);
    return Place->second.Evaluate ? &Place->second : nullptr;
  }

private:
  std::mutex Lock;
  StringMap<LaneFunction> Known; // Its entries stay where they are.
};

} // namespace

LaneFunction emulator::resolvePTX(StringRef Opcode) {
  LaneOpcode Op(Opcode);
  for (auto *Topic :
       {resolveInteger, resolveCarry, resolveBits, resolvePackedIntegers,
        resolveCompare, resolveFloat, resolveHalf, resolveFloatMinMax,
        resolveApproximate, resolveConversion, resolvePackedConversion})
    if (LaneFunction Found = Topic(Op); Found.Evaluate)
      return Found;
  return noLaneFunction();
}

const LaneFunction *emulator::findPTXFunction(StringRef Opcode) {
  static FunctionCache Cache;
  return Cache.get(Opcode, resolvePTX);
}

const LaneFunction *emulator::findIntrinsicFunction(StringRef Name) {
  static FunctionCache Cache;
  return Cache.get(Name, [](StringRef Name) {
    if (Name.consume_front("llvm.nvvm."))
      return resolveNVVMIntrinsic(Name);
    if (!Name.consume_front("llvm."))
      return noLaneFunction();
    if (LaneFunction Found = resolveIntegerIntrinsic(Name); Found.Evaluate)
      return Found;
    return resolveFloatIntrinsic(Name);
  });
}
