// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The channels' memory order holds, and each part of it is needed: where one is
// left out of the header, --check=order finds it in the programs of run.cu.
//
// RUN: %sluice emulate %source/test/Channel/run.cu -I%build/include --sluice-transforms=off --cuda-gpu-arch=sm_90 --check=order -o %t | FileCheck %s
// RUN: %sluice emulate %t --check=order --schedule-seed=11 | FileCheck %s
// RUN: %sluice emulate %source/test/Channel/run.cu -I%build/include --sluice-transforms=off --cuda-gpu-arch=sm_70 --check=order | FileCheck %s
// CHECK: PASS
//
// DEFINE: %{part} =
// DEFINE: %{without} =
// DEFINE: %{planted} = rm -rf %t.d && mkdir -p %t.d/sluice && cp %build/include/sluice/*.h %t.d/sluice && sed -i '%{without}' %t.d/sluice/%{part}.h && not diff -q %t.d/sluice/%{part}.h %build/include/sluice/%{part}.h && not %sluice emulate %source/test/Channel/run.cu -I%t.d --sluice-transforms=off --cuda-gpu-arch=sm_90 --check=order --fail-fast --instruction-limit=100000000 2>&1 | FileCheck %s --check-prefix=FOUND
//
// The stores and loads of packed words, those of flags, and additions to them.
// REDEFINE: %{part} = channelparts
// REDEFINE: %{without} = s/st.release.cta.shared.b64/st.relaxed.cta.shared.b64/
// RUN: %{planted}
// REDEFINE: %{without} = s/ld.acquire.cta.shared.b64/ld.relaxed.cta.shared.b64/
// RUN: %{planted}
// REDEFINE: %{without} = s/st.release.cta.shared.b32/st.relaxed.cta.shared.b32/
// RUN: %{planted}
// REDEFINE: %{without} = s/ld.acquire.cta.shared.b32/ld.relaxed.cta.shared.b32/
// RUN: %{planted}
// REDEFINE: %{without} = s/red.release.cta.shared.add.u32/red.relaxed.cta.shared.add.u32/
// RUN: %{planted}
// The arrival at an mbarrier.
// REDEFINE: %{without} = s/mbarrier.arrive.shared.b64 State/mbarrier.arrive.relaxed.cta.shared::cta.b64 State/
// RUN: %{planted}
// The wait at a named barrier becomes an arrival at one: then nobody waits.
// REDEFINE: %{without} = s/bar.sync %0, 64/bar.arrive %0, 64/
// RUN: %{planted}
// A warp's meeting before its values are released, and before it has taken them.
// REDEFINE: %{part} = channel
// REDEFINE: %{without} = s/if constexpr (FromLanes \&\& !IsValueOnly \&\& !IsNamed)/if constexpr (false)/
// RUN: %{planted}
// REDEFINE: %{without} = s/if constexpr (ToLanes \&\& !IsNamed \&\& !(EachLane/if constexpr (false \&\& !(EachLane/
// RUN: %{planted}
// FOUND: error: unordered {{read|write}} {{of|to}} shared memory
