// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %sluice emulate %s --fail-fast --check=memory,races | FileCheck %s
// CHECK: PASS
// y = A x with A in CSR: one thread for each row, and one warp. Rows are empty, short
// and long; the values are whole, so that the order of the sums does not matter.
#include "Inputs/check.h"

__global__ void byThread(const int *begin, const int *column, const double *value,
                         const double *__restrict__ x, double *y, int rows) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows)
    return;
  double sum = 0;
  for (int k = begin[row]; k < begin[row + 1]; ++k)
    sum += value[k] * x[column[k]];
  y[row] = sum;
}

__global__ void byWarp(const int *begin, const int *column, const double *value,
                       const double *__restrict__ x, double *y, int rows) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows)
    return;
  double sum = 0;
  for (int k = begin[row] + lane, end = begin[row + 1]; k < end; k += 32)
    sum += value[k] * __ldg(&x[column[k]]);
  for (int distance = 16; distance > 0; distance /= 2)
    sum += __shfl_xor_sync(~0u, sum, distance);
  if (lane == 0)
    y[row] = sum;
}

int main() {
  const int rows = 301, columns = 500;
  std::vector<int> begins{0}, places;
  for (int r = 0; r < rows; ++r) {
    int count = r % 11 == 0 ? 0 : r % 50 == 7 ? 200 : r * 13 % 40;
    for (int k = 0; k < count; ++k)
      places.push_back((r * 31 + k * 17) % columns);
    begins.push_back(int(places.size()));
  }
  Buffer<int> begin(begins.size(), [&](size_t i) { return begins[i]; });
  Buffer<int> column(places.size(), [&](size_t i) { return places[i]; });
  Buffer<double> value(places.size(), [](size_t i) { return int(i * 37 % 201) - 100; });
  Buffer<double> x(columns, [](size_t i) { return int(i * 91 % 1001) - 500; });
  Buffer<double> y(rows), z(rows);
  byThread<<<(rows + 63) / 64, 64>>>(begin, column, value, x, y, rows);
  byWarp<<<(rows + 3) / 4, 128>>>(begin, column, value, x, z, rows);
  auto want = [&](size_t row) {
    double sum = 0;
    for (int k = begins[row]; k < begins[row + 1]; ++k)
      sum += value.host[k] * x.host[places[k]];
    return sum;
  };
  y.check("by thread", want);
  z.check("by warp", want);
  return finish();
}
