// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The commands that are not clang's: the host compiler, the linkers, ar.

#ifndef SLUICE_TOOLS_NVCC_HOSTTOOLS_H
#define SLUICE_TOOLS_NVCC_HOSTTOOLS_H

#include "Session.h"

namespace sluice::nvcc {

/// Options that clang and the host compiler both take for a source: macros,
/// header folders, the dialect.
std::vector<std::string> sourceOptions(const Session &S);

/// Compiles a C or C++ file, as nvcc does: by the host compiler.
/// \p Last are the options that say what to make of it.
Command hostCompile(const Session &S, llvm::StringRef Input,
                    std::vector<std::string> Last);

/// Does the object call functions of clang's OpenMP that it does not have?
bool callsLibOmp(llvm::StringRef File);

/// Is device code in it that is to be linked? (In an object or archive, and in
/// a library of -l that is an archive.)
bool hasRelocatableCode(llvm::StringRef File);
bool needsDeviceLink(const Session &S, llvm::ArrayRef<std::string> LinkedFiles);

/// Gives an object with relocatable device code a module's name of its own.
/// clang 22 makes that name of the source's path as it is given, so that two
/// files kernel.cu of two folders have one, and so has one file compiled twice
/// with other macros: then they cannot be linked. \p Key: what the name is to
/// depend on.
llvm::Error nameModule(llvm::StringRef Object, llvm::StringRef Key);

/// nvlink for each architecture, then an object \p Output that registers what
/// they made. \returns the exit status.
int deviceLink(Session &S, llvm::ArrayRef<std::string> LinkedFiles,
               llvm::StringRef Output);

/// The program or shared object from \p LinkedFiles.
Command hostLink(const Session &S, llvm::ArrayRef<std::string> LinkedFiles,
                 llvm::StringRef Output);

Command archive(const Session &S, llvm::ArrayRef<std::string> Objects,
                llvm::StringRef Output);

} // namespace sluice::nvcc

#endif
