// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts how often the customers of one merchant buy from each of the others,
// after the streaming application "MasterCard Affinity" of the S-L1 paper. Each
// thread takes the lines that begin in its own contiguous chunk of a list of
// transactions and reads their numbers digit by digit: the first kernel marks
// the cards that were used at the merchant, the second counts where else they
// were. Limited by how many cache lines the L1 keeps, and by lanes that come to
// the ends of their numbers at different times.
//
#include "common.h"

// Bytes of the text that are a thread's.
#ifndef CHUNK
#define CHUNK bench::bySize(256, 1024, 1024)
#endif

struct Transaction {
  unsigned card;
  unsigned merchant;
  unsigned day;
};

constexpr int BlockSize = 256;
constexpr int Blocks = bench::bySize(8, 1024, 132 * 2048 / BlockSize);
constexpr int Threads = Blocks * BlockSize;
constexpr int Chunk = CHUNK;
constexpr unsigned Cards = bench::bySize(1 << 13, 1 << 20, 1 << 20);
constexpr unsigned Merchants = bench::bySize(1000, 50000, 50000);
constexpr unsigned Target = 7;
constexpr unsigned Days = 365;
constexpr unsigned Since = 90;
constexpr uint32_t SeedCard = 1;
constexpr uint32_t SeedMerchant = 2;
constexpr uint32_t SeedDay = 3;
constexpr uint32_t SeedCents = 4;

namespace bench {
// The list is made in pieces of whole lines, "CARD,MERCHANT,DAY,CENTS\n". A
// piece is no multiple of a chunk, so that lines cross the chunks' ends. What
// is left of a piece are zeros before the cents of its last line.
constexpr int Piece = 1000;
constexpr int Pieces = Threads * Chunk / Piece;
constexpr int MaxLines = 128;

/// One in 64 is at the target; the others are spread evenly.
__host__ __device__ inline Transaction transactionAt(int Piece, int Line) {
  size_t Index = size_t(Piece) * MaxLines + Line;
  uint32_t Place = bitsAt(SeedMerchant, Index) >> 8;
  return {(bitsAt(SeedCard, Index) >> 8) % Cards,
          Place % 64 ? Place / 64 % Merchants : Target,
          (bitsAt(SeedDay, Index) >> 8) % Days};
}

__host__ __device__ inline int digitsOf(unsigned Number) {
  int Digits = 1;
  while (Number /= 10)
    ++Digits;
  return Digits;
}

/// Without the digits of the cents.
__host__ __device__ inline int lineBytes(const Transaction &T) {
  return digitsOf(T.card) + digitsOf(T.merchant) + digitsOf(T.day) + 4;
}

constexpr int CentsDigits = 4;
constexpr int MaxLineBytes = 7 + 5 + 3 + 4 + CentsDigits;

/// A piece's lines, one after the other.
struct PieceLines {
  int Number;
  int Line = 0;
  int Begin = 0, End = 0; ///< Of the line, in the piece.
  Transaction T;

  __host__ __device__ explicit PieceLines(int Piece) : Number(Piece) {}
  __host__ __device__ bool next() {
    if (End == Piece)
      return false;
    T = transactionAt(Number, Line++);
    Begin = End;
    End += lineBytes(T) + CentsDigits;
    if (End + MaxLineBytes > Piece)
      End = Piece;
    return true;
  }
};

/// \returns what is behind the number and the comma that ends it.
__device__ inline char *write(char *To, unsigned Number, int Digits) {
  for (int I = Digits; I-- > 0; Number /= 10)
    To[I] = static_cast<char>('0' + Number % 10);
  To[Digits] = ',';
  return To + Digits + 1;
}

__global__ void fillList(char *List) {
  int Thread = blockIdx.x * blockDim.x + threadIdx.x;
  for (int P = Thread; P < Pieces; P += gridDim.x * blockDim.x)
    for (PieceLines Lines(P); Lines.next();) {
      const Transaction &T = Lines.T;
      char *Start = List + size_t(P) * Piece;
      char *Next = write(Start + Lines.Begin, T.card, digitsOf(T.card));
      Next = write(Next, T.merchant, digitsOf(T.merchant));
      Next = write(Next, T.day, digitsOf(T.day));
      unsigned Cents = (bitsAt(SeedCents, Next - List) >> 8) % 10000;
      Next = write(Next, Cents, static_cast<int>(Start + Lines.End - 1 - Next));
      Next[-1] = '\n';
    }
}
} // namespace bench

constexpr int Length = bench::Pieces * bench::Piece;

/// Goes on behind what ends the number.
__device__ unsigned readNumber(const char *list, int &i) {
  unsigned number = 0;
  for (char c = list[i++]; c >= '0' && c <= '9'; c = list[i++])
    number = number * 10 + (c - '0');
  return number;
}

__device__ Transaction readLine(const char *list, int &i) {
  Transaction t;
  t.card = readNumber(list, i);
  t.merchant = readNumber(list, i);
  t.day = readNumber(list, i);
  while (list[i++] != '\n')
    ;
  return t;
}

/// The first line that begins in [i, end); the one that reaches into the chunk
/// is its predecessor's.
__device__ int firstLine(const char *list, int i, int end) {
  if (i > 0)
    while (i < end && list[i - 1] != '\n')
      ++i;
  return i;
}

__host__ __device__ inline bool isAtTarget(const Transaction &t) {
  return t.merchant == Target && t.day >= Since;
}

__host__ __device__ inline bool isElsewhere(const Transaction &t) {
  return t.merchant != Target && t.day >= Since;
}

/// A bit of each card.
__global__ void mark_customers(const char *BENCH_MAY_RESTRICT list,
                               unsigned *BENCH_MAY_RESTRICT customers) {
  int begin = (blockIdx.x * blockDim.x + threadIdx.x) * Chunk;
  int end = min(begin + Chunk, Length);
  int i = firstLine(list, begin, end);
  while (i < end) {
    Transaction t = readLine(list, i);
    if (isAtTarget(t))
      atomicOr(&customers[t.card / 32], 1u << t.card % 32);
  }
}

__global__ void count_visits(const char *BENCH_MAY_RESTRICT list,
                             const unsigned *BENCH_MAY_RESTRICT customers,
                             int *BENCH_MAY_RESTRICT visits) {
  int begin = (blockIdx.x * blockDim.x + threadIdx.x) * Chunk;
  int end = min(begin + Chunk, Length);
  int i = firstLine(list, begin, end);
  while (i < end) {
    Transaction t = readLine(list, i);
    if (isElsewhere(t) && customers[t.card / 32] >> t.card % 32 & 1)
      atomicAdd(&visits[t.merchant], 1);
  }
}

/// Calls Do with each transaction of the list.
template <typename DoT> static void forEachTransaction(DoT Do) {
  for (int P = 0; P < bench::Pieces; ++P)
    for (bench::PieceLines Lines(P); Lines.next();)
      Do(Lines.T);
}

static std::vector<unsigned> expectedCustomers() {
  std::vector<unsigned> Customers(Cards / 32);
  forEachTransaction([&](const Transaction &T) {
    if (isAtTarget(T))
      Customers[T.card / 32] |= 1u << T.card % 32;
  });
  return Customers;
}

static std::vector<int> expectedVisits(const std::vector<unsigned> &Customers) {
  std::vector<int> Visits(Merchants);
  forEachTransaction([&](const Transaction &T) {
    if (isElsewhere(T) && Customers[T.card / 32] >> T.card % 32 & 1)
      ++Visits[T.merchant];
  });
  return Visits;
}

int main() {
  bench::DeviceArray<char> List(Length);
  bench::DeviceArray<unsigned> Customers(Cards / 32);
  bench::DeviceArray<int> Visits(Merchants);
  bench::fillList<<<Blocks, BlockSize>>>(List);
  CUDA_CHECK(cudaGetLastError());

  mark_customers<<<Blocks, BlockSize>>>(List, Customers);
  CUDA_CHECK(cudaGetLastError());
  count_visits<<<Blocks, BlockSize>>>(List, Customers, Visits);
  CUDA_CHECK(cudaGetLastError());

  bench::Program Program("merchant_affinity");
  std::vector<unsigned> Expected = expectedCustomers();
  Program.check("customers", Customers, Expected);
  Program.check("visits", Visits, expectedVisits(Expected));
  return Program.verdict();
}
