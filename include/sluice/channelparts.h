// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What sluice/channel.h is made of: words and mbarriers in shared memory, and
/// the slots of channels. Nothing here is called from outside.

#ifndef SLUICE_CHANNELPARTS_H
#define SLUICE_CHANNELPARTS_H

#include "device.h"

namespace sluice {
namespace detail {

//===- Words in shared memory ---------------------------------------------===//

// Inline PTX: an atomic of C++ has the same orders, but not in both compilers.

/// Loads a word. \p Acquires: what its writer released is seen after it.
template <bool Acquires>
SLUICE_DEVICE void loadWord(unsigned At, Address &Word) {
  if constexpr (Acquires)
    asm volatile("ld.acquire.cta.shared.b64 %0, [%1];"
                 : "=l"(Word)
                 : "r"(At)
                 : "memory");
  else
    asm volatile("ld.relaxed.cta.shared.b64 %0, [%1];" : "=l"(Word) : "r"(At));
}
template <bool Acquires>
SLUICE_DEVICE void loadWord(unsigned At, unsigned &Word) {
  static_assert(Acquires, "a flag orders what it is a flag for");
  asm volatile("ld.acquire.cta.shared.b32 %0, [%1];"
               : "=r"(Word)
               : "r"(At)
               : "memory");
}
/// Stores a word. \p Releases: what came before is seen by who acquires it.
template <bool Releases>
SLUICE_DEVICE void storeWord(unsigned At, Address Word) {
  if constexpr (Releases)
    asm volatile("st.release.cta.shared.b64 [%0], %1;" ::"r"(At), "l"(Word)
                 : "memory");
  else
    asm volatile("st.relaxed.cta.shared.b64 [%0], %1;" ::"r"(At), "l"(Word));
}
template <bool Releases>
SLUICE_DEVICE void storeWord(unsigned At, unsigned Word) {
  static_assert(Releases, "a flag orders what it is a flag for");
  asm volatile("st.release.cta.shared.b32 [%0], %1;" ::"r"(At), "r"(Word)
               : "memory");
}
template <bool Releases>
SLUICE_DEVICE void addToWord(unsigned At, Address Word) {
  if constexpr (Releases)
    asm volatile("red.release.cta.shared.add.u64 [%0], %1;" ::"r"(At), "l"(Word)
                 : "memory");
  else
    asm volatile("red.relaxed.cta.shared.add.u64 [%0], %1;" ::"r"(At),
                 "l"(Word));
}
template <bool Releases>
SLUICE_DEVICE void addToWord(unsigned At, unsigned Word) {
  static_assert(Releases, "a flag orders what it is a flag for");
  asm volatile("red.release.cta.shared.add.u32 [%0], %1;" ::"r"(At), "r"(Word)
               : "memory");
}

//===- mbarriers ----------------------------------------------------------===//

/// Before sm_80 the word's low half counts arrivals.
SLUICE_DEVICE void openBarrier(unsigned At, unsigned Arrivals) {
#if __CUDA_ARCH__ >= 800
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(At), "r"(Arrivals)
               : "memory");
#else
  storeWord<true>(At, 0u);
#endif
}
SLUICE_DEVICE void closeBarrier(unsigned At) {
#if __CUDA_ARCH__ >= 800
  asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(At) : "memory");
#endif
}
/// Releases to the block.
SLUICE_DEVICE void arriveAt(unsigned At) {
#if __CUDA_ARCH__ >= 800
  asm volatile(
      "{ .reg .b64 State; mbarrier.arrive.shared.b64 State, [%0]; }" ::"r"(At)
      : "memory");
#else
  addToWord<true>(At, 1u);
#endif
}
/// Is the phase over that has this \p Parity? Acquires if it is. From sm_90 on
/// it may sleep first, no longer than about \p Nap nanoseconds if that is not
/// 0.
template <unsigned Arrivals, unsigned Nap>
SLUICE_DEVICE bool isPhaseOver(unsigned At, unsigned Parity) {
#if __CUDA_ARCH__ >= 900
  unsigned Over;
  if constexpr (Nap == 0)
    asm volatile("{ .reg .pred P;\n\t"
                 "mbarrier.try_wait.parity.shared.b64 P, [%1], %2;\n\t"
                 "selp.b32 %0, 1, 0, P; }"
                 : "=r"(Over)
                 : "r"(At), "r"(Parity)
                 : "memory");
  else
    asm volatile("{ .reg .pred P;\n\t"
                 "mbarrier.try_wait.parity.shared.b64 P, [%1], %2, %3;\n\t"
                 "selp.b32 %0, 1, 0, P; }"
                 : "=r"(Over)
                 : "r"(At), "r"(Parity), "n"(Nap)
                 : "memory");
  return Over;
#elif __CUDA_ARCH__ >= 800
  unsigned Over;
  asm volatile("{ .reg .pred P;\n\t"
               "mbarrier.test_wait.parity.shared.b64 P, [%1], %2;\n\t"
               "selp.b32 %0, 1, 0, P; }"
               : "=r"(Over)
               : "r"(At), "r"(Parity)
               : "memory");
  return Over;
#else
  unsigned Came;
  loadWord<true>(At, Came);
  return (Came / Arrivals & 1) != Parity;
#endif
}
/// The same, but it never sleeps.
template <unsigned Arrivals>
SLUICE_DEVICE bool isPhaseOverNow(unsigned At, unsigned Parity) {
#if __CUDA_ARCH__ >= 800
  unsigned Over;
  asm volatile("{ .reg .pred P;\n\t"
               "mbarrier.test_wait.parity.shared.b64 P, [%1], %2;\n\t"
               "selp.b32 %0, 1, 0, P; }"
               : "=r"(Over)
               : "r"(At), "r"(Parity)
               : "memory");
  return Over;
#else
  return isPhaseOver<Arrivals, 0>(At, Parity);
#endif
}

//===- Slots --------------------------------------------------------------===//

// A slot is filled and emptied by turns. Its tag says how often: with N
// consumers it is R * (N + 1) before the value of round R comes, one more when
// it is there, and one more for each consumer that has taken it. A tag has 32
// bits and wraps; ends compare it for equality, or their difference.

/// A value and its tag in one word of 64 bits: who reads the word has both. A
/// warp's values have a word each.
template <typename T, unsigned Takers, unsigned Values, bool Orders>
struct PackedSlot {
  alignas(8) Address Words[Values];

  SLUICE_DEVICE void open() {
    for (Address &Word : Words)
      Word = 0;
  }
  SLUICE_DEVICE void close() {}
  SLUICE_DEVICE bool isEmpty(unsigned Tag, unsigned Lane) {
    Address Word;
    loadWord<Orders>(word(Lane), Word);
    return unsigned(Word >> 32) == Tag;
  }
  SLUICE_DEVICE void fill(unsigned Tag, unsigned Lane, T Value) {
    unsigned Bits = 0;
    __builtin_memcpy(&Bits, &Value, sizeof(T));
    storeWord<Orders>(word(Lane), Address(Tag + 1) << 32 | Bits);
  }
  SLUICE_DEVICE bool isFull(unsigned Tag, unsigned Lane, T &Value) {
    Address Word;
    loadWord<Orders>(word(Lane), Word);
    const unsigned Bits = unsigned(Word);
    __builtin_memcpy(&Value, &Bits, sizeof(T));
    return unsigned(Word >> 32) - (Tag + 1) < Takers;
  }
  SLUICE_DEVICE bool isFullNow(unsigned Tag, unsigned Lane, T &Value) {
    return isFull(Tag, Lane, Value);
  }
  SLUICE_DEVICE void empty(unsigned Tag, unsigned Lane) {
    if constexpr (Takers == 1)
      storeWord<Orders>(word(Lane), Address(Tag + 2) << 32);
    else
      addToWord<Orders>(word(Lane), Address(1) << 32);
  }

private:
  SLUICE_DEVICE unsigned word(unsigned Lane) const {
    return sharedAddress(&Words[Values == 1 ? 0 : Lane]);
  }
};

/// Values of any size, and a tag of their own.
template <typename T, unsigned Takers, unsigned Values> struct FlaggedSlot {
  T Stored[Values];
  alignas(4) unsigned Tag;

  SLUICE_DEVICE void open() { Tag = 0; }
  SLUICE_DEVICE void close() {}
  SLUICE_DEVICE bool isEmpty(unsigned Expected, unsigned) {
    unsigned Now;
    loadWord<true>(sharedAddress(&Tag), Now);
    return Now == Expected;
  }
  SLUICE_DEVICE void fill(unsigned Expected, unsigned, T) {
    storeWord<true>(sharedAddress(&Tag), Expected + 1);
  }
  SLUICE_DEVICE bool isFull(unsigned Expected, unsigned, T &) {
    unsigned Now;
    loadWord<true>(sharedAddress(&Tag), Now);
    return Now - (Expected + 1) < Takers;
  }
  SLUICE_DEVICE bool isFullNow(unsigned Expected, unsigned Lane, T &Value) {
    return isFull(Expected, Lane, Value);
  }
  SLUICE_DEVICE void empty(unsigned Expected, unsigned) {
    if constexpr (Takers == 1)
      storeWord<true>(sharedAddress(&Tag), Expected + 2);
    else
      addToWord<true>(sharedAddress(&Tag), 1u);
  }
};

/// Values of any size, and two mbarriers. Phase R of the first is over when the
/// value of round R is there, of the second when all consumers have taken it.
template <typename T, unsigned Takers, unsigned Values, unsigned Nap>
struct BarrierSlot {
  alignas(8) Address Full, Empty;
  T Stored[Values];

  SLUICE_DEVICE void open() {
    openBarrier(sharedAddress(&Full), 1);
    openBarrier(sharedAddress(&Empty), Takers);
  }
  SLUICE_DEVICE void close() {
    closeBarrier(sharedAddress(&Full));
    closeBarrier(sharedAddress(&Empty));
  }
  SLUICE_DEVICE bool isEmpty(unsigned Tag, unsigned) {
    return isPhaseOver<Takers, Nap>(sharedAddress(&Empty), ~round(Tag) & 1);
  }
  SLUICE_DEVICE void fill(unsigned, unsigned, T) {
    arriveAt(sharedAddress(&Full));
  }
  SLUICE_DEVICE bool isFull(unsigned Tag, unsigned, T &) {
    return isPhaseOver<1, Nap>(sharedAddress(&Full), round(Tag) & 1);
  }
  SLUICE_DEVICE bool isFullNow(unsigned Tag, unsigned, T &) {
    return isPhaseOverNow<1>(sharedAddress(&Full), round(Tag) & 1);
  }
  SLUICE_DEVICE void empty(unsigned, unsigned) {
    arriveAt(sharedAddress(&Empty));
  }

private:
  static SLUICE_DEVICE unsigned round(unsigned Tag) {
    return Tag / (Takers + 1);
  }
};

/// A warp's values, and two of the block's barriers: number \p Who is complete
/// when they are there, the next one when they were taken. One warp waits there
/// and one only arrives. All lanes come to each function together, and each
/// arrives for itself: a barrier orders what all of them did.
template <typename T, unsigned Values> struct NamedSlot {
  T Stored[Values];

  SLUICE_DEVICE void open() {}
  SLUICE_DEVICE void close() {}
  SLUICE_DEVICE bool isEmpty(unsigned, unsigned Who) { return await(Who + 1); }
  SLUICE_DEVICE void fill(unsigned, unsigned Who, T) { arrive(Who); }
  SLUICE_DEVICE bool isFull(unsigned, unsigned Who, T &) { return await(Who); }
  SLUICE_DEVICE void empty(unsigned, unsigned Who) { arrive(Who + 1); }

private:
  static SLUICE_DEVICE bool await(unsigned Barrier) {
    asm volatile("bar.sync %0, 64;" ::"r"(Barrier) : "memory");
    return true;
  }
  static SLUICE_DEVICE void arrive(unsigned Barrier) {
    asm volatile("bar.arrive %0, 64;" ::"r"(Barrier) : "memory");
  }
};

template <bool Condition, typename One, typename Other> struct Choice {
  using Type = One;
};
template <typename One, typename Other> struct Choice<false, One, Other> {
  using Type = Other;
};

template <typename T> struct IsPlain {
  static constexpr bool Value = true;
};
template <typename T> struct IsPlain<const T> {
  static constexpr bool Value = false;
};
template <typename T> struct IsPlain<volatile T> {
  static constexpr bool Value = false;
};
template <typename T> struct IsPlain<T &> {
  static constexpr bool Value = false;
};

} // namespace detail

} // namespace sluice

#endif
