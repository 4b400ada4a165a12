# For scripts that build what is released, which set `root` to the folder of the project and source this file.
# No path of this machine may be in what they build, so that two machines build the same.

cargo_home=${CARGO_HOME:-$HOME/.cargo}
RUSTFLAGS="--remap-path-prefix=$cargo_home/registry/src=packages --remap-path-prefix=$(rustc --print sysroot)=rust"
export RUSTFLAGS="$RUSTFLAGS --remap-path-prefix=$root=tapecheck"

# Ends the script if standard input has such a path.
refuse_paths() {
  if grep -q -a -e "$cargo_home" -e "$root/"; then
    echo "error: it holds paths of this machine" >&2
    exit 1
  fi
}
