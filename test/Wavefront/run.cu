// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Wavefronts give what a loop on the CPU gives: for every kind of dependence,
// grids of any size, more and fewer blocks than rows, and several launches with
// one space.
//
// RUN: %sluice emulate %s -I%build/include --sluice-transforms=off --cuda-gpu-arch=sm_90 --fail-fast --check=memory,races -o %t | FileCheck %s
// RUN: %sluice emulate %t --fail-fast --check=memory,races --schedule-seed=3 | FileCheck %s
// RUN: %sluice emulate %s -I%build/include --sluice-transforms=off --cuda-gpu-arch=sm_70 --fail-fast --check=memory,races | FileCheck %s
// CHECK: PASS
//
// The test can fail: where tags are not looked at, a block takes what a launch
// before has left; where a warp does not wait for room, it overwrites the ring.
// One of the kernels shows both.
// RUN: rm -rf %t.stale %t.full; mkdir -p %t.stale/sluice %t.full/sluice; cp %build/include/sluice/*.h %t.stale/sluice; cp %build/include/sluice/*.h %t.full/sluice
// RUN: sed 's/unsigned(Word >> 32) == tagOf(Mine)/unsigned(Word >> 32) != 0/' %build/include/sluice/wavefrontparts.h > %t.stale/sluice/wavefrontparts.h
// RUN: sed 's/while (Taken <= Last - Ring)/while (false)/' %build/include/sluice/wavefrontparts.h > %t.full/sluice/wavefrontparts.h
// DEFINE: %{one} = %sluice emulate %s -DLONG_ROWS --sluice-transforms=off --cuda-gpu-arch=sm_90 --instruction-limit=100000000
// RUN: %{one} -I%build/include | FileCheck %s
// RUN: not %{one} -I%t.stale | FileCheck %s --check-prefix=FAIL
// RUN: not %{one} -I%t.full | FileCheck %s --check-prefix=FAIL
// FAIL: FAIL

#include "../Emulator/Programs/Inputs/check.h"
#include <sluice/wavefront.h>

using sluice::From;
using sluice::Wavefront;

__host__ __device__ unsigned mix(unsigned a, unsigned b) {
  unsigned x = (a ^ (b + 0x9e3779b9u)) * 0x85ebca6bu;
  return x ^ x >> 15;
}

// A value from all that the cell needs, in order.
struct Mixer {
  const unsigned *in;
  unsigned *out;
  int planes, columns;

  __host__ __device__ int at(int i, int j, int k) const { return (i * planes + j) * columns + k; }
  __host__ __device__ unsigned outside(int i, int j, int k) const { return mix(i * 31 + j * 7 + k, 5); }
  __host__ __device__ unsigned fetch(int i, int j, int k) const { return in[at(i, j, k)]; }
  template <typename... Values>
  __host__ __device__ unsigned fire(int i, int j, int k, unsigned input, Values... given) const {
    unsigned value = mix(input, at(i, j, k));
    ((value = mix(value, given)), ...);
    return value;
  }
  __host__ __device__ void store(int i, int j, int k, unsigned value) const { out[at(i, j, k)] = value; }
  // In two dimensions.
  __host__ __device__ unsigned outside(int i, int k) const { return outside(i, 0, k); }
  __host__ __device__ unsigned fetch(int i, int k) const { return fetch(i, 0, k); }
  __host__ __device__ void store(int i, int k, unsigned value) const { store(i, 0, k, value); }
  template <typename... Values>
  __host__ __device__ unsigned fire(int i, int k, unsigned input, Values... given) const {
    return fire(i, 0, k, input, given...);
  }
};

template <typename W, unsigned Warps> __global__ void flat(Mixer m, void *space, int rows, int columns) {
  __shared__ typename W::template Shared<Warps> shared;
  W::run(shared, space, rows, columns, m);
}
template <typename W, unsigned Warps> __global__ void deep(Mixer m, void *space, int rows, int planes, int columns) {
  __shared__ typename W::template Shared<Warps> shared;
  W::run(shared, space, rows, planes, columns, m);
}

template <typename NeedT> unsigned operand(const Mixer &m, int rows, int i, int j, int k) {
  i -= NeedT::Up, j -= NeedT::Back, k -= NeedT::Left;
  bool inside = i >= 0 && i < rows && j >= 0 && k >= 0 && k < m.columns;
  return inside ? m.out[m.at(i, j, k)] : m.outside(i, j, k);
}

template <unsigned Warps, typename... Needs>
void check(const char *what, int rows, int planes, int columns, int blocks) {
  using W = Wavefront<unsigned, Needs...>;
  const size_t cells = size_t(rows) * planes * columns;
  std::vector<unsigned> input(cells), expected(cells);
  for (size_t n = 0; n < cells; ++n)
    input[n] = mix(unsigned(n), 77);
  Mixer host{input.data(), expected.data(), planes, columns};
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < planes; ++j)
      for (int k = 0; k < columns; ++k)
        host.store(i, j, k, host.fire(i, j, k, host.fetch(i, j, k), operand<Needs>(host, rows, i, j, k)...));
  void *space;
  const size_t bytes = W::template spaceBytes<Warps>(rows, planes, columns);
  cudaMalloc(&space, bytes);
  cudaMemset(space, 0, bytes);
  for (int launch = 0; launch < 2; ++launch) {
    // The second launch has other values.
    for (size_t n = 0; launch == 1 && n < cells; ++n)
      input[n] = mix(input[n], 1);
    Buffer<unsigned> in(cells, [&](size_t n) { return input[n]; }), out(cells);
    if (launch == 1)
      for (int i = 0; i < rows; ++i)
        for (int j = 0; j < planes; ++j)
          for (int k = 0; k < columns; ++k)
            host.store(i, j, k, host.fire(i, j, k, host.fetch(i, j, k), operand<Needs>(host, rows, i, j, k)...));
    Mixer m{in, out, planes, columns};
    if (planes == 1)
      flat<W, Warps><<<blocks, 32 * Warps>>>(m, space, rows, columns);
    else
      deep<W, Warps><<<blocks, 32 * Warps>>>(m, space, rows, planes, columns);
    out.check(what, [&](size_t n) { return expected[n]; });
  }
  cudaFree(space);
}

int main() {
#ifdef LONG_ROWS
  check<4, From<1, 0>, From<0, 1>>("long rows", 128, 1, 1000, 1);
#else
  check<2, From<1, 1>, From<0, 1>, From<1, 0>>("alignment", 200, 1, 150, 4);
  check<2, From<1, 1>, From<0, 1>, From<1, 0>>("fewer blocks", 200, 1, 90, 2);
  check<1, From<1, 1>, From<0, 1>, From<1, 0>>("more blocks", 70, 1, 33, 9);
  check<4, From<1, 0>, From<0, 1>>("one row", 1, 1, 40, 1);
  check<4, From<1, 0>, From<0, 1>>("one column", 130, 1, 1, 2);
  check<4, From<1, 0>>("columns apart", 100, 1, 17, 1);
  check<3, From<0, 1>, From<0, 3>>("rows apart", 50, 1, 20, 1);
  check<2, From<1, -1>, From<1, 0>, From<1, 1>>("from three above", 100, 1, 70, 2);
  check<2, From<1, -2>, From<0, 2>, From<1, 3>, From<0, 1>>("far", 70, 1, 70, 2);
  check<4, From<1, 0>, From<0, 1>>("long rows", 128, 1, 1000, 1);
  check<2, From<1, -2>, From<0, 2>, From<1, 3>, From<0, 1>>("far, long rows", 96, 1, 500, 2);
  check<2, From<1, 0, 0>, From<0, 1, 0>, From<0, 0, 1>>("three dimensions", 100, 5, 40, 2);
  check<2, From<1, 0, 0>, From<0, 1, 0>, From<0, 0, 1>, From<1, 0, 1>>("short planes", 66, 7, 9, 2);
  check<1, From<0, 1, 0>, From<1, 0, -1>>("planes alone", 40, 3, 33, 2);
#endif
  return finish();
}
