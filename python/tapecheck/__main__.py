"""The command `tapecheck`."""

import sys

from . import _native


def main() -> None:
    sys.exit(_native.run_command(["tapecheck", *sys.argv[1:]]))


if __name__ == "__main__":
    main()
