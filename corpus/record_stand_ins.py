"""Small programs that take the place of a service which a recorded server asks: each answers by a list of routes."""

import json

# By the first [method, pattern of the path, status, body, and perhaps {"delay", "drop", "type", "headers"}] that fits.
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


# By the first [method, pattern, status, body, seconds to wait, content type] that fits.
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
