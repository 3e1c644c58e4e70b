// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Device functions that nvcc declares and clang 22 does not: a sum of int over
/// a warp, without which cub and thrust take five shuffles in its place,
/// accesses with cache operators, and a few more. sluice-clang++ and
/// sluice-nvcc put this header before each CUDA source.
///
/// All are templates, so that a function of the same name, clang's own in a
/// later version or a program's, goes before them.

#ifndef SLUICE_FUNCTIONS_H
#define SLUICE_FUNCTIONS_H
#pragma GCC system_header // no warnings about it in users' files

// Only of CUDA, and behind clang's own headers.
#if defined(__CUDA__) && defined(__CLANG_CUDA_RUNTIME_WRAPPER_H__)

/// \p Is: what T is replaced with; else there is no such function.
template <bool, typename T> struct __sluice_if {};
template <typename T> struct __sluice_if<true, T> {
  using Is = T;
};
/// A parameter that says nothing about T.
template <typename T> struct __sluice_same {
  using Type = T;
};

#define SLUICE_DEVICE __device__ inline __attribute__((always_inline))

//===- Warps --------------------------------------------------------------===//

// Like clang's own of this kind.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
/// Of int, and of what is promoted to int. clang has the one of unsigned.
template <typename T>
SLUICE_DEVICE
    typename __sluice_if<__is_same(decltype(+T()), int) && !__is_enum(T),
                         int>::Is
    __reduce_add_sync(unsigned Mask, T Value) {
  return __nvvm_redux_sync_add(Value, Mask);
}
#endif

//===- Cache operators ----------------------------------------------------===//

template <typename T, typename... Types> struct __sluice_is_one_of {
  static constexpr bool Value = (__is_same(T, Types) || ...);
};

/// The types that the functions below have in CUDA's headers.
template <typename T>
using __sluice_is_cached = __sluice_is_one_of<
    T, char, signed char, unsigned char, short, unsigned short, int, unsigned,
    long, unsigned long, long long, unsigned long long, float, double, char2,
    char4, uchar2, uchar4, short2, short4, ushort2, ushort4, int2, int4, uint2,
    uint4, longlong2, ulonglong2, float2, float4, double2>;

struct alignas(16) __sluice_words {
  unsigned long long First, Second;
};

/// Of one word. \p Word has as many bits as T, \p Raw is what asm takes for it.
#define SLUICE_LOAD_WORD(Ptx, Width, Register, Raw, Word)                      \
  Raw Bits;                                                                    \
  asm volatile("ld.global." Ptx "." Width " %0, [%1];"                         \
               : Register(Bits)                                                \
               : "l"(Place)                                                    \
               : "memory");                                                    \
  return __builtin_bit_cast(T, (Word)Bits)
#define SLUICE_STORE_WORD(Ptx, Width, Register, Raw, Word)                     \
  asm volatile("st.global." Ptx "." Width " [%0], %1;" ::"l"(Place),           \
               Register((Raw) __builtin_bit_cast(Word, Value))                 \
               : "memory")

/// T is 1, 2, 4, 8 or 16 bytes. No access of memory moves over one of these.
#define SLUICE_LOAD(Name, Ptx, Condition)                                      \
  template <typename T>                                                        \
  SLUICE_DEVICE typename __sluice_if<Condition, T>::Is Name(const T *Place) {  \
    if constexpr (sizeof(T) == 1) {                                            \
      SLUICE_LOAD_WORD(Ptx, "u8", "=h", unsigned short, unsigned char);        \
    } else if constexpr (sizeof(T) == 2) {                                     \
      SLUICE_LOAD_WORD(Ptx, "u16", "=h", unsigned short, unsigned short);      \
    } else if constexpr (sizeof(T) == 4) {                                     \
      SLUICE_LOAD_WORD(Ptx, "u32", "=r", unsigned, unsigned);                  \
    } else if constexpr (sizeof(T) == 8) {                                     \
      SLUICE_LOAD_WORD(Ptx, "u64", "=l", unsigned long long,                   \
                       unsigned long long);                                    \
    } else {                                                                   \
      __sluice_words Raw;                                                      \
      asm volatile("ld.global." Ptx ".v2.u64 {%0, %1}, [%2];"                  \
                   : "=l"(Raw.First), "=l"(Raw.Second)                         \
                   : "l"(Place)                                                \
                   : "memory");                                                \
      return __builtin_bit_cast(T, Raw);                                       \
    }                                                                          \
  }

#define SLUICE_STORE(Name, Ptx, Condition)                                     \
  template <typename T>                                                        \
  SLUICE_DEVICE typename __sluice_if<Condition, void>::Is Name(                \
      T *Place, typename __sluice_same<T>::Type Value) {                       \
    if constexpr (sizeof(T) == 1) {                                            \
      SLUICE_STORE_WORD(Ptx, "u8", "h", unsigned short, unsigned char);        \
    } else if constexpr (sizeof(T) == 2) {                                     \
      SLUICE_STORE_WORD(Ptx, "u16", "h", unsigned short, unsigned short);      \
    } else if constexpr (sizeof(T) == 4) {                                     \
      SLUICE_STORE_WORD(Ptx, "u32", "r", unsigned, unsigned);                  \
    } else if constexpr (sizeof(T) == 8) {                                     \
      SLUICE_STORE_WORD(Ptx, "u64", "l", unsigned long long,                   \
                        unsigned long long);                                   \
    } else {                                                                   \
      auto Raw = __builtin_bit_cast(__sluice_words, Value);                    \
      asm volatile("st.global." Ptx ".v2.u64 [%0], {%1, %2};" ::"l"(Place),    \
                   "l"(Raw.First), "l"(Raw.Second)                             \
                   : "memory");                                                \
    }                                                                          \
  }

SLUICE_LOAD(__ldca, "ca", __sluice_is_cached<T>::Value)
SLUICE_LOAD(__ldlu, "lu", __sluice_is_cached<T>::Value)
SLUICE_STORE(__stwb, "wb", __sluice_is_cached<T>::Value)
SLUICE_STORE(__stcg, "cg", __sluice_is_cached<T>::Value)
SLUICE_STORE(__stcs, "cs", __sluice_is_cached<T>::Value)
// Of these clang has all but long.
SLUICE_LOAD(__ldcg, "cg", __is_same(T, unsigned long))
SLUICE_LOAD(__ldcs, "cs", __is_same(T, unsigned long))
SLUICE_LOAD(__ldcv, "cv", __is_same(T, unsigned long))
SLUICE_STORE(__stwt, "wt", (__sluice_is_one_of<T, long, unsigned long>::Value))

#undef SLUICE_STORE
#undef SLUICE_LOAD
#undef SLUICE_STORE_WORD
#undef SLUICE_LOAD_WORD

//===- Atomics of 16 bytes ------------------------------------------------===//

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
template <typename T>
using __sluice_if_16_bytes = typename __sluice_if<
    sizeof(T) == 16 && alignof(T) >= 16 && __is_trivially_copyable(T), T>::Is;

#define SLUICE_ATOMICS_16(Suffix, Scope)                                       \
  template <typename T>                                                        \
  SLUICE_DEVICE __sluice_if_16_bytes<T> atomicCAS##Suffix(                     \
      T *Place, typename __sluice_same<T>::Type Compare,                       \
      typename __sluice_same<T>::Type Value) {                                 \
    auto If = __builtin_bit_cast(__sluice_words, Compare);                     \
    auto New = __builtin_bit_cast(__sluice_words, Value);                      \
    __sluice_words Old;                                                        \
    asm volatile("{ .reg .b128 old, compare, value;\n"                         \
                 "mov.b128 compare, {%3, %4};\n"                               \
                 "mov.b128 value, {%5, %6};\n"                                 \
                 "atom" Scope ".cas.b128 old, [%2], compare, value;\n"         \
                 "mov.b128 {%0, %1}, old; }"                                   \
                 : "=l"(Old.First), "=l"(Old.Second)                           \
                 : "l"(Place), "l"(If.First), "l"(If.Second), "l"(New.First),  \
                   "l"(New.Second)                                             \
                 : "memory");                                                  \
    return __builtin_bit_cast(T, Old);                                         \
  }                                                                            \
  template <typename T>                                                        \
  SLUICE_DEVICE __sluice_if_16_bytes<T> atomicExch##Suffix(                    \
      T *Place, typename __sluice_same<T>::Type Value) {                       \
    auto New = __builtin_bit_cast(__sluice_words, Value);                      \
    __sluice_words Old;                                                        \
    asm volatile("{ .reg .b128 old, value;\n"                                  \
                 "mov.b128 value, {%3, %4};\n"                                 \
                 "atom" Scope ".exch.b128 old, [%2], value;\n"                 \
                 "mov.b128 {%0, %1}, old; }"                                   \
                 : "=l"(Old.First), "=l"(Old.Second)                           \
                 : "l"(Place), "l"(New.First), "l"(New.Second)                 \
                 : "memory");                                                  \
    return __builtin_bit_cast(T, Old);                                         \
  }
SLUICE_ATOMICS_16(, "")
SLUICE_ATOMICS_16(_block, ".cta")
SLUICE_ATOMICS_16(_system, ".sys")
#undef SLUICE_ATOMICS_16
#endif

//===- Arithmetic ---------------------------------------------------------===//

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 750
template <typename T>
SLUICE_DEVICE typename __sluice_if<__is_same(T, float), T>::Is __tanhf(T X) {
  T Result;
  asm("tanh.approx.f32 %0, %1;" : "=f"(Result) : "f"(X));
  return Result;
}
#endif

// By definition what the functions of one float give.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 1000
#define SLUICE_PAIRS(Rounding)                                                 \
  template <typename T>                                                        \
  SLUICE_DEVICE typename __sluice_if<__is_same(T, float2), T>::Is              \
  __ffma2_##Rounding(T X, T Y, T Z) {                                          \
    return {__fmaf_##Rounding(X.x, Y.x, Z.x),                                  \
            __fmaf_##Rounding(X.y, Y.y, Z.y)};                                 \
  }                                                                            \
  template <typename T>                                                        \
  SLUICE_DEVICE typename __sluice_if<__is_same(T, float2), T>::Is              \
  __fadd2_##Rounding(T X, T Y) {                                               \
    return {__fadd_##Rounding(X.x, Y.x), __fadd_##Rounding(X.y, Y.y)};         \
  }                                                                            \
  template <typename T>                                                        \
  SLUICE_DEVICE typename __sluice_if<__is_same(T, float2), T>::Is              \
  __fmul2_##Rounding(T X, T Y) {                                               \
    return {__fmul_##Rounding(X.x, Y.x), __fmul_##Rounding(X.y, Y.y)};         \
  }
SLUICE_PAIRS(rn)
SLUICE_PAIRS(rz)
SLUICE_PAIRS(rd)
SLUICE_PAIRS(ru)
#undef SLUICE_PAIRS
#endif

/// The number must be known to the compiler.
#ifndef __prof_trigger
#define __prof_trigger(Number) asm volatile("pmevent %0;" ::"n"(Number))
#endif
#undef SLUICE_DEVICE

#endif
#endif
