// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rodinia's nn: the records of storms that were nearest to a place. One record
// per thread computes its distance, with a root; the CPU picks the nearest ten.
// Twelve bytes for a handful of instructions: limited by memory.
//
#include "common.h"

constexpr int Records = bench::bySize(1 << 14, 42764, 128 * 132 * 2048);
constexpr int BlockSize = 256;
constexpr int Wanted = 10;
constexpr float Latitude = 30;
constexpr float Longitude = 90;
constexpr uint32_t SeedLatitude = 1;
constexpr uint32_t SeedLongitude = 2;

struct Record {
  float latitude;
  float longitude;
};

namespace bench {
__host__ __device__ inline Record recordAt(size_t I) {
  return {7 + 56 * valueAt(SeedLatitude, I), 358 * valueAt(SeedLongitude, I)};
}

__global__ void fillRecords(Record *Records, int Count) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < Count)
    Records[I] = recordAt(I);
}
} // namespace bench

__global__ void nearest_records(const Record *BENCH_MAY_RESTRICT records,
                                float *BENCH_MAY_RESTRICT distances, int count,
                                float latitude, float longitude) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) {
    float dx = latitude - records[i].latitude;
    float dy = longitude - records[i].longitude;
    distances[i] = sqrtf(dx * dx + dy * dy);
  }
}

static double distanceOf(size_t I) {
  Record R = bench::recordAt(I);
  return std::hypot(double(Latitude) - R.latitude,
                    double(Longitude) - R.longitude);
}

int main() {
  bench::DeviceArray<Record> Device(Records);
  bench::DeviceArray<float> Distances(Records);
  constexpr int Blocks = (Records + BlockSize - 1) / BlockSize;
  bench::fillRecords<<<Blocks, BlockSize>>>(Device, Records);
  CUDA_CHECK(cudaGetLastError());

  nearest_records<<<Blocks, BlockSize>>>(Device, Distances, Records, Latitude,
                                         Longitude);
  CUDA_CHECK(cudaGetLastError());

  bench::Program Program("nearest_records");
  Program.check("distances", Distances, [](size_t I, float Got) {
    return bench::isClose(Got, distanceOf(I), 1e-5);
  });

  // The ten in order, and none of a sample of the others nearer.
  std::vector<float> Host = Distances.toHost();
  std::vector<float> Nearest(Wanted);
  std::partial_sort_copy(Host.begin(), Host.end(), Nearest.begin(),
                         Nearest.end());
  size_t Nearer = 0, Step = std::max(Records >> 20, 1);
  for (size_t I = 0; I < Host.size(); I += Step)
    Nearer += distanceOf(I) < Nearest.back() - 1e-5;
  Program.check("nearest", Nearer <= Wanted);
  return Program.verdict();
}
