// Threads that walk over chunks of their own: how much of the L1 they need is
// known only if it is known how far apart the chunks are, or the kernel can test
// it. What all threads add to their addresses does not matter.
//
// RUN: %throttle-cc %s %remarks -o %t.ptx 2>&1 | FileCheck %s
// RUN: %plain-cc %s -o %t.plain.ptx
// RUN: python3 %S/Inputs/barriers.py %t.ptx %t.plain.ptx constantFires:1 offsetFires:1 uniformFires:1 argumentFires:1 runTimeFires:1 parserStays:same wordStays:same smallStays:same
// RUN: %same-results %s %t -fplugin-arg-sluice-promote=off skip=uniform,parser,word

using size = unsigned long;

__device__ size threadNumber() { return blockIdx.x * blockDim.x + threadIdx.x; }

__global__ void constantFires(const char *text, char *upper) {
  const char *from = text + threadNumber() * 1024;
  char *to = upper + threadNumber() * 1024;
  // CHECK-DAG: [[@LINE+1]]:3: remark: loop of 'constantFires' throttled, N=4: footprint 524288 B (8 blocks of 512 lines)
  for (int i = 0; i < 1024; ++i)
    to[i] = from[i] & 0xdf;
}

__global__ void offsetFires(const char *text, char *upper, int first) {
  const char *from = text + first + threadNumber() * 1024;
  char *to = upper + first * 3 + threadNumber() * 1024;
  // CHECK-DAG: [[@LINE+1]]:3: remark: loop of 'offsetFires' throttled, N=4: footprint 524288 B (8 blocks of 512 lines)
  for (int i = 0; i < 1024; ++i)
    to[i] = from[i] & 0xdf;
}

// Where each block begins is read from memory, but the same for the block.
__global__ void uniformFires(const char *text, char *upper, const int *begins) {
  const char *from = text + begins[blockIdx.x] + threadIdx.x * 1024;
  char *to = upper + threadNumber() * 1024;
  // CHECK-DAG: [[@LINE+1]]:3: remark: loop of 'uniformFires' throttled, N=4: footprint 524288 B (8 blocks of 512 lines)
  for (int i = 0; i < 1024; ++i)
    to[i] = from[i] & 0xdf;
}

__global__ void argumentFires(const char *text, char *upper, int chunk) {
  const char *from = text + threadNumber() * chunk;
  char *to = upper + threadNumber() * chunk;
  // CHECK-DAG: [[@LINE+1]]:3: remark: loop of 'argumentFires' throttled, N=4: footprint 524288 B (8 blocks of 512 lines)
  for (int i = 0; i < chunk; ++i)
    to[i] = from[i] & 0xdf;
}

// Only in chunks of a line and more.
__global__ void runTimeFires(const char *text, char *upper, int chunk) {
  const char *from = text + threadNumber() * chunk;
  char *to = upper + threadNumber() * chunk;
  // CHECK-DAG: [[@LINE+1]]:3: remark: loop of 'runTimeFires' throttled, N=4 if chunk >= 128: footprint 524288 B (8 blocks of 512 lines)
  for (int i = 0; i < chunk; ++i)
    to[i] = from[i] & 0xdf;
}

// A word begins where the thread's word before it ended.
__global__ void parserStays(const char *text, unsigned *hashes) {
  int thread = threadNumber(), i = thread * 1024, end = i + 1024;
  while (i < end) {
    unsigned hash = 0;
    // CHECK-DAG: [[@LINE+1]]:5: remark: loop of 'parserStays' not throttled: the footprint is unknown: the distance between the threads of a warp is not known at compile time for the load at unknown-distance.cu:[[@LINE+1]]:12 (
    while (text[i] != ' ')
      hash = hash * 33 + text[i++];
    hashes[thread] ^= hash;
    ++i;
  }
}

// The second loop begins where the first one ended.
__global__ void wordStays(const char *text, int *sums) {
  const char *p = text + threadNumber() * 1024;
  while (*p == ' ')
    ++p;
  // CHECK-DAG: [[@LINE+1]]:3: remark: loop of 'wordStays' not throttled: the footprint is unknown: the distance between the threads of a warp is not known at compile time for the load at unknown-distance.cu:[[@LINE+2]]:29 (
  for (int i = 0; i < 512; ++i)
    sums[threadNumber()] += p[i];
}

// Not even a line for each thread would fill the L1.
__global__ void smallStays(const char *text, char *upper, int chunk) {
  const char *from = text + threadNumber() * chunk;
  char *to = upper + threadNumber() * chunk;
  // CHECK-DAG: [[@LINE+1]]:3: remark: loop of 'smallStays' not throttled: footprint of at most 65536 B (1 blocks of 512 lines) fits the L1
  for (int i = 0; i < chunk; ++i)
    to[i] = from[i] & 0xdf;
}

void run(const char *text, char *upper, unsigned *hashes, int *sums, int n) {
  constantFires<<<1056, 256>>>(text, upper);
  offsetFires<<<1056, 256>>>(text, upper, n);
  uniformFires<<<1056, 256>>>(text, upper, sums);
  argumentFires<<<1056, 256>>>(text, upper, 1024);
  runTimeFires<<<1056, 256>>>(text, upper, n);
  parserStays<<<1056, 256>>>(text, hashes);
  wordStays<<<1056, 256>>>(text, sums);
  smallStays<<<132, 256>>>(text, upper, n);
}
