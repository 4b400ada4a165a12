"""Writes labelled recordings of the wire as hosts would have kept them, to measure what is lost on the way.

    python3 benches/derived.py corpus/unseen FOLDER
    tapecheck run FOLDER/claude-code --out run && tapecheck stats run --labels FOLDER/claude-code/labels.jsonl

Each session becomes a transcript of Claude Code, which marks errors and keeps blocks, and an export of opencode,
which keeps one text and does not record whether it is an error.
"""

import json
import pathlib
import sys


def calls(path):
    """The calls of a recording: id, tool, arguments, answer, times; and the server's name."""
    waiting, found, server = {}, [], path.stem
    for line in path.open(encoding="utf-8"):
        line = json.loads(line)
        message = line.get("msg")
        if not isinstance(message, dict):
            continue
        if line["dir"] == "c2s" and message.get("method") == "tools/call":
            waiting[message["id"]] = (line["ts"], message["params"])
        elif line["dir"] == "s2c" and "method" not in message:
            asked = waiting.pop(message.get("id"), None)
            if asked:
                found.append((message["id"], *asked, line["ts"], message))
    return server, found


def text_of(answer):
    if "error" in answer:
        return f"MCP error {answer['error'].get('code')}: {answer['error'].get('message')}"
    blocks = answer["result"].get("content") or []
    return "\n".join(b.get("text", "") for b in blocks if isinstance(b, dict) and b.get("type") == "text")


def transcript(server, found, out):
    with out.open("w", encoding="utf-8") as file:
        for number, (id_, asked, params, answered, answer) in enumerate(found):
            head = {"sessionId": server, "version": "2.1.0", "uuid": f"{server}-{number}"}
            use = {"type": "tool_use", "id": str(id_), "name": f"mcp__{server}__{params.get('name', '')}",
                   "input": params.get("arguments", {})}
            call = {"type": "assistant", **head, "timestamp": asked, "message": {"role": "assistant", "content": [use]}}
            is_error = "error" in answer or bool(answer["result"].get("isError"))
            result = {"type": "tool_result", "tool_use_id": str(id_)}
            if is_error:
                result |= {"content": text_of(answer), "is_error": True}
            else:
                result["content"] = answer["result"].get("content", [])
            reply = {"type": "user", **head, "timestamp": answered, "message": {"role": "user", "content": [result]}}
            file.write(json.dumps(call) + "\n" + json.dumps(reply) + "\n")


def export(server, found, out):
    parts = []
    for id_, _, params, _, answer in found:
        is_thrown = "error" in answer
        state = {"input": params.get("arguments", {}), "title": "", "metadata": {}, "time": {"start": 1, "end": 2}}
        state |= {"status": "error", "error": text_of(answer)} if is_thrown else {
            "status": "completed", "output": text_of(answer)}
        parts.append({"id": str(id_), "sessionID": server, "messageID": "m", "type": "tool", "callID": str(id_),
                      "tool": f"{server}_{params.get('name', '')}", "state": state})
    document = {"info": {"id": server, "projectID": "p", "version": "1.1.4"},
                "messages": [{"info": {"id": "m", "sessionID": server, "role": "assistant"}, "parts": parts}]}
    out.write_text(json.dumps(document), encoding="utf-8")


def main():
    source, target = map(pathlib.Path, sys.argv[1:])
    for name, write, ending in (("claude-code", transcript, "jsonl"), ("opencode", export, "json")):
        folder = target / name
        folder.mkdir(parents=True, exist_ok=True)
        for path in sorted(source.glob("*.jsonl")):
            if path.name != "labels.jsonl":
                write(*calls(path), folder / f"{path.stem}.{ending}")
        labels = (source / "labels.jsonl").read_text(encoding="utf-8")
        (folder / "labels.jsonl").write_text(labels.replace('.jsonl"', f'.{ending}"'), encoding="utf-8")


main()
