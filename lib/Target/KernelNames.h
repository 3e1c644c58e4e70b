// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Names of kernels that stand beside the program's own: letters, digits, `_`
/// and `$`, with numbers in them.

#ifndef SLUICE_LIB_TARGET_KERNELNAMES_H
#define SLUICE_LIB_TARGET_KERNELNAMES_H

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sluice {

/// "12$": the number, which is taken from \p Text.
inline std::optional<uint64_t> takeNumber(std::string_view &Text) {
  uint64_t Number = 0;
  const auto [End, Status] =
      std::from_chars(Text.data(), Text.data() + Text.size(), Number);
  const size_t Digits = size_t(End - Text.data());
  if (Status != std::errc() || Digits >= Text.size() || *End != '$')
    return std::nullopt;
  Text.remove_prefix(Digits + 1);
  return Number;
}

/// "3$add": the name after its length; what is behind it is of no interest.
inline std::optional<std::string> takeName(std::string_view Text) {
  const auto Length = takeNumber(Text);
  if (!Length || *Length == 0 || *Length > Text.size())
    return std::nullopt;
  const std::string_view Name = Text.substr(0, *Length);
  const bool IsName =
      std::all_of(Name.begin(), Name.end(), [](unsigned char C) {
        return std::isalnum(C) || C == '_' || C == '$';
      });
  return IsName ? std::optional(std::string(Name)) : std::nullopt;
}

} // namespace sluice

#endif
