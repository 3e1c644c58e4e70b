// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The vote. The thesis samples with blocks of a launch of their own, one number
// of warps for each, and then, so that an SM is as full as it will be, with one
// number for each SM. Here the kernel's own blocks do the latter. A number's
// result is the mean time of its warps: an SM that is full runs the more warps
// the less time each takes.
//
// Who votes: launches of one kernel with the same grid and the same blocks,
// until as many threads have voted as one block on each SM has. What was found
// holds for later launches like these. Nothing is asked of the host; launches
// that run at the same time share a vote. That a launch has less than one block
// for each SM, or finds its entry taken by another shape, leaves it with all
// warps in the cache. What is read here decides where data is cached and
// nothing else, so that no order of these accesses matters.
//
// Whoever does not vote reads one word and writes nothing: what is written to
// local memory is written back when a warp ends, which took as long as a whole
// small kernel.
//
// An entry of 256 bytes, one of 16, by the shape's hash:
//
//      0  the hash; in its lowest byte 1 + the warps found, or 0
//      8  threads that voted
//     16 + 16 c  the time of those with number c
//     24 + 16 c  how many they are
//
// Number c of 0 to 8 is c eighths of the warps, rounded up.

#include "WarpPartition.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace sluice;

/// `thread`, declared here, is the thread's number in its block.
static constexpr StringLiteral ThreadText = R"(.reg .b32 thread, size, at;
	mov.u32 thread, %tid.z;
	mov.u32 size, %ntid.y;
	mov.u32 at, %tid.y;
	mad.lo.u32 thread, thread, size, at;
	mov.u32 size, %ntid.x;
	mov.u32 at, %tid.x;
	mad.lo.u32 thread, thread, size, at;
	)";

/// Sets `threads` to those of a block; by way of `rest`.
static constexpr StringLiteral ThreadsText = R"(mov.u32 threads, %ntid.x;
	mov.u32 rest, %ntid.y;
	mul.lo.u32 threads, threads, rest;
	mov.u32 rest, %ntid.z;
	mul.lo.u32 threads, threads, rest;)";

/// \p Text with \p New in place of \p Word, which it has once.
static std::string withText(StringRef Text, StringRef Word, StringRef New) {
  auto [Before, Behind] = Text.split(Word);
  return (Before + New + Behind).str();
}

/// Sets `warps`, declared here, to how many use the cache.
static std::string votedText(StringRef Votes) {
  static constexpr StringLiteral Text = R"(.reg .pred is, empty, first;
	.reg .b32 threads, warps, blocks, sms, number, found, rest;
	.reg .b64 hash, entry, key, part, time;
	THREADS
	add.u32 warps, threads, 31;
	shr.u32 warps, warps, 5;
	setp.ne.u32 sluice_votes, threads, threads;
	mov.u32 blocks, %nctaid.x;
	cvt.u64.u32 hash, blocks;
	mov.u32 rest, %nctaid.y;
	mul.lo.u32 blocks, blocks, rest;
	cvt.u64.u32 part, rest;
	mad.lo.u64 hash, hash, 0x9E3779B97F4A7C15, part;
	mov.u32 rest, %nctaid.z;
	mul.lo.u32 blocks, blocks, rest;
	cvt.u64.u32 part, rest;
	mad.lo.u64 hash, hash, 0x9E3779B97F4A7C15, part;
	cvt.u64.u32 part, threads;
	mad.lo.u64 hash, hash, 0x9E3779B97F4A7C15, part;
	mul.lo.u64 hash, hash, 0x9E3779B97F4A7C15;
	or.b64 hash, hash, 256;
	and.b64 hash, hash, -256;
	mov.u32 sms, %nsmid;
	setp.lt.u32 is, blocks, sms;
	@is bra KNOWN;
	shr.u64 part, hash, 60;
	shl.b64 part, part, 8;
	mov.u64 entry, VOTES;
	add.u64 entry, entry, part;
	ld.relaxed.gpu.global.u64 key, [entry];
	setp.eq.u64 empty, key, 0;
	and.b64 part, key, -256;
	setp.eq.or.u64 is, part, hash, empty;
	@!is bra KNOWN;
	cvt.u32.u64 found, key;
	and.b32 found, found, 255;
	setp.ne.u32 is, found, 0;
	@is sub.u32 warps, found, 1;
	@is bra KNOWN;
	setp.eq.u32 sluice_votes, threads, threads;
	and.b32 rest, thread, 31;
	setp.eq.and.u32 first, rest, 0, empty;
	@first atom.relaxed.gpu.global.cas.b64 key, [entry], 0, hash;
	mov.u32 rest, %smid;
	rem.u32 number, rest, 9;
	mad.lo.u32 warps, warps, number, 7;
	shr.u32 warps, warps, 3;
	st.local.u32 [sluice_vote], number;
	st.local.u64 [sluice_vote+8], entry;
	mov.u64 time, %clock64;
	st.local.u64 [sluice_vote+16], time;
	KNOWN:
	)";
  return withText(withText(Text, "THREADS", ThreadsText), "VOTES", Votes);
}

std::string sluice::firstWarpsText(const CachedWarps &Warps, StringRef Into) {
  if (Warps.Votes.empty())
    return formatv("{{\n\t{0}setp.lt.u32 {1}, thread, {2};\n\t}", ThreadText,
                   Into, 32 * Warps.Number);
  return formatv(".local .align 8 .b8 sluice_vote[24];\n\t"
                 ".reg .pred sluice_votes;\n\t{{\n\t{0}{1}"
                 "shl.b32 warps, warps, 5;\n\t"
                 "setp.lt.u32 {2}, thread, warps;\n\t}",
                 ThreadText, votedText(Warps.Votes), Into);
}

std::string sluice::voteText() {
  static constexpr StringLiteral Text = R"({
	.reg .pred is, better;
	.reg .b32 number, lanes, before, rest, threads, wanted, best;
	.reg .b64 entry, time, now, at, sum, count, least;
	@!sluice_votes bra DONE;
	ld.local.u32 number, [sluice_vote];
	activemask.b32 lanes;
	mov.u32 rest, %lanemask_lt;
	and.b32 rest, rest, lanes;
	setp.ne.u32 is, rest, 0;
	@is bra DONE;
	popc.b32 lanes, lanes;
	ld.local.u64 entry, [sluice_vote+8];
	ld.local.u64 time, [sluice_vote+16];
	mov.u64 now, %clock64;
	sub.u64 time, now, time;
	cvt.u64.u32 count, lanes;
	mul.lo.u64 time, time, count;
	mad.wide.u32 at, number, 16, entry;
	red.relaxed.gpu.global.add.u64 [at+16], time;
	red.relaxed.gpu.global.add.u64 [at+24], count;
	fence.acq_rel.gpu;
	atom.relaxed.gpu.global.add.u32 before, [entry+8], lanes;
	THREADS
	mov.u32 rest, %nsmid;
	mul.lo.u32 wanted, threads, rest;
	setp.ge.u32 is, before, wanted;
	@is bra DONE;
	add.u32 before, before, lanes;
	setp.lt.u32 is, before, wanted;
	@is bra DONE;
	mov.u32 number, 9;
	mov.u32 best, 8;
	mov.u64 least, -1;
	NEXT:
	sub.u32 number, number, 1;
	mad.wide.u32 at, number, 16, entry;
	ld.relaxed.gpu.global.u64 sum, [at+16];
	ld.relaxed.gpu.global.u64 count, [at+24];
	max.u64 count, count, 1;
	div.u64 sum, sum, count;
	setp.ne.u64 is, sum, 0;
	setp.lt.and.u64 better, sum, least, is;
	@better mov.u32 best, number;
	setp.eq.u32 is, number, 8;
	@better mov.u64 least, sum;
	@!is bra COMPARED;
	shr.u64 sum, least, 5;
	sub.u64 least, least, sum;
	COMPARED:
	setp.ne.u32 is, number, 0;
	@is bra NEXT;
	add.u32 wanted, threads, 31;
	shr.u32 wanted, wanted, 5;
	mad.lo.u32 best, best, wanted, 7;
	shr.u32 best, best, 3;
	add.u32 best, best, 1;
	cvt.u64.u32 count, best;
	red.relaxed.gpu.global.add.u64 [entry], count;
	DONE:
	})";
  return withText(Text, "THREADS", ThreadsText);
}
