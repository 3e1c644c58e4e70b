// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// nvcc's atomic functions `__nv_atomic_...` (CUDA C++ Programming Guide,
/// "Built-in atomic functions"), which clang 22 lacks. Loads, stores,
/// compare-and-exchange and fences are clang's own; the others, whose order and
/// scope LLVM 22 drops, are PTX between fences.

#ifndef SLUICE_NVCCATOMICS_H
#define SLUICE_NVCCATOMICS_H
#pragma GCC system_header // no warnings about it in users' files

// Those of crt/device_functions.h, which clang leaves out.
enum {
  __NV_ATOMIC_RELAXED,
  __NV_ATOMIC_CONSUME,
  __NV_ATOMIC_ACQUIRE,
  __NV_ATOMIC_RELEASE,
  __NV_ATOMIC_ACQ_REL,
  __NV_ATOMIC_SEQ_CST
};
enum {
  __NV_THREAD_SCOPE_THREAD,
  __NV_THREAD_SCOPE_BLOCK,
  __NV_THREAD_SCOPE_CLUSTER,
  __NV_THREAD_SCOPE_DEVICE,
  __NV_THREAD_SCOPE_SYSTEM
};

#define SLUICE_ATOMIC                                                          \
  template <typename T> __device__ inline __attribute__((always_inline))
#define SLUICE_ORDER int Order, int Scope = __NV_THREAD_SCOPE_SYSTEM

// The numbers of nvcc's orders are those of __ATOMIC_RELAXED and so on. clang
// takes every scope for the whole system, which is never too narrow.
__device__ inline __attribute__((always_inline)) void
__nv_atomic_thread_fence(SLUICE_ORDER) {
  if (Order == __NV_ATOMIC_RELAXED)
    return;
  if (Scope <= __NV_THREAD_SCOPE_BLOCK)
    __threadfence_block();
  else if (Scope <= __NV_THREAD_SCOPE_DEVICE)
    __threadfence();
  else
    __threadfence_system();
}

SLUICE_ATOMIC T __nv_atomic_load_n(const T *Pointer, SLUICE_ORDER) {
  return __scoped_atomic_load_n(Pointer, Order, __MEMORY_SCOPE_SYSTEM);
}

SLUICE_ATOMIC void __nv_atomic_load(const T *Pointer, T *Result, SLUICE_ORDER) {
  __scoped_atomic_load(Pointer, Result, Order, __MEMORY_SCOPE_SYSTEM);
}

SLUICE_ATOMIC void __nv_atomic_store_n(T *Pointer, T Value, SLUICE_ORDER) {
  __scoped_atomic_store_n(Pointer, Value, Order, __MEMORY_SCOPE_SYSTEM);
}

SLUICE_ATOMIC void __nv_atomic_store(T *Pointer, T *Value, SLUICE_ORDER) {
  __scoped_atomic_store(Pointer, Value, Order, __MEMORY_SCOPE_SYSTEM);
}

SLUICE_ATOMIC bool
__nv_atomic_compare_exchange_n(T *Pointer, T *Expected, T Desired, bool Weak,
                               int Success, int Failure,
                               int Scope = __NV_THREAD_SCOPE_SYSTEM) {
  return __scoped_atomic_compare_exchange_n(Pointer, Expected, Desired, false,
                                            Success, Failure,
                                            __MEMORY_SCOPE_SYSTEM);
}

SLUICE_ATOMIC bool
__nv_atomic_compare_exchange(T *Pointer, T *Expected, T *Desired, bool Weak,
                             int Success, int Failure,
                             int Scope = __NV_THREAD_SCOPE_SYSTEM) {
  return __scoped_atomic_compare_exchange(Pointer, Expected, Desired, false,
                                          Success, Failure,
                                          __MEMORY_SCOPE_SYSTEM);
}

// A fence before what is to be released and one behind what is acquired.
__device__ inline __attribute__((always_inline)) void
__sluice_atomic_before(int Order, int Scope) {
  if (Order >= __NV_ATOMIC_RELEASE)
    __nv_atomic_thread_fence(Order, Scope);
}

__device__ inline __attribute__((always_inline)) void
__sluice_atomic_after(int Order, int Scope) {
  if (Order != __NV_ATOMIC_RELAXED && Order != __NV_ATOMIC_RELEASE)
    __nv_atomic_thread_fence(Order, Scope);
}

// One operation on one type; Register is its constraint.
#define SLUICE_RMW(Name, Type, Ptx, Register)                                  \
  __device__ inline __attribute__((always_inline)) Type Name(                  \
      Type *Pointer, Type Value, SLUICE_ORDER) {                               \
    Type Old;                                                                  \
    __sluice_atomic_before(Order, Scope);                                      \
    if (Scope <= __NV_THREAD_SCOPE_BLOCK)                                      \
      asm volatile("atom.cta." Ptx " %0, [%1], %2;"                            \
                   : "=" Register(Old)                                         \
                   : "l"(Pointer), Register(Value)                             \
                   : "memory");                                                \
    else if (Scope <= __NV_THREAD_SCOPE_DEVICE)                                \
      asm volatile("atom.gpu." Ptx " %0, [%1], %2;"                            \
                   : "=" Register(Old)                                         \
                   : "l"(Pointer), Register(Value)                             \
                   : "memory");                                                \
    else                                                                       \
      asm volatile("atom.sys." Ptx " %0, [%1], %2;"                            \
                   : "=" Register(Old)                                         \
                   : "l"(Pointer), Register(Value)                             \
                   : "memory");                                                \
    __sluice_atomic_after(Order, Scope);                                       \
    return Old;                                                                \
  }

// On all integers; Signed and Unsigned are the ends of the instruction.
#define SLUICE_RMW_INTEGERS(Name, Op, Signed, Unsigned)                        \
  SLUICE_RMW(Name, int, Op Signed "32", "r")                                   \
  SLUICE_RMW(Name, unsigned, Op Unsigned "32", "r")                            \
  SLUICE_RMW(Name, long, Op Signed "64", "l")                                  \
  SLUICE_RMW(Name, unsigned long, Op Unsigned "64", "l")                       \
  SLUICE_RMW(Name, long long, Op Signed "64", "l")                             \
  SLUICE_RMW(Name, unsigned long long, Op Unsigned "64", "l")

SLUICE_RMW_INTEGERS(__nv_atomic_fetch_add, "add.", "u", "u")
SLUICE_RMW(__nv_atomic_fetch_add, float, "add.f32", "f")
SLUICE_RMW(__nv_atomic_fetch_add, double, "add.f64", "d")
SLUICE_RMW_INTEGERS(__nv_atomic_fetch_and, "and.", "b", "b")
SLUICE_RMW_INTEGERS(__nv_atomic_fetch_or, "or.", "b", "b")
SLUICE_RMW_INTEGERS(__nv_atomic_fetch_xor, "xor.", "b", "b")
SLUICE_RMW_INTEGERS(__nv_atomic_fetch_min, "min.", "s", "u")
SLUICE_RMW_INTEGERS(__nv_atomic_fetch_max, "max.", "s", "u")
SLUICE_RMW_INTEGERS(__nv_atomic_exchange_n, "exch.", "b", "b")
SLUICE_RMW(__nv_atomic_exchange_n, float, "exch.b32", "f")
SLUICE_RMW(__nv_atomic_exchange_n, double, "exch.b64", "d")

SLUICE_ATOMIC T __nv_atomic_fetch_sub(T *Pointer, T Value, SLUICE_ORDER) {
  return __nv_atomic_fetch_add(Pointer, T(-Value), Order, Scope);
}

SLUICE_ATOMIC void __nv_atomic_exchange(T *Pointer, T *Value, T *Old,
                                        SLUICE_ORDER) {
  *Old = __nv_atomic_exchange_n(Pointer, *Value, Order, Scope);
}

// The same without the old value.
#define SLUICE_WITHOUT_OLD(Op)                                                 \
  SLUICE_ATOMIC void __nv_atomic_##Op(T *Pointer, T Value, SLUICE_ORDER) {     \
    __nv_atomic_fetch_##Op(Pointer, Value, Order, Scope);                      \
  }
SLUICE_WITHOUT_OLD(add)
SLUICE_WITHOUT_OLD(sub)
SLUICE_WITHOUT_OLD(and)
SLUICE_WITHOUT_OLD(or)
SLUICE_WITHOUT_OLD(xor)
SLUICE_WITHOUT_OLD(min)
SLUICE_WITHOUT_OLD(max)

#undef SLUICE_WITHOUT_OLD
#undef SLUICE_RMW_INTEGERS
#undef SLUICE_RMW
#undef SLUICE_ORDER
#undef SLUICE_ATOMIC
#endif
