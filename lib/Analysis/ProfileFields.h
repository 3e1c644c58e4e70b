// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The counts of an access, and the parts of a predicted time, by their names,
/// which YAML and JSON share.

#ifndef SLUICE_LIB_ANALYSIS_PROFILEFIELDS_H
#define SLUICE_LIB_ANALYSIS_PROFILEFIELDS_H

#include "sluice/Analysis/Profile.h"

namespace sluice {

struct CountField {
  const char *Key;
  uint64_t AccessCounts::*Count;
};

inline constexpr CountField CountFields[] = {
    {"requests", &AccessCounts::Requests},
    {"lanes", &AccessCounts::Lanes},
    {"bytes", &AccessCounts::Bytes},
    {"useful-bytes", &AccessCounts::UsefulBytes},
    {"lines", &AccessCounts::Lines},
    {"sectors", &AccessCounts::Sectors},
    {"hits", &AccessCounts::Hits},
    {"pending-hits", &AccessCounts::PendingHits},
    {"dram-sectors", &AccessCounts::DRAMSectors},
};

struct TimeField {
  const char *Key;
  uint64_t PredictedTime::*Count;
};

inline constexpr TimeField TimeFields[] = {
    {"cycles", &PredictedTime::Cycles},
    {"issue", &PredictedTime::IssueCycles},
    {"tag-stage", &PredictedTime::TagCycles},
    {"l2", &PredictedTime::L2Cycles},
    {"dram", &PredictedTime::DRAMCycles},
    {"nanoseconds", &PredictedTime::Nanoseconds},
};

} // namespace sluice

#endif
