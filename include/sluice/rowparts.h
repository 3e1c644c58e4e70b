// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What sluice/rows.h is made of: copies, rows and sums, and how the body is
/// called with their elements. Nothing here is called from outside.

#ifndef SLUICE_ROWPARTS_H
#define SLUICE_ROWPARTS_H

#include "device.h"

namespace sluice {
namespace detail {

//===- Moving bytes -------------------------------------------------------===//

constexpr unsigned UnitBytes = 16, ChunkBytes = 128;

struct alignas(UnitBytes) Unit {
  unsigned Words[4];
};

#ifdef __clang__ // which copies structs 8 bytes at a time
using UnitWords = unsigned __attribute__((ext_vector_type(4)));
SLUICE_DEVICE Unit load(const Unit *From) {
  const auto Words = *reinterpret_cast<const UnitWords *>(From);
  return {{Words[0], Words[1], Words[2], Words[3]}};
}
SLUICE_DEVICE void store(Unit *To, Unit Given) {
  *reinterpret_cast<UnitWords *>(To) =
      UnitWords{Given.Words[0], Given.Words[1], Given.Words[2], Given.Words[3]};
}
#else
SLUICE_DEVICE Unit load(const Unit *From) { return *From; }
SLUICE_DEVICE void store(Unit *To, Unit Given) { *To = Given; }
#endif

/// From global memory into shared memory, 16 bytes or fewer; they are there
/// after waitForCopies(). Through the L1, always: where several warps have the
/// same rows it gives them to the second, and else it costs up to 4 % (the pass
/// knows which it is).
SLUICE_DEVICE void fetch(void *To, Address From, unsigned Bytes = UnitBytes) {
#if __CUDA_ARCH__ < 800
  if (Bytes == UnitBytes)
    return store(static_cast<Unit *>(To),
                 load(reinterpret_cast<const Unit *>(From)));
  for (unsigned Number = 0; Number < Bytes; ++Number)
    static_cast<char *>(To)[Number] =
        reinterpret_cast<const char *>(From)[Number];
#elif defined(__clang__)
  __nvvm_cp_async_ca_shared_global_16(
      (__attribute__((address_space(3))) void *)To,
      (const __attribute__((address_space(1))) void *)From, int(Bytes));
#else
  asm volatile("cp.async.ca.shared.global [%0], [%1], 16, %2;" ::"r"(
                   unsigned(__cvta_generic_to_shared(To))),
               "l"(From), "r"(Bytes)
               : "memory");
#endif
}

SLUICE_DEVICE void waitForCopies() {
#if __CUDA_ARCH__ < 800
#elif defined(__clang__)
  __nvvm_cp_async_wait_all();
#else
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

/// Back, 16 bytes.
SLUICE_DEVICE void writeBack(Address To, const void *From) {
  const Unit Given = load(static_cast<const Unit *>(From));
#ifdef __clang__
  *(__attribute__((address_space(1))) UnitWords *)To =
      UnitWords{Given.Words[0], Given.Words[1], Given.Words[2], Given.Words[3]};
#else
  asm volatile("st.global.v4.b32 [%0], {%1, %2, %3, %4};" ::"l"(To),
               "r"(Given.Words[0]), "r"(Given.Words[1]), "r"(Given.Words[2]),
               "r"(Given.Words[3])
               : "memory");
#endif
}

/// Of one size of 1, 2, 4 or 8 bytes.
template <unsigned Bytes> struct Piece;
template <> struct Piece<1> {
  using Type = unsigned char;
};
template <> struct Piece<2> {
  using Type = unsigned short;
};
template <> struct Piece<4> {
  using Type = unsigned;
};
template <> struct Piece<8> {
  using Type = unsigned long long;
};

//===- What a loop touches ------------------------------------------------===//

__host__ __device__ constexpr unsigned divisor(unsigned One, unsigned Other) {
  return Other == 0 ? One : divisor(Other, One % Other);
}
__host__ __device__ constexpr unsigned multiple(unsigned One, unsigned Other) {
  return One / divisor(One, Other) * Other;
}
__host__ __device__ constexpr unsigned larger(unsigned One, unsigned Other) {
  return One < Other ? Other : One;
}
__host__ __device__ constexpr bool isPower(unsigned Number) {
  return (Number & (Number - 1)) == 0;
}
__host__ __device__ constexpr unsigned inUnits(unsigned Bytes) {
  return (Bytes + UnitBytes - 1) / UnitBytes * UnitBytes;
}

template <typename Of> struct WithoutReference {
  using Type = Of;
};
template <typename Of> struct WithoutReference<Of &> {
  using Type = Of;
};
template <typename ElementT> struct WithoutConst {
  using Type = ElementT;
};
template <typename ElementT> struct WithoutConst<const ElementT> {
  using Type = ElementT;
};
template <typename ElementT> struct UnitOf {
  using Type = Unit;
};
template <typename ElementT> struct UnitOf<const ElementT> {
  using Type = const Unit;
};

/// A row of elements ElementT, of which each iteration has one.
template <typename ElementT, bool IsRead, bool IsWritten> struct Row {
  static constexpr bool IsElement = true, IsRow = true;
  static constexpr bool Reads = IsRead, Writes = IsWritten;
  static constexpr unsigned Bytes = sizeof(ElementT);
  static constexpr bool IsAligned = alignof(ElementT) % UnitBytes == 0;
  /// Can registers be taken apart into elements?
  static constexpr bool HasBlocks = Bytes % 4 == 0 || isPower(Bytes);
  /// Elements of the fewest whole blocks of 16 bytes.
  static constexpr unsigned Served = UnitBytes / divisor(Bytes, UnitBytes);
  using Value = typename WithoutConst<ElementT>::Type;
  using UnitT = typename UnitOf<ElementT>::Type;

  ElementT *First;
  unsigned Offset = 0;                ///< In a slot, bytes.
  Address From = 0;                   ///< The block in which the chunk begins,
  unsigned Misaligned = 0;            ///< and where in it.
  Unit Block[ChunkBytes / UnitBytes]; ///< Some of it, in registers.
  Value Now;                          ///< An iteration's element of Block.

  SLUICE_DEVICE explicit Row(ElementT *First) : First(First) {}

  SLUICE_DEVICE Address begin(Address) const {
    return reinterpret_cast<Address>(First);
  }
  SLUICE_DEVICE Address end(Address Iterations) const {
    return begin(0) + Iterations * Bytes;
  }
  SLUICE_DEVICE void startChunk(Address Iteration) {
    From = begin(0) + Iteration * Bytes;
    Misaligned = IsAligned ? 0 : unsigned(From) % UnitBytes;
    From -= Misaligned;
  }

  /// Now becomes number \p Number of Block, or the other way round. \p Number
  /// is a constant once the loop around is unrolled.
  SLUICE_DEVICE void take(unsigned Number) {
    const unsigned At = Number * Bytes;
    if constexpr (Bytes % 4 == 0) {
      unsigned Words[Bytes / 4];
#pragma unroll
      for (unsigned Word = 0; Word < Bytes / 4; ++Word)
        Words[Word] = word(At / 4 + Word);
      __builtin_memcpy(&Now, Words, Bytes);
    } else {
      using Bits = typename Piece<Bytes>::Type;
      const Bits Taken = Bits(word(At / 4) >> (At % 4 * 8));
      __builtin_memcpy(&Now, &Taken, Bytes);
    }
  }
  SLUICE_DEVICE void put(unsigned Number) {
    const unsigned At = Number * Bytes;
    if constexpr (Bytes % 4 == 0) {
      unsigned Words[Bytes / 4];
      __builtin_memcpy(Words, &Now, Bytes);
#pragma unroll
      for (unsigned Word = 0; Word < Bytes / 4; ++Word)
        word(At / 4 + Word) = Words[Word];
    } else {
      using Bits = typename Piece<Bytes>::Type;
      Bits Given;
      __builtin_memcpy(&Given, &Now, Bytes);
      const unsigned Here = unsigned(Bits(~Bits(0))) << (At % 4 * 8);
      word(At / 4) = (word(At / 4) & ~Here) | (unsigned(Given) << (At % 4 * 8));
    }
  }
  SLUICE_DEVICE unsigned &word(unsigned Number) {
    return Block[Number / 4].Words[Number % 4];
  }
};

/// What the iterations add up in one place.
template <typename ElementT> struct Sum {
  static constexpr bool IsElement = true, IsRow = false, Writes = true;
  static constexpr bool HasBlocks = true;
  static constexpr unsigned Bytes = 1, Served = 1;

  ElementT *Place;
  ElementT Now;

  SLUICE_DEVICE explicit Sum(ElementT *Place) : Place(Place) {}
  SLUICE_DEVICE Address begin(Address) const {
    return reinterpret_cast<Address>(Place);
  }
  SLUICE_DEVICE Address end(Address) const {
    return begin(0) + sizeof(ElementT);
  }
};

/// What else they touch, \p Step elements further each time.
template <typename ElementT, int Step, bool IsWritten> struct Other {
  static constexpr bool IsElement = false, Writes = IsWritten;

  Address First;

  SLUICE_DEVICE explicit Other(ElementT *Place)
      : First(reinterpret_cast<Address>(Place)) {}
  SLUICE_DEVICE Address last(Address Iterations) const {
    return First +
           (Iterations - 1) * Address(Step * (long long)sizeof(ElementT));
  }
  SLUICE_DEVICE Address begin(Address Iterations) const {
    return Step < 0 ? last(Iterations) : First;
  }
  SLUICE_DEVICE Address end(Address Iterations) const {
    return (Step < 0 ? First : last(Iterations)) + sizeof(ElementT);
  }
};

/// The elements that the body gets.
template <typename... Parts> struct List {
  static constexpr unsigned Rows = 0, Served = 1, Largest = 1;
  static constexpr bool IsEmpty = true, HasBlocks = true, HasSums = false;
  static constexpr bool Writes = false;
  template <typename DoT> SLUICE_DEVICE void forRows(DoT) {}
  template <typename DoT> SLUICE_DEVICE void forSums(DoT) {}
};

template <typename First, typename... Others> struct List<First, Others...> {
  using Rest = List<Others...>;
  static constexpr bool IsEmpty = false;
  static constexpr unsigned Rows = Rest::Rows + First::IsRow;
  static constexpr unsigned Served = multiple(First::Served, Rest::Served);
  static constexpr unsigned Largest = larger(First::Bytes, Rest::Largest);
  static constexpr bool HasBlocks = First::HasBlocks && Rest::HasBlocks;
  static constexpr bool HasSums = !First::IsRow || Rest::HasSums;
  static constexpr bool Writes =
      (First::IsRow && First::Writes) || Rest::Writes;

  First Head;
  Rest Tail;

  SLUICE_DEVICE List(First Head, Rest Tail) : Head(Head), Tail(Tail) {}
  template <typename DoT> SLUICE_DEVICE void forRows(DoT Do) {
    if constexpr (First::IsRow)
      Do(Head);
    Tail.forRows(Do);
  }
  template <typename DoT> SLUICE_DEVICE void forSums(DoT Do) {
    if constexpr (!First::IsRow)
      Do(Head);
    Tail.forSums(Do);
  }
};

template <typename First, typename... Others>
SLUICE_DEVICE List<First, Others...> before(First Head, List<Others...> Tail) {
  return {Head, Tail};
}
SLUICE_DEVICE List<> elementsOf() { return {}; }
template <typename First, typename... Others>
SLUICE_DEVICE auto elementsOf(First Head, Others... Rest) {
  if constexpr (First::IsElement)
    return before(Head, elementsOf(Rest...));
  else
    return elementsOf(Rest...);
}

/// Of two places that stay in memory nothing is asked.
template <typename OneT, typename OtherT>
SLUICE_DEVICE bool areApart(Address Iterations, const OneT &One,
                            const OtherT &Other) {
  if constexpr ((OneT::IsElement || OtherT::IsElement) &&
                (OneT::Writes || OtherT::Writes))
    return (One.end(Iterations) <= Other.begin(Iterations)) |
           (Other.end(Iterations) <= One.begin(Iterations));
  return true;
}
SLUICE_DEVICE bool allApart(Address) { return true; }
template <typename First, typename... Others>
SLUICE_DEVICE bool allApart(Address Iterations, const First &Head,
                            const Others &...Rest) {
  return (true & ... & areApart(Iterations, Head, Rest)) &
         allApart(Iterations, Rest...);
}

//===- Running the body ---------------------------------------------------===//

/// Calls \p Body with what \p Get gives for each element.
template <typename ListT, typename GetT, typename BodyT, typename... Bound>
SLUICE_DEVICE void call(ListT &Elements, GetT &Get, BodyT &Body,
                        Bound &...Before) {
  if constexpr (ListT::IsEmpty)
    Body(Before...);
  else
    call(Elements.Tail, Get, Body, Before..., Get(Elements.Head));
}

struct NowOf {
  template <typename ElementT, bool IsRead, bool IsWritten>
  SLUICE_DEVICE ElementT &operator()(Row<ElementT, IsRead, IsWritten> &Of) {
    return Of.Now;
  }
  template <typename ElementT>
  SLUICE_DEVICE ElementT &operator()(Sum<ElementT> &Of) {
    return Of.Now;
  }
};

/// Rows in memory. Sums too, if they are not \p Kept.
template <bool Kept> struct InMemory {
  Address Iteration;

  template <typename ElementT, bool IsRead, bool IsWritten>
  SLUICE_DEVICE ElementT &operator()(Row<ElementT, IsRead, IsWritten> &Of) {
    return Of.First[Iteration];
  }
  template <typename ElementT>
  SLUICE_DEVICE ElementT &operator()(Sum<ElementT> &Of) {
    return Kept ? Of.Now : *Of.Place;
  }
};

/// The iterations from \p Begin to \p End.
template <bool Kept, typename ListT, typename BodyT>
SLUICE_DEVICE void runInMemory(ListT &Elements, Address Begin, Address End,
                               BodyT &Body) {
#pragma unroll 4
  for (InMemory<Kept> Get{Begin}; Get.Iteration < End; ++Get.Iteration)
    call(Elements, Get, Body);
}

/// As many iterations as whole blocks serve, whose blocks are at \p At(row).
template <typename ListT, typename AtT, typename BodyT>
SLUICE_DEVICE void runBlock(ListT &Elements, AtT At, BodyT &Body) {
  constexpr unsigned Served = ListT::Served;
  NowOf Get;
  Elements.forRows([&](auto &Row) {
    using RowT = typename WithoutReference<decltype(Row)>::Type;
    if constexpr (RowT::Reads)
#pragma unroll
      for (unsigned Number = 0; Number < Served * RowT::Bytes / UnitBytes;
           ++Number)
        Row.Block[Number] = load(At(Row) + Number);
  });
#pragma unroll
  for (unsigned Number = 0; Number < Served; ++Number) {
    Elements.forRows([&](auto &Row) {
      using RowT = typename WithoutReference<decltype(Row)>::Type;
      if constexpr (RowT::Reads)
        Row.take(Number);
    });
    call(Elements, Get, Body);
    Elements.forRows([&](auto &Row) {
      using RowT = typename WithoutReference<decltype(Row)>::Type;
      if constexpr (RowT::Writes)
        Row.put(Number);
    });
  }
  Elements.forRows([&](auto &Row) {
    using RowT = typename WithoutReference<decltype(Row)>::Type;
    if constexpr (RowT::Writes)
#pragma unroll
      for (unsigned Number = 0; Number < Served * RowT::Bytes / UnitBytes;
           ++Number)
        store(At(Row) + Number, Row.Block[Number]);
  });
}

} // namespace detail
} // namespace sluice

#endif
