"""What a program is made of: its licences, licence notices of all packages in it, and a bill of materials (CycloneDX 1.6).

    python3 release/bill.py FOLDER [TARGET [MANIFEST]]

Copies the licences to FOLDER and writes FOLDER/THIRD-PARTY.txt and FOLDER/tapecheck.cdx.json from the lock file beside MANIFEST (default:
Cargo.toml): the packages that are linked for TARGET (default: this machine's), without those of tests and of the build. Standard library only;
needs cargo and its fetched packages.
"""

import json
import pathlib
import shutil
import subprocess
import sys

HOME = pathlib.Path(__file__).resolve().parent.parent
NOTICES = ("licen", "copying", "notice", "unlicense", "copyright")


def main():
    given = dict(enumerate(sys.argv))
    folder, target, manifest = pathlib.Path(given[1]), given.get(2) or host(), given.get(3, "Cargo.toml")
    folder.mkdir(parents=True, exist_ok=True)
    metadata = json.loads(cargo("metadata", "--format-version", "1", "--locked", "--filter-platform", target, "--manifest-path", manifest))
    root, packages = metadata["resolve"]["root"], {it["id"]: it for it in metadata["packages"]}
    linked = {it: packages[it] for it in linked_into(root, metadata["resolve"]["nodes"])}
    bare = [f"{it['name']} {it['version']}" for it in linked.values() if not (it["license"] or notices(it))]
    if bare:
        sys.exit(f"no licence is known of {', '.join(bare)}")
    for licence in HOME.glob("LICENSE-*"):
        shutil.copyfile(licence, folder / licence.name)
    write(folder / "THIRD-PARTY.txt", third_party(root, linked))
    write(folder / "tapecheck.cdx.json", json.dumps(bill(root, linked, target), indent=1) + "\n")
    print(f"{folder}: {len(linked) - 1} packages for {target}")


def cargo(*arguments):
    return subprocess.run(["cargo", *arguments], cwd=HOME, check=True, capture_output=True, text=True).stdout


def host():
    told = subprocess.run(["rustc", "-vV"], check=True, capture_output=True, text=True).stdout
    return next(line.split()[1] for line in told.splitlines() if line.startswith("host:"))


def linked_into(root, nodes):
    """The packages that end up in the program, by name: what is only for tests or the build does not."""
    of = {node["id"]: node for node in nodes}
    found, left = set(), [root]
    while left:
        package = left.pop()
        if package in found:
            continue
        found.add(package)
        for dependency in of[package]["deps"]:
            if any(kind["kind"] is None for kind in dependency["dep_kinds"]):
                left.append(dependency["pkg"])
    return sorted(found)


def notices(package):
    folder = pathlib.Path(package["manifest_path"]).parent
    files = [it for it in sorted(folder.iterdir()) if it.is_file() and it.name.lower().startswith(NOTICES)]
    return [it.read_text(encoding="utf-8", errors="replace").strip() for it in files]


def third_party(root, linked):
    """Each text once, under the names of all packages that have it."""
    texts, names = {}, []
    for identity, package in linked.items():
        if identity == root:
            continue
        name = f"{package['name']} {package['version']}"
        names.append(f"{name}: {package['license'] or 'see its text below'}")
        for text in notices(package):
            texts.setdefault(text, []).append(name)
    parts = ["tapecheck contains these packages, under the licences that stand behind their names.\n\n" + "\n".join(names)]
    parts += [f"{', '.join(of)}\n\n{text}" for text, of in sorted(texts.items(), key=lambda it: it[1])]
    return ("\n\n" + "-" * 80 + "\n\n").join(parts) + "\n"


def bill(root, linked, target):
    def component(package, kind):
        purl = f"pkg:cargo/{package['name']}@{package['version']}"
        about = {"type": kind, "bom-ref": purl, "name": package["name"], "version": package["version"], "purl": purl}
        # Old manifests part licences by a slash.
        licence = (package["license"] or "").replace("/", " OR ")
        return about | ({"licenses": [{"expression": licence}]} if licence else {})

    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": component(linked[root], "application"), "properties": [{"name": "target", "value": target}]},
        "components": [component(package, "library") for identity, package in linked.items() if identity != root],
    }


def write(path, text):
    path.write_text(text, encoding="utf-8")


main()
