// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// A byte address as a polynomial in the launch's and the loops' variables.
///
/// For `A[(blockIdx.x * blockDim.x + threadIdx.x) * 512 + j]` with floats:
///
///     A + 2048*ctaid.x*ntid.x + 2048*tid.x + 4*i0
///
/// With a launch bound (ntid.x = 256) it is affine in tid, ctaid and the
/// iterators, the form that CATT's Eq. 5 states. What is not a polynomial
/// (tid / 16, tid & 3) is kept as an operation on forms, so that lanes can be
/// enumerated exactly all the same.

#ifndef SLUICE_ANALYSIS_ADDRESSFORM_H
#define SLUICE_ANALYSIS_ADDRESSFORM_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sluice {

/// What an address can vary in.
struct Variable {
  enum KindTy : uint8_t {
    Tid,      ///< Index 0..2: tid.x, tid.y, tid.z.
    Ctaid,    ///< Index 0..2.
    Ntid,     ///< Index 0..2.
    Nctaid,   ///< Index 0..2.
    Iterator, ///< Index: number of the loop in the kernel; counts from 0 by 1.
    Argument, ///< Index: number of the kernel's parameter, or of a field.
    Uniform,  ///< Unknown, the same for all threads of a block.
    Varying,  ///< Unknown, may differ from thread to thread.
    Loaded,   ///< Read from memory, may differ: the access is indirect.
  };
  KindTy Kind;
  unsigned Index;

  /// May its value differ between threads of one block, or in time?
  bool isThreadVarying() const {
    return Kind == Tid || Kind == Varying || Kind == Loaded;
  }
  bool isUnknown() const { return Kind >= Uniform; }
  friend bool operator<(Variable A, Variable B) {
    return A.Kind != B.Kind ? A.Kind < B.Kind : A.Index < B.Index;
  }
  friend bool operator==(Variable A, Variable B) {
    return A.Kind == B.Kind && A.Index == B.Index;
  }
  std::string str() const;
};

/// An integer operation that is no sum or product. Operands are forms.
enum class AddressOp : uint8_t {
  UDiv,
  SDiv,
  URem,
  SRem,
  And,
  Or,
  Xor,
  LShr,
  SMin,
  SMax,
  UMin,
  UMax
};

/// None: it has no value.
std::optional<int64_t> resultOf(AddressOp Op, int64_t A, int64_t B);

/// A factor of a term: a variable, or an operation on forms.
struct Atom {
  Variable Var{Variable::Uniform, 0};
  struct OperationTy;
  std::shared_ptr<const OperationTy> Operation; ///< Set: Var means nothing.

  std::string str() const;
};

/// The sum of terms, each a coefficient times factors. Cheap to copy: a form
/// never changes, so that copies and the operations in it are shared.
class AddressForm {
public:
  using FactorList = llvm::SmallVector<Atom, 2>;
  struct Term {
    int64_t Coefficient; ///< Not 0.
    FactorList Factors;  ///< Ordered by name.
  };
  using Values = llvm::function_ref<std::optional<int64_t>(Variable)>;

  AddressForm() = default;
  static AddressForm constant(int64_t Value);
  static AddressForm variable(Variable Var);
  /// Folds when both operands are constants.
  static AddressForm operation(AddressOp Op, const AddressForm &A,
                               const AddressForm &B);

  AddressForm operator+(const AddressForm &B) const;
  AddressForm operator-(const AddressForm &B) const;
  AddressForm operator*(const AddressForm &B) const;

  /// The form with \p By of it in every variable's place. Asks in the order of
  /// printing, and of an operation that stands in it twice once.
  AddressForm replace(llvm::function_ref<AddressForm(Variable)> By) const;
  /// The form with every variable that \p Known has a value for replaced.
  AddressForm bind(Values Known) const;
  /// Its value, if \p Known has one for every variable in it.
  std::optional<int64_t> evaluate(Values Known) const;
  /// Its value if it has no variable left.
  std::optional<int64_t> asConstant() const;
  /// The coefficient of \p Var, if \p Var stands only in a term of its own.
  std::optional<int64_t> coefficient(Variable Var) const;
  /// Is \p Test true for a variable in it (also inside operations)?
  bool any(llvm::function_ref<bool(Variable)> Test) const;
  /// Is a factor that varies with something \p TestA is true for multiplied
  /// with one that varies with something \p TestB is true for?
  bool multiplies(llvm::function_ref<bool(Variable)> TestA,
                  llvm::function_ref<bool(Variable)> TestB) const;
  /// F and R of this = \p Var * F + R, where F has all terms that are made of
  /// \p Var, once, and of variables for which \p With is true.
  std::pair<AddressForm, AddressForm>
  factorOut(Variable Var, llvm::function_ref<bool(Variable)> With) const;
  /// The terms for which \p Test is true of some variable, and the others.
  std::pair<AddressForm, AddressForm>
  partition(llvm::function_ref<bool(Variable)> Test) const;

  /// Its terms, their factors and, for each operation, what is in that: as many
  /// as are printed. What is done with a form takes time by its size.
  unsigned size() const { return Shared ? Shared->Size : 0; }

  /// Ordered by the names of their factors.
  llvm::ArrayRef<Term> terms() const {
    return Shared ? llvm::ArrayRef(Shared->Terms) : llvm::ArrayRef<Term>();
  }

  friend bool operator==(const AddressForm &A, const AddressForm &B);
  friend llvm::hash_code hash_value(const AddressForm &Form);

  /// Readable and equal for equal forms: "A + 2048*tid.x + 4*i0".
  std::string str() const;

private:
  /// What a variable is replaced by; none: it stays.
  using Replacements = llvm::function_ref<std::optional<AddressForm>(Variable)>;
  class Replacer;
  struct Contents {
    std::vector<Term> Terms;
    unsigned Size = 0;
  };
  explicit AddressForm(std::vector<Term> Ordered);
  static AddressForm sumOf(std::vector<Term> Terms);
  AddressForm times(int64_t Factor) const;
  std::shared_ptr<const Contents> Shared; ///< None: no terms.
};

struct Atom::OperationTy {
  AddressOp Op;
  AddressForm A, B;
  std::string Name; ///< As it is printed: what atoms are ordered by.
};

} // namespace sluice

#endif
