// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Other caches than the L1: of the L2 by one load with a policy that the warp
// chooses; of read-only data only where nothing writes them, which becomes
// `nc`. The fault unproven-nc leaves that proof out.
//
// RUN: %sluice-cc %s -fplugin-arg-sluice-bypass=2 -fplugin-arg-sluice-bypass-of=l2 | FileCheck %s --check-prefix=WARPS
// RUN: %sluice-cc %s -fplugin-arg-sluice-bypass=0 -fplugin-arg-sluice-bypass-of=l2 | FileCheck %s --check-prefix=FIRST
// RUN: %sluice-cc %s -fplugin-arg-sluice-bypass=2 -fplugin-arg-sluice-bypass-of=read-only | FileCheck %s --check-prefix=READ-ONLY
// RUN: %sluice-cc %s -fplugin-arg-sluice-bypass=2 -fplugin-arg-sluice-bypass-of=read-only -fplugin-arg-sluice-test-wrong-rewrite=unproven-nc | FileCheck %s --check-prefix=UNPROVEN
//
// WARPS: .entry _Z4copyPKfPf(
// WARPS: setp.lt.u32 {{.*}}first, thread, 64;
// WARPS: createpolicy.fractional.L2::evict_normal.b64 {{.*}}stays, 1.0;
// WARPS: createpolicy.fractional.L2::evict_first.b64 {{.*}}leaves, 1.0;
// WARPS: selp.b64 {{.*}}[[POLICY:%rd[0-9]+]], stays, leaves, first;
// WARPS-NOT: @
// WARPS: ld.global.L2::cache_hint.b32 {{.*}}, [[POLICY]];
//
// FIRST: .entry _Z4copyPKfPf(
// FIRST-NOT: selp
// FIRST: createpolicy.fractional.L2::evict_first.b64 {{.*}}[[POLICY:%rd[0-9]+]], 1.0;
// FIRST: ld.global.L2::cache_hint.b32 {{.*}}, [[POLICY]];
//
// READ-ONLY: .entry _Z4copyPKfPf(
// READ-ONLY-NOT: .nc
// READ-ONLY: .entry _Z9copyKnownPKfPf(
// READ-ONLY: @[[BELOW:%p[0-9]+]] ld.global.nc.b32 {{.*}}[[VALUE:%r[0-9]+]], [[AT:\[.*\]]];
// READ-ONLY-NEXT: @![[BELOW]] ld.global.cg.b32 {{.*}}[[VALUE]], [[AT]];
//
// UNPROVEN: .entry _Z4copyPKfPf(
// UNPROVEN: ld.global.nc

__global__ void copy(const float *x, float *y) {
  y[threadIdx.x] = x[threadIdx.x];
}

__global__ void copyKnown(const float *__restrict__ x, float *__restrict__ y) {
  y[threadIdx.x] = x[threadIdx.x];
}
