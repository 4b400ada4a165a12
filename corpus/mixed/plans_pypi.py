"""Which servers of PyPI ../record.py starts, how, and what it asks them."""

import json
import pathlib
import sqlite3
import tempfile

import record_files as files
from record_plans import ask, pypi

PLANS = {}


def damaged():
    """A database whose table `archive` has a broken page; the other tables are whole."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "file.db"
        with sqlite3.connect(path) as db:
            db.executescript("""
                pragma page_size = 1024;
                create table tickets (id integer primary key, title text not null, status text default 'open', big integer);
                create table archive (id integer primary key, body text);
                create table events (at text, level text, message text);
                create unique index tickets_title on tickets(title);
                create table notes (id integer primary key, ticket integer references tickets(id), photo blob);
                create view open_tickets as select * from tickets where status = 'open';
                insert into tickets values (1, 'Login fails with 401', 'open', 9007199254740999), (2, 'Printer on fire', 'failed', 3),
                    (3, 'Error: undefined is not a function', 'closed', null);
                insert into events values ('2026-11-01', 'ERROR', 'connection refused by db-2'), ('2026-11-02', 'INFO', 'started');
                insert into notes values (1, 1, x'cafe00'), (2, 2, null);
            """)
            root = db.execute("select rootpage from sqlite_master where name='archive'").fetchone()[0]
            db.executemany("insert into archive (body) values (?)", [("x" * 300,) for _ in range(60)])
        db.close()
        data = bytearray(path.read_bytes())
        start = (root - 1) * 1024
        data[start:start + 1024] = b"\x0f" * 1024
        return bytes(data)


def sql(text):
    return ask("execute_sql", sql=text)


PLANS["sqlite-guard"] = pypi("database-mcp-sqlite", [
    ask("search_objects", {}),
    ask("search_objects", table="tickets"),
    ask("search_objects", table="invoices"),
    ask("search_objects", table="notes"),
    ask("search_objects", table="archive"),
    sql("SELECT * FROM tickets"),
    sql("SELECT title FROM tickets WHERE status = 'failed'"),
    sql("SELECT title FROM tickets WHERE status = 'lost'"),
    sql("SELECT * FROM events WHERE level = 'ERROR'"),
    sql("SELECT * FROM archive WHERE id = 7"),
    sql("SELECT count(*) FROM archive"),
    sql("DELETE FROM tickets WHERE id = 2"),
    sql("UPDATE tickets SET status = 'closed'"),
    sql("WITH x AS (SELECT 1) INSERT INTO tickets (title) SELECT 'new' FROM x"),
    sql("PRAGMA table_info(tickets)"),
    sql("SELECT 1; DROP TABLE tickets"),
    sql("SELECT 'a;b' AS text;"),
    sql(""),
    sql("-- nothing here"),
    sql("SELEC * FROM tickets"),
    sql("SELECT * FROM invoices"),
    sql("SELECT price FROM tickets"),
    sql("SELECT id FROM tickets JOIN notes ON ticket = tickets.id"),
    sql("SELECT count(* FROM tickets"),
    sql("SELECT nosuch(title) FROM tickets"),
    sql("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500) SELECT i FROM n"),
    sql("EXPLAIN QUERY PLAN SELECT * FROM tickets WHERE title = 'Printer on fire'"),
    sql("SELECT photo, big FROM notes JOIN tickets ON tickets.id = ticket"),
    sql("SELECT id, title FROM open_tickets"),
    sql("VALUES (1, 'error'), (2, 'failure')"),
    sql("SELECT body FROM archive ORDER BY id DESC LIMIT 1"),
    sql("SELECT json_extract('{\"a\": 1', '$.a')"),
    sql("SELECT abs(-9223372036854775808)"),
    sql("SELECT title FROM tickets WHERE title LIKE '%Error%' ORDER BY 2"),
    sql("ATTACH DATABASE '/tmp/other.db' AS other"),
    ask("execute_sql", query="SELECT 1"),
    ask("execute_sql", sql=7),
    ask("drop_everything", x=1),
], files={"support.db": damaged()}, env={"SQLITE_PATH": "{home}/support.db"}, missing="nothing; a page of one table is broken")

PLANS["crusader"] = pypi("task-crusader-mcp", [
    ask("campaign_list", {}),
    ask("campaign_create", name="Release 2.1", description="ship the release", priority="high"),
    ask("campaign_create", name="   "),
    ask("campaign_create_with_tasks", campaign_json=json.dumps({
        "campaign": {"name": "Fix login", "priority": "high"}, "tasks": [
            {"temp_id": "a", "title": "Login fails with 401", "type": "code", "acceptance_criteria": ["no 401 for valid users"]},
            {"temp_id": "b", "title": "Write tests", "dependencies": ["a"]}]})),
    ask("campaign_create_with_tasks", campaign_json="{\"campaign\": "),
    ask("campaign_create_with_tasks", campaign_json=json.dumps({"tasks": []})),
    ask("campaign_create_with_tasks", campaign_json=json.dumps({
        "campaign": {"name": "Circle"}, "tasks": [{"temp_id": "a", "title": "A", "dependencies": ["b"]},
                                                  {"temp_id": "b", "title": "B", "dependencies": ["a"]}]})),
    ask("campaign_create_with_tasks", campaign_json=json.dumps({
        "campaign": {"name": "Gap"}, "tasks": [{"temp_id": "a", "title": "A", "dependencies": ["zz"]}]})),
    ask("campaign_list", status="cancelled"),
    ask("campaign_list", priority="urgent"),
    ask("campaign_show", campaign_id="c-404"),
    ask("task_search", query="401"),
    ask("task_search", query="nothing like this"),
    ask("task_search", query=""),
    ask("task_list", status="pending"),
    ask("task_create", title="Deploy", campaign_id="{last:campaign_id\"?: \"?([0-9a-f-]+)}", priority="critical", type="deployment"),
    ask("task_create", title=" ", campaign_id="{last:campaign_id\"?: \"?([0-9a-f-]+)}"),
    ask("task_create", title="Orphan", campaign_id="c-404"),
    ask("task_create", title="Deps", campaign_id="{last:campaign_id\"?: \"?([0-9a-f-]+)}", dependencies=["t-404"]),
    ask("task_create_from_template", template_name="bug-fix", campaign_id="{last:campaign_id\"?: \"?([0-9a-f-]+)}", title="Crash at start"),
    ask("task_create_from_template", template_name="bug-fix", campaign_id="c-404"),
    ask("task_list", {}),
    ask("task_show", task_id="{last:task_id=\'([0-9a-f-]+)}"),
    ask("task_show", task_id="t-404"),
    ask("task_update", task_id="{last:task_id\"?: \"?([0-9a-f-]+)}", status="in-progress"),
    ask("task_update", task_id="{last:task_id\"?: \"?([0-9a-f-]+)}", dependencies=["{last:task_id\"?: \"?([0-9a-f-]+)}"]),
    ask("task_update", task_id="{last:task_id\"?: \"?([0-9a-f-]+)}", dependencies=[], add_dependencies=["t-1"]),
    ask("task_update", task_id="{last:task_id\"?: \"?([0-9a-f-]+)}"),
    ask("task_testing_strategy_add", task_id="{last:task_id\"?: \"?([0-9a-f-]+)}", content="start with an empty config", step_type="verify"),
    ask("task_testing_strategy_mark_failed", task_id="{last:task_id\"?: \"?([0-9a-f-]+)}", step_id="s-404"),
    ask("task_complete", task_id="t-404"),
    ask("task_complete_with_workflow", task_id="{last:task_id\"?: \"?([0-9a-f-]+)}"),
    ask("task_bulk_update", task_ids=[], status="done"),
    ask("task_bulk_update", task_ids=["t-1", "t-2"], status="done"),
    ask("campaign_validate_readiness", campaign_id="{last:campaign_id\"?: \"?([0-9a-f-]+)}"),
    ask("campaign_get_progress_summary", campaign_id="{last:campaign_id\"?: \"?([0-9a-f-]+)}"),
    ask("campaign_get_next_actionable_task", campaign_id="{last:campaign_id\"?: \"?([0-9a-f-]+)}"),
    ask("task_stats", {}),
    ask("campaign_research_show", campaign_id="{last:campaign_id\"?: \"?([0-9a-f-]+)}", research_id="r-404"),
    ask("campaign_delete", campaign_id="c-404"),
    ask("task_delete", task_id="{last:task_id\"?: \"?([0-9a-f-]+)}"),
    ask("campaign_create", name="DISK-TROUBLE from here"),
    ask("campaign_list", {}), ask("task_stats", {}), ask("campaign_workflow_guide", {}),
    ask("task_search", query="401"),
    ask("campaign_create", name="After the disk"),
    ask("campaign_list", {}),
    ask("campaign_delete", campaign_id="c-404"),
], script="crusader-mcp", missing="nothing; the database file is overwritten near the end")


class Paused(list):
    """Calls with pauses: a number among them is the time in seconds to wait before the next one."""

    def __iter__(self):
        import time
        for entry in super().__iter__():
            if isinstance(entry, (int, float)):
                time.sleep(entry)
            else:
                yield entry


# The disk under the database gives way after the campaign DISK-TROUBLE is written.
PLANS["crusader"]["calls"] = Paused(
    [c for c in PLANS["crusader"]["calls"][:-6]] + [1.5] + [
        ask("campaign_list", {}), ask("task_stats", {}), ask("campaign_show", campaign_id="c-404"),
        ask("campaign_create", name="After the disk"), ask("task_search", query="401"), ask("campaign_workflow_guide", {}),
        ask("task_update", task_id="{last:task_id='([0-9a-f-]+)}", status="done"), ask("campaign_delete", campaign_id="c-404")])
PLANS["crusader"]["command"] = [
    "sh", "-c", "mkdir -p .crusader; (while ! grep -aqs DISK-TROUBLE .crusader/database.db*; do sleep 0.1; done; sleep 0.3; "
    "for f in .crusader/database.db*; do dd if=/dev/urandom of=$f bs=4096 count=8 conv=notrunc; done) > /dev/null 2>&1 & exec \"$@\"",
    "sh", *PLANS["crusader"]["command"]]


def edit(path, *blocks):
    return ask("patch_file", file_path=path, patch_content="\n".join(
        f"<<<<<<< SEARCH\n{a}\n=======\n{b}\n>>>>>>> REPLACE" for a, b in blocks))


def patch(path, text):
    return ask("patch_file", file_path=path, patch_content=text)


PLANS["patch-file"] = pypi("patch-file-mcp", [
    edit("{home}/work/app.py", ("    return a - b", "    return a + b")),
    edit("{home}/work/app.py", ("def mul(a, b):", "def multiply(a, b):"), ("print(mul(2, 3))", "print(multiply(2, 3))")),
    edit("{home}/work/app.py", ("def div(a, b):", "def divide(a, b):")),
    edit("{home}/work/app.py", ("print", "log")),
    edit("{home}/work/app.py", ("def add(a, b):", "def add(a, b, c=0):"), ("nothing like it", "x")),
    edit("{home}/work/none.py", ("a", "b")),
    edit("{home}/work", ("a", "b")),
    edit("{home}/secret/key.txt", ("key", "x")),
    edit("/etc/hosts", ("localhost", "elsewhere")),
    edit("{home}/work/../secret/key.txt", ("key", "x")),
    edit("{home}/workshop/plan.txt", ("saw", "hammer")),
    edit("{home}/work/latin.txt", ("caf", "bar")),
    edit("{home}/work/pic.png", ("IHDR", "x")),
    edit("{home}/work/server.log", ("ERROR connection refused by db-2", "ERROR connection refused by db-3")),
    edit("{home}/work/server.log", ("ERROR", "WARN")),
    edit("{home}/work/errors.json", ("\"Login fails with 401\"", "\"Login fails with 403\"")),
    edit("{home}/work/empty.txt", ("a", "b")),
    edit("{home}/work/locked.txt", ("first", "second")),
    edit("{home}/ro/readme.txt", ("old", "new")),
    patch("{home}/work/app.py", "def add(a, b):"),
    patch("{home}/work/app.py", ""),
    patch("{home}/work/app.py", "<<<<<<< SEARCH\ndef add(a, b):\n>>>>>>> REPLACE"),
    patch("{home}/work/app.py", "<<<<<<< SEARCH\ndef add(a, b):\n=======\ndef plus(a, b):"),
    patch("{home}/work/app.py", "=======\nx\n<<<<<<< SEARCH\ny\n>>>>>>> REPLACE"),
    patch("{home}/work/app.py", "<<<<<<< SEARCH\na\n=======\nb\n=======\nc\n>>>>>>> REPLACE"),
    patch("{home}/work/app.py", "--- a/app.py\n+++ b/app.py\n@@ -1 +1 @@\n-def add(a, b):\n+def plus(a, b):\n"),
    patch("{home}/work/app.py", "<<<<<<< SEARCH\nprint(multiply(2, 3))\n=======\n>>>>>>> REPLACE"),
    edit("{home}/work/app.py", ("print(multiply(2, 3))", "")),
    edit("{home}/work/notes.md", ("- [ ] call the printer", "- [x] call the printer"), ("- [ ] order labels", "- [x] order labels")),
    edit("{home}/work/notes.md", ("# Launch", "# Launch FAILED")),
    edit("work/notes.md", ("# Launch FAILED", "# Launch")),
    edit("{home}/work/setup.cfg", ("timeout = 5", "timeout = 30")),
    edit("{home}/work/setup.cfg", ("timeout = 5", "timeout = 60")),
    edit("{home}/work/setup.cfg", ("retry = 0", "retry = 3\n# raise RuntimeError on failure")),
    edit("{home}/work/crlf.txt", ("one\ntwo", "1\n2")),
    edit("{home}/work/app.py\0", ("a", "b")),
    edit("{home}/work/loop.txt", ("a", "b")),
    edit("{home}/work/disk/a.txt", ("one", "1" * 60000)),
    edit("{home}/work/disk/b.txt", ("two", "2" * 40000), ("end", "END")),
    ask("patch_file", file_path="{home}/work/app.py"),
    ask("delete_file", file_path="{home}/work/app.py"),
], args=["--allowed-dir", "{home}/work", "--allowed-dir", "{home}/ro"],
   before="ln -s loop.txt work/loop.txt; mkdir -p ro; mount -t tmpfs none ro; echo old > ro/readme.txt; mount -o remount,ro ro; "
   "mkdir work/disk; mount -t tmpfs -o size=8k none work/disk; echo one > work/disk/a.txt; printf 'two\\nend\\n' > work/disk/b.txt",
   files={"work/app.py": "def add(a, b):\n    return a - b\n\n\ndef mul(a, b):\n    return a * b\n\n\nprint(add(2, 3))\nprint(mul(2, 3))\n",
          "secret/key.txt": "key\n", "workshop/plan.txt": "saw\n", "work/latin.txt": "caf\xe9".encode("latin-1"), "work/pic.png": files.picture(),
          "work/server.log": "INFO start\nERROR connection refused by db-2\nERROR retry failed\n",
          "work/errors.json": "[\"Login fails with 401\"]\n", "work/empty.txt": "", "work/locked.txt": "first\n",
          "work/notes.md": files.TODO, "work/setup.cfg": "[net]\ntimeout = 5\nretry = 0\n", "work/crlf.txt": b"one\r\ntwo\r\n"},
   missing="nothing; one folder is read-only, one is a full disk")

HOMEBOX = r"""import http.server, json, re, time, urllib.parse
LOC = {"id": "et-loc", "name": "Location", "isLocation": True}
ITEM = {"id": "et-item", "name": "Item", "isLocation": False}
E = {}
def add(i, name, parent=None, loc=False, **more):
    E[i] = {"id": i, "name": name, "entityType": LOC if loc else ITEM, "assetId": "" if loc else "000-%03d" % (len(E) + 1), "quantity": 1,
            "parent": {"id": parent, "name": E[parent]["name"]} if parent else None, "fields": [], "tags": [], "attachments": [], **more}
    return E[i]
add("l-1", "Garage", loc=True); add("l-2", "Shelf A", "l-1", loc=True); add("l-3", "Attic", loc=True)
add("i-1", "Drill", "l-2", serialNumber="D-77", warrantyExpires="2027-03-01T00:00:00Z", tags=[{"id": "t-1", "name": "power-tool"}])
add("i-2", "Lamp (failed, do not use)", "l-2", notes="Error: shorts the fuse"); add("i-3", "Box", "l-1"); add("i-4", "Box", "l-3")
add("i-5", "Kettle", "l-3"); add("i-6", "Radio", "l-3"); add("i-7", "Ladder", "l-1", attachments=[{"id": "a-1", "type": "manual", "title": "Ladder manual"}])
T = [{"id": "t-1", "name": "power-tool", "description": "", "color": ""}, {"id": "t-2", "name": "broken", "description": "", "color": ""}]
def node(e):
    kids = [node(c) for c in E.values() if (c["parent"] or {}).get("id") == e["id"] and c["entityType"]["isLocation"]]
    return {"id": e["id"], "name": e["name"], "type": "location", "children": kids}
def answer(m, path, q, body):
    q = {k: v[0] for k, v in q.items()}
    if path == "/status": return 200, {"health": True, "build": {"version": "v0.26.1"}}
    if path == "/tags": return (200, T) if m == "GET" else (500, {"error": "Unknown Error"})
    if path.startswith("/tags/"): return (204, None) if m == "DELETE" else (422, {"error": "color: must be a hex colour"})
    if path == "/entity-types": return 200, [LOC, ITEM]
    if path == "/entities/tree": return 200, [node(e) for e in E.values() if e["entityType"]["isLocation"] and not e["parent"]]
    if path == "/entities/fields": return 200, ["colour"]
    if path == "/entities/export": return 500, "database is locked (5) (SQLITE_BUSY)"
    if path == "/entities/import": return (400, {"error": "row 2: HB.location is required"}) if b"HB.location" not in body else (204, None)
    if path == "/entities" and m == "GET":
        w = q.get("q", "").lower()
        if w == "radio": return 503, "upstream connect error or disconnect/reset before headers"
        hits = [e for e in E.values() if not e["entityType"]["isLocation"] and w in e["name"].lower() and q.get("tags", "") in ("", *[t["id"] for t in e["tags"]])
                and q.get("parentIds", "") in ("", (e["parent"] or {}).get("id"))]
        return 200, {"items": hits, "total": len(hits)}
    if path == "/entities":
        b = json.loads(body)
        if len(b["name"]) > 60: return 422, {"error": "validation error", "fields": {"name": "must be at most 255 characters"}}
        if b["name"] == "Piano": return 507, "<html><h1>Insufficient Storage</h1></html>"
        loc = b.get("entityTypeId") == "et-loc"
        return 201, add("n-%d" % len(E), b["name"], b.get("parentId"), loc)
    if path == "/groups/statistics": return 200, {"totalItems": 7, "totalLocations": 3, "totalTags": 2, "totalItemPrice": 0}
    if path.startswith("/groups/statistics/"): return 200, "<html>Sign in</html>"
    if path == "/maintenance": return 200, [{"id": "m-1", "name": "Oil the drill", "itemID": "i-1", "itemName": "Drill", "completedDate": "", "scheduledDate": "2026-12-24"}]
    if path == "/products/search-from-barcode": return 502, "no barcode provider answered"
    if path == "/qrcode": return 200, "JPEGDATA"
    if path.startswith("/labelmaker/"): return 501, {"error": "label printing is not configured"}
    if path.startswith("/actions/"): return 200, {"completed": 0}
    if path.startswith("/assets/"):
        return 200, {"items": [e for e in E.values() if e["assetId"] == path[8:]]}
    if (f := re.fullmatch(r"/entities/([^/]+)(/.*)?", path)) and f[1] in E:
        e, rest = E[f[1]], f[2] or ""
        if rest == "/path":
            chain = [e]
            while chain[0]["parent"]: chain.insert(0, E[chain[0]["parent"]["id"]])
            return 200, [{"id": c["id"], "name": c["name"]} for c in chain]
        if rest == "/maintenance": return (200, []) if m == "GET" else (201, {"id": "m-2", **json.loads(body)})
        if rest.startswith("/attachments"): return 413, "<html><h1>413 Request Entity Too Large</h1></html>"
        if rest == "/duplicate": return 403, {"error": "read-only token"}
        if m == "GET": return 200, e
        if m == "DELETE": del E[f[1]]; return 204, None
        if e["id"] == "i-5":
            time.sleep(3); return 0, ""
        b = json.loads(body)
        if m == "PATCH" and "parentId" in b: e["parent"] = {"id": b["parentId"], "name": E[b["parentId"]]["name"]}
        for k in ("name", "quantity", "notes", "fields", "warrantyExpires", "serialNumber", "soldTo"):
            if k in b: e[k] = b[k]
        return 200, e
    return 404, {"error": "not found"}
class H(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_): pass
    def go(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        u = urllib.parse.urlsplit(self.path)
        code, out = answer(self.command, u.path[7:], urllib.parse.parse_qs(u.query), body)
        if not code:
            self.connection.close(); return
        data = b"" if out is None else (out if isinstance(out, str) else json.dumps(out)).encode()
        self.send_response(code); self.send_header("Content-Type", "text/html" if isinstance(out, str) else "application/json")
        self.send_header("Content-Length", str(len(data))); self.end_headers(); self.wfile.write(data)
    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = go
http.server.ThreadingHTTPServer(("127.0.0.1", 7745), H).serve_forever()
"""
STAND_IN = "/app/bin/python standin.py > /dev/null 2>&1 & sleep 1"
PLANS["homebox"] = pypi("homebox-mcp", [
    ask("search_items", query="lamp"),
    ask("search_items", query="unicorn"),
    ask("search_items", {}),
    ask("search_items", tags=["power-tool"]),
    ask("search_items", tags=["fragile"]),
    ask("search_items", query="radio"),
    ask("get_item", identifier="000-004"),
    ask("get_item", identifier="Trumpet"),
    ask("list_locations", {}),
    ask("location_contents", location="Garage", recursive=True),
    ask("location_contents", location="Cellar"),
    ask("list_tags", {}),
    ask("warranties_expiring", before="2027-12-31"),
    ask("warranties_expiring", before="next year"),
    ask("create_item", name="Saw", location="Shelf A", notes="Error: blade missing"),
    ask("create_item", name="Saw", location="Cellar"),
    ask("create_item", name="x" * 80, location="Attic"),
    ask("create_item", name="Piano", location="Attic"),
    ask("set_fields", identifier="Drill", fields={"colour": "green"}),
    ask("set_fields", identifier="Dril", fields={"colour": "green"}),
    ask("set_item", identifier="Box", quantity=4),
    ask("set_item", identifier="Kettle", notes="descaled"),
    ask("move_item", identifier="Drill", location="Attic"),
    ask("move_item", identifier="Drill", location="Moon"),
    ask("attach_document", identifier="Drill", source="{home}/none.pdf", title="Manual"),
    ask("attach_document", identifier="Drill", source="{home}/manual.pdf", title="Manual"),
    ask("attach_document", identifier="Drill", source="http://manuals.example.net/drill.pdf", title="Manual"),
    ask("get_attachment", identifier="Ladder", attachment_id="a-9", save_to="{home}/x.pdf"),
    ask("list_attachments", identifier="Ladder"),
    ask("import_csv", csv_text="HB.name,HB.quantity\nNail,100\n"),
    ask("import_csv", csv_text="HB.location,HB.name\nGarage,Nail\n"),
    ask("create_location", name="Garage"),
    ask("set_tag", name="broken", color="reddish"),
    ask("set_tags", identifier="Lamp (failed, do not use)", tags=["brandnew"], mode="add"),
    ask("duplicate_item", identifier="Ladder"),
    ask("delete_item", identifier="Saw", confirm="yes"),
    ask("delete_item", identifier="Saw", confirm="Saw"),
    ask("delete_location", location="Garage", confirm="Garage"),
    ask("delete_tag", name="ghost", confirm="ghost"),
    ask("delete_tag", name="broken", confirm="broken"),
    ask("generate_label", identifier="Drill", kind="item"),
    ask("barcode_lookup", code="4006381333931"),
    ask("log_maintenance", identifier="Ladder", name="Failed inspection", completed_date="2026-11-01"),
    ask("list_maintenance", {}),
    ask("set_maintenance", entry_id="m-404", name="x"),
    ask("inventory_stats", {}),
    ask("inventory_stats", by="locations"),
    ask("export_csv", save_to="{home}/all.csv"),
    ask("finalize_photos", {}),
], env={"HOMEBOX_URL": "http://127.0.0.1:7745", "HOMEBOX_TOKEN": "demo"}, before=STAND_IN,
   files={"standin.py": HOMEBOX, "manual.pdf": files.pdf("Drill")}, missing="Homebox (a stand-in answers); the network")

GITEA = r"""import http.server, json, re, time, urllib.parse
ISSUES = {1: {"number": 1, "title": "Login fails with 401", "state": "open", "body": "Error: token rejected", "labels": []},
          2: {"number": 2, "title": "Crash on start", "state": "closed", "body": "segmentation fault", "labels": [{"id": 1, "name": "bug"}]}}
LABELS = [{"id": 1, "name": "bug", "color": "ee0000"}, {"id": 2, "name": "wontfix", "color": "cccccc"}]
def err(code, text): return code, {"message": text, "url": "http://127.0.0.1:3000/api/swagger"}
def answer(m, path, q, b):
    if path == "/version": return 200, {"version": "1.24.6"}
    if path == "/user": return 200, {"id": 7, "login": "ann", "email": "ann@example.net"}
    if path == "/user/repos": return 200, [{"id": 1, "full_name": "ann/shop", "private": False}]
    if path == "/users/ghost/repos": return err(404, "user redirect does not exist [name: ghost]")
    if path == "/orgs/ghost/repos": return err(404, "GetOrgByName: org does not exist")
    if path.startswith(("/users/", "/orgs/")): return 200, []
    p = re.fullmatch(r"/repos/([^/]+)/([^/]+)(/.*)?", path)
    if not p: return err(404, "not found")
    o, r, rest = p[1], p[2], p[3] or ""
    if (o, r) == ("ann", "broken"): return 500, {"message": "", "url": ""}
    if (o, r) == ("ann", "html"): return 200, "<html><title>Sign in</title></html>"
    if (o, r) == ("ann", "gateway"): return 502, "<html><h1>502 Bad Gateway</h1><hr>nginx</html>"
    if (o, r) == ("ann", "slow"): time.sleep(6); return 200, []
    if (o, r) == ("ann", "cut"): return 0, ""
    if (o, r) == ("ann", "shape"): return 200, {"ok": True}
    if (o, r) == ("ann", "busy"): return 429, "rate limit exceeded"
    if (o, r) == ("ann", "db"): return 500, {"message": "dial tcp 10.0.0.4:5432: connect: connection refused", "url": ""}
    if (o, r) == ("ann", "private"): return err(403, "token does not have at least one of required scope(s): [read:repository]")
    if (o, r) != ("ann", "shop"): return err(404, "The target couldn't be found.")
    if rest == "/issues" and m == "GET": return 200, [i for i in ISSUES.values() if q.get("state", ["open"])[0] in (i["state"], "all")]
    if rest == "/issues":
        if not b.get("title", "").strip(): return err(422, "[Title]: Required")
        if b.get("assignees") == ["nobody"]: return err(422, "Assignee does not exist: [nobody]")
        n = len(ISSUES) + 1
        ISSUES[n] = {"number": n, "title": b["title"], "state": "open", "body": b.get("body", ""), "labels": []}
        return 201, ISSUES[n]
    if i := re.fullmatch(r"/issues/(\d+)(/.*)?", rest):
        n = int(i[1])
        if n not in ISSUES: return err(404, "issue does not exist [id: 0, repo_id: 1, index: %d]" % n)
        if i[2] == "/comments": return (200, []) if m == "GET" else (err(403, "issue is locked") if n == 2 else (201, {"id": 5, "body": b["body"]}))
        if i[2] == "/labels": return 200, LABELS[:1]
        if m == "PATCH":
            if b.get("state") == "closed" and n == 1: return err(412, "cannot close this issue because it still has open dependencies")
            ISSUES[n].update({k: v for k, v in b.items() if k in ("title", "body", "state")})
            return 201, ISSUES[n]
        return 200, ISSUES[n]
    if rest == "/labels": return 200, LABELS
    if rest == "/milestones": return 200, []
    if rest == "/branches" and m == "GET": return 200, [{"name": "main"}, {"name": "fix/error-500"}]
    if rest == "/branches":
        if b["new_branch_name"] == "main": return err(409, "The branch already exists.")
        if " " in b["new_branch_name"]: return err(422, "[NewBranchName]: GitRefName")
        if b.get("old_branch_name") == "ghost": return err(404, "The old branch does not exist")
        return 201, {"name": b["new_branch_name"]}
    if rest.startswith("/contents/"):
        f = rest[10:]
        if m == "GET" and f == "README.md": return 200, {"type": "file", "name": f, "path": f, "sha": "abc", "size": 34, "encoding": "base64", "content": "RVJST1I6IHRoaXMgaXMgdGhlIHRleHQgb2YgdGhlIGZpbGUK"}
        if m == "GET" and f == "docs": return 200, [{"type": "file", "name": "a.md", "path": "docs/a.md"}]
        if m == "GET": return err(404, "object does not exist [id: , rel_path: %s]" % f)
        if b.get("branch") == "main": return err(403, "branch is protected from changing files")
        return 201, {"content": {"path": f, "sha": "def"}, "commit": {"sha": "0123abc"}}
    if rest == "/pulls" and m == "GET": return 200, []
    if rest == "/pulls":
        if b["head"] == b["base"]: return err(422, "Invalid PullRequest: There are no changes between the head and the base")
        if b["head"] == "fix/error-500": return err(409, "pull request already exists for these targets [id: 3, issue_id: 9]")
        return 201, {"number": 4, "title": b["title"], "state": "open"}
    if rest == "/pulls/3": return 200, {"number": 3, "title": "Fix error 500", "state": "open", "mergeable": False}
    if rest == "/pulls/3/merge": return err(405, "Please try again later")
    if rest == "/pulls/5/merge": return 200, None
    if rest == "/releases" and m == "GET": return 200, []
    if rest == "/releases": return err(409, "Release is has no Tag") if b["tag_name"] == "v1" else (201, {"id": 1, "tag_name": b["tag_name"]})
    return err(404, "The target couldn't be found.")
class H(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_): pass
    def go(self):
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        u = urllib.parse.urlsplit(self.path)
        code, out = answer(self.command, urllib.parse.unquote(u.path[7:]), urllib.parse.parse_qs(u.query), json.loads(raw or b"{}"))
        if not code:
            self.connection.close(); return
        data = b"" if out is None else (out if isinstance(out, str) else json.dumps(out)).encode()
        self.send_response(code); self.send_header("Content-Type", "text/html" if isinstance(out, str) else "application/json")
        if code == 429: self.send_header("Retry-After", "0")
        self.send_header("Content-Length", str(len(data))); self.end_headers(); self.wfile.write(data)
    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = go
http.server.ThreadingHTTPServer(("127.0.0.1", 3000), H).serve_forever()
"""


def shop(tool, repo="shop", **more):
    return ask(tool, owner="ann", repo=repo, **more)


PLANS["gitea"] = pypi("gitea-mcp", [
    ask("get_server_version", {}),
    ask("get_server_info", {}),
    ask("list_repos", {}),
    ask("list_repos", owner="bob"),
    ask("list_repos", owner="ghost"),
    shop("list_issues"),
    shop("list_issues", state="closed"),
    shop("list_issues", repo="shopp"),
    shop("list_issues", state="lost"),
    shop("get_issue", issue_number=1),
    shop("get_issue", issue_number=404),
    shop("create_issue", title="Error 500 on checkout", body="Traceback: KeyError", labels=["bug"]),
    shop("create_issue", title="x", labels=["urgent"]),
    shop("create_issue", title=""),
    shop("create_issue", title="Assign", assignees=["nobody"]),
    shop("update_issue", issue_number=2, title="Crash on start (failed fix)"),
    shop("update_issue", issue_number=1, state="closed"),
    shop("add_comment", issue_number=1, body="still failing"),
    shop("add_comment", issue_number=2, body="me too"),
    shop("list_labels"),
    shop("list_milestones"),
    shop("list_branches"),
    shop("create_branch", new_branch_name="fix/login"),
    shop("create_branch", new_branch_name="main"),
    shop("create_branch", new_branch_name="two words"),
    shop("create_branch", new_branch_name="x", old_branch_name="ghost"),
    shop("read_file", path="README.md"),
    shop("read_file", path="none.txt"),
    shop("read_file", path="docs"),
    shop("commit_changes", branch="fix/login", path="a.txt", content="x", message="fix"),
    shop("commit_changes", branch="main", path="a.txt", content="x", message="fix"),
    shop("create_pr", head="fix/login", base="main", title="Fix login"),
    shop("create_pr", head="main", base="main", title="Nothing"),
    shop("create_pr", head="fix/error-500", base="main", title="Again"),
    shop("get_pull_request", pull_number=3),
    shop("merge_pr", pull_number=3),
    shop("merge_pr", pull_number=5),
    shop("merge_pr", pull_number=5, do="smash"),
    shop("list_releases"),
    shop("create_release", tag_name="v1", name="1.0"),
    shop("create_release", tag_name="v2", name="2.0 (broken build)", prerelease=True),
    shop("list_issues", repo="broken"),
    shop("list_issues", repo="html"),
    shop("list_branches", repo="gateway"),
    shop("list_branches", repo="slow"),
    shop("list_labels", repo="cut"),
    shop("list_labels", repo="shape"),
    shop("create_issue", repo="db", title="Hello"),
    shop("create_issue", repo="busy", title="Hello"),
    shop("list_releases", repo="private"),
    shop("list_pull_requests", repo="shop"),
    ask("delete_repo", owner="ann", repo="shop"),
], env={"GITEA_URL": "http://127.0.0.1:3000", "GITEA_TOKEN": "demo", "GITEA_TIMEOUT": "3", "GITEA_MAX_RETRIES": "1"}, before=STAND_IN,
   files={"standin.py": GITEA}, missing="Gitea (a stand-in answers)")

JOBS = """#,Company,Role,Status,Date applied,Channel,Response,Notes,Follow-up date,Follow-up log
1,Acme,Backend engineer,Applied,2026-10-01,LinkedIn,,,2026-10-12,2026-10-01: applied
2,Borealis,Data engineer,Rejected,2026-09-20,Referral,We failed to reach you,Error in CV,,
3,Cirrus,SRE,Interview,2026-11-10,Site,Call on Monday,,2026-11-25,
4,Dune,Platform engineer,Not applied,,,,,,
5,Everest,Python developer,Applied,20 octobre,LinkedIn,,,,
6,Acme,Data scientist,Aplied,2026-11-20,Site,,,,
"""
TOKEN = "{last:\"confirm\": \"([0-9a-f]+)\"}"
PLANS["tracker"] = pypi("tracker-mcp", Paused([
    ask("describe_tracker", {}),
    ask("list_applications", {}),
    ask("list_applications", status="Rejected"),
    ask("list_applications", status="Hired"),
    ask("list_applications", query="zebra"),
    ask("list_applications", applied_since="soon"),
    ask("get_application", query="Borealis"),
    ask("get_application", query="Acme"),
    ask("get_application", query="Zebra"),
    ask("get_application", row=99),
    ask("get_application", {}),
    ask("followups_due", within_days=3),
    ask("stale_applications", days=20),
    ask("summary", {}),
    ask("funnel", by="channel"),
    ask("funnel", by="mood"),
    ask("check_tracker", {}),
    ask("reply_times", {}),
    ask("match_emails", messages=[{"from": "jobs@borealis.example", "subject": "Unfortunately", "body": "We failed to find a match"}]),
    ask("undo_last_write", dry_run=True),
    ask("add_application", company="Fjord", role="Engineer", dry_run=True),
    ask("add_application", company="Fjord", role="Engineer"),
    ask("add_application", company="Fjord", role="Engineer", confirm=TOKEN),
    ask("recent_writes", {}),
    ask("undo_last_write", dry_run=True),
    ask("undo_last_write", confirm=TOKEN),
    ask("add_application", company="Acme", role="Backend engineer", dry_run=True),
    ask("add_application", company="", role="Engineer", dry_run=True),
    ask("add_application", company="Gale", role="Dev", extra={"salary": "9"}, dry_run=True),
    ask("mark_applied", row=5, applied_on="2026-11-28", dry_run=True),
    ask("mark_applied", row=2, applied_on="2026-11-28", dry_run=True),
    ask("mark_applied", row=1, dry_run=True),
    ask("set_status", row=4, status="Offer", dry_run=True),
    ask("set_status", row=4, status="Ghosted", dry_run=True),
    ask("set_status", row=4, status="Rejected", on="2027-05-01", dry_run=True),
    ask("set_status", row=4, status="Rejected", confirm="abc123"),
    ask("reschedule_followup", row=2, on="2026-12-10", reason="", dry_run=True),
    ask("reschedule_followup", row=2, on="2020-01-01", reason="late", dry_run=True),
    ask("reschedule_followup", row=3, on="2026-12-10", reason="they asked", dry_run=True),
    ask("edit_application", row=2, fields={"status": "Offer"}, reason="typo", dry_run=True),
    ask("edit_application", row=2, fields={"applied_on": "yesterday"}, reason="typo", dry_run=True),
    ask("edit_application", row=2, fields={}, reason="typo", dry_run=True),
    ask("add_column", header="Notes", dry_run=True),
    ask("close_stale", days=20, rows=[4], dry_run=True),
    ask("fix_tracker", dry_run=True),
    ask("set_status", row=4, status="Offer", expected_version="v0", dry_run=True),
    ask("calendar_events", days=30),
    ask("export_followups_calendar", days=30),
    ask("delete_application", row=1),
    2.5,
    ask("summary", {}), ask("list_applications", {}), ask("get_application", query="Acme"), ask("check_tracker", {}),
    2.5,
    ask("list_applications", {}), ask("add_application", company="Late", role="Dev", dry_run=True), ask("followups_due", {}),
]), env={"TRACKER_PATH": "{home}/jobs.csv"}, files={"jobs.csv": JOBS}, missing="nothing; the file is damaged, then removed, at the end",
    before="(while ! test -e jobs-followups.ics && ! ls *.ics; do sleep 0.1; done; sleep 1; head -c 4000 /dev/urandom > jobs.csv; sleep 2.5; rm jobs.csv) "
           "> /dev/null 2>&1 &")
PLANS["tracker"]["command"][2] = PLANS["tracker"]["command"][2].replace("&; exec", "& exec")

ZABBIX = r"""import http.server, json, time
HOSTS = {"10084": {"hostid": "10084", "host": "web-1", "name": "Web 1", "status": "0"}, "10085": {"hostid": "10085", "host": "db-1", "name": "DB 1 (failed disk)", "status": "1"}}
GROUPS = [{"groupid": "4", "name": "Linux servers"}]
def bad(data, code=-32602, message="Invalid params."): return {"error": {"code": code, "message": message, "data": data}}
def call(m, p):
    if m == "apiinfo.version": return {"result": "7.0.5"}
    if m == "user.checkAuthentication": return {"result": {"userid": "1"}}
    if m == "host.get":
        f = json.dumps(p)
        if "db-down" in f: return bad("Error connecting to database: Connection refused", -32500, "Application error.")
        if "gateway" in f: return 502
        if "html" in f: return "<html>Sign in to Zabbix</html>"
        if "slow" in f: time.sleep(25); return {"result": []}
        if p.get("hostids"): return {"result": [HOSTS[i] for i in p["hostids"] if i in HOSTS]}
        w = (p.get("search") or {}).get("name") or (p.get("search") or {}).get("host")
        return {"result": [h for h in HOSTS.values() if not w or (w if isinstance(w, str) else w[0]).lower() in (h["name"] + h["host"]).lower()]}
    if m == "host.create":
        if p.get("host") == "web-1": return bad('Host with the same name "web-1" already exists.')
        if "/" in p.get("host", ""): return bad('Incorrect characters used for host name "%s".' % p["host"])
        if p["groups"][0]["groupid"] == "99": return bad("No permissions to referred object or it does not exist!", -32500, "Application error.")
        return {"result": {"hostids": ["10100"]}}
    if m == "host.update": return {"result": {"hostids": [p["hostid"]]}} if p["hostid"] in HOSTS else bad("No permissions to referred object or it does not exist!", -32500, "Application error.")
    if m == "host.delete": return {"result": {"hostids": p}} if p[0] in HOSTS else bad("No permissions to referred object or it does not exist!", -32500, "Application error.")
    if m == "hostgroup.get": return {"result": GROUPS}
    if m == "hostgroup.create": return bad('Host group "Linux servers" already exists.') if p["name"] == "Linux servers" else {"result": {"groupids": ["20"]}}
    if m == "hostgroup.delete": return bad('Host group "Linux servers" cannot be deleted, because it is used by host "web-1".', -32500, "Application error.")
    if m == "template.get": return {"result": []}
    if m == "item.get":
        if p.get("itemids"): return {"result": [{"itemid": i, "value_type": "0" if i == "1" else "2"} for i in p["itemids"] if i in "12"]}
        return {"result": [{"itemid": "1", "name": "CPU load", "key_": "system.cpu.load", "lastvalue": "0.4", "value_type": "0", "state": "0"},
                           {"itemid": "2", "name": "Log", "key_": "log[/var/log/app.log]", "lastvalue": "ERROR connection refused", "value_type": "2", "state": "1", "error": "Cannot open file: Permission denied"}]}
    if m == "item.create": return bad('An item with key "system.cpu.load" already exists on the host.')
    if m == "history.get": return {"result": [{"itemid": "2", "clock": "1796000000", "value": "ERROR connection refused"}] if p["itemids"] == ["2"] else []}
    if m == "trigger.get": return {"result": [{"triggerid": "77", "description": "Service is down", "priority": "4", "value": "1"}]}
    if m == "trigger.create": return bad('Incorrect trigger expression. Host "web-9" does not exist or you have no access to this host.')
    if m == "problem.get": return {"result": [{"eventid": "501", "name": "Zabbix agent is not available (for 3m)", "severity": "4", "acknowledged": "0"}] if 5 not in (p.get("severities") or []) else []}
    if m == "event.acknowledge": return {"result": {"eventids": p["eventids"]}} if p["eventids"] == ["501"] else bad("No permissions to referred object or it does not exist!", -32500, "Application error.")
    if m == "user.create": return bad('Invalid parameter "/1/passwd": must not be easy to guess.')
    if m == "user.get": return bad("Session terminated, re-login, please.")
    if m == "script.execute": return bad("Cannot execute script. Timeout while executing a shell script.", -32500, "Application error.") if p["scriptid"] == "1" else (bad("Cannot connect to the trapper port of Zabbix server daemon, but it should be available.", -32500, "Application error.") if p["scriptid"] == "2" else {"result": {"response": "success", "value": "ping: 3 packets transmitted, 0 received, 100% packet loss"}})
    if m == "configuration.export": return {"result": '{"zabbix_export": {"version": "7.0", "hosts": []}}'}
    if m == "configuration.import": return bad('Cannot read JSON: Syntax error.', -32500, "Application error.") if p["source"].startswith("{{") else {"result": True}
    if m == "maintenance.create": return {"result": {"maintenanceids": ["9"]}}
    if m == "maintenance.get": return {"result": []}
    if m == "proxy.get": return 500
    if m == "sla.get": return {"result": None}
    if m == "usermacro.create": return bad('Invalid parameter "/1/macro": incorrect syntax near "DB_HOST".')
    if m == "graph.get": return bad("You do not have permission to perform this operation.", -32500, "No permissions to call \"graph.get\".")
    return bad('Incorrect API "%s".' % m)
class H(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_): pass
    def do_POST(self):
        q = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)))
        m, p = q["method"], q.get("params")
        count = isinstance(p, dict) and m != "trigger.get" and p.pop("countOutput", None)
        out = call(m, p)
        if count and isinstance(out, dict) and isinstance(out.get("result"), list): out = {"result": str(len(out["result"]))}
        code = out if isinstance(out, int) else 200
        data = (out if isinstance(out, str) else "Internal error" if code != 200 else json.dumps({"jsonrpc": "2.0", "id": q.get("id"), **out})).encode()
        self.send_response(code); self.send_header("Content-Type", "application/json" if data[:1] == b"{" else "text/html")
        self.send_header("Content-Length", str(len(data))); self.end_headers(); self.wfile.write(data)
http.server.ThreadingHTTPServer(("127.0.0.1", 8080), H).serve_forever()
"""
PLANS["zabbix"] = pypi("zabbix-mcp", [
    ask("api_version", {}),
    ask("host_get", {}),
    ask("host_get", hostname_contains="db"),
    ask("host_get", hostname_contains="mainframe"),
    ask("host_get", hostids=["10084"]),
    ask("host_get", count_output=True),
    ask("host_create", host="cache-1", groups=[{"groupid": "4"}]),
    ask("host_create", host="web-1", groups=[{"groupid": "4"}]),
    ask("host_create", host="a/b", groups=[{"groupid": "4"}]),
    ask("host_create", host="cache-2", groups=[{"groupid": "99"}]),
    ask("host_create", host="cache-3"),
    ask("host_create", groups=[{"groupid": "4"}]),
    ask("host_update", hostid="10085", status=0),
    ask("host_update", hostid="999", status=0),
    ask("host_delete", hostids=["10085"]),
    ask("host_delete", hostids=["999"]),
    ask("hostgroup_get", {}),
    ask("hostgroup_create", name="Linux servers"),
    ask("hostgroup_create", name="Errors"),
    ask("hostgroup_delete", groupids=["4"]),
    ask("template_get", template_name_contains="Nginx"),
    ask("item_get", hostids=["10084"]),
    ask("item_create", name="CPU", key_="system.cpu.load", hostid="10084", type_=0, value_type=0),
    ask("history_get", itemids=["2"]),
    ask("history_get", itemids=["7777"]),
    ask("history_get", itemids=["1", "2"]),
    ask("trigger_get", {}),
    ask("trigger_create", description="down", expression="last(/web-9/agent.ping)=0"),
    ask("problem_get", {}),
    ask("problem_get", severities=[5]),
    ask("event_acknowledge", eventids=["501"], message="failed disk, replaced"),
    ask("event_acknowledge", eventids=["1"], message="x"),
    ask("user_create", username="bob", passwd="bob", usrgrps=[{"usrgrpid": "7"}]),
    ask("user_get", {}),
    ask("script_execute", scriptid="3", hostid="10084"),
    ask("script_execute", scriptid="1", hostid="10084"),
    ask("script_execute", scriptid="2", hostid="10084"),
    ask("configuration_export", hostids=["10084"]),
    ask("configuration_export", {}),
    ask("configuration_import", content="{{", format_type="json"),
    ask("maintenance_create", name="night", active_since=1796000000, active_till=1796090000),
    ask("maintenance_create", name="night", active_since=1796000000, active_till=1796090000, hostids=["10084"], timeperiods=[{"period": 60}]),
    ask("maintenance_create", name="night", active_since=1796000000, active_till=1796090000, hostids=["10084"]),
    ask("proxy_get", {}),
    ask("sla_get", {}),
    ask("usermacro_create", hostid="10084", macro="DB_HOST", value="db"),
    ask("graph_get", {}),
    ask("host_get", hostname_contains="db-down"),
    ask("host_get", hostname_contains="gateway"),
    ask("host_get", hostname_contains="html"),
    ask("host_get", limit=-1),
    ask("reboot_host", hostid="10084"),
], env={"ZABBIX_URL": "http://127.0.0.1:8080", "ZABBIX_TOKEN": "demo"}, before=STAND_IN,
   files={"standin.py": ZABBIX}, missing="Zabbix (a stand-in answers)")


# At the end the service itself goes away.
OFF = '''    def log_message(self, *_): pass
    def parse_request(self):
        fine = super().parse_request()
        if fine and "power-off" in self.path: __import__("os")._exit(0)
        return fine
'''
LAST = {
    "homebox": [ask("search_items", query="power-off"), ask("search_items", query="drill"), ask("create_item", name="Hammer", location="Attic"), ask("list_tags", {}),
                ask("get_item", identifier="000-004"), ask("barcode_lookup", code="4006381333931")],
    "gitea": [shop("list_issues", repo="power-off"), shop("list_issues"), shop("create_issue", title="Error 500 again"), ask("get_server_info", {}), ask("get_server_version", {}),
              shop("read_file", path="README.md")],
    "zabbix": [ask("host_get", hostname_contains="power-off"), ask("host_get", {}), ask("api_version", {}), ask("event_acknowledge", eventids=["501"], message="x"),
               ask("maintenance_create", name="night", active_since=1796000000, active_till=1796090000), ask("problem_get", {})],
}
for _name, _calls in LAST.items():
    PLANS[_name]["calls"] += _calls
    PLANS[_name]["files"]["standin.py"] = PLANS[_name]["files"]["standin.py"].replace("    def log_message(self, *_): pass\n", OFF).replace(
        '        if "gateway" in f:', '        if "power-off" in f: __import__("os")._exit(0)\n        if "gateway" in f:')
