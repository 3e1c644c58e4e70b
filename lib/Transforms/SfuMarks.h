// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What sluice-sfu and sluice-sfu-join leave on functions for later passes.

#ifndef SLUICE_LIB_TRANSFORMS_SFUMARKS_H
#define SLUICE_LIB_TRANSFORMS_SFUMARKS_H

namespace sluice {

/// Of an approximate version: LAMBDA, or "symbol".
inline constexpr char SfuWarpsMark[] = "sluice-sfu-warps";
/// Of one too: warps are counted by their places on the SM.
inline constexpr char SfuSlotMark[] = "sluice-sfu-slot";
/// Of functions in which approximate() has been, or of which it has been in
/// what they call, and of the calls that it made.
inline constexpr char SfuApproximateMark[] = "sluice-sfu-approximate";

/// Of a kernel that sluice-sfu-join made of two versions.
inline constexpr char SfuJoinedMark[] = "sluice-sfu-joined";

/// The program's variable that says LAMBDA.
inline constexpr char SfuSymbol[] = "sluice_sfu_warps";

} // namespace sluice

#endif
