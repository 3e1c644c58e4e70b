// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A ray tracer, one pixel and its four rays per thread: spheres over a
// chequered floor, with a light, shadows and mirrors, each of which sends the
// ray on. The scene is in constant memory. Neighbouring rays hit the same
// things most of the time: limited by arithmetic and by registers.
//
#include "common.h"

constexpr int Width = bench::bySize(64, 800, 3840);
constexpr int Height = bench::bySize(32, 600, 2160);
constexpr int Spheres = 12;
constexpr int Bounces = 5;
constexpr int Rays = 2; // a pixel has their square
constexpr int BlockWidth = 16;
constexpr int BlockHeight = 8;
constexpr uint32_t Seed = 1;

template <typename T> struct Vector { T x, y, z; };

template <typename T>
__host__ __device__ inline Vector<T> operator+(Vector<T> a, Vector<T> b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <typename T>
__host__ __device__ inline Vector<T> operator-(Vector<T> a, Vector<T> b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <typename T>
__host__ __device__ inline Vector<T> operator*(T a, Vector<T> b) {
  return {a * b.x, a * b.y, a * b.z};
}
template <typename T>
__host__ __device__ inline Vector<T> operator*(Vector<T> a, Vector<T> b) {
  return {a.x * b.x, a.y * b.y, a.z * b.z};
}
template <typename T>
__host__ __device__ inline T dot(Vector<T> a, Vector<T> b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <typename T>
__host__ __device__ inline Vector<T> normalise(Vector<T> a) {
  T length = sqrt(dot(a, a));
  return (1 / length) * a;
}

template <typename T> struct Sphere {
  Vector<T> centre;
  T radius;
  Vector<T> colour, glow;
  T mirror; // the part of the light that it sends on
};

__constant__ Sphere<float> scene[Spheres];

/// What a ray met.
template <typename T> struct Hit {
  T distance; // 0: nothing yet
  Vector<T> place, normal, colour, glow;
  T mirror;
};

/// How far along the ray the sphere is met, or 0.
template <typename T>
__host__ __device__ inline T meet(const Sphere<T> &sphere, Vector<T> origin,
                                  Vector<T> direction) {
  Vector<T> to = sphere.centre - origin;
  T along = dot(to, direction);
  T inside = sphere.radius * sphere.radius - dot(to, to) + along * along;
  if (inside <= 0)
    return 0;
  T half = sqrt(inside);
  T distance = along - half > T(1e-3) ? along - half : along + half;
  return distance > T(1e-3) ? distance : 0;
}

template <typename T>
__host__ __device__ inline Hit<T>
findNearest(const Sphere<T> *spheres, Vector<T> origin, Vector<T> direction) {
  Hit<T> hit = {};
  if (direction.y < 0) { // the floor, at y = 0
    hit.distance = -origin.y / direction.y;
    hit.place = origin + hit.distance * direction;
    hit.normal = {0, 1, 0};
    bool dark = (int(floor(hit.place.x)) + int(floor(hit.place.z))) & 1;
    T grey = dark ? T(0.2) : T(0.9);
    hit.colour = {grey, grey, grey};
    hit.glow = {0, 0, 0};
    hit.mirror = T(0.1);
  }
  for (int i = 0; i < Spheres; ++i) {
    T distance = meet(spheres[i], origin, direction);
    if (distance > 0 && (hit.distance == 0 || distance < hit.distance)) {
      hit.distance = distance;
      hit.place = origin + distance * direction;
      hit.normal = (1 / spheres[i].radius) * (hit.place - spheres[i].centre);
      hit.colour = spheres[i].colour;
      hit.glow = spheres[i].glow;
      hit.mirror = spheres[i].mirror;
    }
  }
  return hit;
}

/// The colour that comes along a ray.
template <typename T>
__host__ __device__ inline Vector<T> trace(const Sphere<T> *spheres,
                                           Vector<T> light, Vector<T> origin,
                                           Vector<T> direction) {
  Vector<T> result = {0, 0, 0};
  Vector<T> share = {1, 1, 1};
  for (int bounce = 0; bounce < Bounces; ++bounce) {
    Hit<T> hit = findNearest(spheres, origin, direction);
    if (hit.distance == 0) {
      T depth = 1 - T(0.5) * direction.y;
      return result +
             share * Vector<T>{T(0.3) * depth, T(0.5) * depth, T(0.8) * depth};
    }

    Vector<T> toLight = normalise(light - hit.place);
    Vector<T> reflected =
        direction - (2 * dot(direction, hit.normal)) * hit.normal;
    T bright = fmax(dot(toLight, hit.normal), T(0));
    T gloss = fmax(dot(reflected, toLight), T(0));
    for (int i = 0; i < Spheres; ++i)
      if (meet(spheres[i], hit.place, toLight) > 0) {
        bright = gloss = 0;
        break;
      }
    T shine = hit.mirror * pow(gloss, T(20));
    T seen = (1 - hit.mirror) * (T(0.2) + T(0.8) * bright);
    result = result + share * (hit.glow + seen * hit.colour +
                               Vector<T>{shine, shine, shine});

    // A mirror tints what it sends on.
    share = hit.mirror * (share * hit.colour);
    origin = hit.place;
    direction = reflected;
  }
  return result;
}

/// The mean over rays through a pixel.
template <typename T>
__host__ __device__ inline Vector<T>
render(const Sphere<T> *spheres, Vector<T> light, Vector<T> eye, int x, int y,
       int width, int height) {
  Vector<T> sum = {0, 0, 0};
  for (int i = 0; i < Rays; ++i)
    for (int j = 0; j < Rays; ++j) {
      T right = x + (j + T(0.5)) / Rays - T(0.5) * width;
      T up = T(0.35) * height - y - (i + T(0.5)) / Rays;
      Vector<T> direction = normalise(Vector<T>{right, up, T(height)});
      sum = sum + trace(spheres, light, eye, direction);
    }
  return T(1.0 / (Rays * Rays)) * sum;
}

__global__ void ray_tracing(uchar4 *BENCH_MAY_RESTRICT image, int width,
                            int height, Vector<float> light,
                            Vector<float> eye) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height)
    return;
  Vector<float> colour = render(scene, light, eye, x, y, width, height);
  image[y * width + x] = {
      static_cast<unsigned char>(255 * fminf(colour.x, 1) + 0.5f),
      static_cast<unsigned char>(255 * fminf(colour.y, 1) + 0.5f),
      static_cast<unsigned char>(255 * fminf(colour.z, 1) + 0.5f), 255};
}

/// In three rows, with gaps.
template <typename T> static std::vector<Sphere<T>> makeScene() {
  std::vector<Sphere<T>> Scene;
  for (int I = 0; I < Spheres; ++I) {
    auto value = [&](int J) { return bench::valueAt(Seed, 8 * I + J); };
    float Radius = 0.4f + 0.4f * value(0);
    Sphere<T> S;
    S.centre = {T(2.0f * (I % 4) - 3 + value(1) * 0.3f),
                T(Radius + value(2) * 0.5f), T(2.0f * (I / 4))};
    S.radius = T(Radius);
    S.colour = {T(0.2f + 0.8f * value(3)), T(0.2f + 0.8f * value(4)),
                T(0.2f + 0.8f * value(5))};
    S.glow = {T(0.2f * value(7)), T(0.1f * value(7)), 0};
    S.mirror = T(0.2f + 0.5f * value(6));
    Scene.push_back(S);
  }
  return Scene;
}

template <typename T> constexpr Vector<T> Light = {-6, 9, -5};
template <typename T> constexpr Vector<T> Eye = {0, 2, -7};

int main() {
  std::vector<Sphere<float>> Host = makeScene<float>();
  CUDA_CHECK(cudaMemcpyToSymbol(scene, Host.data(), Spheres * sizeof(Host[0])));
  bench::DeviceArray<uchar4> Image(size_t(Width) * Height);
  dim3 Block(BlockWidth, BlockHeight);
  dim3 Grid((Width + BlockWidth - 1) / BlockWidth,
            (Height + BlockHeight - 1) / BlockHeight);

  ray_tracing<<<Grid, Block>>>(Image, Width, Height, Light<float>, Eye<float>);
  CUDA_CHECK(cudaGetLastError());

  // In double precision a ray may just miss what it hits in single precision,
  // so a few pixels may have other colours.
  std::vector<Sphere<double>> Exact = makeScene<double>();
  std::vector<uchar4> Got = Image.toHost();
  constexpr size_t Samples = 1000;
  size_t Wrong = 0;
  for (size_t Sample = 0; Sample < Samples; ++Sample) {
    size_t I = Sample * 0x9e3779b97f4a7c15ull % Got.size();
    Vector<double> Colour =
        render(Exact.data(), Light<double>, Eye<double>, int(I % Width),
               int(I / Width), Width, Height);
    auto isFar = [](double Expected, int Got) {
      return std::abs(255 * std::min(Expected, 1.0) - Got) > 1.5;
    };
    Wrong += isFar(Colour.x, Got[I].x) || isFar(Colour.y, Got[I].y) ||
             isFar(Colour.z, Got[I].z) || Got[I].w != 255;
  }
  bench::Program Program("ray_tracing");
  Program.check("image", Wrong <= Samples / 100);
  return Program.verdict();
}
