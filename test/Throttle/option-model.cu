// l1-kib=, sms= and launch= change what the plan is made for. As it stands, the
// file does not throttle `here`: the launch of 264 blocks is two for each of 132
// SMs.
//
// RUN: %plain-cc %s -o %t.plain.ptx
// RUN: %throttle-cc %s %remarks -o %t.ptx 2>&1 | FileCheck %s --check-prefix=AS-IS
// RUN: python3 %S/Inputs/barriers.py %t.ptx %t.plain.ptx 4here:same 9elsewhere:1
// RUN: %same-results %s %t -fplugin-arg-sluice-promote=off -fplugin-arg-sluice-l1-kib=64
//
// RUN: %throttle-cc %s %remarks -fplugin-arg-sluice-l1-kib=64 -o %t.l1.ptx 2>&1 | FileCheck %s --check-prefix=SMALL-L1
// RUN: python3 %S/Inputs/barriers.py %t.l1.ptx %t.plain.ptx 4here:1 9elsewhere:1
//
// RUN: %throttle-cc %s %remarks -fplugin-arg-sluice-sms=33 -o %t.sms.ptx 2>&1 | FileCheck %s --check-prefix=FEW-SMS
// RUN: python3 %S/Inputs/barriers.py %t.sms.ptx %t.plain.ptx 4here:1 9elsewhere:1
//
// RUN: %throttle-cc %s %remarks -fplugin-arg-sluice-launch=elsewhere:1056:256 -o %t.launch.ptx 2>&1 | FileCheck %s --check-prefix=LAUNCH
// RUN: python3 %S/Inputs/barriers.py %t.launch.ptx %t.plain.ptx 4here:same 9elsewhere:1
//
// A given launch stands for the file's own.
// RUN: %throttle-cc %s %remarks -fplugin-arg-sluice-launch=_Z4herePKfS0_Pf:1056x1:256x1x1 -o %t.own.ptx 2>&1 | FileCheck %s --check-prefix=OWN
// RUN: python3 %S/Inputs/barriers.py %t.own.ptx %t.plain.ptx 4here:1 9elsewhere:1
//
// RUN: %throttle-cc %s -fplugin-arg-sluice-launch=nowhere:1056:256 2>&1 | FileCheck %s --check-prefix=NOWHERE
// NOWHERE: warning: {{.*}}launch=nowhere:{{.*}}no kernel of that name in this file

__global__ void here(const float *A, const float *B, float *sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // AS-IS: [[@LINE+4]]:3: remark: loop of 'here' not throttled: {{.*}} fits the L1
  // SMALL-L1: [[@LINE+3]]:3: remark: loop of 'here' throttled, N=4: {{.*}} is beyond the L1 of 65536 B
  // FEW-SMS: [[@LINE+2]]:3: remark: loop of 'here' throttled, N=4: {{.*}} (8 blocks of
  // OWN: [[@LINE+1]]:3: remark: loop of 'here' throttled, N=4:
  for (int j = 0; j < 512; ++j)
    sums[i] += A[i * 512 + j] * B[i * 512 + j];
}

__global__ void elsewhere(const float *A, const float *B, float *sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // AS-IS: [[@LINE+4]]:3: remark: loop of 'elsewhere' throttled, N by launch ({{.*}} 256 threads: N=2 from 397 blocks, N=4 from 793 blocks; {{.*}} is beyond the L1 of 253952 B
  // SMALL-L1: [[@LINE+3]]:3: remark: loop of 'elsewhere' throttled, N by launch ({{.*}} is beyond the L1 of 65536 B
  // FEW-SMS: [[@LINE+2]]:3: remark: loop of 'elsewhere' throttled, N by launch ({{.*}} 256 threads: N=2 from 100 blocks, N=4 from 199 blocks; {{.*}}
  // LAUNCH: [[@LINE+1]]:3: remark: loop of 'elsewhere' throttled, N=4:
  for (int j = 0; j < 512; ++j)
    sums[i] += A[i * 512 + j] * B[i * 512 + j];
}

void run(const float *A, const float *B, float *sums) {
  here<<<264, 256>>>(A, B, sums);
}
