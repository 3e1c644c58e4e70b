// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Profiles as text: what is written, what is read, what is refused.

#include "ProfilesByHand.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace sluice;

namespace {

TEST(Profile, WritesEveryField) {
  EXPECT_EQ(textOf(fullProfile()), R"(---
sluice-profile:  1
source:          a.cu
gpu:             sm_90
origin:          emulator
runs:            2
kernels:
  - name:            _Z1kPf
    file:            a.cu
    first-line:      20
    last-line:       28
    text-hash:       00112233445566aa
    inlined:
      - { file: math.cuh, first-line: 8, last-line: 10, text-hash: ffeeddccbbaa9988 }
    registers:       31
    l1-bytes:        229376
    simulated-blocks: 24
    blocks:          3168
    launches:
      - grid:            [ 1056, 1, 1 ]
        block:           [ 16, 16, 1 ]
        shared:          1024
        launches:        3
    time:            { cycles: 1000, issue: 100, tag-stage: 800, l2: 400, dram: 50, nanoseconds: 12300 }
    accesses:
      - at:              'a.cu:24:12'
        kind:            load
        bytes:           4
        counts:          { requests: 64, lanes: 2048, bytes: 8192, useful-bytes: 4096, lines: 512, sectors: 1024, hits: 768, pending-hits: 128, dram-sectors: 96 }
        reuse:           { never: 105, counts: [ 7, 0, 0, 400 ] }
        sectors-alone:   1024
        hits-alone:      900
        copies:
          - { requests: 32, lanes: 1024, bytes: 4096, useful-bytes: 2048, lines: 256, sectors: 512, hits: 384, pending-hits: 64, dram-sectors: 48 }
          - { requests: 32, lanes: 1024, bytes: 4096, useful-bytes: 2048, lines: 256, sectors: 512, hits: 384, pending-hits: 64, dram-sectors: 48 }
      - at:              'math.cuh:9:10'
        inlined-at:      [ 'a.cu:25:7' ]
        kind:            load
        bytes:           8
        counts:          { requests: 64, lanes: 2048, bytes: 16384, useful-bytes: 16384, lines: 128, sectors: 512 }
        sectors-alone:   512
        hits-alone:      10
      - at:              'a.cu:26:8'
        kind:            store
        counts:          { requests: 1 }
    pairs:
      - { first: 0, second: 1, hits: 950 }
    loops:
      - loop:            'a.cu:23:5'
        entries:         64
        iterations:      640
        iteration-lines: 1280
        most-iteration-lines: 33
...
)");
}

TEST(Profile, WritesNoDefaults) {
  Profile P;
  P.GPU = "sm_90";
  EXPECT_EQ(textOf(P), R"(---
sluice-profile:  1
gpu:             sm_90
...
)");
}

Profile parse(StringRef Text) {
  auto P = parseProfile(Text, "p.yaml");
  if (P)
    return *P;
  ADD_FAILURE() << toString(P.takeError()) << "\n" << Text.str();
  return {};
}

TEST(Profile, RoundTrips) {
  Profile Full = fullProfile(), Large = fullProfile(), Empty;
  Large.Kernels.push_back(Large.Kernels[0]);
  Large.Kernels[1].Name = "second: kernel";
  Large.Kernels[1].TextHash = "0123456789012345"; // a number, but for quotes
  Large.Kernels[1].Accesses[0].Counts = {~0ull, ~0ull, ~0ull, ~0ull, ~0ull,
                                         ~0ull, ~0ull, 0,     0};
  Large.Kernels[1].Accesses[1].Reuse.Count.fill(1);
  Large.Kernels[1].Launches[0].Grid = {{1, std::nullopt, 3}};
  Empty.GPU = "sm_70";
  for (const Profile &P : {Full, Large, Empty})
    EXPECT_EQ(textOf(parse(textOf(P))), textOf(P));

  Profile Read = parse(textOf(Large));
  EXPECT_EQ(Read.Kernels[1].TextHash, "0123456789012345");
  EXPECT_EQ(Read.Kernels[1].Accesses[1].Reuse.Count[31], 1u);
  EXPECT_EQ(Read.Kernels[1].Accesses[0].Counts.Hits, ~0ull);
}

TEST(Profile, ReadsWhatIsWrittenByHand) {
  Profile P = parse("sluice-profile: 1\n"
                    "gpu: sm_90\n"
                    "kernels:\n"
                    "  - name: k\n"
                    "    accesses:\n"
                    "      - at: f.cu:3:5\n"
                    "        kind: load\n"
                    "        counts:\n"
                    "          sectors: 8\n"
                    "          hits: 4\n"
                    "      - {at: f.cu:3:5, kind: store}\n");
  ASSERT_EQ(P.Kernels.size(), 1u);
  ASSERT_EQ(P.Kernels[0].Accesses.size(), 2u);
  EXPECT_EQ(P.Kernels[0].Accesses[0].Counts.misses(), 4u);
  EXPECT_EQ(P.Runs, 1u);
}

//===--------------------------------------------------------------------===//
// Errors
//===--------------------------------------------------------------------===//

std::string parseError(StringRef Text) {
  auto P = parseProfile(Text, "p.yaml");
  return P ? "no error" : toString(P.takeError());
}

TEST(ProfileError, NamesTheLineAndTheColumn) {
  struct {
    const char *Text;
    const char *Error;
  } Cases[] = {
      {"", "p.yaml:1:1: no profile here: a profile begins with "
           "'sluice-profile: 1'"},
      {"---\n...\n", "p.yaml:1:1: no profile here: a profile begins with "
                     "'sluice-profile: 1'"},
      {"sluice-profile: 2\ngpu: sm_90\nfuture: 1\n",
       "p.yaml:1:17: the profile is of a newer version; this Sluice reads "
       "version 1"},
      {"sluice-profile: 0\ngpu: sm_90\n",
       "p.yaml:1:17: the version of a profile is a number: 1"},
      {"sluice-profile: new\ngpu: sm_90\n",
       "p.yaml:1:17: the version of a profile is a number: 1"},
      {"gpu: sm_90\n", "p.yaml:1:1: missing required key 'sluice-profile'"},
      {"sluice-plan: 1\ngpu: sm_90\n",
       "p.yaml:1:1: missing required key 'sluice-profile'"},
      {"sluice-profile: 1\n", "p.yaml:1:1: missing required key 'gpu'"},
      {"sluice-profile: 1\ngpu: ''\n", "p.yaml:2:6: a name must not be empty"},
      {"sluice-profile: 1\ngpu: sm_90\nruns: 0\n",
       "p.yaml:1:1: a profile is of at least one run"},
      {"sluice-profile: 1\ngpu: sm_90\nruns: 1.5\n",
       "p.yaml:3:7: invalid number"},
      {"sluice-profile: 1\ngpu: sm_90\nkernel: []\n",
       "p.yaml:3:1: unknown key 'kernel'"},
      {"int main() {}\n", "p.yaml:1:1: not a mapping"},
      {"sluice-profile: 1\ngpu: [sm_90\n",
       "p.yaml:2:12: Could not find closing ]!"},
      {"sluice-profile: 1\ngpu: sm_90\n---\nsluice-profile: 1\ngpu: sm_90\n",
       "p.yaml:4:1: a second profile: a file has one; `sluice profile merge` "
       "makes one of several"},
      {"sluice-profile: 1\ngpu: sm_90\nkernels: [{name: k}, {name: k}]\n",
       "p.yaml:1:1: kernel 'k' is in the profile twice"},
  };
  for (const auto &Case : Cases)
    EXPECT_EQ(parseError(Case.Text), Case.Error) << Case.Text;
}

TEST(ProfileError, OfAKernel) {
  struct {
    const char *Keys;
    const char *Error;
  } Cases[] = {
      {"accesses: [{kind: load}]", "p.yaml:5:17: missing required key 'at'"},
      {"accesses: [{at: f.cu:3:5}]",
       "p.yaml:5:17: missing required key 'kind'"},
      {"accesses: [{at: f.cu:3:5, kind: read}]",
       "p.yaml:5:37: kind is load, store or atomic"},
      {"accesses: [{at: f.cu, kind: load}]",
       "p.yaml:5:21: a place is FILE:LINE:COLUMN, FILE without its folder: "
       "'gesummv.cu:23:5'"},
      {"accesses: [{at: f.cu:3:5, kind: load, counts: {sectors: -1}}]",
       "p.yaml:5:61: invalid number"},
      {"accesses: [{at: f.cu:3:5, kind: load, counts: {misses: 1}}]",
       "p.yaml:5:52: unknown key 'misses'"},
      {"accesses: [{at: f.cu:3:5, kind: load, counts: {sectors: 4, hits: 3, "
       "pending-hits: 2}}]",
       "p.yaml:5:52: more sectors hit, or were on their way, than were asked "
       "for"},
      {"accesses: [{at: f.cu:3:5, kind: load, counts: {sectors: 4, hits: 3, "
       "dram-sectors: 2}}]",
       "p.yaml:5:52: more sectors came from DRAM than missed"},
      {"accesses: [{at: f.cu:3:5, kind: load, sectors-alone: 1, hits-alone: "
       "2}]",
       "p.yaml:5:17: more sectors hit alone than were asked for alone"},
      {"accesses: [{at: f.cu:3:5, kind: load, reuse: {counts: [0, 0, 0, 0, 0, "
       "0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, "
       "0, 0, 0, 0, 9]}}]",
       "p.yaml:5:156: expected at most 32 counts of reuse distances"},
      {"accesses: [{at: f.cu:3:5, kind: load}, {at: f.cu:3:5, kind: load}]",
       "p.yaml:4:5: kernel 'k' has load f.cu:3:5 twice"},
      {"loops: [{loop: f.cu:3:5}, {loop: f.cu:3:5}]",
       "p.yaml:4:5: kernel 'k' has loop f.cu:3:5 twice"},
      {"pairs: [{first: 1, second: 1}]",
       "p.yaml:4:5: kernel 'k' has pair 1, 1: the first must be less than the "
       "second"},
      {"pairs: [{first: 0, second: 1}]",
       "p.yaml:4:5: kernel 'k' has pair 0, 1 and 0 accesses, counted from 0"},
  };
  for (const auto &Case : Cases)
    EXPECT_EQ(parseError(std::string("sluice-profile: 1\n"
                                     "gpu: sm_90\n"
                                     "kernels:\n"
                                     "  - name: k\n"
                                     "    ") +
                         Case.Keys + "\n"),
              Case.Error)
        << Case.Keys;
}

//===--------------------------------------------------------------------===//
// Files
//===--------------------------------------------------------------------===//

TEST(ProfileFile, IsWrittenAndRead) {
  SmallString<128> Folder;
  ASSERT_FALSE(sys::fs::createUniqueDirectory("sluice-profile-test", Folder));
  std::string Path = (Folder + "/a.profile.yaml").str();
  std::string Missing = (Folder + "/no/a.yaml").str();

  EXPECT_EQ(toString(writeProfileFile(Path, fullProfile())), "");
  auto Read = readProfileFile(Path);
  EXPECT_EQ(Read ? textOf(*Read) : toString(Read.takeError()),
            textOf(fullProfile()));

  EXPECT_EQ(toString(writeProfileFile(Missing, fullProfile())),
            "cannot write profile '" + Missing +
                "': No such file or directory");
  auto NotThere = readProfileFile(Missing);
  ASSERT_FALSE(bool(NotThere));
  EXPECT_EQ(toString(NotThere.takeError()),
            "cannot read profile '" + Missing + "': No such file or directory");
  EXPECT_FALSE(sys::fs::remove_directories(Folder));
}

} // namespace
