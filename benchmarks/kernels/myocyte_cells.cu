// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Heart muscle cells, as Rodinia's myocyte: one thread solves the differential
// equations of a cell by the Runge-Kutta-Fehlberg method, in blocks of a warp.
// The cells are C. Luo and Y. Rudy's of 1991: eight equations (the voltage, six
// gates and the calcium). All stages of a step are live at once: limited by
// registers, exponentials and divisions; nothing is read but the state.
//
#include "common.h"

constexpr int Cells = bench::bySize(64, 1024, 2 * 132 * 2048);
constexpr int Steps = bench::bySize(4, 100, 30);
constexpr int BlockSize = 32;
constexpr float TimeStep = 0.01f; // milliseconds
constexpr uint32_t Seed = 1;

enum Variable { Voltage, M, H, J, D, F, X, Calcium, Variables };

template <typename T> struct State { T value[Variables]; };

/// How fast a gate goes to where it opens and closes equally often.
template <typename T>
__host__ __device__ inline T gate(T opening, T closing, T open) {
  return opening * (1 - open) - closing * open;
}

/// The state's derivative.
template <typename T>
__host__ __device__ __forceinline__ State<T> derivative(const State<T> &s) {
  const T v = s.value[Voltage];
  State<T> result;

  // The fast sodium current.
  T openH = 0, openJ = 0, closeH, closeJ;
  if (v < -40) {
    openH = T(0.135) * exp((80 + v) / T(-6.8));
    closeH = T(3.56) * exp(T(0.079) * v) + T(3.1e5) * exp(T(0.35) * v);
    openJ = (T(-1.2714e5) * exp(T(0.2444) * v) -
             T(3.474e-5) * exp(T(-0.04391) * v)) *
            (v + T(37.78)) / (1 + exp(T(0.311) * (v + T(79.23))));
    closeJ = T(0.1212) * exp(T(-0.01052) * v) /
             (1 + exp(T(-0.1378) * (v + T(40.14))));
  } else {
    closeH = 1 / (T(0.13) * (1 + exp((v + T(10.66)) / T(-11.1))));
    closeJ = T(0.3) * exp(T(-2.535e-7) * v) / (1 + exp(T(-0.1) * (v + 32)));
  }
  T openM = T(0.32) * (v + T(47.13)) / (1 - exp(T(-0.1) * (v + T(47.13))));
  T closeM = T(0.08) * exp(v / -11);
  result.value[M] = gate(openM, closeM, s.value[M]);
  result.value[H] = gate(openH, closeH, s.value[H]);
  result.value[J] = gate(openJ, closeJ, s.value[J]);
  T current = 23 * s.value[M] * s.value[M] * s.value[M] * s.value[H] *
              s.value[J] * (v - T(54.4));

  // The slow inward current, which brings calcium.
  T openD = T(0.095) * exp(T(-0.01) * (v - 5)) / (1 + exp(T(-0.072) * (v - 5)));
  T closeD =
      T(0.07) * exp(T(-0.017) * (v + 44)) / (1 + exp(T(0.05) * (v + 44)));
  T openF =
      T(0.012) * exp(T(-0.008) * (v + 28)) / (1 + exp(T(0.15) * (v + 28)));
  T closeF =
      T(0.0065) * exp(T(-0.02) * (v + 30)) / (1 + exp(T(-0.2) * (v + 30)));
  result.value[D] = gate(openD, closeD, s.value[D]);
  result.value[F] = gate(openF, closeF, s.value[F]);
  T slow = T(0.09) * s.value[D] * s.value[F] *
           (v - (T(7.7) - T(13.0287) * log(s.value[Calcium])));
  result.value[Calcium] =
      T(-1e-4) * slow + T(0.07) * (T(1e-4) - s.value[Calcium]);
  current += slow;

  // The potassium currents: by time, without time, and on the plateau.
  T openX =
      T(0.0005) * exp(T(0.083) * (v + 50)) / (1 + exp(T(0.057) * (v + 50)));
  T closeX =
      T(0.0013) * exp(T(-0.06) * (v + 20)) / (1 + exp(T(-0.04) * (v + 20)));
  result.value[X] = gate(openX, closeX, s.value[X]);
  T inactivation = 1;
  if (v > -100)
    inactivation = T(2.837) * (exp(T(0.04) * (v + 77)) - 1) /
                   ((v + 77) * exp(T(0.04) * (v + 35)));
  current += T(0.282) * s.value[X] * inactivation * (v + 77);
  const T fromRest = v + T(87.2);
  T open1 = T(1.02) / (1 + exp(T(0.2385) * (fromRest - T(59.215))));
  T close1 = (T(0.49124) * exp(T(0.08032) * (fromRest + T(5.476))) +
              exp(T(0.06175) * (fromRest - T(594.31)))) /
             (1 + exp(T(-0.5143) * (fromRest + T(4.753))));
  current += T(0.6047) * open1 / (open1 + close1) * fromRest;
  current += T(0.0183) * fromRest / (1 + exp((T(7.488) - v) / T(5.98)));

  current += T(0.03921) * (v + T(59.87)); // the background
  result.value[Voltage] = -current;
  return result;
}

/// state + step * (the sum of the derivatives, weighted).
template <typename T, typename... Rest>
__host__ __device__ inline void
add(State<T> &state, T weight, const State<T> &slope, const Rest &...rest) {
  for (int i = 0; i < Variables; ++i)
    state.value[i] += weight * slope.value[i];
  if constexpr (sizeof...(rest) > 0)
    add(state, rest...);
}

/// A step of the method's fifth order; the largest difference to its fourth
/// order goes to error.
template <typename T>
__host__ __device__ __forceinline__ void step(State<T> &state, T h, T &error) {
  State<T> k1 = derivative(state);
  State<T> at = state;
  add(at, h / 4, k1);
  State<T> k2 = derivative(at);
  at = state;
  add(at, h * T(3.0 / 32), k1, h * T(9.0 / 32), k2);
  State<T> k3 = derivative(at);
  at = state;
  add(at, h * T(1932.0 / 2197), k1, h * T(-7200.0 / 2197), k2,
      h * T(7296.0 / 2197), k3);
  State<T> k4 = derivative(at);
  at = state;
  add(at, h * T(439.0 / 216), k1, h * -8, k2, h * T(3680.0 / 513), k3,
      h * T(-845.0 / 4104), k4);
  State<T> k5 = derivative(at);
  at = state;
  add(at, h * T(-8.0 / 27), k1, h * 2, k2, h * T(-3544.0 / 2565), k3,
      h * T(1859.0 / 4104), k4, h * T(-11.0 / 40), k5);
  State<T> k6 = derivative(at);
  add(state, h * T(16.0 / 135), k1, h * T(6656.0 / 12825), k3,
      h * T(28561.0 / 56430), k4, h * T(-9.0 / 50), k5, h * T(2.0 / 55), k6);
  for (int i = 0; i < Variables; ++i) {
    T difference = T(1.0 / 360) * k1.value[i] - T(128.0 / 4275) * k3.value[i] -
                   T(2197.0 / 75240) * k4.value[i] + k5.value[i] / 50 +
                   T(2.0 / 55) * k6.value[i];
    error = fmax(error, fabs(h * difference));
  }
}

/// states[variable * cells + cell].
__global__ void myocyte_cells(float *BENCH_MAY_RESTRICT states,
                              float *BENCH_MAY_RESTRICT errors, int cells,
                              int steps, float timeStep) {
  int cell = blockIdx.x * blockDim.x + threadIdx.x;
  if (cell >= cells)
    return;
  State<float> state;
  for (int i = 0; i < Variables; ++i)
    state.value[i] = states[i * cells + cell];
  float error = 0;
  for (int i = 0; i < steps; ++i)
    step(state, timeStep, error);
  for (int i = 0; i < Variables; ++i)
    states[i * cells + cell] = state.value[i];
  errors[cell] = error;
}

namespace bench {
/// Cells at rest, and some that are on their way up or down.
__host__ __device__ inline float initialAt(int Variable, size_t Cell) {
  float Value = valueAt(Seed, Cell * Variables + Variable);
  switch (Variable) {
  case Voltage:
    return -85 + 60 * Value;
  case M:
    return 0.01f + 0.2f * Value;
  case H:
  case J:
  case F:
    return 0.9f + 0.09f * Value;
  case Calcium:
    return 2e-4f + 1e-4f * Value;
  default:
    return 0.01f * Value;
  }
}

__global__ void fillStates(float *States) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < Cells * Variables)
    States[I] = initialAt(I / Cells, I % Cells);
}
} // namespace bench

int main() {
  bench::DeviceArray<float> States(size_t(Cells) * Variables), Errors(Cells);
  bench::fillStates<<<Cells * Variables / 256, 256>>>(States);
  CUDA_CHECK(cudaGetLastError());

  myocyte_cells<<<Cells / BlockSize, BlockSize>>>(States, Errors, Cells, Steps,
                                                  TimeStep);
  CUDA_CHECK(cudaGetLastError());

  bench::Program Program("myocyte_cells");
  Program.check("states", States, [](size_t I, float Got) {
    State<double> Expected;
    for (int V = 0; V < Variables; ++V)
      Expected.value[V] = bench::initialAt(V, I % Cells);
    double Error = 0;
    for (int S = 0; S < Steps; ++S)
      step(Expected, double(TimeStep), Error);
    double Value = Expected.value[I / Cells];
    // Of the voltage: some are near 0 millivolts.
    return std::abs(Got - Value) < 1e-3 * std::abs(Value) + 1e-5;
  });
  Program.check("errors", Errors,
                [](size_t, float Got) { return Got >= 0 && Got < 0.1f; });
  return Program.verdict();
}
