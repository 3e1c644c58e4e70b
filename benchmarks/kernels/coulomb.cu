// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parboil's direct Coulomb summation (cp): the potential of all atoms at each
// point of a plane, one point per thread. All threads read the same atom at a
// time; a dozen arithmetic instructions and a reciprocal root for each pair.
// With -DREAL=double in double precision.
//
#include "common.h"

#ifndef REAL
#define REAL float
#endif

constexpr int Width = bench::bySize(64, 512, 2048);
constexpr int Height = bench::bySize(32, 512, 1024);
constexpr int Atoms = bench::bySize(64, 40000, 1000);
constexpr int BlockSize = 128;
constexpr uint32_t Seed = 1;

struct Atom {
  REAL x, y, z, charge;
};

namespace bench {
/// Beside the plane, so that none is at a point of it.
inline Atom atomAt(size_t I) {
  return {REAL(valueAt(Seed, 4 * I)), REAL(valueAt(Seed, 4 * I + 1)),
          REAL(0.05 + valueAt(Seed, 4 * I + 2)),
          REAL(0.5 + valueAt(Seed, 4 * I + 3))};
}
} // namespace bench

__global__ void coulomb(const Atom *BENCH_RESTRICT atoms, int count,
                        REAL *BENCH_RESTRICT potential, REAL spacing) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  REAL x = spacing * (i % Width), y = spacing * (i / Width);
  REAL sum = 0;
  for (int a = 0; a < count; ++a) {
    REAL dx = x - atoms[a].x, dy = y - atoms[a].y, dz = atoms[a].z;
    sum += atoms[a].charge * (1 / sqrt(dx * dx + dy * dy + dz * dz));
  }
  potential[i] = sum;
}

int main() {
  std::vector<Atom> Host(Atoms);
  for (size_t I = 0; I < Host.size(); ++I)
    Host[I] = bench::atomAt(I);
  bench::DeviceArray<Atom> Device(Host);
  bench::DeviceArray<REAL> Potential(size_t(Width) * Height);
  const REAL Spacing = REAL(1) / Width;

  coulomb<<<Width * Height / BlockSize, BlockSize>>>(Device, Atoms, Potential,
                                                     Spacing);
  CUDA_CHECK(cudaGetLastError());

  bench::Program Program("coulomb");
  const size_t Every = size_t(Width) * Height / 64;
  Program.check("potential", Potential, [&](size_t I, REAL Got) {
    if (I % Every)
      return true;
    const double X = double(Spacing) * double(I % Width),
                 Y = double(Spacing) * double(I / Width);
    double Expected = 0;
    for (const Atom &A : Host)
      Expected += A.charge / std::sqrt((X - A.x) * (X - A.x) +
                                       (Y - A.y) * (Y - A.y) + A.z * A.z);
    return std::abs(Got - Expected) < 1e-4 * Expected;
  });
  return Program.verdict();
}
