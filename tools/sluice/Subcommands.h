// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The subcommands of the `sluice` tool, one source file each. Each takes its
/// own argument vector, whose first element names it ("sluice occupancy"), and
/// returns the exit status: 0, or 1 after a message on stderr. (`sluice
/// emulate` returns that of the program it ran.)

#ifndef SLUICE_TOOLS_SLUICE_SUBCOMMANDS_H
#define SLUICE_TOOLS_SLUICE_SUBCOMMANDS_H

namespace sluice {

/// `sluice compare`: kernels by clang, nvcc and Sluice, measured.
int compareMain(int argc, char **argv);

/// `sluice doctor`: what Sluice needs and what of it is there.
int doctorMain(int argc, char **argv);

/// `sluice emulate`: a CUDA program, run without a GPU.
int emulateMain(int argc, char **argv);

/// `sluice hints`: which loads of a profile to cache.
int hintsMain(int argc, char **argv);

/// `sluice occupancy`: the thread blocks, warps and L1 of a launch.
int occupancyMain(int argc, char **argv);

/// `sluice optimize`: a program, built by its own profile.
int optimizeMain(int argc, char **argv);

/// `sluice plan`: the plan for a CUDA source file.
int planMain(int argc, char **argv);

/// `sluice profile`: what a program's memory accesses do in the L1.
int profileMain(int argc, char **argv);

/// `sluice registers`: the critical points of kernels.
int registersMain(int argc, char **argv);

/// `sluice report`: a page about a file's kernels.
int reportMain(int argc, char **argv);

/// `sluice throttle`: a CUDA source file with warps taking turns, as text.
int throttleMain(int argc, char **argv);

/// `sluice tune`: the best plan by measurement.
int tuneMain(int argc, char **argv);

/// `sluice xmodel`: each kernel's X-graph.
int xmodelMain(int argc, char **argv);

} // namespace sluice

#endif
