// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rodinia's cfd (euler3d): the compressible Euler equations on an unstructured
// mesh of tetrahedra, one thread per element, structure of arrays. The flux
// kernel gathers the five variables of four neighbours, most of them near in
// memory, some anywhere. Limited by memory: the normals stream, the gathers
// live from what caches keep of the near neighbours.
//
#include "common.h"
#include <unordered_map>

constexpr int Elements = bench::bySize(192 * 8, 192 * 1212, 192 * 11264);
constexpr int Iterations = bench::bySize(1, 2, 2);
constexpr int RungeKuttaSteps = 3;
constexpr int BlockSize = 192;

constexpr int Neighbours = 4;
constexpr int Dimensions = 3;
constexpr int Density = 0;
constexpr int Momentum = 1;
constexpr int Energy = Momentum + Dimensions;
constexpr int Variables = Energy + 1;

/// In place of a neighbour's number.
constexpr int Wall = -1;
constexpr int FarField = -2;

constexpr float Gamma = 1.4f;
constexpr float Mach = 1.2f;

constexpr uint32_t SeedVariable = 1;
constexpr uint32_t SeedArea = 2;
constexpr uint32_t SeedNeighbour = 3;
constexpr uint32_t SeedNormal = 4;

/// The state far away, and what its flux adds for a normal of length one.
struct FarFieldState {
  float variable[Variables];
  float3 momentum_x, momentum_y, momentum_z;
  float3 energy;
};

__constant__ FarFieldState far_field;

__host__ __device__ inline float3 velocityOf(float density, float3 momentum) {
  return make_float3(momentum.x / density, momentum.y / density,
                     momentum.z / density);
}

__host__ __device__ inline float speedSquared(float3 velocity) {
  return velocity.x * velocity.x + velocity.y * velocity.y +
         velocity.z * velocity.z;
}

__host__ __device__ inline float pressureOf(float density, float energy,
                                            float speed_squared) {
  return (Gamma - 1.0f) * (energy - 0.5f * density * speed_squared);
}

__host__ __device__ inline float speedOfSound(float density, float pressure) {
  return sqrtf(Gamma * pressure / density);
}

__host__ __device__ inline void
fluxContribution(float3 momentum, float energy, float pressure, float3 velocity,
                 float3 &momentum_x, float3 &momentum_y, float3 &momentum_z,
                 float3 &energy_flux) {
  momentum_x.x = velocity.x * momentum.x + pressure;
  momentum_x.y = velocity.x * momentum.y;
  momentum_x.z = velocity.x * momentum.z;
  momentum_y.x = momentum_x.y;
  momentum_y.y = velocity.y * momentum.y + pressure;
  momentum_y.z = velocity.y * momentum.z;
  momentum_z.x = momentum_x.z;
  momentum_z.y = momentum_y.z;
  momentum_z.z = velocity.z * momentum.z + pressure;
  float enthalpy = energy + pressure;
  energy_flux.x = velocity.x * enthalpy;
  energy_flux.y = velocity.y * enthalpy;
  energy_flux.z = velocity.z * enthalpy;
}

__global__ void compute_step_factor(int nelr,
                                    const float *BENCH_MAY_RESTRICT variables,
                                    const float *BENCH_MAY_RESTRICT areas,
                                    float *BENCH_MAY_RESTRICT step_factors) {
  int i = blockDim.x * blockIdx.x + threadIdx.x;
  float density = variables[i + Density * nelr];
  float3 momentum = make_float3(variables[i + (Momentum + 0) * nelr],
                                variables[i + (Momentum + 1) * nelr],
                                variables[i + (Momentum + 2) * nelr]);
  float energy = variables[i + Energy * nelr];
  float speed_squared = speedSquared(velocityOf(density, momentum));
  float pressure = pressureOf(density, energy, speed_squared);
  float sound = speedOfSound(density, pressure);
  step_factors[i] = 0.5f / (sqrtf(areas[i]) * (sqrtf(speed_squared) + sound));
}

__global__ void
compute_flux(int nelr,
             const int *BENCH_MAY_RESTRICT elements_surrounding_elements,
             const float *BENCH_MAY_RESTRICT normals,
             const float *BENCH_MAY_RESTRICT variables,
             float *BENCH_MAY_RESTRICT fluxes) {
  const float smoothing = 0.2f;
  const int i = blockDim.x * blockIdx.x + threadIdx.x;

  float density_i = variables[i + Density * nelr];
  float3 momentum_i;
  momentum_i.x = variables[i + (Momentum + 0) * nelr];
  momentum_i.y = variables[i + (Momentum + 1) * nelr];
  momentum_i.z = variables[i + (Momentum + 2) * nelr];
  float energy_i = variables[i + Energy * nelr];
  float3 velocity_i = velocityOf(density_i, momentum_i);
  float speed_squared_i = speedSquared(velocity_i);
  float speed_i = sqrtf(speed_squared_i);
  float pressure_i = pressureOf(density_i, energy_i, speed_squared_i);
  float sound_i = speedOfSound(density_i, pressure_i);
  float3 momentum_x_i, momentum_y_i, momentum_z_i, energy_flux_i;
  fluxContribution(momentum_i, energy_i, pressure_i, velocity_i, momentum_x_i,
                   momentum_y_i, momentum_z_i, energy_flux_i);

  float flux_density = 0.0f;
  float3 flux_momentum = make_float3(0.0f, 0.0f, 0.0f);
  float flux_energy = 0.0f;

#pragma unroll
  for (int j = 0; j < Neighbours; j++) {
    int nb = elements_surrounding_elements[i + j * nelr];
    float3 normal;
    normal.x = normals[i + (j + 0 * Neighbours) * nelr];
    normal.y = normals[i + (j + 1 * Neighbours) * nelr];
    normal.z = normals[i + (j + 2 * Neighbours) * nelr];

    if (nb >= 0) {
      float density_nb = variables[nb + Density * nelr];
      float3 momentum_nb;
      momentum_nb.x = variables[nb + (Momentum + 0) * nelr];
      momentum_nb.y = variables[nb + (Momentum + 1) * nelr];
      momentum_nb.z = variables[nb + (Momentum + 2) * nelr];
      float energy_nb = variables[nb + Energy * nelr];
      float3 velocity_nb = velocityOf(density_nb, momentum_nb);
      float speed_squared_nb = speedSquared(velocity_nb);
      float pressure_nb = pressureOf(density_nb, energy_nb, speed_squared_nb);
      float sound_nb = speedOfSound(density_nb, pressure_nb);
      float3 momentum_x_nb, momentum_y_nb, momentum_z_nb, energy_flux_nb;
      fluxContribution(momentum_nb, energy_nb, pressure_nb, velocity_nb,
                       momentum_x_nb, momentum_y_nb, momentum_z_nb,
                       energy_flux_nb);

      // Artificial viscosity.
      float length = sqrtf(normal.x * normal.x + normal.y * normal.y +
                           normal.z * normal.z);
      float factor = -length * smoothing * 0.5f *
                     (speed_i + sqrtf(speed_squared_nb) + sound_i + sound_nb);
      flux_density += factor * (density_i - density_nb);
      flux_energy += factor * (energy_i - energy_nb);
      flux_momentum.x += factor * (momentum_i.x - momentum_nb.x);
      flux_momentum.y += factor * (momentum_i.y - momentum_nb.y);
      flux_momentum.z += factor * (momentum_i.z - momentum_nb.z);

      // The mean of both elements' fluxes through the face.
      factor = 0.5f * normal.x;
      flux_density += factor * (momentum_nb.x + momentum_i.x);
      flux_energy += factor * (energy_flux_nb.x + energy_flux_i.x);
      flux_momentum.x += factor * (momentum_x_nb.x + momentum_x_i.x);
      flux_momentum.y += factor * (momentum_y_nb.x + momentum_y_i.x);
      flux_momentum.z += factor * (momentum_z_nb.x + momentum_z_i.x);

      factor = 0.5f * normal.y;
      flux_density += factor * (momentum_nb.y + momentum_i.y);
      flux_energy += factor * (energy_flux_nb.y + energy_flux_i.y);
      flux_momentum.x += factor * (momentum_x_nb.y + momentum_x_i.y);
      flux_momentum.y += factor * (momentum_y_nb.y + momentum_y_i.y);
      flux_momentum.z += factor * (momentum_z_nb.y + momentum_z_i.y);

      factor = 0.5f * normal.z;
      flux_density += factor * (momentum_nb.z + momentum_i.z);
      flux_energy += factor * (energy_flux_nb.z + energy_flux_i.z);
      flux_momentum.x += factor * (momentum_x_nb.z + momentum_x_i.z);
      flux_momentum.y += factor * (momentum_y_nb.z + momentum_y_i.z);
      flux_momentum.z += factor * (momentum_z_nb.z + momentum_z_i.z);
    } else if (nb == Wall) {
      flux_momentum.x += normal.x * pressure_i;
      flux_momentum.y += normal.y * pressure_i;
      flux_momentum.z += normal.z * pressure_i;
    } else if (nb == FarField) {
      float factor = 0.5f * normal.x;
      flux_density +=
          factor * (far_field.variable[Momentum + 0] + momentum_i.x);
      flux_energy += factor * (far_field.energy.x + energy_flux_i.x);
      flux_momentum.x += factor * (far_field.momentum_x.x + momentum_x_i.x);
      flux_momentum.y += factor * (far_field.momentum_y.x + momentum_y_i.x);
      flux_momentum.z += factor * (far_field.momentum_z.x + momentum_z_i.x);

      factor = 0.5f * normal.y;
      flux_density +=
          factor * (far_field.variable[Momentum + 1] + momentum_i.y);
      flux_energy += factor * (far_field.energy.y + energy_flux_i.y);
      flux_momentum.x += factor * (far_field.momentum_x.y + momentum_x_i.y);
      flux_momentum.y += factor * (far_field.momentum_y.y + momentum_y_i.y);
      flux_momentum.z += factor * (far_field.momentum_z.y + momentum_z_i.y);

      factor = 0.5f * normal.z;
      flux_density +=
          factor * (far_field.variable[Momentum + 2] + momentum_i.z);
      flux_energy += factor * (far_field.energy.z + energy_flux_i.z);
      flux_momentum.x += factor * (far_field.momentum_x.z + momentum_x_i.z);
      flux_momentum.y += factor * (far_field.momentum_y.z + momentum_y_i.z);
      flux_momentum.z += factor * (far_field.momentum_z.z + momentum_z_i.z);
    }
  }

  fluxes[i + Density * nelr] = flux_density;
  fluxes[i + (Momentum + 0) * nelr] = flux_momentum.x;
  fluxes[i + (Momentum + 1) * nelr] = flux_momentum.y;
  fluxes[i + (Momentum + 2) * nelr] = flux_momentum.z;
  fluxes[i + Energy * nelr] = flux_energy;
}

__global__ void time_step(int j, int nelr,
                          const float *BENCH_MAY_RESTRICT old_variables,
                          float *BENCH_MAY_RESTRICT variables,
                          const float *BENCH_MAY_RESTRICT step_factors,
                          const float *BENCH_MAY_RESTRICT fluxes) {
  int i = blockDim.x * blockIdx.x + threadIdx.x;
  float factor = step_factors[i] / (RungeKuttaSteps + 1 - j);
  for (int v = 0; v < Variables; v++)
    variables[i + v * nelr] =
        old_variables[i + v * nelr] + factor * fluxes[i + v * nelr];
}

struct Mesh {
  std::vector<int> Neighbour;
  std::vector<float> Normal, Area, Initial;
};

/// Neighbours are within 64 elements, but one in 16 is anywhere, one in 64 a
/// wall and one in 64 far away. Opposite faces' normals cancel.
static Mesh randomMesh(size_t Count, const FarFieldState &Far) {
  Mesh Result;
  Result.Neighbour.resize(Count * Neighbours);
  for (size_t J = 0; J < Neighbours; ++J)
    for (size_t I = 0; I < Count; ++I) {
      uint32_t Bits = bench::bitsAt(SeedNeighbour, J * Count + I);
      uint32_t Kind = Bits % 64, Rest = Bits / 64;
      size_t Near = (I + Count + Rest % 129 - 64) % Count;
      Result.Neighbour[J * Count + I] = Kind == 0   ? Wall
                                        : Kind == 1 ? FarField
                                        : Kind < 6
                                            ? static_cast<int>(Rest % Count)
                                            : static_cast<int>(Near);
    }
  Result.Normal.resize(Count * Neighbours * Dimensions);
  for (size_t D = 0; D < Dimensions; ++D)
    for (size_t J = 0; J < Neighbours / 2; ++J)
      for (size_t I = 0; I < Count; ++I) {
        size_t At = (2 * J + D * Neighbours) * Count + I;
        float Value = bench::valueAt(SeedNormal, At) - 0.5f;
        Result.Normal[At] = Value;
        Result.Normal[At + Count] = -Value;
      }
  Result.Area.resize(Count);
  for (size_t I = 0; I < Count; ++I)
    Result.Area[I] = 16 + 16 * bench::valueAt(SeedArea, I);
  Result.Initial.resize(Count * Variables);
  for (size_t V = 0; V < Variables; ++V)
    for (size_t I = 0; I < Count; ++I)
      Result.Initial[V * Count + I] =
          Far.variable[V] + 0.1f * bench::valueAt(SeedVariable, V * Count + I);
  return Result;
}

static FarFieldState farFieldState() {
  FarFieldState Far = {};
  const float Pressure = 1.0f, Angle = 0.03f;
  Far.variable[Density] = Gamma;
  float Speed = Mach * speedOfSound(Far.variable[Density], Pressure);
  float3 Velocity =
      make_float3(Speed * std::cos(Angle), Speed * std::sin(Angle), 0);
  float3 Flow = make_float3(Gamma * Velocity.x, Gamma * Velocity.y, 0);
  Far.variable[Momentum + 0] = Flow.x;
  Far.variable[Momentum + 1] = Flow.y;
  Far.variable[Momentum + 2] = Flow.z;
  Far.variable[Energy] =
      Gamma * 0.5f * Speed * Speed + Pressure / (Gamma - 1.0f);
  fluxContribution(Flow, Far.variable[Energy], Pressure, Velocity,
                   Far.momentum_x, Far.momentum_y, Far.momentum_z, Far.energy);
  return Far;
}

/// Computes single elements after any step, in double precision and as vectors
/// of five rather than variable by variable; remembers what it has computed,
/// for neighbours have neighbours in common.
class Reference {
public:
  struct State {
    double Value[Variables];
  };

  Reference(const Mesh &Grid, const FarFieldState &Far) : Grid(Grid) {
    for (int V = 0; V < Variables; ++V)
      FarAway.Value[V] = Far.variable[V];
  }

  /// Element I after Step Runge-Kutta steps in all.
  State at(int Step, size_t I) {
    size_t Count = Grid.Area.size();
    State Result;
    if (Step == 0) {
      for (size_t V = 0; V < Variables; ++V)
        Result.Value[V] = Grid.Initial[V * Count + I];
      return Result;
    }
    auto Known = States.find(Step * Count + I);
    if (Known != States.end())
      return Known->second;

    int InIteration = (Step - 1) % RungeKuttaSteps;
    State Old = at(Step - 1 - InIteration, I);
    double Factor =
        0.5 / (std::sqrt(double(Grid.Area[I])) * (speed(Old) + sound(Old))) /
        (RungeKuttaSteps - InIteration);
    State Flux = fluxOf(Step - 1, I);
    for (int V = 0; V < Variables; ++V)
      Result.Value[V] = Old.Value[V] + Factor * Flux.Value[V];
    States.emplace(Step * Count + I, Result);
    return Result;
  }

private:
  static double speed(const State &S) {
    return std::hypot(S.Value[Momentum], S.Value[Momentum + 1],
                      S.Value[Momentum + 2]) /
           S.Value[Density];
  }
  static double pressure(const State &S) {
    return (Gamma - 1.0) *
           (S.Value[Energy] - 0.5 * S.Value[Density] * speed(S) * speed(S));
  }
  static double sound(const State &S) {
    return std::sqrt(Gamma * pressure(S) / S.Value[Density]);
  }

  /// What flows through a face with this normal.
  static State through(const State &S, const double *Normal) {
    double Flow = 0;
    for (int D = 0; D < Dimensions; ++D)
      Flow += S.Value[Momentum + D] * Normal[D];
    double Velocity = Flow / S.Value[Density];
    State Result;
    Result.Value[Density] = Flow;
    for (int D = 0; D < Dimensions; ++D)
      Result.Value[Momentum + D] =
          Velocity * S.Value[Momentum + D] + pressure(S) * Normal[D];
    Result.Value[Energy] = Velocity * (S.Value[Energy] + pressure(S));
    return Result;
  }

  State fluxOf(int Step, size_t I) {
    size_t Count = Grid.Area.size();
    State Here = at(Step, I), Sum = {};
    for (size_t J = 0; J < Neighbours; ++J) {
      double Normal[Dimensions];
      for (size_t D = 0; D < Dimensions; ++D)
        Normal[D] = Grid.Normal[(J + D * Neighbours) * Count + I];
      int Other = Grid.Neighbour[J * Count + I];
      if (Other == Wall) {
        for (int D = 0; D < Dimensions; ++D)
          Sum.Value[Momentum + D] += Normal[D] * pressure(Here);
        continue;
      }
      State There = Other == FarField ? FarAway : at(Step, Other);
      State Out = through(Here, Normal), In = through(There, Normal);
      double Viscosity =
          Other == FarField
              ? 0
              : -0.1 * std::hypot(Normal[0], Normal[1], Normal[2]) *
                    (speed(Here) + speed(There) + sound(Here) + sound(There));
      for (int V = 0; V < Variables; ++V)
        Sum.Value[V] += 0.5 * (Out.Value[V] + In.Value[V]) +
                        Viscosity * (Here.Value[V] - There.Value[V]);
    }
    return Sum;
  }

  const Mesh &Grid;
  State FarAway;
  std::unordered_map<size_t, State> States;
};

int main(int ArgC, char **ArgV) {
  int Count = bench::numberOption(ArgC, ArgV, "elements", Elements);
  Count = (Count + BlockSize - 1) / BlockSize * BlockSize;
  const FarFieldState Far = farFieldState();
  const Mesh Grid = randomMesh(Count, Far);

  CUDA_CHECK(cudaMemcpyToSymbol(far_field, &Far, sizeof(Far)));
  bench::DeviceArray<int> Surrounding(Grid.Neighbour);
  bench::DeviceArray<float> Normals(Grid.Normal), Areas(Grid.Area);
  bench::DeviceArray<float> Current(Grid.Initial), Old(Grid.Initial.size());
  bench::DeviceArray<float> Fluxes(Grid.Initial.size()), StepFactors(Count);

  const int Blocks = Count / BlockSize;
  for (int Iteration = 0; Iteration < Iterations; ++Iteration) {
    CUDA_CHECK(cudaMemcpy(Old, Current, Current.size() * sizeof(float),
                          cudaMemcpyDeviceToDevice));
    compute_step_factor<<<Blocks, BlockSize>>>(Count, Current, Areas,
                                               StepFactors);
    CUDA_CHECK(cudaGetLastError());
    for (int J = 0; J < RungeKuttaSteps; ++J) {
      compute_flux<<<Blocks, BlockSize>>>(Count, Surrounding, Normals, Current,
                                          Fluxes);
      CUDA_CHECK(cudaGetLastError());
      time_step<<<Blocks, BlockSize>>>(J + 1, Count, Old, Current, StepFactors,
                                       Fluxes);
      CUDA_CHECK(cudaGetLastError());
    }
  }

  Reference Expected(Grid, Far);
  bench::Program Program("euler_flux");
  Program.check("variables", Current, [&](size_t Index, float Got) {
    double Value = Expected.at(Iterations * RungeKuttaSteps, Index % Count)
                       .Value[Index / Count];
    return std::abs(Got - Value) <= 1e-4 * std::max(1.0, std::abs(Value));
  });
  return Program.verdict();
}
