// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies arrays of structs, after the CUDA sample alignedTypes: one kernel for
// each of several sizes, aligned as its words are and aligned for accesses of
// more than a word. A warp asks for a line as often as a struct in it has
// accesses, so the L1 is what makes up for too little alignment. Limited by
// memory bandwidth where a struct is one access.
//
#include "common.h"

constexpr int BlockSize = 256;
constexpr int Blocks = bench::bySize(8, 1024, 132 * 2048 / BlockSize);
constexpr int DefaultBytes = bench::bySize(1 << 16, 50000000, 64 << 20);
constexpr uint32_t SeedData = 1;

struct Bytes1 {
  uint8_t a;
};
struct Bytes2 {
  uint16_t a;
};
struct Words1 {
  uint32_t a;
};
struct Words2 {
  uint32_t a, b;
};
struct __align__(8) AlignedWords2 {
  uint32_t a, b;
};
struct Words3 {
  uint32_t a, b, c;
};
struct __align__(16) AlignedWords3 { // with a word of padding
  uint32_t a, b, c;
};
struct Words4 {
  uint32_t a, b, c, d;
};
struct __align__(16) AlignedWords4 {
  uint32_t a, b, c, d;
};
struct Words5 {
  uint32_t a, b, c, d, e;
};
struct Words8 {
  uint32_t a, b, c, d, e, f, g, h;
};
struct __align__(16) AlignedWords8 {
  uint32_t a, b, c, d, e, f, g, h;
};

template <typename T>
__global__ void copyTypes(const T *BENCH_MAY_RESTRICT source,
                          T *BENCH_MAY_RESTRICT destination, int count) {
  int threads = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += threads)
    destination[i] = source[i];
}

namespace bench {
__global__ void fillBits(uint32_t *Data, int Count) {
  int Step = gridDim.x * blockDim.x;
  for (int I = blockIdx.x * blockDim.x + threadIdx.x; I < Count; I += Step)
    Data[I] = bitsAt(SeedData, I);
}
} // namespace bench

namespace {

struct Copies {
  explicit Copies(int Bytes) : Source(Bytes / 4), Destination(Bytes / 4) {
    bench::fillBits<<<Blocks, BlockSize>>>(Source, Bytes / 4);
    CUDA_CHECK(cudaGetLastError());
  }

  /// As many T as the memory holds. Used: bytes of a T that are not padding.
  template <typename T> void copy(const char *What, size_t Used = sizeof(T)) {
    int Count = static_cast<int>(Source.size() * 4 / sizeof(T));
    Destination.clear();
    copyTypes<<<Blocks, BlockSize>>>(reinterpret_cast<const T *>(+Source),
                                     reinterpret_cast<T *>(+Destination),
                                     Count);
    CUDA_CHECK(cudaGetLastError());

    Program.check(What, Destination, [&](size_t Index, uint32_t Got) {
      size_t Byte = Index * 4;
      if (Byte >= Count * sizeof(T)) // what does not make a whole T
        return Got == 0;
      bool IsPadding = Byte % sizeof(T) >= Used;
      return IsPadding || Got == bench::bitsAt(SeedData, Index);
    });
  }

  bench::Program Program{"aligned_types"};
  bench::DeviceArray<uint32_t> Source, Destination;
};

} // namespace

int main(int ArgC, char **ArgV) {
  int Bytes = bench::numberOption(ArgC, ArgV, "bytes", DefaultBytes);
  if (Bytes < 32 || Bytes % 4) {
    std::fprintf(stderr, "--bytes= needs a multiple of 4, from 32 on\n");
    return 2;
  }
  Copies Run(Bytes);
  Run.copy<Bytes1>("1 byte");
  Run.copy<Bytes2>("2 bytes");
  Run.copy<Words1>("1 word");
  Run.copy<Words2>("2 words");
  Run.copy<AlignedWords2>("2 words, aligned");
  Run.copy<Words3>("3 words");
  Run.copy<AlignedWords3>("3 words, aligned", 12);
  Run.copy<Words4>("4 words");
  Run.copy<AlignedWords4>("4 words, aligned");
  Run.copy<Words5>("5 words");
  Run.copy<Words8>("8 words");
  Run.copy<AlignedWords8>("8 words, aligned");
  return Run.Program.verdict();
}
