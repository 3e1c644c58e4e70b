// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The toolkit's floating-point numbers of 16 bits and fewer, and what else
/// they are read and written as.

#ifndef SLUICE_FRONTEND_SMALLFLOATTYPES_H
#define SLUICE_FRONTEND_SMALLFLOATTYPES_H

namespace clang {
class ASTContext;
} // namespace clang

namespace sluice {

/// Makes `__half`, `__nv_bfloat16`, `__nv_fp8_e4m3`, their pairs and their raw
/// forms types that may alias others (clang's attribute `may_alias`), before
/// code is generated. The toolkit's headers write them as integers:
///
///   __half2 &operator=(const __half2 &b) { *(unsigned *)this = ...; }
///
/// clang takes that for no write of a `__half`, and moves loads of `r` up past
/// `*(half2 *)&r[0] = ...`. nvcc knows no such rule.
void letSmallFloatsAlias(clang::ASTContext &Context);

} // namespace sluice

#endif
