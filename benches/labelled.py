"""Labelled collections of corpus/ as one folder, and what `tapecheck stats` says of them."""

import json
import pathlib
import re
import shutil
import subprocess
import sys

CORPUS = pathlib.Path(__file__).resolve().parent.parent / "corpus"
POOL = ("field", "fresh", "learn", "recorded", "unseen")
# Of errors and of replies that claim success: the label of those that did not fail, and of those that did.
KINDS = {"error": ("refused", "failed"), "success": ("worked", "hidden")}


def class_of(word, kind):
    """The class of a label or an answer; of a success that is none it does not matter here how it ended."""
    return word if kind == "error" or word == "worked" else "hidden"


def judged_text(answer):
    if "error" in answer:
        return str(answer["error"].get("message"))
    result = answer["result"]
    texts = [b["text"] for b in result.get("content") or [] if isinstance(b, dict) and b.get("type") == "text"]
    if not texts and "structuredContent" in result:
        return json.dumps(result["structuredContent"], ensure_ascii=False)
    return "\n".join(texts)


def words_of_name(name):
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|[^A-Za-z0-9]+", " ", str(name))


def calls_of(path):
    """The answered calls of a recording by id; `place` names the line of the request, as `stats` does."""
    waiting, found, server = {}, {}, None
    for number, line in enumerate(path.open(encoding="utf-8"), 1):
        line = json.loads(line)
        message = line.get("msg")
        if not isinstance(message, dict):
            continue
        if line["dir"] == "c2s" and message.get("method") == "tools/call":
            waiting[message["id"]] = (number, message["params"].get("name", ""))
        elif line["dir"] == "s2c" and "method" not in message:
            result = message.get("result")
            if isinstance(result, dict) and "serverInfo" in result:
                server = result["serverInfo"]["name"]
            asked = waiting.pop(message.get("id"), None)
            if asked:
                is_error = "error" in message or result.get("isError") is True
                found[message["id"]] = {
                    "place": f"{path.parent.name}/{path.name}:{asked[0]}", "server": server,
                    "tool": words_of_name(asked[1]), "text": judged_text(message),
                    "kind": "error" if is_error else "success"}
    return found


def gather(names, folder):
    """Copies collections into `folder`, joins their labels there, and gives the labelled calls."""
    calls = []
    with (folder / "labels.jsonl").open("w", encoding="utf-8") as joined:
        for name in names:
            (folder / name).mkdir()
            for path in sorted((CORPUS / name).glob("*.jsonl")):
                if path.name != "labels.jsonl":
                    shutil.copy(path, folder / name)
            recordings = {}
            for line in (CORPUS / name / "labels.jsonl").open(encoding="utf-8"):
                label = json.loads(line)
                file = label["file"]
                joined.write(json.dumps(label | {"file": f"{name}/{file}"}) + "\n")
                if file not in recordings:
                    recordings[file] = calls_of(CORPUS / name / file)
                call = recordings[file].get(label["id"])
                if call and class_of(label["label"], call["kind"]) in KINDS[call["kind"]]:
                    calls.append(call | {"label": class_of(label["label"], call["kind"])})
    return calls


def stats(program, rulebook, folder):
    done = subprocess.run(
        [program, "stats", folder, "--labels", folder / "labels.jsonl", "--rulebook", rulebook, "--format", "json",
         "--top", "1000000"], stdout=subprocess.PIPE, cwd=folder)
    if done.returncode:
        sys.exit(f"{program} stats exited with {done.returncode}; what it says of it is above")
    return json.loads(done.stdout)
