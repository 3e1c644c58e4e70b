#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# build.sh FOLDER: one kernel from linalg and from CUDA, with Sluice and without,
# as cubins for sm_90, and FOLDER/run.sh, which times them on a machine with a GPU.
# From the environment: BUILD (build), CUDA (the toolkit's folder).
set -eu
[ $# -eq 1 ] || { sed -n '4,6s/^# \{0,1\}//p' "$0" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
build=${BUILD:-$here/../../build}
cuda=${CUDA:-/usr/local/cuda}
mkdir -p "$1"
cd "$1"

lower() { # NAME, a pass before the kernel's lowering, one behind it
  mlir-opt-22 --load-pass-plugin="$build/lib/SluiceMLIR.so" "$here/matvec.mlir" \
    -mlir-print-debuginfo -pass-pipeline="builtin.module(
    func.func(convert-linalg-to-parallel-loops,
              scf-parallel-loop-tiling{parallel-loop-tile-sizes=256},
              gpu-map-parallel-loops,convert-parallel-loops-to-gpu),
    lower-affine,canonicalize,cse,
    func.func(gpu-launch-sink-index-computations),gpu-kernel-outlining,
    nvvm-attach-target{chip=sm_90 features=+ptx84 O=3},
    $2
    gpu.module(convert-scf-to-cf,convert-gpu-to-nvvm,canonicalize,
               reconcile-unrealized-casts$3),
    gpu-module-to-binary{format=isa})" |
    python3 "$here/../../test/MLIR/Inputs/gpu-object.py" >"$1.ptx"
  ptxas -O3 -arch=sm_90 "$1.ptx" -o "$1.cubin"
}
lower linalg "" ""
lower linalg-sluice sluice-launch-facts, ,sluice-gpu
nvcc -O3 -arch=sm_90 -cubin "$here/matvec.cu" -o nvcc.cubin
clang="clang++-22 -O3 --cuda-gpu-arch=sm_90 --cuda-path=$cuda --cuda-device-only -c
  -Wno-unknown-cuda-version $here/matvec.cu"
$clang -o clang.cubin
$clang -o clang-sluice.cubin -fplugin="$build/lib/Sluice.so" \
  -fpass-plugin="$build/lib/Sluice.so"
c++ -O2 "$here/time.cpp" -I"$cuda/include" -L"$cuda/lib64/stubs" -lcuda -o time
cat >run.sh <<'RUN'
#!/bin/sh
cd "$(dirname "$0")" &&
  ./time main_kernel:linalg.cubin main_kernel:linalg-sluice.cubin \
    matvec:clang.cubin matvec:nvcc.cubin matvec:clang-sluice.cubin
RUN
chmod +x run.sh
