// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What instrumented device code and its host agree on: the variable that turns
/// recording on, the records, and the file that they are kept in. The preloaded
/// library includes this, so there is nothing of LLVM in it.

#ifndef SLUICE_SIMULATOR_TRACECONTROL_H
#define SLUICE_SIMULATOR_TRACECONTROL_H

#include <cstdint>

namespace sluice {

/// Other SMs than the traced one whose blocks are recorded, to see which lines
/// they share with it: so far from it. The first stands for the three on either
/// side, the second for the rest.
constexpr unsigned TracedOthers = 2;
constexpr uint32_t TracedDistances[TracedOthers] = {1, 24};
constexpr uint32_t TracedNear = 6;

/// The device variable TraceControlName, one for each image. Blocks are
/// recorded whose linear number has the remainder First, or one of Others, when
/// divided by Stride.
struct TraceControl {
  uint64_t Buffer = 0;   ///< Device address, aligned to 8.
  uint64_t Capacity = 0; ///< Words of 32 bits.
  uint64_t Cursor = 0;   ///< Words asked for: may become more than Capacity.
  uint32_t First = ~0u;
  uint32_t Stride = 1;
  uint32_t Others[TracedOthers] = {~0u, ~0u};
};
constexpr char TraceControlName[] = "__sluice_trace_control";
/// The device variable with the TraceTable that the records' numbers are of.
constexpr char TraceTableName[] = "__sluice_trace_table";

/// A record is made when lanes of a warp have run a part of a basic block: in
/// 32-bit words, part, block, warp in the block, and mask of the lanes. Then
/// for each address of the part, for each lane of the mask: the address, low
/// word first. Records that do not fit are left out.
constexpr unsigned TraceRecordWords = 4;

/// The file: this, then launches, each a LaunchHeader, the kernel's name, the
/// table, the records. Little-endian.
constexpr char RawTraceMagic[] = "sluice raw trace 1\n";

struct RawLaunchHeader {
  uint64_t NameBytes = 0, TableBytes = 0;
  uint64_t RecordWords = 0; ///< In the file.
  uint64_t WantedWords = 0; ///< More than RecordWords: the buffer was full.
  uint32_t Grid[3] = {1, 1, 1}, Block[3] = {1, 1, 1};
  uint32_t Registers = 0; ///< Of the instrumented kernel.
  int32_t CarveoutPercent = -1;
  uint64_t StaticSharedBytes = 0, DynamicSharedBytes = 0;
  uint32_t First = 0, Stride = 1; ///< Of TraceControl; Stride: active SMs.
  uint32_t Others[TracedOthers] = {~0u, ~0u};
  char Device[64] = {}; ///< The GPU's name, with a 0 at its end.
};
static_assert(sizeof(RawLaunchHeader) == 160);

} // namespace sluice

#endif
