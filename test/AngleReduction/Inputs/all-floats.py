#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares libdevice's sines and cosines with and without sluice-angle-reduction.

all-floats.py "DEVICE COMPILE" "PLUGIN OPTIONS" FOLDER [STEP]

What the two compiles make of Inputs/angles.cu is put into a host program, which
calls both with each STEP-th of all 2^32 floats, 1 by default, and compares all
bits. Doubles: as many numbers of any bits. What the pass does not change may have
another result on the host, the same for both: the approximate reciprocal of the
tangent, and the function that is the slow path of doubles. Exit status 1: some
result differs.
"""

import os
import re
import shlex
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
FUNCTIONS = "sine", "cosine", "tangent", "together", "both", "wide"

# NVPTX's instructions on the host.
INSTRUCTIONS = """
define internal { i32, i32 } @mad(i32 %a, i32 %b, i32 %c) {
  %x = zext i32 %a to i64
  %y = zext i32 %b to i64
  %z = zext i32 %c to i64
  %p = mul i64 %x, %y
  %s = add i64 %p, %z
  %l = trunc i64 %s to i32
  %u = lshr i64 %s, 32
  %h = trunc i64 %u to i32
  %r = insertvalue { i32, i32 } poison, i32 %l, 0
  %q = insertvalue { i32, i32 } %r, i32 %h, 1
  ret { i32, i32 } %q
}
define internal float @mul.rn.f(float %a, float %b) {
  %p = fmul float %a, %b
  ret float %p
}
define internal double @mul.rn.d(double %a, double %b) {
  %p = fmul double %a, %b
  ret double %p
}
define internal float @rcp(float %a) {
  %q = fdiv float 1.0, %a
  ret float %q
}
define internal i32 @f2i.rn(float %a) {
  %r = call float @llvm.roundeven.f32(float %a)
  %i = call i32 @llvm.fptosi.sat.i32.f32(float %r)
  ret i32 %i
}
define internal i32 @d2i.rn(double %a) {
  %r = call double @llvm.roundeven.f64(double %a)
  %i = call i32 @llvm.fptosi.sat.i32.f64(double %r)
  ret i32 %i
}
define internal { double, i32 } @slow(double %a) noinline {
  %b = bitcast double %a to i64
  %m = mul i64 %b, 6364136223846793005
  %s = lshr i64 %m, 37
  %q = trunc i64 %s to i32
  %w = lshr i64 %m, 12
  %o = or i64 %w, 4607182418800017408
  %f = bitcast i64 %o to double
  %t = fsub double %f, 1.5
  %r = insertvalue { double, i32 } poison, double %t, 0
  %e = insertvalue { double, i32 } %r, i32 %q, 1
  ret { double, i32 } %e
}
declare float @llvm.roundeven.f32(float)
declare double @llvm.roundeven.f64(double)
declare i32 @llvm.fptosi.sat.i32.f32(float)
declare i32 @llvm.fptosi.sat.i32.f64(double)
"""


def for_host(text, prefix):
    """Device IR as IR of the host, its functions called PREFIX_name."""
    text = re.sub(r"(?m)^target .*$", "", text)
    text = re.sub(r"(?m)^(define|declare) [^\n]*@(__internal_trig_reduction_slowpathd)\(.*?^}", "",
                  text, flags=re.S | re.M)
    text = text.replace("@__internal_trig_reduction_slowpathd", "@slow")
    text = re.sub(r"(?m)^declare [^\n]*@llvm\.nvvm\.[^\n]*$", "", text)
    text = re.sub(r"(?m)^attributes #(\d+) = .*$", r"attributes #\1 = { nounwind }", text)
    text = re.sub(r"(?m)^!.*$", "", text)
    text = re.sub(r",? ![\w.]+ !\d+", "", text)
    text = re.sub(r"(?m)^ *#dbg_.*$", "", text)
    text = text.replace("addrspace(1) ", "").replace("fastcc ", "")
    text = re.sub(r'asm "\{\\0A\\09mad\.lo\.cc\.u32[^"]*", "[^"]*"', "@mad", text)
    text = re.sub(r'asm "rcp\.approx[^"]*", "[^"]*"', "@rcp", text)
    for name in "mul.rn.f", "mul.rn.d", "f2i.rn", "d2i.rn":
        text = text.replace(f"@llvm.nvvm.{name}(", f"@{name}(")
    for bits in "32", "64":
        text = text.replace(f"@llvm.nvvm.fabs.f{bits}(", f"@llvm.fabs.f{bits}(")
    text = re.sub(r"@(%s)\(" % "|".join(FUNCTIONS), rf"@{prefix}_\1(", text)
    left = re.search(r"(llvm\.nvvm\S*|asm \"[^\"]*\")", text)
    if left:
        sys.exit(f"all-floats.py: unknown on the host: {left.group(1)}")
    missing = [f"declare float @llvm.fabs.f32(float)", "declare double @llvm.fabs.f64(double)"]
    return text + INSTRUCTIONS + "\n".join(
        line for line in missing if line.split("@")[1] not in re.findall(r"declare .*@(.*)", text))


def main():
    device, plugin, folder = sys.argv[1:4]
    step = sys.argv[4] if len(sys.argv) > 4 else "1"
    os.makedirs(folder, exist_ok=True)
    objects = []
    for prefix, options in ("before", ""), ("after", plugin):
        command = shlex.split(f"{device} {options} -emit-llvm -fno-discard-value-names")
        text = subprocess.run(command + [os.path.join(HERE, "angles.cu")], check=True,
                              stdout=subprocess.PIPE, text=True).stdout
        if prefix == "after" and text == before:
            sys.exit("all-floats.py: the pass has changed nothing")
        before = text
        objects.append(os.path.join(folder, prefix + ".ll"))
        with open(objects[-1], "w") as file:
            file.write(for_host(text, prefix))
    clang = shlex.split(device)[0]
    with open("/proc/cpuinfo") as cpu:
        has_fma = re.search(r"\bfma\b", cpu.read()) is not None
    program = os.path.join(folder, "compare")
    subprocess.run([clang, "-O2", "-std=c++17", "-ffp-contract=off", "-Wno-override-module",
                    *(["-mfma"] if has_fma else []), "-pthread", os.path.join(HERE, "compare-angles.cpp"), *objects, "-o", program],
                   check=True)
    sys.exit(subprocess.run([program, step]).returncode)


if __name__ == "__main__":
    main()
