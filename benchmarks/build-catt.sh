#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Builds the programs of benchmarks/kernels and examples/gesummv.cu, to be run
# by run-catt.py on a machine with a GPU (and perhaps without a compiler: cudart
# is linked statically).
#
#   benchmarks/build-catt.sh FOLDER [clang|nvcc|sluice]...
#
# FOLDER/VARIANT/PROGRAM is what comes out. Without a variant named, all three:
#
#   clang   plain clang++ -O3
#   nvcc    nvcc -O3
#   sluice  sluice-clang++ -O3; left out where it has not been built
#
# From the environment: CLANG_CXX (clang++-22), SLUICE_CXX
# (build/bin/sluice-clang++), CUDA_PATH (/usr/local/cuda), NVCC
# (CUDA_PATH/bin/nvcc), ARCH (sm_90), CATT_FLAGS for every variant (say
# -DSLUICE_RESTRICT), SLUICE_FLAGS for the sluice variant (say
# --sluice-throttle=4).
set -u -o pipefail

if [ $# -lt 1 ]; then
  echo "usage: $0 FOLDER [clang|nvcc|sluice]..." >&2
  exit 2
fi
folder=$1
shift
variants=("$@")
[ $# -gt 0 ] || variants=(clang nvcc sluice)

root=$(cd "$(dirname "$0")/.." && pwd)
clang=${CLANG_CXX:-clang++-22}
sluice=${SLUICE_CXX:-$root/build/bin/sluice-clang++}
cuda=${CUDA_PATH:-/usr/local/cuda}
nvcc=${NVCC:-$cuda/bin/nvcc}
arch=${ARCH:-sm_90}
read -r -a common_flags <<<"${CATT_FLAGS:-}"
read -r -a sluice_flags <<<"${SLUICE_FLAGS:-}"

failures=0

# compile VARIANT SOURCE OUTPUT [FLAG]...
compile() {
  local variant=$1 source=$2 output=$3
  shift 3
  local flags=(-O3 "${common_flags[@]}" "$@" "$source" -o "$output")
  local clang_flags=(-x cuda --cuda-gpu-arch="$arch" --cuda-path="$cuda"
    -Wno-unknown-cuda-version)
  local libraries=(-L"$cuda/lib64" -lcudart_static -ldl -lrt -lpthread)
  case $variant in
  clang) "$clang" "${clang_flags[@]}" "${flags[@]}" "${libraries[@]}" ;;
  sluice)
    "$sluice" "${clang_flags[@]}" "${sluice_flags[@]}" "${flags[@]}" \
      "${libraries[@]}"
    ;;
  nvcc) "$nvcc" -arch="$arch" -cudart static "${flags[@]}" ;;
  esac
}

# build VARIANT PROGRAM SOURCE [FLAG]...
build() {
  local variant=$1 program=$2 source=$3
  shift 3
  local output=$folder/$variant/$program
  rm -f "$output" # nothing stale is measured if this build fails
  if compile "$variant" "$root/$source" "$output" "$@"; then
    strip "$output"
    echo "built $variant/$program"
  else
    echo "FAILED $variant/$program" >&2
    failures=$((failures + 1))
  fi
}

for variant in "${variants[@]}"; do
  case $variant in
  clang | nvcc) ;;
  sluice)
    if [ ! -x "$sluice" ]; then
      echo "no $sluice: the sluice variant is left out" >&2
      continue
    fi
    ;;
  *)
    echo "no variant called $variant (clang, nvcc, sluice)" >&2
    exit 2
    ;;
  esac
  mkdir -p "$folder/$variant"
  for program in gesummv atax bicg mvt syr2k gemm atax_square; do
    build "$variant" "$program" "benchmarks/kernels/$program.cu"
  done
  for features in 34 128; do
    build "$variant" "kmeans$features" benchmarks/kernels/kmeans.cu \
      -DFEATURES="$features"
  done
  build "$variant" example-gesummv examples/gesummv.cu
done

[ "$failures" -eq 0 ]
