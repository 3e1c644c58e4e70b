// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The numbers in what a program left: in a file, as text or as bytes, or in a
/// buffer.

#ifndef SLUICE_TUNING_OUTPUTNUMBERS_H
#define SLUICE_TUNING_OUTPUTNUMBERS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <vector>

namespace sluice {

enum class NumberType { Text, F32, F64, I8, U8, I16, U16, I32, U32, I64, U64 };

/// text, f32, ... , u64; none: no such type.
std::optional<NumberType> parseNumberType(llvm::StringRef Name);
/// "text, f32, ...", for messages.
std::string numberTypes();

/// What a file of that name is likely to hold, by its ending (.txt, .csv, .f32
/// and so on); none: it may be anything.
std::optional<NumberType> numberTypeOfFile(llvm::StringRef Path);

/// What the parameter of that type points to, as a demangled name has it
/// ("float const*"); none: no numbers of ours.
std::optional<NumberType> numberTypeOfPointer(llvm::StringRef Parameter);

/// All numbers of \p Bytes. Of text, what reads as a decimal number, nan or inf
/// and stands between white space or one of ,;:=()[]{}<>|"'; all other words
/// are passed over. Else little-endian elements; an error if \p Bytes are no
/// whole number of them.
llvm::Expected<std::vector<double>> readNumbers(llvm::StringRef Bytes,
                                                NumberType Type);

/// \p Text is one number, with white space around it.
std::optional<double> readOneNumber(llvm::StringRef Text);

} // namespace sluice

#endif
