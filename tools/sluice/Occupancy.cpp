// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// `sluice occupancy`: what one SM holds of a launch, for one architecture or
/// for a comparison of all.

#include "sluice/Target/Occupancy.h"
#include "Subcommands.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"
#include <vector>

using namespace llvm;
using namespace sluice;

namespace {

/// Made when the subcommand runs, so that other subcommands can have options
/// of the same names.
struct Options {
  cl::OptionCategory Category{"sluice occupancy options"};
  cl::opt<std::string> GPU{
      "gpu", cl::desc("Architecture, such as sm_90, or all for a row each"),
      cl::value_desc("name"), cl::Required, cl::cat(Category)};
  cl::opt<unsigned> Block{"block", cl::desc("Threads of a thread block"),
                          cl::value_desc("threads"), cl::Required,
                          cl::cat(Category)};
  cl::opt<unsigned> Registers{
      "registers", cl::desc("Registers of a thread (default 32)"),
      cl::value_desc("count"), cl::init(32), cl::cat(Category)};
  cl::opt<uint64_t> Shared{
      "shared",
      cl::desc("Shared memory of a thread block, static and dynamic together "
               "(default 0)"),
      cl::value_desc("bytes"), cl::init(0), cl::cat(Category)};
  cl::opt<uint64_t> Grid{
      "grid",
      cl::desc("Thread blocks of the grid (default: enough to fill the GPU)"),
      cl::value_desc("blocks"), cl::cat(Category)};
  cl::opt<unsigned> SMs{
      "sms",
      cl::desc("SMs of the GPU (default: the architecture's largest chip)"),
      cl::value_desc("count"), cl::cat(Category)};
};

} // namespace

static Expected<std::vector<const GPUModel *>> selectGPUs(StringRef Name) {
  std::vector<const GPUModel *> GPUs;
  if (Name == "all") {
    for (const GPUModel &GPU : allGPUModels())
      GPUs.push_back(&GPU);
    return GPUs;
  }
  Expected<const GPUModel *> GPU = findGPUModel(Name);
  if (!GPU)
    return GPU.takeError();
  GPUs.push_back(*GPU);
  return GPUs;
}

static void printRow(raw_ostream &OS, const GPUModel &GPU, const Occupancy &O) {
  OS << format("%-7s %6u %5u %8u%% %12u %6u  ", GPU.Name.str().c_str(),
               O.BlocksPerSM, O.WarpsPerSM,
               (100 * O.WarpsPerSM + GPU.MaxWarps / 2) / GPU.MaxWarps,
               O.CarveoutKiB, unsigned(O.L1Bytes / 1024))
     << O.LimitedBy << '\n';
}

int sluice::occupancyMain(int argc, char **argv) {
  static Options Opts;
  cl::HideUnrelatedOptions(Opts.Category);
  if (!cl::ParseCommandLineOptions(
          argc, argv, "What one SM holds of a launch, and the L1 it leaves\n",
          &errs()))
    return 1;

  auto Fail = [&](Error E) {
    WithColor::error(errs(), argv[0]) << toString(std::move(E)) << '\n';
    return 1;
  };
  Expected<std::vector<const GPUModel *>> GPUs = selectGPUs(Opts.GPU);
  if (!GPUs)
    return Fail(GPUs.takeError());

  BlockResources Block;
  Block.ThreadsPerBlock = Opts.Block;
  Block.RegistersPerThread = Opts.Registers;
  Block.DynamicSharedBytes = Opts.Shared;
  std::optional<uint64_t> Grid;
  if (Opts.Grid.getNumOccurrences())
    Grid = Opts.Grid;

  std::string Rows;
  raw_string_ostream Table(Rows);
  bool AnyFits = false;
  for (const GPUModel *GPU : *GPUs) {
    unsigned SMs = Opts.SMs.getNumOccurrences() ? Opts.SMs : GPU->DefaultSMs;
    Expected<Occupancy> O = computeOccupancy(*GPU, Block, Grid, SMs);
    if (O) {
      AnyFits = true;
      printRow(Table, *GPU, *O);
      continue;
    }
    // A block may be too large for one architecture of several; only when none
    // takes it is the request at fault.
    if (!AnyFits && GPU == GPUs->back())
      return Fail(O.takeError());
    Table << format("%-7s ", GPU->Name.str().c_str()) << toString(O.takeError())
          << '\n';
  }
  outs() << "GPU     blocks warps occupancy carveout KiB L1 KiB  limited by\n"
         << Rows;
  return 0;
}
