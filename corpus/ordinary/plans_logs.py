"""Which servers of `ordinary` ../record.py starts, how, and what it asks them: logs, shells, programs, notebooks."""

import json
import record_files as files
from record_plans import ask, npm, pypi
PLANS = {}
APP_LOG = """2026-11-24 08:00:01,120 INFO  [main] com.shop.Application - Starting checkout-service 4.12.0
2026-11-24 08:00:03,004 INFO  [main] com.shop.db.Pool - Connected to orders-db (10 connections)
2026-11-24 08:02:17,551 INFO  [http-1] com.shop.cart.CartController - request_id=7f3a10 cart 8812 created
2026-11-24 08:02:19,870 WARN  [http-1] com.shop.pay.Gateway - request_id=7f3a10 provider answered slowly: 2310 ms
2026-11-24 08:03:44,002 ERROR [http-3] com.shop.pay.Gateway - request_id=a91c44 payment refused: card expired
2026-11-24 08:05:10,310 ERROR [http-2] com.shop.order.OrderService - request_id=c02b7e could not store order 55120
java.sql.SQLTimeoutException: timeout after 5000 ms waiting for lock on orders
    at com.shop.db.Pool.acquire(Pool.java:88)
    at com.shop.order.OrderRepository.insert(OrderRepository.java:41)
    at com.shop.order.OrderService.place(OrderService.java:117)
Caused by: java.net.SocketTimeoutException: Read timed out
    ... 12 more
2026-11-24 08:05:10,320 INFO  [http-2] com.shop.order.OrderService - request_id=c02b7e order 55120 queued for retry
2026-11-24 08:05:41,773 INFO  [retry-1] com.shop.order.RetryJob - order 55120 stored at attempt 2
2026-11-24 08:09:00,000 DEBUG [sched] com.shop.health.Probe - probe ok
2026-11-24 08:11:26,918 ERROR [http-5] com.shop.pay.Gateway - request_id=d77f01 payment refused: insufficient funds
2026-11-24 08:12:30,105 WARN  [http-4] com.shop.auth.LoginFilter - invalid token from 203.0.113.7, 401 sent
2026-11-24 08:12:31,230 WARN  [http-4] com.shop.auth.LoginFilter - invalid token from 203.0.113.7, 401 sent
2026-11-24 08:12:33,411 WARN  [http-4] com.shop.auth.LoginFilter - account lena@example.net locked after 3 failed logins
2026-11-24 08:20:08,650 ERROR [http-2] com.shop.order.OrderService - request_id=e4410b could not store order 55131
java.sql.SQLTimeoutException: timeout after 5000 ms waiting for lock on orders
    at com.shop.db.Pool.acquire(Pool.java:88)
    at com.shop.order.OrderRepository.insert(OrderRepository.java:41)
2026-11-24 08:20:39,004 INFO  [retry-1] com.shop.order.RetryJob - order 55131 stored at attempt 2
2026-11-24 08:30:00,001 INFO  [sched] com.shop.report.Daily - 0 failed orders, 2 recovered, 2 payments refused
"""
JSON_LOG = "".join(json.dumps(row) + "\n" for row in [
    {"timestamp": "2026-11-24T08:05:09Z", "level": "INFO", "service": "gateway", "trace_id": "4bf92f3577b34da6a3ce929d0e0e4736", "message": "POST /orders"},
    {"timestamp": "2026-11-24T08:05:10Z", "level": "ERROR", "service": "gateway", "trace_id": "4bf92f3577b34da6a3ce929d0e0e4736", "message": "upstream checkout returned 503", "duration_ms": 5012},
    {"timestamp": "2026-11-24T08:05:12Z", "level": "INFO", "service": "gateway", "trace_id": "4bf92f3577b34da6a3ce929d0e0e4736", "message": "retry scheduled"},
    {"timestamp": "2026-11-24T08:12:30Z", "level": "WARN", "service": "gateway", "trace_id": "00f067aa0ba902b7a3ce929d0e0e1111", "message": "401 Unauthorized: token signature invalid"},
    {"timestamp": "2026-11-24T08:20:08Z", "level": "ERROR", "service": "gateway", "trace_id": "9c1e7d2a55b34da6a3ce929d0e0e2222", "message": "upstream checkout returned 503", "duration_ms": 5008},
    {"timestamp": "2026-11-24T08:21:00Z", "level": "INFO", "service": "gateway", "trace_id": "9c1e7d2a55b34da6a3ce929d0e0e2222", "message": "circuit breaker half-open"},
])
ACCESS_LOG = """203.0.113.7 - - [24/Nov/2026:08:12:30 +0000] "GET /api/orders HTTP/1.1" 401 64 "-" "curl/8.5.0"
203.0.113.7 - - [24/Nov/2026:08:12:31 +0000] "GET /api/orders HTTP/1.1" 401 64 "-" "curl/8.5.0"
198.51.100.20 - - [24/Nov/2026:08:13:02 +0000] "GET /index.html HTTP/1.1" 200 5120 "-" "Mozilla/5.0"
198.51.100.20 - - [24/Nov/2026:08:13:03 +0000] "GET /favicon.ico HTTP/1.1" 404 153 "-" "Mozilla/5.0"
192.0.2.15 - - [24/Nov/2026:08:20:08 +0000] "POST /api/orders HTTP/1.1" 503 92 "-" "shop-app/3.1"
192.0.2.15 - - [24/Nov/2026:08:20:40 +0000] "GET /api/orders/55131 HTTP/1.1" 200 811 "-" "shop-app/3.1"
"""
PY_LOG = """2026-11-25 02:00:00,010 INFO nightly: export started
2026-11-25 02:00:04,310 ERROR nightly: row 118 skipped
Traceback (most recent call last):
  File "/srv/nightly/export.py", line 52, in convert
    return Decimal(row["price"])
decimal.InvalidOperation: [<class 'decimal.ConversionSyntax'>]
2026-11-25 02:00:09,870 INFO nightly: export finished, 4210 rows written, 1 skipped
"""
SYSLOG = """Nov 24 08:00:11 web1 sshd[811]: Failed password for invalid user admin from 203.0.113.7 port 50122 ssh2
Nov 24 08:00:14 web1 sshd[811]: Failed password for invalid user admin from 203.0.113.7 port 50122 ssh2
Nov 24 08:00:20 web1 sshd[820]: Accepted publickey for deploy from 198.51.100.20 port 40112 ssh2
Nov 24 08:01:00 web1 CRON[901]: (root) CMD (/usr/local/bin/backup.sh)
Nov 24 08:01:09 web1 backup[902]: error: disk quota exceeded, old archives removed, retrying
Nov 24 08:01:31 web1 backup[902]: backup complete
Nov 24 08:07:02 web1 kernel: Out of memory: Killed process 1422 (java)
Nov 24 08:07:03 web1 systemd[1]: checkout.service: Main process exited, code=killed, status=9/KILL
Nov 24 08:07:05 web1 systemd[1]: checkout.service: Scheduled restart job, restart counter is at 1.
"""
QUIET_LOG = "2026-11-24 09:00:00,000 INFO  [main] com.shop.Mailer - started\n2026-11-24 09:10:00,000 INFO  [main] com.shop.Mailer - 12 mails sent\n" \
            "2026-11-24 09:20:00,000 INFO  [main] com.shop.Mailer - 3 mails sent\n"
AFTER_LOG = APP_LOG.split("2026-11-24 08:03:44")[0].replace("11-24", "11-26") + \
    "2026-11-26 08:03:44,002 ERROR [http-3] com.shop.mail.Sender - mailbox full: ops@example.net\n" \
    "2026-11-26 08:30:00,001 INFO  [sched] com.shop.report.Daily - 0 failed orders, 0 recovered, 0 payments refused\n"
APP, GATE, ACCESS, NIGHT, SYS, QUIET, AFTER = (f"{{home}}/logs/{n}" for n in (
    "checkout.log", "gateway.jsonl", "access.log", "nightly.log", "syslog", "mailer.log", "checkout-26.log"))
PLANS["loganalyzer"] = pypi("codesdevs-log-analyzer", [
    ask("log_analyzer_suggest_format", file_path=APP),
    ask("log_analyzer_parse", file_path=APP),
    ask("log_analyzer_extract_errors", file_path=APP),
    ask("log_analyzer_search", file_path=APP, pattern="SQLTimeoutException", context_lines=0),
    ask("log_analyzer_search", file_path=APP, pattern="payment refused", context_lines=0, max_matches=1),
    ask("log_analyzer_search", file_path=APP, pattern="request_id=c02b7e", context_lines=1),
    ask("log_analyzer_search", file_path=APP, pattern="OutOfMemoryError"),
    ask("log_analyzer_search", file_path=APP, pattern="order \\d+ stored at attempt", is_regex=True, context_lines=0, response_format="json"),
    ask("log_analyzer_search", file_path=APP, pattern="timeout", level_filter="ERROR", context_lines=2),
    ask("log_analyzer_tail", file_path=APP, lines=3),
    ask("log_analyzer_tail", file_path=APP, lines=1),
    ask("log_analyzer_tail", file_path=APP, lines=20, level_filter="ERROR"),
    ask("log_analyzer_summarize", file_path=APP, focus="errors"),
    ask("log_analyzer_correlate", file_path=APP, anchor_pattern="could not store order", window_seconds=45),
    ask("log_analyzer_trace", file_path=APP, trace_id="c02b7e"),
    ask("log_analyzer_suggest_patterns", file_path=APP, max_patterns=5),
    ask("log_analyzer_parse", file_path="{home}/logs/chekout.log"),
    ask("log_analyzer_parse", file_path=GATE, response_format="json"),
    ask("log_analyzer_extract_errors", file_path=GATE, response_format="json"),
    ask("log_analyzer_trace", file_path=GATE),
    ask("log_analyzer_trace", file_path=GATE, trace_id="4bf92f3577b34da6a3ce929d0e0e4736", response_format="json"),
    ask("log_analyzer_trace", file_path=GATE, trace_id="ffffffff77b34da6a3ce929d0e0e9999"),
    ask("log_analyzer_tail", file_path=GATE, lines=1, response_format="json"),
    ask("log_analyzer_search", file_path=GATE, pattern="401", context_lines=0),
    ask("log_analyzer_multi", file_paths=[APP, NIGHT], operation="merge", max_entries=12),
    ask("log_analyzer_multi", file_paths=[APP, GATE], operation="correlate", time_window=5),
    ask("log_analyzer_multi", file_paths=[APP, AFTER], operation="compare"),
    ask("log_analyzer_parse", file_path=ACCESS),
    ask("log_analyzer_search", file_path=ACCESS, pattern="\" 503 ", context_lines=0),
    ask("log_analyzer_search", file_path=ACCESS, pattern="\" 5\\d\\d ", is_regex=True, context_lines=1, response_format="json"),
    ask("log_analyzer_summarize", file_path=ACCESS, focus="security"),
    ask("log_analyzer_extract_errors", file_path=ACCESS, include_warnings=True),
    ask("log_analyzer_extract_errors", file_path=NIGHT),
    ask("log_analyzer_search", file_path=NIGHT, pattern="Traceback", context_lines=4),
    ask("log_analyzer_tail", file_path=NIGHT, lines=5),
    ask("log_analyzer_extract_errors", file_path=QUIET),
    ask("log_analyzer_tail", file_path=QUIET, lines=5, level_filter="ERROR"),
    ask("log_analyzer_summarize", file_path=QUIET),
    ask("log_analyzer_scan_sensitive", file_path=QUIET),
    ask("log_analyzer_scan_sensitive", file_path=APP, redact=True),
    ask("log_analyzer_watch", file_path=QUIET),
    ask("log_analyzer_watch", file_path=QUIET, from_position=60, level_filter="ERROR"),
    ask("log_analyzer_watch", file_path=APP, from_position=1500, pattern_filter="locked"),
    ask("log_analyzer_parse", file_path=SYS, format_hint="syslog"),
    ask("log_analyzer_search", file_path=SYS, pattern="Failed password", context_lines=0),
    ask("log_analyzer_summarize", file_path=SYS, focus="security", response_format="json"),
    ask("log_analyzer_search", file_path=SYS, pattern="(unclosed", is_regex=True),
    ask("log_analyzer_ask", file_path=APP, question="How many errors are there?"),
    ask("log_analyzer_ask", file_path=QUIET, question="What are the most common errors?"),
    ask("log_analyzer_diff", file_path_a=APP, file_path_b=AFTER),
    ask("log_analyzer_diff", file_path_a=APP, time_range_a_start="2026-11-24T08:00:00", time_range_a_end="2026-11-24T08:10:00",
        time_range_b_start="2026-11-24T08:10:00", time_range_b_end="2026-11-24T08:30:00"),
    ask("log_analyzer_diff", file_path_a=APP, file_path_b="{home}/logs/checkout-25.log"),
    ask("log_analyzer_tail", file_path="{home}/logs/last-error.txt"),
    ask("log_analyzer_suggest_format", file_path=SYS, response_format="json"),
], files={"logs/checkout.log": APP_LOG, "logs/gateway.jsonl": JSON_LOG, "logs/access.log": ACCESS_LOG, "logs/nightly.log": PY_LOG,
          "logs/syslog": SYSLOG, "logs/mailer.log": QUIET_LOG, "logs/checkout-26.log": AFTER_LOG,
          "logs/last-error.txt": "ERROR: connection refused\n"})
TOKEN = '''class TokenError(Exception):
    pass


def check(token):
    """Returns the user of a token; raises TokenError if it is invalid or expired."""
    if not token.startswith("u:"):
        raise TokenError("invalid token")
    name, _, age = token[2:].partition("@")
    if int(age or 0) > 60:
        raise TokenError("token expired")
    return name
'''
TOKEN_TEST = '''import unittest

from token_check import TokenError, check


class TokenTest(unittest.TestCase):
    def test_valid(self):
        self.assertEqual(check("u:ann@5"), "ann")

    def test_invalid_refused(self):
        with self.assertRaises(TokenError):
            check("ann")

    def test_limit(self):
        with self.assertRaises(TokenError):
            check("u:ann@60")


if __name__ == "__main__":
    unittest.main()
'''
SYNC = '''import sys

ROWS = [("a-1", "12.50"), ("a-2", "n/a"), ("a-3", "9"), ("a-4", "")]
good = 0
for key, price in ROWS:
    try:
        float(price)
        good += 1
    except ValueError as problem:
        print(f"ERROR row {key}: {problem} - skipped")
print(f"{good} rows imported, {len(ROWS) - good} failed")
'''
JOBS = """name\tschedule\tlast_status\tlast_message
backup\t0 2 * * *\tok\t
export\t15 2 * * *\tfailed\tERROR 1205: Lock wait timeout exceeded
mailer\t*/10 * * * *\tok\t
reindex\t0 4 * * 0\tfailed\texit status 137
"""
ERROR_DOC = "# Errors\n\nEvery refusal has a code.\n\n- `E401` token invalid: log in again\n- `E409` conflict: reload and retry\n- `E503` service down: wait\n"
REPO = "{home}/shop"
def sh(command, **more):
    return ask("run_command", command=command, **more)
def py(script, **more):
    return ask("run_python_script", script=script, **more)
PLANS["quick-shell"] = pypi("quick-mcp-shell", [
    sh("git init -q -b main . && git config user.email ann@example.net && git config user.name Ann && git add -A && git commit -q -m 'feat: token check' && git log --oneline | wc -l", cwd=REPO),
    sh("ls -R .", cwd=REPO),
    sh("grep -rn TODO .", cwd=REPO),
    sh("grep -rn 'raise ' src", cwd=REPO),
    sh("python3 -m unittest test_token 2>&1", cwd=REPO + "/src"),
    sh("python3 -m unittest test_token.TokenTest.test_valid", cwd=REPO + "/src"),
    sh("sed -i 's/> 60/>= 60/' src/token_check.py && git diff --stat", cwd=REPO),
    sh("git diff --exit-code -- src/token_check.py", cwd=REPO),
    sh("python3 -m unittest -q test_token", cwd=REPO + "/src"),
    sh("git commit -qam 'fix: invalid token refused at 60 seconds'", cwd=REPO),
    sh("git commit -q --allow-empty -m 'fix: error 503 not retried' && git commit -q --allow-empty -m 'revert: failed login lock' && git log --format='%s'", cwd=REPO),
    sh("git status --short", cwd=REPO),
    sh("git log --oneline --grep='crash'", cwd=REPO),
    sh("git checkout -q -b fix/login-fails-401 && git branch", cwd=REPO),
    sh("git checkout release-9", cwd=REPO),
    sh("git branch -D fix/login-fails-401 2>/dev/null || git checkout -q main && git branch -D fix/login-fails-401", cwd=REPO),
    sh("cat logs/nightly.log"),
    sh("tail -n 1 logs/checkout.log"),
    sh("grep -c ERROR logs/*.log"),
    sh("grep -h 'refused' logs/checkout.log | head -1"),
    sh("grep -i segfault logs/syslog"),
    sh("cat logs/last-error.txt"),
    sh("awk -F'\\t' '$3==\"failed\"{print $1\": \"$4}' jobs.tsv"),
    sh("diff old.conf new.conf"),
    sh("diff -q old.conf old.conf"),
    sh("cmp old.conf new.conf"),
    sh("jq -c 'select(.level==\"ERROR\") | .message' logs/gateway.jsonl"),
    sh("jq -e .enabled flags.json"),
    sh("python3 sync.py"),
    sh("cat docs/errors.md"),
    sh("cat docs/erors.md"),
    sh("test -f /tmp/maintenance.lock"),
    sh("echo 'error: quota exceeded (simulated for the runbook)'"),
    sh("echo 'warning: 2 deprecated options' >&2; echo done"),
    sh("kill -0 1 && echo alive"),
    sh("false || echo recovered"),
    sh("sleep 4", timeout=1),
    sh("true"),
    sh("rm -v jobs.tsv"),
    sh("df -h /tmp | tail -1"),
    sh("ps -o pid,stat,comm | head -5"),
    py("import json\nrows=[json.loads(l) for l in open('logs/gateway.jsonl')]\nprint(sum(r['level']=='ERROR' for r in rows), 'errors')"),
    py("try:\n    int('twelve')\nexcept ValueError as e:\n    print('ValueError:', e)"),
    py("print(None)"),
    py("import re\nprint(re.findall(r'refused: (.*)', open('logs/checkout.log').read()))"),
    py("import sys\nprint('3 of 5 checks failed')\nsys.exit(0)"),
    py("import traceback\ntry:\n    {}['price']\nexcept KeyError:\n    print(traceback.format_exc())"),
    py("rows = [1, 2, 3]\nprint(rows[5])"),
    py("pass"),
    py("from pathlib import Path\nPath('report.md').write_text('# Incident\\n\\nCheckout failed for 31 s, all orders recovered.\\n')\nprint(Path('report.md').read_text())"),
    py("print('ошибка: файл не найден — строка из журнала')"),
    py("import logging\nlogging.error('replica lag 12 s')\nlogging.warning('falling back to primary')\nprint('checked 2 replicas')"),
], files={"shop/src/token_check.py": TOKEN, "shop/src/test_token.py": TOKEN_TEST, "shop/README.md": "# Shop\n\nToken check.\n", "logs/checkout.log": APP_LOG,
          "logs/gateway.jsonl": JSON_LOG, "logs/nightly.log": PY_LOG, "logs/syslog": SYSLOG, "logs/last-error.txt": "FATAL: password authentication failed for user \"shop\"\n",
          "jobs.tsv": JOBS, "sync.py": SYNC, "docs/errors.md": ERROR_DOC, "old.conf": "retries=3\ntimeout=30\n", "new.conf": "retries=5\ntimeout=30\n",
          "flags.json": "{\"enabled\": false}\n"})
TICKETS = "id,title,status,hours\n1,Login fails with 401,open,3.5\n2,Fix timeout in checkout,failed,8\n3,Invalid address not rejected,closed,\n" \
          "4,Typo in footer,closed,0.5\n5,Export crashes on empty file,open,6\n"
def run(code):
    return ask("run_python", code=code)
PLANS["python-session"] = pypi("python-session-mcp", [
    ask("python_status", {}),
    ask("list_names", {}),
    ask("load_data", path="{home}/tickets.csv", name="tickets"),
    ask("preview_data", name="tickets"),
    run("tickets[tickets.status == 'failed']"),
    run("print(tickets[tickets.status == 'failed'].title.to_string(index=False))"),
    run("print(tickets[tickets.status == 'rejected'])"),
    run("print(tickets.status.value_counts())"),
    ask("summary_statistics", name="tickets", columns="hours"),
    ask("describe_object", name="tickets"),
    ask("get_value", expression="tickets.title.tolist()"),
    ask("get_value", expression="int((tickets.status == 'failed').sum())"),
    ask("get_value", expression="tickets.hours.isna().any().item()"),
    ask("get_value", expression="tickets.title.str.contains('segfault').any().item()"),
    ask("get_value", expression="{'error': None, 'failed': 0}"),
    ask("get_value", expression="None"),
    run("def parse(text):\n    try:\n        return int(text), None\n    except ValueError as problem:\n        return None, problem\nresult = parse('12 apples')\nprint(result)"),
    ask("describe_object", name="result"),
    ask("get_value", expression="str(result[1])"),
    run("repr(result[1])"),
    run("import traceback\ntry:\n    1 / 0\nexcept ZeroDivisionError:\n    message = traceback.format_exc()\nprint(message)"),
    ask("get_value", expression="message"),
    ask("get_value", expression="message.splitlines()[-1]"),
    run("print(ticket.head())"),
    run("import re\nlog = open('{home}/checkout.log').read()\nerrors = re.findall(r'ERROR .* - (.*)', log)\nprint(len(errors), 'errors')"),
    ask("get_value", expression="errors"),
    ask("get_value", expression="errors[-1]"),
    ask("get_value", expression="[e for e in errors if 'disk' in e]"),
    run("print([line for line in log.splitlines() if 'locked' in line][0])"),
    run("for line in log.splitlines():\n    if 'SocketTimeout' in line: print(line)"),
    run("assert all(tickets.id > 0)\nprint('valid')"),
    run("bad = tickets[tickets.hours.isna()]\nprint('INVALID:' if len(bad) else 'ok', len(bad), 'row(s) without hours')"),
    run("import re\nprint(bool(re.fullmatch(r'[^@]+@[^@]+', 'lena.example.net')))"),
    run("x = None"),
    run("print()"),
    run("import logging\nlogging.getLogger('import').error('row 3 rejected: hours missing')\nprint('4 rows kept')"),
    run("import sys\nprint('fatal: (sample line for the docs)', file=sys.stderr)"),
    run("import warnings\nwarnings.warn('hours filled with the mean')\ntickets['hours'] = tickets.hours.fillna(tickets.hours.mean())"),
    ask("save_data", name="tickets", path="{home}/out/tickets-clean.csv"),
    run("print(open('{home}/out/tickets-clean.csv').read())"),
    ask("load_data", path="{home}/tikets.csv"),
    run("class RetryError(Exception):\n    pass\nfailures = [RetryError('attempt %d timed out' % n) for n in (1, 2)]\nprint(failures)"),
    ask("get_value", expression="[str(f) for f in failures]"),
    ask("get_value", expression="isinstance(failures[0], ValueError)"),
    ask("get_value", expression="len(failures) == 0"),
    run("del failures"),
    ask("get_value", expression="'failures' in dir()"),
    run("import unittest\nclass T(unittest.TestCase):\n    def test_sum(self):\n        self.assertEqual(round(tickets.hours.sum(), 1), 18.0)\nr = unittest.TextTestRunner(stream=sys.stdout).run(unittest.defaultTestLoader.loadTestsFromTestCase(T))\nprint('failed:', len(r.failures))"),
    ask("list_names", {}),
    run("import json\njson.loads(open('{home}/flags.json').read())['debug']"),
    ask("reset_namespace", {}),
    ask("list_names", {}),
    ask("reset_namespace", restart_interpreter=True),
    run("print(2 ** 10)"),
], files={"tickets.csv": TICKETS, "checkout.log": APP_LOG, "flags.json": "{\"enabled\": false}\n"})
CALC = "def divide(a, b):\n    if b == 0:\n        raise ValueError('division by zero refused')\n    return a / b\n\n\ndef rate(text):\n    return float(text.strip('%')) / 100\n"
CALC_TEST = '''import pytest

from calc import divide, rate


def test_divide():
    assert divide(6, 3) == 2


def test_divide_by_zero_raises_error():
    with pytest.raises(ValueError, match="refused"):
        divide(1, 0)


@pytest.mark.parametrize("text, value", [("5%", 0.05), ("12.5%", 0.125)])
def test_rate(text, value):
    assert rate(text) == value


def test_rate_with_comma():
    assert rate("12,5%") == 0.125
'''
GOOD_TEST = "def test_failed_login_is_counted():\n    failures = [401, 401]\n    assert len(failures) == 2\n\n\ndef test_error_page():\n    assert 'Error 404'.split()[1] == '404'\n"
SKIP_TEST = "import pytest\n\n\n@pytest.mark.skip(reason='payment provider unavailable')\ndef test_pay():\n    pass\n\n\n@pytest.mark.xfail(reason='bug 812: timeout')\ndef test_known():\n    assert False\n"
BROKEN_TEST = "from calc import multiply\n\n\ndef test_multiply():\n    assert multiply(2, 3) == 6\n"
FIXTURE_TEST = "import pytest\n\n\n@pytest.fixture\ndef db():\n    raise ConnectionError('database unreachable')\n\n\ndef test_rows(db):\n    assert db\n"
SLOW_TEST = "import time\n\n\ndef test_slow():\n    time.sleep(30)\n"
PRINT_TEST = "def test_report(capsys):\n    print('ERROR: expected by the test')\n    assert 'ERROR' in capsys.readouterr().out\n"
def report(**tests):
    """What pytest-json-report writes of such tests: name to None, or to the message of the failure."""
    rows = [{"nodeid": f"tests/{name.replace('__', '.py::', 1)}", "outcome": "passed" if not message else "skipped" if message == "skip" else "failed",
             "call": {"outcome": "failed" if message else "passed"} | ({"longrepr": message, "crash": {
                 "path": f"/srv/tests/{name.split('__')[0]}.py", "lineno": 9, "message": message}} if message and message != "skip" else {})}
            for name, message in tests.items()]
    counts = {kind: sum(row["outcome"] == kind for row in rows) for kind in ("passed", "failed", "skipped")}
    return json.dumps({"exitcode": int(counts["failed"] > 0), "summary": {k: v for k, v in counts.items() if v} | {"total": len(rows)}, "tests": rows})
def jest(*titles, **bad):
    rows = [{"title": t, "fullName": t, "status": "passed", "failureMessages": []} for t in titles]
    rows += [{"title": t.replace("_", " "), "fullName": t.replace("_", " "), "status": "failed", "failureMessages": [m]} for t, m in bad.items()]
    return json.dumps({"numFailedTests": len(bad), "numPassedTests": len(titles), "numTotalTests": len(rows), "success": not bad, "testResults": [
        {"name": "/srv/shop.test.js", "status": "failed" if bad else "passed", "message": "", "assertionResults": rows}]})
PYTEST = "mkdir /tmp/bin && printf '#!/bin/sh\\nexec {base}/bin/python -m pytest \"$@\"\\n' > /tmp/bin/pytest && chmod +x /tmp/bin/pytest"
PLANS["test-runner"] = pypi("lovranran-mcp-test-runner", [
    ask("health", {}),
    ask("run_pytest", path="{home}/calc"),
    ask("run_pytest", path="{home}/calc", test_filter="zero"),
    ask("run_pytest", path="{home}/calc", test_filter="comma"),
    ask("run_single_test", path="{home}/calc", test_id="test_calc.py::test_rate_with_comma"),
    ask("run_single_test", path="{home}/calc", test_id="test_calc.py::test_divide"),
    ask("run_single_test", path="{home}/calc", test_id="test_calc.py::test_divide_by_zero_raises_error"),
    ask("run_single_test", path="{home}/calc", test_id="test_calc.py::test_percent"),
    ask("run_pytest", path="{home}/calc", test_filter="no_such_word"),
    ask("run_pytest", path="{home}/auth"),
    ask("run_pytest", path="{home}/auth", test_filter="page"),
    ask("run_pytest", path="{home}/pay"),
    ask("run_pytest", path="{home}/pay", test_filter="known"),
    ask("run_pytest", path="{home}/broken"),
    ask("run_pytest", path="{home}/fixture"),
    ask("run_pytest", path="{home}/report"),
    ask("run_pytest", path="{home}/report", test_filter="report"),
    ask("run_pytest", path="{home}/slow", timeout_seconds=2),
    ask("run_pytest", path="{home}/nothing"),
    ask("run_pytest", path="{home}/clac"),
    ask("get_coverage_summary", path="{home}/auth"),
    ask("get_coverage_summary", path="{home}/calc"),
    ask("parse_test_output", stdout=report(test_sum__test_total="assert 3 == 4", test_sum__test_zero=None, test_sum__test_negative=None)),
    ask("parse_test_output", stdout=report(test_login__test_wrong_password_refused=None, test_login__test_locked=None)),
    ask("parse_test_output", stdout=report(test_pay__test_charge=None, test_pay__test_refund="skip")),
    ask("parse_test_output", stdout=report(test_login__test_locked_account="AssertionError: 200 != 423", test_login__test_expired_token="TimeoutError", test_login__test_ok=None)),
    ask("parse_test_output", stdout=report()),
    ask("parse_test_output", stdout=report(test_io__test_missing_file_raises=None, test_io__test_permission_denied=None, test_io__test_timeout_error=None)),
    ask("parse_test_output", stdout=report(test_mail__test_bounce="smtplib.SMTPRecipientsRefused: {'x@example.net': (550, b'no such user')}")),
    ask("parse_test_output", framework="jest", stdout=jest("adds an item", "rejects an invalid quantity")),
    ask("parse_test_output", framework="jest", stdout=jest("charges", refuses_an_expired_card="Error: Expected 402, received 200")),
    ask("parse_test_output", framework="jest", stdout=json.dumps({"numFailedTests": 1, "numPassedTests": 1, "numTotalTests": 2, "success": False, "testResults": [{"name": "/srv/pay.test.js", "status": "failed", "message": "Expected 402, received 200", "assertionResults": [{"title": "refuses an expired card", "fullName": "pay refuses an expired card", "status": "failed", "failureMessages": ["Error: Expected 402, received 200"]}, {"title": "charges", "fullName": "pay charges", "status": "passed", "failureMessages": []}]}]})),
    ask("parse_test_output", framework="jest", stdout=json.dumps({"numFailedTests": 0, "numPassedTests": 0, "numTotalTests": 0, "success": True, "testResults": []})),
    ask("parse_test_output", framework="jest", stdout=jest("shows an error page", "hides a failed payment")),
    ask("parse_test_output", stdout=report(test_tax__test_rounding="assert 0.99 == 1.0", test_tax__test_invalid_rate_rejected=None, test_tax__test_abroad="skip")),
    ask("run_single_test", path="{home}/auth", test_id="test_auth.py::test_failed_login_is_counted"),
    ask("run_single_test", path="{home}/auth", test_id="test_auth.py::test_error_page"),
    ask("run_single_test", path="{home}/fixture", test_id="test_fixture.py::test_rows"),
    ask("run_single_test", path="{home}/pay", test_id="test_pay.py::test_pay"),
    ask("run_pytest", path="{home}/calc", test_filter="rate and not comma"),
    ask("run_pytest", path="{home}/calc", test_filter="divide", timeout_seconds=5),
    ask("run_pytest", path="{home}/auth", test_filter="login"),
    ask("run_pytest", path="{home}/auth", test_filter="error", cpu_seconds=5, memory_mb=512),
    ask("run_single_test", path="{home}/report", test_id="test_report.py::test_report"),
    ask("health", {}),
    ask("run_pytest", path="{home}/both"),
], script="mcp-test-runner", before=PYTEST, files={
    "calc/calc.py": CALC, "calc/test_calc.py": CALC_TEST, "auth/test_auth.py": GOOD_TEST, "pay/test_pay.py": SKIP_TEST,
    "broken/calc.py": CALC, "broken/test_broken.py": BROKEN_TEST, "fixture/test_fixture.py": FIXTURE_TEST, "slow/test_slow.py": SLOW_TEST,
    "report/test_report.py": PRINT_TEST, "nothing/readme.txt": "no tests yet\n", "both/test_auth.py": GOOD_TEST, "both/test_fix.py": FIXTURE_TEST},
    env={"PATH": "/tmp/bin:/usr/sbin:/usr/bin:/bin"})
LAST_CELL = "{last:cell_id\": ?\"([^\"]+)}"
def cell(source, kind="code", name="incident", **more):
    return ask("cell_add", name=name, source=source, cell_type=kind, **more)
def execute(name="incident", **more):
    return ask("cell_execute", name=name, cell_id=LAST_CELL, **more)
PLANS["jupyter"] = pypi("mcp-jupyter-server", [
    ask("set_notebook_directory", path="{home}/books"),
    ask("get_notebook_directory", {}),
    ask("notebook_list", {}),
    ask("notebook_create", name="incident"),
    cell("# Checkout failed on 24 November\n\nError budget, refused payments, timeouts.", "markdown"),
    cell("log = open('{home}/checkout.log').read()\nlen(log.splitlines())"),
    execute(),
    cell("import re\nerrors = re.findall(r'ERROR .* - (.*)', log)\nerrors"),
    execute(),
    cell("errors[0]"),
    execute(),
    cell("[e for e in errors if 'disk' in e]"),
    execute(),
    cell("print([l for l in log.splitlines() if 'SocketTimeout' in l][0])"),
    execute(),
    cell("try:\n    int('n/a')\nexcept ValueError as problem:\n    print('ValueError:', problem)"),
    execute(),
    cell("None"),
    execute(),
    cell("len(errors) == 0"),
    execute(),
    cell("import sys\nprint('warning: 2 lines without date', file=sys.stderr)\nprint('25 lines read')"),
    execute(),
    cell("error['count']"),
    execute(),
    ask("cell_update", name="incident", cell_id=LAST_CELL, source="{'error': len(errors), 'failed': 0}"),
    execute(),
    cell("import traceback\ntry:\n    {}['price']\nexcept KeyError:\n    print(traceback.format_exc())"),
    execute(),
    cell("ValueError('price missing')"),
    execute(),
    ask("kernel_status", name="incident"),
    ask("notebook_as_script", name="incident"),
    cell("scratch"),
    ask("cell_move", name="incident", cell_id=LAST_CELL, new_position=1),
    ask("cell_delete", name="incident", cell_id=LAST_CELL),
    ask("notebook_get", name="incident"),
    ask("notebook_list", {}),
    ask("notebook_get", name="incidents"),
    ask("notebook_get", name="report"),
    ask("notebook_execute_all", name="report"),
    ask("notebook_execute_all", name="broken"),
    ask("kernel_status", name="broken"),
    ask("notebook_execute_all", name="tests", stop_on_error=False),
    ask("kernel_restart", name="incident"),
    cell("'errors' in dir()"),
    execute(),
    cell("import time\ntime.sleep(20)"),
    execute(timeout=2),
    ask("kernel_interrupt", name="incident"),
    ask("kernel_status", name="incident"),
    ask("remote_status", {}),
    ask("notebook_delete", name="broken"),
    ask("notebook_list", {}),
    ask("notebook_as_script", name="report", include_markdown=False),
], script="jupyter-mcp", files={
    "checkout.log": APP_LOG,
    "books/report.ipynb": files.notebook(("markdown", "# Error report"), ("code", "failed = ['export', 'reindex']"), ("code", "print(len(failed), 'jobs failed:', *failed)")),
    "books/broken.ipynb": files.notebook(("code", "rows = [1, 2, 3]"), ("code", "rows[7]"), ("code", "print('never printed')")),
    "books/tests.ipynb": files.notebook(("code", "def check(token):\n    if token != 'ok':\n        raise ValueError('invalid token refused')\n    return True"),
                                        ("code", "try:\n    check('x')\nexcept ValueError as e:\n    print('passed:', e)"), ("code", "check('ok')")),
})
def sql(query, read_only=True):
    return ask("execute_query", query=query, read_only=read_only)
JOBS_DB = files.database("""
    create table jobs (id integer primary key, name text not null, status text check (status in ('ok', 'failed', 'cancelled', 'queued')), message text, runs integer default 0);
    insert into jobs values (1, 'backup', 'ok', null, 30), (2, 'export', 'failed', 'ERROR 1205: Lock wait timeout exceeded', 29),
      (3, 'reindex', 'failed', 'exit status 137', 4), (4, 'mailer', 'ok', '', 4320), (5, 'purge', 'cancelled', 'cancelled by ann', 2);
    create table tickets (id integer primary key, title text, state text, error text);
    insert into tickets values (1, 'Login fails with 401', 'open', 'Invalid token'), (2, 'Fix timeout in checkout', 'rejected', null),
      (3, 'Address not rejected', 'closed', null), (4, 'Export crashes: "file not found"', 'open', 'FileNotFoundError: prices.csv');
    create table audit (at text, who text, event text);
    insert into audit values ('2026-11-24 08:12:30', 'lena', 'access denied'), ('2026-11-24 08:12:31', 'lena', 'access denied'),
      ('2026-11-24 08:12:33', 'lena', 'account locked'), ('2026-11-24 09:00:00', 'ann', 'account unlocked');
""")
PLANS["pollisqlite"] = npm("@pollinations/mcp-server-sqlite", "dist/index.js", [
    ask("list_tables", {}),
    sql("select * from jobs"),
    sql("select name, message from jobs where status = 'failed'"),
    sql("select message from jobs where id = 2"),
    sql("select count(*) as failed from jobs where status = 'failed'"),
    sql("select status, count(*) as n from jobs group by status order by n desc"),
    sql("select * from jobs where status = 'queued'"),
    sql("select message from jobs where id = 1"),
    sql("update jobs set status = 'queued', message = null where id = 3", False),
    sql("select id, status from jobs where id = 3"),
    sql("insert into jobs (name, status, message) values ('import', 'failed', 'Error: ECONNREFUSED 127.0.0.1:5432')", False),
    sql("select last_insert_rowid() as id"),
    sql("select name from jobs where message like '%ECONNREFUSED%'"),
    sql("delete from jobs where status = 'cancelled'", False),
    sql("delete from jobs where status = 'cancelled'", False),
    sql("select title from tickets where state = 'open'"),
    sql("select error from tickets where id = 4"),
    sql("select title from tickets where title like '%segfault%'"),
    sql("select * from tickets where error is null"),
    sql("select * from ticket"),
    sql("update tickets set state = 'rejected' where id = 1", False),
    sql("select * from tickets where state = 'rejected'"),
    sql("select who, count(*) as denied from audit where event = 'access denied' group by who"),
    sql("select max(at) as last_locked from audit where event = 'account locked'"),
    sql("select exists(select 1 from audit where event = 'password reset') as found"),
    sql("select null as error"),
    sql("select 'invalid' as verdict where not exists (select 1 from jobs where status = 'ok' and runs = 0)"),
    sql("select * from pragma_integrity_check"),
    sql("select * from pragma_foreign_key_check"),
    sql("select name, type, \"notnull\" from pragma_table_info('jobs')"),
    sql("insert into jobs (name, status) values ('sync', 'broken')", False),
    sql("insert into audit values ('2026-11-24 10:00:00', 'ann', 'ticket 1 rejected')", False),
    ask("create_view", name="failed_jobs", query="select id, name, message from jobs where status = 'failed'", description="Jobs that failed and why"),
    sql("select * from failed_jobs"),
    sql("select name from failed_jobs where message like '%timeout%'"),
    ask("create_view", name="locked_accounts", query="select who, at from audit where event = 'account locked'"),
    sql("select * from locked_accounts"),
    sql("delete from audit where event = 'access denied'", False),
    sql("select count(*) as n from audit where event = 'access denied'"),
    sql("create table error_codes (code text primary key, meaning text, retry integer)", False),
    sql("insert into error_codes values ('E401', 'token invalid', 0), ('E409', 'conflict', 0), ('E503', 'service unavailable', 1)", False),
    sql("select meaning from error_codes where code = 'E503'"),
    sql("select code from error_codes where retry = 0"),
    sql("select meaning from error_codes where code = 'E999'"),
    ask("execute_query_with_url", query="select name, message from failed_jobs", description="Failed jobs"),
    sql("delete from error_codes", True),
    sql("select json_group_array(json_object('code', code, 'meaning', meaning)) as codes from error_codes"),
    sql("drop table error_codes", False),
    ask("list_tables", {}),
    sql("select max(runs) - min(runs) as difference from jobs"),
    ask("save_database", filepath="{home}/jobs-copy.db"),
    ask("save_database", {}),
], files={"jobs.db": JOBS_DB}, args=["{home}/jobs.db"])
PLAN_MD = """# Checkout plan

## Defects

| ID | Title | Source | Impact | Status |
|----|-------|--------|--------|--------|
| P0-1 | Fix login that fails with 401 | support | users locked out | ⏳ |
| P0-2 | Orders lost after timeout | incident 24 | lost orders | ✅ |
| P0-3 | Error 503 is not retried | gateway.jsonl | failed orders | ⏳ |
| P1-1 | Invalid address not rejected | review | returns | ⏳ |
| P1-2 | Crash in export when the file is empty | nightly.log | no report | ⏳ |
| P1-3 | Refuse expired cards | bank | refused payments | ✅ |
| P2-1 | Document error codes | docs | questions | ⏳ |
| P2-2 | Delete unused failure counters | metrics | none | ⏳ |
"""
OPS_MD = """# Operations

| ID | Title | Source | Impact | Status |
|----|-------|--------|--------|--------|
| P0-1 | Backup job failed twice, find out why | cron | no backup | ⏳ |
| P0-4 | Disk full warning on web2 | monitor | outage | ⏳ |
| P1-8 | Block 203.0.113.7 | auth log | failed logins | ✅ |
| P1-9 | Alert when replica lag exceeds 10 s | incident 24 | stale reads | ⏳ |
"""
PLANS["md-todo-hub"] = pypi("md-todo-hub", [
    ask("list_projects", {}),
    ask("get_overview", {}),
    ask("register_project", path="{home}/shop"),
    ask("register_project", path="{home}/ops", docs_dir="{home}/ops/docs"),
    ask("register_project", path="{home}/shpo"),
    ask("list_projects", {}),
    ask("index_projects", {}),
    ask("get_overview", {}),
    ask("get_next_actions", limit=3),
    ask("get_next_actions", project="ops", priority="P0"),
    ask("get_next_actions", project="ops", priority="P3"),
    ask("get_item", item_id="P0-3", project="shop"),
    ask("locate_item", item_id="P0-1"),
    ask("locate_item", item_id="P1-9"),
    ask("search_all", query="fails", mode="fts"),
    ask("search_all", query="timeout", mode="fts", limit=1),
    ask("search_all", query="segfault", mode="fts"),
    ask("search_all", mode="structured", status="pending", priority="P1"),
    ask("search_all", mode="structured", status="wontfix"),
    ask("search_all", query="invalid", mode="hybrid"),
    ask("update_status", item_id="P0-3", new_status="done", project="shop"),
    ask("update_status", item_id="P2-2", new_status="wontfix", project="shop"),
    ask("update_status", item_id="P0-1", new_status="done"),
    ask("update_status", item_id="P0-1", new_status="done", project="ops"),
    ask("get_recent_changes", {}),
    ask("get_recent_changes", limit=1, project="ops"),
    ask("get_status", project="shop"),
    ask("get_status", {}),
    ask("reconcile", project="shop"),
    ask("check_duplicate", project="shop"),
    ask("check_duplicate", project="ops"),
    ask("get_item", item_id="P0-9", project="shop"),
    ask("update_status", item_id="P1-2", new_status="done", project="shop"),
    ask("update_status", item_id="P1-2", new_status="pending", project="shop"),
    ask("get_item", item_id="P1-2", project="shop"),
    ask("search_all", query="error", mode="fts", project="shop"),
    ask("search_all", query="refuse expired", mode="fts"),
    ask("parse_todos", project="shop"),
    ask("sync_from_md", project="ops"),
    ask("reconcile", project="ops"),
    ask("reload", project="ops"),
    ask("reload", {}),
    ask("index_projects", project="shop", incremental=False),
    ask("get_next_actions", limit=2, project="shop"),
    ask("get_next_actions", limit=1, priority="P0"),
    ask("get_status", project="ops"),
    ask("get_version", {}),
    ask("unregister_project", name="ops"),
    ask("get_next_actions", project="ops"),
    ask("search_all", query="backup", mode="fts"),
    ask("list_projects", {}),
    ask("get_overview", {}),
], files={"shop/plan.md": PLAN_MD, "ops/docs/ops.md": OPS_MD})
