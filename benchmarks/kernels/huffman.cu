// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rodinia's huffman: counts the bytes, and encodes them with codes of variable
// length. The histogram counts in shared memory. The encoder takes four bytes a
// thread, scans the lengths of a block's codes and sets the bits in shared
// memory with atomics; the last kernel joins the blocks' bits, a block's words
// per thread. Limited by shared memory, by barriers and by the last kernel's
// walks.
//
#include "common.h"
#include <array>
#include <queue>

constexpr int DefaultWords = bench::bySize(32 << 10, 256 << 10, 32 << 20);
constexpr int Symbols = 256;
constexpr int BlockSize = 256;
constexpr int HistogramBlocks = bench::bySize(4, 264, 8 * 132);
constexpr int PackBlockSize = 16;
constexpr uint32_t SeedBytes = 1;
constexpr uint32_t SeedMask = 2;

__global__ void histo_kernel(const unsigned char *BENCH_MAY_RESTRICT buffer,
                             long size,
                             unsigned int *BENCH_MAY_RESTRICT histo) {
  __shared__ unsigned int temp[Symbols];
  temp[threadIdx.x] = 0;
  __syncthreads();

  long i = threadIdx.x + static_cast<long>(blockIdx.x) * blockDim.x;
  long offset = static_cast<long>(blockDim.x) * gridDim.x;
  while (i < size) {
    atomicAdd(&temp[buffer[i]], 1);
    i += offset;
  }
  __syncthreads();
  atomicAdd(&histo[threadIdx.x], temp[threadIdx.x]);
}

__global__ void
vlc_encode_kernel(const unsigned int *BENCH_MAY_RESTRICT data,
                  const unsigned int *BENCH_MAY_RESTRICT gm_codewords,
                  const unsigned int *BENCH_MAY_RESTRICT gm_codewordlens,
                  unsigned int *BENCH_MAY_RESTRICT out,
                  unsigned int *BENCH_MAY_RESTRICT outidx) {
  __shared__ unsigned int codewords[Symbols];
  __shared__ unsigned int codewordlens[Symbols];
  __shared__ unsigned int as[BlockSize];
  __shared__ unsigned int kcmax;

  unsigned int kn = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned int k = threadIdx.x;
  codewords[k] = gm_codewords[k];
  codewordlens[k] = gm_codewordlens[k];
  unsigned int val32 = data[kn];
  __syncthreads();

  // The four bytes' codes in a row, the first byte's at the top.
  unsigned long long codeword = 0;
  unsigned int codewordlen = 0;
  for (int i = 0; i < 4; ++i) {
    unsigned char tmpbyte = val32 >> ((3 - i) * 8);
    codeword = codeword << codewordlens[tmpbyte] | codewords[tmpbyte];
    codewordlen += codewordlens[tmpbyte];
  }

  // The bits before each thread's, by a scan up and down a tree.
  as[k] = codewordlen;
  __syncthreads();
  unsigned int offset = 1;
  for (unsigned int d = blockDim.x >> 1; d > 0; d >>= 1) {
    __syncthreads();
    if (k < d) {
      unsigned int ai = offset * (2 * k + 1) - 1;
      unsigned int bi = offset * (2 * k + 2) - 1;
      as[bi] += as[ai];
    }
    offset *= 2;
  }
  if (k == 0)
    as[blockDim.x - 1] = 0;
  for (unsigned int d = 1; d < blockDim.x; d *= 2) {
    offset >>= 1;
    __syncthreads();
    if (k < d) {
      unsigned int ai = offset * (2 * k + 1) - 1;
      unsigned int bi = offset * (2 * k + 2) - 1;
      unsigned int t = as[ai];
      as[ai] = as[bi];
      as[bi] += t;
    }
  }
  __syncthreads();

  if (k == blockDim.x - 1) {
    outidx[blockIdx.x] = as[k] + codewordlen;
    kcmax = (as[k] + codewordlen) / 32;
  }
  unsigned int kc = as[k] / 32;
  unsigned int startbit = as[k] % 32;
  as[k] = 0;
  __syncthreads();

  // A thread's codes touch at most three words.
  unsigned int wrbits = min(codewordlen, 32 - startbit);
  unsigned int tmpcw =
      static_cast<unsigned int>(codeword >> (codewordlen - wrbits));
  atomicOr(&as[kc], tmpcw << (32 - startbit - wrbits));
  codewordlen -= wrbits;
  if (codewordlen) {
    wrbits = min(codewordlen, 32u);
    tmpcw = static_cast<unsigned int>(codeword >> (codewordlen - wrbits));
    atomicOr(&as[kc + 1], tmpcw << (32 - wrbits));
    codewordlen -= wrbits;
  }
  if (codewordlen)
    atomicOr(&as[kc + 2], static_cast<unsigned int>(codeword)
                              << (32 - codewordlen));
  __syncthreads();

  if (k <= kcmax)
    out[kn] = as[k];
}

__global__ void pack2(const unsigned int *BENCH_MAY_RESTRICT srcData,
                      const unsigned int *BENCH_MAY_RESTRICT bitCounts,
                      const unsigned int *BENCH_MAY_RESTRICT bitStarts,
                      unsigned int *BENCH_MAY_RESTRICT dstData,
                      unsigned int original_num_block_elements,
                      unsigned int num_blocks) {
  unsigned int tid = blockIdx.x * blockDim.x + threadIdx.x;
  if (tid >= num_blocks)
    return;
  const unsigned int *src = srcData + tid * original_num_block_elements;
  unsigned int dst = bitStarts[tid] / 32;
  unsigned int bit_offset = bitStarts[tid] % 32;
  unsigned int words = (bitCounts[tid] + 31) / 32;

  // The first and last word may be shared with the neighbours.
  unsigned int dword = src[0] >> bit_offset;
  atomicOr(&dstData[dst], dword);
  for (unsigned int i = 1; i < words; ++i) {
    dword = bit_offset ? src[i - 1] << (32 - bit_offset) : 0;
    dword |= src[i] >> bit_offset;
    if (i == words - 1)
      atomicOr(&dstData[dst + i], dword);
    else
      dstData[dst + i] = dword;
  }
  if (bit_offset + bitCounts[tid] > words * 32)
    atomicOr(&dstData[dst + words], src[words - 1] << (32 - bit_offset));
}

/// Four bytes, each bit of which is 1 with probability 1/4.
__host__ __device__ static unsigned int wordAt(size_t Index) {
  return bench::bitsAt(SeedBytes, Index) & bench::bitsAt(SeedMask, Index);
}

namespace bench {
__global__ void fillWords(unsigned int *Words, size_t Count) {
  size_t Step = static_cast<size_t>(gridDim.x) * blockDim.x;
  for (size_t I = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
       I < Count; I += Step)
    Words[I] = wordAt(I);
}
} // namespace bench

struct Codes {
  std::vector<unsigned int> Words, Lengths;
};

/// A Huffman code for bytes that occur Counts times. A byte that does not occur
/// counts once.
static Codes makeCodes(const std::vector<unsigned int> &Counts) {
  // Nodes from 256 on have children.
  using CountAndNode = std::pair<unsigned long, int>;
  std::priority_queue<CountAndNode, std::vector<CountAndNode>, std::greater<>>
      Queue;
  for (int I = 0; I < Symbols; ++I)
    Queue.push({std::max(Counts[I], 1u), I});
  std::vector<std::array<int, 2>> Children;
  while (Queue.size() > 1) {
    CountAndNode A = Queue.top();
    Queue.pop();
    CountAndNode B = Queue.top();
    Queue.pop();
    Queue.push(
        {A.first + B.first, Symbols + static_cast<int>(Children.size())});
    Children.push_back({A.second, B.second});
  }
  // A parent comes after its children.
  std::vector<unsigned int> Words(Symbols + Children.size());
  std::vector<unsigned int> Lengths(Symbols + Children.size());
  for (size_t I = Children.size(); I-- > 0;)
    for (int Bit = 0; Bit < 2; ++Bit) {
      Words[Children[I][Bit]] = Words[Symbols + I] * 2 + Bit;
      Lengths[Children[I][Bit]] = Lengths[Symbols + I] + 1;
    }
  Words.resize(Symbols);
  Lengths.resize(Symbols);
  return {Words, Lengths};
}

/// Whether the bits from Bit on are the codes of a block's bytes; Bit is moved
/// behind them.
static bool holdsBlock(const std::vector<unsigned int> &Packed, size_t &Bit,
                       size_t Block, const Codes &Code) {
  for (size_t I = 0; I < BlockSize * 4; ++I) {
    unsigned char Byte = wordAt(Block * BlockSize + I / 4) >> ((3 - I % 4) * 8);
    for (unsigned int Left = Code.Lengths[Byte]; Left-- > 0; ++Bit)
      if (Bit / 32 >= Packed.size() || (Packed[Bit / 32] >> (31 - Bit % 32) &
                                        1) != (Code.Words[Byte] >> Left & 1))
        return false;
  }
  return true;
}

int main(int ArgC, char **ArgV) {
  int Words = bench::numberOption(ArgC, ArgV, "words", DefaultWords);
  if (Words < BlockSize || Words % BlockSize) {
    std::fprintf(stderr, "--words= needs a multiple of %d\n", BlockSize);
    return 2;
  }
  unsigned int Blocks = Words / BlockSize;
  bench::DeviceArray<unsigned int> Data(Words), Counts(Symbols);
  bench::fillWords<<<2048, 256>>>(Data, Words);
  CUDA_CHECK(cudaGetLastError());

  histo_kernel<<<HistogramBlocks, Symbols>>>(
      reinterpret_cast<const unsigned char *>(
          static_cast<unsigned int *>(Data)),
      4L * Words, Counts);
  CUDA_CHECK(cudaGetLastError());

  std::vector<unsigned int> HostCounts = Counts.toHost();
  Codes Code = makeCodes(HostCounts);
  bench::DeviceArray<unsigned int> CodeWords(Code.Words);
  bench::DeviceArray<unsigned int> CodeLengths(Code.Lengths);
  bench::DeviceArray<unsigned int> Encoded(Words), BitCounts(Blocks);
  vlc_encode_kernel<<<Blocks, BlockSize>>>(Data, CodeWords, CodeLengths,
                                           Encoded, BitCounts);
  CUDA_CHECK(cudaGetLastError());

  std::vector<unsigned int> HostBitCounts = BitCounts.toHost();
  std::vector<unsigned int> HostBitStarts(Blocks);
  for (unsigned int I = 1; I < Blocks; ++I)
    HostBitStarts[I] = HostBitStarts[I - 1] + HostBitCounts[I - 1];
  bench::DeviceArray<unsigned int> BitStarts(HostBitStarts), Packed(Words);
  pack2<<<(Blocks + PackBlockSize - 1) / PackBlockSize, PackBlockSize>>>(
      Encoded, BitCounts, BitStarts, Packed, BlockSize, Blocks);
  CUDA_CHECK(cudaGetLastError());

  bench::Program Program("huffman");
  std::vector<unsigned int> Expected(Symbols);
  for (int I = 0; I < Words; ++I)
    for (unsigned int Word = wordAt(I), Byte = 0; Byte < 4; ++Byte)
      ++Expected[Word >> (Byte * 8) & 255];
  Program.check("histogram", HostCounts == Expected);

  std::vector<unsigned int> HostPacked = Packed.toHost();
  bool Right = true;
  for (size_t Sample = 0; Right && Sample < 64; ++Sample) {
    size_t Block = Sample == 0 ? Blocks - 1 : Sample * 1000003 % Blocks;
    size_t Bit = HostBitStarts[Block];
    Right = holdsBlock(HostPacked, Bit, Block, Code) &&
            Bit == size_t(HostBitStarts[Block]) + HostBitCounts[Block];
  }
  Program.check("packed codes", Right);
  return Program.verdict();
}
