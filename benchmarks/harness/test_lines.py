# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lines' hits, from traces as the emulator writes them."""

import unittest

from . import lines

LAUNCH = "launch _Z6kernelPc grid 1,1,1 block 32,1,1 shared 0"


def event(kind, size, *addresses, lanes=1):
    where = " ".join(addresses)
    return f"{kind} block 0 warp 0 lanes {lanes:08x} a.cu:1 bytes {size} {where}"


def counts(*trace, launch=LAUNCH):
    found = lines.kernels_of([launch, *trace])["_Z6kernelPc"]
    return found.through, found.misses, found.past


FETCH = [
    event("load", 16, "g1000"),
    *(event("store", 4, f"s{address}") for address in ("0", "80", "100", "180")),
]
BYTE = event("load", 1, "s81")


class Lines(unittest.TestCase):
    def test_the_access_behind_a_fetch_is_a_miss(self):
        self.assertEqual(counts(*FETCH, BYTE, BYTE, BYTE), (3, 1, 0))
        self.assertEqual(counts(*FETCH, BYTE, *FETCH, BYTE), (2, 2, 0))

    def test_accesses_of_global_memory_go_past_lines(self):
        past = [event("load", 1, "g1000"), event("store", 4, "g2000")]
        self.assertEqual(counts(*past, *FETCH, BYTE, *past[1:]), (1, 1, 3))

    def test_what_is_written_back_is_no_access(self):
        write = event("store", 1, "s81")
        back = [BYTE, event("store", 1, "g1005")]
        self.assertEqual(counts(*FETCH, write, *back), (1, 1, 0))
        words = [event("load", 4, f"s{a}") for a in ("0", "80", "100", "180")]
        whole = [*words, event("store", 16, "g1000")]
        self.assertEqual(counts(*FETCH, write, write, *whole), (2, 1, 0))

    def test_a_line_that_is_only_written_is_never_fetched(self):
        write = event("store", 4, "s80")
        back = [event("load", 4, "s80"), event("store", 4, "g3004")]
        self.assertEqual(counts(write, write, *back), (2, 1, 0))
        self.assertEqual(counts(write, *back, write, *back), (2, 2, 0))

    def test_what_several_threads_touch_is_the_programs_own(self):
        both = event("load", 4, "s400", "s400", lanes=3)
        self.assertEqual(counts(both, *FETCH, BYTE), (1, 1, 0))

    def test_threads_have_their_own_lines(self):
        other = [line.replace("lanes 00000001", "lanes 00000002") for line in FETCH]
        other = [line.replace(" s", " s4") for line in other]
        access = event("load", 1, "s81", "s481", lanes=3)
        self.assertEqual(counts(*FETCH, *other, access), (2, 2, 0))

    def test_launches_add_up_and_fills_are_left_out(self):
        fill = "launch _ZN5bench4fillEPc grid 1,1,1 block 32,1,1 shared 0"
        store = event("store", 1, "g1000")
        self.assertEqual(counts(store, LAUNCH, store, fill, store), (0, 0, 2))

    def test_what_it_cannot_follow_ends_it(self):
        with self.assertRaises(SystemExit):
            counts(event("load", 16, "g1000"), event("load", 1, "g1000"))


if __name__ == "__main__":
    unittest.main()
