#!/bin/sh
# Builds the program for Linux as it is released, and checks it.
#
#     sh release/linux.sh [TARGET] [FOLDER]
#
# TARGET: x86_64-unknown-linux-gnu (default) or aarch64-unknown-linux-gnu, which nobody has run yet. FOLDER (default: target/released) gets the
# archive, the bill of materials and SHA256SUMS. Needs cargo-zigbuild and ziglang (`pip install cargo-zigbuild ziglang`), and xz.
set -eu
root=$(realpath "$(dirname "$0")/..")
cd "$root"
target=${1:-x86_64-unknown-linux-gnu}
folder=${2:-target/released}
# What was reached (docs/decisions.md has what was tried).
most=27000000 most_packed=7500000 oldest=2.17
mkdir -p "$folder"
folder=$(realpath "$folder")

. release/paths.sh
# Addresses that are known when it is built take 1.5 MB less.
export RUSTFLAGS="$RUSTFLAGS -C relocation-model=static -C link-arg=-no-pie"
cargo zigbuild --profile dist --locked --bin tapecheck --target "$target.$oldest"
program=${CARGO_TARGET_DIR:-target}/$target/dist/tapecheck

fail() { echo "error: $*" >&2; exit 1; }
newest=$(objdump -T "$program" | grep -o 'GLIBC_[0-9.]*' | sed 's/GLIBC_//' | sort -uV | tail -1)
[ "$(printf '%s\n%s\n' "$newest" "$oldest" | sort -V | tail -1)" = "$oldest" ] || fail "it needs glibc $newest, newer than $oldest"
size=$(stat -c %s "$program")
packed=$(xz -9 -c "$program" | wc -c)
echo "$target: $size bytes, $packed packed, glibc $newest and newer"
refuse_paths < "$program"
[ "$size" -le $most ] || fail "it has more than $most bytes"
[ "$packed" -le $most_packed ] || fail "it has more than $most_packed bytes packed"

place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cp "$program" README.md CHANGELOG.md "$place"
python3 release/bill.py "$place" "$target"
mv "$place/tapecheck.cdx.json" "$folder/tapecheck-$target.cdx.json"
tar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -C "$place" -c . | xz -9 > "$folder/tapecheck-$target.tar.xz"
(cd "$folder" && sha256sum -- tapecheck-*.tar.xz tapecheck-*.cdx.json > SHA256SUMS)
echo "$folder: tapecheck-$target.tar.xz, its bill of materials and SHA256SUMS"
