// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host's side of all-floats.py.

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#define BOTH(NAME, TYPE)                                                       \
  extern "C" void before_##NAME(TYPE, TYPE *);                                 \
  extern "C" void after_##NAME(TYPE, TYPE *);
BOTH(sine, float)
BOTH(cosine, float)
BOTH(tangent, float)
BOTH(together, float)
BOTH(both, float)
BOTH(wide, double)

template <class T> struct Pair {
  const char *Name;
  void (*Before)(T, T *);
  void (*After)(T, T *);
};

static constexpr Pair<float> Floats[] = {
    {"sine", before_sine, after_sine},
    {"cosine", before_cosine, after_cosine},
    {"tangent", before_tangent, after_tangent},
    {"together", before_together, after_together},
    {"both", before_both, after_both}};
static constexpr Pair<double> Doubles[] = {{"wide", before_wide, after_wide}};

static std::atomic<uint64_t> Different, Slow;

template <class T, class Bits, size_t N>
static void compare(Bits Number, const Pair<T> (&Pairs)[N]) {
  T X;
  std::memcpy(&X, &Number, sizeof X);
  for (const Pair<T> &P : Pairs) {
    T Old[2] = {}, New[2] = {};
    P.Before(X, Old);
    P.After(X, New);
    if (std::memcmp(Old, New, sizeof Old) != 0 && Different++ < 10)
      std::printf("%s of %a: %a, %a and %a, %a\n", P.Name, double(X),
                  double(Old[0]), double(Old[1]), double(New[0]),
                  double(New[1]));
  }
}

int main(int, char **Arguments) {
  const uint64_t Step = std::strtoull(Arguments[1], nullptr, 10);
  const unsigned Threads = std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::thread> Running;
  for (unsigned T = 0; T < Threads; ++T)
    Running.emplace_back([=] {
      uint64_t SlowHere = 0;
      for (uint64_t N = T * Step; N < uint64_t(1) << 32; N += Threads * Step) {
        const uint32_t Bits = uint32_t(N);
        SlowHere += (Bits & 0x7fffffff) >= 0x47ce4780; // 105,615
        compare(Bits, Floats);
        compare(N * 11400714819323198485ull ^ N << 44, Doubles);
      }
      Slow += SlowHere;
    });
  for (std::thread &T : Running)
    T.join();
  std::printf("each %llu. float, %llu of them at least 105615: %llu differ\n",
              (unsigned long long)Step, (unsigned long long)Slow,
              (unsigned long long)Different);
  return Different != 0;
}
