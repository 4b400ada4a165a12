#!/usr/bin/env bash
# Builds the product and its yardsticks, then measures them side by side: benches/compare.sh --help
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"

case " $* " in
*" --help "* | *" -h "*) exec python3 "$here/compare.py" --help ;;
esac

CARGO_TARGET_DIR="$here/yardsticks/target" cargo build --release --locked --quiet \
    --manifest-path "$here/yardsticks/Cargo.toml"
case " $* " in
*" --product"* | *" --without-product "*) ;;
*) cargo build --release --locked --quiet --manifest-path "$here/../Cargo.toml" ;;
esac

exec python3 "$here/compare.py" "$@"
