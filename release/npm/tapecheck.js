#!/usr/bin/env node
// Starts the program of this platform, which a package of its own brings.
"use strict";

const { spawn } = require("child_process");
const { constants } = require("os");

const platform = `${process.platform}-${process.arch}`;
const program = process.platform === "win32" ? "tapecheck.exe" : "tapecheck";

function located() {
  try {
    return require.resolve(`tapecheck-${platform}/${program}`);
  } catch {
    console.error(
      `error: there is no package tapecheck-${platform} beside this one\n` +
        "  next: install without --omit=optional; where npm has none for your platform, build tapecheck with cargo",
    );
    process.exit(3);
  }
}

const child = spawn(located(), process.argv.slice(2), { stdio: "inherit" });
// The terminal sends its signals to both; what is sent to this process alone is passed on.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => child.kill(signal));
}
child.on("error", (problem) => {
  console.error(`error: cannot start ${child.spawnfile}: ${problem.message}`);
  process.exit(3);
});
child.on("exit", (code, signal) => process.exit(signal ? 128 + constants.signals[signal] : code));
