"""The formula with which Homebrew installs a release.

    python3 release/homebrew.py REPOSITORY SHA256SUMS > tapecheck.rb

REPOSITORY is the address under which /releases/download lies. Standard library only.
"""

import pathlib
import re
import sys

PLACES = {
    "on_macos": {"on_arm": "aarch64-apple-darwin", "on_intel": "x86_64-apple-darwin"},
    "on_linux": {"on_arm": "aarch64-unknown-linux-gnu", "on_intel": "x86_64-unknown-linux-gnu"},
}


def main():
    repository, listed = sys.argv[1].rstrip("/"), pathlib.Path(sys.argv[2])
    sums = dict(reversed(line.split()) for line in listed.read_text().splitlines() if line.strip())
    manifest = (pathlib.Path(__file__).resolve().parent.parent / "Cargo.toml").read_text(encoding="utf-8")
    version, about = (re.search(f'^{key} = "(.*)"', manifest, re.M)[1] for key in ("version", "description"))
    print("class Tapecheck < Formula")
    for line in (f'desc "{about}"', f'homepage "{repository}"', f'version "{version}"', 'license any_of: ["MIT", "Apache-2.0"]'):
        print(f"  {line}")
    for system, machines in PLACES.items():
        print(f"\n  {system} do")
        for machine, target in machines.items():
            name = f"tapecheck-{target}.tar.xz"
            if name not in sums:
                sys.exit(f"{listed} has no line for {name}")
            print(f"    {machine} do")
            print(f'      url "{repository}/releases/download/v{version}/{name}"')
            print(f'      sha256 "{sums[name]}"')
            print("    end")
        print("  end")
    print('\n  def install\n    bin.install "tapecheck"\n  end')
    print('\n  test do\n    assert_match version.to_s, shell_output("#{bin}/tapecheck --version")\n  end\nend')


main()
