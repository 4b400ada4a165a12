"""Which other servers ../record.py starts, how, and what it asks them."""

import base64
import json

import record_files as files
from record_plans import ask, npm, plan, pypi

PLANS = {}

# A stand-in for a service: answers by the first route [method, pattern, status, body, seconds to wait, content type] that fits.
STAND_IN = """import http.server, json, pathlib, re, sys, time
port, routes = int(sys.argv[1]), json.loads((pathlib.Path(__file__).parent / 'routes.json').read_text())
class StandIn(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'
    def answer(self):
        size = int(self.headers.get('Content-Length') or 0)
        data = self.rfile.read(size).decode('utf-8', 'replace')
        for method, pattern, status, body, wait, kind in routes:
            if method in (self.command, '*') and re.search(pattern, self.path + ' ' + data):
                break
        else:
            status, body, wait, kind = 404, {'message': '404 page not found'}, 0, 'application/json'
        time.sleep(wait)
        if status == 0:
            self.close_connection = True
            self.connection.close()
            return
        text = (body if isinstance(body, str) else json.dumps(body, ensure_ascii=False)).encode()
        self.send_response(status)
        if status != 204:
            self.send_header('Content-Type', kind)
            self.send_header('Content-Length', str(len(text)))
        self.end_headers()
        if status != 204 and self.command != 'HEAD':
            self.wfile.write(text)
    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = answer
    def log_message(self, *_):
        pass
http.server.ThreadingHTTPServer(('127.0.0.1', port), StandIn).serve_forever()
"""


def route(method, pattern, status=200, body="", wait=0, kind="application/json"):
    return [method, pattern, status, body, wait, kind]


def stand_in(port, routes):
    """The files and the command that start the stand-in before the server."""
    return {"before": f"python3 stand_in.py {port} >/dev/null 2>&1 & sleep 1",
            "files": {"stand_in.py": STAND_IN, "routes.json": json.dumps(routes, ensure_ascii=False)}}


FABRIC = "{base}/@microsoft/fabric-mcp-linux-x64/dist/fabmcp"
ITEM = {"workspace": "Sales", "item": "shop.Lakehouse"}
PLANS["fabric"] = plan("npm", "@microsoft/fabric-mcp-linux-x64", [FABRIC, "server", "start", "--mode", "all"], [
    ask("docs_workloads", {}),
    ask("docs_best-practices", topic="pagination"),
    ask("docs_best-practices", topic="long-running-operation"),
    ask("docs_best-practices", topic="throttling"),
    ask("docs_best-practices", topic="zzz"),
    ask("docs_best-practices", topic=""),
    ask("docs_best-practices", {}),
    ask("docs_item-definitions", {"workload-type": "dashboard"}),
    ask("docs_item-definitions", {"workload-type": "eventhouse"}),
    ask("docs_item-definitions", {"workload-type": "reflex"}),
    ask("docs_item-definitions", {"workload-type": "spreadsheet"}),
    ask("docs_item-definitions", {"workload-type": "admin"}),
    ask("docs_workload-api-spec", {"workload-type": "dashboard"}),
    ask("docs_workload-api-spec", {"workload-type": "datamart"}),
    ask("docs_workload-api-spec", {"workload-type": "common"}),
    ask("docs_workload-api-spec", {"workload-type": "eventhose"}),
    ask("docs_workload-api-spec", {"workload-type": "../admin"}),
    ask("docs_workload-api-spec", {}),
    ask("docs_api-examples", {"workload-type": "datamart"}),
    ask("docs_api-examples", {"workload-type": "dashboard"}),
    ask("docs_api-examples", {"workload-type": "nope"}),
    ask("docs_api-examples", {"workload-type": 7}),
    ask("docs_workloads", {"tenant": "contoso", "retry-mode": "Sometimes"}),
    ask("docs_workloads", {"retry-delay": "soon"}),
    ask("docs_workloads", {"tenant": "contoso.example"}),
    ask("docs_workloads", {"retry-max-retries": -3}),
    ask("onelake_list_workspaces", {}),
    ask("onelake_list_workspaces", {"auth-method": "Key"}),
    ask("onelake_list_items", {}),
    ask("onelake_list_items", {"workspace": "Sales"}),
    ask("onelake_list_files", ITEM | {"path": "Files"}),
    ask("onelake_list_files", {"workspace": "Sales"}),
    ask("onelake_list_tables", ITEM),
    ask("onelake_list_tables", ITEM | {"namespace": "dbo"}),
    ask("onelake_get_table", ITEM | {"namespace": "dbo", "table": "orders"}),
    ask("onelake_get_table", ITEM | {"namespace": "dbo"}),
    ask("onelake_download_file", ITEM | {"file-path": "Files/report.csv"}),
    ask("onelake_download_file", ITEM | {"file-path": ""}),
    ask("onelake_upload_file", ITEM | {"file-path": "Files/a.csv", "content": "a,b\n"}),
    ask("onelake_upload_file", ITEM | {"file-path": "Files/a.csv"}),
    ask("onelake_delete_file", ITEM | {"file-path": "Files/a.csv"}),
    ask("onelake_create_directory", ITEM | {"directory-path": "Files/new"}),
    ask("core_create-item", {"workspace-id": "b1e0", "display-name": "Lake", "item-type": "Lakehouse"}),
    ask("core_create-item", {"display-name": "Lake", "item-type": "Lakehouse"}),
    ask("core_delete-item", {"workspace-id": "b1e0"}),
], env={"AZURE_MCP_COLLECT_TELEMETRY": "false"}, missing="the network and an Azure account")

PRIOR = {"mu": 100, "sigma": 10}
UNI = {"family": "uniform", "params": {"low": 0, "high": 100}}
PEOPLE = [{"id": "ann", "preferences": ["x", "y"]}, {"id": "bob", "preferences": ["x", "y"]}]
JOBS = [{"id": "x", "preferences": ["bob", "ann"]}, {"id": "y", "preferences": ["ann", "bob"]}]
PLANS["gametheory"] = pypi("gametheory-mcp", [
    ask("gt_negotiation_sell_next_offer", my_reservation=0.5, opponent_offer_history=[0.3, 0.4], my_offer_history=[1, 0.9], deadline_rounds=5),
    ask("gt_negotiation_sell_next_offer", my_reservation=0.5, opponent_offer_history=[], my_offer_history=[], deadline_rounds=5),
    ask("gt_negotiation_sell_next_offer", my_reservation=0.5, opponent_offer_history=[0.3], my_offer_history=[1], deadline_rounds=5, pareto_knob=1.7),
    ask("gt_negotiation_sell_next_offer", my_reservation=-5, opponent_offer_history=[30], my_offer_history=[100], deadline_rounds=5),
    ask("gt_negotiation_sell_next_offer", my_reservation=0.5, opponent_offer_history=[0.3], my_offer_history=[1], deadline_rounds=0),
    ask("gt_negotiation_sell_next_offer", my_reservation=50, opponent_offer_history=["thirty"], my_offer_history=[100], deadline_rounds=3),
    ask("gt_negotiation_buy_next_offer", my_reservation=0.8, seller_offer_history=[0.95, 0.9], my_offer_history=[0.5, 0.6], deadline_rounds=4),
    ask("gt_negotiation_buy_next_offer", my_reservation=0.8, seller_offer_history=[0.99], my_offer_history=[0.4], deadline_rounds=4, defenses=["anchor_attack_detection"], market_prior={"mu": 0.5, "sigma": 0.1}),
    ask("gt_negotiation_buy_next_offer", my_reservation=0.8, seller_offer_history=[0.99], my_offer_history=[0.4], deadline_rounds=4, defenses=["anchor_attack_detection"]),
    ask("gt_negotiation_buy_next_offer", my_reservation=0.8, seller_offer_history=[0.99], my_offer_history=[0.4], deadline_rounds=4, defenses=["shouting"]),
    ask("gt_negotiation_detect_anchor_attack", opponent_offer_history=[300], market_prior=PRIOR),
    ask("gt_negotiation_detect_anchor_attack", opponent_offer_history=[101], market_prior=PRIOR),
    ask("gt_negotiation_detect_anchor_attack", opponent_offer_history=[], market_prior=PRIOR),
    ask("gt_negotiation_detect_anchor_attack", opponent_offer_history=[300], market_prior={"mu": 100, "sigma": 0}),
    ask("gt_negotiation_detect_anchor_attack", opponent_offer_history=[300], market_prior={"mean": 100}),
    ask("gt_auction_optimal_bid", auction_format="first_price", my_valuation=80, n_competing_bidders=3, competitor_value_prior=UNI),
    ask("gt_auction_optimal_bid", auction_format="second_price_vickrey", my_valuation=80, n_competing_bidders=3, competitor_value_prior=UNI),
    ask("gt_auction_optimal_bid", auction_format="first_price", my_valuation=20, n_competing_bidders=3, competitor_value_prior=UNI, reserve_price=50),
    ask("gt_auction_optimal_bid", auction_format="dutch", my_valuation=80, n_competing_bidders=3, competitor_value_prior=UNI),
    ask("gt_auction_optimal_bid", auction_format="first_price", my_valuation=80, n_competing_bidders=-1, competitor_value_prior=UNI),
    ask("gt_auction_optimal_bid", auction_format="first_price", my_valuation=80, n_competing_bidders=3, competitor_value_prior={"family": "cauchy"}),
    ask("gt_auction_optimal_bid", auction_format="first_price", my_valuation=80, n_competing_bidders=3, competitor_value_prior={"family": "uniform", "params": {"low": 90, "high": 10}}),
    ask("gt_auction_optimal_reserve", bidder_value_prior=UNI, n_bidders=3, seller_valuation=0),
    ask("gt_auction_optimal_reserve", bidder_value_prior={}, n_bidders=3, seller_valuation=0),
    ask("gt_auction_optimal_reserve", bidder_value_prior=UNI, n_bidders=0, seller_valuation=0),
    ask("gt_auction_optimal_reserve", bidder_value_prior={"family": "lognorm", "params": {"mu": 3, "sigma": 0.5}}, n_bidders=2, seller_valuation=5),
    ask("gt_auction_format_recommendation", bidder_value_prior=UNI, n_bidders=3, seller_valuation=0),
    ask("gt_auction_format_recommendation", bidder_value_prior=UNI, n_bidders=3, seller_valuation=0, weights={"speed": "high"}),
    ask("gt_auction_simulate", auction_format="first_price", bidder_priors=[UNI, UNI], reserve_price=50, n_simulations=500, seed=1),
    ask("gt_auction_simulate", auction_format="second_price_vickrey", bidder_priors=[], reserve_price=50, n_simulations=500),
    ask("gt_auction_simulate", auction_format="first_price", bidder_priors=[UNI, UNI], reserve_price=500, n_simulations=500, seed=1),
    ask("gt_auction_simulate", auction_format="first_price", bidder_priors=[UNI], reserve_price=0, n_simulations=-10),
    ask("gt_auction_simulate", auction_format="first_price", bidder_priors=[UNI], reserve_price=0, n_simulations=100000000000),
    ask("gt_mechanism_gale_shapley", proposers=PEOPLE, receivers=JOBS),
    ask("gt_mechanism_gale_shapley", proposers=PEOPLE, receivers=JOBS[:1]),
    ask("gt_mechanism_gale_shapley", proposers=[{"id": "ann", "preferences": ["moon"]}], receivers=JOBS),
    ask("gt_mechanism_gale_shapley", proposers=[{"name": "ann"}], receivers=JOBS),
    ask("gt_mechanism_gale_shapley", proposers=PEOPLE + PEOPLE, receivers=JOBS),
    ask("gt_mechanism_gale_shapley", proposers=[], receivers=[]),
    ask("gt_mechanism_optimal_auction_design", bidder_priors=[UNI, {"family": "uniform", "params": {"low": 0, "high": 50}}], seller_valuation=0, n_simulations=300),
    ask("gt_mechanism_optimal_auction_design", bidder_priors=[UNI], seller_valuation=0, objective="fame"),
    ask("gt_mechanism_posted_price_optimal", buyer_arrival_prior=UNI, arrival_rate_per_second=0.1, inventory=5, horizon_seconds=100, n_simulations=100),
    ask("gt_mechanism_posted_price_optimal", buyer_arrival_prior=UNI, arrival_rate_per_second=0.1, inventory=0, horizon_seconds=100),
    ask("gt_mechanism_posted_price_optimal", buyer_arrival_prior=UNI, arrival_rate_per_second=-1, inventory=5, horizon_seconds=100),
    ask("gt_mechanism_vcg", x=1),
], missing="nothing")

ORG = {"organizationId": "org1"}
CODE = ORG | {"repositoryId": "42"}
OAPI = "^/oapi/v1"
def code(status, method, pattern, error, text, wait=0):
    return route(method, pattern, status, {"errorCode": error, "errorMessage": text, "requestId": "0A1B-77"}, wait)
YUNXIAO = [
    route("GET", "/organizations/noorg", 403, {"errorCode": "Forbidden", "errorMessage": "当前用户不在该企业中", "requestId": "1"}),
    code(401, "GET", "/platform/user ", "InvalidToken", "令牌已过期，请重新生成个人访问令牌"),
    route("GET", "/platform/users:current|/users/current", 200, {"id": "u1", "name": "小王", "email": "wang@example.com"}),
    route("GET", "/branches/main", 200, {"name": "main", "protected": True, "commit": {"id": "aa11", "title": "修复：登录失败返回 401"}}),
    code(404, "GET", "/branches/", "SYSTEM_NOT_FOUND_ERROR", "分支不存在"),
    code(409, "POST", "/branches.*release", "BranchExist", "分支已存在: release"),
    route("POST", "/branches", 200, {"name": "fix-401", "commit": {"id": "aa11"}}),
    code(403, "DELETE", "/branches/main", "ProtectedBranch", "受保护的分支不允许删除"),
    route("DELETE", "/branches/", 200, {"branchName": "old"}),
    route("GET", "/branches", 200, []),
    route("GET", "/files/README", 200, {"fileName": "README.md", "filePath": "README.md", "content": "# 错误码\n401 未登录\n500 内部错误\n", "encoding": "text", "ref": "main"}),
    code(404, "GET", "/files/", "FileNotFound", "文件不存在: none.md"),
    code(400, "POST", "/files", "FileAlreadyExist", "文件已存在，请使用更新接口"),
    code(423, "PUT", "/files/", "Locked", "文件被锁定，正在由 lisi 编辑"),
    route("GET", "/repositories/42/compare", 200, {"commits": [], "diffs": []}),
    route("GET", "/changeRequests/1 ", 200, {"localId": 1, "title": "修复购物车崩溃", "status": "UNDER_REVIEW", "hasConflict": True, "checkStatus": "FAILED"}),
    code(404, "GET", "/changeRequests/", "NotFound", "合并请求不存在"),
    code(405, "POST", "/changeRequests/1/merge", "MergeConflict", "存在代码冲突，无法合并"),
    code(409, "POST", "/changeRequests", "CRExist", "相同源分支和目标分支的合并请求已存在"),
    route("GET", "/changeRequests", 200, []),
    route("GET", "/commits/aa11", 200, {"id": "aa11", "title": "fix: error 500"}),
    code(404, "GET", "/commits/", "CommitNotFound", "提交不存在"),
    route("GET", "/commits", 502, "<html><center><h1>502 Bad Gateway</h1></center><hr><center>Tengine</center></html>", 0, "text/html"),
    route("GET", "/repositories/42 ", 200, {"id": 42, "name": "shop", "visibility": "private", "archived": False}),
    code(404, "GET", "/repositories/43", "RepositoryNotFound", "代码库不存在"),
    route("GET", "/repositories/44", 200, {"id": 44}, 25),
    route("GET", "/repositories/45", 0, ""),
    route("GET", "/repositories/46", 200, "<!doctype html><title>登录</title>", 0, "text/html"),
    code(500, "GET", "/repositories/47", "InternalError", "系统开小差了，请稍后再试"),
    route("GET", "/repositories", 200, [{"id": 42, "name": "shop"}]),
    code(429, "POST", "/repositories", "Throttling.User", "请求过于频繁，请稍后再试"),
    route("GET", "/members", 200, []),
    route("GET", "/departments/d9", 404, {"errorCode": "NotFound", "errorMessage": "部门不存在"}),
    route("GET", "/departments", 200, [{"id": "d1", "name": "研发部"}]),
    route("GET", "/projects/p1/sprints/s1", 200, {"id": "s1", "name": "迭代 12", "status": "ARCHIVED"}),
    code(422, "POST", "/sprints", "InvalidParameter", "迭代开始时间不能晚于结束时间"),
    route("GET", "/projects/p1/versions|/sprints", 200, []),
    route("GET", "/projects/p1", 200, {"id": "p1", "name": "商城", "status": "进行中"}),
    code(404, "GET", "/projects/", "ProjectNotFound", "项目不存在或您没有权限"),
    route("POST", "/projects:search", 200, []),
    route("POST", "/workitems:search", 200, [{"id": "w1", "subject": "导入任务失败：Error 1045", "status": {"name": "待处理"}}]),
    route("GET", "/workitems/w1", 200, {"id": "w1", "subject": "导入任务失败：Error 1045", "description": "Access denied for user", "status": {"name": "待处理"}}),
    code(404, "GET", "/workitems/", "WorkitemNotFound", "工作项不存在: w9"),
    code(400, "POST", "/workitems", "InvalidParameter.WorkitemType", "工作项类型不能为空"),
    code(403, "DELETE", "/workitems/", "NoPermission", "您没有删除工作项的权限"),
    code(400, "PUT", "/workitems/", "InvalidStatus", "当前状态不允许流转到目标状态"),
]
PLANS["yunxiao"] = npm("alibabacloud-devops-mcp-server", "dist/index.js", [
    ask("get_current_user", {}),
    ask("get_current_organization_info", {}),
    ask("list_branches", CODE),
    ask("get_branch", CODE | {"branchName": "main"}),
    ask("get_branch", CODE | {"branchName": "mian"}),
    ask("create_branch", CODE | {"branch": "fix-401", "ref": "main"}),
    ask("create_branch", CODE | {"branch": "release"}),
    ask("create_branch", ORG | {"branch": "release"}),
    ask("delete_branch", CODE | {"branchName": "main"}),
    ask("delete_branch", CODE | {"branchName": "old"}),
    ask("get_file_blobs", CODE | {"filePath": "README.md", "ref": "main"}),
    ask("get_file_blobs", CODE | {"filePath": "none.md", "ref": "main"}),
    ask("create_file", CODE | {"filePath": "README.md", "content": "x", "commitMessage": "m", "branch": "main"}),
    ask("update_file", CODE | {"filePath": "README.md", "content": "x", "commitMessage": "m", "branch": "main"}),
    ask("compare", CODE | {"from": "main", "to": "dev"}),
    ask("get_change_request", CODE | {"localId": "1"}),
    ask("get_change_request", CODE | {"localId": "9"}),
    ask("list_change_requests", ORG),
    ask("merge_change_request", CODE | {"localId": "1", "mergeType": "squash"}),
    ask("merge_change_request", CODE | {"localId": "1", "mergeType": "octopus"}),
    ask("create_change_request", CODE | {"title": "修复", "sourceBranch": "fix", "targetBranch": "main", "sourceProjectId": 42, "targetProjectId": 42}),
    ask("update_change_request", CODE | {"localId": "1"}),
    ask("get_commit", CODE | {"sha": "aa11"}),
    ask("get_commit", CODE | {"sha": "ffff"}),
    ask("list_commits", CODE | {"refName": "main"}),
    ask("get_repository", CODE),
    ask("get_repository", ORG | {"repositoryId": "43"}),
    ask("get_repository", ORG | {"repositoryId": "45"}),
    ask("get_repository", ORG | {"repositoryId": "46"}),
    ask("get_repository", ORG | {"repositoryId": "47"}),
    ask("list_repositories", ORG),
    ask("list_repositories", {"organizationId": "noorg"}),
    ask("create_repository", ORG | {"name": "new", "path": "new"}),
    ask("list_organization_members", ORG),
    ask("get_organization_department_info", ORG | {"id": "d9"}),
    ask("list_organization_departments", ORG),
    ask("get_sprint", ORG | {"projectId": "p1", "id": "s1"}),
    ask("create_sprint", ORG | {"projectId": "p1", "name": "迭代", "owners": ["u1"], "startDate": "2026-12-10", "endDate": "2026-12-01"}),
    ask("list_sprints", ORG | {"id": "p1"}),
    ask("get_project", ORG | {"id": "p1"}),
    ask("get_project", ORG | {"id": "p9"}),
    ask("search_projects", ORG | {"name": "没有"}),
    ask("search_workitems", ORG | {"category": "Bug", "spaceId": "p1"}),
    ask("get_work_item", ORG | {"workItemId": "w1"}),
    ask("get_work_item", ORG | {"workItemId": "w9"}),
    ask("delete_work_item", ORG | {"workItemId": "w1"}),
    ask("update_work_item", ORG | {"workItemId": "w1", "updateWorkItemFields": {"status": "done"}}),
    ask("get_repository", ORG | {"repositoryId": "44"}),
], env={"YUNXIAO_ACCESS_TOKEN": "pt-demo", "YUNXIAO_API_BASE_URL": "http://127.0.0.1:7070", "YUNXIAO_EDITION": "central"}, missing="Yunxiao (a stand-in answers)", **stand_in(7070, YUNXIAO))

MAKE_1C = '''import pathlib
from onec_converter.fake_1cd import FixtureField as F, FixtureTable as T, encode_row, write_fake_1cd
def table(name, rows, extra=()):
    fields = [F("_IDRREF", "B", length=16), F("_CODE", "NVC", length=9), F("_DESCRIPTION", "NVC", length=25), *extra]
    data = []
    for i, (code, text) in enumerate(rows):
        values = {"_IDRREF": bytes([i + 1]) * 16, "_CODE": code, "_DESCRIPTION": text}
        values |= {f.name: 5 for f in extra}
        data.append(encode_row(fields, values))
    return T(name, fields, data)
for folder, tables in {"a": [table("_REFERENCE10", [("001", "Чайник"), ("002", "Ошибка 500: возврат")])],
                       "b": [table("_REFERENCE10", [("001", "Чайник")], (F("_FLD11", "N", length=5),)), table("_REFERENCE12", [])]}.items():
    pathlib.Path(folder).mkdir(exist_ok=True)
    write_fake_1cd(f"{folder}/1Cv8.1CD", tables)
'''
A, B = "{home}/a", "{home}/b"
PLANS["onec"] = pypi("onec-converter", [
    ask("pipeline_status", {}),
    ask("tools", {}),
    ask("playbook", {}),
    ask("base_health", source_dir=B),
    ask("base_health", source_dir="{home}/none"),
    ask("base_health", source_dir="{home}/broken"),
    ask("base_health", source_dir="{home}/zeros"),
    ask("base_health", source_dir=""),
    ask("base_health", {}),
    ask("table_sizes", source_dir=A),
    ask("table_sizes", source_dir=A, tables="_REFERENCE99"),
    ask("table_sizes", source_dir=A, format="pdf"),
    ask("table_sizes", source_dir=A, format="xlsx", out_file="{home}/sizes.xlsx"),
    ask("table_sizes", source_dir=A, format="xlsx", out_file="/usr/sizes.xlsx"),
    ask("table_sizes", source_dir="{home}/none"),
    ask("compare_structures", source_dir=A, target_dir=B),
    ask("compare_structures", source_dir=A, target_dir="{home}/none"),
    ask("auto_map_schemas", source_dir=A, target_dir=B),
    ask("explain_diff", source_dir=A, target_dir="{home}/none"),
    ask("search_schema", source_dir=A, query="Чайник"),
    ask("query_sql", source_dir=A, table="_REFERENCE10"),
    ask("query_sql", source_dir=A, table="_REFERENCE10", select="_CODE", limit=1),
    ask("query_sql", source_dir=A, table="_REFERENCE10", where="_CODE = '002'"),
    ask("query_sql", source_dir=A, table="_REFERENCE10", where="_CODE = '999'"),
    ask("query_sql", source_dir=A, table="_REFERENCE99"),
    ask("query_sql", source_dir=A, table="_REFERENCE10", select="_NOPE"),
    ask("query_sql", source_dir=A, table="_REFERENCE10", where="1 +* 2"),
    ask("query_sql", source_dir=A, table="_REFERENCE10", order_by="_NOPE"),
    ask("query_sql", source_dir=A, table="_REFERENCE10", limit=-5),
    ask("query_sql", source_dir="{home}/broken", table="_REFERENCE10"),
    ask("query_sql", source_dir=B, table="_REFERENCE12"),
    ask("guid_diff", source_dir=A, target_dir=B),
    ask("guid_diff", source_dir=A, target_dir=A),
    ask("config_versions", source_dir=A),
    ask("config_versions", source_dir="{home}/none"),
    ask("load_direct", target_dir=A, input_file="{home}/none.json"),
    ask("load_direct", target_dir=A, input_file="{home}/batch.json"),
    ask("load_direct", target_dir=A, input_file="{home}/bad.json"),
    ask("dump_metadata", source_dir=A),
    ask("dump_metadata", source_dir=A, fmt="yaml"),
    ask("migrate", project_dir="{home}/p", source_ib_id="a", target_ib_id="b", source_dir=A, target_url="http://127.0.0.1:1"),
    ask("migrate", project_dir="{home}/p", source_ib_id="a", target_ib_id="b", source_dir=A, target_url="http://127.0.0.1:1", rules="{bad"),
    ask("compress_metadata", source_dir=A),
    ask("compress_metadata", source_dir="{home}/none"),
    ask("audit_verify", audit_file="{home}/audit.jsonl"),
    ask("audit_verify", audit_file="{home}/tampered.jsonl"),
    ask("cache_stats", {}),
    ask("cache_stats", root_dir="{home}/none"),
], args=["mcp", "--stdio"], before="{base}/bin/python make.py", files={"make.py": MAKE_1C, "broken/1Cv8.1CD": "junk", "zeros/1Cv8.1CD": b"\0" * 16384,
    "batch.json": json.dumps({"objects": [{"kind": "Справочник.Товары", "ref": "x"}]}), "bad.json": "{\"objects\": [", "tampered.jsonl": "{\"seq\": 1, \"hash\": \"00\", \"prev\": \"ff\"}\n"},
    missing="1C itself")


def sns(status, action, body, wait=0):
    return route("POST", f"Action={action}\\b", status, body, wait, "text/xml")


def fault(code, text):
    return f'<ErrorResponse xmlns="http://sns.amazonaws.com/doc/2010-03-31/"><Error><Type>Sender</Type><Code>{code}</Code><Message>{text}</Message></Error><RequestId>77-aa</RequestId></ErrorResponse>'


def done(action, inside=""):
    return f'<{action}Response xmlns="http://sns.amazonaws.com/doc/2010-03-31/"><{action}Result>{inside}</{action}Result><ResponseMetadata><RequestId>11-bb</RequestId></ResponseMetadata></{action}Response>'


def sqs(status, pattern, body, wait=0):
    return route("POST", pattern, status, body, wait, "application/x-amz-json-1.0")


def sqs_fault(code, text):
    return {"__type": f"com.amazonaws.sqs#{code}", "message": text}


AWS = [
    sns(200, "ListTopics", done("ListTopics", "<Topics><member><TopicArn>arn:aws:sns:us-east-1:000000000000:payment-errors</TopicArn></member></Topics>")),
    sns(200, "ListSubscriptions", done("ListSubscriptions", "<Subscriptions/>")),
    sns(403, "ListPhoneNumbersOptedOut", fault("AuthorizationError", "User: arn:aws:iam::000000000000:user/demo is not authorized to perform: SNS:ListPhoneNumbersOptedOut")),
    route("POST", "Action=GetTopicAttributes.*ghost", 404, fault("NotFound", "Topic does not exist"), 0, "text/xml"),
    sns(200, "GetTopicAttributes", done("GetTopicAttributes", "<Attributes><entry><key>SubscriptionsPending</key><value>2</value></entry></Attributes>")),
    route("POST", "Action=Publish&.*ghost", 404, fault("NotFound", "Topic does not exist"), 0, "text/xml"),
    route("POST", "Action=Publish&.*too-long", 400, fault("InvalidParameter", "Invalid parameter: Message too long"), 0, "text/xml"),
    route("POST", "Action=Publish&.*fifo", 400, fault("InvalidParameter", "Invalid parameter: The MessageGroupId parameter is required for FIFO topics"), 0, "text/xml"),
    sns(200, "Publish", done("Publish", "<MessageId>m-1</MessageId>")),
    route("POST", "Action=ListTagsForResource.*ghost", 404, fault("ResourceNotFound", "Resource does not exist"), 0, "text/xml"),
    sns(200, "ListTagsForResource", done("ListTagsForResource", "<Tags><member><Key>mcp_server_version</Key><Value>2.1.1</Value></member></Tags>")),
    sqs(200, '^/[^ ]* \\{"QueueUrl": ?"[^"]*/(orders|dead-letters|empty|garbled|purged)"\\}$', {"Tags": {"mcp_server_version": "2.1.1"}}),
    sns(500, "ListPlatformApplications", fault("InternalError", "An internal error occurred")),
    sns(200, "ListOriginationNumbers", "<html><body>Service Unavailable</body></html>"),
    sns(400, "Subscribe", fault("InvalidParameter", "Invalid parameter: Does not support this protocol string: pigeon")),
    sns(404, "GetSubscriptionAttributes", fault("NotFound", "Subscription does not exist")),
    sns(400, "ConfirmSubscription", fault("InvalidParameter", "Invalid parameter: Token")),
    sns(200, "Unsubscribe", done("Unsubscribe")),
    sns(403, "SetTopicAttributes", fault("InvalidSecurity", "The security token included in the request is expired")),
    route("POST", "QueueNamePrefix", 200, {}, 0, "application/x-amz-json-1.0"),
    route("POST", "MaxResults.*100", 200, {"QueueUrls": []}, 0, "application/x-amz-json-1.0"),
    sqs(400, '"QueueName": ?"ghost', sqs_fault("QueueDoesNotExist", "The specified queue does not exist.")),
    sqs(200, '"QueueName": ?"orders', {"QueueUrl": "http://127.0.0.1:4566/000000000000/orders"}),
    sqs(400, "ghost", sqs_fault("QueueDoesNotExist", "The specified queue does not exist.")),
    sqs(400, '"VisibilityTimeout": ?99999', sqs_fault("InvalidParameterValue", "Value 99999 for parameter VisibilityTimeout is invalid. Reason: Must be >= 0 and <= 43200, if provided.")),
    sqs(400, "stale-handle", sqs_fault("ReceiptHandleIsInvalid", 'The input receipt handle "stale-handle" is not a valid receipt handle.')),
    sqs(400, '"DelaySeconds": ?5000', sqs_fault("InvalidParameterValue", "Value 5000 for parameter DelaySeconds is invalid. Reason: DelaySeconds must be &gt;= 0 and &lt;= 900.")),
    sqs(200, '"MessageBody"', {"MessageId": "m-7", "MD5OfMessageBody": "0cc175b9c0f1b6a831c399e269772661"}),
    sqs(400, "purged", sqs_fault("PurgeQueueInProgress", "Only one PurgeQueue operation on purged is allowed every 60 seconds.")),
    sqs(200, "empty", {}),
    sqs(200, "dead-letters.*MaxNumberOfMessages|MaxNumberOfMessages.*dead-letters", {"Messages": [{"MessageId": "m-9", "ReceiptHandle": "rh-9", "Body": "{\"error\": \"card declined\", \"status\": \"failed\"}"}]}),
    sqs(503, "busy", {"__type": "ServiceUnavailable", "message": "Service is unavailable. Please retry."}),
    sqs(400, "throttled", {"__type": "com.amazonaws.sqs#RequestThrottled", "message": "The rate of requests per second exceeds the AWS KMS request quota for an account and Region."}),
    sqs(200, "AttributeNames", {"Attributes": {"ApproximateNumberOfMessages": "0", "QueueArn": "arn:aws:sqs:us-east-1:000000000000:orders"}}),
    sqs(200, "garbled", '{"Messages": [{"Body": '),
    route("POST", "cut", 0, ""),
    sqs(200, "^/", {}),
]
Q = "http://127.0.0.1:4566/000000000000/"
T = "arn:aws:sns:us-east-1:000000000000:"
PLANS["snssqs"] = pypi("awslabs.amazon-sns-sqs-mcp-server", [
    ask("list_topics", {}),
    ask("list_subscriptions", {}),
    ask("list_phone_numbers_opted_out", {}),
    ask("get_topic_attributes", TopicArn=T + "payment-errors"),
    ask("get_topic_attributes", TopicArn=T + "ghost"),
    ask("get_topic_attributes", {}),
    ask("publish", TopicArn=T + "payment-errors", Message="disk full", Subject="ERROR"),
    ask("publish", TopicArn=T + "ghost", Message="x"),
    ask("publish", TopicArn=T + "payment-errors", Message="too-long"),
    ask("publish", TopicArn=T + "orders.fifo", Message="x"),
    ask("publish", Message="x"),
    ask("list_platform_applications", {}),
    ask("list_origination_numbers", {}),
    ask("subscribe", TopicArn=T + "payment-errors", Protocol="pigeon", Endpoint="roof"),
    ask("get_subscription_attributes", SubscriptionArn=T + "payment-errors:1"),
    ask("confirm_subscription", TopicArn=T + "payment-errors", Token="bad"),
    ask("unsubscribe", SubscriptionArn=T + "payment-errors:1"),
    ask("set_topic_attributes", TopicArn=T + "payment-errors", AttributeName="DisplayName", AttributeValue="x"),
    ask("create_topic", Name="new"),
    ask("delete_topic", TopicArn=T + "payment-errors"),
    ask("list_queues", QueueNamePrefix="zzz"),
    ask("list_queues", MaxResults=100),
    ask("get_queue_url", QueueName="orders"),
    ask("get_queue_url", QueueName="ghost"),
    ask("get_queue_url", QueueName="orders", region="mars-north-1"),
    ask("send_message", QueueUrl=Q + "orders", MessageBody="a"),
    ask("send_message", QueueUrl=Q + "orders", MessageBody="b", DelaySeconds=5000),
    ask("send_message", QueueUrl=Q + "ghost", MessageBody="b"),
    ask("send_message", QueueUrl="orders", MessageBody=["b"]),
    ask("receive_message", QueueUrl=Q + "empty"),
    ask("receive_message", QueueUrl=Q + "dead-letters", MaxNumberOfMessages=1),
    ask("receive_message", QueueUrl=Q + "ghost"),
    ask("receive_message", QueueUrl=Q + "garbled", MaxNumberOfMessages=2),
    ask("delete_message", QueueUrl=Q + "dead-letters", ReceiptHandle="rh-9"),
    ask("delete_message", QueueUrl=Q + "dead-letters", ReceiptHandle="stale-handle"),
    ask("change_message_visibility", QueueUrl=Q + "orders", ReceiptHandle="rh-9", VisibilityTimeout=99999),
    ask("change_message_visibility", QueueUrl=Q + "orders", ReceiptHandle="rh-9", VisibilityTimeout=30),
    ask("get_queue_attributes", QueueUrl=Q + "orders", AttributeNames=["All"]),
    ask("get_queue_attributes", QueueUrl=Q + "orders", AttributeNames="All"),
    ask("purge_queue", QueueUrl=Q + "purged"),
    ask("purge_queue", QueueUrl=Q + "orders"),
    ask("list_queue_tags", QueueUrl=Q + "throttled"),
    ask("list_queue_tags", QueueUrl=Q + "empty"),
    ask("set_queue_attributes", QueueUrl=Q + "orders", Attributes={"VisibilityTimeout": "60"}),
    ask("list_dead_letter_source_queues", QueueUrl=Q + "cut"),
], env={"AWS_REGION": "us-east-1", "AWS_ACCESS_KEY_ID": "demo", "AWS_SECRET_ACCESS_KEY": "demo", "AWS_ENDPOINT_URL": "http://127.0.0.1:4566", "AWS_MAX_ATTEMPTS": "1",
        "FASTMCP_LOG_LEVEL": "ERROR"}, missing="AWS (a stand-in answers)", **stand_in(4566, AWS))
PLANS["snssqs"]["files"][".aws/config"] = "[default]\nregion = us-east-1\n"
PLANS["snssqs"]["files"][".aws/credentials"] = "[default]\naws_access_key_id = demo\naws_secret_access_key = demo\n"
PLANS["snssqs"]["env"]["AWS_PROFILE"] = "default"

POST = {"id": 11, "topic_id": 5, "post_number": 1, "username": "ann", "created_at": "2026-11-01T10:00:00Z", "raw": "Error 500 when I log in: connection refused", "cooked": "<p>x</p>"}
DISCOURSE = [
    route("GET", "^/about.json", 200, {"about": {"title": "Shop forum"}}),
    route("GET", "^/site.json|^/site/basic", 200, {}),
    route("GET", "^/search.*zebra", 200, {"topics": [], "posts": []}),
    route("GET", "^/search.*boom", 500, "<html>Oops - The software powering this discussion forum encountered an unexpected problem.</html>", 0, "text/html"),
    route("GET", "^/search", 200, {"topics": [{"id": 5, "slug": "login-500", "title": "Login fails with error 500"}], "posts": [POST | {"blurb": "Error 500"}]}),
    route("GET", "^/filter.json.*bogus", 400, {"errors": ["Invalid filter: bogus"]}),
    route("GET", "^/filter|^/top|^/hot", 200, {"topic_list": {"topics": [], "per_page": 30}}),
    route("GET", "^/t/5.json|^/t/5/posts", 200, {"id": 5, "title": "Login fails with error 500", "slug": "login-500", "posts_count": 1, "post_stream": {"posts": [POST], "stream": [11]}}),
    route("GET", "^/t/6.json", 403, {"errors": ["You are not permitted to view the requested resource."], "error_type": "invalid_access"}),
    route("GET", "^/t/8.json", 410, {"errors": ["This topic has been deleted."]}),
    route("GET", "^/t/", 404, {"errors": ["The requested URL or resource could not be found."], "error_type": "not_found"}),
    route("GET", "^/posts/11.json", 200, POST),
    route("GET", "^/posts/12.json", 200, "{\"id\": 12,", 0),
    route("GET", "^/posts/13.json", 0, ""),
    route("GET", "^/posts/", 404, {"errors": ["not found"]}),
    route("GET", "^/u/ann.json", 200, {"user": {"id": 3, "username": "ann", "trust_level": 1, "bio_raw": "suspended twice"}}),
    route("GET", "^/u/", 404, {"errors": ["The requested URL or resource could not be found."], "error_type": "not_found"}),
    route("GET", "^/user_actions.json.*ann", 200, {"user_actions": []}),
    route("GET", "^/user_actions", 404, {"errors": ["not found"]}),
    route("GET", "^/chat/api/channels/2", 403, {"errors": ["You are not permitted to view the requested resource."]}),
    route("GET", "^/chat/api/channels/1", 200, {"messages": [], "meta": {}}),
    route("GET", "^/drafts/new_topic", 200, {"draft": "{\"title\": \"Outage\", \"reply\": \"it failed\"}", "draft_sequence": 2}),
    route("GET", "^/drafts", 404, {"errors": ["not found"]}),
    route("POST", "^/posts.json.*too short", 422, {"action": "create_post", "errors": ["Post is too short (minimum is 20 characters)"]}),
    route("POST", "^/posts.json.*closed", 422, {"errors": ["You are not allowed to reply: topic is closed"]}),
    route("POST", "^/posts.json.*same again", 422, {"errors": ["Body is too similar to what you recently posted"]}),
    route("POST", "^/posts.json.*Secret", 403, {"errors": ["You are not permitted to create topics in this category"]}),
    route("POST", "^/posts.json", 200, POST | {"topic_slug": "login-500"}),
    route("POST", "^/categories.json.*Sales", 422, {"errors": ["Category Name has already been taken"]}),
    route("POST", "^/categories.json", 200, {"category": {"id": 9, "name": "Returns", "slug": "returns"}}),
    route("POST", "^/users.json|^/users", 200, {"success": False, "message": "Primary email has already been taken", "errors": {"email": ["has already been taken"]}}),
    route("GET", "^/admin/users", 403, {"errors": ["You need to be an administrator"]}),
    route("GET", "^/admin/plugins/explorer/queries/3|^/admin/plugins/discourse-data-explorer/queries/3", 200, {"query": {"id": 3, "name": "failed logins", "sql": "select 1"}}),
    route("POST", "queries/3/run", 422, {"success": False, "errors": ["PG::QueryCanceled: ERROR: canceling statement due to statement timeout"]}),
    route("POST", "queries/4/run", 200, {"success": True, "columns": ["n"], "rows": [], "result_count": 0, "duration": 1.2}),
    route("GET", "explorer", 404, {"errors": ["not found"]}),
]
PLANS["discourse"] = plan("npm", "@discourse/mcp", ["node", "{base}/@discourse/mcp/dist/index.js", "--allow_writes", "true", "--read_only", "false", "--auth_pairs",
                          json.dumps([{"site": "http://127.0.0.1:4200", "api_key": "demo", "api_username": "ann"}])], [
    ask("discourse_search", query="login"),
    ask("discourse_select_site", site="http://127.0.0.1:9"),
    ask("discourse_select_site", site="forum"),
    ask("discourse_select_site", site="http://127.0.0.1:4200"),
    ask("discourse_search", query="login"),
    ask("discourse_search", query="zebra"),
    ask("discourse_search", query="boom"),
    ask("discourse_search_posts", query="error"),
    ask("discourse_filter_topics", filter="status:open"),
    ask("discourse_filter_topics", filter="bogus:1"),
    ask("discourse_filter_topics", view="top", filter="x"),
    ask("discourse_read_topic", topic_id=5),
    ask("discourse_read_topic", topic_id=6),
    ask("discourse_read_topic", topic_id=8),
    ask("discourse_read_topic", topic_id=99),
    ask("discourse_read_topic_posts", topic_id=5, selection_mode="latest"),
    ask("discourse_read_topic_posts", topic_id=5, selection_mode="around_post"),
    ask("discourse_read_topic_posts", topic_id=5, selection_mode="usernames", usernames=[]),
    ask("discourse_read_post", post_id=11),
    ask("discourse_read_post", post_id=12),
    ask("discourse_read_post", post_id=13),
    ask("discourse_read_post", post_id=404),
    ask("discourse_get_user", username="ann"),
    ask("discourse_get_user", username="nobody"),
    ask("discourse_list_user_posts", username="ann"),
    ask("discourse_list_users", query="suspended"),
    ask("discourse_get_chat_messages", channel_id=1),
    ask("discourse_get_chat_messages", channel_id=2),
    ask("discourse_get_draft", draft_key="new_topic"),
    ask("discourse_get_draft", draft_key="topic_7"),
    ask("discourse_get_query", id=3),
    ask("discourse_get_query", id=77),
    ask("discourse_run_query", id=3),
    ask("discourse_run_query", id=4),
    ask("discourse_create_post", topic_id=5, raw="too short"),
    ask("discourse_create_post", topic_id=5, raw="this topic is closed, is it not? I ask politely."),
    ask("discourse_create_post", topic_id=5, raw="the same again and again and again"),
    ask("discourse_create_post", topic_id=5, raw="Restarting the server cured error 500 here."),
    ask("discourse_create_topic", title="Secret plans of the shop", raw="nobody may read what I write here"),
    ask("discourse_create_topic", title="Returns take too long", raw="I have been waiting for five weeks now."),
    ask("discourse_create_topic", title="", raw=""),
    ask("discourse_create_category", name="Sales"),
    ask("discourse_create_category", name="Returns"),
    ask("discourse_create_user", username="bob", email="bob@example.com", name="Bob", password="long-enough-password"),
    ask("discourse_delete_everything", {}),
], missing="a Discourse forum (a stand-in answers)", **stand_in(4200, DISCOURSE))


def bug(number, title, steps="<p>打开登录页</p>", status="active", **more):
    return {"id": number, "title": title, "severity": 2, "pri": 1, "type": "codeerror", "status": {"code": status, "name": {"active": "激活", "closed": "已关闭"}[status]},
            "openedBy": {"account": "li", "realname": "李四"}, "assignedTo": {"account": "wang", "realname": "王五"}, "openedDate": "2026-11-20 10:00:00",
            "deadline": "", "keywords": "", "steps": steps, "files": [], **more}


PNG = "http://127.0.0.1:9191/file-read-5.png"
ZENTAO = [
    route("POST", "/tokens", 201, {"token": "t-demo"}),
    route("GET", "/products/1/bugs", 200, {"page": 1, "total": 2, "limit": 100, "bugs": [bug(11, "登录失败，返回 401"), bug(12, "导入任务报错：数据库连接超时")]}),
    route("GET", "/products/2/bugs", 200, {"page": 1, "total": 0, "limit": 100, "bugs": []}),
    route("GET", "/products/3/bugs", 403, {"error": "抱歉，您无权访问该产品"}),
    route("GET", "/products/4/bugs", 500, {"error": "SQLSTATE[HY000] [2002] Connection refused"}),
    route("GET", "/products/5/bugs", 200, "<html><title>用户登录 - 禅道</title></html>", 0, "text/html"),
    route("GET", "/products/6/bugs", 200, {"bugs": []}, 6),
    route("GET", "/products/7/bugs", 0, ""),
    route("GET", "/products/8/bugs", 401, {"error": "Unauthorized"}),
    route("GET", "/products/9/bugs", 200, {"page": 1, "total": 1, "bugs": [bug(19, "已关闭的缺陷", status="closed")]}),
    route("GET", "/products/", 404, {"error": "产品不存在"}),
    route("GET", "/bugs/11 ", 200, bug(11, "登录失败，返回 401", "<p>1. 输入密码</p><p>2. 页面提示：Error: token expired</p>")),
    route("GET", "/bugs/12 ", 200, bug(12, "导入任务报错：数据库连接超时", f'<p>见截图</p><img src="{PNG}" />')),
    route("GET", "/bugs/13 ", 200, bug(13, "页面崩溃", "", files=[{"id": 7, "title": "日志.txt", "extension": "txt", "webPath": "/data/upload/7.txt"}])),
    route("GET", "/bugs/14 ", 200, bug(14, "截图无法打开", '<img src="http://127.0.0.1:9191/file-read-6.png" />')),
    route("GET", "/bugs/15 ", 200, bug(15, "已修复：支付失败", status="closed")),
    route("GET", "/bugs/20 ", 403, {"error": "您没有权限查看该 Bug"}),
    route("GET", "/bugs/21 ", 502, "<html><center><h1>502 Bad Gateway</h1></center><hr><center>nginx</center></html>", 0, "text/html"),
    route("GET", "/bugs/22 ", 200, '{"id": 22, "title": '),
    route("GET", "/bugs/23 ", 0, ""),
    route("GET", "/bugs/24 ", 200, bug(24, "慢"), 6),
    route("GET", "/bugs/25 ", 200, []),
    route("GET", "/bugs/26 ", 410, {"error": "该 Bug 已被删除"}),
    route("GET", "/bugs/27 ", 429, {"error": "请求过于频繁"}),
    route("GET", "/bugs/28 ", 401, {"error": "Unauthorized"}),
    route("GET", "/bugs/", 404, {"error": "Bug 不存在"}),
    route("GET", "/file-read-5", 404, "文件不存在", 0, "text/plain"),
    route("GET", "/file-read-6", 200, "<html>登录</html>", 0, "text/html"),
]
PLANS["zentao"] = plan("pypi", "zentao-bugfix-mcp", ["{base}/bin/python", "{base}/bin/zentao-bugfix-mcp"], [
    ask("list_my_bugs", {}),
    *[ask("list_my_bugs", product_id=number) for number in (1, 2, 3, 4, 5, 6, 7, 8, 9, 77, 0)],
    ask("list_my_bugs", product_id="one"),
    *[ask("get_bug_detail", bug_id=number) for number in (11, 12, 13, 15, 20, 21, 22, 23, 24, 25, 26, 27, 28, 404, -1)],
    ask("get_bug_detail", {}),
    ask("get_bug_detail", bug_id="#11"),
    *[ask("get_bug_detail_with_images", bug_id=number) for number in (11, 12, 13, 14, 20, 21, 404, 23)],
    ask("close_bug", bug_id=11),
], env={"MCP_TRANSPORT": "stdio", "ZENTAO_URL": "http://127.0.0.1:9191", "ZENTAO_ACCOUNT": "wang", "ZENTAO_PASSWORD": "demo", "ZENTAO_REQUEST_TIMEOUT": "3"},
    missing="Zentao (a stand-in answers)", **stand_in(9191, ZENTAO))

PLANS["scpi"] = pypi("labmcp-scpi", [
    ask("get_connection_info", {}),
    ask("identify", {}),
    ask("scpi_primer", {}),
    ask("list_visa_resources", {}),
    ask("list_visa_resources", query="[[["),
    ask("list_visa_resources", backend="@ivi"),
    ask("scpi_query", command="*IDN?"),
    ask("scpi_query", command="VOLT?"),
    ask("scpi_query", command="MEAS:VOLT:DC?"),
    ask("scpi_query", command="VOLT 5"),
    ask("scpi_query", command="VOLT?;CURR?"),
    ask("scpi_query", command="BOGUS:HEADER?"),
    ask("scpi_query", command="*RST?"),
    ask("scpi_query", command=""),
    ask("get_errors", {}),
    ask("scpi_write", command="VOLT 5"),
    ask("scpi_write", command="VOLT 5000"),
    ask("scpi_write", command="OUTP ON"),
    ask("scpi_write", command="SYST:COMM:LAN:RES"),
    ask("scpi_write", command="FOO:BAR 1"),
    ask("scpi_write", command="VOLT five"),
    ask("scpi_write", command="VOLT 5\nOUTP ON"),
    ask("scpi_batch", steps=["VOLT 3", "VOLT?"]),
    ask("scpi_batch", steps=["VOLT 3", "CURRR 1", "VOLT?"]),
    ask("scpi_batch", steps=["VOLT 3", "CURRR 1", "VOLT?"], stop_on_error=False),
    ask("scpi_batch", steps=["VOLT 1", ""]),
    ask("scpi_batch", steps=["SYST:COMM:LAN:RES", "VOLT?"]),
    ask("query_binary_block", command="CURV?"),
    ask("query_binary_block", command="*IDN?"),
    ask("query_binary_block", command="DATA?", save_path="/usr/wave.bin"),
    ask("query_binary_block", command="*IDN?", decode_as="float99"),
    ask("wait_operation_complete", timeout_s=2),
    ask("wait_operation_complete", timeout_s=9999),
    ask("wait_operation_complete", timeout_s=1000),
    ask("get_command_log", limit=5),
    ask("scpi_write", command="CURR 0.5"),
    ask("scpi_query", command="CURR?"),
    ask("scpi_query", command="SYST:ERR?"),
    ask("scpi_query", command="MEAS:CURR?"),
    ask("scpi_query", command="FETC?", timeout_s=0.5),
    ask("reset_instrument", {}),
    ask("device_clear", {}),
    ask("reconnect", {}),
], args=["--simulate", "--option", "write_denylist=^SYST:COMM"], missing="an instrument (simulated)")
