// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sluice/Target/MemoryModel.h"

using namespace sluice;

MemoryModel sluice::memoryModel(const GPUModel &GPU) {
  MemoryModel M;
  M.ClockGHz = 1.97;
  M.L1ReservedBytes = 7 * 1024;
  M.L1HitCycles = 32;
  M.TagLinesPerCycle = 1;
  M.RequestCycles = 1.5;
  M.L1BytesPerCycle = 128;
  M.SharedCycles = 23;
  M.L1OutstandingSectors = 16384;
  M.L1QueueCycles = 256;
  M.L2HitCycles = 295;
  M.L2Bytes = uint64_t(40) << 20;
  M.L2BytesPerCyclePerSM = 124;
  M.L2BytesPerCycle = 3900;
  M.L2LinesPerCycle = 66;
  M.DRAMCycles = 690;
  M.DRAMBytesPerCycle = 1550;
  M.DRAMPartialLineFactor = 1.6;
  M.ArithmeticCycles = 4;
  M.IndependentInstructions = 1.6;
  return M;
}
