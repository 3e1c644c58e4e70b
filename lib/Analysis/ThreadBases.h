// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Which threads of a block have the same base address, where what it is is not
/// known.

#ifndef SLUICE_LIB_ANALYSIS_THREADBASES_H
#define SLUICE_LIB_ANALYSIS_THREADBASES_H

#include "BoundForms.h"
#include <unordered_map>

namespace sluice {

/// For the keys of maps.
struct HashOfForm {
  size_t operator()(const AddressForm &Form) const { return hash_value(Form); }
};

/// Numbers of the base addresses of a block's threads, which are the same for
/// two accesses where the bases are. \p Tids must outlive it.
class ThreadBases {
public:
  ThreadBases(llvm::ArrayRef<ThreadIndex> Tids, unsigned WarpSize)
      : Tids(Tids), WarpSize(WarpSize) {}

  struct Bases {
    unsigned Form;                 ///< The same for equal forms.
    std::vector<unsigned> Numbers; ///< By linear thread number.
    bool DifferInAWarp;
  };
  /// \p Base is what is not known of an address; threads for which it is the
  /// same term have the same base. Stays valid.
  const Bases &of(const AddressForm &Base);

  /// One that no thread has.
  unsigned unknown() { return Next++; }

  /// What all of them took, in about the time of a product.
  uint64_t steps() const { return Steps; }

private:
  template <typename EntryT> unsigned numberOf(EntryT Entry) {
    auto [It, Inserted] = Entry;
    Next += Inserted;
    return It->second;
  }
  std::vector<unsigned> byMultiples(const AddressForm &Base);
  std::vector<unsigned> byName(const AddressForm &Base);
  std::vector<unsigned> findNames(const AddressForm &Base);
  bool differInAWarp(llvm::ArrayRef<unsigned> Numbers) const;

  llvm::ArrayRef<ThreadIndex> Tids;
  const unsigned WarpSize;
  unsigned Next = 0;
  uint64_t Steps = 0;
  std::unordered_map<AddressForm, Bases, HashOfForm> Done;
  struct Names {
    std::vector<unsigned> Numbers;
    uint64_t Steps;
  };
  std::unordered_map<AddressForm, Names, HashOfForm> DoneNames;
  BoundForms Forms;
  /// By the number of what the base is and, where each thread has a value of
  /// its own, the thread and one more.
  llvm::DenseMap<std::pair<unsigned, unsigned>, unsigned> Named;
  /// The base that is a multiple of an argument away from another: by the
  /// other's number and the argument's, and the multiple.
  llvm::DenseMap<std::pair<std::pair<unsigned, unsigned>, int64_t>, unsigned>
      Multiples;
};

} // namespace sluice

#endif
