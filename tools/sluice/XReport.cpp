// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An X-model in words, and for programs.

#include "XKernels.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace sluice;

/// What the bound means.
static StringRef explain(XBound Bound) {
  switch (Bound) {
  case XBound::Threads:
    return "neither memory nor computation is busy all the time: more warps, "
           "or more loads in flight, would be served";
  case XBound::Computation:
    return "the SM issues all that it can";
  case XBound::Memory:
    return "memory behind the L1 delivers all that it can";
  case XBound::Balance:
    return "memory and computation are both busy all the time";
  case XBound::Thrashing:
    return "the warps that wait evict each other's lines: fewer would get more";
  case XBound::Lookups:
    return "the L1 looks up lines all the time";
  }
  return "";
}

static void printParameters(raw_ostream &OS, const KernelX &X) {
  const XModel &M = X.Model;
  OS << formatv("  machine   M {0} instructions/cycle   R {1} B/cycle ({2:F0} "
                "GB/s)   L {3:F0} cycles\n",
                shortNumber(M.Lanes), shortNumber(M.Supply),
                X.gigabytesPerSecond(M.Supply), M.MemoryCycles);
  OS << formatv("            L1 {0:F0} KiB, {1:F0} cycles", M.CacheBytes / 1024,
                M.CacheCycles);
  if (M.CacheSupply > 0)
    OS << formatv(", looks up {0} B/cycle", shortNumber(M.CacheSupply));
  OS << formatv("\n  kernel    n {0:F0} warps   Z {1} instructions/B   E {2}   "
                "a warp asks for {3} B before it waits\n",
                M.Threads, shortNumber(M.Intensity), shortNumber(M.Parallelism),
                shortNumber(M.RequestBytes));
  if (!M.hasCache()) {
    OS << "            no line is used again";
  } else {
    OS << formatv("            hits {0:F0} % of what loads ask for",
                  100 * M.hitRate(M.Threads));
    if (X.SimulatedHitRate)
      OS << formatv(" (simulated {0:F0} %)", 100 * *X.SimulatedHitRate);
    OS << formatv("; Eq. 3.3: alpha {0:F3}, beta {1} B", M.Reuse.Alpha,
                  shortNumber(M.Reuse.Beta));
  }
  OS << "\n";
}

static void printPlaces(raw_ostream &OS, const XKernel &K) {
  const XModel &M = K.X.Model;
  const XPoint Pi = csTransition(M), Delta = msTransition(M);
  OS << formatv("  pi: computation is saturated by {0} warps; delta: memory is "
                "by {1}",
                shortNumber(Pi.Threads), shortNumber(Delta.Threads));
  if (auto Peak = cachePeak(M))
    OS << formatv("; psi: the cache is best for {0}",
                  shortNumber(Peak->Threads));
  OS << "\n\n  " << (K.At.size() == 1 ? "intersection " : "intersections")
     << "  waiting (k)  computing (x)      GB/s  instr./cycle\n";
  for (const Intersection &At : K.At)
    OS << formatv("  {0,-13}{1,13:F1}{2,15:F1}{3,10:F0}{4,14:F2}\n",
                  At.IsStable ? "stable" : "not stable", At.K, At.X,
                  K.X.gigabytesPerSecond(At.Bytes), operations(M, At));
  const XBound Bound = boundAt(M, K.Settled);
  OS << formatv("  bound by {0}: {1}\n", nameOfBound(Bound), explain(Bound));
}

static void printMove(raw_ostream &OS, const Move &M, const KernelX &X,
                      StringRef Behind) {
  std::string Time = "-";
  if (X.Milliseconds > 0)
    Time = formatv("{0:F3}", X.Milliseconds / M.SpeedUp);
  OS << formatv("  {0,8:F2}{1,10}  {2}", M.SpeedUp, Time, M.What);
  if (!Behind.empty())
    OS << formatv(" ({0})", Behind);
  OS << "\n";
}

void sluice::printXKernel(raw_ostream &OS, const XKernel &K) {
  const KernelX &X = K.X;
  OS << demangle(X.Name) << "\n";
  OS << formatv("  {0}, {1} SMs, {2} blocks of {3} warps on an SM, {4}\n",
                X.GPU->Name, X.SMs, X.Launch.BlocksPerSM,
                X.Launch.WarpsPerBlock,
                X.IsProfiled ? "with a profile"
                             : "without a profile: what the L2 has is not "
                               "known, memory is DRAM");
  printParameters(OS, X);
  printPlaces(OS, K);
  if (X.Milliseconds > 0)
    OS << formatv("  predicted {0:F3} ms; by Eq. 3.5 {1:F3}; without the cache "
                  "{2:F3}; by the simulator {3:F3}\n",
                  X.Milliseconds, X.Equation35Milliseconds,
                  X.WithoutCacheMilliseconds, X.SimulatedMilliseconds);
  if (!K.Planned.empty()) {
    OS << "\n  what Sluice decides, each alone\n  speed-up        ms\n";
    for (const Move &M : K.Planned)
      printMove(OS, M, X, "");
  }
  OS << "\n  what would change it\n  speed-up        ms\n";
  for (const Move &M : K.Possible)
    printMove(OS, M, X, techniqueFor(M.Kind));
  OS << "\n";
}

//===- JSON ---------------------------------------------------------------===//

static void writeModel(json::OStream &J, const XModel &M) {
  J.object([&] {
    J.attribute("M", M.Lanes);
    J.attribute("R", M.Supply);
    J.attribute("L", M.MemoryCycles);
    J.attribute("cache-cycles", M.CacheCycles);
    J.attribute("cache-bytes", M.CacheBytes);
    J.attribute("n", M.Threads);
    J.attribute("Z", M.Intensity);
    J.attribute("E", M.Parallelism);
    J.attribute("alpha", M.Reuse.Alpha);
    J.attribute("beta", M.Reuse.Beta);
    J.attribute("request-bytes", M.RequestBytes);
    J.attribute("lane-cycles", M.LaneCycles);
    J.attribute("look-up-bytes", M.CacheSupply);
    J.attributeArray("hit-curve", [&] {
      for (const HitPoint &P : M.HitCurve)
        J.array([&] {
          J.value(P.BytesPerThread);
          J.value(P.HitRate);
        });
    });
    if (M.CachedThreads)
      J.attribute("cached-threads", *M.CachedThreads);
  });
}

static void writeIntersection(json::OStream &J, const XKernel &K,
                              const XModel &M, const Intersection &At) {
  J.object([&] {
    J.attribute("k", At.K);
    J.attribute("x", At.X);
    J.attribute("bytes-per-cycle", At.Bytes);
    J.attribute("gb-per-s", K.X.gigabytesPerSecond(At.Bytes));
    J.attribute("instructions-per-cycle", operations(M, At));
    J.attribute("stable", At.IsStable);
  });
}

static void writePoint(json::OStream &J, StringRef Name, const XPoint &At) {
  J.attributeObject(Name, [&] {
    J.attribute("threads", At.Threads);
    J.attribute("bytes-per-cycle", At.Bytes);
  });
}

static void writeMoves(json::OStream &J, StringRef Name, const XKernel &K,
                       ArrayRef<Move> Moves) {
  J.attributeArray(Name, [&] {
    for (const Move &M : Moves)
      J.object([&] {
        J.attribute("move", nameOfMove(M.Kind));
        J.attribute("what", M.What);
        J.attribute("technique", techniqueFor(M.Kind));
        J.attribute("speed-up", M.SpeedUp);
        if (K.X.Milliseconds > 0)
          J.attribute("ms", K.X.Milliseconds / M.SpeedUp);
        J.attributeBegin("after");
        writeModel(J, M.After);
        J.attributeEnd();
        J.attributeBegin("at");
        writeIntersection(J, K, M.After, M.At);
        J.attributeEnd();
      });
  });
}

void sluice::writeXKernel(json::OStream &J, const XKernel &K) {
  const KernelX &X = K.X;
  J.object([&] {
    J.attribute("kernel", X.Name);
    J.attribute("display", json::fixUTF8(K.DisplayName));
    J.attribute("gpu", X.GPU->Name);
    J.attribute("sms", X.SMs);
    J.attribute("profiled", X.IsProfiled);
    J.attribute("blocks-per-sm", X.Launch.BlocksPerSM);
    J.attribute("warps-per-block", X.Launch.WarpsPerBlock);
    J.attributeBegin("parameters");
    writeModel(J, X.Model);
    J.attributeEnd();
    J.attribute("hit-rate", X.Model.hitRate(X.Model.Threads));
    if (X.SimulatedHitRate)
      J.attribute("simulated-hit-rate", *X.SimulatedHitRate);
    J.attribute("fit-error", X.FitError);
    writePoint(J, "pi", csTransition(X.Model));
    writePoint(J, "delta", msTransition(X.Model));
    if (auto Peak = cachePeak(X.Model))
      writePoint(J, "psi", *Peak);
    J.attributeArray("intersections", [&] {
      for (const Intersection &At : K.At)
        writeIntersection(J, K, X.Model, At);
    });
    const XBound Bound = boundAt(X.Model, K.Settled);
    J.attribute("bound", nameOfBound(Bound));
    J.attribute("bound-means", explain(Bound));
    if (X.Milliseconds > 0) {
      J.attribute("ms", X.Milliseconds);
      J.attribute("ms-equation-3.5", X.Equation35Milliseconds);
      J.attribute("ms-without-cache", X.WithoutCacheMilliseconds);
      J.attribute("ms-roofline", X.RooflineMilliseconds);
      J.attribute("ms-simulated", X.SimulatedMilliseconds);
      J.attribute("launches", X.launches());
    }
    writeMoves(J, "decided", K, K.Planned);
    writeMoves(J, "possible", K, K.Possible);
  });
}
