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
        if 'libpod' in self.path or '_ping' in self.path:
            self.send_header('Libpod-API-Version', '5.0.0')
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


def nomad_job(job, status="running"):
    return {"ID": job, "Name": job, "Type": "service", "Status": status, "Priority": 50, "Datacenters": ["dc1"], "Namespace": "default",
            "TaskGroups": [{"Name": "web", "Count": 2, "Tasks": [{"Name": "server", "Driver": "docker", "Config": {"image": "shop:4"}}]}],
            "Version": 3, "CreateIndex": 10, "ModifyIndex": 44}


NOMAD = [
    route("GET", "^/v1/status/leader", 200, '"10.0.0.5:4647"'),
    route("GET", "^/v1/operator/raft/configuration", 200, {"Servers": [
        {"ID": "s1", "Node": "srv-1", "Address": "10.0.0.5:4647", "Leader": True, "Voter": True, "RaftProtocol": "3"}], "Index": 9}),
    route("GET", "^/v1/status/peers", 200, ["10.0.0.5:4647", "10.0.0.6:4647"]),
    route("GET", "^/v1/regions", 200, ["eu", "us"]),
    route("GET", r"^/v1/jobs.*namespace=ghost", 200, []),
    route("GET", r"^/v1/jobs", 200, [{"ID": "shop", "Name": "shop", "Type": "service", "Status": "running", "Priority": 50},
                                     {"ID": "nightly-import", "Name": "nightly-import", "Type": "batch", "Status": "dead", "StatusDescription": "failed: exit code 1"}]),
    route("GET", r"^/v1/job/shop/allocations", 200, [{"ID": "a1b2", "Name": "shop.web[0]", "ClientStatus": "failed", "DesiredStatus": "run", "TaskStates": {
        "server": {"State": "dead", "Failed": True, "Events": [{"Type": "Driver Failure", "DisplayMessage": "failed to pull image shop:4: manifest unknown"}]}}}]),
    route("GET", r"^/v1/job/shop/summary", 200, {"JobID": "shop", "Summary": {"web": {"Queued": 0, "Complete": 0, "Failed": 2, "Running": 1, "Lost": 1}}}),
    route("GET", r"^/v1/job/shop/evaluations", 200, [{"ID": "e1", "Status": "blocked", "TriggeredBy": "queued-allocs", "StatusDescription": "created to place remaining allocations"}]),
    route("GET", r"^/v1/job/shop/deployments", 200, []),
    route("GET", r"^/v1/job/shop/services", 500, "No path to region"),
    route("GET", r"^/v1/job/shop[? ]", 200, nomad_job("shop")),
    route("GET", r"^/v1/job/slow", 200, nomad_job("slow"), 30),
    route("GET", r"^/v1/job/garbled", 200, '{"ID": "garbled", "Name": '),
    route("GET", r"^/v1/job/secret", 403, "Permission denied"),
    route("GET", r"^/v1/job/", 404, "job not found"),
    route("DELETE", r"^/v1/job/shop", 200, {"EvalID": "e7", "EvalCreateIndex": 77, "JobModifyIndex": 77}),
    route("DELETE", r"^/v1/job/", 404, "job not found"),
    route("*", r"^/v1/job/shop/scale.*\"Count\": ?(2|3)\b", 200, {"EvalID": "e9", "EvalCreateIndex": 80}),
    route("*", r"^/v1/job/shop/scale", 400, "group count was greater than scaling policy maximum: 5"),
    route("*", r"^/v1/jobs/parse", 400, "Failed to parse job: job:1,9-9: expected block name"),
    route("*", r"^/v1/jobs.*broken", 500, "1 error occurred:\n\t* Missing job datacenters\n\n"),
    route("*", r"^/v1/jobs", 200, {"EvalID": "e8", "JobModifyIndex": 90, "Warnings": ""}),
    route("GET", r"^/v1/allocation/a1b2", 200, {"ID": "a1b2", "Name": "shop.web[0]", "JobID": "shop", "ClientStatus": "failed", "NodeID": "n1"}),
    route("GET", r"^/v1/allocation/", 404, "alloc not found"),
    route("GET", r"^/v1/client/fs/logs/a1b2.*task=server", 200, "2026-11-29 panic: connect: connection refused\n2026-11-29 exit status 2\n", 0, "text/plain"),
    route("GET", r"^/v1/client/fs/logs/a1b2", 404, 'unknown task name "worker"'),
    route("GET", r"^/v1/client/fs/logs/", 404, "Unknown allocation"),
    route("GET", r"^/v1/deployments", 200, []),
    route("GET", r"^/v1/deployment/", 404, "deployment not found"),
    route("GET", r"^/v1/nodes", 200, [{"ID": "n1", "Name": "edge-1", "Status": "down", "SchedulingEligibility": "ineligible", "Drain": False}]),
    route("GET", r"^/v1/node/n1", 200, {"ID": "n1", "Name": "edge-1", "Status": "down", "StatusDescription": "heartbeat missed", "Datacenter": "dc1"}),
    route("GET", r"^/v1/node/", 404, "node not found"),
    route("*", r"^/v1/node/n1/drain", 200, {"NodeModifyIndex": 5, "EvalIDs": []}),
    route("*", r"^/v1/node/n1/eligibility", 200, {"NodeModifyIndex": 6}),
    route("*", r"^/v1/node/", 404, "node not found"),
    route("GET", r"^/v1/namespaces", 200, [{"Name": "default", "Description": "Default shared namespace"}]),
    route("DELETE", r"^/v1/namespace/staging", 200, ""),
    route("DELETE", r"^/v1/namespace/default", 500, "1 error occurred:\n\t* default namespace can not be deleted\n"),
    route("DELETE", r"^/v1/namespace/", 404, "failed to find namespace"),
    route("*", r"^/v1/namespace.*no such name!", 400, 'invalid name "no such name!". Must match regex ^[a-zA-Z0-9-]{1,128}$'),
    route("*", r"^/v1/namespace", 200, ""),
    route("GET", r"^/v1/acl/policies", 400, "ACL support disabled"),
    route("*", r"^/v1/acl/bootstrap", 400, "ACL bootstrap already done (reset index: 7)"),
    route("*", r"^/v1/acl/", 403, "Permission denied"),
    route("GET", r"^/v1/var/shop/db", 200, {"Namespace": "default", "Path": "shop/db", "Items": {"url": "postgres://db"}, "ModifyIndex": 12}),
    route("GET", r"^/v1/var/", 404, "variable not found"),
    route("*", r"^/v1/var/shop/db.*cas=3", 409, {"Path": "shop/db", "ModifyIndex": 12, "Items": {"url": "postgres://db"}}),
    route("*", r"^/v1/var/", 200, {"Path": "shop/db", "ModifyIndex": 13}),
    route("GET", r"^/v1/vars", 200, []),
    route("GET", r"^/v1/volumes", 0, ""),
    route("GET", r"^/v1/sentinel/policies", 501, "Nomad Enterprise only endpoint"),
]
PLANS["nomad"] = plan("npm", "@kocierik/mcp-nomad-linux-x64", ["{base}/@kocierik/mcp-nomad-linux-x64/bin/mcp-nomad"], [
    ask("get_cluster_leader", {}),
    ask("list_cluster_peers", {}),
    ask("list_jobs", {}),
    ask("list_jobs", namespace="ghost"),
    ask("list_jobs", status="finished"),
    ask("get_job", job_id="shop"),
    ask("get_job", job_id="shopp"),
    ask("get_job", {}),
    ask("get_job", job_id=""),
    ask("get_job", job_id="secret-plans"),
    ask("get_job", job_id="garbled"),
    ask("get_job_allocations", job_id="shop"),
    ask("get_job_summary", job_id="shop"),
    ask("get_job_evaluations", job_id="shop"),
    ask("get_job_deployments", job_id="shop"),
    ask("get_job_services", job_id="shop"),
    ask("get_allocation", allocation_id="a1b2"),
    ask("get_allocation", allocation_id="ffff"),
    ask("get_allocation_logs", allocation_id="a1b2", task="server"),
    ask("get_allocation_logs", allocation_id="a1b2", task="worker", type="stderr"),
    ask("scale_job", job_id="shop", group="web", count=3),
    ask("scale_job", job_id="shop", group="web", count=40),
    ask("scale_job", job_id="shop", group="web", count="many"),
    ask("run_job", job_spec='job "shop" {\n  datacenters = ["dc1"]\n}'),
    ask("run_job", job_spec=json.dumps({"Job": {"ID": "broken", "Name": "broken"}})),
    ask("run_job", job_spec=json.dumps({"Job": nomad_job("cart")})),
    ask("run_job", job_spec=""),
    ask("list_deployments", {}),
    ask("get_deployment", deployment_id="d-404"),
    ask("list_nodes", status="down"),
    ask("get_node", node_id="n1"),
    ask("get_node", node_id="n9"),
    ask("drain_node", node_id="n1", enable=True, deadline=60),
    ask("eligibility_node", node_id="n1", eligible="maybe"),
    ask("eligibility_node", node_id="n1", eligible="ineligible"),
    ask("create_namespace", name="staging"),
    ask("create_namespace", name="no such name!"),
    ask("delete_namespace", name="staging"),
    ask("delete_namespace", name="default"),
    ask("bootstrap_acl_token", {}),
    ask("list_acl_policies", {}),
    ask("create_acl_token", name="ci", type="client", policies=["readonly"]),
    ask("create_acl_token", name="ci", type="client"),
    ask("get_variable", path="shop/db"),
    ask("get_variable", path="shop/none"),
    ask("create_variable", path="shop/db", key="url", value="postgres://db2", cas=3),
    ask("create_variable", path="shop/db", key="url", value="postgres://db2"),
    ask("list_variables", {}),
    ask("list_volumes", {}),
    ask("stop_job", job_id="shop"),
    ask("get_job", job_id="slow"),
], env={"NOMAD_ADDR": "http://127.0.0.1:4646"}, missing="Nomad (a stand-in answers)", **stand_in(4646, NOMAD))

def frames(*lines):
    return "".join("\x01\0\0\0\0\0\0" + chr(len(line)) + line for line in lines)


def nothing(kind, name):
    return {"cause": f"no such {kind}", "message": f'no {kind} with name or ID "{name}" found: no such {kind}', "response": 404}


LIB = r"^/v[0-9.]+/libpod"
PODMAN = [
    route("*", "^/(v[0-9.]+/libpod/)?_ping", 200, "OK", 0, "text/plain"),
    route("GET", LIB + "/containers/json", 200, [
        {"Id": "3f2a", "Names": ["shop"], "Image": "shop:4", "State": "running", "Status": "Up 2 hours", "ExitCode": 0},
        {"Id": "77aa", "Names": ["importer"], "Image": "importer:1", "State": "exited", "Status": "Exited (1) 3 minutes ago", "ExitCode": 1}]),
    route("GET", LIB + "/containers/shop/json", 200, {"Id": "3f2a", "Name": "shop", "State": {"Status": "running", "ExitCode": 137, "OOMKilled": True, "Error": "out of memory"}}),
    route("GET", LIB + "/containers/broken/json", 500, {"cause": "input/output error", "message": "opening database /var/lib/containers/bolt_state.db: input/output error", "response": 500}),
    route("GET", LIB + "/containers/half/json", 200, '{"Id": "55'),
    route("GET", LIB + "/containers/[a-z0-9]+/json", 404, nothing("container", "shopp")),
    route("GET", LIB + "/containers/shop/logs", 200, frames("12:00 ERROR connection refused by db:5432\n", "12:02 FATAL giving up\n"), 0, "application/octet-stream"),
    route("GET", LIB + "/containers/quiet/logs", 200, "", 0, "application/octet-stream"),
    route("GET", LIB + "/containers/cut/logs", 0, ""),
    route("GET", LIB + "/containers/[a-z0-9]+/logs", 404, nothing("container", "nobody")),
    route("POST", LIB + "/containers/shop/stop", 204, ""),
    route("POST", LIB + "/containers/importer/stop", 304, ""),
    route("POST", LIB + "/containers/paused/stop", 500, {"cause": "container state improper", "message": "can only stop created or running containers. 5c is in state paused: container state improper", "response": 500}),
    route("POST", LIB + "/containers/[a-z0-9]+/stop", 404, nothing("container", "ghost")),
    route("DELETE", LIB + "/containers/importer[? ]", 200, [{"Id": "77aa", "Err": None}]),
    route("DELETE", LIB + "/containers/shop", 409, {"cause": "container state improper", "message": "cannot remove container 3f2a as it is running - running or paused containers cannot be removed without force: container state improper", "response": 409}),
    route("DELETE", LIB + "/containers/", 404, nothing("container", "ghost")),
    route("POST", LIB + "/containers/create.*denied", 500, {"cause": "unauthorized", "message": "denied/app: unauthorized: access to the requested resource is not authorized", "response": 500}),
    route("POST", LIB + "/containers/create.*nosuch", 404, {"cause": "image not known", "message": "nosuch/image: image not known", "response": 404}),
    route("POST", LIB + "/containers/create.*8080", 201, {"Id": "busyport", "Warnings": []}),
    route("POST", LIB + "/containers/create", 201, {"Id": "9c0ffee112", "Warnings": []}),
    route("POST", LIB + "/containers/busyport/start", 500, {"cause": "address already in use", "message": "rootlessport listen tcp 0.0.0.0:8080: bind: address already in use", "response": 500}),
    route("POST", LIB + "/containers/.*/start", 204, ""),
    route("GET", LIB + "/images/json", 200, [{"Id": "abc123", "RepoTags": ["localhost/shop:4"], "Size": 12345}]),
    route("POST", LIB + "/images/pull.*no-tag", 200, '{"error":"initializing source docker://docker.io/library/alpine:no-tag: reading manifest no-tag: manifest unknown"}'),
    route("POST", LIB + "/images/pull.*nohost", 200, '{"error":"initializing source docker://registry.nohost.example/a:1: pinging container registry: dial tcp: lookup registry.nohost.example: no such host"}'),
    route("POST", LIB + "/images/pull.*UPPER", 400, {"cause": "repository name must be lowercase", "message": 'failed to parse image reference: parsing reference "docker.io/UPPER": repository name must be lowercase', "response": 400}),
    route("POST", LIB + "/images/pull.*disk", 200, '{"stream":"Copying blob sha256:77"}\n{"error":"writing blob: adding layer: write /usr/lib/x: no space left on device"}'),
    route("POST", LIB + "/images/pull.*limited", 200, '{"error":"toomanyrequests: You have reached your pull rate limit. You may increase the limit by authenticating"}'),
    route("POST", LIB + "/images/pull", 200, '{"stream":"Trying to pull docker.io/library/alpine:3...\\n"}\n{"images":["05455a"],"id":"05455a"}'),
    route("POST", LIB + "/images/.*/push", 200, '{"error":"trying to reuse blob sha256:1 at destination: authentication required"}'),
    route("DELETE", LIB + "/images/remove.*shop", 409, {"cause": "image is in use by a container", "message": "image used by 3f2a: image is in use by a container", "response": 409}),
    route("DELETE", LIB + "/images/remove.*old", 200, {"Untagged": ["localhost/old:1"], "Deleted": ["ff00"], "ExitCode": 0}),
    route("DELETE", LIB + "/images/remove", 404, {"cause": "image not known", "message": "localhost/none:1: image not known", "response": 404}),
    route("POST", LIB + "/build.*Bad", 200, '{"stream":"STEP 2/2: RUN make\\n"}\n{"error":"building at STEP \\"RUN make\\": while running runtime: exit status 2"}'),
    route("POST", LIB + "/build", 200, '{"stream":"STEP 1/1: FROM scratch\\n"}\n{"stream":"COMMIT shop:5\\n"}\n{"stream":"abc123\\n"}'),
    route("GET", LIB + "/networks/json", 200, [{"name": "podman", "driver": "bridge"}]),
    route("GET", LIB + "/volumes/json", 503, "upstream connect error or disconnect/reset before headers", 0, "text/plain"),
]
PLANS["podman"] = plan("npm", "podman-mcp-server-linux-amd64", ["{base}/podman-mcp-server-linux-amd64/bin/podman-mcp-server-linux-amd64"], [
    ask("container_list", {}),
    ask("container_inspect", name="shop"),
    ask("container_inspect", name="shopp"),
    ask("container_inspect", name="broken"),
    ask("container_inspect", name="half"),
    ask("container_inspect", {}),
    ask("container_logs", name="shop"),
    ask("container_logs", name="cut"),
    ask("container_stop", name="importer"),
    ask("container_stop", name="shop"),
    ask("container_stop", name="paused"),
    ask("container_stop", name="ghost"),
    ask("container_remove", name="shop"),
    ask("container_remove", name="importer"),
    ask("container_remove", name="importer2"),
    ask("container_run", imageName="shop:4"),
    ask("container_run", imageName="shop:4", ports=["8080:80"]),
    ask("container_run", imageName="shop:4", ports=["9090:80"], environment=["MODE=test", "LEVEL=error"]),
    ask("container_run", imageName="shop:4", ports=["many"]),
    ask("container_run", imageName="denied/app"),
    ask("container_run", imageName="nosuch/image"),
    ask("container_run", {}),
    ask("container_run", imageName=""),
    ask("image_build", containerFile="{home}/Containerfile", imageName="shop:5"),
    ask("image_build", containerFile="{home}/Missing"),
    ask("image_build", containerFile="{home}/Bad", imageName="Bad"),
    ask("image_build", {}),
    ask("image_list", {}),
    ask("image_pull", imageName="alpine:3"),
    ask("image_pull", imageName="alpine:no-tag"),
    ask("image_pull", imageName="registry.nohost.example/a:1"),
    ask("image_pull", imageName="UPPER"),
    ask("image_pull", imageName="big-disk:1"),
    ask("image_pull", imageName="limited:1"),
    ask("image_push", imageName="docker.io/team/shop:4"),
    ask("image_remove", imageName="localhost/shop:4"),
    ask("image_remove", imageName="localhost/old:1"),
    ask("image_remove", imageName="localhost/none:1"),
    ask("network_list", {}),
    ask("volume_list", {}),
    ask("volume_remove", name="x"),
    ask("container_list", {}),
], env={"CONTAINER_HOST": "tcp://127.0.0.1:8888"}, missing="podman (a stand-in of its HTTP API answers)")
service = stand_in(8888, PODMAN)
service["files"] |= {"Containerfile": "FROM scratch\n", "Bad": "FROM alpine\nRUN make\n"}
PLANS["podman"] |= {"files": service["files"], "command": ["sh", "-c", service["before"] + '; exec "$@"', "sh", *PLANS["podman"]["command"]]}

REPO = {"id": 1, "name": "shop", "full_name": "ann/shop", "owner": {"login": "ann"}, "default_branch": "main", "empty": False, "open_issues_count": 2,
        "open_pr_counter": 1, "html_url": "http://127.0.0.1:3000/ann/shop", "updated_at": "2026-11-29T10:00:00Z", "description": "shop", "private": False,
        "clone_url": "http://127.0.0.1:3000/ann/shop.git", "permissions": {"admin": False, "push": True, "pull": True}}
ISSUE = {"id": 9, "number": 4, "title": "Login fails with 401", "body": "Error: token expired", "state": "open", "user": {"login": "bob"}, "labels": [],
         "assignees": None, "html_url": "http://127.0.0.1:3000/ann/shop/issues/4", "created_at": "2026-11-01T10:00:00Z", "updated_at": "2026-11-02T10:00:00Z", "comments": 0}
PULL = {"id": 5, "number": 7, "title": "Fix crash on empty cart", "body": "", "state": "open", "user": {"login": "ann"}, "mergeable": False, "merged": False, "draft": False,
        "head": {"ref": "fix", "sha": "aa11", "label": "fix"}, "base": {"ref": "main", "sha": "bb22", "label": "main"}, "labels": [], "html_url": "http://127.0.0.1:3000/ann/shop/pulls/7",
        "additions": 3, "deletions": 1, "changed_files": 1, "created_at": "2026-11-01T10:00:00Z", "updated_at": "2026-11-02T10:00:00Z"}
RUN = {"id": 31, "name": "ci", "status": "completed", "conclusion": "failure", "event": "push", "head_branch": "main", "head_sha": "aa11", "run_number": 12, "display_title": "push"}
API = "^/api/v1"
GITEA = [
    route("GET", API + "/user/orgs", 200, []),
    route("GET", API + "/orgs", 200, []),
    route("GET", API + "/user ", 200, {"id": 3, "login": "ann", "full_name": "Ann", "email": "ann@example.com", "is_admin": False}),
    route("GET", API + "/notifications", 200, []),
    route("PUT", API + "/notifications", 205, []),
    route("GET", API + "/repos/ann/shop/actions/workflows", 200, {"total_count": 1, "workflows": [{"id": "ci.yml", "name": "ci", "state": "active", "path": ".gitea/workflows/ci.yml"}]}),
    route("GET", API + "/repos/ann/shop/actions/runs/31/jobs", 200, {"total_count": 1, "jobs": [{"id": 77, "name": "test", "status": "completed", "conclusion": "failure", "steps": [
        {"name": "npm test", "status": "completed", "conclusion": "failure", "number": 1}]}]}),
    route("GET", API + "/repos/ann/shop/actions/runs/31", 200, RUN),
    route("GET", API + "/repos/ann/shop/actions/runs/", 404, {"message": "The target couldn't be found.", "url": "http://127.0.0.1:3000/api/swagger", "errors": []}),
    route("GET", API + "/repos/ann/shop/actions/runs", 200, {"total_count": 1, "workflow_runs": [RUN]}),
    route("GET", API + "/repos/ann/shop/actions/jobs/77/logs", 200, "npm test\nError: connect ECONNREFUSED 127.0.0.1:5432\n2 failed, 30 passed\n", 0, "text/plain"),
    route("GET", API + "/repos/ann/shop/actions/jobs/", 404, {"message": "job not found"}),
    route("GET", API + "/repos/ann/shop/actions/artifacts", 500, {"message": "", "url": "http://127.0.0.1:3000/api/swagger"}),
    route("POST", API + "/repos/ann/shop/actions/workflows/ci.yml/dispatches", 422, {"message": "workflow ci.yml has no workflow_dispatch event trigger"}),
    route("POST", API + "/repos/ann/shop/actions/workflows/deploy.yml/dispatches", 204, ""),
    route("POST", API + "/repos/ann/shop/actions/workflows/", 404, {"message": "workflow \"nightly.yml\" not found"}),
    route("POST", API + "/repos/ann/shop/actions/runs/31/rerun", 409, {"message": "run is not done yet"}),
    route("PUT", API + "/repos/ann/shop/actions/workflows", 403, {"message": "user should have admin access to the repository"}),
    route("GET", API + "/repos/ann/shop/issues/4/comments", 200, []),
    route("GET", API + "/repos/ann/shop/issues/4 ", 200, ISSUE),
    route("GET", API + "/repos/ann/shop/issues/", 404, {"message": "issue does not exist [id: 0, repo_id: 1, index: 44]", "errors": None}),
    route("GET", API + "/repos/ann/shop/issues", 200, [ISSUE]),
    route("GET", API + "/repos/issues/search", 200, []),
    route("GET", API + "/repos/ann/shop/labels", 200, [{"id": 1, "name": "bug"}]),
    route("POST", API + "/repos/ann/shop/issues/4/comments", 201, {"id": 100, "body": "seen", "html_url": "http://127.0.0.1:3000/ann/shop/issues/4#c100", "user": {"login": "ann"}}),
    route("POST", API + "/repos/ann/shop/issues/5/comments", 423, {"message": "issue is locked"}),
    route("POST", API + "/repos/ann/shop/issues", 201, ISSUE | {"number": 8, "title": "Import job failed"}),
    route("PATCH", API + "/repos/ann/shop/issues/4", 200, ISSUE | {"state": "closed"}),
    route("PATCH", API + "/repos/ann/shop/issues/", 404, {"message": "issue does not exist"}),
    route("GET", API + "/repos/ann/shop/pulls/7.diff", 200, "diff --git a/cart.py b/cart.py\n-    raise ValueError('empty')\n+    return 0\n", 0, "text/plain"),
    route("GET", API + "/repos/ann/shop/pulls/7/files", 200, [{"filename": "cart.py", "status": "modified", "additions": 1, "deletions": 1, "changes": 2}]),
    route("POST", API + "/repos/ann/shop/pulls/7/merge", 405, {"message": "Please try again later"}),
    route("POST", API + "/repos/ann/shop/pulls/8/merge", 409, {"message": "merge push out of date"}),
    route("POST", API + "/repos/ann/shop/pulls/7/reviews", 422, {"message": "approve your own pull is not allowed"}),
    route("GET", API + "/repos/ann/shop/pulls/7 ", 200, PULL),
    route("GET", API + "/repos/ann/shop/pulls/", 404, {"message": "pull request does not exist"}),
    route("GET", API + "/repos/ann/shop/pulls", 200, []),
    route("POST", API + "/repos/ann/shop/pulls", 409, {"message": "pull request already exists for these targets [id: 5, issue_id: 9, head_repo_id: 1, base_repo_id: 1, head_branch: fix, base_branch: main]"}),
    route("GET", API + "/repos/ann/shop/branches", 200, [{"name": "main", "commit": {"id": "aa11", "message": "x"}, "protected": True}]),
    route("POST", API + "/repos/ann/shop/branches.*release", 201, {"name": "release", "commit": {"id": "aa11"}}),
    route("POST", API + "/repos/ann/shop/branches", 409, {"message": "The branch already exists."}),
    route("GET", API + "/repos/ann/shop/commits/main/status", 200, {"state": "failure", "total_count": 1, "statuses": [{"context": "ci/test", "status": "failure", "description": "Failing after 12s"}]}),
    route("GET", API + "/repos/ann/shop/commits/", 404, {"message": "object does not exist"}),
    route("GET", API + "/repos/ann/shop/commits", 0, ""),
    route("GET", API + "/repos/ann/shop/contents/README.md", 200, {"type": "file", "path": "README.md", "name": "README.md", "sha": "cc33", "size": 12, "encoding": "base64",
                                                                    "content": base64.b64encode("# 商店\nError codes: 401, 500\n".encode()).decode()}),
    route("GET", API + "/repos/ann/shop/contents/none", 404, {"message": "object does not exist [id: , rel_path: none.md]"}),
    route("GET", API + "/repos/ann/shop/contents", 200, [{"type": "file", "path": "README.md", "name": "README.md", "sha": "cc33", "size": 12}]),
    route("*", API + "/repos/ann/shop/contents", 403, {"message": "branch main is protected: push denied"}),
    route("GET", API + "/repos/ann/shop ", 200, REPO),
    route("GET", API + "/repos/ann/slow", 200, REPO, 6),
    route("GET", API + "/repos/ann/html", 502, "<html><body><h1>502 Bad Gateway</h1>nginx</body></html>", 0, "text/html"),
    route("GET", API + "/repos/ann/odd", 200, "<html><body>Login</body></html>", 0, "text/html"),
    route("GET", API + "/repos/search", 200, {"ok": True, "data": []}),
    route("GET", API + "/user/repos", 200, [REPO]),
    route("POST", API + "/user/repos.*shop", 409, {"message": "The repository with the same name already exists."}),
    route("POST", API + "/user/repos", 429, {"message": "You have reached your limit of 10 repositories"}),
    route("*", API + "/repos/", 404, {"message": "The target couldn't be found.", "url": "http://127.0.0.1:3000/api/swagger", "errors": None}),
]
R = {"owner": "ann", "repo": "shop"}
PLANS["giteacn"] = pypi("gitea-toolkit-mcp", [
    ask("gitea_get_current_user", {}),
    ask("gitea_list_orgs", {}),
    ask("gitea_list_notifications", {}),
    ask("gitea_mark_notifications_read", all=True),
    ask("gitea_list_workflows", R),
    ask("gitea_list_workflows", {}),
    ask("gitea_list_action_runs", R | {"status": "failure"}),
    ask("gitea_get_action_run", R | {"run_id": 31}),
    ask("gitea_get_action_run", R | {"run_id": 99}),
    ask("gitea_get_job_logs", R | {"job_id": 77}),
    ask("gitea_get_job_logs", R | {"job_id": 78}),
    ask("gitea_list_artifacts", R),
    ask("gitea_dispatch_workflow", R | {"workflow_id": "ci.yml", "ref": "main"}),
    ask("gitea_dispatch_workflow", R | {"workflow_id": "deploy.yml", "ref": "main"}),
    ask("gitea_dispatch_workflow", R | {"workflow_id": "nightly.yml", "ref": "main"}),
    ask("gitea_rerun_action", R | {"run_id": 31}),
    ask("gitea_set_workflow_enabled", R | {"workflow_id": "ci.yml", "enabled": False}),
    ask("gitea_list_issues", R),
    ask("gitea_list_issues", R | {"state": "halfopen"}),
    ask("gitea_get_issue", R | {"index": 4}),
    ask("gitea_get_issue", R | {"index": 44}),
    ask("gitea_list_issue_comments", R | {"index": 4}),
    ask("gitea_create_issue", R | {"title": "Import job failed", "labels": ["bug", "ghost"]}),
    ask("gitea_create_issue", R | {"title": ""}),
    ask("gitea_update_issue", R | {"index": 4, "state": "closed"}),
    ask("gitea_update_issue", R | {"index": 4}),
    ask("gitea_update_issue", R | {"index": 4, "state": "banana"}),
    ask("gitea_comment_issue", R | {"index": 4, "body": "seen"}),
    ask("gitea_comment_issue", R | {"index": 5, "body": "seen"}),
    ask("gitea_list_pulls", R),
    ask("gitea_get_pull", R | {"index": 7}),
    ask("gitea_get_pull", R | {"index": 70}),
    ask("gitea_get_pull_diff", R | {"index": 7}),
    ask("gitea_list_pull_files", R | {"index": 7}),
    ask("gitea_create_pull", R | {"title": "x", "head": "fix", "base": "main"}),
    ask("gitea_merge_pull", R | {"index": 7}),
    ask("gitea_merge_pull", R | {"index": 8, "strategy": "squash"}),
    ask("gitea_review_pull", R | {"index": 7, "event": "APPROVED"}),
    ask("gitea_list_repos", {}),
    ask("gitea_list_repos", search="zzz"),
    ask("gitea_get_repo", R),
    ask("gitea_get_repo", owner="ann", repo="shopp"),
    ask("gitea_get_repo", owner="ann", repo="slow"),
    ask("gitea_get_repo", owner="ann", repo="html"),
    ask("gitea_get_repo", owner="ann", repo="odd"),
    ask("gitea_create_repo", name="shop"),
    ask("gitea_create_repo", name="eleven"),
    ask("gitea_list_branches", R),
    ask("gitea_create_branch", R | {"newBranch": "release"}),
    ask("gitea_create_branch", R | {"newBranch": "main"}),
    ask("gitea_list_commits", R),
    ask("gitea_get_commit_status", R | {"ref": "main"}),
    ask("gitea_get_commit_status", R | {"ref": "nope"}),
    ask("gitea_get_file", R | {"filePath": "README.md"}),
    ask("gitea_get_file", R | {"filePath": "none.md"}),
    ask("gitea_list_files", R),
    ask("gitea_commit_file", R | {"filePath": "README.md", "content": "x", "branch": "main"}),
], env={"GITEA_SERVER_URL": "http://127.0.0.1:3000", "GITEA_TOKEN": "demo-token", "GITEA_TIMEOUT_MS": "3000"}, missing="Gitea (a stand-in answers)", **stand_in(3000, GITEA))

CART = "class Cart:\n    def __init__(self):\n        self.items = []\n\n    def add(self, item):\n        if item is None:\n            raise ValueError('item not found')\n" \
       "        self.items.append(item)\n\n\ndef total(cart):\n    return sum(cart.items)\n\n\ndef report(cart):\n    print('ERROR total', total(cart))\n"
DIFF = "--- a/cart.py\n+++ b/cart.py\n@@ -11,2 +11,2 @@\n def total(cart):\n-    return sum(cart.items)\n+    return sum(i for i in cart.items)\n"
PLANS["indexio"] = plan("pypi", "indexio-cli", ["{base}/bin/python", "{base}/bin/indexio", "mcp"], [
    ask("index_stats", {}),
    ask("code_search", query="total"),
    ask("code_search", query="zebra"),
    ask("code_search", query='"item not found"'),
    ask("code_search", query="/tot[al/"),
    ask("code_search", query=""),
    ask("code_search", {}),
    ask("code_search", query="total", mode="psychic"),
    ask("code_search", query="total", limit=-2),
    ask("code_search", query="total repo:ghost"),
    ask("semantic_search", query="sum of the cart"),
    ask("semantic_search", query="sum", k=0),
    ask("semantic_search", query="sum", k="five"),
    ask("code_grep", pattern="ERROR"),
    ask("code_grep", pattern="raise .*", repo="shop"),
    ask("code_grep", pattern="(", repo="shop"),
    ask("code_grep", pattern="x{2,1}"),
    ask("code_grep", pattern="total", repo="ghost"),
    ask("list_files", pattern="**/*.py"),
    ask("list_files", pattern="*.zig"),
    ask("list_files", repo="ghost"),
    ask("find_symbol", name="total"),
    ask("find_symbol", name="nothing_here"),
    ask("find_symbol", name=""),
    ask("find_symbol", name="total", repo="ghost"),
    ask("who_calls", name="total"),
    ask("who_calls", name="report"),
    ask("who_calls", {}),
    ask("recall", query="login fails"),
    ask("file_outline", path="cart.py", repo="shop"),
    ask("file_outline", path="none.py", repo="shop"),
    ask("file_outline", path="cart.py"),
    ask("read_span", path="cart.py", repo="shop", start=5, end=8),
    ask("read_span", path="cart.py", repo="shop", start=5000),
    ask("read_span", path="cart.py", repo="shop", start=9, end=2),
    ask("read_span", path="logs/app.log", repo="shop", start=1),
    ask("read_span", path="none.py", repo="shop", start=1),
    ask("read_span", path="../../etc/passwd", repo="shop", start=1),
    ask("impact_of_symbol", names=["total"]),
    ask("impact_of_symbol", names=["nope"]),
    ask("impact_of_symbol", names=[]),
    ask("impact_of_diff", repo="shop", diff=DIFF),
    ask("impact_of_diff", repo="shop", diff="not a diff"),
    ask("impact_of_diff", repo="shop", base="v9"),
    ask("impact_of_diff", repo="shop"),
    ask("impact_of_diff", repo="ghost", diff=DIFF),
    ask("refresh_index", repo="shop"),
    ask("refresh_index", repo="ghost"),
    ask("refresh_index", repo="gone"),
    ask("delete_repo", repo="shop"),
], before="{base}/bin/python {base}/bin/indexio add {home}/shop >/dev/null 2>&1; {base}/bin/python {base}/bin/indexio add {home}/gone >/dev/null 2>&1; rm -r gone",
    files={"shop/cart.py": CART, "shop/logs/app.log": "12:00 ERROR timeout\n12:01 FATAL out of memory\n", "shop/README.md": "# Shop\nError codes: 404, 500\n", "gone/a.py": "x = 1\n"},
    missing="a model for embeddings; git repositories")

BODY = [{"type": "h", "text": "Ⅰ. 추진 배경"}, {"type": "l1", "text": "고객 문의 오류 응답 지연으로 개선 필요"}, {"type": "l2", "text": "로그인 오류(401) 문의 월 120건 발생"},
        {"type": "table", "caption": "오류 현황", "rows": [["구분", "건수"], ["실패", "12"], ["성공", "108"]]}]
REPORT = {"title": "장애 대응 추진계획(안)", "date": "2026. 11. 30.", "dept": "정보과", "body": BODY}
PRESS = {"title": "새 창구 연다", "body": [{"type": "p", "text": "시는 30일 새 창구를 연다고 밝혔다."}], "contact": {"dept": "정보과", "people": []}}
PLANS["hwpx"] = pypi("korean-report-hwpx", [
    ask("get_writing_guide", doc_type="report"),
    ask("get_writing_guide", doc_type="press_release"),
    ask("get_writing_guide", doc_type="auto"),
    ask("get_writing_guide", doc_type="memo"),
    ask("get_writing_guide", doc_type="press_release", ministry="경찰청"),
    ask("list_ministries", {}),
    ask("get_rules", {}),
    ask("get_rules", ministry="경찰청"),
    ask("get_rules", doc_type="official"),
    ask("get_rules", ministry="경찰청", doc_type="press_release"),
    ask("get_rules", ministry="없는부"),
    ask("check_structure", structure=REPORT),
    ask("check_structure", structure={"title": "x"}),
    ask("check_structure", structure={"body": BODY}),
    ask("check_structure", structure={"title": "x", "body": [{"type": "l3", "text": "□ 두 문장이다. 또 문장이다."}]}),
    ask("check_structure", structure={"title": "x", "body": [{"type": "poem", "text": "a"}]}),
    ask("check_structure", structure={"title": "x", "body": [{"type": "l1"}]}),
    ask("check_structure", structure={"title": "x", "body": [{"type": "table", "rows": [["a", "b"], ["c"]]}]}),
    ask("check_structure", structure={"title": "x", "body": "text"}),
    ask("check_structure", structure="{bad"),
    ask("check_structure", structure=json.dumps(REPORT, ensure_ascii=False)),
    ask("check_structure", structure=PRESS, doc_type="press_release"),
    ask("check_structure", structure={"title": "회의 개최 알림", "body": []}, doc_type="official"),
    ask("build_document", structure=REPORT, out_path="{home}/a.hwpx"),
    ask("build_document", structure=REPORT, out_path="{home}/a.hwpx", ministry="경찰청"),
    ask("build_document", structure=REPORT, export_markdown=True),
    ask("build_document", structure=REPORT, out_path="/usr/a.hwpx"),
    ask("build_document", structure=REPORT, ministry="없는부"),
    ask("build_document", structure=PRESS, doc_type="press_release"),
    ask("build_document", structure=PRESS, doc_type="press_release", ministry="경찰청"),
    ask("build_document", structure={"title": "x", "body": [{"type": "image", "path": "{home}/none.png", "width_mm": 50}]}),
    ask("build_document", structure=REPORT, style="fancy"),
    ask("build_document", structure=REPORT, style="simplified"),
    ask("build_document", structure=REPORT, report_kind="internal"),
    ask("build_document", structure=[1, 2]),
    ask("build_from_structure", structure={"title": "", "body": BODY}),
    ask("build_from_structure", structure=REPORT, polish=True),
    ask("build_pdf", structure=REPORT),
], missing="nothing")
