"""Recordings of several nights in the formats that gateways, hosts and agents write, made up from a seed."""

import gzip
import json
import random
from datetime import datetime, timedelta, timezone

#: Of a night's calls, which share each kind of file holds, and how many calls one file holds at most.
MIXED = {"lines": (0.6, 10_000), "wire": (0.25, 5_000), "log": (0.05, 5_000), "har": (0.05, 2_500), "transcript": (0.05, 500)}
#: What gateways write.
GATEWAYS = {"lines": (0.7, 10_000), "wire": (0.3, 5_000)}
SERVERS = [f"server-{number}" for number in range(12)]
WORDS = "account amount archive branch buffer cache column device folder invoice limit mirror office order packet query region".split()
REFUSALS = ["Not found: {}", "Permission denied for {}", "Invalid value for {}: must be positive", "{} already exists"]
FAILURES = ["TypeError: Cannot read properties of undefined (reading '{}')", "Connection refused: {}", "Internal server error ({})"]


def write(folder, calls, nights=10, seed=1, kinds=MIXED):
    """Writes recordings of at least `calls` calls and returns how many bytes they take."""
    draw = random.Random(seed)
    numbers = iter(range(calls))
    for night in range(nights):
        day = datetime(2026, 3, 1 + night, tzinfo=timezone.utc)
        home = folder / f"{day:%Y-%m-%d}"
        home.mkdir(parents=True)
        (home / "tools.json").write_text(json.dumps({"tools": [tool(name) for name in tools()]}))
        of_night = calls * (night + 1) // nights - calls * night // nights
        for number, (kind, size) in enumerate(files(of_night, kinds)):
            made = [call(draw, next(numbers), day) for _ in range(size)]
            WRITERS[kind](home, number, made, draw)
        broken = gzip.compress(b"".join(line(call(draw, -number, day)) for number in range(1, 200)))
        (home / "zz-cut-off.jsonl.gz").write_bytes(broken[: len(broken) // 2])
    assert next(numbers, None) is None, "every call is in a file"
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def files(calls, kinds):
    """Kinds and sizes of a night's files. The last kind holds what is left."""
    left = calls
    for kind, (share, most) in kinds.items():
        of_kind = left if kind == [*kinds][-1] else int(calls * share)
        left -= of_kind
        yield from ((kind, min(most, of_kind - begun)) for begun in range(0, of_kind, most))


def tools():
    return [f"{verb}_{WORDS[number]}" for number in range(8) for verb in ("get", "find", "put")]


def tool(name):
    shape = {"type": "object", "properties": {"total": {"type": "integer"}, "of": {"type": "string"}}, "required": ["total"]}
    described = {"name": name, "description": f"{name} of the office", "inputSchema": {"type": "object"}}
    return {**described, "outputSchema": shape} if name.startswith("find") else described


def call(draw, number, day):
    name, word = draw.choice(tools()), draw.choice(WORDS)
    at = day + timedelta(milliseconds=draw.randrange(86_400_000))
    made = {"number": number, "server": draw.choice(SERVERS), "tool": name, "at": f"{at:%Y-%m-%dT%H:%M:%S}.{at.microsecond // 1000:03}Z"}
    made["input"] = {"of": word, "page": draw.randrange(1000), "note": " ".join(draw.choices(WORDS, k=draw.randrange(12)))}
    luck = draw.random()
    if luck < 0.02:
        return {**made, "error": {"code": draw.choice([-32602, -32603]), "message": f"bad {word}"}}
    if luck < 0.2:
        text = draw.choice(REFUSALS if luck < 0.14 else FAILURES).format(word)
        return {**made, "result": {"content": [{"type": "text", "text": text}], "isError": True}}
    text = " ".join(draw.choices(WORDS, k=draw.randrange(5, 80)))
    result = {"content": [{"type": "text", "text": f"{number}: {text}"}]}
    if name.startswith("find"):
        result["structuredContent"] = {"total": number if luck < 0.97 else str(number), "of": word}
    return {**made, "result": result}


def compact(value):
    return json.dumps(value, separators=(",", ":"))


def line(made):
    reply = made.get("result") or {"error": made["error"]}
    named = {"id": f"c{made['number']}", "server": made["server"], "tool": made["tool"], "recorded_at": made["at"]}
    return (compact({**named, "input": made["input"], "response": reply}) + "\n").encode()


def write_lines(home, number, made, draw):
    text = [line(one) for one in made]
    text.insert(draw.randrange(len(text)), b'{"id": "not finished\n')
    ending = ("", ".gz", ".zst")[number % 3]
    path = home / f"gateway-{number}.jsonl{ending}"
    if ending == ".zst":
        import pyarrow as pa

        with pa.output_stream(str(path), compression="zstd") as file:
            file.write(b"".join(text))
    else:
        path.write_bytes(gzip.compress(b"".join(text), 1, mtime=0) if ending else b"".join(text))


def messages(made):
    """Calls as messages with the side that sends them. Answers come late, some never."""
    waiting = []
    for number, one in enumerate(made, 10):
        asked = {"name": one["tool"], "arguments": one["input"]}
        yield one["at"], "c2s", {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": asked}
        answer = {key: one[key] for key in ("result", "error") if key in one}
        waiting.append((one["at"], "s2c", {"jsonrpc": "2.0", "id": number, **answer}))
        if len(waiting) == 3:
            late = waiting.pop(0)
            if one["number"] % 50:
                yield late
    yield from waiting


def setup(server):
    about = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": server, "version": "1"}}
    yield "c2s", {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": "2025-06-18"}}
    yield "s2c", {"jsonrpc": "2.0", "id": 0, "result": about}
    yield "c2s", {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    yield "s2c", {"jsonrpc": "2.0", "id": 1, "result": {"tools": [tool(name) for name in tools()]}}


def sent(made, server):
    """A whole session, in the order of its time."""
    made = sorted(made, key=lambda one: one["at"])
    yield from ((made[0]["at"], side, message) for side, message in setup(server))
    yield from messages(made)


def write_wire(home, number, made, _):
    server = SERVERS[number % len(SERVERS)]
    text = (compact({"ts": at, "dir": side, "msg": message}) for at, side, message in sent(made, server))
    (home / f"wire-{number}.jsonl").write_text("\n".join(text) + "\n")


def write_log(home, number, made, _):
    server = SERVERS[number % len(SERVERS)]
    sides = {"c2s": "client", "s2c": "server"}
    text = (f"{at} [info] [{server}] Message from {sides[side]}: {compact(message)}\n" for at, side, message in sent(made, server))
    (home / f"mcp-server-{server}-{number}.log").write_text("".join(text))


def write_har(home, number, made, _):
    def entry(one):
        status = 200 if "result" in one and not one["result"].get("isError") else 500
        asked = {"mimeType": "application/json", "text": compact({"name": one["tool"], "arguments": one["input"]})}
        url = f"mcp://@agent/{one['server']}/tools/call/{one['tool']}"
        answer = {"mimeType": "application/json", "text": compact(one.get("result") or one["error"])}
        request = {"method": "POST", "url": url, "httpVersion": "JSON-RPC/2.0", "headers": [], "postData": asked}
        response = {"status": status, "statusText": "", "headers": [], "content": answer}
        return {"startedDateTime": one["at"], "time": 3.5, "request": request, "response": response}

    log = {"version": "1.2", "creator": {"name": "mcpsnoop", "version": "1"}, "entries": [entry(one) for one in made]}
    (home / f"proxy-{number}.har").write_text(compact({"log": log}))


def write_transcript(home, number, made, draw):
    """A session of Claude Code. A resumed session begins with a copy of an earlier one."""
    session = f"00000000-0000-4000-8000-{draw.randrange(10**12):012}"
    lines = []
    for one in made:
        use = f"toolu_{session[-12:]}{one['number']:08}"
        named = {"type": "tool_use", "id": use, "name": f"mcp__{one['server']}__{one['tool']}", "input": one["input"]}
        answer = one.get("result") or {"content": [{"type": "text", "text": one["error"]["message"]}], "isError": True}
        told = {"type": "tool_result", "tool_use_id": use, "content": answer["content"], "is_error": answer.get("isError", False)}
        common = {"sessionId": session, "version": "2.1.31", "timestamp": one["at"], "uuid": use}
        lines.append({**common, "type": "assistant", "message": {"role": "assistant", "content": [named]}})
        lines.append({**common, "type": "user", "message": {"role": "user", "content": [told]}})
    folder = home / "agents"
    folder.mkdir(exist_ok=True)
    text = "".join(compact(one) + "\n" for one in lines)
    (folder / f"{session}.jsonl").write_text(text)
    if number % 4 == 0:
        resumed = f"ffffffff-0000-4000-8000-{draw.randrange(10**12):012}"
        (folder / f"{resumed}.jsonl").write_text(text)


WRITERS = {"lines": write_lines, "wire": write_wire, "log": write_log, "har": write_har, "transcript": write_transcript}
