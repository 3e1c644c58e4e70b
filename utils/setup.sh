# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Sourced by run-tests.sh and run-demo.sh: installs what this machine lacks
# (Debian packages, a CUDA toolkit), configures and builds into build/. What is
# there already is left alone, so a second run takes seconds. Leaves behind:
# SLUICE_TOOLKIT, the toolkit's root, and the repository's root as the current
# folder. SLUICE_FORCE_TOOLKIT_WHEELS=1 ignores an installed toolkit.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

say() { printf '== %s\n' "$*"; }
fail() { printf 'error: %s\n' "$*" >&2; exit 1; }

# Runs a command; shows its output only if it fails.
quietly() {
  local log status=0
  log=$(mktemp)
  "$@" >"$log" 2>&1 || status=$?
  if [ $status -ne 0 ]; then cat "$log" >&2; fi
  rm -f "$log"
  return $status
}

as_root() {
  if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi
}

# Prints those of the named Debian packages that are not installed.
missing_packages() {
  local installed package
  installed=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' "$@" 2>/dev/null |
    sed -n 's/ installed$//p') || true
  for package in "$@"; do
    grep -qxF -- "$package" <<<"$installed" || echo "$package"
  done
}

# Installs packages unless they are there; sees to each reason it may not work.
install_packages() {
  local missing
  mapfile -t missing < <(missing_packages "$@")
  if [ ${#missing[@]} -eq 0 ]; then return; fi
  command -v apt-get >/dev/null ||
    fail "these Debian packages are missing and there is no apt-get here to install them: ${missing[*]}"
  [ "$(id -u)" -eq 0 ] || command -v sudo >/dev/null ||
    fail "these packages are missing, and installing them takes root or sudo: ${missing[*]}"
  say "installing ${missing[*]}"
  quietly as_root apt-get update -q || fail "apt-get update failed."
  case " ${missing[*]} " in *-22*)
    grep -q 'Candidate: [^(]' <<<"$(LC_ALL=C apt-cache policy clang-22)" ||
      fail "apt offers no clang-22 here: Debian 12 has it in bookworm-security, so add that suite to apt's sources." ;;
  esac
  quietly as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get install -q -y --no-install-recommends "${missing[@]}" ||
    fail "apt-get install failed."
}

# Is this folder a toolkit that Sluice can be built with and clang can use?
is_toolkit() {
  [ -f "$1/include/cuda_occupancy.h" ] && [ -f "$1/include/cuda_runtime.h" ] &&
    [ -f "$1/include/curand_mtgp32_kernel.h" ] && # clang includes it in every .cu
    [ -x "$1/bin/ptxas" ] && [ -x "$1/bin/fatbinary" ] &&
    [ -f "$1/bin/crt/link.stub" ] && # sluice-nvcc -dlink compiles it
    [ -f "$1/nvvm/libdevice/libdevice.10.bc" ]
}

# The toolkit's root, looked for where cmake/SluiceToolkit.cmake looks.
find_toolkit() {
  local candidate nvcc
  if [ -z "${SLUICE_FORCE_TOOLKIT_WHEELS:-}" ]; then
    # nvcc on PATH may be a script that calls another: ask it where it is.
    nvcc=$(nvcc --dryrun -x cu /dev/null 2>&1 | sed -n 's/^#\$ TOP=//p')
    for candidate in "${CUDA_PATH:-}" "$nvcc" /usr/local/cuda; do
      if [ -n "$candidate" ] && is_toolkit "$candidate"; then
        realpath "$candidate"
        return
      fi
    done
  fi
  candidate=$PWD/build/cuda-toolkit/nvidia/cu13
  is_toolkit "$candidate" && echo "$candidate"
}

# CUDA 13.0 from NVIDIA's Python wheels, which unpack to one toolkit folder.
install_toolkit() {
  local wheels=build/cuda-toolkit
  local root=$wheels.part/nvidia/cu13
  python3 -m pip --version >/dev/null 2>&1 || install_packages python3-pip
  say "installing the parts of the CUDA 13.0 toolkit that clang needs into $wheels (0.2 GB to download)"
  rm -rf $wheels $wheels.part
  mkdir -p build
  quietly env PIP_BREAK_SYSTEM_PACKAGES=1 PIP_ROOT_USER_ACTION=ignore \
    python3 -m pip install --disable-pip-version-check --no-deps \
    --only-binary :all: --target $wheels.part \
    nvidia-cuda-nvcc==13.0.88 nvidia-cuda-crt==13.0.88 nvidia-nvvm==13.0.88 \
    nvidia-cuda-runtime==13.0.96 nvidia-cuda-cccl==13.0.85 \
    nvidia-nvjitlink==13.0.88 nvidia-curand==10.4.0.35 &&
    # The names by which linkers and loaders ask for what the wheels hold.
    ln -s lib $root/lib64 &&
    ln -s libnvJitLink.so.13 $root/lib/libnvJitLink.so &&
    ln -s libcudart.so.13 $root/lib/libcudart.so &&
    is_toolkit $root && mv $wheels.part $wheels ||
    fail "no CUDA toolkit is installed and its wheels could not be: install CUDA 12 or 13 and set CUDA_PATH to it."
}

packages=(clang-22 clang-tools-22 llvm-22-dev llvm-22-tools libclang-22-dev
  libmlir-22-dev mlir-22-tools g++ libgtest-dev libgmock-dev
  libsqlite3-dev libtomlplusplus-dev zlib1g-dev coinor-libcbc-dev)
command -v cmake >/dev/null || packages+=(cmake)
command -v ninja >/dev/null || packages+=(ninja-build)
command -v python3 >/dev/null || packages+=(python3)
install_packages "${packages[@]}"

if ! SLUICE_TOOLKIT=$(find_toolkit); then
  install_toolkit
  SLUICE_TOOLKIT=$(find_toolkit)
fi

# clang builds this faster than gcc: most of the work is clang's own headers.
if [ ! -f build/build.ninja ]; then
  say "configuring build/ with the CUDA toolkit in $SLUICE_TOOLKIT"
  quietly cmake --preset release -DCMAKE_C_COMPILER=clang-22 \
    -DCMAKE_CXX_COMPILER=clang++-22 -DSLUICE_CUDA_PATH="$SLUICE_TOOLKIT" ||
    fail "configuring failed."
fi

say "building into build/ (some minutes the first time)"
if [ -t 1 ]; then
  ninja -C build || fail "the build failed."
else
  ninja -C build --quiet | sed -u '/^ninja: no work to do/d' || fail "the build failed."
fi
