"""Recordings and runs in object stores and other places that have an address, such as `s3://bucket/prefix`.

A part is classified on the executor's own disk. There every file of the recordings has its name and its size; those that the part
reads hold what they should, and all others hold nothing.
"""

import csv
import fcntl
import glob
import json
import os
import shutil
import subprocess
import tempfile
import uuid
from urllib.parse import urlsplit

from .attempts import PartFailed, executable, run_part

#: What names of folders for parts begin with; `tapecheck run` reads no recordings there.
PARTS = ".tapecheck-parts-"
#: The file in such a folder that its process has locked.
LOCK = "held"
#: What stands in place of a file that is not read: no format begins like this.
NOTHING = b"not read here\n"


def is_address(path):
    return "://" in os.fspath(path)


def shown(address):
    """An address without what may be secret in it."""
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.hostname or ''}{parts.path}" if parts.scheme else address


def held_folder(beside):
    """The name of a new folder, and the open file that this process has locked in it. Folders of processes that ended are removed."""
    os.makedirs(beside, exist_ok=True)
    for file in glob.glob(os.path.join(glob.escape(beside), f"{PARTS}*", LOCK)):
        with open(file, "ab") as held:
            if lock(held):
                shutil.rmtree(os.path.dirname(file), ignore_errors=True)
    name = PARTS + uuid.uuid4().hex
    os.mkdir(os.path.join(beside, name))
    # Others look for the file when it has been locked.
    held = open(os.path.join(beside, name, "begun"), "ab")
    lock(held)
    os.rename(held.name, os.path.join(beside, name, LOCK))
    return name, held


def lock(file):
    """Whether an open file could be locked until it is closed, be it by a kill."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


class Place:
    """A folder or file at an address, or at a path of this machine."""

    def __init__(self, address):
        from pyarrow import fs

        self.shown = shown(address)
        self.local = fs.LocalFileSystem()
        try:
            self.store, self.path = fs.FileSystem.from_uri(address)
        except Exception as error:
            raise OSError(f"cannot open {self.shown}: {type(error).__name__}") from None
        self.path = self.path.rstrip("/")

    def files(self, below=""):
        """The path below this place and the size of each file; of a single file the path is empty."""
        from pyarrow import fs

        path = f"{self.path}/{below}".rstrip("/")
        kind = self.store.get_file_info(path)
        if kind.type == fs.FileType.File:
            return {"": kind.size}
        if kind.type == fs.FileType.NotFound:
            raise FileNotFoundError(f"{self.shown} is not there")
        found = self.store.get_file_info(fs.FileSelector(path, recursive=True))
        return {file.path[len(path) + 1 :]: file.size for file in found if file.type == fs.FileType.File}

    def recordings(self):
        """The files that are here, apart from parts that jobs write."""
        files = self.files().items()
        return {file: size for file, size in files if not any(part.startswith(PARTS) for part in file.split("/"))}

    def fetch(self, below, to):
        """Copies a file from here."""
        from pyarrow import fs

        fs.copy_files(f"{self.path}/{below}".rstrip("/"), to, source_filesystem=self.store, destination_filesystem=self.local)

    def fetch_folder(self, below, to):
        for file in self.files(below):
            os.makedirs(os.path.dirname(os.path.join(to, file)), exist_ok=True)
            self.fetch(f"{below}/{file}".lstrip("/"), os.path.join(to, file))

    def put_folder(self, folder, below=""):
        """Copies a run to here; its manifest last, since a folder without one is no run."""
        from pyarrow import fs

        files = [os.path.relpath(os.path.join(home, name), folder) for home, _, names in os.walk(folder) for name in names]
        to = {file: "/".join(part for part in (self.path, below, *file.split(os.sep)) if part) for file in files}
        for home in {path.rsplit("/", 1)[0] for path in to.values()}:
            self.store.create_dir(home, recursive=True)
        between = {"source_filesystem": self.local, "destination_filesystem": self.store}
        for file in sorted(files, key=lambda file: file == "manifest.json"):
            fs.copy_files(os.path.join(folder, file), to[file], **between)

    def replace_run(self, folder):
        """Puts a run in place of an earlier one, and of nothing else."""
        from pyarrow import fs

        if self.store.get_file_info(self.path).type == fs.FileType.Directory:
            there = self.files()
            if there and "manifest.json" not in there:
                raise FileExistsError(f"{self.shown} is not a tapecheck run; choose another folder for the run")
            if there:
                self.store.delete_file(f"{self.path}/manifest.json")
            self.store.delete_dir_contents(self.path)
        self.put_folder(folder)

    def remove(self, below):
        from pyarrow import fs

        if self.store.get_file_info(f"{self.path}/{below}").type == fs.FileType.Directory:
            self.store.delete_dir(f"{self.path}/{below}")


class Staged:
    """Recordings on this machine's disk, as far as they are read here."""

    def __init__(self, address, files):
        self.place = Place(address)
        self.files = files
        name, self.held = held_folder(tempfile.gettempdir())
        self.home = os.path.join(tempfile.gettempdir(), name)
        # Recordings may hold secrets.
        os.chmod(self.home, 0o700)
        # What a run shows of its recordings' place; never a flag.
        name = self.place.path.rsplit("/", 1)[-1] or "recordings"
        self.root = f"./{name}" if name.startswith("-") else name
        #: Paths are relative to this folder, so that no file of a run names it.
        self.cwd = os.path.join(self.home, "copies")
        self.whole = set()
        os.makedirs(self.cwd if "" in files else self.path_of(""))
        for file, size in files.items():
            cannot = ValueError(f"{self.place.shown} has a file whose name this machine cannot have: {file!r}")
            if file and any(part in ("", ".", "..") for part in file.split("/")):
                raise cannot
            path = self.path_of(file)
            try:
                os.makedirs(os.path.dirname(path), exist_ok=True)
                made = open(path, "xb")
            except (FileExistsError, NotADirectoryError, ValueError):
                raise cannot from None
            with made:
                made.write(NOTHING[:size])
                made.truncate(size)

    def path_of(self, file):
        return os.path.join(self.cwd, self.root, *file.split("/")) if file else os.path.join(self.cwd, self.root)

    def fetch(self, files):
        for file in set(files) - self.whole:
            if file not in self.files:
                # Tables spell out what turns text around.
                raise ValueError(f"{self.place.shown} has a file whose name is spelled differently in tables: {file!r}")
            path = self.path_of(file)
            self.place.fetch(file, path)
            if os.path.getsize(path) != self.files[file]:
                raise OSError(f"{self.place.shown}/{file} changed while it was read")
            self.whole.add(file)

    def fetch_part(self, command):
        """Copies what a command of `tapecheck run --part` reads, as far as that command tells."""
        while True:
            listing = subprocess.run([*command, "--dry-run"], cwd=self.cwd, stdin=subprocess.DEVNULL, capture_output=True)
            if listing.returncode != 0:
                return listing.returncode, listing.stderr.decode("utf-8", "replace").strip()
            paths = [os.path.relpath(json.loads(line), self.root) for line in listing.stdout.splitlines()]
            wanted = {"" if path == "." else path.replace(os.sep, "/") for path in paths} & set(self.files)
            if wanted <= self.whole:
                return 0, ""
            # Settings name further files.
            self.fetch(wanted)

    def remove(self):
        shutil.rmtree(self.home, ignore_errors=True)
        self.held.close()


def run_copied_part(binary, address, files, known, number, parts, work, arguments, *limits):
    """Classifies a part of recordings that are copied here, and copies it to where the driver finds it.

    `known` are files of programs. Returns the part's folder, how many attempts it took, and its files of programs.
    """
    staged = Staged(address, files)
    try:
        binary = executable(os.path.abspath(binary), staged.home)
        made = os.path.join(staged.home, "made")
        command = [binary, "run", staged.root, "--part", f"{number}/{parts}", "--out", made, *arguments]
        code, said = staged.fetch_part(command)
        if code:
            raise PartFailed(f"part {number}/{parts} of {staged.place.shown} ended with exit code {code}: {said}")
        staged.fetch(known)
        folder, attempts = run_part(binary, [staged.root], number, parts, made, arguments, *limits, home=staged.cwd)
        beside, name = work
        Place(beside).put_folder(folder, f"{name}/{os.path.basename(folder)}")
        return os.path.basename(folder), attempts, json.dumps(of_programs(folder))
    finally:
        staged.remove()


def of_programs(run):
    """The files that programs wrote among the recordings of a part: later parts read them too."""
    with open(os.path.join(run, "recordings.csv"), newline="", encoding="utf-8") as file:
        return [row["file"] for row in csv.DictReader(file) if row["evidence"]]
