// Sums over rows whose beginnings are read from memory: how many lines a warp
// touches is in the data. gather.yaml is a profile of it.

__global__ void gather(const float *x, const int *begins, float *sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int begin = begins[i];
  for (int j = 0; j < 512; ++j)
    sums[i] += x[begin + j];
}

__global__ void elsewhere(const float *x, const int *begins, float *sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int begin = begins[i];
  for (int j = 0; j < 512; ++j)
    sums[i] += x[begin + j];
}

__global__ void unprofiled(const float *x, float *sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < 512; ++j)
    sums[i] += x[j];
}

void run(const float *x, const int *begins, float *sums) {
  gather<<<1056, 256>>>(x, begins, sums);
}
