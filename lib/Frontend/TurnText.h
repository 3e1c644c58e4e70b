// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The turns of a region as lines of text (ThrottledSource.h has an example).

#ifndef SLUICE_LIB_FRONTEND_TURNTEXT_H
#define SLUICE_LIB_FRONTEND_TURNTEXT_H

#include "sluice/Frontend/ThrottleRewriter.h"
#include <string>
#include <vector>

namespace sluice {

/// The lines before and after a region.
class TurnText {
public:
  /// \p Suffix follows every name that is declared.
  TurnText(const RegionTurns &Turns, llvm::StringRef Suffix,
           llvm::StringRef Indent)
      : Turns(Turns), Suffix(Suffix), Indent(Indent) {}

  std::vector<std::string> before() const;
  std::vector<std::string> after() const;
  std::string name(llvm::StringRef Name) const {
    return (TurnNamePrefix + Name + Suffix).str();
  }

private:
  std::string line(unsigned Depth, const llvm::Twine &Text) const {
    return (Indent + std::string(2 * size_t(Depth), ' ') + Text).str();
  }
  std::string comment() const;
  std::string fails() const;
  std::string lookUp(llvm::ArrayRef<GridStep> Steps) const;
  void lookUp(llvm::ArrayRef<LaunchTable::WarpRange> Ranges, unsigned Depth,
              llvm::StringRef Before, std::vector<std::string> &Lines) const;
  void lookUp(std::vector<std::string> &Lines) const;

  const RegionTurns &Turns;
  llvm::StringRef Suffix, Indent;
};

} // namespace sluice

#endif
