// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Of a kernel whose rows are staged or widened, a second one has its loops as
/// they were: rows of a few elements gain nothing, and the buffers and
/// registers keep other threads from the SM. How long rows are is often a
/// parameter of the kernel, so the launch chooses (docs/passes/software-l1.md).
/// Both kernels compute the same. Nothing of LLVM is in here: the replayer
/// launches by it, too.

#ifndef SLUICE_TARGET_SHORTROWS_H
#define SLUICE_TARGET_SHORTROWS_H

#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice {

/// A parameter that says how long rows are.
struct RowLength {
  unsigned Parameter = 0; ///< Its number, from 0.
  unsigned Bytes = 4;     ///< Of the parameter, a signed number: 4 or 8.
  uint64_t Below = 0;     ///< Rows are short where it is less.

  friend bool operator==(const RowLength &A, const RowLength &B) {
    return A.Parameter == B.Parameter && A.Bytes == B.Bytes &&
           A.Below == B.Below;
  }
};

/// When a launch takes the kernel for short rows.
struct ShortRowsForm {
  unsigned Parameters = 0; ///< That each of the kernels has.
  /// Dynamic shared memory that a launch asks for, at most: with more the
  /// program has to permit it, and does so for its own kernel alone.
  uint64_t MostSharedBytes = 0;
  std::vector<RowLength> Lengths; ///< All of them have to be short.

  friend bool operator==(const ShortRowsForm &A, const ShortRowsForm &B) {
    return A.Parameters == B.Parameters &&
           A.MostSharedBytes == B.MostSharedBytes && A.Lengths == B.Lengths;
  }
};

/// Has a launch short rows, of which \p ValueAt(n) is where the value of
/// parameter n is?
template <typename ValueAtT>
bool hasShortRows(const ShortRowsForm &Form, uint64_t SharedBytes,
                  ValueAtT ValueAt) {
  if (Form.Lengths.empty() || SharedBytes > Form.MostSharedBytes)
    return false;
  for (const RowLength &L : Form.Lengths) {
    int64_t Value = 0;
    if (L.Bytes == sizeof(int64_t)) {
      std::memcpy(&Value, ValueAt(L.Parameter), sizeof(int64_t));
    } else {
      int32_t Narrow;
      std::memcpy(&Narrow, ValueAt(L.Parameter), sizeof(int32_t));
      Value = Narrow;
    }
    if (Value >= int64_t(L.Below))
      return false;
  }
  return true;
}

/// The name of the kernel for short rows of \p Kernel:
///
///     __sluice_short$1$4$49152$1$3$4$64$12$_Z3addPfPKfi
///
/// version, parameters, most dynamic shared memory, how many lengths there are,
/// of each the parameter, its bytes and what it is less than, and the kernel's
/// name after its length. The host finds it in the GPU binary.
std::string shortRowsName(std::string_view Kernel, const ShortRowsForm &Form);

struct ShortRowsKernel {
  std::string Kernel; ///< The program's.
  ShortRowsForm Form;
};
/// What \p Text begins with, if it is such a name.
std::optional<ShortRowsKernel> shortRowsKernel(std::string_view Text);

/// Those named anywhere in \p Image, by the program's kernels.
std::map<std::string, ShortRowsForm>
findShortRowsKernels(std::string_view Image);

} // namespace sluice

#endif
