// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What a replay is to do, as a text file: one directive a line, words
/// separated by blanks, `#` begins a comment.
///
///   results FILE            where to append JSON lines; relative to the job
///   candidate ID IMAGE [carveout=[KERNEL:]PERCENT] [claim=[KERNEL:]BYTES]
///             [kernel=NAME]
///                           a cubin or PTX file that may hold other code for
///                           the program's kernels; `program` as IMAGE is the
///                           program's own; with a kernel, for that one only;
///                           a claim is dynamic shared memory that its launches
///                           get on top of the program's
///   base ID                 the candidate that the program itself runs, and
///                           whose results are right (else the first)
///   kernel NAME             replay this kernel (mangled); none: all that some
///                           candidate has
///   ignore TEXT             not the kernels whose mangled name contains TEXT
///   dump KERNEL INDEX FILE  after each launch of the kernel (mangled), write
///                           the buffer that its argument INDEX, from 0, points
///                           into: the first such buffer to FILE.0, the next to
///                           FILE.1 and so on
///   rounds N                measurements of each candidate (7)
///   launches N              launches of each kernel that are replayed (4)
///   stop-losers PERCENT     a candidate that is so much slower than the best
///                           after three rounds is measured no more (off)
///   best FILE               where this run and others of the job's kind tell
///                           each other the best times so far, for stop-losers
///   time-limit SECONDS      replay no more after that
///   time-wrong yes|no       time also what leaves other bytes than the base
///   (no)
///
/// Standard C++ only: this is read on machines without LLVM.

#ifndef SLUICE_TUNING_REPLAY_JOB_H
#define SLUICE_TUNING_REPLAY_JOB_H

#include <map>
#include <string>
#include <vector>

namespace sluice::replay {

struct Candidate {
  std::string Id;
  std::string Image; ///< Path; empty: the program's own code.
  /// Per cent of shared memory wanted, by kernel; "" is all others. None: what
  /// the program asks for.
  std::map<std::string, int> Carveouts;
  /// Dynamic shared memory on top of the program's, likewise. None: 0.
  std::map<std::string, int> Claims;
  std::string Kernel; ///< Mangled; empty: all that the image has.

  /// -1: what the program asks for.
  int carveout(const std::string &OfKernel) const;
  unsigned claim(const std::string &OfKernel) const;
};

struct Dump {
  std::string Kernel;
  unsigned Argument = 0;
  std::string File;
};

struct Job {
  std::string Results;
  std::vector<Candidate> Candidates;
  size_t Base = 0; ///< Index of a candidate.
  std::vector<std::string> Kernels;
  std::vector<std::string> Ignored;
  std::vector<Dump> Dumps;
  unsigned Rounds = 7;
  unsigned Launches = 4;
  double StopLosers = 0; ///< Per cent; 0: never.
  std::string Best;      ///< Path; empty: no other runs.
  double TimeLimit = 0;  ///< Seconds; 0: none.
  bool TimeWrong = false;

  bool wants(const std::string &Kernel) const;
};

/// Reads a job. On false, \p Error says "FILE:LINE: what is wrong".
bool readJob(const std::string &Path, Job &Result, std::string &Error);

} // namespace sluice::replay

#endif
