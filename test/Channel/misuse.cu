// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a channel cannot be is said when it is compiled.
//
// RUN: not %plain-cc -fsyntax-only -ferror-limit=0 %s -I%build/include 2>&1 | FileCheck %s
// RUN: not %plain-cc -fsyntax-only -ferror-limit=0 %s -I%build/include -std=c++14 2>&1 | FileCheck %s --check-prefix=OLD
// OLD: the headers of sluice for CUDA need C++17

#include <sluice/channel.h>

using namespace sluice;

struct Copied {
  int *p;
  __device__ Copied(const Copied &o) : p(o.p) {}
};
struct Constructed {
  int i;
  __device__ Constructed() : i(1) {}
};
struct Wide {
  alignas(256) int i;
};
struct Large {
  float f[1024];
};

// CHECK: error: {{.*}}behind the type stand options such as sluice::Slots<4>
template class sluice::Channel<int, float>;
// CHECK: error: {{.*}}T is no reference and not const
template class sluice::Channel<const int>;
// CHECK: error: {{.*}}T must be trivially copyable
template class sluice::Channel<Copied>;
// CHECK: error: {{.*}}shared memory runs no constructors
template class sluice::Channel<Constructed>;
// CHECK: error: {{.*}}shared memory is aligned to 128 bytes
template class sluice::Channel<Wide>;
// CHECK: error: {{.*}}a channel has a slot at least
template class sluice::Channel<int, Slots<0>>;
// CHECK: error: {{.*}}a channel has 1 to 1024 consumers
template class sluice::Channel<int, Consumers<1025>>;
// CHECK: error: {{.*}}a block has no more than 32 warps
template class sluice::Channel<int, ToWarp, Consumers<33>>;
// CHECK: error: {{.*}}the longest sleep is a millisecond
template class sluice::Channel<int, Naps<2000000>>;
// CHECK: error: {{.*}}OneFlag is for values of a warp: add FromWarp
template class sluice::Channel<int, OneFlag>;
// CHECK: error: {{.*}}ValueOnly needs a value of at most 4 bytes
template class sluice::Channel<double, ValueOnly>;
// CHECK: error: {{.*}}ByNamedBarriers is from one warp to one warp
template class sluice::Channel<int, ByNamedBarriers, FromWarp>;
// CHECK: error: {{.*}}a block has no more than 227 KiB of shared memory
template class sluice::Channel<Large, FromWarp, Slots<2>>;
// CHECK: error: {{.*}}each of the private channels has one consumer
template class sluice::PrivateChannels<int, 2, Consumers<2>>;

__global__ void kernel(int *out) {
  __shared__ Channel<int, FromWarp> one;
  __shared__ Channel<int, ToWarp> other;
  __shared__ Channel<int> plain;
  // CHECK-DAG: error: {{.*}}a thread gets a warp's values by readAll()
  out[0] = one.consumer().read();
  // CHECK-DAG: error: {{.*}}readAll() is for threads that get from a warp
  out[1] = plain.consumer().readAll()[0];
  // CHECK-DAG: error: {{.*}}getThen() is for single threads
  other.consumer().getThen([](int) {});
  __shared__ Channel<int, FromWarp, ToWarp, ByNamedBarriers> named;
  // CHECK-DAG: error: {{.*}}say which barrier: producer(N), N from 1 to 15
  named.producer().put(1);
  // CHECK-DAG: error: {{.*}}only a channel ByNamedBarriers has a number
  plain.consumer(1).get();
  auto end = plain.producer();
  // CHECK-DAG: error: call to implicitly-deleted copy constructor of 'Producer'
  auto copy = end;
}
