set -euo pipefail; say() { echo "== $*"; }; fail() { echo "error: $*" >&2; exit 1; }; demo=d
has_gpu() { nvidia-smi -L 2>/dev/null | grep '^GPU' >/dev/null; }
arch=sm_90
if has_gpu; then
  arch=sm_$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | sed -n '1s/\.//p')
fi
echo $arch
if has_gpu; then
  say "running both"
  for name in plain sluice; do
    $demo/gesummv-$name >$demo/$name.result || fail "$demo/gesummv-$name failed."
    printf '   %-7s %s\n' $name: "$(cat $demo/$name.result)"
  done
  hash_of() { sed 's/.*hash //' $demo/"$1".result; }
  [ "$(hash_of plain)" = "$(hash_of sluice)" ] || fail "the results differ."
  echo "   The hashes are equal: the results are the same, bit for bit."
else
  say "there is no GPU here to run them on; times taken on GPUs are in benchmarks/results"
fi
