# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Substitutions, quickest first:
#   %sluice-cc   device compile to PTX on standard output, -O3 for sm_90, with
#                test/Inputs/cuda.h in place of the toolkit's headers (0.1 s)
#                and without the techniques that have a substitution of their own
#   %staging-cc  the same with all techniques
#   %loads-cc    the same with loads-in-flight
#   %copies-cc   the same with copies
#   %throttle-cc the same with promote=off: throttling alone
#   %plain-cc    the same without the plugin
#   %loop-ir     LLVM IR instead, optimised, with places, and loops as in the source
#   %sluice-text sluice throttle with the same header and GPU, for turns alone
#   %row-text    the same for rows too
#   %sluicexx    build/bin/sluice-clang++, with the toolkit's headers (1 s)
#   %plainxx     clang++ 22 with the toolkit's path
#   %sluice-nvcc build/bin/sluice-nvcc
#   %sluice      build/bin/sluice
#   %sluice-fuzz build/bin/sluice-fuzz
#   %opt         opt with SluicePasses.so
#   %llc         llc with SluicePasses.so
#   %mlir-opt    mlir-opt with SluiceMLIR.so; its tests need mlir-plugin
#   %gpu-lowering  passes that take a gpu.module to the llvm and nvvm dialects
#   %gpu-object  what is in the gpu.object of the MLIR on standard input
#   %same-results  test/Inputs/same-results.py: kernels give the same with Sluice
#   %same-cubins test/CacheHints/Inputs/same-cubins.py: hints change loads alone
#   %remarks     the flags that show every remark of Sluice
#   %nvcc        the toolkit's; its tests say that they need it
#   %quick-nvcc  the same, which need not make good code: quicker for large kernels

import os
import shutil
import subprocess

import lit.formats

config.name = "Sluice"
config.test_format = lit.formats.ShTest(True)
config.suffixes = [".cu", ".cpp", ".ll", ".mlir", ".test"]
config.excludes = ["Inputs", "cmake-package"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.sluice_build, "test")

# Where python3 is a script of a version manager, which chooses one each time: the
# one that it chooses. And which of some modules it has.
modules = ["numba_cuda", "ray", "triton"]
ask = (
    "import sys, importlib.util as u; "
    f"print(sys.executable, *(m for m in {modules} if u.find_spec(m)), sep='\\n')"
)
python, *modules = subprocess.run(
    ["python3", "-c", ask], stdout=subprocess.PIPE, text=True, check=True
).stdout.splitlines()
config.environment["PATH"] = os.pathsep.join(
    [config.llvm_tools, os.path.dirname(python), config.environment["PATH"]]
)
for name in ["CUDA_PATH", "SLUICE_CLANG", "NVCC_CCBIN"]:
    config.environment.pop(name, None)

# Half of what clang reads for a CUDA source no test needs, and the rest it reads
# once for all tests with the same options (Inputs/parsed-headers.cpp). In Driver/
# and Install/ all is read each time, as it is for users. An option from a file
# gives no warning where a command has no use for it.
config.environment["SLUICE_CLANG"] = os.path.join(
    config.sluice_build, "test", "parsed-headers", "clang++"
)
inputs = os.path.join(config.test_source_root, "Inputs")
config.environment["CCC_OVERRIDE_OPTIONS"] = f"# ^--config={inputs}/fewer-headers.cfg"

build = config.sluice_build
config.environment["XDG_CACHE_HOME"] = os.path.join(build, "test", "cache")
clang = os.path.join(config.llvm_tools, "clang++")
plugin = os.path.join(build, "lib", "Sluice.so")
load = f"-fplugin={plugin} -fpass-plugin={plugin}"
# Most tests are of one technique each, in loops whose rows would be staged, and
# of what it does as it does not know what clang fuses.
ordered = (
    f"{load} -fplugin-arg-sluice-merge-blocks=off -fplugin-arg-sluice-early-loads=off"
    " -fplugin-arg-sluice-write-rounding=off"
)
rowless = f"{ordered} -fplugin-arg-sluice-software-l1=off"
waiting = f"{rowless} -fplugin-arg-sluice-loads-in-flight=off"
copying = f"{waiting} -fplugin-arg-sluice-local-arrays=off"
constants = f"{copying} -fplugin-arg-sluice-copies=off"
unstaged = f"{constants} -fplugin-arg-sluice-constant-arrays=off"
loads_first = (
    f"{load} -fplugin-arg-sluice-transforms=off -fplugin-arg-sluice-early-loads=auto"
)
early = unstaged.replace("-fplugin-arg-sluice-early-loads=off ", "")
device = (
    f"{clang} -x cuda --cuda-gpu-arch=sm_90 --cuda-device-only -O3 -S -o - "
    f"-nocudainc -nocudalib -Wno-unknown-cuda-version -std=c++17 -include {inputs}/cuda.h"
)
libdevice = (
    "-Xclang -mlink-builtin-bitcode "
    f"-Xclang {config.cuda_path}/nvvm/libdevice/libdevice.10.bc"
)

nvcc = f"{config.cuda_path}/bin/nvcc"
quick = ""
if os.path.exists(nvcc):
    answer = subprocess.run([nvcc, "--version"], capture_output=True, text=True)
    if "release 13." in answer.stdout:
        quick = "--Ofast-compile=max"
    if "release 13.0," in answer.stdout:
        config.available_features.add("nvcc-13.0")

config.substitutions += [
    (
        "%same-staged",
        f"python3 {inputs}/same-results.py {build}/bin/sluice '{device}' '{ordered}'",
    ),
    (
        "%same-libdevice-staged",
        f"python3 {inputs}/same-results.py {build}/bin/sluice '{device} {libdevice}' '{ordered}'",
    ),
    (
        "%same-results",
        f"python3 {inputs}/same-results.py {build}/bin/sluice '{device}' '{unstaged}'",
    ),
    (
        "%same-early",
        f"python3 {inputs}/same-results.py {build}/bin/sluice '{device}' '{early}'",
    ),
    (
        "%same-sync",
        f"python3 {inputs}/same-results.py {build}/bin/sluice '{device}' "
        f"'{load} -fplugin-arg-sluice-transforms=off -fplugin-arg-sluice-sync=all'",
    ),
    (
        "%same-fewer",
        f"python3 {inputs}/same-results.py {build}/bin/sluice '{device}' "
        f"'{load} -fplugin-arg-sluice-transforms=off "
        f"-fplugin-arg-sluice-fewer-instructions=auto'",
    ),
    (
        "%same-libdevice-fewer",
        f"python3 {inputs}/same-results.py {build}/bin/sluice '{device} {libdevice}' "
        f"'{load} -fplugin-arg-sluice-transforms=off "
        f"-fplugin-arg-sluice-fewer-instructions=auto'",
    ),
    (
        "%same-angles",
        f"python3 {inputs}/same-results.py {build}/bin/sluice '{device} {libdevice}' "
        f"'{load} -fplugin-arg-sluice-transforms=off -fplugin-arg-sluice-angle-reduction=auto'",
    ),
    (
        "%same-loads",
        f"python3 {inputs}/same-results.py {build}/bin/sluice '{device}' '{rowless}'",
    ),
    # Only loads, which go before stores.
    (
        "%same-writes",
        f"python3 {inputs}/same-results.py {build}/bin/sluice '{device}' '{loads_first}'",
    ),
    ("%writes-cc", f"{device} {loads_first}"),
    ("%sluicexx", os.path.join(build, "bin", "sluice-clang++")),
    (
        "%plainxx",
        f"{config.environment['SLUICE_CLANG']} -Wno-unknown-cuda-version --cuda-path={config.cuda_path}",
    ),
    (
        "%written-cc",
        f"{device} {load} -fplugin-arg-sluice-transforms=off "
        f"-fplugin-arg-sluice-local-arrays=auto",
    ),
    (
        "%same-written",
        f"python3 {inputs}/same-results.py {build}/bin/sluice '{device}' "
        f"'{load} -fplugin-arg-sluice-transforms=off "
        f"-fplugin-arg-sluice-local-arrays=auto'",
    ),
    ("%sluice-cc", f"{device} {unstaged}"),
    (
        "%merged-cc",
        f"{device} {load} -fplugin-arg-sluice-transforms=off "
        f"-fplugin-arg-sluice-merge-blocks",
    ),
    ("%loads-cc", f"{device} {rowless} -fplugin-arg-sluice-copies=off"),
    ("%copies-cc", f"{device} {copying}"),
    ("%constants-cc", f"{device} {constants}"),
    ("%constants-libdevice-cc", f"{device} {libdevice} {constants}"),
    ("%arrays-cc", f"{device} {waiting} -fplugin-arg-sluice-copies=off"),
    ("%staging-libdevice-cc", f"{device} {libdevice} {ordered}"),
    ("%staging-cc", f"{device} {ordered}"),
    ("%early-cc", f"{device} {early}"),
    (
        "%fewer-cc",
        f"{device} {load} -fplugin-arg-sluice-transforms=off "
        f"-fplugin-arg-sluice-fewer-instructions=auto",
    ),
    (
        "%fewer-libdevice-cc",
        f"{device} {libdevice} {load} -fplugin-arg-sluice-transforms=off "
        f"-fplugin-arg-sluice-fewer-instructions=auto",
    ),
    ("%sync-cc", f"{device} {load} -fplugin-arg-sluice-transforms=off"),
    (
        "%all-floats",
        f"python3 {config.test_source_root}/AngleReduction/Inputs/all-floats.py "
        f"'{device} {libdevice}' '{load} -fplugin-arg-sluice-transforms=off "
        "-fplugin-arg-sluice-angle-reduction=auto",
    ),
    ("%angles-cc", f"{device} {libdevice} {load} -fplugin-arg-sluice-transforms=off"),
    (
        "%throttle-cc",
        f"{device} {unstaged} -fplugin-arg-sluice-promote=off "
        "-fplugin-arg-sluice-fewer-instructions=off",
    ),
    ("%plain-cc", device),
    ("%loop-ir", f"{device} -O1 -emit-llvm -fno-unroll-loops -gline-tables-only"),
    (
        "%sluice-text",
        f"{build}/bin/sluice throttle --cuda-gpu-arch=sm_90 -nocudainc -nocudalib "
        f"-std=c++17 -include {inputs}/cuda.h --sluice-software-l1=off",
    ),
    (
        "%row-text",
        f"{build}/bin/sluice throttle --cuda-gpu-arch=sm_90 -nocudainc -nocudalib "
        f"-std=c++17 -include {inputs}/cuda.h",
    ),
    ("%sluice-load", load),
    ("%sluice-fuzz", os.path.join(build, "bin", "sluice-fuzz")),
    ("%sluice-nvcc", os.path.join(build, "bin", "sluice-nvcc")),
    ("%sluice", os.path.join(build, "bin", "sluice")),
    ("%opt", f"opt -load-pass-plugin={build}/lib/SluicePasses.so"),
    ("%llc", f"llc --load-pass-plugin={build}/lib/SluicePasses.so"),
    (
        "%gpu-lowering",
        "convert-scf-to-cf,convert-gpu-to-nvvm,canonicalize,reconcile-unrealized-casts",
    ),
    (
        "%gpu-object",
        f"python3 {config.test_source_root}/MLIR/Inputs/gpu-object.py",
    ),
    (
        "%mlir-opt",
        f"mlir-opt --load-pass-plugin={build}/lib/SluiceMLIR.so "
        "--remark-format=emitRemark",
    ),
    (
        "%remarks",
        "-Rpass=sluice -Rpass-missed=sluice -Rpass-analysis=sluice",
    ),
    ("%nvcc", f"{nvcc} -std=c++17"),
    ("%quick-nvcc", f"{nvcc} -std=c++17 {quick}"),
    (
        "%same-cubins",
        f"python3 {config.test_source_root}/CacheHints/Inputs/same-cubins.py "
        f"{config.llvm_tools} {build}/lib/SluicePasses.so {config.cuda_path}",
    ),
    ("%cuda", config.cuda_path),
    ("%llvm-tools", config.llvm_tools),
    ("%build", build),
    ("%source", config.sluice_source),
    ("%inputs", inputs),
]

if os.path.exists(nvcc) and shutil.which("g++"):
    config.available_features.add("nvcc")
if os.path.exists(f"{config.cuda_path}/bin/ptxas"):
    config.available_features.add("ptxas")
    with open(f"{config.cuda_path}/include/cuda.h") as header:
        if "#define CUDA_VERSION 13" in header.read():
            config.available_features.add("ptxas-13")
if shutil.which("g++"):
    gomp = ["g++", "-print-file-name=libgomp.so"]
    if os.path.isabs(subprocess.run(gomp, capture_output=True, text=True).stdout):
        config.available_features.add("gomp")
for tool in ["ccache", "meson"]:
    if shutil.which(tool):
        config.available_features.add(tool)
# An older sccache takes sluice-nvcc for a compiler that it does not know.
if shutil.which("sccache"):
    answer = subprocess.run(["sccache", "--version"], capture_output=True, text=True)
    if not answer.stdout.startswith(tuple(f"sccache 0.{n}." for n in range(10))):
        config.available_features.add("sccache")
if shutil.which("ray") and "ray" in modules:
    config.available_features.add("ray")
if shutil.which("srun") and shutil.which("slurmctld", path="/usr/sbin"):
    if shutil.which("slurmd", path="/usr/sbin"):
        config.available_features.add("slurm")
if shutil.which("chromium"):
    config.available_features.add("chromium")
for module, feature in [("numba_cuda", "numba"), ("triton", "triton")]:
    if module in modules:
        config.available_features.add(feature)
path = config.environment["PATH"]
if os.path.exists(f"{build}/lib/SluiceMLIR.so") and shutil.which("mlir-opt", path=path):
    config.available_features.add("mlir-plugin")
if shutil.which("mlir-translate", path=path):
    config.available_features.add("mlir")
