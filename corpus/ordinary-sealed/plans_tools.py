"""Which servers of `ordinary-sealed` ../record.py starts, how, and what it asks them: code, logs, commands, rules."""

import datetime
import json
from record_plans import ask, npm, plan, pypi
PLANS = {}
TERMINALS = "mkdir -p /dev/pts; mount -t devpts -o newinstance,ptmxmode=0666 devpts /dev/pts; ln -s pts/ptmx /dev/ptmx"
# --- a Python session kept by a Rust program -------------------------------------------------------------

ORDERS_CSV = """id,placed,customer,amount,status,reason
1001,2026-11-02,ann,49.90,paid,
1002,2026-11-02,bob,12.00,failed,card declined
1003,2026-11-03,cem,230.50,paid,
1004,2026-11-03,dee,18.75,failed,timeout at gateway
1005,2026-11-04,ann,75.00,refunded,damaged on arrival
1006,2026-11-05,eve,9.99,failed,card declined
1007,2026-11-06,fay,310.00,paid,
1008,2026-11-07,bob,12.00,paid,
1009,2026-11-09,gus,,failed,invalid address
1010,2026-11-09,hal,64.20,paid,
"""
WORKER_LOG = """2026-11-09 08:00:01 INFO worker started
2026-11-09 08:00:07 ERROR job 17 failed: ConnectionRefusedError: [Errno 111] Connection refused
2026-11-09 08:00:12 WARNING retry 1 of 3 for job 17
2026-11-09 08:00:19 ERROR job 17 failed: ConnectionRefusedError: [Errno 111] Connection refused
2026-11-09 08:00:31 INFO job 17 done after 2 retries
2026-11-09 08:01:02 ERROR job 21 failed: ValueError: invalid literal for int() with base 10: 'n/a'
2026-11-09 08:01:02 INFO job 22 done
"""
def repl(text, **more):
    return ask("repl", input=text, **more)
PLANS["posit-repl"] = pypi("posit-mcp-repl", [
    repl("import csv, collections, statistics\nrows = list(csv.DictReader(open('orders.csv')))\nlen(rows)"),
    repl("rows[0]"),
    repl("collections.Counter(r['status'] for r in rows)"),
    repl("[r['id'] for r in rows if not r['amount']]"),
    repl("failed = [r for r in rows if r['status'] == 'failed']\nfor r in failed:\n    print(r['id'], r['customer'], r['reason'])"),
    repl("collections.Counter(r['reason'] for r in failed).most_common()"),
    repl("print(f\"failure rate: {len(failed) / len(rows):.0%}\")"),
    repl("paid = [float(r['amount']) for r in rows if r['status'] == 'paid']\nsum(paid)"),
    repl("statistics.mean(paid), statistics.median(paid), statistics.stdev(paid)"),
    repl("[r for r in rows if r['status'] == 'cancelled']"),
    repl("any(r['reason'] == 'fraud' for r in rows)"),
    repl("None"),
    repl("by_day = collections.defaultdict(float)\nfor r in rows:\n    if r['status'] == 'paid':\n        by_day[r['placed']] += float(r['amount'])\nfor day, total in sorted(by_day.items()):\n    print(day, round(total, 2))"),
    repl("max(by_day, key=by_day.get)"),
    repl("total = sum(float(r['amount']) for r in rows)\ntotal"),
    repl("total = sum(float(r['amount'] or 0) for r in rows)\nround(total, 2)"),
    repl("log = open('worker.log').read().splitlines()\nlen(log)"),
    repl("for line in log:\n    if ' ERROR ' in line:\n        print(line)"),
    repl("import re\nfaults = collections.Counter(m[1] for line in log if (m := re.search(r'failed: (\\w+)', line)))\nfaults"),
    repl("sorted({m[1] for line in log if (m := re.search(r'job (\\d+) failed', line))})"),
    repl("[line for line in log if 'CRITICAL' in line]"),
    repl("for line in log:\n    if 'retr' in line:\n        print(line.split(' ', 3)[3])"),
    repl("from datetime import datetime\nt = [datetime.strptime(line[:19], '%Y-%m-%d %H:%M:%S') for line in log]\nprint((t[-1] - t[0]).total_seconds(), 'seconds')"),
    repl("def parse(text):\n    try:\n        return int(text)\n    except ValueError as e:\n        return f'ValueError: {e}'"),
    repl("parse('41') + 1"),
    repl("parse('n/a')"),
    repl("[parse(x) for x in ('1', '', '2')]"),
    repl("import traceback\ntry:\n    {}['missing']\nexcept KeyError:\n    print(traceback.format_exc())"),
    repl("class Ledger:\n    def __init__(self):\n        self.entries = []\n    def add(self, label, cents):\n        self.entries.append((label, cents))\n        return self\n    def balance(self):\n        return sum(c for _, c in self.entries)\n\nledger = Ledger()"),
    repl("ledger.add('rent', -90000).add('salary', 250000).balance()"),
    repl("import unittest, io\nclass T(unittest.TestCase):\n    def test_empty(self):\n        self.assertEqual(Ledger().balance(), 0)\n    def test_sum(self):\n        self.assertEqual(Ledger().add('a', 1).add('b', 2).balance(), 4)\nout = io.StringIO()\nresult = unittest.TextTestRunner(stream=out).run(unittest.defaultTestLoader.loadTestsFromTestCase(T))\nprint(out.getvalue()[-400:])"),
    repl("result.wasSuccessful(), len(result.failures), len(result.errors)"),
    repl("T.test_sum = lambda self: self.assertEqual(Ledger().add('a', 1).add('b', 2).balance(), 3)\nout = io.StringIO()\nunittest.TextTestRunner(stream=out).run(unittest.defaultTestLoader.loadTestsFromTestCase(T))\nprint(out.getvalue())"),
    repl("import json\nprint(json.dumps({'checked': len(rows), 'failed': [r['id'] for r in failed], 'errors': dict(faults)}, indent=1))"),
    repl("import pandas"),
    repl("open('failed.txt', 'w').write('\\n'.join(r['id'] for r in failed))"),
    repl("print(open('failed.txt').read())"),
    repl("import os\nsorted(os.listdir('.'))"),
    repl("os.remove('failed.txt')"),
    repl("os.path.exists('failed.txt')"),
    repl("import hashlib\nhashlib.sha256(open('orders.csv', 'rb').read()).hexdigest()"),
    repl("x = 10\nwhile x > 1:\n    x = x // 2 if x % 2 == 0 else 3 * x + 1\n    print(x, end=' ')"),
    repl("import subprocess\np = subprocess.run(['ls', 'nowhere'], capture_output=True, text=True)\nprint(p.returncode, p.stderr)"),
    repl("import time\nfor i in range(3):\n    time.sleep(0.1)\n    print('step', i)", timeout_ms=5000),
    repl("import warnings\nwarnings.warn('the old price list is deprecated')\n'done'"),
    repl("print('größer als 5 €: ', [r['id'] for r in rows if float(r['amount'] or 0) > 5][:4], '— 完了')"),
    repl("ledgre.balance()"),
    repl("ledger.balance()"),
    repl("del rows, failed, log"),
    repl("'rows' in globals()"),
    repl("import sys\nsys.version_info[:2]"),
    repl("assert ledger.balance() == 160000, 'balance is off'"),
], script="mcp-repl", files={"orders.csv": ORDERS_CSV, "worker.log": WORKER_LOG})
PLANS["posit-repl"] = plan("pypi", "posit-mcp-repl", ["{base}/bin/mcp-repl", "--interpreter", "python", "--sandbox", "danger-full-access"],
                           PLANS["posit-repl"]["calls"], before=TERMINALS, files=PLANS["posit-repl"]["files"])
# --- logs ----------------------------------------------------------------------------------------------------

API_LOG = "".join(
    f"2026-11-18T09:{m:02}:{s:02}.120Z INFO  http request id=r{m:02}{s:02} GET /v1/orders status=200 took={40 + s}ms\n"
    + (f"2026-11-18T09:{m:02}:{s + 3:02}.004Z ERROR payment gateway timeout after 5000ms order={7000 + m} attempt={s % 3 + 1}\n" if m % 4 == 1 else "")
    + (f"2026-11-18T09:{m:02}:{s + 4:02}.900Z WARN  pool connections=48/50 waiting={m}\n" if m % 5 == 2 else "")
    for m in range(20) for s in (5, 30)) + """2026-11-18T09:21:00.001Z ERROR unhandled exception in worker 3
Traceback (most recent call last):
  File "/srv/api/worker.py", line 88, in run
    self.step(job)
  File "/srv/api/orders.py", line 41, in step
    total = price * item["quantity"]
KeyError: 'quantity'
2026-11-18T09:21:00.050Z FATAL worker 3 exits with code 1
2026-11-18T09:21:02.000Z INFO  supervisor restarts worker 3
2026-11-18T09:21:04.700Z INFO  worker 3 ready
"""
BUILD_LOG = """[1/5] configure ............ ok
[2/5] compile core .......... ok (2 warnings)
src/parse.c:112:9: warning: unused variable 'end' [-Wunused-variable]
src/parse.c:140:5: warning: this 'if' clause does not guard... [-Wmisleading-indentation]
[3/5] compile cli ........... FAILED
src/cli.c:57:18: error: 'struct options' has no member named 'verbose'
src/cli.c:61:3: error: too few arguments to function 'open_report'
make: *** [Makefile:31: cli.o] Error 1
"""
SSH_LOG = "".join(f"Nov 18 02:{m:02}:11 gate sshd[{900 + m}]: Failed password for invalid user {u} from 203.0.113.{m % 3 + 7} port {50000 + m} ssh2\n"
                  for m, u in enumerate(["admin", "oracle", "test", "pi", "git", "root", "guest", "admin"])) \
    + "Nov 18 02:31:40 gate sshd[990]: Accepted publickey for deploy from 198.51.100.4 port 40022 ssh2\n" \
    "Nov 18 02:31:41 gate sshd[990]: pam_unix(sshd:session): session opened for user deploy(uid=1001)\n"
QUIET_LOG = "2026-11-18 10:00:00 INFO start\n2026-11-18 10:00:01 INFO listening on 8080\n2026-11-18 10:05:00 INFO stop\n"
def ingest(**params):
    return ask("log_ingest", params={"enable_semantic": False, **params})
def lines(**params):
    return ask("log_get_lines", params=params)
PLANS["log-context"] = pypi("log-context-mcp", [
    ask("log_list_sessions", params={}),
    ingest(file_path="{home}/logs/api.log", label="api"),
    lines(label="api", severity="fatal"),
    lines(label="api", severity="error", max_lines=20),
    lines(label="api", pattern="Traceback"),
    lines(label="api", pattern="KeyError"),
    lines(label="api", pattern="gateway timeout", max_lines=5),
    lines(label="api", pattern="order=70(01|05)"),
    lines(label="api", severity="warning"),
    lines(label="api", pattern="waiting=1[0-9]"),
    lines(label="api", around_line=52, context_lines=4),
    lines(label="api", pattern="out of memory"),
    lines(label="api", pattern="status=5\\d\\d"),
    lines(label="api", pattern="supervisor"),
    lines(label="api", severity="debug"),
    ask("log_get_analysis", params={"label": "api"}),
    ingest(file_path="{home}/logs/build.log", label="build"),
    lines(label="build", pattern="error:"),
    lines(label="build", pattern="warning:", max_lines=10),
    lines(label="build", around_line=5, context_lines=2),
    lines(label="build", severity="fatal"),
    lines(label="build", pattern="cli.c"),
    lines(label="build", pattern="Error 1"),
    ingest(file_path="{home}/logs/sshd.log", label="sshd"),
    lines(label="sshd", pattern="Failed password"),
    lines(label="sshd", pattern="203.0.113.8"),
    lines(label="sshd", pattern="Accepted"),
    lines(label="sshd", pattern="invalid user (root|admin)"),
    lines(label="sshd", around_line=9, context_lines=1),
    lines(label="sshd", pattern="198.51.100.99"),
    ask("log_list_sessions", params={}),
    ingest(file_path="{home}/logs/apl.log", label="apl"),
    ingest(file_path="{home}/logs/quiet.log", label="quiet"),
    lines(label="quiet", severity="error"),
    lines(label="quiet"),
    lines(label="quiet", pattern="listening|stop"),
    ingest(log_text="FAIL tests/test_cart.py::test_total - AssertionError: assert 41 == 42\nFAIL tests/test_cart.py::test_empty - IndexError: list index out of range\n2 failed, 38 passed in 4.11s", label="pytest"),
    lines(label="pytest", pattern="FAIL"),
    lines(label="pytest", pattern="passed"),
    lines(label="pytest", pattern="xfail"),
    lines(label="pytest", pattern="AssertionError|IndexError", max_lines=1),
    ingest(log_text="npm ERR! code ERESOLVE\nnpm ERR! ERESOLVE unable to resolve dependency tree\nnpm ERR! Found: react@18.3.1\nnpm ERR! Could not resolve dependency: peer react@\"^17\" from old-table@2.0.0\n", label="npm"),
    lines(label="npm", pattern="peer"),
    lines(label="npm", severity="error", max_lines=2),
    ingest(log_text="2026-11-18 07:00:00 エラー 接続に失敗しました host=db1\n2026-11-18 07:00:05 情報 再接続しました host=db1\n", label="jp"),
    lines(label="jp", pattern="失敗"),
    lines(label="nginx", pattern="502"),
    ask("log_list_sessions", params={}),
    ingest(log_text="job=nightly result=ok rows=0 rejected=12\njob=nightly result=ok rows=311 rejected=0\n", label="api"),
    lines(label="api", pattern="rejected=12"),
    lines(label="api", severity="fatal"),
    lines(label="api", around_line=2, context_lines=0),
], files={"logs/api.log": API_LOG, "logs/build.log": BUILD_LOG, "logs/sshd.log": SSH_LOG, "logs/quiet.log": QUIET_LOG})
# --- scheduled jobs -----------------------------------------------------------------------------------------

NOW = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0)
def runs(job, name, schedule, every_hours, first_hours_ago, outcomes):
    text = ""
    for i, (code, out, err, took) in enumerate(outcomes):
        start = NOW - datetime.timedelta(hours=first_hours_ago - i * every_hours)
        text += json.dumps({
            "run_id": f"{job}-{i + 1}", "job_id": job, "job_name": name, "started_at": start.isoformat(),
            "completed_at": (start + datetime.timedelta(milliseconds=took)).isoformat(), "duration_ms": took,
            "exit_code": code, "stdout": out, "stderr": err, "schedule": schedule}) + "\n"
    return text
CRON = {
    "backup-db.jsonl": runs("backup-db", "Database backup", "0 */6 * * *", 6, 48, [(0, f"dumped 14 tables, {900 + i} MB written", "", 60000 + i) for i in range(6)]
                            + [(0, "", "", 900), (0, "dumped 0 tables, 0 MB written", "", 700)]),
    "invoice-mail.jsonl": runs("invoice-mail", "Invoice mail", "30 * * * *", 1, 9.5, [(0, f"sent {20 + i} mails", "", 4000) for i in range(6)]
                               + [(1, "", "smtplib.SMTPServerDisconnected: Connection unexpectedly closed", 30000), (0, "sent 3 mails\nERROR: 19 mails rejected by relay", "", 5000), (0, "sent 24 mails", "", 4100)]),
    "report-weekly.jsonl": runs("report-weekly", "Weekly report", "0 7 * * 1", 168, 24 * 23, [(0, "report written: 12 pages", "", 90000), (0, "report written: 13 pages", "", 91000), (2, "", "Traceback (most recent call last):\n  File \"report.py\", line 9\nZeroDivisionError: division by zero", 1200)]),
    "cleanup-tmp.jsonl": runs("cleanup-tmp", "Temp cleanup", "@hourly", 1, 5, [(0, f"removed {i} files", "", 300) for i in (12, 0, 4, 7, 9)]),
    "sync-stock.jsonl": runs("sync-stock", "Stock sync", "*/15 * * * *", 0.25, 30, [(0, f"synced {100 + i} items", "", 2000) for i in range(8)]),
}
PLANS["silentwatch"] = pypi("silentwatch-mcp", [
    ask("list_jobs", {}),
    ask("find_overdue_jobs", {}),
    ask("find_silent_failures", {}),
    ask("get_job_status", job_id="backup-db"),
    ask("get_job_runs", job_id="backup-db", limit=3),
    ask("tail_job_logs", job_id="backup-db", lines=10),
    ask("get_job_status", job_id="invoice-mail"),
    ask("get_job_runs", job_id="invoice-mail", limit=4),
    ask("tail_job_logs", job_id="invoice-mail", lines=5),
    ask("get_job_status", job_id="report-weekly"),
    ask("get_job_runs", job_id="report-weekly"),
    ask("tail_job_logs", job_id="report-weekly", lines=20),
    ask("get_job_status", job_id="report-daily"),
    ask("get_job_status", job_id="cleanup-tmp"),
    ask("get_job_runs", job_id="cleanup-tmp", limit=2),
    ask("tail_job_logs", job_id="cleanup-tmp", lines=3),
    ask("get_job_status", job_id="sync-stock"),
    ask("get_job_runs", job_id="sync-stock", limit=1),
    ask("tail_job_logs", job_id="sync-stock"),
    ask("find_overdue_jobs", grace_minutes=0),
    ask("find_overdue_jobs", grace_minutes=120),
    ask("find_overdue_jobs", grace_minutes=43200),
    ask("find_silent_failures", window_hours=1),
    ask("find_silent_failures", window_hours=6),
    ask("find_silent_failures", window_hours=48),
    ask("find_silent_failures", window_hours=168),
    ask("get_job_runs", job_id="backup-db", limit=1),
    ask("get_job_runs", job_id="backup-db", limit=8),
    ask("tail_job_logs", job_id="backup-db", lines=1),
    ask("get_job_runs", job_id="invoice-mail", limit=1),
    ask("get_job_runs", job_id="invoice-mail", limit=9),
    ask("tail_job_logs", job_id="invoice-mail", lines=30),
    ask("get_job_runs", job_id="invoice-mails", limit=3),
    ask("get_job_runs", job_id="report-weekly", limit=1),
    ask("tail_job_logs", job_id="report-weekly", lines=1),
    ask("get_job_runs", job_id="cleanup-tmp", limit=5),
    ask("tail_job_logs", job_id="cleanup-tmp", lines=50),
    ask("get_job_runs", job_id="sync-stock", limit=5),
    ask("tail_job_logs", job_id="sync-stock", lines=8),
    ask("list_jobs", {}),
    ask("find_silent_failures", window_hours=24),
    ask("find_overdue_jobs", grace_minutes=30),
    ask("get_job_status", job_id="backup-db"),
    ask("get_job_status", job_id="invoice-mail"),
    ask("tail_job_logs", job_id="purge-sessions", lines=5),
    ask("find_silent_failures", window_hours=12),
    ask("find_overdue_jobs", grace_minutes=10),
    ask("get_job_runs", job_id="report-weekly", limit=3),
    ask("list_jobs", {}),
    ask("get_job_status", job_id="cleanup-temp"),
], env={"SILENTWATCH_BACKEND": "openclaw-jsonl", "SILENTWATCH_OPENCLAW_LOGS": "{home}/cron-runs"},
    files={f"cron-runs/{name}": text for name, text in CRON.items()})
# --- API descriptions -----------------------------------------------------------------------------------------

SHOP_API = """openapi: 3.0.3
info: {title: Shop API, version: 2.4.0, description: Orders and returns}
servers: [{url: https://api.shop.example/v2}]
tags: [{name: orders}, {name: returns}, {name: ops}]
paths:
  /orders:
    get:
      tags: [orders]
      operationId: listOrders
      parameters:
        - {name: status, in: query, schema: {$ref: '#/components/schemas/Status'}}
        - {$ref: '#/components/parameters/Limit'}
      responses:
        '200': {description: a page, content: {application/json: {schema: {type: array, items: {$ref: '#/components/schemas/Order'}}}}}
        '401': {$ref: '#/components/responses/Unauthorized'}
    post:
      tags: [orders]
      operationId: createOrder
      requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/Order'}}}}
      responses:
        '201': {description: created}
        '422': {$ref: '#/components/responses/Invalid'}
  /orders/{id}:
    get:
      tags: [orders]
      operationId: getOrder
      parameters: [{name: id, in: path, required: true, schema: {type: integer}}]
      responses:
        '200': {description: one order, content: {application/json: {schema: {$ref: '#/components/schemas/Order'}}}}
        '404': {$ref: '#/components/responses/NotFound'}
    delete:
      tags: [orders]
      deprecated: true
      operationId: cancelOrder
      parameters: [{name: id, in: path, required: true, schema: {type: integer}}]
      responses:
        '204': {description: cancelled}
        '409': {description: already shipped}
  /returns:
    post:
      tags: [returns]
      operationId: createReturn
      responses: {'202': {description: accepted}, '403': {description: return window closed}}
  /health:
    get:
      tags: [ops]
      operationId: health
      responses: {'200': {description: healthy}, '503': {description: degraded}}
components:
  parameters:
    Limit: {name: limit, in: query, schema: {type: integer, maximum: 100}}
  schemas:
    Status: {type: string, enum: [open, paid, failed, cancelled]}
    Order:
      type: object
      required: [id, status]
      properties:
        id: {type: integer}
        status: {$ref: '#/components/schemas/Status'}
        failureReason: {type: string, nullable: true}
        lines: {type: array, items: {$ref: '#/components/schemas/Line'}}
    Line: {type: object, properties: {sku: {type: string}, quantity: {type: integer, minimum: 1}}}
    Error:
      type: object
      properties: {code: {type: string, example: INVALID_ADDRESS}, message: {type: string, example: Address could not be verified}}
  responses:
    NotFound: {description: The resource does not exist, content: {application/json: {schema: {$ref: '#/components/schemas/Error'}}}}
    Unauthorized: {description: Token missing or expired, content: {application/json: {schema: {$ref: '#/components/schemas/Error'}}}}
    Invalid: {description: Validation failed, content: {application/json: {schema: {$ref: '#/components/schemas/Error'}}}}
  securitySchemes:
    bearer: {type: http, scheme: bearer}
"""
PETS_API = json.dumps({"openapi": "3.1.0", "info": {"title": "Tierheim", "version": "1.0.0"}, "paths": {
    "/tiere": {"get": {"operationId": "tiere", "responses": {"200": {"description": "Liste der Tiere"}}}},
    "/tiere/{id}/fehler": {"get": {"operationId": "fehler", "parameters": [{"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}],
                                   "responses": {"200": {"description": "Fehlermeldungen"}, "500": {"description": "Interner Fehler"}}}}},
    "components": {"schemas": {"Tier": {"type": "object", "properties": {"name": {"type": "string"}}}}}})
SHOP, TIERE = "{home}/specs/shop.yaml", "{home}/specs/tierheim.json"
def spec(section, path=SHOP, **more):
    return ask("spec_list", section=section, spec_path=path, **more)
def part(section, name, path=SHOP, **more):
    return ask("spec_get", section=section, name=name, spec_path=path, **more)
PLANS["openapi-tools"] = pypi("openapi-tools-mcp", [
    ask("spec_info", spec_path=SHOP),
    spec("paths"),
    spec("schemas"),
    spec("responses"),
    spec("parameters"),
    part("paths", "/orders"),
    part("paths", "/orders", resolve_refs=True),
    part("paths", "/orders/{id}"),
    part("schemas", "Order"),
    part("schemas", "Order", resolve_refs=True),
    part("schemas", "Error"),
    part("responses", "NotFound"),
    part("responses", "Unauthorized", resolve_refs=True),
    part("responses", "Invalid"),
    part("parameters", "Limit"),
    part("schemas", "Status"),
    spec("paths", filter_by_glob="/orders*"),
    spec("paths", filter_by_glob="*return*"),
    spec("paths", filter_by_glob="*admin*"),
    spec("paths", filter_by_tag="ops"),
    spec("paths", filter_by_tag=["orders", "returns"]),
    spec("paths", filter_by_tag="billing"),
    part("paths", "/returns"),
    part("paths", "/health"),
    part("schemas", "Line"),
    part("schemas", "Lines"),
    spec("securitySchemes"),
    part("securitySchemes", "bearer"),
    spec("requestBodies"),
    spec("headers"),
    ask("spec_info", spec_path=TIERE),
    spec("paths", TIERE),
    part("paths", "/tiere/{id}/fehler", TIERE),
    part("schemas", "Tier", TIERE),
    spec("responses", TIERE),
    spec("schemas", TIERE, filter_by_glob="Fehler*"),
    ask("spec_info", spec_path="{home}/specs/tierheim.yaml"),
    part("paths", "/tiere", TIERE, resolve_refs=True),
    spec("examples", TIERE),
    spec("schemas", filter_by_glob="*Err*"),
    spec("responses", filter_by_glob="*Found"),
    part("responses", "NotFound", resolve_refs=True),
    part("responses", "Invalid", resolve_refs=True),
    spec("paths", filter_by_glob="/orders/{id}"),
    spec("parameters", filter_by_glob="Off*"),
    part("parameters", "Limit", resolve_refs=True),
    part("schemas", "Status", resolve_refs=True),
    spec("links"),
    spec("callbacks"),
    ask("spec_info", spec_path=SHOP),
], files={"specs/shop.yaml": SHOP_API, "specs/tierheim.json": PETS_API})
# --- a shell ----------------------------------------------------------------------------------------------------------

EXECUTION = '{last:"execution_id": ?"([0-9a-f-]+)"}'
OUTPUT = '{last:"output_id": ?"([^"]+)"}'
TERMINAL = '{last:"terminal_id": ?"([^"]+)"}'
DEPLOY = "#!/bin/sh\necho 'deploy: start'\necho 'deploy: check failed: disk 97% full' >&2\nexit 3\n"
def shell(command, **more):
    return ask("shell_execute", command=command, **more)
PLANS["shell-server"] = npm("@mako10k/mcp-shell-server", "dist/index.js", [
    shell("pwd"),
    shell("ls -1"),
    shell("wc -l app.log"),
    shell("grep -c ERROR app.log"),
    shell("grep ERROR app.log | tail -3"),
    shell("grep -n FATAL app.log | cut -d' ' -f1-4"),
    shell("awk '/ERROR/ {print $4}' app.log | sort | uniq -c | sort -rn"),
    shell("sed -n 1,3p app.log"),
    shell("true"),
    shell("test -s app.log && echo yes"),
    shell("grep panic app.log || true"),
    ask("process_get_execution", execution_id=EXECUTION),
    shell("sort todo.txt"),
    shell("mkdir -p out && cp todo.txt out/"),
    shell("ls out"),
    shell("mv out/todo.txt out/done.txt && echo renamed"),
    shell("diff todo.txt old.txt; echo \"exit $?\""),
    shell("cat missing.txt"),
    shell("python3 -c 'print(sum(range(10)))'"),
    shell("tr a-z A-Z", input_data="fehler behoben\n"),
    shell("echo warning: disk nearly full >&2"),
    shell("sh deploy.sh; echo \"deploy ended with $?\""),
    shell("echo $STAGE", environment_variables={"STAGE": "prod"}),
    shell("pwd", working_directory="{home}/out"),
    shell("for i in 1 2 3; do echo step $i; done"),
    shell("printf '%s\\n' '{\"status\": \"failed\", \"error\": null}'"),
    shell("seq 1 400"),
    ask("list_execution_outputs", limit=5),
    ask("read_execution_output", output_id=OUTPUT, size=200),
    ask("list_execution_outputs", name_pattern="*nothing*"),
    shell("sleep 1; echo finished", execution_mode="background"),
    ask("process_get_execution", execution_id=EXECUTION),
    shell("sleep 1.5"),
    ask("process_get_execution", execution_id=EXECUTION),
    shell("sleep 5; echo late", timeout_seconds=1, return_partial_on_timeout=True),
    ask("shell_set_default_workdir", working_directory="{home}/out"),
    shell("ls"),
    ask("shell_set_default_workdir", working_directory="{home}"),
    shell("rm out/done.txt"),
    shell("rmdir out && echo removed"),
    ask("terminal_list", {}),
    ask("terminal_operate", command="echo error-free && date +%Y", session_name="build", get_output=True, output_delay_ms=700),
    ask("terminal_list", {}),
    ask("terminal_get_info", terminal_id=TERMINAL),
    ask("terminal_operate", terminal_id=TERMINAL, input="ls -1", execute=True, get_output=True, output_delay_ms=500),
    ask("terminal_close", terminal_id=TERMINAL),
    ask("command_history_query", page_size=5),
    ask("command_history_query", query="ERROR", page_size=3),
    ask("command_history_query", query="kubectl"),
    ask("command_history_query", analytics_type="stats"),
    ask("get_cleanup_suggestions", max_size_mb=50),
    ask("perform_auto_cleanup", max_age_hours=1, dry_run=True),
    ask("delete_execution_outputs", output_ids=[OUTPUT], confirm=True),
    ask("process_get_execution", execution_id="0f0f0f0f-1111-4222-8333-444444444444"),
], files={"app.log": WORKER_LOG * 4 + "2026-11-09 08:02:00 FATAL out of file handles\n", "todo.txt": "write tests\nfix login error\ncall printer\n",
          "old.txt": "write tests\ncall printer\n", "deploy.sh": DEPLOY}, before=TERMINALS,
    env={"MCP_SHELL_SECURITY_MODE": "permissive", "MCP_SHELL_ENHANCED_MODE": "false", "MCP_SHELL_LLM_EVALUATION": "false"})
