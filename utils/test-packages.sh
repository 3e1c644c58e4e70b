#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Makes the Debian package and the wheel, installs each in a bare Debian 12, and
# compiles the README's first example there; says how long each step takes. It
# needs root (for chroot), the network, and 4 GB below build/. ctest does not run
# it: there test/Install has the same installations without a system around them.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
[ "$(id -u)" -eq 0 ] || fail "this uses chroot: run it as root."
install_packages mmdebstrap dpkg-dev python3-pip

packages=$PWD/build/packages
systems=$packages/systems
log=$packages/log.txt
certificates=/etc/certificates-of-the-host.crt
trap 'rm -rf --one-file-system "$systems"' EXIT
rm -rf --one-file-system "$packages"
mkdir -p "$systems"
times=()

# Runs a command, and notes its time under the name $1. Its output is in $log.
timed() {
  local name=$1 start=$SECONDS
  shift
  "$@" >"$log" 2>&1 </dev/null || { cat "$log" >&2; fail "$name failed."; }
  times+=("$(printf '%4d s  %s' $((SECONDS - start)) "$name")")
  echo "${times[-1]}"
}

# Runs a command line in the system $1, with a /proc that goes with it. Of the
# environment it has what $path and $VIRTUAL_ENV say, and how to reach a network.
in_system() {
  local root=$systems/$1 name environment
  environment=(HOME=/root LC_ALL=C DEBIAN_FRONTEND=noninteractive PIP_CERT=$certificates
    "PATH=${path:-/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin}")
  for name in VIRTUAL_ENV PIP_INDEX_URL http_proxy https_proxy no_proxy; do
    [ -z "${!name:-}" ] || environment+=("$name=${!name}")
  done
  unshare --mount --propagation private sh -c '
    mount -t proc proc "$0/proc" && exec chroot "$0" env -i "$@"' \
    "$root" "${environment[@]}" bash -ec "$2"
}

# What was said last has a line that matches $1.
said() {
  grep -q -- "$1" "$log" || { cat "$log" >&2; fail "nothing says '$1'."; }
}

# The last line "install: $1..." of what was said last, up to a comma.
remedy() {
  sed -n "s/^ *install: \($1[^,]*\).*/\1/p" "$log" | head -n 1 | tr -d '\n'
}

new_system() {
  cp -a "$systems/base" "$systems/$1"
  cp "$packages"/*.deb "$packages"/*.whl "$systems/$1/tmp"
}

# The README's first example, in the folder of documentation $2 of the system $1.
first_example() {
  timed "$1: the first remarks, with sluice-clang++" in_system "$1" \
    "cd $2 && sluice-clang++ -O3 --cuda-gpu-arch=sm_90 -Rpass=sluice examples/gesummv.cu -lcudart_static -o /tmp/gesummv"
  said 'gesummv.cu:37:3: remark: 2 streams of the loop are staged in shared memory'
  timed "$1: the same with sluice-nvcc" in_system "$1" \
    "cd $2 && sluice-nvcc --sluice-strict -O3 -arch=sm_90 -Rpass=sluice examples/gesummv.cu -o /tmp/gesummv"
  said 'remark: 2 streams of the loop are staged'
  timed "$1: the predicted speed-up, with sluice profile" in_system "$1" \
    "cd $2 && sluice profile examples/gesummv.cu --cuda-gpu-arch=sm_90"
  said 'predicted with its rows in shared memory: [0-9.]* ms, without'
  grep -o 'predicted with its rows in shared memory.*' "$log"
}

say "making the packages"
timed "making the Debian package" cpack --config build/CPackConfig.cmake -B "$packages/cpack"
mv "$packages"/cpack/*.deb "$packages"
timed "making the wheel" python3 -m pip wheel --no-deps -w "$packages" . \
  -C "cmake.define.SLUICE_BUILD=$PWD/build"
ls -l "$packages"/*.deb "$packages"/*.whl

say "a bare Debian 12, with this machine's package sources, name servers and certificates"
sources=/etc/apt/sources.list.d/debian.sources
[ -f $sources ] || sources=/etc/apt/sources.list
timed "the bare system" mmdebstrap --variant=minbase bookworm "$systems/base" $sources
cp -L /etc/resolv.conf /etc/hosts "$systems/base/etc"
cp -L /etc/ssl/certs/ca-certificates.crt "$systems/base$certificates"

say "the Debian package"
new_system deb
start=$SECONDS
timed "deb: apt install of the package" in_system deb \
  "apt-get update -q && apt-get install -q -y --no-install-recommends /tmp/sluice_*.deb python3-venv"
grep '^Need to get' "$log"
timed "deb: sluice doctor, without a toolkit" in_system deb "sluice doctor || [ \$? = 1 ]"
said '^ok *Sluice .*/usr/lib/Sluice.so'
said '^missing *toolkit'
timed "deb: the toolkit, by the line that doctor says" in_system deb \
  "python3 -m venv /opt/cuda && . /opt/cuda/bin/activate && $(remedy 'pip install')"
path=/opt/cuda/bin:/usr/bin:/bin VIRTUAL_ENV=/opt/cuda timed "deb: sluice doctor" in_system deb "sluice doctor"
said '^ok *compile'
path=/opt/cuda/bin:/usr/bin:/bin VIRTUAL_ENV=/opt/cuda first_example deb /usr/share/doc/sluice
times+=("$(printf '%4d s  deb: together' $((SECONDS - start)))")

say "the rule for Bazel of docs/nvcc.md, with the Debian package"
mkdir -p "$systems/deb/srv/app"
sed -n '/^```python/,/^```$/{/^```/d;p}' docs/nvcc.md >"$systems/deb/srv/app/BUILD"
cp examples/gesummv.cu "$systems/deb/srv/app/app.cu"
touch "$systems/deb/srv/app/WORKSPACE"
timed "bazel: apt install of it" in_system deb "apt-get install -q -y --no-install-recommends bazel-bootstrap"
timed "bazel: the build" in_system deb \
  "cd /srv/app && bazel --batch build --action_env=CUDA_PATH=\$(echo /opt/cuda/lib/python3*/site-packages/nvidia/cu13) //:app"
in_system deb "test -x /srv/app/bazel-bin/app.bin" || fail "bazel made no app.bin."

say "the wheel"
new_system wheel
timed "wheel: a Python, which most machines have" in_system wheel \
  "apt-get update -q && apt-get install -q -y --no-install-recommends python3-venv"
start=$SECONDS
timed "wheel: pip install of the wheel and the toolkit" in_system wheel \
  "python3 -m venv /opt/sluice && /opt/sluice/bin/pip install \"\$(ls /tmp/sluice_cuda-*.whl)[cuda13]\""
du -ch "$systems"/wheel/opt/sluice/lib/python3*/site-packages/nvidia | tail -n 1
path=/opt/sluice/bin:/usr/bin:/bin timed "wheel: sluice doctor, without clang" in_system wheel "sluice doctor || [ \$? = 1 ]"
said 'this machine has no libclang-cpp.so.22.1 libLLVM.so.22.1'
timed "wheel: clang 22, by the line that doctor says" in_system wheel \
  "$(remedy 'apt install' | sed 's/apt install/apt-get install -q -y --no-install-recommends/')"
path=/opt/sluice/bin:/usr/bin:/bin timed "wheel: sluice doctor" in_system wheel "sluice doctor"
said '^ok *toolkit .*/opt/sluice/lib/python3[^/]*/site-packages/nvidia/cu13'
said '^ok *solver'
path=/opt/sluice/bin:/usr/bin:/bin first_example wheel /opt/sluice/share/doc/sluice
times+=("$(printf '%4d s  wheel: together' $((SECONDS - start)))")

say "the commands of utils/Containerfile"
new_system container
while read -r command; do
  timed "container: ${command:0:60}..." in_system container "$command"
done < <(sed -n 's/^RUN //p' utils/Containerfile)
path=$(sed -n 's/^ENV PATH=//p' utils/Containerfile) timed "container: sluice doctor" in_system container "sluice doctor"
said '^ok *compile'

say "times"
printf '%s\n' "${times[@]}"
