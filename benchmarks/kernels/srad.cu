// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rodinia's srad_v1, which takes the speckles out of an ultrasound image: one
// thread per pixel, columns one after another. A step reduces the image to its
// variance, then takes a diffusion coefficient from each pixel and its four
// neighbours, then lets the pixels diffuse. The neighbours' numbers come from
// arrays. Limited by memory.
//
#include "common.h"

constexpr int Rows = bench::bySize(100, 502, 4096);
constexpr int Columns = bench::bySize(90, 458, 4096);
constexpr int Pixels = Rows * Columns;
constexpr int Iterations = bench::bySize(4, 20, 2);
constexpr int BlockSize = 512;
constexpr float Lambda = 0.5f;
constexpr uint32_t SeedImage = 1;

__global__ void extract(int count, float *BENCH_MAY_RESTRICT image) {
  int ei = blockIdx.x * BlockSize + threadIdx.x;
  if (ei < count)
    image[ei] = expf(image[ei] / 255);
}

__global__ void prepare(int count, const float *BENCH_MAY_RESTRICT image,
                        float *BENCH_MAY_RESTRICT sums,
                        float *BENCH_MAY_RESTRICT sums2) {
  int ei = blockIdx.x * BlockSize + threadIdx.x;
  if (ei < count) {
    sums[ei] = image[ei];
    sums2[ei] = image[ei] * image[ei];
  }
}

// Adds up count elements that stand stride apart; each block leaves its sum in
// place of its first one.
__global__ void reduce(int count, int stride, float *BENCH_MAY_RESTRICT sums,
                       float *BENCH_MAY_RESTRICT sums2) {
  int bx = blockIdx.x;
  int tx = threadIdx.x;
  int ei = bx * BlockSize + tx;

  __shared__ float psum[BlockSize];
  __shared__ float psum2[BlockSize];
  psum[tx] = ei < count ? sums[ei * stride] : 0;
  psum2[tx] = ei < count ? sums2[ei * stride] : 0;
  __syncthreads();

  for (int i = 2; i <= BlockSize; i *= 2) {
    if ((tx + 1) % i == 0) {
      psum[tx] += psum[tx - i / 2];
      psum2[tx] += psum2[tx - i / 2];
    }
    __syncthreads();
  }
  if (tx == BlockSize - 1) {
    sums[bx * stride * BlockSize] = psum[tx];
    sums2[bx * stride * BlockSize] = psum2[tx];
  }
}

__global__ void srad(int rows, int count, const int *BENCH_MAY_RESTRICT iN,
                     const int *BENCH_MAY_RESTRICT iS,
                     const int *BENCH_MAY_RESTRICT jE,
                     const int *BENCH_MAY_RESTRICT jW,
                     float *BENCH_MAY_RESTRICT dN, float *BENCH_MAY_RESTRICT dS,
                     float *BENCH_MAY_RESTRICT dE, float *BENCH_MAY_RESTRICT dW,
                     float q0sqr, float *BENCH_MAY_RESTRICT c,
                     const float *BENCH_MAY_RESTRICT image) {
  int ei = blockIdx.x * BlockSize + threadIdx.x;
  int row = ei % rows;
  int col = ei / rows;
  if (ei < count) {
    float center = image[ei];
    float north = image[iN[row] + rows * col] - center;
    float south = image[iS[row] + rows * col] - center;
    float west = image[row + rows * jW[col]] - center;
    float east = image[row + rows * jE[col]] - center;

    float g2 = (north * north + south * south + west * west + east * east) /
               (center * center);
    float l = (north + south + west + east) / center;
    float num = 0.5f * g2 - (1.0f / 16.0f) * (l * l);
    float den = 1 + 0.25f * l;
    float qsqr = num / (den * den);
    den = (qsqr - q0sqr) / (q0sqr * (1 + q0sqr));
    float coefficient = 1.0f / (1.0f + den);
    if (coefficient < 0)
      coefficient = 0;
    else if (coefficient > 1)
      coefficient = 1;

    dN[ei] = north;
    dS[ei] = south;
    dW[ei] = west;
    dE[ei] = east;
    c[ei] = coefficient;
  }
}

__global__ void
srad2(float lambda, int rows, int count, const int *BENCH_MAY_RESTRICT iS,
      const int *BENCH_MAY_RESTRICT jE, const float *BENCH_MAY_RESTRICT dN,
      const float *BENCH_MAY_RESTRICT dS, const float *BENCH_MAY_RESTRICT dE,
      const float *BENCH_MAY_RESTRICT dW, const float *BENCH_MAY_RESTRICT c,
      float *BENCH_MAY_RESTRICT image) {
  int ei = blockIdx.x * BlockSize + threadIdx.x;
  int row = ei % rows;
  int col = ei / rows;
  if (ei < count) {
    float cN = c[ei];
    float cS = c[iS[row] + rows * col];
    float cW = c[ei];
    float cE = c[row + rows * jE[col]];
    float d = cN * dN[ei] + cS * dS[ei] + cW * dW[ei] + cE * dE[ei];
    image[ei] += 0.25f * lambda * d;
  }
}

__global__ void compress(int count, float *BENCH_MAY_RESTRICT image) {
  int ei = blockIdx.x * BlockSize + threadIdx.x;
  if (ei < count)
    image[ei] = logf(image[ei]) * 255;
}

static float imageAt(size_t I) { return 255 * bench::valueAt(SeedImage, I); }

/// Pixels of the square around one pixel whose values decide about it.
class Square {
public:
  Square(int Row, int Column)
      : Row(Row), Column(Column), Values(size_t(Size) * Size) {
    forEach(Reach, [&](int R, int C) {
      at(R, C) = std::exp(imageAt(size_t(C) * Rows + R) / 255.0);
    });
  }

  /// The pixel after all steps, whose speckle scales were Q0.
  double after(const std::vector<float> &Q0) {
    Square Coefficients = *this;
    for (int T = 0; T < Iterations; ++T) {
      int Left = Reach - 2 * T;
      forEach(Left - 1, [&](int R, int C) {
        Coefficients.at(R, C) = coefficient(R, C, Q0[T]);
      });
      Square Before = *this;
      forEach(Left - 2, [&](int R, int C) {
        double Here = Before.at(R, C), Own = Coefficients.at(R, C);
        double Flow = Own * (Before.at(R - 1, C) - Here) +
                      Coefficients.at(R + 1, C) * (Before.at(R + 1, C) - Here) +
                      Own * (Before.at(R, C - 1) - Here) +
                      Coefficients.at(R, C + 1) * (Before.at(R, C + 1) - Here);
        at(R, C) = Here + 0.25 * Lambda * Flow;
      });
    }
    return std::log(at(Row, Column)) * 255;
  }

private:
  static constexpr int Reach = 2 * Iterations;
  static constexpr int Size = 2 * Reach + 1;

  /// The image's border repeats outwards.
  double &at(int R, int C) {
    R = std::clamp(R, 0, Rows - 1);
    C = std::clamp(C, 0, Columns - 1);
    return Values[(R - Row + Reach) * Size + (C - Column + Reach)];
  }

  template <typename DoT> void forEach(int Distance, DoT Do) {
    for (int R = std::max(0, Row - Distance);
         R <= std::min(Rows - 1, Row + Distance); ++R)
      for (int C = std::max(0, Column - Distance);
           C <= std::min(Columns - 1, Column + Distance); ++C)
        Do(R, C);
  }

  double coefficient(int R, int C, double Q0) {
    double Here = at(R, C), Squares = 0, Laplace = 0;
    for (double There :
         {at(R - 1, C), at(R + 1, C), at(R, C - 1), at(R, C + 1)}) {
      Squares += (There - Here) * (There - Here) / (Here * Here);
      Laplace += (There - Here) / Here;
    }
    double Q = (Squares / 2 - Laplace * Laplace / 16) /
               ((1 + Laplace / 4) * (1 + Laplace / 4));
    return std::clamp(1 / (1 + (Q - Q0) / (Q0 * (1 + Q0))), 0.0, 1.0);
  }

  int Row, Column;
  std::vector<double> Values;
};

static double speckleScale(double Sum, double Sum2) {
  double Mean = Sum / Pixels;
  return (Sum2 / Pixels - Mean * Mean) / (Mean * Mean);
}

int main() {
  std::vector<float> HostImage(Pixels);
  double Sum = 0, Sum2 = 0;
  for (size_t I = 0; I < Pixels; ++I) {
    HostImage[I] = imageAt(I);
    double Value = std::exp(HostImage[I] / 255);
    Sum += Value;
    Sum2 += Value * Value;
  }
  std::vector<int> North(Rows), South(Rows), East(Columns), West(Columns);
  for (int I = 0; I < Rows; ++I) {
    North[I] = std::max(I - 1, 0);
    South[I] = std::min(I + 1, Rows - 1);
  }
  for (int J = 0; J < Columns; ++J) {
    West[J] = std::max(J - 1, 0);
    East[J] = std::min(J + 1, Columns - 1);
  }

  bench::DeviceArray<float> Image(HostImage), Sums(Pixels), Sums2(Pixels);
  bench::DeviceArray<float> DN(Pixels), DS(Pixels), DE(Pixels), DW(Pixels);
  bench::DeviceArray<float> C(Pixels);
  bench::DeviceArray<int> IN(North), IS(South), JE(East), JW(West);
  std::vector<float> Q0;

  constexpr int Blocks = (Pixels + BlockSize - 1) / BlockSize;
  extract<<<Blocks, BlockSize>>>(Pixels, Image);
  CUDA_CHECK(cudaGetLastError());
  for (int T = 0; T < Iterations; ++T) {
    prepare<<<Blocks, BlockSize>>>(Pixels, Image, Sums, Sums2);
    CUDA_CHECK(cudaGetLastError());
    for (int Count = Pixels, Stride = 1; Count > 1; Stride *= BlockSize) {
      int ReduceBlocks = (Count + BlockSize - 1) / BlockSize;
      reduce<<<ReduceBlocks, BlockSize>>>(Count, Stride, Sums, Sums2);
      CUDA_CHECK(cudaGetLastError());
      Count = ReduceBlocks;
    }
    float Total, Total2;
    CUDA_CHECK(cudaMemcpy(&Total, Sums, sizeof(float), cudaMemcpyDeviceToHost));
    CUDA_CHECK(
        cudaMemcpy(&Total2, Sums2, sizeof(float), cudaMemcpyDeviceToHost));
    Q0.push_back(static_cast<float>(speckleScale(Total, Total2)));

    srad<<<Blocks, BlockSize>>>(Rows, Pixels, IN, IS, JE, JW, DN, DS, DE, DW,
                                Q0.back(), C, Image);
    CUDA_CHECK(cudaGetLastError());
    srad2<<<Blocks, BlockSize>>>(Lambda, Rows, Pixels, IS, JE, DN, DS, DE, DW,
                                 C, Image);
    CUDA_CHECK(cudaGetLastError());
  }
  compress<<<Blocks, BlockSize>>>(Pixels, Image);
  CUDA_CHECK(cudaGetLastError());

  bench::Program Program("srad");
  Program.check("first speckle scale",
                bench::isClose(Q0[0], speckleScale(Sum, Sum2), 1e-3));
  Program.check("image", Image, [&](size_t I, float Got) {
    double Value = Square(I % Rows, I / Rows).after(Q0);
    return std::abs(Got - Value) < 0.01;
  });
  return Program.verdict();
}
