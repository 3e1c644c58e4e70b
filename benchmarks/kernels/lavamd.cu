// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rodinia's lavaMD: forces between the particles of each box of space and those
// of the up to 27 boxes about it. A block per home box, a thread per particle;
// the home's and one neighbour's particles are staged in shared memory. Limited
// by double precision arithmetic, most of it in exp.
//
#include "common.h"

constexpr int DefaultBoxes1d = bench::bySize(2, 10, 20);
constexpr int NumberParPerBox = bench::bySize(48, 100, 100);
constexpr int NumberThreads = 128;
constexpr double Alpha = 0.5;
constexpr uint32_t SeedPosition = 1;
constexpr uint32_t SeedCharge = 2;

struct ThreeVector {
  double x, y, z;
};

struct FourVector {
  double v, x, y, z;
};

struct Neighbour {
  int x, y, z;
  int number;
  long offset;
};

struct Box {
  int x, y, z;
  int number;
  long offset; // of its first particle
  int nn;      // how many neighbours it has
  Neighbour nei[26];
};

struct Parameters {
  double alpha;
};

struct Dimensions {
  long number_boxes;
};

__host__ __device__ inline double dot(const FourVector &A,
                                      const FourVector &B) {
  return A.x * B.x + A.y * B.y + A.z * B.z;
}

__global__ void lavamd(Parameters d_par_gpu, Dimensions d_dim_gpu,
                       const Box *BENCH_MAY_RESTRICT d_box_gpu,
                       const FourVector *BENCH_MAY_RESTRICT d_rv_gpu,
                       const double *BENCH_MAY_RESTRICT d_qv_gpu,
                       FourVector *BENCH_MAY_RESTRICT d_fv_gpu) {
  __shared__ FourVector rA_shared[NumberParPerBox];
  __shared__ FourVector rB_shared[NumberParPerBox];
  __shared__ double qB_shared[NumberParPerBox];

  int bx = blockIdx.x;
  int tx = threadIdx.x;
  if (bx >= d_dim_gpu.number_boxes)
    return;

  double a2 = 2 * d_par_gpu.alpha * d_par_gpu.alpha;
  long first_i = d_box_gpu[bx].offset;
  const FourVector *rA = &d_rv_gpu[first_i];
  FourVector *fA = &d_fv_gpu[first_i];

  for (int wtx = tx; wtx < NumberParPerBox; wtx += NumberThreads)
    rA_shared[wtx] = rA[wtx];
  __syncthreads();

  for (int k = 0; k < 1 + d_box_gpu[bx].nn; ++k) {
    int pointer = k == 0 ? bx : d_box_gpu[bx].nei[k - 1].number;
    long first_j = d_box_gpu[pointer].offset;
    const FourVector *rB = &d_rv_gpu[first_j];
    const double *qB = &d_qv_gpu[first_j];

    for (int wtx = tx; wtx < NumberParPerBox; wtx += NumberThreads) {
      rB_shared[wtx] = rB[wtx];
      qB_shared[wtx] = qB[wtx];
    }
    __syncthreads();

    for (int wtx = tx; wtx < NumberParPerBox; wtx += NumberThreads) {
      for (int j = 0; j < NumberParPerBox; ++j) {
        double r2 = rA_shared[wtx].v + rB_shared[j].v -
                    dot(rA_shared[wtx], rB_shared[j]);
        double u2 = a2 * r2;
        double vij = exp(-u2);
        double fs = 2 * vij;
        ThreeVector d;
        d.x = rA_shared[wtx].x - rB_shared[j].x;
        d.y = rA_shared[wtx].y - rB_shared[j].y;
        d.z = rA_shared[wtx].z - rB_shared[j].z;
        double fxij = fs * d.x;
        double fyij = fs * d.y;
        double fzij = fs * d.z;
        fA[wtx].v += qB_shared[j] * vij;
        fA[wtx].x += qB_shared[j] * fxij;
        fA[wtx].y += qB_shared[j] * fyij;
        fA[wtx].z += qB_shared[j] * fzij;
      }
    }
    __syncthreads();
  }
}

static std::vector<Box> makeBoxes(int Boxes1d) {
  std::vector<Box> Boxes;
  auto numberOf = [&](int X, int Y, int Z) {
    return (Z * Boxes1d + Y) * Boxes1d + X;
  };
  auto isInside = [&](int I) { return I >= 0 && I < Boxes1d; };
  for (int Z = 0; Z < Boxes1d; ++Z)
    for (int Y = 0; Y < Boxes1d; ++Y)
      for (int X = 0; X < Boxes1d; ++X) {
        Box Home = {};
        Home.x = X;
        Home.y = Y;
        Home.z = Z;
        Home.number = numberOf(X, Y, Z);
        Home.offset = long(Home.number) * NumberParPerBox;
        for (int DZ = -1; DZ <= 1; ++DZ)
          for (int DY = -1; DY <= 1; ++DY)
            for (int DX = -1; DX <= 1; ++DX) {
              bool IsHome = DX == 0 && DY == 0 && DZ == 0;
              if (IsHome || !isInside(X + DX) || !isInside(Y + DY) ||
                  !isInside(Z + DZ))
                continue;
              Neighbour &N = Home.nei[Home.nn++];
              N.x = X + DX;
              N.y = Y + DY;
              N.z = Z + DZ;
              N.number = numberOf(N.x, N.y, N.z);
              N.offset = long(N.number) * NumberParPerBox;
            }
        Boxes.push_back(Home);
      }
  return Boxes;
}

/// What the box's particles and those about it do to particle I.
static FourVector forceOn(size_t I, const std::vector<Box> &Boxes,
                          const std::vector<FourVector> &Positions,
                          const std::vector<double> &Charges) {
  const Box &Home = Boxes[I / NumberParPerBox];
  FourVector Force = {};
  for (int K = 0; K < 1 + Home.nn; ++K) {
    size_t First = K == 0 ? Home.offset : Home.nei[K - 1].offset;
    for (size_t J = First; J < First + NumberParPerBox; ++J) {
      const FourVector &A = Positions[I], &B = Positions[J];
      double V = std::exp(-2 * Alpha * Alpha * (A.v + B.v - dot(A, B)));
      Force.v += Charges[J] * V;
      Force.x += Charges[J] * 2 * V * (A.x - B.x);
      Force.y += Charges[J] * 2 * V * (A.y - B.y);
      Force.z += Charges[J] * 2 * V * (A.z - B.z);
    }
  }
  return Force;
}

int main(int ArgC, char **ArgV) {
  int Boxes1d = bench::numberOption(ArgC, ArgV, "boxes1d", DefaultBoxes1d);
  std::vector<Box> HostBoxes = makeBoxes(Boxes1d);
  size_t Particles = HostBoxes.size() * NumberParPerBox;

  // As Rodinia's inputs: tenths from 0.1 to 1.
  auto tenths = [](uint32_t Seed, size_t I) {
    return (bench::bitsAt(Seed, I) % 10 + 1) / 10.0;
  };
  std::vector<FourVector> HostPositions(Particles);
  std::vector<double> HostCharges(Particles);
  for (size_t I = 0; I < Particles; ++I) {
    HostPositions[I].v = tenths(SeedPosition, I * 4);
    HostPositions[I].x = tenths(SeedPosition, I * 4 + 1);
    HostPositions[I].y = tenths(SeedPosition, I * 4 + 2);
    HostPositions[I].z = tenths(SeedPosition, I * 4 + 3);
    HostCharges[I] = tenths(SeedCharge, I);
  }

  bench::DeviceArray<Box> Boxes(HostBoxes);
  bench::DeviceArray<FourVector> Positions(HostPositions), Forces(Particles);
  bench::DeviceArray<double> Charges(HostCharges);

  lavamd<<<static_cast<unsigned>(HostBoxes.size()), NumberThreads>>>(
      Parameters{Alpha}, Dimensions{static_cast<long>(HostBoxes.size())}, Boxes,
      Positions, Charges, Forces);
  CUDA_CHECK(cudaGetLastError());

  bench::Program Program("lavamd");
  Program.check("forces", Forces, [&](size_t I, const FourVector &Got) {
    FourVector Expected = forceOn(I, HostBoxes, HostPositions, HostCharges);
    // The sum that does not cancel says how exact the others can be.
    auto isClose = [&](double A, double B) {
      return std::abs(A - B) <= 1e-9 * Expected.v;
    };
    return isClose(Got.v, Expected.v) && isClose(Got.x, Expected.x) &&
           isClose(Got.y, Expected.y) && isClose(Got.z, Expected.z);
  });
  return Program.verdict();
}
