// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every form of channel hands over what was put, in order, in any schedule of
// warps, with and without mbarriers.
//
// RUN: %sluice emulate %s -I%build/include --sluice-transforms=off --cuda-gpu-arch=sm_90 --fail-fast --check=memory,races -o %t | FileCheck %s
// RUN: %sluice emulate %t --fail-fast --check=memory,races --schedule-seed=5 | FileCheck %s
// RUN: %sluice emulate %s -I%build/include --sluice-transforms=off --cuda-gpu-arch=sm_80 --fail-fast --check=memory,races | FileCheck %s
// RUN: %sluice emulate %s -I%build/include --sluice-transforms=off --cuda-gpu-arch=sm_70 --fail-fast --check=memory,races | FileCheck %s
// CHECK: PASS
//
// The test can fail: a producer that does not wait until its slot is empty, and
// a consumer that takes any tag for full.
// RUN: rm -rf %t.eager %t.any; mkdir -p %t.eager/sluice %t.any/sluice; cp %build/include/sluice/*.h %t.eager/sluice; cp %build/include/sluice/*.h %t.any/sluice
// RUN: sed 's/if (this->Tag != 0)/if (false)/' %build/include/sluice/channel.h > %t.eager/sluice/channel.h
// RUN: sed 's/return unsigned(Word >> 32) - (Tag + 1) < Takers/return Word != 0/' %build/include/sluice/channelparts.h > %t.any/sluice/channelparts.h
// RUN: not %sluice emulate %s -I%t.eager --sluice-transforms=off --cuda-gpu-arch=sm_90 --instruction-limit=100000000
// RUN: not %sluice emulate %s -I%t.any --sluice-transforms=off --cuda-gpu-arch=sm_90 --instruction-limit=100000000

#include "../Emulator/Programs/Inputs/check.h"
#include <sluice/channel.h>

using namespace sluice;

// Listing 7.10: each warp adds to what the one before has.
template <typename... Options> __global__ void chain(int *out) {
  __shared__ Channel<int, Options...> all[512];
  openChannels(all);
  int t = threadIdx.x, v = t;
  if (t >= 32)
    v += all[t - 32].consumer().get();
  all[t].producer().put(v);
  out[t] = v;
}

// A thread to a thread, many values.
template <typename T, typename... Options>
__global__ void stream(T *out, int n) {
  __shared__ Channel<T, Options...> one;
  openChannels(one);
  if (threadIdx.x == 3) {
    auto end = one.producer();
    for (int i = 0; i < n; ++i)
      end.put(T(3 * i));
  } else if (threadIdx.x == 40) {
    auto end = one.consumer();
    for (int i = 0; i < n; ++i)
      out[i] = end.get();
  }
}

// A warp to a warp.
template <typename T, typename... Options>
__global__ void warps(T *out, int n) {
  __shared__ Channel<T, FromWarp, ToWarp, Options...> one;
  openChannels(one);
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  if (warp == 0) {
    auto end = one.producer();
    for (int i = 0; i < n; ++i)
      end.put(T(100 * i + lane));
  } else {
    auto end = one.consumer();
    for (int i = 0; i < n; ++i)
      out[((warp - 1) * n + i) * 32 + lane] = end.get();
  }
}

// By named barriers 3 and 4.
template <typename T> __global__ void named(T *out, int n) {
  __shared__ Channel<T, FromWarp, ToWarp, ByNamedBarriers> one;
  openChannels(one);
  int lane = threadIdx.x % 32;
  if (threadIdx.x < 32) {
    auto end = one.producer(3);
    for (int i = 0; i < n; ++i)
      end.put(T(100 * i + lane));
  } else {
    auto end = one.consumer(3);
    for (int i = 0; i < n; ++i)
      out[i * 32 + lane] = end.get();
  }
}

// What was written before a value was put is there when it was got, and the
// other way round: the buffer has one place.
template <typename... Options> __global__ void guarded(int *out, int n) {
  __shared__ Channel<int, Options...> one;
  __shared__ int buffer[32];
  openChannels(one);
  if (threadIdx.x == 0) {
    auto end = one.producer();
    for (int i = 0; i < n; ++i) {
      end.reserve();
      for (int k = 0; k < 32; ++k)
        buffer[k] = i + k;
      end.putReserved(i);
    }
  } else if (threadIdx.x == 32) {
    auto end = one.consumer();
    for (int i = 0; i < n; ++i) {
      int sum = end.read();
      for (int k = 0; k < 32; ++k)
        sum += buffer[k];
      end.take();
      out[i] = sum;
    }
  }
}

// Three threads of three warps get each value, shared or private.
template <typename ChannelT> __device__ void fanOut(ChannelT &one, int *out, int n);
template <typename... Options>
__device__ void fanOut(Channel<int, Options...> &one, int *out, int n) {
  auto end = one.consumer();
  for (int i = 0; i < n; ++i)
    out[(threadIdx.x / 32 - 1) * n + i] = end.get();
}
template <typename... Options>
__device__ void fanOut(PrivateChannels<int, 3, Options...> &one, int *out, int n) {
  auto end = one.consumer(threadIdx.x / 32 - 1);
  for (int i = 0; i < n; ++i)
    out[(threadIdx.x / 32 - 1) * n + i] = end.get();
}
template <typename ChannelT> __global__ void three(int *out, int n) {
  __shared__ ChannelT one;
  openChannels(one);
  if (threadIdx.x == 0) {
    auto end = one.producer();
    for (int i = 0; i < n; ++i)
      end.put(i * i);
  } else if (threadIdx.x % 32 == 0) {
    fanOut(one, out, n);
  }
}

// Read by all and taken by none.
__global__ void token(int *out) {
  __shared__ Channel<int> one;
  openChannels(one);
  if (threadIdx.x == 77)
    one.producer().put(11);
  out[threadIdx.x] = one.consumer().read();
}

// Within a warp.
__global__ void lanes(int *out) {
  __shared__ Channel<int> all[32];
  openChannels(all);
  int t = threadIdx.x;
  if (t == 0) {
    all[0].producer().put(out[0] = 1);
  } else
    all[t - 1].consumer().getThen([&](int v) {
      out[t] = v + t;
      all[t].producer().put(v + t);
    });
}

// Between a thread and a warp.
template <typename... Options> __global__ void gather(int *out, int n) {
  __shared__ Channel<int, FromWarp, Options...> up;
  __shared__ Channel<int, ToWarp, Options...> down;
  openChannels(up, down);
  if (threadIdx.x < 32) {
    auto put = up.producer();
    auto get = down.consumer();
    for (int i = 0; i < n; ++i) {
      put.put(i + threadIdx.x);
      out[i * 32 + threadIdx.x] = get.get() + threadIdx.x;
    }
  } else if (threadIdx.x == 50) {
    auto get = up.consumer();
    auto put = down.producer();
    for (int i = 0; i < n; ++i) {
      int sum = 0;
      for (int v : get.readAll())
        sum += v;
      get.take();
      put.put(sum);
    }
  }
}

// The same memory twice, with a life each.
__global__ void twice(int *out) {
  alignas(16) __shared__ char memory[sizeof(Channel<long, ByBarrier>)];
  auto &first = *reinterpret_cast<Channel<long, ByBarrier> *>(memory);
  auto &second = *reinterpret_cast<Channel<int> *>(memory);
  openChannels(first);
  if (threadIdx.x == 0)
    first.producer().put(5);
  long a = threadIdx.x == 32 ? first.consumer().get() : 0;
  __syncthreads();
  if (threadIdx.x == 0)
    first.close();
  __syncthreads();
  openChannels(second);
  if (threadIdx.x == 0)
    second.producer().put(6);
  if (threadIdx.x == 32)
    out[0] = a * 10 + second.consumer().get();
}

template <typename T, typename KernelT>
void run(const char *what, KernelT kernel, int threads, int n, int values, long (*expected)(int i, int n)) {
  Buffer<T> out(values);
  kernel<<<1, threads>>>(out, n);
  out.check(what, [&](size_t i) { return T(expected(int(i), n)); });
}

int main() {
  auto chained = [](int i, int) -> long { return (i / 32 + 1) * (i % 32) + i / 32 * (i / 32 + 1) * 16; };
  Buffer<int> a(512), b(512), c(512), d(512);
  chain<<<1, 512>>>(a);
  chain<ValueOnly><<<1, 512>>>(b);
  chain<ByBarrier><<<1, 512>>>(c);
  chain<Slots<3>, Naps<20>><<<1, 512>>>(d);
  for (Buffer<int> *each : {&a, &b, &c, &d})
    each->check("chain", [&](size_t i) { return int(chained(int(i), 0)); });

  auto triple = [](int i, int) -> long { return 3 * i; };
  run<int>("stream", stream<int>, 64, 50, 50, triple);
  run<int>("stream of values only", stream<int, ValueOnly>, 64, 50, 50, triple);
  run<int>("ring", stream<int, Slots<5>>, 64, 52, 52, triple);
  run<short>("ring of shorts", stream<short, Slots<2>, Naps<10>>, 64, 52, 52, triple);
  run<double>("doubles", stream<double>, 64, 50, 50, triple);
  run<double>("ring of doubles", stream<double, Slots<3>>, 64, 50, 50, triple);
  run<double>("doubles by barriers", stream<double, Slots<3>, ByBarrier>, 64, 50, 50, triple);
  run<int>("by a barrier", stream<int, ByBarrier, Naps<100>>, 64, 50, 50, triple);

  auto wide = [](int i, int n) -> long { return i / 32 % n * 100 + i % 32; };
  run<int>("warps", warps<int>, 64, 9, 9 * 32, wide);
  run<int>("warps, values only", warps<int, ValueOnly, Slots<2>>, 64, 9, 9 * 32, wide);
  run<int>("one flag", warps<int, OneFlag>, 64, 9, 9 * 32, wide);
  run<double>("doubles of warps", warps<double, Slots<4>>, 64, 9, 9 * 32, wide);
  run<double>("warps by barriers", warps<double, Slots<2>, ByBarrier>, 64, 9, 9 * 32, wide);
  run<int>("by named barriers", named<int>, 64, 9, 9 * 32, wide);
  run<double>("doubles by named barriers", named<double>, 64, 9, 9 * 32, wide);
  run<int>("three warps", warps<int, Consumers<3>>, 128, 9, 3 * 9 * 32, wide);
  run<int>("three warps, one flag", warps<int, Consumers<3>, OneFlag>, 128, 9, 3 * 9 * 32, wide);
  run<int>("three warps by barriers", warps<int, Consumers<3>, ByBarrier, Slots<2>>, 128, 9, 3 * 9 * 32, wide);

  auto sum = [](int i, int) -> long { return i + 32 * i + 31 * 16; };
  run<int>("guarded", guarded<>, 64, 20, 20, sum);
  run<int>("guarded by a barrier", guarded<ByBarrier>, 64, 20, 20, sum);

  auto square = [](int i, int n) -> long { return (i % n) * (i % n); };
  run<int>("shared", three<Channel<int, Consumers<3>>>, 128, 10, 30, square);
  run<int>("shared ring", three<Channel<int, Consumers<3>, Slots<4>>>, 128, 10, 30, square);
  run<int>("shared, by barriers", three<Channel<int, Consumers<3>, Slots<2>, ByBarrier>>, 128, 10, 30, square);
  run<int>("shared, values only", three<Channel<int, Consumers<3>, ValueOnly>>, 128, 10, 30, square);
  run<int>("private", three<PrivateChannels<int, 3>>, 128, 10, 30, square);
  run<int>("private rings", three<PrivateChannels<int, 3, Slots<2>>>, 128, 10, 30, square);

  auto sums = [](int i, int) -> long { return i / 32 * 32 + 31 * 16 + i % 32; };
  run<int>("thread and warp", gather<>, 64, 6, 6 * 32, sums);
  run<int>("thread and warp by barriers", gather<ByBarrier, Slots<2>>, 64, 6, 6 * 32, sums);

  Buffer<int> e(96), f(32), g(1);
  token<<<1, 96>>>(e);
  lanes<<<1, 32>>>(f);
  twice<<<1, 64>>>(g);
  e.check("token", [](size_t) { return 11; });
  f.check("lanes", [](size_t i) { return int(1 + i * (i + 1) / 2); });
  g.check("twice", [](size_t) { return 56; });
  return finish();
}
