# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which sets of hints a kernel gets, and where they stand in its text."""

import unittest

from . import hintsets

# x is written, a and b are not; a's load is there twice.
PTX = """\
.visible .entry k(
	.param .u64 k_param_0,
	.param .u64 k_param_1,
	.param .u64 k_param_2
)
{
	ld.param.b64 %rd1, [k_param_0];
	cvta.to.global.u64 %rd4, %rd1;
	ld.param.b64 %rd2, [k_param_1];
	cvta.to.global.u64 %rd5, %rd2;
	ld.param.b64 %rd3, [k_param_2];
	cvta.to.global.u64 %rd6, %rd3;
	.loc 1 7 9 // some/k.cu:7:9
	ld.global.b32 %r1, [%rd4];
	.loc 1 7 16 // some/k.cu:7:16
	ld.global.nc.b32 %r2, [%rd5];
	.loc 1 7 9 // some/k.cu:7:9
	ld.global.b32 %r3, [%rd4+4];
	.loc 1 8 5 // some/k.cu:8:5
	ld.global.b32 %r4, [%rd6];
	st.global.b32 [%rd6], %r4;
	ret;
}
"""
A, B, X = "k.cu:7:9", "k.cu:7:16", "k.cu:8:5"


def loads(ptx):
    return [line.split()[0] for line in ptx.splitlines() if "\tld.global" in line]


class HintSets(unittest.TestCase):
    def sets(self, most_random=0):
        return [s["k"] for s in hintsets.enumerate_sets(PTX, most_random)]

    def test_no_hint_is_the_first(self):
        self.assertEqual(self.sets()[0], {})
        self.assertEqual(hintsets.apply(PTX, {"k": {}}), PTX)

    def test_all_bypassing_sets_once(self):
        sets = self.sets()
        bypassing = [s for s in sets if set(s.values()) <= {"no_allocate"}]
        self.assertEqual(len(bypassing), 2**3)
        self.assertEqual(len({tuple(sorted(s.items())) for s in sets}), len(sets))
        self.assertIn({A: "no_allocate", X: "no_allocate"}, sets)

    def test_nc_only_of_what_is_not_written(self):
        nc = [set(s) for s in self.sets() if "nc" in s.values()]
        self.assertCountEqual(nc, [{A, B}, {A}, {B}])

    def test_one_last_and_the_rest_first(self):
        self.assertIn(
            {A: "evict_first", B: "evict_last", X: "evict_first"}, self.sets()
        )

    def test_a_hint_goes_to_all_copies_and_nothing_else(self):
        edited = hintsets.apply(PTX, {"k": {A: "evict_last", B: "cg"}})
        self.assertEqual(
            loads(edited),
            ["ld.global.L1::evict_last.b32", "ld.global.cg.nc.b32"]
            + ["ld.global.L1::evict_last.b32", "ld.global.b32"],
        )
        plain = edited.replace(".L1::evict_last", "").replace(".cg", "")
        self.assertEqual(plain, PTX)

    def test_another_kernel_stays(self):
        self.assertEqual(hintsets.apply(PTX, {"other": {A: "nc"}}), PTX)


if __name__ == "__main__":
    unittest.main()
