// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which SM gets which thread block. Each block writes down its SM, how many
// blocks of the launch had begun before it, and when it began and ended. All
// blocks work equally long, in cycles.
//
//   placement  every block of a launch, for five launches
//   successor  blocks that begin when others end: does their number decide who
//              comes next, or their SM?
//
//   blocks [--only=SWEEP]
//
#include "probe.h"

using bench::DeviceArray;
using namespace probe;

struct Begun {
  uint32_t SM, Order;
  uint64_t Begin, End; // nanoseconds
};

__global__ void __launch_bounds__(256, 8)
    noteSM(Begun *Notes, uint32_t *Count, int Cycles) {
  if (threadIdx.x)
    return;
  Begun Note;
  Note.SM = smId();
  Note.Order = atomicAdd(Count, 1u);
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(Note.Begin)::"memory");
  uint32_t Start = clock32();
  while (clock32() - Start < static_cast<uint32_t>(Cycles))
    ;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(Note.End)::"memory");
  Notes[blockIdx.x] = Note;
}

namespace {

std::vector<Begun> launch(int Blocks, int Cycles) {
  DeviceArray<Begun> Notes(Blocks);
  DeviceArray<uint32_t> Count(1);
  noteSM<<<Blocks, 256>>>(Notes, Count, Cycles);
  finish();
  return Notes.toHost();
}

} // namespace

int main(int ArgC, char **ArgV) {
  int SMs = printDevice();
  launch(SMs * 8, 1000); // the first launch loads the code
  if (wanted(ArgC, ArgV, "placement")) {
    std::printf("\nplacement,launch,blocks,block,sm,order,begin_ns\n");
    int Number = 0;
    for (int Blocks : {SMs * 8, SMs * 8, SMs * 2, 32, 32}) {
      auto Notes = launch(Blocks, 100000);
      uint64_t First = ~uint64_t(0);
      for (const Begun &Note : Notes)
        First = std::min(First, Note.Begin);
      for (int B = 0; B < Blocks; ++B)
        std::printf("placement,%d,%d,%d,%u,%u,%llu\n", Number, Blocks, B,
                    Notes[B].SM, Notes[B].Order,
                    static_cast<unsigned long long>(Notes[B].Begin - First));
      ++Number;
    }
  }
  if (wanted(ArgC, ArgV, "successor")) {
    std::printf("\nsuccessor,blocks,block,sm,order,begin_ns,end_ns\n");
    int Blocks = SMs * 8 * 3;
    auto Notes = launch(Blocks, 50000);
    uint64_t First = ~uint64_t(0);
    for (const Begun &Note : Notes)
      First = std::min(First, Note.Begin);
    for (int B = 0; B < Blocks; ++B)
      std::printf("successor,%d,%d,%u,%u,%llu,%llu\n", Blocks, B, Notes[B].SM,
                  Notes[B].Order,
                  static_cast<unsigned long long>(Notes[B].Begin - First),
                  static_cast<unsigned long long>(Notes[B].End - First));
  }
}
