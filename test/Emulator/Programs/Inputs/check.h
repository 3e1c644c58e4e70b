// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the test programs share: a buffer of the GPU, compared with what the CPU
// computes, and a hash of its bytes to compare machines by.
#pragma once
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

inline int failures = 0;

#define CUDA(CALL)                                                             \
  do {                                                                         \
    cudaError_t error_ = (CALL);                                               \
    if (error_ != cudaSuccess) {                                               \
      std::printf("%s: %s\n", #CALL, cudaGetErrorName(error_));                \
      ++failures;                                                              \
    }                                                                          \
  } while (0)

template <class T> struct Buffer {
  T *device = nullptr;
  std::vector<T> host;
  explicit Buffer(size_t n) : host(n) {
    CUDA(cudaMalloc((void **)&device, n * sizeof(T)));
    CUDA(cudaMemset(device, 0, n * sizeof(T)));
  }
  template <class F> Buffer(size_t n, F value) : Buffer(n) {
    for (size_t i = 0; i < n; ++i)
      host[i] = value(i);
    CUDA(
        cudaMemcpy(device, host.data(), n * sizeof(T), cudaMemcpyHostToDevice));
  }
  ~Buffer() { cudaFree(device); }
  operator T *() { return device; }

  void fetch() {
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaMemcpy(host.data(), device, host.size() * sizeof(T),
                    cudaMemcpyDeviceToHost));
  }
  /// Exactly what \p expected(i) says; prints a hash of the bytes.
  template <class F> void check(const char *name, F expected) {
    fetch();
    for (size_t i = 0; i < host.size(); ++i) {
      T want = expected(i);
      if (std::memcmp(&want, &host[i], sizeof(T))) {
        std::printf("%s[%zu] is %.9g, not %.9g\n", name, i, double(host[i]),
                    double(want));
        ++failures;
        break;
      }
    }
    hash(name);
  }
  /// Within a relative error.
  template <class F> void near(const char *name, double error, F expected) {
    fetch();
    for (size_t i = 0; i < host.size(); ++i) {
      double want = expected(i), got = double(host[i]);
      if (!(std::fabs(got - want) <= error * std::fmax(1, std::fabs(want))) &&
          !(std::isnan(got) && std::isnan(want))) {
        std::printf("%s[%zu] is %.9g, not %.9g\n", name, i, got, want);
        ++failures;
        break;
      }
    }
  }
  void hash(const char *name) {
    uint64_t h = 1469598103934665603u;
    auto *bytes = (const unsigned char *)host.data();
    for (size_t i = 0; i < host.size() * sizeof(T); ++i)
      h = (h ^ bytes[i]) * 1099511628211u;
    std::printf("hash %s %016llx\n", name, (unsigned long long)h);
    // To see what differs: the bytes themselves.
    if (const char *path = std::getenv("CHECK_DUMP"))
      if (std::FILE *file = std::fopen(path, "ab")) {
        std::fprintf(file, "%zu %s\n", host.size() * sizeof(T), name);
        std::fwrite(host.data(), sizeof(T), host.size(), file);
        std::fputc('\n', file);
        std::fclose(file);
      }
  }
};

inline int finish() {
  std::puts(failures ? "FAIL" : "PASS");
  return failures != 0;
}
