"""Which servers of npm ../record.py starts, how, and what it asks them."""

import json

from record_plans import ask, npm, plan

PLANS = {}

STANDIN = r'''
import json, re, sys, time, http.server, socketserver
port = int(sys.argv[1]); routes = json.load(open(sys.argv[2]))
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def answer(self):
        size = int(self.headers.get("content-length") or 0); self.rfile.read(size)
        for method, pattern, status, body, *more in routes:
            if method in (self.command, "*") and re.fullmatch(pattern, self.path):
                break
        else:
            status, body, more = 404, {"message": "Not Found"}, []
        more = more[0] if more else {}
        time.sleep(more.get("delay", 0))
        if more.get("drop"):
            self.connection.close(); self.close_connection = True; return
        data = (body if isinstance(body, str) else "" if body is None else json.dumps(body)).encode()
        self.send_response(status)
        self.send_header("Content-Type", more.get("type", "text/html" if isinstance(body, str) else "application/json"))
        for name, value in more.get("headers", {}).items(): self.send_header(name, value)
        self.send_header("Content-Length", str(len(data))); self.end_headers()
        if self.command != "HEAD": self.wfile.write(data)
    def log_message(self, *a): pass
for name in "GET HEAD POST PUT PATCH DELETE OPTIONS PROPFIND PROPPATCH REPORT MKCALENDAR MKCOL".split():
    setattr(Handler, "do_" + name, Handler.answer)
socketserver.ThreadingTCPServer.allow_reuse_address = True
socketserver.ThreadingTCPServer(("127.0.0.1", port), Handler).serve_forever()
'''


def standin(port, routes):
    return {"files": {"standin.py": STANDIN, "routes.json": json.dumps(routes)},
            "before": f"python3 standin.py {port} routes.json >/dev/null 2>&1 & sleep 1"}


CSV = "id,customer,status,amount\n1,Ada,paid,19.5\n2,Linus,failed,7.25\n3,Grace,failed,110\n4,Ada,paid,5\n"
PLANS["duckdb"] = npm("@seed-ship/duckdb-mcp-native", "dist/server/mcp-server.js", [
    ask("list_tables", {}),
    ask("load_csv", path="{home}/orders.csv", table_name="orders"),
    ask("query_duckdb", sql="select status, count(*) as n from orders group by status order by status"),
    ask("query_duckdb", sql="select * from orders where status = 'failed'"),
    ask("query_duckdb", sql="select * from orders where amount > 1000"),
    ask("query_duckdb", sql="select * from invoices"),
    ask("query_duckdb", sql="select colour from orders"),
    ask("query_duckdb", sql="selec * from orders"),
    ask("query_duckdb", sql="select cast('abc' as integer)"),
    ask("query_duckdb", sql="select 'Error: out of memory' as message"),
    ask("query_duckdb", sql="create table users (id integer primary key, email varchar unique not null, age integer check (age >= 0))"),
    ask("query_duckdb", sql="insert into users values (1, 'a@x.org', 30)"),
    ask("query_duckdb", sql="insert into users values (1, 'b@x.org', 30)"),
    ask("query_duckdb", sql="insert into users values (2, null, 30)"),
    ask("query_duckdb", sql="insert into users values (2, 'b@x.org', -4)"),
    ask("query_duckdb", sql=""),
    ask("query_duckdb", sql="select 1 / 0 as x"),
    ask("describe_table", table_name="orders"),
    ask("describe_table", table_name="nothing"),
    ask("load_csv", path="{home}/none.csv", table_name="t"),
    ask("load_parquet", path="{home}/orders.csv", table_name="t"),
    ask("load_parquet", path="{home}/broken.parquet", table_name="t"),
    ask("json_to_parquet", json_data=[{"a": 1}, {"a": 2}], output_path="{home}/out.parquet"),
    ask("profile_parquet", url="{home}/out.parquet"),
    ask("sample_parquet", url="{home}/out.parquet", method="first", n=1),
    ask("sample_parquet", url="{home}/broken.parquet"),
    ask("json_to_parquet", json_data=[], output_path="{home}/out2.parquet"),
    ask("json_to_parquet", output_path="{home}/out2.parquet"),
    ask("json_to_parquet", json_data=[{"a": 1}], output_path="/usr/out.parquet"),
    ask("query_duckdb", sql="select * from read_parquet('https://data.example.com/x.parquet')"),
    ask("query_duckdb", sql="install spatial"),
    ask("attach_mcp", url="stdio://python3?args=nothing.py", alias="bad"),
    ask("attach_mcp", url="http://127.0.0.1:9999/mcp", alias="web", transport="http"),
    ask("detach_mcp", alias="none"),
    ask("list_attached_servers", {}),
    ask("list_mcp_resources", server_alias="none"),
    ask("drop_virtual_table", table_name="vt"),
    ask("refresh_virtual_table", table_name="vt"),
    ask("list_virtual_tables", {}),
    ask("motherduck.status", {}),
    ask("ducklake.snapshots", catalogName="none", tableName="orders", action="list"),
    ask("graph.pagerank", node_table="nodes", edge_table="edges"),
    ask("query_duckdb", sql="create table nodes as select * from (values ('a'), ('b'), ('c')) t(id)"),
    ask("query_duckdb", sql="create table edges as select * from (values ('a', 'b', 1.0), ('b', 'c', 2.0)) t(source, target, weight)"),
    ask("graph.pagerank", node_table="nodes", edge_table="edges", node_id_column="id", source_column="source", target_column="target", weight_column="weight"),
    ask("graph.weighted_path", node_table="nodes", edge_table="edges", node_id_column="id", source_column="source", target_column="target", weight_column="weight", source_node="zz", target_node="c"),
    ask("graph.export", node_table="nodes", edge_table="edges", node_id_column="id", source_column="source", target_column="target", weight_column="weight", format="csv"),
    ask("query_duckdb", sql="drop table edges"),
    ask("query_duckdb", sql="drop table edges"),
    ask("export_table", table="orders"),
], files={"orders.csv": CSV, "broken.parquet": "PAR1 this is no parquet file at all"}, missing="the network: MotherDuck, extensions")


def line(n, session, kind, content, cwd="/data/demo/shop", **more):
    return json.dumps({"parentUuid": None, "isSidechain": False, "userType": "external", "cwd": cwd, "sessionId": session, "version": "1.0.60",
                       "type": kind, "message": {"role": kind, "content": content, **more}, "uuid": f"{session}-{n}",
                       "timestamp": f"2026-11-{20 + n % 9:02}T10:{n % 60:02}:00.000Z"}) + "\n"


S1, S2 = "11111111-aaaa-4bbb-8ccc-000000000001", "22222222-aaaa-4bbb-8ccc-000000000002"
TALK1 = line(1, S1, "user", "The login fails with 401 Unauthorized since the deploy, please fix src/auth.js") \
    + line(2, S1, "assistant", [{"type": "text", "text": "I will read src/auth.js to find why the login fails with 401."},
                                {"type": "tool_use", "id": "t1", "name": "Read", "input": {"file_path": "/data/demo/shop/src/auth.js"}}], model="m") \
    + line(3, S1, "user", [{"type": "tool_result", "tool_use_id": "t1", "content": "TypeError: Cannot read properties of undefined (reading 'token')"}]) \
    + line(4, S1, "assistant", [{"type": "text", "text": "Fixed: the error 'Cannot read properties of undefined (reading token)' came from a missing header. Solution: check req.headers.authorization before reading token."},
                                {"type": "tool_use", "id": "t2", "name": "Edit", "input": {"file_path": "/data/demo/shop/src/auth.js", "old_string": "a", "new_string": "b"}}], model="m") \
    + line(5, S1, "user", "Great, the tests pass now. Thank you.")
TALK2 = line(6, S2, "user", "How do I set up docker compose for postgres with a health check?") \
    + line(7, S2, "assistant", [{"type": "text", "text": "Use a healthcheck with pg_isready in docker-compose.yml. ECONNREFUSED 127.0.0.1:5432 means postgres is not up yet."},
                                {"type": "tool_use", "id": "t3", "name": "Write", "input": {"file_path": "/data/demo/shop/docker-compose.yml", "content": "x"}}], model="m") \
    + line(8, S2, "assistant", [{"type": "tool_use", "id": "t4", "name": "Bash", "input": {"command": "docker compose up -d"}}], model="m") \
    + line(9, S2, "user", [{"type": "tool_result", "tool_use_id": "t4", "is_error": True, "content": "bash: docker: command not found"}])
PLANS["historian"] = npm("claude-historian-mcp", "dist/index.js", [
    ask("list_recent_sessions", {}),
    ask("list_recent_sessions", limit=1),
    ask("list_recent_sessions", project="shop"),
    ask("list_recent_sessions", project="kitchen"),
    ask("search_conversations", query="login fails with 401"),
    ask("search_conversations", query="docker compose healthcheck", detail_level="detailed"),
    ask("search_conversations", query="kubernetes ingress"),
    ask("search_conversations", query=""),
    ask("search_conversations", {}),
    ask("search_conversations", query="login", timeframe="yesterday-ish"),
    ask("search_conversations", query="login", project="nowhere"),
    ask("search_conversations", query="login", limit=-3),
    ask("find_file_context", filepath="src/auth.js"),
    ask("find_file_context", filepath="docker-compose.yml", operation_type="create"),
    ask("find_file_context", filepath="src/none.rs"),
    ask("find_file_context", filepath=""),
    ask("find_file_context", {}),
    ask("find_similar_queries", query="how to set up docker compose"),
    ask("find_similar_queries", query="zebra stripes"),
    ask("find_similar_queries", {}),
    ask("get_error_solutions", error_pattern="Cannot read properties of undefined"),
    ask("get_error_solutions", error_pattern="ECONNREFUSED 127.0.0.1:5432"),
    ask("get_error_solutions", error_pattern="segmentation fault"),
    ask("get_error_solutions", error_pattern=7),
    ask("extract_compact_summary", session_id=S1),
    ask("extract_compact_summary", session_id=S1, focus="solutions"),
    ask("extract_compact_summary", session_id=S2, focus="files"),
    ask("extract_compact_summary", session_id=S2, focus="solutions"),
    ask("extract_compact_summary", session_id="99999999-0000"),
    ask("extract_compact_summary", session_id=""),
    ask("extract_compact_summary", {}),
    ask("find_tool_patterns", {}),
    ask("find_tool_patterns", tool_name="Edit"),
    ask("find_tool_patterns", tool_name="Teleport"),
    ask("search_plans", query="migration"),
    ask("search_plans", query="party"),
    ask("search_plans", {}),
    ask("delete_session", session_id=S1),
], files={f".claude/projects/-data-demo-shop/{S1}.jsonl": TALK1, f".claude/projects/-data-demo-shop/{S2}.jsonl": TALK2,
          ".claude/projects/-data-demo-torn/torn.jsonl": "{\"type\": \"user\", \"mess", ".claude/plans/migration.md":
          "# Migration of users\n\n## Steps\n1. Back up\n2. Run migration; if it failed, restore\n"}, missing="nothing")

DB = {"dashboard": {"uid": "shop", "title": "Shop errors", "tags": ["prod"], "version": 3, "schemaVersion": 39, "templating": {"list": []},
      "panels": [{"id": 1, "title": "Failed logins", "type": "timeseries", "targets": [{"refId": "A", "expr": "rate(login_failed_total[5m])", "datasource": {"uid": "prom"}}]}]},
      "meta": {"slug": "shop-errors", "folderUid": "f1"}}
def gerr(message, **more): return {"message": message, **more}
P = "/api/datasources/proxy/uid/prom/api/v1"
L = "/api/datasources/proxy/uid/loki/loki/api/v1"
GROUTES = [
    ["GET", r"/api/search\?.*query=nothing.*", 200, []],
    ["GET", r"/api/search\?.*query=slow.*", 504, "<html><head><title>504 Gateway Time-out</title></head></html>"],
    ["GET", r"/api/search.*", 200, [{"uid": "shop", "title": "Shop errors", "type": "dash-db", "tags": ["prod"], "url": "/d/shop/shop-errors"}]],
    ["GET", r"/api/dashboards/uid/shop", 200, DB],
    ["GET", r"/api/dashboards/uid/secret", 403, gerr("You'll need additional permissions to perform this action. Permissions needed: dashboards:read", accessErrorId="ACE1")],
    ["GET", r"/api/dashboards/uid/dbdown", 500, gerr("Dashboard not found, database is locked")],
    ["GET", r"/api/dashboards/uid/crash", 500, gerr("An unexpected error happened")],
    ["GET", r"/api/dashboards/uid/drop", 200, {}, {"drop": True}],
    ["GET", r"/api/dashboards/uid/.*", 404, gerr("Dashboard not found")],
    ["POST", r"/api/dashboards/db", 412, gerr("The dashboard has been changed by someone else", status="version-mismatch")],
    ["GET", r"/api/datasources", 200, [{"id": 1, "uid": "prom", "name": "Prometheus", "type": "prometheus", "url": "http://prom:9090"},
                                       {"id": 2, "uid": "loki", "name": "Loki", "type": "loki", "url": "http://loki:3100"}]],
    ["GET", r"/api/datasources/uid/prom", 200, {"id": 1, "uid": "prom", "name": "Prometheus", "type": "prometheus"}],
    ["GET", r"/api/datasources/uid/.*", 404, gerr("Data source not found")],
    ["GET", r"/api/datasources/name/.*", 404, gerr("Data source not found")],
    ["GET", P + r"/query\?query=up.*", 200, {"status": "success", "data": {"resultType": "vector", "result": [{"metric": {"job": "shop"}, "value": [1796082624, "0"]}]}}],
    ["GET", P + r"/query\?query=none.*", 200, {"status": "success", "data": {"resultType": "vector", "result": []}}],
    ["GET", P + r"/query\?query=sum.*", 400, {"status": "error", "errorType": "bad_data", "error": "1:5: parse error: unclosed left parenthesis"}],
    ["GET", P + r"/query\?query=heavy.*", 503, {"status": "error", "errorType": "timeout", "error": "query timed out in expression evaluation"}],
    ["GET", P + r"/query\?query=odd.*", 200, {"status": "error", "errorType": "execution", "error": "expanding series: context deadline exceeded"}],
    ["GET", P + r"/query_range.*", 422, gerr("exceeded maximum resolution of 11,000 points per timeseries")],
    ["GET", P + r"/labels.*", 200, {"status": "success", "data": ["__name__", "error_code", "job"]}],
    ["GET", P + r"/label/job/values.*", 200, {"status": "success", "data": ["shop", "failed-jobs"]}],
    ["GET", P + r"/label/__name__/values.*", 200, {"status": "success", "data": ["login_failed_total", "up"]}],
    ["GET", P + r"/metadata.*", 502, gerr("Bad Gateway: dial tcp 10.0.0.7:9090: connect: connection refused")],
    ["GET", r"/api/datasources/proxy/uid/gone/.*", 404, gerr("data source not found")],
    ["GET", L + r"/query_range\?.*error.*", 200, {"status": "success", "data": {"resultType": "streams", "result": [
        {"stream": {"app": "shop"}, "values": [["1796082624000000000", "ERROR connection refused to db-2"], ["1796082625000000000", "level=error msg=\"panic: runtime error\""]]}]}}],
    ["GET", L + r"/query_range\?.*quiet.*", 200, {"status": "success", "data": {"resultType": "streams", "result": []}}],
    ["GET", L + r"/query_range\?.*", 400, gerr("parse error at line 1, col 2: syntax error: unexpected IDENTIFIER")],
    ["GET", L + r"/labels.*", 200, {"status": "success", "data": ["app", "level"]}],
    ["GET", L + r"/index/stats.*", 429, gerr("too many outstanding requests")],
    ["GET", r"/api/v1/provisioning/alert-rules/r1", 200, {"uid": "r1", "title": "Login failures high", "condition": "C", "for": "5m", "execErrState": "Error", "noDataState": "NoData"}],
    ["GET", r"/api/v1/provisioning/alert-rules/.+", 404, gerr("alert rule not found")],
    ["GET", r"/api/v1/provisioning/alert-rules.*", 200, [{"uid": "r1", "title": "Login failures high", "labels": {"severity": "critical"}}]],
    ["GET", r"/api/v1/provisioning/contact-points.*", 401, gerr("Invalid API key")],
    ["GET", r"/api/teams/search.*", 200, {"totalCount": 0, "teams": []}],
    ["GET", r"/api/org/users.*", 403, gerr("Permission denied")],
    ["GET", r".*IncidentService.GetIncident.*", 404, gerr("incident not found")],
    ["*", r".*IncidentService.*", 500, "internal error", {"type": "text/plain"}],
]
T0, T1 = "2026-11-30T00:00:00Z", "2026-11-30T01:00:00Z"
PLANS["grafana"] = npm("@leval/mcp-grafana", "dist/cli.js", [
    ask("search_dashboards", query="errors"),
    ask("search_dashboards", query="nothing"),
    ask("search_dashboards", query="slow"),
    ask("get_dashboard_by_uid", uid="shop"),
    ask("get_dashboard_by_uid", uid="gone"),
    ask("get_dashboard_by_uid", uid="secret"),
    ask("get_dashboard_by_uid", uid="crash"),
    ask("get_dashboard_by_uid", uid="drop"),
    ask("get_dashboard_summary", uid="shop"),
    ask("get_dashboard_summary", uid="gone"),
    ask("get_dashboard_panel_queries", uid="shop"),
    ask("get_dashboard_property", uid="shop", jsonPath="$.panels[0].title"),
    ask("get_dashboard_property", uid="shop", jsonPath="$.nothing"),
    ask("get_dashboard_property", uid="shop", jsonPath="$..[?("),
    ask("update_dashboard", {}),
    ask("update_dashboard", dashboard={"uid": "shop", "title": "Shop", "version": 1}, message="rename"),
    ask("list_datasources", {}),
    ask("list_datasources", type="tempo"),
    ask("get_datasource_by_uid", uid="prom"),
    ask("get_datasource_by_uid", uid="gone"),
    ask("get_datasource_by_name", name="Tempo"),
    ask("query_prometheus", datasourceUid="prom", expr="up", queryType="instant", startTime=T0),
    ask("query_prometheus", datasourceUid="prom", expr="none", queryType="instant", startTime=T0),
    ask("query_prometheus", datasourceUid="prom", expr="sum(", queryType="instant", startTime=T0),
    ask("query_prometheus", datasourceUid="prom", expr="heavy", queryType="instant", startTime=T0),
    ask("query_prometheus", datasourceUid="prom", expr="odd", queryType="instant", startTime=T0),
    ask("query_prometheus", datasourceUid="prom", expr="up", queryType="range", startTime=T0, endTime=T1, stepSeconds=1),
    ask("query_prometheus", datasourceUid="prom", expr="up", queryType="range", startTime=T0),
    ask("query_prometheus", datasourceUid="gone", expr="up", queryType="instant", startTime=T0),
    ask("list_prometheus_label_names", datasourceUid="prom"),
    ask("list_prometheus_label_values", datasourceUid="prom", labelName="job"),
    ask("list_prometheus_metric_names", datasourceUid="prom", regex="failed"),
    ask("list_prometheus_metric_names", datasourceUid="prom", regex="(("),
    ask("list_prometheus_metric_metadata", datasourceUid="prom"),
    ask("query_loki_logs", datasourceUid="loki", logql="{app=\"shop\"} |= \"error\"", startRfc3339=T0, endRfc3339=T1),
    ask("query_loki_logs", datasourceUid="loki", logql="{app=\"quiet\"}", startRfc3339=T0, endRfc3339=T1),
    ask("query_loki_logs", datasourceUid="loki", logql="app shop", startRfc3339=T0, endRfc3339=T1),
    ask("list_loki_label_names", datasourceUid="loki"),
    ask("query_loki_stats", datasourceUid="loki", logql="{app=\"shop\"}"),
    ask("list_alert_rules", {}),
    ask("get_alert_rule_by_uid", uid="r1"),
    ask("get_alert_rule_by_uid", uid="r9"),
    ask("list_contact_points", {}),
    ask("list_teams", query="ops"),
    ask("list_users_by_org", {}),
    ask("get_incident", id="77"),
    ask("create_incident", title="Login fails", severity="critical", roomPrefix="inc"),
    ask("generate_deeplink", resourceType="dashboard", dashboardUid="shop"),
    ask("generate_deeplink", resourceType="panel", dashboardUid="shop"),
    ask("generate_deeplink", resourceType="explore"),
], env={"GRAFANA_URL": "http://127.0.0.1:3000", "GRAFANA_SERVICE_ACCOUNT_TOKEN": "glsa-demo"}, missing="Grafana (a stand-in answers)", **standin(3000, GROUTES))

def pg(code, message, details=None, hint=None): return {"code": code, "details": details, "hint": hint, "message": message}
R = [{"id": 1, "title": "Login fails with 401", "status": "open"}, {"id": 2, "title": "Import failed", "status": "failed"}]
PROUTES = [
    ["GET", r"/tickets\?id=eq\.99.*", 200, []],
    ["GET", r"/tickets\?id=eq\.1.*", 200, R[:1]],
    ["GET", r"/tickets\?status=eq\.failed.*", 200, R[1:]],
    ["GET", r"/tickets\?colour.*", 400, pg("42703", "column tickets.colour does not exist")],
    ["GET", r"/tickets\?id=eq\.abc", 400, pg("22P02", "invalid input syntax for type integer: \"abc\"")],
    ["GET", r"/tickets\?id=foo\.1", 400, pg("PGRST100", "\"failed to parse filter (foo.1)\" (line 1, column 1)", "unexpected \"f\" expecting \"not\" or operator (eq, gt, ...)")],
    ["GET", r"/tickets\?select=\*,authors.*", 400, pg("PGRST200", "Could not find a relationship between 'tickets' and 'authors' in the schema cache", "Searched for a foreign key relationship", "Perhaps you meant 'users' instead of 'authors'.")],
    ["GET", r"/tickets(\?.*)?", 200, R],
    ["POST", r"/tickets\?dup", 409, pg("23505", "duplicate key value violates unique constraint \"tickets_pkey\"", "Key (id)=(1) already exists.")],
    ["POST", r"/tickets\?null", 400, pg("23502", "null value in column \"title\" of relation \"tickets\" violates not-null constraint", "Failing row contains (3, null, open).")],
    ["POST", r"/tickets\?fk", 409, pg("23503", "insert or update on table \"tickets\" violates foreign key constraint \"tickets_user_fkey\"", "Key (user)=(77) is not present in table \"users\".")],
    ["POST", r"/tickets\?check", 400, pg("23514", "new row for relation \"tickets\" violates check constraint \"status_ok\"")],
    ["POST", r"/tickets", 201, [{"id": 3, "title": "Printer error", "status": "open"}]],
    ["PATCH", r"/tickets\?id=eq\.1", 200, [{"id": 1, "title": "Login fails with 401", "status": "closed"}]],
    ["PATCH", r"/tickets", 400, pg("21000", "UPDATE requires a WHERE clause")],
    ["DELETE", r"/tickets\?id=eq\.2", 200, R[1:]], ["DELETE", r"/tickets\?id=eq\.88", 200, []],
    ["*", r"/salaries.*", 401, pg("42501", "permission denied for table salaries")],
    ["POST", r"/notes", 403, pg("42501", "new row violates row-level security policy for table \"notes\"")],
    ["GET", r"/big.*", 500, pg("57014", "canceling statement due to statement timeout")],
    ["GET", r"/down.*", 503, pg("PGRST000", "Could not connect with the database", "connection to server at \"127.0.0.1\", port 5432 failed: Connection refused", None)],
    ["GET", r"/cache.*", 503, pg("PGRST002", "Could not query the database for the schema cache. Retrying.")],
    ["GET", r"/pool.*", 504, pg("PGRST003", "Timed out acquiring connection from connection pool.")],
    ["GET", r"/jwt.*", 401, pg("PGRST301", "JWT expired")],
    ["GET", r"/html.*", 502, "<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>"],
    ["GET", r"/drop.*", 200, {}, {"drop": True}],
    ["GET", r"/limit.*", 429, {"message": "API rate limit exceeded"}],
    ["POST", r"/rpc/close_month", 400, pg("P0001", "month 2026-10 is already closed")],
    ["POST", r"/rpc/total", 200, 42],
    ["POST", r"/rpc/.*", 404, pg("PGRST202", "Could not find the function public.open_month without parameters in the schema cache", None, "Perhaps you meant to call the function public.close_month")],
    ["*", r"/.*", 404, pg("PGRST205", "Could not find the table 'public.invoices' in the schema cache", None, "Perhaps you meant the table 'public.tickets'")],
]
def q(method, path, body=None):
    return ask("postgrestRequest", method=method, path=path, **({} if body is None else {"body": body}))
PLANS["postgrest"] = plan("npm", "@supabase/mcp-server-postgrest", ["node", "{base}/@supabase/mcp-server-postgrest/dist/stdio.js"], [
    q("GET", "/tickets"), q("GET", "/tickets?id=eq.1"), q("GET", "/tickets?id=eq.99"), q("GET", "/tickets?status=eq.failed"),
    q("GET", "/tickets?colour=eq.red"), q("GET", "/tickets?id=eq.abc"), q("GET", "/tickets?id=foo.1"), q("GET", "/tickets?select=*,authors(name)"),
    q("POST", "/tickets", {"title": "Printer error"}), q("POST", "/tickets?dup", {"id": 1}), q("POST", "/tickets?null", {"id": 3}),
    q("POST", "/tickets?fk", {"user": 77}), q("POST", "/tickets?check", {"status": "odd"}),
    q("PATCH", "/tickets?id=eq.1", {"status": "closed"}), q("PATCH", "/tickets", {"status": "closed"}),
    q("DELETE", "/tickets?id=eq.2"), q("DELETE", "/tickets?id=eq.88"),
    q("GET", "/salaries"), q("POST", "/notes", {"text": "x"}), q("GET", "/big"), q("GET", "/down"), q("GET", "/cache"), q("GET", "/pool"),
    q("GET", "/jwt"), q("GET", "/html"), q("GET", "/drop"), q("GET", "/limit"), q("POST", "/rpc/close_month", {"month": "2026-10"}),
    q("POST", "/rpc/total", {}), q("POST", "/rpc/open_month", {}), q("GET", "/invoices"), q("HEAD", "/tickets"), ask("postgrestRequest", method="GET"),
    ask("sqlToRest", sql="select id, title from tickets where status = 'failed' order by id limit 5"),
    ask("sqlToRest", sql="select * from tickets"),
    ask("sqlToRest", sql="select title, count(*) from tickets group by title"),
    ask("sqlToRest", sql="delete from tickets where id = 1"),
    ask("sqlToRest", sql="select * from"),
    ask("sqlToRest", sql="select * from tickets union select * from notes"),
    ask("sqlToRest", sql=""),
    ask("dropTable", name="tickets"),
], args=["--apiUrl", "http://127.0.0.1:3000", "--schema", "public", "--apiKey", "anon"], missing="PostgREST (a stand-in answers)", **standin(3000, PROUTES))

import record_files as files
D = "{home}/reqs"
PLANS["gherk"] = npm("@gherk/requirements-extractor", "dist/index.js", [
    ask("list_jobs", {}),
    ask("parse_pdf", pdfPath="{home}/spec.pdf"),
    ask("parse_pdf", pdfPath="{home}/spec.pdf", pagesPerChunk=1, chunkIndex=1),
    ask("parse_pdf", pdfPath="{home}/spec.pdf", pagesPerChunk=1, chunkIndex=9),
    ask("parse_pdf", pdfPath="{home}/none.pdf"),
    ask("parse_pdf", pdfPath="{home}/broken.pdf"),
    ask("parse_pdf", pdfPath="{home}/notes.txt"),
    ask("parse_pdf", pdfPath="{home}"),
    ask("parse_pdf", {}),
    ask("scan_implicit_requirements", text="The system should respond quickly. Users must be able to reset their password. Errors shall be logged.", language="en"),
    ask("scan_implicit_requirements", text="Lunch was nice.", language="en"),
    ask("scan_implicit_requirements", text=""),
    ask("scan_implicit_requirements", text="El sistema debe responder en menos de dos segundos.", language="es"),
    ask("write_requirement", outputDir=D, category="backend", filename="REQ-001-login.md", content="# REQ-001 Login fails with 401\n\nAfter 3 failed logins the account is locked.\n"),
    ask("write_requirement", outputDir=D, category="frontend", filename="REQ-002-error-page.md", content="# REQ-002 Error page\n\nShow 'Error 500'.\n"),
    ask("write_requirement", outputDir=D, category="kitchen", filename="x.md", content="x"),
    ask("write_requirement", outputDir=D, category="backend", filename="../../escape.md", content="x"),
    ask("write_requirement", outputDir="/usr/reqs", category="backend", filename="x.md", content="x"),
    ask("write_requirement", outputDir="{home}/notes.txt", category="backend", filename="x.md", content="x"),
    ask("write_requirement", outputDir=D, category="backend", filename="", content="x"),
    ask("list_requirements", requirementsDir=D),
    ask("list_requirements", requirementsDir="{home}/none"),
    ask("list_requirements", requirementsDir="{home}/empty"),
    ask("get_requirement", requirementsDir=D, requirementId="REQ-001"),
    ask("get_requirement", requirementsDir=D, requirementId="REQ-002"),
    ask("get_requirement", requirementsDir=D, requirementId="REQ-099"),
    ask("get_requirement", requirementsDir="{home}/none", requirementId="REQ-001"),
    ask("get_requirement", requirementsDir=D, requirementId=""),
    ask("write_summary", outputDir=D, readmeContent="# Index\n\n2 requirements, 0 failed\n"),
    ask("write_summary", outputDir="/usr/reqs", readmeContent="x"),
    ask("get_extraction_progress", jobId="job-404"),
    ask("extract_requirements", pdfPath="{home}/none.pdf", outputDir=D),
    ask("extract_requirements", pdfPath="{home}/spec.pdf", outputDir="{home}/o2", provider="ollama", ollamaUrl="http://127.0.0.1:11434"),
    ask("list_jobs", {}),
    ask("extract_requirements", pdfPath="{home}/spec.pdf", outputDir="{home}/o3", provider="openai"),
    ask("scrape_documentation", urls=["http://127.0.0.1:8000/doc.html"]),
    ask("scrape_documentation", urls=["http://127.0.0.1:8000/none.html"]),
    ask("scrape_documentation", urls=["http://docs.example.com/"]),
    ask("scrape_documentation", urls=["not a url"]),
    ask("scrape_documentation", urls=[]),
    ask("list_jobs", {}),
    ask("delete_requirement", requirementId="REQ-001"),
], missing="Ollama, OpenAI, the internet", before="mkdir -p empty; python3 standin.py 8000 routes.json >/dev/null 2>&1 & sleep 1", files={
    "spec.pdf": files.pdf("The system must lock the account after three failed logins.", "Errors should be logged."), "broken.pdf": b"%PDF-1.4\nbroken",
    "notes.txt": "milk\n", "standin.py": STANDIN, "routes.json": json.dumps([["GET", "/doc.html", 200, "<html><body><h1>Errors</h1><p>Error 401 means unauthorized.</p></body></html>"]])})
