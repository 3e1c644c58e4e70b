// The annotated listing, the histogram and the trace of one small kernel.
//
// RUN: %sluice emulate %s --annotate=%t.txt --histogram=%t.hist --trace=%t.trace
// RUN: FileCheck %s --input-file %t.txt --check-prefix=ANNOTATE
// RUN: FileCheck %s --input-file %t.hist --check-prefix=HISTOGRAM
// RUN: FileCheck %s --input-file %t.trace --check-prefix=TRACE
//
// Two blocks of two warps; eight lanes of each block's first warp multiply.
// ANNOTATE: warp instr. lane instr. active
// ANNOTATE: {{^ +[0-9]+ +[0-9]+ +100.0%}}   int *mine =
// ANNOTATE: {{^ +8 +64 +25.0%}}     mine[threadIdx.x] *= 3;
// ANNOTATE: {{^ +4 +128 +100.0%}}   __syncthreads();
// ANNOTATE: {{^ *}}cudaMemset(
//
// HISTOGRAM: warp instr. lane instr. opcode
// HISTOGRAM-DAG: {{^ +4 +128}} llvm.nvvm.barrier.cta.sync.aligned.all
// HISTOGRAM-DAG: {{^ +2 +16}} mul
// HISTOGRAM-DAG: {{^ +6 +144}} store
//
// TRACE: launch _Z1kPi grid 2,1,1 block 64,1,1 shared 0
// TRACE: run block 0 warp 0 lanes ffffffff {{.*}}observers.cu:
// TRACE: load block 0 warp 0 lanes 000000ff {{.*}}observers.cu:{{[0-9]+}} bytes 4 g{{[0-9a-f]+}}00 g{{[0-9a-f]+}}04
// TRACE: barrier block 0
// TRACE: store block 0 warp 1 lanes ffffffff
// TRACE: barrier block 1

__global__ void k(int *data) {
  int *mine = data + blockIdx.x * 128;
  if (threadIdx.x < 8)
    mine[threadIdx.x] *= 3;
  __syncthreads();
  mine[threadIdx.x + 64] = 1;
}

int main() {
  int *data;
  cudaMalloc(&data, 256 * sizeof(int));
  cudaMemset(data, 0, 256 * sizeof(int));
  k<<<2, 64>>>(data);
  return cudaDeviceSynchronize();
}
