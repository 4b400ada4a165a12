"""The steps of action.yml: installs a release, runs `tapecheck gate`, and tells a pull request or an issue.

    python3 release/action.py install | gate | report

All settings come as environment variables, so that nothing that somebody wrote is read as a command of a shell.
Standard library only.
"""

import hashlib
import json
import os
import pathlib
import platform
import re
import subprocess
import sys
import tarfile
import urllib.error
import urllib.request

MARK = "<!-- tapecheck gate -->"
LABEL = "tapecheck"
# A comment may have 65,536 characters.
MOST = 60_000
TITLES = {
    "green": "tapecheck: green",
    "red": "tapecheck: red, servers or tools got worse",
    "operator": "tapecheck: operator, only credentials, quotas or the set-up got worse",
    "nothing to judge": "tapecheck: nothing to judge",
    "": "tapecheck: the check could not run",
}


def main():
    steps = {"install": install, "gate": gate, "report": report}
    step = steps.get(sys.argv[1] if len(sys.argv) == 2 else "")
    if step is None:
        sys.exit(__doc__)
    step()


def setting(name, usual=""):
    return os.environ.get(name) or usual


def place(name):
    folder = pathlib.Path(setting("RUNNER_TEMP", ".")) / "tapecheck"
    folder.mkdir(parents=True, exist_ok=True)
    return folder / name


def tell(name, line):
    """Adds a line to one of the files in which a step says something to the others."""
    with open(os.environ[name], "a", encoding="utf-8") as file:
        file.write(line + "\n")


def target():
    systems = {"Linux": "unknown-linux-gnu", "Darwin": "apple-darwin", "Windows": "pc-windows-msvc"}
    machines = {"x86_64": "x86_64", "AMD64": "x86_64", "aarch64": "aarch64", "arm64": "aarch64", "ARM64": "aarch64"}
    system, machine = systems.get(platform.system()), machines.get(platform.machine())
    if not system or not machine:
        sys.exit(f"there is no release for {platform.system()} on {platform.machine()}: install tapecheck and name it as `command`")
    return f"{machine}-{system}"


def install():
    version, name = setting("VERSION"), f"tapecheck-{target()}.tar.xz"
    base = f"{setting('GITHUB_SERVER_URL', 'https://github.com')}/{os.environ['REPOSITORY']}/releases"
    base += f"/download/{version}" if version else "/latest/download"
    sums = dict(reversed(line.split()) for line in fetched(f"{base}/SHA256SUMS").decode().splitlines() if line.strip())
    archive = fetched(f"{base}/{name}")
    if hashlib.sha256(archive).hexdigest() != sums.get(name):
        sys.exit(f"{base}/{name} is not what SHA256SUMS says of it: nothing is installed")
    place(name).write_bytes(archive)
    with tarfile.open(place(name)) as packed:
        packed.extractall(place("bin"), filter="data")
    tell("GITHUB_PATH", str(place("bin").resolve()))


def fetched(url):
    try:
        with urllib.request.urlopen(url, timeout=60) as reply:
            return reply.read()
    except OSError as problem:
        sys.exit(f"cannot fetch {url}: {problem}")


def gate():
    command = setting("COMMAND", "tapecheck")
    arguments = [command, "gate", os.environ["RECORDINGS"], "--baseline", os.environ["BASELINE"], "--format", "github"]
    arguments += [part for name in ("json", "md", "sarif") for part in ("--format", f"{name}={place('gate.' + name)}")]
    arguments += ["--policy", setting("POLICY")] if setting("POLICY") else []
    for name in ("json", "md", "sarif"):
        place(f"gate.{name}").unlink(missing_ok=True)
    code = subprocess.run(arguments).returncode
    told = place("gate.json")
    without = "nothing to judge" if code == 3 else ""
    state = json.loads(told.read_text(encoding="utf-8"))["state"] if told.exists() else without
    written = place("gate.md")
    text = written.read_text(encoding="utf-8") if written.exists() else f"## {TITLES[state]}\n\nThe log of the job says why.\n"
    text += flips(command)
    place("comment.md").write_text(text, encoding="utf-8")
    tell("GITHUB_STEP_SUMMARY", text)
    tell("GITHUB_OUTPUT", f"state={state}\ncode={code}")
    if place("gate.sarif").exists():
        tell("GITHUB_OUTPUT", f"sarif={place('gate.sarif')}")


def flips(command):
    """The calls whose verdicts a pull request changes, if it changes the rulebook."""
    rulebook, base = setting("RULEBOOK"), event().get("pull_request", {}).get("base", {}).get("sha", "")
    if not rulebook or not re.fullmatch("[0-9a-f]{40}", base):
        return ""
    subprocess.run(["git", "fetch", "--quiet", "--depth=1", "origin", base])
    before = subprocess.run(["git", "show", f"{base}:./{rulebook}"], capture_output=True)
    after = pathlib.Path(rulebook)
    if before.returncode or not after.exists() or before.stdout == after.read_bytes():
        return ""
    # Beside the new one, so that it finds what it extends.
    old = after.with_name(f".{after.stem}.{base}{after.suffix}")
    old.write_bytes(before.stdout)
    try:
        recordings = os.environ["RECORDINGS"]
        compared = subprocess.run(
            [command, "diff", recordings, recordings, "--rulebook", old, "--rulebook", after, "--format", "md"], capture_output=True
        )
    finally:
        old.unlink()
    said = (compared.stdout if compared.returncode == 0 else compared.stderr).decode(errors="replace")
    return f"\n## What the rulebook changes\n\n{said}"


def event():
    path = setting("GITHUB_EVENT_PATH")
    return json.loads(pathlib.Path(path).read_text(encoding="utf-8")) if path else {}


def report():
    number = event().get("pull_request", {}).get("number")
    written = place("comment.md")
    text = written.read_text(encoding="utf-8") if written.exists() else f"## {TITLES['']}\n"
    body = MARK + "\n" + cut(text)
    try:
        if number and setting("COMMENT") == "true":
            comment(number, body)
        elif not number and setting("ISSUE") == "true":
            issue(setting("STATE"), body)
    except urllib.error.HTTPError as problem:
        # A pull request from a fork has a token that may only read; the summary of the job says the same.
        print(f"::notice::tapecheck could not tell it: {problem.code} {problem.reason}; does the token have the permission to write?")
    except OSError as problem:
        print(f"::notice::tapecheck could not tell it: {problem}")


def cut(text):
    if len(text) <= MOST:
        return text
    return text[: text.rindex("\n", 0, MOST)] + "\n\nThe rest stands in the summary of the job.\n"


def comment(number, body):
    comments = pages(f"/issues/{number}/comments")
    ours = next((it for it in comments if (it.get("body") or "").startswith(MARK)), None)
    if ours:
        asked("PATCH", f"/issues/comments/{ours['id']}", {"body": body})
    else:
        asked("POST", f"/issues/{number}/comments", {"body": body})


def issue(state, body):
    """One issue for all nights: a green night closes it, another opens it again."""
    issues = pages(f"/issues?labels={LABEL}&state=all")
    ours = next((it for it in issues if (it.get("body") or "").startswith(MARK)), None)
    told = {"title": TITLES[state], "body": body}
    if ours:
        asked("PATCH", f"/issues/{ours['number']}", told | {"state": "closed" if state == "green" else "open"})
    elif state != "green":
        asked("POST", "/issues", told | {"labels": [LABEL]})


def pages(path):
    for page in range(1, 100):
        found = asked("GET", f"{path}{'&' if '?' in path else '?'}per_page=100&page={page}")
        yield from found
        if len(found) < 100:
            return


def asked(method, path, body=None):
    url = f"{setting('GITHUB_API_URL', 'https://api.github.com')}/repos/{os.environ['GITHUB_REPOSITORY']}{path}"
    request = urllib.request.Request(url, method=method, data=None if body is None else json.dumps(body).encode())
    request.add_header("Authorization", f"Bearer {os.environ['TOKEN']}")
    request.add_header("Accept", "application/vnd.github+json")
    if body is not None:
        request.add_header("Content-Type", "application/json")
    with urllib.request.urlopen(request, timeout=60) as reply:
        return json.load(reply)


main()
