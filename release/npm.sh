#!/bin/sh
# Packs the npm packages around a built program, and tries them in a clean place.
#
#     sh release/npm.sh PROGRAM [FOLDER [PLATFORM]]
#
# FOLDER (default: target/npm) gets `tapecheck` and the package of this machine's platform. For another PLATFORM, as Node names it (`darwin-x64`),
# its package alone is made, and is not tried.
set -eu
program=$(realpath "${1:?which program?}")
home=$(realpath "$(dirname "$0")/..")
folder=${2:-$home/target/npm}
mkdir -p "$folder"
folder=$(realpath "$folder")
here=$(node -p '`${process.platform}-${process.arch}`')
platform=${3:-$here}
name=tapecheck
case $platform in
  linux-x64) target=x86_64-unknown-linux-gnu ;;
  linux-arm64) target=aarch64-unknown-linux-gnu ;;
  darwin-x64) target=x86_64-apple-darwin ;;
  darwin-arm64) target=aarch64-apple-darwin ;;
  win32-x64) target=x86_64-pc-windows-msvc name=tapecheck.exe ;;
  *) echo "error: there is no package for $platform" >&2; exit 2 ;;
esac
version=$(sed -n 's/^version = "\(.*\)"/\1/p' "$home/Cargo.toml" | head -1)
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

mkdir "$place/main" "$place/platform" "$place/clean"
cp "$home/release/npm/tapecheck.js" "$home/README.md" "$home"/LICENSE-* "$place/main"
cp "$program" "$place/platform/$name"
chmod 755 "$place/platform/$name"
python3 "$home/release/bill.py" "$place/platform" "$target"
VERSION=$version PLATFORM=$platform NAME=$name PLACE=$place node <<'END'
const { writeFileSync } = require("fs");
const { VERSION: version, PLATFORM, NAME, PLACE } = process.env;
const platforms = ["linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64", "win32-x64"];
const about = "Classifies recorded MCP tool calls with rules written in TOML";
const both = { version, license: "MIT OR Apache-2.0" };
const write = (folder, it) => writeFileSync(`${PLACE}/${folder}/package.json`, JSON.stringify({ ...it, ...both }, null, 2));
write("main", {
  name: "tapecheck",
  description: about,
  keywords: ["mcp", "json-rpc", "validation", "regression"],
  bin: { tapecheck: "tapecheck.js" },
  files: ["tapecheck.js", "LICENSE-*"],
  engines: { node: ">=18" },
  optionalDependencies: Object.fromEntries(platforms.map((it) => [`tapecheck-${it}`, version])),
});
const [os, cpu] = PLATFORM.split("-");
write("platform", {
  name: `tapecheck-${PLATFORM}`,
  description: `${about}: the program for ${PLATFORM}`,
  os: [os],
  cpu: [cpu],
  ...(os === "linux" ? { libc: ["glibc"] } : {}),
  files: [NAME, "LICENSE-*", "THIRD-PARTY.txt"],
  preferUnplugged: true,
});
END
pack() { (cd "$place/$1" && npm pack --silent --pack-destination "$folder"); }
pack platform
if [ "$platform" != "$here" ]; then exit; fi
pack main

# As somebody who has only Node: the local files stand in for the names.
cd "$place/clean"
npm init --yes > npm.log
npm install --silent --no-audit --no-fund --omit=optional "$folder/tapecheck-$version.tgz"
npm install --silent --no-audit --no-fund "$folder/tapecheck-$platform-$version.tgz"
[ "$(npx --no-install tapecheck --version)" = "$("$program" --version)" ]
# The line of README.md, with an agent's recordings in the home folder.
mkdir -p agent/.claude/projects/shop
cp "$home"/corpus/formats/claude-code/*.jsonl agent/.claude/projects/shop
line=$(sed -n 's/^\$ npx tapecheck //p' "$home/README.md")
HOME=$PWD/agent npx --no-install tapecheck $line
grep -q "</html>" reports/latest/report.html
code=0
npx --no-install tapecheck show nowhere 2> refused.txt || code=$?
[ "$code" -eq 2 ] && grep -q "next:" refused.txt
rm -r node_modules/tapecheck-*
npx --no-install tapecheck --version 2> absent.txt && exit 1
grep -q "there is no package" absent.txt
echo "$folder: tapecheck-$version.tgz and tapecheck-$platform-$version.tgz, tried in a clean place"
