// #pragma sluice off where no statement follows compiles as it does without
// Sluice, which does not know the pragma.
//
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=4 > /dev/null

__global__ void k(float *y) {
  y[0] = 1;
#pragma sluice off
}
#pragma sluice off
