// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Random choices that are the same on every machine: the standard library's
/// distributions are not.

#ifndef SLUICE_TOOLS_FUZZ_RANDOM_H
#define SLUICE_TOOLS_FUZZ_RANDOM_H

#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <random>

namespace sluice::fuzz {

class Random {
public:
  /// A stream for each pair.
  Random(uint64_t Seed, uint64_t Stream)
      : Engine(mix(mix(Seed) ^ (Stream + 0x632be59bd9b4e019))) {}

  /// Less than \p Bound.
  unsigned below(unsigned Bound) { return unsigned(Engine() % Bound); }
  /// From \p Low to \p High, both included.
  int between(int Low, int High) {
    return Low + int(below(unsigned(High - Low + 1)));
  }
  bool chance(unsigned Percent) { return below(100) < Percent; }

  template <class T> T pick(std::initializer_list<T> Choices) {
    return Choices.begin()[below(unsigned(Choices.size()))];
  }
  template <class Container> auto &pick(Container &Choices) {
    return Choices[below(unsigned(std::size(Choices)))];
  }

  uint64_t next() { return Engine(); }

private:
  /// The finaliser of splitmix64.
  static uint64_t mix(uint64_t X) {
    X += 0x9e3779b97f4a7c15;
    X = (X ^ (X >> 30)) * 0xbf58476d1ce4e5b9;
    X = (X ^ (X >> 27)) * 0x94d049bb133111eb;
    return X ^ (X >> 31);
  }

  std::mt19937_64 Engine;
};

} // namespace sluice::fuzz

#endif
