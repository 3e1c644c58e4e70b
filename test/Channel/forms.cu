// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the channels of <sluice/channel.h> become, with and without mbarriers.
//
// RUN: %plain-cc %s -I%build/include --no-cuda-gpu-arch=sm_90 --cuda-gpu-arch=sm_70 -Wall -Werror | FileCheck %s --check-prefixes=CHECK,SM70
// RUN: %plain-cc %s -I%build/include --no-cuda-gpu-arch=sm_90 --cuda-gpu-arch=sm_80 -Wall -Werror | FileCheck %s --check-prefixes=CHECK,SM80
// RUN: %plain-cc %s -I%build/include -Wall -Werror | FileCheck %s --check-prefixes=CHECK,SM90

#include <sluice/channel.h>

using namespace sluice;

// A value and its tag are one word. It is neither filled for a second time nor
// waited for before it is filled first.
// CHECK-LABEL: .entry single(
// CHECK-NOT: .local
// CHECK: st.release.cta.shared.b64
// CHECK-NOT: ld.acquire
// CHECK: ret;
extern "C" __global__ void single() {
  __shared__ Channel<int> one;
  openChannels(one);
  if (threadIdx.x == 0)
    one.producer().put(7);
}

// CHECK-LABEL: .entry reader(
// CHECK: ld.acquire.cta.shared.b64
// CHECK-NOT: st.release
// CHECK: ret;
extern "C" __global__ void reader(int *out) {
  __shared__ Channel<int> one;
  openChannels(one);
  out[threadIdx.x] = one.consumer().read();
}

// CHECK-LABEL: .entry valueOnly(
// CHECK-NOT: {{acquire|release|fence|membar}}
// CHECK-DAG: st.relaxed.cta.shared.b64
// CHECK-DAG: ld.relaxed.cta.shared.b64
// CHECK-NOT: {{acquire|release|fence|membar}}
// CHECK: ret;
extern "C" __global__ void valueOnly(int *out) {
  __shared__ Channel<int, ValueOnly> chain[96];
  openChannels(chain);
  int t = threadIdx.x, v = t;
  if (t >= 32)
    v += chain[t - 32].consumer().get();
  chain[t].producer().put(v);
  out[t] = v;
}

// Three consumers add to the tag.
// CHECK-LABEL: .entry shared(
// CHECK: red.release.cta.shared.add.u64
extern "C" __global__ void shared(int *out) {
  __shared__ Channel<int, Consumers<3>> one;
  openChannels(one);
  if (threadIdx.x == 0)
    one.producer().put(5);
  else
    out[threadIdx.x] = one.consumer().get();
}

// One flag for a warp's values: one lane's, behind a meeting of all.
// CHECK-LABEL: .entry oneFlag(
// CHECK: bar.warp.sync
// CHECK: st.release.cta.shared.b32
// CHECK: ret;
extern "C" __global__ void oneFlag(const float *in) {
  __shared__ Channel<float, FromWarp, ToWarp, OneFlag> one;
  openChannels(one);
  one.producer().put(in[threadIdx.x]);
}

// CHECK-LABEL: .entry byBarrier(
// SM70-DAG: red.release.cta.shared.add.u32
// SM70-DAG: ld.acquire.cta.shared.b32
// SM70-DAG: nanosleep
// SM80-DAG: mbarrier.init.shared.b64
// SM80-DAG: mbarrier.arrive.shared.b64
// SM80-DAG: mbarrier.test_wait.parity.shared.b64
// SM80-DAG: nanosleep
// SM90-DAG: mbarrier.init.shared.b64
// SM90-DAG: mbarrier.arrive.shared.b64
// SM90-DAG: mbarrier.try_wait.parity.shared.b64 P, [%r{{[0-9]+}}], %r{{[0-9]+}}, 100;
// SM70-NOT: mbarrier
// SM80-NOT: try_wait
// SM90-NOT: nanosleep
// CHECK: .entry last(
extern "C" __global__ void byBarrier(double *out) {
  __shared__ Channel<double, ByBarrier, Naps<100>> one;
  openChannels(one);
  if (threadIdx.x == 0)
    one.producer().put(out[0]);
  else
    out[1] = one.consumer().get();
}

extern "C" __global__ void last() {}
