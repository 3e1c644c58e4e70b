// #pragma sluice off where no statement follows compiles as it does without
// Sluice, which does not know the pragma.
//
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=4 > /dev/null

#define OFF _Pragma("sluice off")
#define LAST(x)                                                                \
  {                                                                            \
    x;                                                                         \
    OFF                                                                        \
  }
__global__ void k(float *y) {
  y[0] = 1;
  LAST(y[1] = 2)
  if (y[1] > 0)
    y[2] = 3;
#pragma sluice off
  else
    y[2] = 4;
#if 1
#pragma sluice off
#endif
}
#pragma sluice off
static_assert(true);
#pragma sluice off
