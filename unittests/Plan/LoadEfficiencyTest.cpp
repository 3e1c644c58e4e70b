// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Load efficiencies by enumerating lanes, against the formulas of Table II of
/// Liang et al. (TCAD 2015), and traffic by them.

#include "sluice/Plan/LoadEfficiency.h"
#include "../Analysis/KernelsByHand.h"
#include "gtest/gtest.h"
#include <algorithm>

using namespace sluice;

namespace {

/// A load of \p Dsize bytes by each lane of a warp.
std::optional<RequestCounts> requestsOfWarp(const AddressForm &Address,
                                            unsigned Dsize) {
  return requestsOf(footprintOf(load(Address, Dsize), block(32)));
}

FetchEfficiency byLanes(const AddressForm &Address, unsigned Dsize) {
  std::optional<RequestCounts> R = requestsOfWarp(Address, Dsize);
  if (!R) {
    ADD_FAILURE() << "not enumerated";
    return {};
  }
  return *efficiencyOf(*R);
}

/// V + Esize * (tid * C0)
FetchEfficiency strided(unsigned Esize, unsigned C0, unsigned Dsize) {
  return byLanes(arg(0) + int64_t(Esize * C0) * tid(), Dsize);
}
/// V + Esize * (tid / C0)
FetchEfficiency shared(unsigned Esize, unsigned C0, unsigned Dsize) {
  return byLanes(arg(0) + Esize * op(AddressOp::UDiv, tid(), C0), Dsize);
}

// Table II, its rows as they are printed.
double stridedAsPrinted(double Esize, double C0, double Dsize, double Bsize) {
  return std::min(std::max(Bsize / (Esize * C0), 1.0), 32.0) * Dsize / Bsize;
}
double sharedAsPrinted(double Esize, double C0, double Dsize, double Bsize) {
  return std::min(std::max(Esize * 32 / C0, 1.0), Bsize) * Dsize /
         (Esize * Bsize);
}
double uniformAsPrinted(double Dsize, double Bsize) {
  return std::min(Dsize / Bsize, 1.0);
}

TEST(LoadEfficiency, StridedLanesAreTheFirstRowOfTableII) {
  struct {
    unsigned Esize, C0, Dsize;
  } const Rows[] =
      {
          {4, 1, 4},   // A[tid]
          {8, 1, 8},   // doubles
          {16, 1, 16}, // float4
          {1, 1, 1},   // bytes: 32 of a line
          {2, 1, 2},   {4, 2, 4},   {4, 3, 4},  {4, 8, 4},
          {4, 32, 4}, // columns of a matrix: a line each
          {4, 512, 4}, {16, 1, 4},  {24, 1, 4}, {48, 1, 16},
          {64, 1, 4},  {256, 1, 8}, {12, 4, 4},
      };
  for (auto [Esize, C0, Dsize] : Rows) {
    FetchEfficiency E = strided(Esize, C0, Dsize);
    EXPECT_DOUBLE_EQ(E.On, stridedAsPrinted(Esize, C0, Dsize, 128))
        << Esize << " " << C0 << " " << Dsize;
    EXPECT_DOUBLE_EQ(E.Off, stridedAsPrinted(Esize, C0, Dsize, 32))
        << Esize << " " << C0 << " " << Dsize;
  }
}

TEST(LoadEfficiency, LanesThatShareAreTheSecondRowOfTableII) {
  struct {
    unsigned Esize, C0, Dsize;
  } const Rows[] = {
      {4, 1, 4},  {4, 2, 4}, {4, 16, 4}, // d_data[num + tid / 16] of syrk
      {4, 32, 4}, {8, 4, 8}, {16, 2, 16}, {32, 4, 4},
  };
  for (auto [Esize, C0, Dsize] : Rows) {
    FetchEfficiency E = shared(Esize, C0, Dsize);
    EXPECT_DOUBLE_EQ(E.On, sharedAsPrinted(Esize, C0, Dsize, 128))
        << Esize << " " << C0 << " " << Dsize;
    EXPECT_DOUBLE_EQ(E.Off, sharedAsPrinted(Esize, C0, Dsize, 32))
        << Esize << " " << C0 << " " << Dsize;
  }
}

TEST(LoadEfficiency, OneAddressIsTheThirdRowOfTableII) {
  for (unsigned Dsize : {1, 2, 4, 8, 16}) {
    FetchEfficiency E = byLanes(arg(0) + 4 * iter(0), Dsize);
    EXPECT_DOUBLE_EQ(E.On, uniformAsPrinted(Dsize, 128)) << Dsize;
    EXPECT_DOUBLE_EQ(E.Off, uniformAsPrinted(Dsize, 32)) << Dsize;
  }
}

// What the lanes touch, where the table as it is printed says something else.
TEST(LoadEfficiency, WhereTableIIIsNotWhatLanesTouch) {
  // All lanes share one float, the formula has half of it for each 32 threads.
  EXPECT_DOUBLE_EQ(shared(4, 64, 4).On, 4.0 / 128);
  EXPECT_DOUBLE_EQ(sharedAsPrinted(4, 64, 4, 128), 2.0 / 128);
  // Lanes 0 to 31 share 7 elements by fives, not 6.4.
  EXPECT_DOUBLE_EQ(shared(4, 5, 4).On, 7 * 4.0 / 128);
  EXPECT_DOUBLE_EQ(sharedAsPrinted(4, 5, 4, 128), 6.4 * 4 / 128);
  // A field of a struct that is larger than what is fetched: 4 bytes of each
  // 32 are used, whatever the struct's size.
  EXPECT_DOUBLE_EQ(shared(64, 1, 4).Off, 4.0 / 32);
  EXPECT_DOUBLE_EQ(sharedAsPrinted(64, 1, 4, 32), 4.0 / 64);
  // 32 bytes five apart lie in two lines, not in 1.25.
  EXPECT_DOUBLE_EQ(strided(1, 5, 1).On, 32.0 / 256);
  EXPECT_DOUBLE_EQ(stridedAsPrinted(1, 5, 1, 128), 32.0 / 160);
}

// Patterns that the table has not.
TEST(LoadEfficiency, AnyFormOfLanesIsEnumerated) {
  // A 16 x 16 block that reads rows of 64 bytes of a matrix: half a line each.
  AccessFootprint Tile =
      footprintOf(load(arg(0) + 4 * tid(0) + 4096 * tid(1)), block(16, 16));
  EXPECT_DOUBLE_EQ(efficiencyOf(*requestsOf(Tile))->On, 0.5);
  EXPECT_DOUBLE_EQ(efficiencyOf(*requestsOf(Tile))->Off, 1);
  // tid & 3
  FetchEfficiency Masked =
      byLanes(arg(0) + 4 * op(AddressOp::And, tid(), 3), 4);
  EXPECT_DOUBLE_EQ(Masked.On, 16.0 / 128);
  EXPECT_DOUBLE_EQ(Masked.Off, 16.0 / 32);
}

TEST(LoadEfficiency, WhatIsNotKnownIsNotEnumerated) {
  EXPECT_FALSE(requestsOfWarp(4 * loaded(0), 4)) << "indirect";
  EXPECT_FALSE(requestsOfWarp(var(Variable::Varying, 0), 4));
  // Iterations of an inner loop counted together are no request.
  KernelFacts K = kernel({});
  addInnerLoop(K, 0, 8).Accesses = {load(arg(0) + 128 * tid() + 4 * iter(1))};
  EXPECT_FALSE(requestsOf(footprint(K, block(32)).Accesses[0]));
  EXPECT_TRUE(requestsOf(footprint(K, block(32), 1).Accesses[0]));
}

TEST(LoadEfficiency, TheBestKnownIsTaken) {
  RequestCounts Enumerated{128, 1, 4}, Measured{128, 32, 32}, Program{64, 1, 4};
  EXPECT_EQ(loadEfficiency(Enumerated, Measured, Program).On, 1);
  EXPECT_EQ(loadEfficiency(std::nullopt, Measured, Program).Off, 1.0 / 8);
  EXPECT_EQ(loadEfficiency(std::nullopt, std::nullopt, Program).On, 0.5);
  FetchEfficiency Nothing =
      loadEfficiency(std::nullopt, std::nullopt, RequestCounts());
  EXPECT_EQ(Nothing.On, 1);
  EXPECT_EQ(Nothing.Off, 1);
}

TEST(LoadEfficiency, AProgramsIsOfAllItsLoads) {
  Profile P;
  P.Kernels.resize(2);
  AccessProfile Wide, Scattered, Store;
  Wide.Kind = Scattered.Kind = "load";
  Store.Kind = "store";
  Wide.Counts.UsefulBytes = 1280, Wide.Counts.Lines = 10;
  Wide.Counts.Sectors = 40;
  Scattered.Counts.UsefulBytes = 128, Scattered.Counts.Lines = 32;
  Scattered.Counts.Sectors = 32;
  Store.Counts = Scattered.Counts;
  P.Kernels[0].Accesses = {Wide, Store};
  P.Kernels[1].Accesses = {Scattered, AccessProfile()};
  RequestCounts All = requestsOfLoads(P);
  EXPECT_EQ(All.UsefulBytes, 1408u);
  EXPECT_EQ(All.Lines, 42u);
  EXPECT_EQ(All.Sectors, 72u);
  EXPECT_FALSE(requestsOf(AccessCounts()));
}

// The numbers of sections IV-A and IV-C.
TEST(L2Traffic, OfWholeLinesIsThePapers) {
  // "For an aligned 16-byte data request": 12.5 % and 50 %.
  FetchEfficiency E = *efficiencyOf({16, 1, 1});
  EXPECT_EQ(E.On, 0.125);
  EXPECT_EQ(E.Off, 0.5);
  // Aligned 64-byte data: one line, or two sectors; n = 2.
  L2Traffic T = trafficOfLines(100, 0, *efficiencyOf({64, 1, 2}));
  EXPECT_EQ(T.On, 100u * 128);
  EXPECT_EQ(T.Off, 100u * 2 * 32);
  EXPECT_EQ(T.reduction(), -6400) << "caching fetches what nobody wants";
  // It pays from half of the accesses hitting on.
  EXPECT_EQ(trafficOfLines(100, 50, *efficiencyOf({64, 1, 2})).reduction(), 0);
  EXPECT_GT(trafficOfLines(100, 51, *efficiencyOf({64, 1, 2})).reduction(), 0);
}

TEST(L2Traffic, OfSectorsIsNeverMoreWithTheL1) {
  for (uint64_t Hits : {0, 1, 50, 100}) {
    L2Traffic T = trafficOfSectors(100, Hits);
    EXPECT_EQ(T.Off, 3200u);
    EXPECT_EQ(T.reduction(), int64_t(32 * Hits));
  }
}

// What whole lines bring too much is what sectors save.
TEST(L2Traffic, BypassingMovesTheSameSectorsOnBoth) {
  RequestCounts R{96, 5, 7};
  EXPECT_EQ(trafficOfLines(5000, 0, *efficiencyOf(R)).Off,
            trafficOfSectors(7000, 0).Off);
}

} // namespace
