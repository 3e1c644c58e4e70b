// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The plugin's part of a device compile: it notes what clang parses and, when
/// the file has been read, plans, rewrites kernels, lets clang generate code,
/// and reports.

#ifndef SLUICE_PLUGIN_DEVICECONSUMER_H
#define SLUICE_PLUGIN_DEVICECONSUMER_H

#include "sluice/Frontend/RecordingConsumer.h"
#include "sluice/Plan/HostRecord.h"
#include "sluice/Plan/Options.h"
#include "sluice/Planning/DevicePlan.h"
#include <optional>

namespace sluice {

class ThrottleExecutor;
class TurnWriter;
struct GPUModel;

class DeviceConsumer : public RecordingConsumer {
public:
  /// \p Args: what \p Opts was parsed from, for passes. \p Measured: what
  /// Opts.ProfileFile holds, if anything is there. \p GPU is
  /// null where the text is to be written as it is.
  DeviceConsumer(clang::CompilerInstance &CI, Options Opts,
                 std::vector<std::string> Args, std::optional<Profile> Measured,
                 const GPUModel *GPU);
  ~DeviceConsumer() override;

  void HandleTranslationUnit(clang::ASTContext &Context) override;

private:
  void prepare();
  bool takeGivenPlans();
  void passOn(const HostRequests &Requests);
  void execute(std::unique_ptr<TurnWriter> NewWriter);
  void writeSource();
  void report();

  clang::CompilerInstance &CI;
  const Options Opts;
  const std::vector<std::string> Args;
  const std::optional<Profile> Measured;
  const GPUModel *GPU;
  DevicePlan Device;
  std::unique_ptr<TurnWriter> Writer;         ///< Null: nothing is throttled.
  std::unique_ptr<ThrottleExecutor> Executor; ///< Null: nothing is planned.
};

/// "nothing is transformed at -O0; ..."
extern const char *const NothingAtO0;

} // namespace sluice

#endif
