"""Which servers of `fresh` ../record.py starts, how, and what it asks them."""

import io
import json
import zipfile

import record_files as files
from record_plans import ask, npm, plan, pypi

PLANS = {}


def xlsx(rows):
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml."
    main, rel = "http://schemas.openxmlformats.org/spreadsheetml/2006/main", \
        "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006/"
    cells = "".join(f'<row r="{r}">' + "".join(
        f'<c r="{"ABCDEFGH"[c]}{r}"><v>{v}</v></c>' if isinstance(v, (int, float)) else
        f'<c r="{"ABCDEFGH"[c]}{r}"><f>{v[1:]}</f></c>' if v.startswith("=") else
        f'<c r="{"ABCDEFGH"[c]}{r}" t="inlineStr"><is><t>{v}</t></is></c>' for c, v in enumerate(row)) + "</row>"
        for r, row in enumerate(rows, 1))
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{package}content-types"><Default Extension="rels" '
        f'ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" '
        f'ContentType="{kind}sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="{kind}worksheet+xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{package}relationships"><Relationship Id="rId1" Type="{rel}/officeDocument" '
        f'Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{main}" xmlns:r="{rel}"><sheets><sheet name="Sales" sheetId="1" r:id="rId1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{package}relationships"><Relationship Id="rId1" '
        f'Type="{rel}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{main}"><sheetData>{cells}</sheetData></worksheet>',
    }
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, text in parts.items():
            archive.writestr(zipfile.ZipInfo(name), '<?xml version="1.0" encoding="UTF-8"?>' + text)
    return out.getvalue()


APP = """from textual.app import App, ComposeResult
from textual.widgets import Button, Input, Label, Header

class Shop(App):
    def compose(self) -> ComposeResult:
        yield Header()
        yield Label("Could not connect to the printer", id="status")
        yield Input(placeholder="Name", id="name")
        yield Button("Save", id="save")
        yield Button("Crash", id="crash")
        yield Button("Off", id="off", disabled=True)

    def on_button_pressed(self, event):
        if event.button.id == "crash":
            raise RuntimeError("database is locked")
        self.query_one("#status", Label).update("saved " + self.query_one("#name", Input).value)
"""
PLANS["textual"] = pypi("textual-mcp-server", [
    ask("textual_snapshot", session_id="shop"),
    ask("textual_launch", app_path="{home}/none.py", session_id="shop"),
    ask("textual_launch", app_path="{home}/plain.py", session_id="shop"),
    ask("textual_launch", app_path="{home}/broken.py", session_id="shop"),
    ask("textual_launch", app_path="nosuchmodule.app:Main", session_id="shop"),
    ask("textual_launch", app_path="{home}/needs.py", session_id="shop"),
    ask("textual_launch", app_path="{home}/raises.py", session_id="raises"),
    ask("textual_launch", app_path="{home}/shop.py", session_id="shop", size=[60, 14]),
    ask("textual_launch", app_path="{home}/shop.py", session_id="shop", size=[60, 14]),
    ask("textual_launch", app_path="{home}/shop.py", session_id="tiny", size=[0, 0]),
    ask("textual_snapshot", session_id="shop"),
    ask("textual_query", session_id="shop", selector="#status"),
    ask("textual_query", session_id="shop", selector="Slider"),
    ask("textual_query", session_id="shop", selector="#sta[tus"),
    ask("textual_click", session_id="shop", selector="#nothing"),
    ask("textual_click", session_id="shop", selector="#save"),
    ask("textual_click", session_id="shop", selector="#save", offset=[900, 900]),
    ask("textual_click", session_id="shop", selector="#save", times=0),
    ask("textual_click", session_id="shop", selector="#off"),
    ask("textual_hover", session_id="shop", selector="##"),
    ask("textual_type_text", session_id="shop", text="Ann", submit=True),
    ask("textual_press", session_id="shop", keys=["tab", "not-a-key"]),
    ask("textual_press", session_id="shop", keys=[]),
    ask("textual_wait_for", session_id="shop", condition="idle", timeout=2),
    ask("textual_wait_for", session_id="shop", condition="widget", selector="#done", timeout=1),
    ask("textual_wait_for", session_id="shop", condition="widget", selector="#status", text="all printed", timeout=0.5),
    ask("textual_wait_for", session_id="shop", condition="widget"),
    ask("textual_wait_for", session_id="shop", condition="full moon"),
    ask("textual_screenshot", session_id="shop", format="png"),
    ask("textual_screenshot", session_id="other"),
    ask("textual_click", session_id="shop", selector="#crash"),
    ask("textual_check_errors", session_id="shop"),
    ask("textual_type_text", session_id="shop", text="Bob"),
    ask("textual_get_screen_stack", session_id="shop"),
    ask("textual_stop", session_id="shop"),
    ask("textual_stop", session_id="shop"),
    ask("textual_press", session_id="shop", keys=["enter"]),
    ask("textual_launch", app_path="{home}", session_id="folder"),
], script="textual-mcp", files={"shop.py": APP, "plain.py": "print('no app here')\n", "broken.py": "class App(:\n",
                                "needs.py": "import pandas_of_tomorrow\n",
                                "raises.py": "from textual.app import App\n\nclass Bad(App):\n    def on_mount(self):\n"
                                "        raise ValueError('settings.toml is missing the key theme')\n"}, missing="nothing")

PLANS["python-repl"] = pypi("mcp-python", [
    ask("list_variables", {}),
    ask("execute_python", code="total = sum([3, 5, 10])\nprint(total)"),
    ask("execute_python", code="total / 0"),
    ask("execute_python", code="print(totals)"),
    ask("execute_python", code="open('{home}/none.csv')"),
    ask("execute_python", code="open('{home}/notes.txt', 'x')"),
    ask("execute_python", code="open('/usr/bin/python9', 'w')"),
    ask("execute_python", code="for i in range(3)\n    print(i)"),
    ask("execute_python", code="print('unclosed"),
    ask("execute_python", code="import pandas_of_tomorrow"),
    ask("execute_python", code="[1, 2, 3][9]"),
    ask("execute_python", code="{'a': 1}['b']"),
    ask("execute_python", code="int('twelve')"),
    ask("execute_python", code="import socket; socket.create_connection(('127.0.0.1', 5432), timeout=1)"),
    ask("execute_python", code="import urllib.request; urllib.request.urlopen('http://api.example.com/v1', timeout=2)"),
    ask("execute_python", code="import subprocess; subprocess.run(['ffmpeg9', '-version'], check=True)"),
    ask("execute_python", code="import subprocess; subprocess.run(['false'], check=True)"),
    ask("execute_python", code="import subprocess; subprocess.run(['sleep', '3'], timeout=0.3)"),
    ask("execute_python", code="raise RuntimeError('database connection lost')"),
    ask("execute_python", code="raise TimeoutError('timed out waiting for element #save')"),
    ask("execute_python", code="import json; json.loads('{\"a\": ')"),
    ask("execute_python", code="def f(n): return f(n + 1)\nf(0)"),
    ask("execute_python", code="assert total == 19, 'total is wrong'"),
    ask("execute_python", code="try:\n    1 / 0\nexcept ZeroDivisionError as e:\n    print('Error:', e)"),
    ask("execute_python", code="print('ERROR connection refused by backend (from log line 7)')"),
    ask("execute_python", code="import sys; print('warning: disk almost full', file=sys.stderr)"),
    ask("execute_python", code=""),
    ask("execute_python", code="x = 'a' * 5\nx.push('b')"),
    ask("execute_python", code="from os import nothing_like_this"),
    ask("list_variables", {}),
    ask("execute_python", code="del unknown_name"),
    ask("execute_python", code="print(total)", reset=True),
    ask("install_package", package="requests"),
    ask("install_package", package="no package; rm -rf"),
    ask("install_package", package=""),
    ask("execute_python", {}),
    ask("run_shell", command="ls"),
], files={"notes.txt": "milk\n"}, missing="uv and the package index")

PLANS["code-editor"] = pypi("code-editor-mcp", [
    ask("config_ops", action="list_roots"),
    ask("config_ops", action="set_root", path="{home}/none"),
    ask("config_ops", action="set_root", path="{home}/notes.txt"),
    ask("config_ops", action="set_root", path="work"),
    ask("config_ops", action="reload"),
    ask("config_ops", action="get_info", path="{home}/notes.txt"),
    ask("config_ops", action="get_info", path="/etc/hosts"),
    ask("read_files", requests=[{"path": "{home}/notes.txt", "mode": "all"}]),
    ask("read_files", requests=[{"path": "{home}/none.txt", "mode": "all"}]),
    ask("read_files", requests=[{"path": "{home}/notes.txt", "mode": "range", "start_line": 90, "line_count": 2}]),
    ask("read_files", requests=[{"path": "{home}/notes.txt", "mode": "head"}]),
    ask("read_files", requests=[]),
    ask("read_files", requests=[{"cursor": "bm90IGEgY3Vyc29y", "mode": "all"}]),
    ask("read_files", requests=[{"path": "{home}/pic.png", "mode": "all"}, {"path": "{home}/none.txt", "mode": "all"}]),
    ask("file_ops", action="write", file_path="{home}/new.txt", content="first\n"),
    ask("file_ops", action="write", file_path="/etc/passwd", content="x"),
    ask("file_ops", action="write", file_path="notes.txt", content="x"),
    ask("file_ops", action="append", file_path="{home}/new.txt"),
    ask("file_ops", action="write", file_path="{home}/new.txt", content="second\n", expected_mtime=12345.0),
    ask("file_ops", action="copy", source_path="{home}/notes.txt", destination_path="{home}/new.txt"),
    ask("file_ops", action="move", source_path="{home}/gone.txt", destination_path="{home}/here.txt"),
    ask("file_ops", action="delete", file_path="{home}/gone.txt"),
    ask("file_ops", action="delete", file_path="{home}/sub"),
    ask("file_ops", action="delete", file_path="{home}/new.txt"),
    ask("file_ops", action="rename", file_path="{home}/new.txt"),
    ask("edit_blocks", edits=[{"file_path": "{home}/notes.txt", "old_string": "milk", "new_string": "oat milk"}]),
    ask("edit_blocks", edits=[{"file_path": "{home}/notes.txt", "old_string": "cheese", "new_string": "feta"}]),
    ask("edit_blocks", edits=[{"file_path": "{home}/notes.txt", "old_string": "e", "new_string": "E"}]),
    ask("edit_blocks", edits=[{"file_path": "{home}/notes.txt", "old_string": "", "new_string": "x"}]),
    ask("edit_blocks", edits=[{"path": "{home}/notes.txt", "old_string": "a", "new_string": "b"}]),
    ask("edit_blocks", edits=[{"file_path": "{home}/pic.png", "old_string": "a", "new_string": "b"}]),
    ask("edit_blocks", edits=[{"file_path": "{home}/notes.txt", "old_string": "bread", "new_string": "rye"},
                              {"file_path": "{home}/none.txt", "old_string": "a", "new_string": "b"}], error_policy="continue"),
    ask("edit_blocks", edits=[{"file_path": "{home}/notes.txt", "old_string": "rye", "new_string": "x"}], error_policy="hope"),
    ask("dir_ops", action="list", dir_path="{home}", format="flat"),
    ask("dir_ops", action="list", dir_path="{home}/notes.txt"),
    ask("dir_ops", action="list", dir_path="{home}/none"),
    ask("dir_ops", action="delete", dir_path="{home}/sub"),
    ask("dir_ops", action="delete", dir_path="{home}/sub", expected_mtime=1.0, confirm_token="yes", allow_nonempty=False),
    ask("convert_file_encoding", file_paths=["{home}/notes.txt"], source_encoding="utf-8", target_encoding="latin-9"),
    ask("convert_file_encoding", file_paths=["{home}/none.txt"], source_encoding="utf-8", target_encoding="gbk"),
], script="code-editor", env={"CODE_EDIT_ALLOWED_ROOTS": "{home}", "PYTHONPATH": "/tmp/editor"},
   before="mkdir /tmp/editor; cp -r /app/lib/python3.11/site-packages/server.py /app/lib/python3.11/site-packages/tools /tmp/editor",
   files={"notes.txt": "milk\nbread\neggs\n", "pic.png": files.picture(), "sub/a.txt": "a\n"}, missing="nothing")

PLANS["rs232"] = pypi("mcp-rs232", [
    ask("list_ports_tool", {}),
    ask("open_port", port="/dev/ttyUSB0"),
    ask("open_port", port="COM3", baud_rate=115200),
    ask("open_port", port=""),
    ask("open_port", port="/dev/ttyUSB0", baud_rate=12345),
    ask("open_port", port="/dev/ttyUSB0", parity="odd"),
    ask("open_port", port="/dev/ttyUSB0", parity="Q"),
    ask("open_port", port="/dev/ttyUSB0", stop_bits=3),
    ask("open_port", port="/dev/ttyUSB0", data_bits=12),
    ask("open_port", port="/dev/ttyUSB0", timeout=-5),
    ask("open_port", port="/dev/null"),
    ask("open_port", port="{home}/notes.txt"),
    ask("open_port", port="loop://"),
    ask("open_port", port="socket://127.0.0.1:4001"),
    ask("open_port", port="/dev/ttyS0", baud_rate=9600, parity="N", stop_bits=1, data_bits=8, timeout=1),
    ask("open_port", port="tty with spaces"),
    ask("read_port", port="/dev/ttyUSB0"),
    ask("read_port", port="/dev/ttyUSB0", size=-1),
    ask("read_port", port="/dev/ttyUSB0", size=16, timeout=0.1),
    ask("read_port", port=""),
    ask("write_port", port="/dev/ttyUSB0", data="48656c6c6f"),
    ask("write_port", port="/dev/ttyUSB0", data="Hello"),
    ask("write_port", port="/dev/ttyUSB0", data=""),
    ask("write_port", port="COM3", data="0x41"),
    ask("get_port_config", port="/dev/ttyUSB0"),
    ask("get_port_config", port=""),
    ask("close_port", port="/dev/ttyUSB0"),
    ask("close_port", port="loop://"),
    ask("open_port", {}),
    ask("write_port", port="/dev/ttyUSB0", data=7),
    ask("flush_port", port="/dev/ttyUSB0"),
    ask("list_ports_tool", {}),
], files={"notes.txt": "x\n"}, missing="serial ports")

PLANS["docker"] = npm("@0xshariq/docker-mcp-server", "dist/index.js", [
    ask("docker-list", category="basic"),
    ask("docker-images", {}),
    ask("docker-images", filter="nginx"),
    ask("docker-containers", all=True),
    ask("docker-logs", containerId="web", tail=20),
    ask("docker-logs", containerId=""),
    ask("docker-pull", imageName="nginx:latest"),
    ask("docker-pull", imageName=""),
    ask("docker-pull", imageName="Nginx; rm -rf /"),
    ask("docker-build", contextPath="{home}/site", tag="site:1"),
    ask("docker-build", contextPath="{home}/none"),
    ask("docker-build", contextPath=""),
    ask("docker-compose", command="up -d"),
    ask("docker-compose", command=""),
    ask("docker-network", action="ls"),
    ask("docker-network", action="create"),
    ask("docker-network", action="explode", networkName="x"),
    ask("docker-volume", action="remove", volumeName="data"),
    ask("docker-volume", action="fill"),
    ask("docker-run", imageName="redis", options={"name": "cache", "ports": ["6379:6379"]}),
    ask("docker-inspect", objectType="container", objectId="web"),
    ask("docker-inspect", objectType="planet", objectId="mars"),
    ask("docker-exec", containerId="web", command="ls /"),
    ask("docker-exec", containerId="web", command=""),
    ask("docker-prune", objectType="images"),
    ask("docker-prune", objectType="everything"),
    ask("docker-login", registryUrl="registry.example.net", username="ann"),
    ask("docker-logout", registry="registry.example.net"),
    ask("docker-bridge", action="inspect"),
    ask("docker-bridge", action="connect", bridgeName="net"),
    ask("docker-publish", imageName="site", tag="1", registry="example"),
    ask("docker-restart", containers=[]),
    ask("docker-stop", containers=["web"], timeout=3),
    ask("docker-start", containers=["web", "db"]),
    ask("docker-remove", containers=["web"], force=True),
    ask("docker-clean", scope="cache"),
    ask("docker-dev", command="status"),
    ask("docker-reset", level="soft"),
    ask("docker-teleport", x=1),
], files={"site/Dockerfile": "FROM scratch\n"}, missing="docker")

PLANS["ssh-manager"] = npm("mcp-ssh-manager", "src/index.js", [
    ask("ssh_list_servers", {}),
    ask("ssh_execute", server="web", command="uptime"),
    ask("ssh_execute", server="nowhere", command="uptime"),
    ask("ssh_execute", server="prod", command="rm -rf /var/www"),
    ask("ssh_execute", server="keyed", command="id"),
    ask("ssh_upload", server="web", localPath="{home}/none.txt", remotePath="/tmp/none.txt"),
    ask("ssh_upload", server="prod", localPath="{home}/notes.txt", remotePath="/tmp/notes.txt"),
    ask("ssh_download", server="web", remotePath="/etc/motd", localPath="/nonexistent/motd"),
    ask("ssh_sync", server="web", source="{home}", destination="/srv/app"),
    ask("ssh_sync", server="web", source="local:{home}/none", destination="remote:/srv/app"),
    ask("ssh_sync", server="keyed", source="local:{home}/none", destination="remote:/srv/app"),
    ask("ssh_tail", server="web", file="/var/log/syslog", lines=5),
    ask("ssh_monitor", server="web", type="memory"),
    ask("ssh_session_start", server="web", name="deploy"),
    ask("ssh_session_send", session="ssh_1", command="pwd"),
    ask("ssh_session_close", session="ssh_1"),
    ask("ssh_session_list", {}),
    ask("ssh_execute_group", group="frontends", command="uptime"),
    ask("ssh_group_manage", action="create"),
    ask("ssh_group_manage", action="create", name="frontends", servers=["web"], description="fronts"),
    ask("ssh_group_manage", action="create", name="frontends", servers=["web"]),
    ask("ssh_group_manage", action="delete", name="backends"),
    ask("ssh_group_manage", action="add-servers", name="frontends", servers=[]),
    ask("ssh_execute_group", group="frontends", command="uptime"),
    ask("ssh_command_alias", action="add", alias="up"),
    ask("ssh_command_alias", action="remove", alias="nothing"),
    ask("ssh_hooks", action="enable", hook="pre-lunch"),
    ask("ssh_profile", action="switch", profile="kitchen"),
    ask("ssh_connection_status", action="disconnect"),
    ask("ssh_connection_status", action="reconnect", server="web"),
    ask("ssh_tunnel_create", server="web", type="local", localPort=8080),
    ask("ssh_tunnel_close", {}),
    ask("ssh_tunnel_close", tunnelId="t-9"),
    ask("ssh_key_manage", action="verify", server="web"),
    ask("ssh_alias", action="add", alias="w", server="nowhere"),
    ask("ssh_alias", action="remove", alias="zz"),
    ask("ssh_db_query", server="prod", type="mysql", database="shop", query="DELETE FROM orders"),
    ask("ssh_backup_restore", server="prod", backupId="b-1"),
    ask("ssh_alert_setup", server="web", action="get"),
    ask("ssh_history", limit=5),
], env={"SSH_SERVER_WEB_HOST": "127.0.0.1", "SSH_SERVER_WEB_USER": "demo", "SSH_SERVER_WEB_PASSWORD": "demo",
        "SSH_SERVER_PROD_HOST": "prod.example.net", "SSH_SERVER_PROD_USER": "demo", "SSH_SERVER_PROD_PASSWORD": "demo",
        "SSH_SERVER_PROD_MODE": "readonly", "SSH_SERVER_KEYED_HOST": "127.0.0.1", "SSH_SERVER_KEYED_USER": "demo",
        "SSH_SERVER_KEYED_KEYPATH": "{home}/none_ed25519"}, files={"notes.txt": "x\n"}, missing="an SSH server, a key")

GAME = """import socketserver, time

class Game(socketserver.StreamRequestHandler):
    def handle(self):
        self.wfile.write(b"You stand in a hall.\\n> ")
        for line in self.rfile:
            word = line.decode().strip()
            if word == "quit":
                self.wfile.write(b"Bye.\\n"); return
            if word == "crash":
                self.wfile.write(b"The floor gives w"); return
            if word == "sleep":
                time.sleep(4)
            if word == "silent":
                continue
            say = {"open door": "ERROR: the door is locked. Access denied.", "look": "A hall. A door. A lamp.",
                   "take sword": "I can't find any sword here.", "": "Pardon?"}.get(word, "Failed: unknown command '%s'." % word)
            self.wfile.write((say + "\\n> ").encode())

socketserver.ThreadingTCPServer.allow_reuse_address = True
socketserver.ThreadingTCPServer(("127.0.0.1", 3000), Game).serve_forever()
"""


def turn(command, **more):
    return ask("text_adventure", {"command": command, **more})


PLANS["text-adventure"] = pypi("text-adventure-mcp", [
    turn("look"),
    turn("open door"),
    turn("take sword"),
    turn("dance"),
    turn(""),
    turn("look\nopen door"),
    turn("look", settle_ms=-1),
    turn("look", timeout_ms=900000),
    turn("look", address="localhost"),
    turn("look", address="localhost:"),
    turn("look", address=":3000"),
    turn("look", address="localhost:port"),
    turn("look", address="localhost:99999"),
    turn("look", address="localhost:0"),
    turn("look", address=""),
    turn("look", address="127.0.0.1:3999"),
    turn("look", address="game.example.net:23", timeout_ms=4000),
    turn("look", address="10.255.0.1:23", timeout_ms=1000),
    turn("look", address="[::1]:3000"),
    turn("silent", timeout_ms=800),
    turn("sleep", timeout_ms=500),
    turn("look", timeout_ms=300),
    turn("look", settle_ms=5200),
    turn("crash"),
    turn("look"),
    turn("quit"),
    turn("look", timeout_ms=0),
    turn("look"),
    turn("take lamp " * 200),
    turn("quit"),
    ask("text_adventure", {}),
    turn("look", settle_ms="soon"),
    turn("look", address="127.0.0.1:3000", settle_ms=100, timeout_ms=50),
    turn("look\r\n"),
    ask("send_line", command="x"),
], files={"game.py": GAME}, before="/app/bin/python game.py >/dev/null 2>&1 & sleep 1", missing="most of the services named")

PLANS["modbus"] = pypi("labmcp-modbus", [
    ask("get_connection_info", {}),
    ask("list_points", {}),
    ask("read_points", {}),
    ask("read_points", names=["process_temperature"]),
    ask("read_points", names=["pressure"]),
    ask("read_points", names=[]),
    ask("read_registers", address=0, count=2, table="input"),
    ask("read_registers", address=900, count=2),
    ask("read_registers", address=0, count=0),
    ask("read_registers", address=0, count=3, decode_as="float32"),
    ask("read_registers", address=2, count=2, table="input", decode_as="float32"),
    ask("read_coils", address=0, count=1),
    ask("read_coils", address=400, count=8),
    ask("read_discrete_inputs", address=0, count=2),
    ask("read_discrete_inputs", address=77, count=2),
    ask("write_point", name="setpoint", value=80),
    ask("write_point", name="setpoint", value=5000),
    ask("write_point", name="setpoint", value="hot"),
    ask("write_point", name="process_temperature", value=20),
    ask("write_point", name="warp_factor", value=9),
    ask("write_point", name="control_mode", value="sideways"),
    ask("write_point", name="output_enable", value="maybe"),
    ask("write_register", address=0, value=70000),
    ask("write_register", address=999, value=1),
    ask("write_register", address=0, value=7),
    ask("write_registers", address=0, values=[7, 8]),
    ask("write_registers", address=998, values=[7, 8]),
    ask("read_registers", address=0, count=1, decode_as="int32"),
    ask("read_points", names=["setpoint", "pressure"]),
    ask("write_point", name="setpoint", value=-400),
    ask("write_point", name="control_mode", value="manual"),
    ask("write_coil", address=500, value=True),
    ask("write_coil", address=0, value=True),
    ask("apply_safe_state", {}),
    ask("reconnect", {}),
    ask("get_command_log", limit=3),
    ask("get_command_log", limit=-3),
    ask("read_file_record", file=1),
], args=["--simulate"], missing="the device (simulated)")

FAMILY = "parent(tom, bob)\nparent(bob, ann)\nancestor($x, $y) IF parent($x, $y)\n"
PLANS["euclid"] = pypi("euclid-mcp", [
    ask("reason", knowledge=FAMILY, query="? ancestor(tom, $who)"),
    ask("reason", knowledge=FAMILY),
    ask("reason", query="? ancestor(tom, $who)"),
    ask("reason", knowledge="", query="? a($x)"),
    ask("reason", knowledge="parent(tom, bob", query="? parent(tom, $x)"),
    ask("reason", knowledge="parent(tom, \"bob)", query="? parent(tom, $x)"),
    ask("reason", knowledge=FAMILY, query="? ancestor(tom,"),
    ask("reason", knowledge=FAMILY, query="ancestor & tom"),
    ask("reason", knowledge=FAMILY, query="? ancestor(tom, $X9)"),
    ask("reason", knowledge=FAMILY, query="? ancestor(tom, $who)", max_solutions=0),
    ask("reason", knowledge=FAMILY, query="? ancestor(tom, $who)", max_depth=-4),
    ask("reason", kb_id="family", query="? ancestor(tom, $who)"),
    ask("reason", kb_id="family", knowledge=FAMILY, query="? ancestor(tom, $who)"),
    ask("reason", knowledge="facts:\n  - parent(tom, bob)\n rules: [", query="? parent(tom, $x)"),
    ask("register_kb", kb_id="family", knowledge=FAMILY),
    ask("register_kb", kb_id="", knowledge=FAMILY),
    ask("register_kb", kb_id="bad id!", knowledge=FAMILY),
    ask("register_kb", kb_id="broken", knowledge="mortal($x) IF"),
    ask("register_kb", kb_id="empty", knowledge=""),
    ask("register_kb", kb_id="huge", knowledge="p(a)\n" * 400),
    ask("list_kbs", {}),
    ask("reason", kb_id="family", query="? ancestor(tom, $who)"),
    ask("unregister_kb", kb_id="nobody"),
    ask("unregister_kb", kb_id="family"),
    ask("explain", knowledge=FAMILY, query="? ancestor(tom, ann)"),
    ask("explain", kb_id="family", query="? ancestor(tom, ann)"),
    ask("diagnose", knowledge=FAMILY, query="? ancestor(ann, tom)", mode="why_not"),
    ask("diagnose", knowledge=FAMILY, query="? ancestor(ann, tom)", mode="whence"),
    ask("diagnose", knowledge=FAMILY),
    ask("what_if", base_knowledge=FAMILY, modifications="+ parent(ann, eve)", query="? ancestor(tom, $w)"),
    ask("what_if", base_knowledge=FAMILY, modifications="parent(ann, eve)", query="? ancestor(tom, $w)"),
    ask("what_if", base_knowledge=FAMILY, modifications="", query="? ancestor(tom, $w)"),
    ask("check_kb", knowledge=FAMILY + "ancestor($x) IF grand($x)\n"),
    ask("check_kb", knowledge="p(a) IF p(a)\n$x\n"),
    ask("check_kb", {}),
    ask("prove", x=1),
], missing="nothing")

TODO = "{last:\"id\": ?\"([0-9a-zA-Z_-]+)\"}"
PLANS["toolkit"] = pypi("agent-toolkit-mcp-server", [
    ask("note_write", name="plan", content="# Plan\n\n## Steps\n\nerror handling first\n", tags="work"),
    ask("note_write", name="plan", content="# Other\n", expected_revision=9),
    ask("note_write", name="../etc/passwd", content="x"),
    ask("note_write", name="", content="x"),
    ask("note_read", name="plan", mode="section", section="Budget"),
    ask("note_read", name="plan", mode="section"),
    ask("note_read", name="plan", mode="backwards"),
    ask("note_read", name="diary"),
    ask("note_find", name="plan", query="error"),
    ask("note_edit", name="plan", content="x", line_start=90, line_end=95),
    ask("note_edit", name="plan", content="x", section="Steps", line_start=1),
    ask("note_append_section", name="plan", heading="Costs", content="3"),
    ask("note_rename", name="diary", new_name="journal"),
    ask("note_rename", name="plan", new_name="plan"),
    ask("note_search", query="\"unbalanced"),
    ask("note_list", project="shop"),
    ask("todo_create", text="Call printer"),
    ask("todo_lock", id=TODO),
    ask("todo_complete", id=TODO),
    ask("todo_delete", id=TODO),
    ask("todo_add_blocker", id=TODO, blocker_id=TODO),
    ask("todo_update", id="none", status="done"),
    ask("todo_unlock", id=TODO),
    ask("todo_update", id=TODO, status="almost"),
    ask("todo_create", text="", blockers="zzz"),
    ask("todo_comment_edit", comment_id="c9", body="x"),
    ask("timer_set", name="tea", fire_in_seconds=-3),
    ask("timer_set", name="tea", fire_at="half past nine"),
    ask("timer_cancel", id="t9"),
    ask("fire_when_idle_all", name="w", todo_ids="nope"),
    ask("project_register", name="shop", path="{home}/none"),
    ask("project_register", name="shop", path="shop"),
    ask("project_register", name="home", path="{home}"),
    ask("project_register", name="home", path="{home}"),
    ask("project_resolve", name="home", relative_path="../../etc"),
    ask("project_doc_read", project="home", name="readme"),
    ask("template_create", name="greet", template="Hello {who}, failed {count} times"),
    ask("template_render", id_or_name="greet", variables="{\"who\": "),
    ask("template_render", id_or_name="greet", variables="{\"who\": \"Ann\"}"),
    ask("template_create", name="greet", template="x"),
], missing="nothing")

PLANS["arduino"] = pypi("arduino-cli-mcp", [
    ask("check", {}),
    ask("list", {}),
    ask("compile", sketch_path="{home}/blink/blink.ino", fqbn="arduino:avr:uno"),
    ask("compile", sketch_path="{home}/none.ino", fqbn="arduino:avr:uno"),
    ask("compile", sketch_path="{home}/notes.txt", fqbn="arduino:avr:uno"),
    ask("compile", sketch_path="", fqbn="arduino:avr:uno"),
    ask("compile", sketch_path="{home}/blink/blink.ino", fqbn=""),
    ask("compile", sketch_path="{home}/blink", fqbn="toaster"),
    ask("upload", sketch_path="{home}/blink/blink.ino", port="/dev/ttyACM0", fqbn="arduino:avr:uno"),
    ask("upload", hex_path="{home}/none.hex", port="/dev/ttyACM0", fqbn="arduino:avr:uno"),
    ask("upload", hex_path="{home}/blink.hex", port="/dev/ttyACM0", fqbn="arduino:avr:uno"),
    ask("upload", port="/dev/ttyACM0", fqbn="arduino:avr:uno"),
    ask("upload", sketch_path="{home}/none.ino", port="/dev/ttyACM0", fqbn="arduino:avr:uno"),
    ask("upload", sketch_path="{home}/blink/blink.ino", port="", fqbn="arduino:avr:uno"),
    ask("install_board", platform_id="arduino:avr"),
    ask("install_board", platform_id=""),
    ask("install_library", library_name="Servo"),
    ask("install_library", library_name=""),
    ask("search_library", query="servo"),
    ask("search_library", query=""),
    ask("list_libraries", {}),
    ask("uninstall_library", library_name="Servo"),
    ask("library_examples", library_name="Servo"),
    ask("library_examples", library_name="NoSuchLibrary"),
    ask("load_example", library_name="Servo", example_name="Sweep"),
    ask("diagnose_error", error_output="blink.ino:3:1: error: 'ledpin' was not declared in this scope"),
    ask("diagnose_error", error_output="fatal error: Servo.h: No such file or directory\ncompilation terminated."),
    ask("diagnose_error", error_output=""),
    ask("auto_install_libs", sketch_path="{home}/blink/blink.ino"),
    ask("auto_install_libs", sketch_path="{home}/none.ino"),
    ask("monitor", port="/dev/ttyACM0", baud_rate=9600),
    ask("monitor", port="", baud_rate=9600),
    ask("board_options", fqbn="arduino:avr:uno", options={"cpu": "atmega328"}),
    ask("board_options", fqbn="", options={}),
    ask("format_disk", x=1),
], files={"blink/blink.ino": "#include <Servo.h>\nvoid setup() {}\nvoid loop() {}\n", "notes.txt": "x\n",
          "blink.hex": ":00000001FF\n"}, missing="arduino-cli, a board")

PLANS["firefox"] = npm("firefox-devtools-mcp", "dist/index.js", [
    ask("list_pages", {}),
    ask("new_page", url="https://example.com/"),
    ask("new_page", url=""),
    ask("navigate_page", url="about:blank"),
    ask("select_page", pageIdx=4),
    ask("select_page", {}),
    ask("close_page", pageIdx=-1),
    ask("list_console_messages", level="error"),
    ask("list_network_requests", status=500),
    ask("get_network_request", id="r1"),
    ask("get_network_request", {}),
    ask("take_snapshot", {}),
    ask("take_snapshot", selector="#sta[tus"),
    ask("resolve_uid_to_selector", uid="1_2"),
    ask("resolve_uid_to_selector", uid=""),
    ask("click_by_uid", uid="1_2"),
    ask("fill_by_uid", uid="1_2", value=""),
    ask("fill_form_by_uid", elements=[]),
    ask("drag_by_uid_to_uid", fromUid="1", toUid=""),
    ask("upload_file_by_uid", uid="1_2", filePath="{home}/none.png"),
    ask("screenshot_page", saveTo="/nonexistent/shot.png"),
    ask("accept_dialog", {}),
    ask("navigate_history", direction="sideways"),
    ask("set_viewport_size", width=-1, height=0),
    ask("get_firefox_output", lines=5),
    ask("get_firefox_output", lines=-5),
    ask("get_firefox_info", {}),
    ask("restart_firefox", firefoxPath="/opt/none/firefox"),
    ask("restart_firefox", env=["NOEQUALS"]),
    ask("install_extension", type="path", path="{home}/none"),
    ask("install_extension", type="base64"),
    ask("uninstall_extension", id=""),
    ask("evaluate_script", function="() => 1"),
], args=["--headless"], missing="Firefox")

PLANS["quidclaw"] = pypi("quidclaw-mcp", [
    ask("list_accounts", {}),
    ask("get_balance", {}),
    ask("init_ledger", {}),
    ask("init_ledger", {}),
    ask("add_account", name="Assets:Bank:BOC", currencies=["CNY"]),
    ask("add_account", name="Assets:Bank:BOC", currencies=["CNY"]),
    ask("add_account", name="bank account"),
    ask("add_account", name="Assets:Cash:Tin", open_date="yesterday"),
    ask("list_accounts", type="Assets"),
    ask("list_accounts", type="Dreams"),
    ask("add_transaction", date="2026-11-02", payee="Baker", narration="bread", postings=[
        {"account": "Expenses:Food", "amount": "4", "currency": "CNY"}, {"account": "Assets:Bank:BOC", "amount": "-4", "currency": "CNY"}]),
    ask("add_transaction", date="2026-11-02", payee="Baker", narration="cake", postings=[
        {"account": "Expenses:Food", "amount": "4", "currency": "CNY"}, {"account": "Assets:Bank:BOC", "amount": "-3", "currency": "CNY"}]),
    ask("add_transaction", date="2026-11-02", payee="X", narration="y", postings=[
        {"account": "Expenses:Nowhere", "amount": "4", "currency": "CNY"}, {"account": "Assets:Moon"}]),
    ask("add_transaction", date="2026-02-31", payee="X", narration="y", postings=[
        {"account": "Assets:Bank:BOC", "amount": "1", "currency": "CNY"}]),
    ask("add_transaction", date="2026-11-03", payee="X", narration="y", postings=[]),
    ask("add_transaction", date="2026-11-03", payee="X", narration="y", postings=[{"amount": "4"}]),
    ask("add_transaction", date="2026-11-03", payee="X", narration="y", postings=[
        {"account": "Assets:Bank:BOC", "amount": "four", "currency": "CNY"}]),
    ask("get_balance", account="Assets:Bank:BOC"),
    ask("get_balance", account="Assets:Moon"),
    ask("get_balance", account="Assets:Bank:BOC", date="soon"),
    ask("balance_check", account="Assets:Bank:BOC", expected_amount="-4", currency="CNY"),
    ask("balance_check", account="Assets:Bank:BOC", expected_amount="100", currency="CNY"),
    ask("balance_check", account="Assets:Bank:BOC", expected_amount="lots", currency="CNY"),
    ask("balance_check", account="Assets:Moon", expected_amount="1", currency="CNY"),
    ask("query", bql="SELECT account, sum(position) GROUP BY account"),
    ask("query", bql="SELECT colour FROM postings"),
    ask("query", bql="SELEC account"),
    ask("query", bql=""),
    ask("query", bql="SELECT account WHERE account ~ '['"),
    ask("report", type="income_statement", period="2026-11"),
    ask("report", type="horoscope"),
    ask("report", type="balance_sheet", period="last week-ish"),
    ask("fetch_prices", {}),
    ask("fetch_prices", commodities=["AAPL"]),
    ask("fetch_prices", commodities=[]),
    ask("close_account", name="Assets:Moon"),
    ask("close_account", name="Assets:Bank:BOC", close_date="2026-11-30"),
    ask("close_account", name="Assets:Bank:BOC", close_date="2026-11-30"),
    ask("close_account", name="Assets:Bank:BOC", close_date="never"),
    ask("pay_bill", x=1),
], env={"QUIDCLAW_DATA_DIR": "{home}/ledger"}, missing="price sources")

PLANS["clipboard"] = pypi("mcp-clipboard", [
    ask("clipboard_version", {}),
    ask("clipboard_paste", {}),
    ask("clipboard_paste", output_format="csv"),
    ask("clipboard_paste", output_format="hologram"),
    ask("clipboard_paste", selection="secondary"),
    ask("clipboard_paste", selection="primary"),
    ask("clipboard_paste", output_format="json", include_schema=True),
    ask("clipboard_paste", output_format="schema"),
    ask("clipboard_paste", output_format="markdown"),
    ask("clipboard_read_raw", mime_type="text/html"),
    ask("clipboard_read_raw", mime_type="no type"),
    ask("clipboard_read_raw", mime_type=""),
    ask("clipboard_read_raw", mime_type="text/html", selection="third"),
    ask("clipboard_list_formats", {}),
    ask("clipboard_list_formats", selection="primary"),
    ask("clipboard_list_formats", selection="tertiary"),
    ask("clipboard_copy", content="hello"),
    ask("clipboard_copy", content=""),
    ask("clipboard_copy", content="<b>x</b>", mime_type="text/html"),
    ask("clipboard_copy", content="x", mime_type="application/x-nothing"),
    ask("clipboard_copy", content="x", mime_type="-o text/plain"),
    ask("clipboard_copy", content="x", mime_type="image/png"),
    ask("clipboard_copy", content="{\"a\": ", mime_type="application/json"),
    ask("clipboard_copy_image", image_data="%%%not base64%%%"),
    ask("clipboard_copy_image", image_data="aGVsbG8="),
    ask("clipboard_copy_image", image_data="aGVsbG8=", mime_type="image/tiff9"),
    ask("clipboard_copy_image", image_data=""),
    ask("clipboard_copy_image", image_data="iVBORw0KGgo=", mime_type="image/jpeg"),
    ask("clipboard_copy_markdown", text="# Offer\n\n- **kettle**"),
    ask("clipboard_copy_markdown", text=""),
    ask("clipboard_copy_markdown", {}),
    ask("clipboard_clear", {}),
], missing="a desktop, xclip, wl-copy")

BOOK = xlsx([["region", "units", "price", "total"], ["north", 12, 24.9, "=B2*C2"], ["south", 7, 31.5, "=B3*C3"], ["east", 0, 0, "=B4/C4"]])
OPEN = "{last:\"session_id\": ?\"([^\"]+)\"}"
STAGED = "{last:\"staged_id\": ?\"([^\"]+)\"}"


def edit(*operations, **more):
    return ask("spreadsheet_edit", {"operations": list(operations), "path": "{home}/book.xlsx", **more})


PLANS["excel-ops"] = pypi("excel-ops-mcp", [
    ask("spreadsheet_list", {}),
    ask("spreadsheet_list", limit=-1),
    ask("spreadsheet_inspect", path="{home}/book.xlsx"),
    ask("spreadsheet_inspect", {}),
    ask("spreadsheet_inspect", path="{home}/none.xlsx"),
    ask("spreadsheet_inspect", path="/etc/hosts"),
    ask("spreadsheet_inspect", path="{home}/notes.txt"),
    ask("spreadsheet_inspect", path="{home}/fake.xlsx"),
    ask("spreadsheet_inspect", path="https://example.com/book.xlsx"),
    ask("spreadsheet_inspect", path="{home}"),
    ask("spreadsheet_inspect", session_id="nobody"),
    ask("spreadsheet_inspect", path="{home}/book.xlsx", mode="xray"),
    ask("spreadsheet_inspect", path="{home}/book.xlsx", mode="read", sheet="Costs", range="A1:B2"),
    ask("spreadsheet_inspect", path="{home}/book.xlsx", mode="read", sheet="Sales", range="A1:ZZ9999"),
    ask("spreadsheet_inspect", path="{home}/book.xlsx", mode="read", sheet="Sales", range="banana"),
    ask("spreadsheet_inspect", content_base64="%%%", filename="a.xlsx"),
    ask("spreadsheet_inspect", content_base64="aGVsbG8=", filename="a.csv"),
    ask("spreadsheet_query", path="{home}/book.xlsx", sql="SELECT * FROM sales_parameters_1"),
    ask("spreadsheet_query", path="{home}/book.xlsx", sql="DELETE FROM Sales"),
    ask("spreadsheet_query", path="{home}/book.xlsx", sql="SELECT colour FROM sales_parameters_1"),
    ask("spreadsheet_query", path="{home}/book.xlsx", sql=""),
    ask("spreadsheet_query", path="{home}/book.xlsx", sql="SHOW TABLES"),
    ask("spreadsheet_query", path="{home}/book.xlsx", sql="SELECT * FROM Sales; DROP TABLE Sales"),
    ask("spreadsheet_open", path="{home}/book.xlsx"),
    ask("spreadsheet_trace", session_id=OPEN, sheet="Sales", cell="D2"),
    ask("spreadsheet_trace", session_id=OPEN, sheet="Sales", cell="99"),
    ask("spreadsheet_read_range", session_id=OPEN, sheet="Nope", range="A1"),
    ask("spreadsheet_write", session_id=OPEN, operations=[{"type": "set_values", "sheet": "Sales", "start": "F1", "values": [["note"]]}]),
    ask("spreadsheet_commit", session_id=OPEN, staged_id="stage-9"),
    ask("spreadsheet_commit", session_id=OPEN, staged_id=STAGED, output_path="/nonexistent/out.xlsx"),
    ask("spreadsheet_commit", session_id=OPEN, staged_id=STAGED, output_path="{home}/out.csv"),
    ask("spreadsheet_commit", session_id=OPEN, staged_id=STAGED, output_path="{home}/fake.xlsx"),
    ask("spreadsheet_commit", session_id=OPEN, staged_id=STAGED, output_path="{home}/out.xlsx"),
    ask("spreadsheet_commit", session_id=OPEN, staged_id=STAGED, output_path="{home}/out2.xlsx"),
    ask("spreadsheet_diff", session_id="gone"),
    edit({"type": "explode", "sheet": "Sales"}),
    edit({"type": "set_formula", "sheet": "Sales", "cell": "F2", "formula": "B2*2"}),
    edit({"type": "set_values", "sheet": "Sales", "start": "A1", "values": []}),
    edit({"type": "delete_rows", "sheet": "Sales", "idx": 0}),
    edit({"type": "append_rows", "sheet": "Missing", "rows": [["x"]]}),
], env={"EXCEL_MCP_ALLOWED_ROOTS": "{home}"}, files={"book.xlsx": BOOK, "fake.xlsx": "not a zip", "notes.txt": "x\n"}, missing="nothing")

PLANS["tdd"] = pypi("tdd-mcp", [
    ask("get_current_state", {}),
    ask("next_phase", evidence_description="tests fail"),
    ask("rollback", reason="mistake"),
    ask("log", message="hello"),
    ask("history", {}),
    ask("pause_session", {}),
    ask("end_session", {}),
    ask("update_session", goal="x"),
    ask("resume_session", session_id="20260101_nothing"),
    ask("resume_session", session_id=""),
    ask("resume_session", session_id="../../etc/passwd"),
    ask("start_session", goal="", test_files=[], implementation_files=[], run_tests=[]),
    ask("start_session", goal="Add mean()", test_files=[], implementation_files=["mean.py"], run_tests=["pytest"]),
    ask("start_session", goal="Add mean()", test_files=["test_mean.py"], implementation_files=["mean.py"], run_tests=["pytest -q"]),
    ask("start_session", goal="Another", test_files=["a.py"], implementation_files=["b.py"], run_tests=["pytest"]),
    ask("get_current_state", {}),
    ask("rollback", reason="too early"),
    ask("rollback", reason=" "),
    ask("next_phase", evidence_description=""),
    ask("next_phase", evidence_description="1 failed: AssertionError: mean([]) raised ZeroDivisionError"),
    ask("log", message="Traceback: connection refused by database in test_mean"),
    ask("log", message=""),
    ask("next_phase", evidence_description="all green"),
    ask("rollback", reason="tests are flaky"),
    ask("update_session", goal=""),
    ask("update_session", test_files=[]),
    ask("update_session", {}),
    ask("history", {}),
    ask("quick_help", {}),
    ask("resume_session", session_id="none"),
    ask("pause_session", {}),
    ask("pause_session", {}),
    ask("next_phase", evidence_description="x"),
    ask("resume_session", session_id="broken"),
    ask("end_session", {}),
    ask("log", message="late"),
    ask("start_session", goal="x"),
    ask("skip_phase", x=1),
], env={"TDD_MCP_SESSION_DIR": "{home}/sessions"}, files={"sessions/broken.json": "{\"schema", ".tdd-mcp/sessions/broken.json": "[{"}, missing="nothing")


def flow(*blocks, head="name: job\ndescription: a job\n", **more):
    text = head + "blocks:\n" + "".join(f"  - id: {name}\n    type: {kind}\n" + (f"    depends_on: [{after}]\n" if after else "") + "    inputs:\n"
                                         + "".join(f"      {k}: {v}\n" for k, v in inputs.items()) for name, kind, after, inputs in blocks)
    text += "outputs:\n  ok:\n    value: \"{{blocks.a.succeeded}}\"\n"
    return ask("execute_inline_workflow", workflow_yaml=text, **more)


PLANS["workflows"] = pypi("workflows-mcp", [
    ask("list_workflows", tags=["nothing-has-this"]),
    ask("execute_workflow", workflow="bake-bread"),
    ask("get_workflow_info", workflow="bake-bread"),
    flow(("a", "Shell", "", {"command": "echo ERROR timed out waiting for lock"})),
    flow(("a", "Shell", "", {"command": "exit 3"})),
    flow(("a", "Shell", "", {"command": "ls /nonexistent"})),
    flow(("a", "Shell", "", {"command": "sleep 4", "timeout": "1"})),
    flow(("a", "Shell", "", {"command": "nosuchprogram --version"})),
    flow(("a", "Shell", "", {"command": "echo hi", "working_dir": "/nonexistent"})),
    flow(("a", "Shell", "", {"comand": "echo hi"})),
    flow(("a", "Teleport", "", {"to": "mars"})),
    flow(("a", "Shell", "b", {"command": "echo a"}), ("b", "Shell", "a", {"command": "echo b"})),
    flow(("a", "Shell", "zz", {"command": "echo a"})),
    flow(("a", "Shell", "", {"command": "echo a"}), ("a", "Shell", "", {"command": "echo b"})),
    flow(("a", "Shell", "", {"command": "echo {{inputs.nothing}}"})),
    flow(("a", "Shell", "", {"command": "echo {{blocks.ghost.outputs.x}}"})),
    flow(("a", "ReadFile", "", {"path": "{home}/none.txt"})),
    flow(("a", "ReadFile", "", {"path": "{home}"})),
    flow(("a", "CreateFile", "", {"path": "{home}/notes.txt", "content": "x", "overwrite": "false"})),
    flow(("a", "CreateFile", "", {"path": "/nonexistent/x.txt", "content": "x", "create_parents": "false"})),
    flow(("a", "ReadJSONState", "", {"path": "{home}/none.json", "required": "true"})),
    flow(("a", "ReadJSONState", "", {"path": "{home}/bad.json"})),
    flow(("a", "HttpCall", "", {"url": "http://127.0.0.1:9/closed", "method": "GET"})),
    flow(("a", "HttpCall", "", {"url": "not a url", "method": "GET"})),
    flow(("a", "LLMCall", "", {"prompt": "hello", "profile": "default"})),
    flow(("a", "Workflow", "", {"workflow": "bake-bread"})),
    flow(("a", "Prompt", "", {"prompt": "Continue?"})),
    ask("execute_inline_workflow", workflow_yaml="name: x\nblocks: ["),
    ask("execute_inline_workflow", workflow_yaml=""),
    ask("execute_inline_workflow", workflow_yaml="name: x\ndescription: y\n"),
    ask("validate_workflow_yaml", yaml_content="name: x\nblocks: 7\n"),
    ask("resume_workflow", job_id="job-9", response="yes"),
    ask("get_job_status", job_id="job-9"),
    ask("cancel_job", job_id="job-9"),
    ask("list_jobs", status="sleeping"),
    ask("get_queue_stats", {}),
    ask("execute_workflow", workflow="bake-bread", mode="async"),
    ask("schedule_workflow", x=1),
], files={"notes.txt": "milk\n", "bad.json": "{\"a\": "}, missing="a model, job queue")

SCORE = "<?xml version='1.0'?><score-partwise version='3.1'><part-list><score-part id='P1'><part-name>Flute</part-name></score-part></part-list>" \
        "<part id='P1'><measure number='1'><attributes><divisions>1</divisions><time><beats>4</beats><beat-type>4</beat-type></time></attributes>" \
        "<note><pitch><step>C</step><octave>4</octave></pitch><duration>4</duration><type>whole</type></note></measure></part></score-partwise>"
PLANS["musicxml"] = pypi("musicxml-abc-mcp", [
    ask("list_capabilities", {}),
    ask("health_check", {}),
    ask("musicxml_to_abc", musicxml=SCORE),
    ask("musicxml_to_abc", musicxml=SCORE, part_id="P9"),
    ask("musicxml_to_abc", musicxml=SCORE, part_id=""),
    ask("musicxml_to_abc", musicxml=""),
    ask("musicxml_to_abc", musicxml="   "),
    ask("musicxml_to_abc", musicxml="hello"),
    ask("musicxml_to_abc", musicxml="<score-partwise><part"),
    ask("musicxml_to_abc", musicxml="<html><body/></html>"),
    ask("musicxml_to_abc", musicxml="<score-partwise/>"),
    ask("musicxml_to_abc", musicxml="{home}/score.xml"),
    ask("musicxml_to_abc", musicxml=SCORE.replace("<step>C", "<step>H")),
    ask("musicxml_to_abc", musicxml=SCORE.replace("<octave>4", "<octave>high")),
    ask("musicxml_to_abc", musicxml=SCORE.replace("<duration>4", "<duration>-4")),
    ask("musicxml_to_abc", musicxml=SCORE.replace("<beats>4", "<beats>0")),
    ask("musicxml_to_abc", musicxml=SCORE.replace("partwise", "timewise")),
    ask("musicxml_to_abc", musicxml="<!DOCTYPE a [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><score-partwise>&x;</score-partwise>"),
    ask("musicxml_to_abc", musicxml="X:1\nK:C\nCDEF"),
    ask("abc_to_musicxml", abc=""),
    ask("abc_to_musicxml", abc="X:1\nT:Error in the night\nM:4/4\nL:1/4\nK:C\nCDEF|"),
    ask("abc_to_musicxml", abc="hello there"),
    ask("abc_to_musicxml", abc="X:1\nM:nine/eight\nK:C\nCDEF|"),
    ask("abc_to_musicxml", abc="X:1\nK:Hm\nCDEF|"),
    ask("abc_to_musicxml", abc="X:one\n"),
    ask("abc_to_musicxml", abc="X:1\nK:C\n[CEG"),
    ask("abc_to_musicxml", abc="X:1\nL:1/0\nK:C\nCDEF|"),
    ask("abc_to_musicxml", abc="X:1\nK:C\n(3CDE |: F"),
    ask("abc_to_musicxml", abc="<score-partwise/>"),
    ask("validate_abc", abc="X:1\nM:4/4\nK:C\nCDEF GABc|"),
    ask("validate_abc", abc="no header"),
    ask("validate_abc", abc=""),
    ask("validate_abc", abc="X:1\nM:0/0\nK:Zz\nQQQ"),
    ask("validate_abc", {}),
    ask("abc_to_musicxml", abc=5),
    ask("play_abc", abc="C"),
], missing="nothing")

PLANS["mail"] = npm("mcp-mail-server", "dist/index.js", [
    ask("get_connection_status", {}),
    ask("connect_all", {}),
    ask("list_mailboxes", {}),
    ask("open_mailbox", mailboxName="INBOX"),
    ask("open_mailbox", mailboxName=""),
    ask("get_message_count", {}),
    ask("get_unseen_messages", limit=3),
    ask("get_recent_messages", limit=-3),
    ask("search_by_sender", sender="ann@example.net"),
    ask("search_by_sender", sender=""),
    ask("search_by_sender", sender="ann@example.net", startDate="last week"),
    ask("search_since_date", date="soon"),
    ask("search_since_date", date=""),
    ask("search_by_body", text="refused"),
    ask("search_by_subject", subject=""),
    ask("search_with_keyword", keyword="has space"),
    ask("search_all_messages", startDate="2026-12-01", endDate="2026-01-01"),
    ask("get_messages", uids=[]),
    ask("get_messages", uids=[1, 2]),
    ask("get_message", uid=0),
    ask("get_message", uid="one"),
    ask("send_email", to="", subject="x", text="y"),
    ask("send_email", to="not an address", subject="x", text="y"),
    ask("send_email", to="ann@example.net", subject="x"),
    ask("send_email", to="ann@example.net", subject="Hi", text="hello"),
    ask("send_email", to="ann@example.net", subject="Hi", text="hello", attachments=[{"filename": "a.pdf", "path": "{home}/none.pdf"}]),
    ask("reply_to_email", originalUid=7, text="ok"),
    ask("reply_to_email", originalUid=-1),
    ask("delete_message", uid=3),
    ask("get_attachments", uid=3),
    ask("save_attachment", uid=3, savePath="/nonexistent"),
    ask("save_attachment", uid=3),
    ask("disconnect_all", {}),
    ask("forward_email", uid=3),
], env={"EMAIL_USER": "demo@example.net", "EMAIL_PASS": "demo", "IMAP_HOST": "127.0.0.1", "IMAP_PORT": "993", "SMTP_HOST": "127.0.0.1",
        "SMTP_PORT": "465", "IMAP_SECURE": "true", "SMTP_SECURE": "true"}, missing="a mail server")

LSP = '''import json, sys

def read():
    size = 0
    while (line := sys.stdin.buffer.readline().strip()):
        if line.lower().startswith(b"content-length:"):
            size = int(line.split(b":")[1])
    return json.loads(sys.stdin.buffer.read(size)) if size else sys.exit()

def send(**message):
    text = json.dumps({"jsonrpc": "2.0", **message}).encode()
    sys.stdout.buffer.write(b"Content-Length: %d\\r\\n\\r\\n" % len(text) + text)
    sys.stdout.buffer.flush()

def span(line, a, b):
    return {"start": {"line": line, "character": a}, "end": {"line": line, "character": b}}

NAMES = [("Total", 12, 2), ("Mean", 12, 4), ("Mean", 6, 6)]
while True:
    m = read()
    if "id" not in m:
        continue
    method, uri = m.get("method"), m.get("params", {}).get("textDocument", {}).get("uri", "") if isinstance(m.get("params"), dict) else ""
    if method == "initialize" and sys.argv[1:]:
        send(id=m["id"], error={"code": -32002, "message": "no interpreter configured"})
    elif method == "initialize":
        send(id=m["id"], result={"capabilities": {"documentSymbolProvider": True, "definitionProvider": True, "referencesProvider": True,
             "renameProvider": True, "hoverProvider": True}})
    elif method == "textDocument/documentSymbol":
        send(id=m["id"], result=[{"name": n, "kind": k, "range": span(l, 0, 9), "selectionRange": span(l, 5, 5 + len(n))} for n, k, l in NAMES])
    elif method == "textDocument/definition":
        send(id=m["id"], result=[{"uri": uri, "range": span(2, 5, 10)}])
    elif method == "textDocument/references":
        send(id=m["id"], error={"code": -32603, "message": "index is corrupt: unexpected EOF"})
    elif method == "textDocument/rename":
        send(id=m["id"], error={"code": -32602, "message": "cannot rename: new name collides with an existing identifier"})
    elif method == "textDocument/hover":
        send(id=m["id"], result=None)
    elif method == "workspace/symbol":
        send(id=m["id"], result=[])
    elif method == "textDocument/implementation":
        sys.exit(7)
    else:
        send(id=m["id"], error={"code": -32601, "message": "method not supported: %s" % method})
'''
PLANS["cclsp"] = npm("cclsp", "dist/index.js", [
    ask("find_definition", file_path="{home}/sum.go", symbol_name="Total"),
    ask("find_definition", file_path="{home}/sum.go", symbol_name="Median"),
    ask("find_definition", file_path="{home}/sum.go", symbol_name="Total", symbol_kind="planet"),
    ask("find_definition", file_path="{home}/sum.go", symbol_name=""),
    ask("find_definition", file_path="{home}/none.go", symbol_name="Total"),
    ask("find_definition", file_path="{home}/sum.py", symbol_name="mean"),
    ask("find_definition", file_path="{home}/sum.ts", symbol_name="mean"),
    ask("find_definition", file_path="{home}/sum.zig", symbol_name="mean"),
    ask("find_definition", file_path="{home}", symbol_name="mean"),
    ask("find_references", file_path="{home}/sum.go", symbol_name="Total"),
    ask("find_references", file_path="{home}/sum.py", symbol_name="mean"),
    ask("find_references", file_path="{home}/sum.go", symbol_name="Nope"),
    ask("rename_symbol", file_path="{home}/sum.go", symbol_name="Mean", new_name="Avg"),
    ask("rename_symbol", file_path="{home}/sum.go", symbol_name="Total", new_name="Mean"),
    ask("rename_symbol", file_path="{home}/sum.go", symbol_name="Nope", new_name="X"),
    ask("rename_symbol", file_path="{home}/sum.py", symbol_name="mean", new_name="avg"),
    ask("rename_symbol_strict", file_path="{home}/sum.go", line=3, character=6, new_name="Mean", dry_run=True),
    ask("rename_symbol_strict", file_path="{home}/sum.go", line=-3, character=0, new_name="Mean"),
    ask("get_hover", file_path="{home}/sum.go", line=3, character=6),
    ask("get_hover", file_path="{home}/sum.zig", line=1, character=1),
    ask("get_hover", file_path="{home}/none.go", line=1, character=1),
    ask("find_workspace_symbols", query="Total"),
    ask("find_workspace_symbols", query=""),
    ask("get_diagnostics", file_path="{home}/sum.py"),
    ask("get_diagnostics", file_path="{home}/sum.zig"),
    ask("get_diagnostics", file_path="{home}/none.go"),
    ask("prepare_call_hierarchy", file_path="{home}/sum.go", line=3, character=6),
    ask("get_incoming_calls", file_path="{home}/sum.go", line=3, character=6),
    ask("get_outgoing_calls", file_path="{home}/sum.ts", line=3, character=6),
    ask("find_implementation", file_path="{home}/sum.ts", line=3, character=6),
    ask("restart_server", extensions=["zig"]),
    ask("restart_server", extensions=["py"]),
    ask("restart_server", extensions=["go"]),
    ask("find_definition", {}),
    ask("format_file", file_path="{home}/sum.go"),
], env={"CCLSP_CONFIG_PATH": "{home}/cclsp.json"}, files={
    "cclsp.json": '{"servers": [{"extensions": ["py"], "command": ["python3", "/data/demo/lsp.py", "bad"], "rootDir": "."}, '
                  ' {"extensions": ["go"], "command": ["python3", "/data/demo/lsp.py"], "rootDir": "."}]}',
    "lsp.py": LSP, "sum.go": "package sum\n\nfunc Total() int { return 0 }\n\nfunc Mean() int { return 0 }\n\nfunc Mean2() {}\n",
    "sum.py": "def mean(v):\n    return sum(v) / len(v)\n", "sum.ts": "export const mean = 1\n", "sum.zig": "const x = 1;\n"},
    missing="language servers (a stand-in for Go)")

GAME_ID = "{last:\"game_id\": ?\"([^\"]+)\"}"


def move(uci, game=GAME_ID):
    return ask("make_move", game_id=game, move_uci=uci)


PLANS["chess"] = plan("pypi", "chess-mcp", ["{base}/bin/python", "-m", "chess_mcp"], [
    move("e2e4", "none"),
    ask("engine_move", game_id="none"),
    ask("new_game", {}),
    move("e2e4"),
    move("e2e4"),
    move("e7e5"),
    move("e4"),
    move("Nf3"),
    move("g1f3"),
    move("z9z9"),
    move(""),
    move("0000"),
    move("e8g8"),
    move("b8c6"),
    move("f1b5q"),
    move("f1b5"),
    move("O-O"),
    ask("engine_move", game_id=GAME_ID),
    ask("engine_move", game_id=GAME_ID, depth=-1),
    ask("engine_move", game_id=""),
    ask("engine_move", game_id=GAME_ID, depth="deep"),
    ask("new_game", {}),
    move("f2f3"),
    move("e7e5"),
    move("g2g4"),
    move("d8h4"),
    move("e1f2"),
    move("a2a3"),
    ask("engine_move", game_id=GAME_ID, depth=2),
    ask("make_move", game_id=GAME_ID),
    ask("undo_move", game_id=GAME_ID),
], env={"STOCKFISH_PATH": "{home}/stockfish"}, files={"stockfish": "#!/bin/sh\nexit 1\n"}, missing="Stockfish (its file cannot be run)")

PLANS["dice"] = pypi("mcp-dice-roller", [
    *(ask("roll_dice", notation=n) for n in ["2d6+1", "", "d", "0d6", "1d0", "2d-6", "two d six", "1000d6", "100000d6", "1d1000000", "2d6+",
                                             "2d6d4", "-2d6", "1.5d6", "4d6 drop lowest", "2d6+1d4", "d20"]),
    ask("roll_multiple", notation="1d6", times=0),
    ask("roll_multiple", notation="1d6", times=-2),
    ask("roll_multiple", notation="1d6", times=100000),
    ask("roll_multiple", notation="banana", times=2),
    ask("roll_multiple", notation="1d6", times="thrice"),
    ask("flip_coin", times=0),
    ask("flip_coin", times=-1),
    ask("flip_coin", times=1000000),
    ask("flip_coin", times=2),
    ask("pick_random", options=""),
    ask("pick_random", options="only"),
    ask("pick_random", options=" , ,"),
    ask("pick_random", options="error,timeout,refused"),
    ask("pick_random", {}),
    ask("roll_percentile", {}),
    ask("roll_under", x=1),
], missing="nothing")

SHELF = """import http.server, json, time

HAVE = {"system/status": {"version": "5.4.6", "appName": "Radarr"}, "movie": [{"id": 1, "title": "The Timeout Error", "year": 1999,
        "monitored": True, "hasFile": False, "qualityProfileId": 1, "path": "/m/1", "tmdbId": 11}],
        "movie/1": {"id": 1, "title": "The Timeout Error", "qualityProfileId": 1}, "queue": {"totalRecords": 0, "records": []},
        "health": [{"type": "error", "message": "Unable to communicate with indexer: connection timed out", "source": "IndexerCheck"}]}
FAIL = {"qualityprofile": (500, '{"message": "database disk image is malformed"}'), "rootfolder": (401, '{"error": "Unauthorized"}'),
        "downloadclient": (503, "<html>Service Unavailable</html>"), "config/naming": (200, "<html>login</html>"), "tag": (429, "Too many requests"),
        "calendar": (404, '{"message": "NotFound"}'), "movie/lookup": (502, "Bad Gateway"),
        "command": (400, '[{"propertyName": "movieIds", "errorMessage": "Unknown movie"}]')}

class Shelf(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def answer(self):
        name = self.path.split("?")[0].split("/api/v3/")[-1].strip("/")
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        code, text = (200, json.dumps(HAVE[name])) if name in HAVE and self.command == "GET" else FAIL.get(name, (404, '{"message": "NotFound"}'))
        if self.command == "POST" and name == "movie":
            code, text = 400, '[{"propertyName": "TmdbId", "errorMessage": "This movie has already been added"}]'
        if self.command == "DELETE":
            code, text = 409, '{"message": "Queue item is locked by another process"}'
        self.send_response(code)
        self.end_headers()
        self.wfile.write(text.encode())

    do_GET = do_POST = do_PUT = do_DELETE = answer

http.server.ThreadingHTTPServer(("127.0.0.1", 7878), Shelf).serve_forever()
"""
PLANS["arr"] = npm("mcp-arr-server", "dist/index.js", [
    ask("arr_status", {}),
    ask("radarr_get_movies", {}),
    ask("radarr_get_movies", limit=-5),
    ask("radarr_get_health", {}),
    ask("radarr_get_queue", {}),
    ask("radarr_get_quality_profiles", {}),
    ask("radarr_get_root_folders", {}),
    ask("radarr_get_download_clients", {}),
    ask("radarr_get_naming", {}),
    ask("radarr_get_tags", {}),
    ask("radarr_get_calendar", days=7),
    ask("radarr_review_setup", {}),
    ask("radarr_search", term="error"),
    ask("radarr_search_movie", movieId=99),
    ask("radarr_search_movies", movieIds=[]),
    ask("radarr_refresh_movie", movieId=99),
    ask("radarr_add_movie", tmdbId=11, title="The Timeout Error", qualityProfileId=1, rootFolderPath="/m"),
    ask("radarr_add_movie", tmdbId=11),
    ask("radarr_update_movie", movieId=99, monitored=False),
    ask("radarr_update_movie", movieId=1),
    ask("radarr_delete_queue_item", queueId=4),
    ask("sonarr_get_series", {}),
    ask("sonarr_search", term="lost"),
    ask("sonarr_get_episodes", seriesId=7),
    ask("sonarr_add_series", tvdbId=1),
    ask("search", query=""),
    ask("search", query="timeout"),
    ask("fetch", id="movie-77"),
    ask("fetch", id=""),
    ask("arr_search_all", term="lost"),
    ask("trash_list_profiles", service="radarr"),
    ask("trash_get_profile", service="radarr", profile="uhd"),
    ask("trash_get_naming", service="radarr", mediaServer="jukebox"),
    ask("trash_list_custom_formats", service="lidarr"),
    ask("trash_compare_naming", service="sonarr", mediaServer="plex"),
    ask("lidarr_get_albums", artistId=1),
    ask("prowlarr_get_indexers", {}),
    ask("play_movie", x=1),
], env={"SONARR_URL": "http://127.0.0.1:8989", "SONARR_API_KEY": "demo", "RADARR_URL": "http://127.0.0.1:7878", "RADARR_API_KEY": "demo"},
   before="python3 shelf.py >/dev/null 2>&1 & sleep 1", files={"shelf.py": SHELF}, missing="Sonarr, the internet; a stand-in for Radarr")

SOURCES = {"folders": {}, "connections": {
    "sqlite_jdbc-1": {"provider": "sqlite", "driver": "sqlite_jdbc", "name": "Shop", "configuration": {
        "database": "/data/demo/shop.db", "url": "jdbc:sqlite:/data/demo/shop.db", "type": "dev"}},
    "sqlite_jdbc-2": {"provider": "sqlite", "driver": "sqlite_jdbc", "name": "Lost", "configuration": {
        "database": "/nonexistent/lost.db", "url": "jdbc:sqlite:/nonexistent/lost.db", "type": "dev"}},
    "postgres-jdbc-1": {"provider": "postgresql", "driver": "postgres-jdbc", "name": "Orders", "configuration": {
        "host": "127.0.0.1", "port": "5432", "database": "orders", "url": "jdbc:postgresql://127.0.0.1:5432/orders", "user": "demo"}},
    "oracle-1": {"provider": "oracle", "driver": "oracle_thin", "name": "Old", "configuration": {
        "host": "127.0.0.1", "port": "1521", "database": "ORCL", "url": "jdbc:oracle:thin:@127.0.0.1:1521/ORCL"}}}}
PLANS["dbeaver"] = npm("dbeaver-mcp-server", "dist/index.js", [
    ask("list_connections", {}),
    ask("get_connection_info", connectionId="sqlite_jdbc-1"),
    ask("get_connection_info", connectionId="mars"),
    ask("get_connection_info", connectionId=""),
    ask("test_connection", connectionId="sqlite_jdbc-1"),
    ask("test_connection", connectionId="postgres-jdbc-1"),
    ask("test_connection", connectionId="oracle-1"),
    ask("list_tables", connectionId="sqlite_jdbc-1"),
    ask("list_tables", connectionId="sqlite_jdbc-2"),
    ask("list_tables", connectionId="postgres-jdbc-1"),
    ask("execute_query", connectionId="sqlite_jdbc-1", query="SELECT * FROM customers"),
    ask("execute_query", connectionId="sqlite_jdbc-1", query="SELECT colour FROM customers"),
    ask("execute_query", connectionId="sqlite_jdbc-1", query="DELETE FROM customers"),
    ask("execute_query", connectionId="sqlite_jdbc-1", query=""),
    ask("execute_query", connectionId="sqlite_jdbc-1", query="SELECT 1", maxRows=-1),
    ask("execute_query", connectionId="Orders", query="SELECT 1"),
    ask("execute_query", connectionId="oracle-1", query="SELECT 1 FROM dual"),
    ask("write_query", connectionId="sqlite_jdbc-1", query="SELECT 1"),
    ask("write_query", connectionId="sqlite_jdbc-1", query="INSERT INTO orders VALUES (1, 1, -5)"),
    ask("write_query", connectionId="sqlite_jdbc-1", query="DROP TABLE orders"),
    ask("create_table", connectionId="sqlite_jdbc-1", query="ALTER TABLE orders ADD x"),
    ask("create_table", connectionId="sqlite_jdbc-1", query="CREATE TABLE orders (id int)"),
    ask("alter_table", connectionId="sqlite_jdbc-1", query="CREATE TABLE x (id int)"),
    ask("drop_table", connectionId="sqlite_jdbc-1", tableName="orders", confirm=False),
    ask("drop_table", connectionId="sqlite_jdbc-1", tableName="nothing", confirm=True),
    ask("get_table_schema", connectionId="sqlite_jdbc-1", tableName="nothing"),
    ask("export_data", connectionId="sqlite_jdbc-1", query="SELECT * FROM orders", format="xml"),
    ask("export_data", connectionId="sqlite_jdbc-1", query="UPDATE orders SET total = 1", format="csv"),
    ask("get_database_stats", connectionId="postgres-jdbc-1"),
    ask("append_insight", insight=""),
    ask("append_insight", insight="the nightly job failed: connection refused"),
    ask("begin_transaction", connectionId="sqlite_jdbc-1"),
    ask("begin_transaction", connectionId="mars"),
    ask("commit_transaction", transactionId="tx-9"),
    ask("rollback_transaction", transactionId=""),
    ask("execute_in_transaction", transactionId="tx-9", query="SELECT 1"),
    ask("explain_query", connectionId="sqlite_jdbc-1", query="SELEC 1"),
    ask("compare_schemas", sourceConnectionId="sqlite_jdbc-1", targetConnectionId="mars"),
    ask("get_pool_stats", connectionId="sqlite_jdbc-1"),
    ask("truncate_table", x=1),
], files={".local/share/DBeaverData/workspace6/General/.dbeaver/data-sources.json": json.dumps(SOURCES), "shop.db": files.SHOP},
   missing="PostgreSQL, Oracle, DBeaver")

PLANS["device-farm"] = npm("mobile-device-farm-mcp", "dist/index.js", [
    ask("list_devices", {}),
    ask("list_devices", platform="ios"),
    ask("list_devices", platform="windows"),
    ask("adb_install", apkPath="{home}/shop.apk"),
    ask("adb_install", apkPath="{home}/none.apk"),
    ask("adb_install", apkPath="{home}/notes.txt"),
    ask("adb_install", deviceId="emulator-5554", apkPath="{home}/shop.apk; reboot"),
    ask("adb_screenshot", {}),
    ask("adb_screenshot", deviceId="emulator-5554"),
    ask("adb_logcat", lines=5),
    ask("adb_logcat", lines=-5, filter="*"),
    ask("adb_tap", x=10, y=20),
    ask("adb_tap", x=-10, y=20),
    ask("adb_tap", x="left", y=20),
    ask("adb_shell", command="ls /sdcard"),
    ask("adb_shell", command="rm -rf /"),
    ask("adb_shell", command=""),
    ask("get_device_info", {}),
    ask("get_device_info", deviceId="bad id; ls"),
    ask("get_app_vitals", packageName="com.example.shop"),
    ask("get_app_vitals", packageName="not a package"),
    ask("open_deep_link", url="shop://cart"),
    ask("open_deep_link", url="not a url"),
    ask("open_deep_link", url="shop://cart", platform="ios"),
    ask("run_monkey", packageName="com.example.shop", events=10),
    ask("run_monkey", packageName="", events=-1),
    ask("ios_install", deviceId="booted", appPath="{home}/none.app"),
    ask("ios_screenshot", deviceId="booted"),
    ask("ios_launch", deviceId="booted", bundleId="com.example.shop"),
    ask("ios_launch", deviceId="", bundleId=""),
    ask("unlock_device", x=1),
], files={"shop.apk": "PK", "notes.txt": "x\n"}, missing="adb, xcrun, devices")

FAULTS = """import http.server, itertools, sys, time

ANSWERS = [
    (500, "text/plain", "Internal Server Error: relation \\"documents\\" is locked"), (502, "text/html", "<html><h1>502 Bad Gateway</h1></html>"),
    (503, "application/json", '{"detail": "Maintenance: database migration in progress"}'), (0, "", ""),
    (404, "application/json", '{"detail": "Not found."}'), (403, "application/json", '{"detail": "You do not have permission to perform this action."}'),
    (401, "application/json", '{"detail": "Invalid token."}'), (429, "application/json", '{"detail": "Request was throttled. Expected available in 41 seconds."}'),
    (200, "text/html", "<html><title>Sign in</title></html>"), (200, "application/json", '{"count": 3, "results": [{"id": 1, '),
    (200, "application/json", ""), (400, "application/json", '{"name": ["Object violates owner / name unique constraint"]}'),
    (504, "text/html", "<html>upstream timed out</html>"), (409, "application/json", '{"detail": "Document is being processed by another worker"}'),
    (413, "text/plain", "Payload too large"), (507, "text/plain", "No space left on device"), (200, "application/json", "null"),
    (200, "application/json", '{"detail": "search index is being rebuilt"}'), (302, "text/html", ""), (400, "application/json", '{"page": ["Invalid page."]}'),
]
START = int((sys.argv + ["0", "0"])[2])
TURN = itertools.cycle(ANSWERS[START:] + ANSWERS[:START])

class Fault(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def answer(self):
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        code, kind, text = (200, "application/json", '{"token": "demo", "expire": "2027-01-01T00:00:00Z"}') if "login" in self.path else next(TURN)
        if not code:
            self.connection.close()
            return
        self.send_response(code)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(text.encode())))
        if code == 302:
            self.send_header("Location", "http://login.example.net/")
        self.end_headers()
        self.wfile.write(text.encode())

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = answer

http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Fault).serve_forever()
"""
PLANS["paperless"] = npm("@baruchiro/paperless-mcp", "build/index.js", [
    ask("list_documents", {}),
    ask("list_tags", {}),
    ask("list_correspondents", {}),
    ask("list_document_types", {}),
    ask("get_document", id=77),
    ask("get_document_content", id=3),
    ask("list_custom_fields", {}),
    ask("query_documents", query="invoice"),
    ask("search_documents", query="error"),
    ask("list_tags", page=2),
    ask("get_correspondent", id=1),
    ask("create_tag", name="urgent"),
    ask("create_correspondent", name="Baker"),
    ask("update_document", id=3, title="New"),
    ask("post_document", file="aGVsbG8=", filename="a.txt"),
    ask("post_document", file_path="{home}/none.pdf"),
    ask("post_document", filename="a.pdf"),
    ask("create_document_note", id=3, note="paid"),
    ask("list_document_notes", id=3),
    ask("get_document_type", id=4),
    ask("list_mail_accounts", {}),
    ask("list_mail_rules", page=99),
    ask("delete_tag", id=4, confirm=False),
    ask("delete_tag", id=4),
    ask("bulk_edit_tags", tag_ids=[1], operation="delete"),
    ask("bulk_edit_documents", documents=[1], method="delete"),
    ask("bulk_edit_documents", documents=[], method="reprocess"),
    ask("get_custom_field", id=1),
    ask("update_tag", id=1, name="x"),
    ask("process_mail_account", id=1),
    ask("delete_document_note", id=3, note_id=1),
    ask("download_document", id=1),
    ask("create_custom_field", name="x", data_type="sound"),
    ask("create_document_type", name="letter"),
    ask("delete_mail_rule", id=1, confirm=True),
    ask("shred_document", id=1),
], env={"PAPERLESS_URL": "http://127.0.0.1:8000", "PAPERLESS_API_KEY": "demo"}, before="python3 faults.py 8000 >/dev/null 2>&1 & sleep 1",
   files={"faults.py": FAULTS}, missing="Paperless (a stand-in answers with faults)")

PLANS["sonarqube"] = npm("sonarqube-mcp-server", "dist/index.js", [
    ask("system_ping", {}),
    ask("system_status", {}),
    ask("system_health", {}),
    ask("projects", {}),
    ask("projects", page="two"),
    ask("metrics", {}),
    ask("issues", project_key="shop"),
    ask("issues", severity="CATASTROPHIC"),
    ask("quality_gates", {}),
    ask("quality_gate", id="9"),
    ask("quality_gate_status", project_key="none"),
    ask("measures_component", component="shop", metric_keys=["coverage"]),
    ask("measures_component", component="", metric_keys=[]),
    ask("measures_components", component_keys=["shop"], metric_keys=["luck"]),
    ask("measures_history", component="shop", metrics=["coverage"]),
    ask("source_code", key="shop:none.py"),
    ask("scm_blame", key="shop:none.py"),
    ask("hotspots", project_key="shop"),
    ask("hotspot", hotspot_key="h-1"),
    ask("update_hotspot_status", hotspot="h-1", status="DONE"),
    ask("update_hotspot_status", hotspot="h-1", status="REVIEWED"),
    ask("components", query="sum"),
    ask("components", {}),
    ask("markIssueFalsePositive", issue_key="i-1"),
    ask("markIssuesWontFix", issue_keys=["i-1", "i-2"]),
    ask("addCommentToIssue", issue_key="i-1", text=""),
    ask("addCommentToIssue", issue_key="i-1", text="why?"),
    ask("assignIssue", issueKey="i-1", assignee="nobody"),
    ask("confirmIssue", issue_key="i-1"),
    ask("resolveIssue", issue_key="i-1"),
    ask("reopenIssue", issue_key="i-1"),
    ask("deleteProject", key="shop"),
], env={"SONARQUBE_URL": "http://127.0.0.1:9000", "SONARQUBE_TOKEN": "demo"}, before="python3 faults.py 9000 7 >/dev/null 2>&1 & sleep 1",
   files={"faults.py": FAULTS}, missing="SonarQube (a stand-in answers with faults)")

METRICS = """import http.server, itertools, urllib.parse

GOOD = '{"status": "success", "data": {"resultType": "vector", "result": [{"metric": {"job": "errors_total"}, "value": [1796025000, "7"]}]}}'
BAD = [(400, '{"status": "error", "errorType": "bad_data", "error": "invalid parameter \\\\"query\\\\": 1:9: parse error: unclosed left parenthesis"}'),
       (422, '{"status": "error", "errorType": "execution", "error": "query processing would load too many samples into memory"}'),
       (503, '{"status": "error", "errorType": "timeout", "error": "query timed out in expression evaluation"}'),
       (503, "Service Unavailable: starting up, replaying WAL"), (500, '{"status": "error", "errorType": "internal", "error": "TSDB: corruption in segment 4"}'),
       (403, "Forbidden by proxy"), (429, "slow down"), (200, '{"status": "error", "errorType": "not_found", "error": "no such scrape pool"}'),
       (200, "<html>Sign in</html>"), (0, "")]
TURN = itertools.cycle(BAD)

class Metrics(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def answer(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        code, text = (200, GOOD) if "up" in urllib.parse.unquote(self.path + body) else next(TURN)
        if not code:
            self.connection.close()
            return
        self.send_response(code)
        self.send_header("Content-Type", "application/json" if text.startswith("{") else "text/plain")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    do_GET = do_POST = answer

http.server.ThreadingHTTPServer(("127.0.0.1", 9090), Metrics).serve_forever()
"""
PLANS["prometheus"] = npm("prometheus-mcp", "dist/index.mjs", [
    ask("prometheus_query", query="up"),
    *(ask("prometheus_query", query="rate(errors_total[5m]") for _ in range(2)),
    ask("prometheus_query_range", query="errors_total", start="2026-11-30T00:00:00Z", end="2026-11-30T01:00:00Z", step="1s"),
    ask("prometheus_list_metrics", {}),
    ask("prometheus_list_labels", {}),
    ask("prometheus_label_values", label="job"),
    ask("prometheus_list_targets", {}),
    ask("prometheus_scrape_pool_targets", scrapePool="none"),
    ask("prometheus_runtime_info", {}),
    ask("prometheus_build_info", {}),
    ask("prometheus_metric_metadata", metric="errors_total"),
    ask("prometheus_label_values", label="in valid"),
    ask("prometheus_label_values", label=""),
    ask("prometheus_query", query=""),
    ask("prometheus_query", query="errors_total", time="yesterday"),
    ask("prometheus_query_range", query="errors_total", start="later", end="sooner", step="0"),
    ask("prometheus_query_range", query="up", start="2026-11-30T01:00:00Z", end="2026-11-30T00:00:00Z", step="-1s"),
    ask("prometheus_list_metrics", {}),
    ask("prometheus_list_labels", {}),
    ask("prometheus_list_targets", {}),
    ask("prometheus_runtime_info", {}),
    ask("prometheus_build_info", {}),
    ask("prometheus_metric_metadata", metric="nothing"),
    ask("prometheus_scrape_pool_targets", scrapePool=""),
    ask("prometheus_query", query="sum by (job) (errors_total"),
    ask("prometheus_query", {}),
    ask("prometheus_query", query="up{job=\"none\"}"),
    ask("prometheus_delete_series", match="x"),
    ask("prometheus_label_values", label="instance"),
], args=["stdio"], env={"PROMETHEUS_URL": "http://127.0.0.1:9090"}, before="python3 metrics.py >/dev/null 2>&1 & sleep 1",
   files={"metrics.py": METRICS}, missing="Prometheus (a stand-in answers, mostly with faults)")

PLANS["donetick"] = pypi("donetick-mcp", [
    ask("list_chores", {}),
    ask("get_chore", chore_id=7),
    ask("create_chore", name="Sweep"),
    ask("create_chore", name=""),
    ask("create_chore", name="Sweep", due_date="someday"),
    ask("update_chore", chore_id=7, priority=99),
    ask("update_chore", chore_id=7),
    ask("delete_chore", chore_id=-1),
    ask("complete_chore", chore_id=7),
    ask("skip_chore", chore_id=7),
    ask("archive_chore", chore_id=7),
    ask("unarchive_chore", chore_id=7),
    ask("approve_chore", chore_id=7),
    ask("reject_chore", chore_id=7),
    ask("update_due_date", chore_id=7, due_date="2026-02-31"),
    ask("update_due_date", chore_id=7, due_date="2026-12-24"),
    ask("start_chore_timer", chore_id=7),
    ask("pause_chore_timer", chore_id=7),
    ask("update_subtask_completion", chore_id=7, subtask_id=1, completed=True),
    ask("create_subtask", chore_id=7, name=""),
    ask("delete_subtask", chore_id=7, subtask_id=1),
    ask("convert_chore_to_subtask", source_chore_id=7, target_chore_id=7),
    ask("list_labels", {}),
    ask("create_label", name="red", color="not a colour"),
    ask("delete_label", label_id=1),
    ask("list_circle_members", {}),
    ask("get_user_profile", {}),
    ask("get_chore_history", limit=-1),
    ask("get_chore_details", chore_id=7),
    ask("list_archived_chores", {}),
    ask("assign_chore", chore_id=7),
], env={"DONETICK_BASE_URL": "http://127.0.0.1:2021", "DONETICK_USERNAME": "demo", "DONETICK_PASSWORD": "demo"},
   before="python3 faults.py 2021 >/dev/null 2>&1 & sleep 1", files={"faults.py": FAULTS}, missing="Donetick (a stand-in answers with faults)")
