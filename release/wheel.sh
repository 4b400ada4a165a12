#!/usr/bin/env bash
# Builds the wheel, installs it into a clean environment, and holds it to what is promised of it: the first command of
# README.md comes out as shown there, the Python tests and the vectors pass, the types hold. Runs apart from .ci/run.
#
#   release/wheel.sh [--profile dev]      a development build; the default is a release build
#
# A release build on Linux needs ziglang, too (`pip install maturin ziglang`).
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$root/target}
profile=release
if [ "${1:-}" = --profile ]; then profile=${2:?--profile needs a name}; fi

step() { printf '\n== %s\n' "$*"; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

step "lints of the crate"
(cd python && cargo fmt --check && cargo clippy --quiet --locked -- -D warnings)

step "licences of what is in it"
python3 release/bill.py python/licenses "" python/Cargo.toml

step "wheel"
linker=()
if [ "$profile" = release ]; then
  . release/paths.sh
  # Linux from glibc 2.17 on, as the program.
  if [ "$(uname -s)" = Linux ]; then linker=(--zig --compatibility manylinux_2_17); fi
fi
rm -rf target/wheels/new
maturin build --manifest-path python/Cargo.toml --profile "$profile" --locked ${linker[@]+"${linker[@]}"} --out target/wheels/new
wheel=$(ls target/wheels/new/*.whl)
du -h "$wheel"
if [ "$profile" = release ]; then
  unzip -p "$wheel" > "$work/unpacked"
  refuse_paths < "$work/unpacked"
fi

[ "$(unzip -Z1 "$wheel" | grep -c 'licenses/.*\(LICENSE-\|THIRD-PARTY\)')" = 3 ] || { echo "error: it lacks licences" >&2; exit 1; }

step "clean environment"
python3 -m venv "$work/env"
bin=$work/env/bin
"$bin/python" -m pip install --quiet --no-index "$wheel"

step "the first commands of README.md"
# In an empty folder with the recording that README.md shows, so that nothing of the project helps.
mkdir "$work/first"
"$bin/python" - "$root/README.md" "$work/first" "$bin" <<'PY'
import os, pathlib, subprocess, sys

readme, folder, bin = sys.argv[1:]
blocks = pathlib.Path(readme).read_text(encoding="utf-8").split("```")[1::2]
recording = next(block for block in blocks if block.startswith("json three.jsonl\n"))
console = next(block for block in blocks if block.startswith("console\n$ tapecheck run three.jsonl"))
(pathlib.Path(folder) / "three.jsonl").write_text(recording.split("\n", 1)[1], encoding="utf-8")
path = {"PATH": os.pathsep.join([bin, "/usr/bin", "/bin"])}
shown = ""
for line in console.splitlines()[1:]:
    if line.startswith("$ "):
        done = subprocess.run(line[2:], shell=True, cwd=folder, env=path, capture_output=True, encoding="utf-8")
        assert done.returncode == 0, done.stderr
        shown += f"{line}\n{done.stdout}"
assert shown == console.split("\n", 1)[1], shown
assert "</html>" in (pathlib.Path(folder) / "three" / "report.html").read_text(encoding="utf-8")
print("as shown, with a page")
PY

step "the command with uvx"
# As somebody who has only Python and uv, with an agent's recordings in the home folder: the wheel stands in for the name.
"$bin/python" -m pip install --quiet uv
mkdir -p "$work/home/.claude/projects/shop" "$work/agent"
cp corpus/formats/claude-code/*.jsonl "$work/home/.claude/projects/shop"
line=$(sed -n 's/^\$ uvx tapecheck /tapecheck /p' README.md)
(cd "$work/agent" && HOME=$work/home UV_CACHE_DIR=$work/uv "$bin/uvx" --no-index --from "$root/$wheel" $line)
grep -q "</html>" "$work/agent/reports/latest/report.html"

step "Python tests and vectors"
# Only tests need these. Those of Arrow are skipped where pyarrow cannot be had.
"$bin/python" -m pip install --quiet pytest mypy
"$bin/python" -m pip install --quiet pyarrow || echo "skipped: pyarrow cannot be installed here"
# Away from the sources, so that what is tested is what was installed.
mkdir "$work/python" && cp -r python/tests python/README.md "$work/python" && cp -r vectors docs "$work"
(cd "$work/python" && "$bin/python" -m pytest -q tests)

step "types"
"$bin/python" -m mypy --strict --no-error-summary -p tapecheck

step "time of a call"
"$bin/python" python/benches/judge.py

mv "$wheel" target/wheels/ && rmdir target/wheels/new
step "done: target/wheels/$(basename "$wheel")"
