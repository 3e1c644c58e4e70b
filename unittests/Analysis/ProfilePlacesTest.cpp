// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// A profile against a source that is as it was, has moved or has changed.

#include "ProfilesByHand.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace sluice;

namespace {

constexpr StringLiteral Helper = "__device__ float h(float *A) {\n"
                                 "  return A[1];\n"
                                 "}\n";
constexpr StringLiteral Kernel = "__global__ void k(float *A) {\n"
                                 "  A[0] = A[2] +\n"
                                 "         h(A);\n"
                                 "}\n";

/// A profile of `Helper + Kernel`: two loads, one of them inlined, and a store.
KernelProfile profileOfBoth() {
  std::string Source = (Helper + Kernel).str();
  KernelProfile K;
  static_cast<FunctionText &>(K) = describeFunction("a.cu", Source, 4);
  K.Inlined = {describeFunction("a.cu", Source, 1)};
  AccessProfile Inlined = accessAt(2, 10);
  Inlined.Id.InlinedAt = {{"a.cu", 6, 10}};
  AccessProfile Elsewhere = accessAt(5, 1);
  Elsewhere.Id.Place.File = "b.cuh";
  K.Accesses = {accessAt(5, 10), accessAt(5, 8, "store"), Inlined, Elsewhere};
  LoopProfile Loop;
  Loop.Id.Place = {"a.cu", 7, 1};
  K.Loops = {Loop};
  return K;
}

std::string placesOf(const KernelProfile &K) {
  std::string Text = std::to_string(K.FirstLine) + "-" +
                     std::to_string(K.LastLine) + " " +
                     std::to_string(K.Inlined[0].FirstLine) + "-" +
                     std::to_string(K.Inlined[0].LastLine);
  for (const AccessProfile &Access : K.Accesses)
    Text += ", " + Access.Id.str();
  return Text + ", " + K.Loops[0].Id.str();
}

const char *const WhereTheyWere =
    "4-7 1-3, a.cu:5:10, a.cu:5:8, a.cu:2:10 inlined at a.cu:6:10, b.cuh:5:1, "
    "a.cu:7:1";

TEST(CompareWithSource, TellsTheStates) {
  KernelProfile K = profileOfBoth();
  std::string Source = (Helper + Kernel).str();
  EXPECT_EQ(compareWithSource(K, Source, 4), ProfileState::Current);
  EXPECT_EQ(compareWithSource(K, "\n" + Source, 5), ProfileState::Moved);
  EXPECT_EQ(compareWithSource(K, "\n" + Source, 4), ProfileState::Stale);
  EXPECT_EQ(compareWithSource(K, Kernel, 1), ProfileState::Moved);
  EXPECT_EQ(compareWithSource(K, "", 4), ProfileState::Stale);
  K.TextHash.clear();
  EXPECT_EQ(compareWithSource(K, Source, 4), ProfileState::Unknown);
}

TEST(MoveProfile, ShiftsThePlacesInTheKernelsText) {
  KernelProfile K = profileOfBoth();
  moveProfile(K, 14);
  EXPECT_EQ(placesOf(K), "14-17 1-3, a.cu:15:10, a.cu:15:8, a.cu:2:10 inlined "
                         "at a.cu:16:10, b.cuh:5:1, a.cu:17:1");
  moveProfile(K, 4);
  EXPECT_EQ(placesOf(K), WhereTheyWere);
  moveProfile(K, 0);
  EXPECT_EQ(placesOf(K), WhereTheyWere) << "no line";
}

TEST(UpdateProfile, LeavesACurrentOne) {
  KernelProfile K = profileOfBoth();
  EXPECT_EQ(updateProfile(K, "a.cu", (Helper + Kernel).str()),
            ProfileState::Current);
  EXPECT_EQ(placesOf(K), WhereTheyWere);
}

TEST(UpdateProfile, MovesTheKernelAndWhatItInlines) {
  KernelProfile K = profileOfBoth();
  EXPECT_EQ(updateProfile(K, "a.cu", ("\n\n" + Helper + "\n" + Kernel).str()),
            ProfileState::Moved);
  EXPECT_EQ(placesOf(K), "7-10 3-5, a.cu:8:10, a.cu:8:8, a.cu:4:10 inlined at "
                         "a.cu:9:10, b.cuh:5:1, a.cu:10:1");
}

TEST(UpdateProfile, MovesEachWhereTheOtherWas) {
  KernelProfile K = profileOfBoth();
  EXPECT_EQ(updateProfile(K, "a.cu", (Kernel + Helper).str()),
            ProfileState::Moved);
  EXPECT_EQ(placesOf(K), "1-4 5-7, a.cu:2:10, a.cu:2:8, a.cu:6:10 inlined at "
                         "a.cu:3:10, b.cuh:5:1, a.cu:4:1");
}

TEST(UpdateProfile, TellsAStaleOne) {
  std::string Changed = (Helper + Kernel).str();
  Changed.replace(Changed.find("A[1]"), 4, "A[3]");
  for (const std::string &Source : {Changed, Kernel.str(), std::string()}) {
    KernelProfile K = profileOfBoth();
    EXPECT_EQ(updateProfile(K, "a.cu", Source), ProfileState::Stale);
    EXPECT_EQ(placesOf(K), WhereTheyWere);
  }
}

TEST(UpdateProfile, KnowsNothingOfOtherFiles) {
  KernelProfile K = profileOfBoth();
  EXPECT_EQ(updateProfile(K, "b.cuh", ""), ProfileState::Unknown);
  K.TextHash.clear();
  EXPECT_EQ(updateProfile(K, "a.cu", (Helper + Kernel).str()),
            ProfileState::Unknown);
}

} // namespace
