"""Which servers of PyPI ../record.py starts, how, and what it asks them."""

import io
import zipfile

import record_files as files
from record_plans import ask, pypi

PLANS = {}
STAND_IN = "/app/bin/python standin.py > /dev/null 2>&1 & sleep 1"


class Paused(list):
    """Calls with pauses: a number among them is the time in seconds to wait before the next one."""

    def __iter__(self):
        import time
        for entry in super().__iter__():
            if isinstance(entry, (int, float)):
                time.sleep(entry)
            else:
                yield entry


HEDGEDOC = r"""import http.server, json, time
NOTES = {"minutes": "# Minutes\n\n- Error budget: exhausted\n- Login fails with 401\n", "empty": "", "json": '{"error": "HTTP 500: this is the text of the note", "status": 500}\n'}
N = 0
class H(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_): pass
    def say(self, code, body=b"", kind="text/html", **more):
        if not code:
            self.connection.close(); return
        body = body if isinstance(body, bytes) else body.encode()
        self.send_response(code); self.send_header("Content-Type", kind); self.send_header("Content-Length", str(len(body)))
        for k, v in more.items(): self.send_header(k, v)
        self.end_headers(); self.wfile.write(body)
    def do_POST(self):
        global N
        text = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        alias = self.path[5:]
        if len(text) > 2000: return self.say(413, "Request Entity Too Large")
        if alias == "taken": return self.say(409, "<h1>409 Conflict</h1><p>This note already exists</p>")
        if alias in ("login", "status"): return self.say(403, "forbidden note id")
        if "spam" in text: return self.say(429, "Too many requests")
        if "database" in text: return self.say(500, "<h1>500 Internal Error</h1> wtf.")
        if "cut" in text: return self.say(0)
        if "proxy" in text: return self.say(504, "<html><head><title>504 Gateway Time-out</title></head></html>")
        N += 1
        NOTES[alias or "note%d" % N] = text
        return self.say(302, Location="/" + (alias or "note%d" % N))
    def do_GET(self):
        p = self.path.strip("/").split("/")
        if p[0] == "status": return self.say(200, json.dumps({"onlineNotes": 0, "onlineUsers": 0, "distinctOnlineUsers": 0, "notesCount": len(NOTES), "registeredUsers": 0, "isConnectionBusy": False, "connectionSocketQueueLength": 0, "disconnectSocketQueueLength": 0}), "application/json")
        if p[0] == "new": return self.say(503, "<h1>503</h1><p>HedgeDoc is restarting</p>")
        if p[0] == "private": return self.say(403, "<h1>403 Forbidden</h1>oh no.")
        if p[0] == "loop": return self.say(302, Location="/loop/download")
        if p[0] == "broken": return self.say(500, "<h1>500 Internal Error</h1>wtf.")
        if p[0] == "slow": time.sleep(25)
        if p[0] == "garbled" : return self.say(200, "<html>Sign in", "text/html")
        if p[0] == "hang": return self.say(0)
        if p[0] not in NOTES: return self.say(404, "<!DOCTYPE html><h1>404 Not Found</h1>oops.")
        what = p[1] if len(p) > 1 else ""
        if what == "download": return self.say(200, NOTES[p[0]], "text/markdown")
        if what == "info": return self.say(200, json.dumps({"title": p[0], "description": "", "viewcount": 0, "createtime": "2026-11-01T00:00:00.000Z", "updatetime": None}), "application/json")
        if what == "revision" and len(p) == 2: return self.say(200, json.dumps({"revision": [{"time": 1793000000, "length": len(NOTES[p[0]])}] if p[0] == "minutes" else []}), "application/json")
        if what == "revision": return self.say(200, json.dumps({"content": NOTES[p[0]], "authorship": [], "patch": []}), "application/json") if p[2] == "1793000000" else self.say(404, "<h1>404 Not Found</h1>oops.")
        if what == "publish": return self.say(302, Location="/s/abc123")
        if what == "slide": return self.say(302, Location="/p/abc123")
        return self.say(404, "oops.")
http.server.ThreadingHTTPServer(("127.0.0.1", 3100), H).serve_forever()
"""
PLANS["hedgedoc"] = pypi("hedgedoc-mcp-server", [
    ask("hedgedoc_status", {}),
    ask("hedgedoc_create", title="Plan", content="- ship it\n- fix error 500"),
    ask("hedgedoc_read", note_id="note1"),
    ask("hedgedoc_read", note_id="minutes"),
    ask("hedgedoc_read", note_id="json"),
    ask("hedgedoc_read", note_id="empty"),
    ask("hedgedoc_read", note_id="nothere"),
    ask("hedgedoc_read", note_id="private"),
    ask("hedgedoc_read", note_id="loop"),
    ask("hedgedoc_read", note_id="broken"),
    ask("hedgedoc_read", note_id="hang"),
    ask("hedgedoc_read", note_id=""),
    ask("hedgedoc_info", note_id="minutes"),
    ask("hedgedoc_info", note_id="garbled"),
    ask("hedgedoc_info", note_id="nothere"),
    ask("hedgedoc_info", note_id="private"),
    ask("hedgedoc_info", note_id="broken"),
    ask("hedgedoc_list_revisions", note_id="minutes"),
    ask("hedgedoc_list_revisions", note_id="empty"),
    ask("hedgedoc_list_revisions", note_id="nothere"),
    ask("hedgedoc_list_revisions", note_id="broken"),
    ask("hedgedoc_get_revision", note_id="minutes", revision_id="1793000000"),
    ask("hedgedoc_get_revision", note_id="minutes", revision_id="yesterday"),
    ask("hedgedoc_get_revision", note_id="private", revision_id="1"),
    ask("hedgedoc_publish_url", note_id="minutes"),
    ask("hedgedoc_publish_url", note_id="nothere"),
    ask("hedgedoc_slide_url", note_id="minutes"),
    ask("hedgedoc_slide_url", note_id="private"),
    ask("hedgedoc_slide_url", note_id="hang"),
    ask("hedgedoc_create_blank", {}),
    ask("hedgedoc_create_with_alias", alias="retro", title="Retro", content="What failed: the deploy"),
    ask("hedgedoc_create_with_alias", alias="taken", title="Retro", content="again"),
    ask("hedgedoc_create_with_alias", alias="login", title="Retro", content="again"),
    ask("hedgedoc_create_diagram", title="Flow", diagram_type="graph TD", diagram_code="A-->B", description="failure paths"),
    ask("hedgedoc_create", title="Long", content="x" * 2500),
    ask("hedgedoc_create", title="Ads", content="spam"),
    ask("hedgedoc_create", title="DB", content="the database"),
    ask("hedgedoc_create", title="Cut", content="cut"),
    ask("hedgedoc_create_diagram", title="Proxy", diagram_type="pie", diagram_code="proxy"),
    ask("hedgedoc_create_diagram", title="Flow"),
    ask("hedgedoc_delete", note_id="minutes"),
], env={"HEDGEDOC_URL": "http://127.0.0.1:3100"}, before=STAND_IN, files={"standin.py": HEDGEDOC}, missing="HedgeDoc (a stand-in answers)")

GENE = ("ATGGCTAGCAAAGGAGAAGAACTTTTCACTGGAGTTGTCCCAATTCTTGTTGAATTAGATGGTGATGTTAATGGGCACAAATTTTCTGTCAGTGGAGAGGGTGAAGGTGATGCTACATACGGAAAG"
        "CTTACCCTTAAATTTATTTGCACTACTGGAAAACTACCTGTTCCATGGCCAACACTTGTCACTACTTTCTCTTATGGTGTTCAATGCTTTTCCCGTTATCCGGATCATATGAAACGGCATGAC")
OTHER = ("ATGAGCCATATTCAACGGGAAACGTCTTGCTCGAGGCCGCGATTAAATTCCAACATGGATGCTGATTTATATGGGTATAAATGGGCTCGCGATAATGTCGGGCAATCAGGTGCGACAATCTATCGA"
         "TTGTATGGGAAGCCCGATGCGCCAGAGTTGTTTCTGAAACATGGCAAAGGTAGCGTTGCCAATGATGTTACAGATGAGATGGTCAGACTAAACTGGCTGACGGAATTTATGCCTCTTCCGACC")
PLANS["wetlab"] = pypi("wetlab-mcp", [
    ask("design_qpcr_primers", sequence=GENE),
    ask("design_qpcr_primers", sequence=GENE.lower(), num_pairs=1),
    ask("design_qpcr_primers", sequence=GENE, product_size_range="100-200", target_tm=58),
    ask("design_qpcr_primers", sequence=""),
    ask("design_qpcr_primers", sequence="ATGNNRYAT" * 20),
    ask("design_qpcr_primers", sequence="ATGC"),
    ask("design_qpcr_primers", sequence=GENE, product_size_range="150"),
    ask("design_qpcr_primers", sequence=GENE, product_size_range="150-70"),
    ask("design_qpcr_primers", sequence=GENE, product_size_range="small-large"),
    ask("design_qpcr_primers", sequence=GENE, num_pairs=50),
    ask("design_qpcr_primers", sequence=GENE, num_pairs=0),
    ask("design_qpcr_primers", sequence=GENE, num_pairs=-4),
    ask("design_qpcr_primers", sequence=GENE, target_tm=140),
    ask("design_qpcr_primers", sequence="A" * 150),
    ask("design_qpcr_primers", sequence="AT" * 90),
    ask("design_qpcr_primers", sequence=GENE, product_size_range="900-1200"),
    ask("design_cloning_primers", sequence=GENE, fwd_overhang="GAATTC", rev_overhang="GGATCC"),
    ask("design_cloning_primers", sequence=GENE),
    ask("design_cloning_primers", sequence=GENE, fwd_overhang="XYZ"),
    ask("design_cloning_primers", sequence="ATG"),
    ask("design_cloning_primers", sequence=">gene one\n" + GENE),
    ask("design_taqman_probe", sequence=GENE, primer_fwd=GENE[20:40], primer_rev="GTCATGCCGTTTCATATGATCC"),
    ask("design_taqman_probe", sequence=GENE, primer_fwd="CCCCCCCCCCCCCCCCCCCC", primer_rev="GTCATGCCGTTTCATATGATCC"),
    ask("design_taqman_probe", sequence=GENE, primer_fwd=GENE[20:40], primer_rev="AAAAACCCCCGGGGGTTTTT"),
    ask("design_taqman_probe", sequence=GENE, primer_fwd=GENE[20:40], primer_rev="GTCATGCCGTTTCATATGATCC", target_probe_tm=120),
    ask("design_taqman_probe", sequence=GENE, primer_fwd="", primer_rev=""),
    ask("design_taqman_probe", sequence="ATG", primer_fwd="ATG", primer_rev="CAT"),
    ask("check_primer_specificity", primer_sequence="ATGGCTAGCAAAGGAGAAGA"),
    ask("check_primer_specificity", primer_sequence="ATG"),
    ask("check_primer_specificity", primer_sequence=""),
    ask("check_primer_specificity", primer_sequence="GGGGCCCCATATNNNN"),
    ask("analyze_multiplex_compatibility", primers=[GENE[0:20], GENE[60:80], OTHER[10:30]]),
    ask("analyze_multiplex_compatibility", primers=["GGGGGGGGCCCCCCCC", "GGGGGGGGCCCCCCCC"]),
    ask("analyze_multiplex_compatibility", primers=[GENE[0:20]]),
    ask("analyze_multiplex_compatibility", primers=[]),
    ask("analyze_multiplex_compatibility", primers=["ATGX", "??"]),
    ask("design_multi_gene_panel", genes=[{"name": "gfp", "sequence": GENE}, {"name": "kan", "sequence": OTHER}]),
    ask("design_multi_gene_panel", genes=[{"name": "gfp", "sequence": GENE}, {"name": "bad", "sequence": "ATG"}]),
    ask("design_multi_gene_panel", genes=[]),
    ask("design_multi_gene_panel", genes=[{"name": "gfp"}]),
    ask("design_multi_gene_panel", genes=[{"name": "polyA", "sequence": "A" * 120}]),
    ask("fold_protein", sequence="MKT"),
], missing="the network: NCBI BLAST")


def xlsx(sheets, merges=()):
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml."
    main, rel = "http://schemas.openxmlformats.org/spreadsheetml/2006/main", "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006/"
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{package}content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{kind}sheet.main+xml"/>'
        + "".join(f'<Override PartName="/xl/worksheets/sheet{i}.xml" ContentType="{kind}worksheet+xml"/>' for i in range(1, len(sheets) + 1)) + "</Types>",
        "_rels/.rels": f'<Relationships xmlns="{package}relationships"><Relationship Id="rId1" Type="{rel}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{main}" xmlns:r="{rel}"><sheets>' + "".join(
            f'<sheet name="{name}" sheetId="{i}" r:id="rId{i}"/>' for i, name in enumerate(sheets, 1)) + "</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{package}relationships">' + "".join(
            f'<Relationship Id="rId{i}" Type="{rel}/worksheet" Target="worksheets/sheet{i}.xml"/>' for i in range(1, len(sheets) + 1)) + "</Relationships>"}
    for i, rows in enumerate(sheets.values(), 1):
        cells = "".join(f'<row r="{r}">' + "".join(
            "" if v is None else f'<c r="{"ABCDEFGH"[c]}{r}"><v>{v}</v></c>' if isinstance(v, (int, float)) else
            f'<c r="{"ABCDEFGH"[c]}{r}" t="e"><v>{v}</v></c>' if v.startswith("#") else
            f'<c r="{"ABCDEFGH"[c]}{r}" t="inlineStr"><is><t>{v}</t></is></c>' for c, v in enumerate(row)) + "</row>" for r, row in enumerate(rows, 1))
        merge = f'<mergeCells count="{len(merges)}">' + "".join(f'<mergeCell ref="{m}"/>' for m in merges) + "</mergeCells>" if merges and i == 1 else ""
        parts[f"xl/worksheets/sheet{i}.xml"] = f'<worksheet xmlns="{main}"><sheetData>{cells}</sheetData>{merge}</worksheet>'
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, text in parts.items():
            archive.writestr(zipfile.ZipInfo(name), '<?xml version="1.0" encoding="UTF-8"?>' + text)
    return out.getvalue()


BOOK = xlsx({"Sales": [["Report 2026 (draft)"], [], ["Region", "Product", "Units"], ["north", "kettle", 12], [None, "toaster", 7], ["south", "kettle", 3]],
             "Log": [["time", "level", "message"], ["09:00", "ERROR", "connection refused"], ["09:01", "FATAL", "disk full"]],
             "Formulas": [["a", "ratio"], [1, "#DIV/0!"], [2, "#N/A"]], "Empty": [], "Wide": [[None, "x"], [1, None], [None, None]]}, ["A4:A5"])
GOOD = "{home}/data/book.xlsx"
PLANS["excel-agent"] = pypi("excel-agent-mcp", [
    ask("list_sheets", path=GOOD),
    ask("preview_sheet", path=GOOD),
    ask("preview_sheet", path=GOOD, sheet="Log", rows=2),
    ask("preview_sheet", path=GOOD, sheet="Budget"),
    ask("preview_sheet", path=GOOD, rows=0),
    ask("preview_sheet", path=GOOD, rows=-1),
    ask("preview_sheet", path=GOOD, sheet="Empty"),
    ask("preview_sheet", path=GOOD, rows="many"),
    ask("read_table", path=GOOD),
    ask("read_table", path=GOOD, sheet="Log"),
    ask("read_table", path=GOOD, sheet="Formulas"),
    ask("read_table", path=GOOD, sheet="Empty"),
    ask("read_table", path=GOOD, sheet="Wide"),
    ask("read_table", path=GOOD, sheet="sales"),
    ask("read_table", path=GOOD, sheet="Sales", header_row=2),
    ask("read_table", path=GOOD, sheet="Sales", header_row=50),
    ask("read_table", path=GOOD, sheet="Sales", header_row=-1),
    ask("sheet_to_csv", path=GOOD),
    ask("sheet_to_csv", path=GOOD, sheet="Log"),
    ask("sheet_to_csv", path=GOOD, sheet="Empty"),
    ask("sheet_to_csv", path=GOOD, sheet="Ghost"),
    ask("sheet_to_csv", path=GOOD, sheet="Log", header_row=9),
    ask("list_sheets", path="{home}/data/none.xlsx"),
    ask("list_sheets", path="{home}/data"),
    ask("list_sheets", path="{home}/data/notes.txt"),
    ask("list_sheets", path="{home}/data/fake.xlsx"),
    ask("list_sheets", path="{home}/data/cut.xlsx"),
    ask("read_table", path="{home}/data/hollow.xlsx"),
    ask("read_table", path="{home}/data/old.xls"),
    ask("read_table", path="{home}/data/sales.csv"),
    ask("read_table", path="{home}/private/pay.xlsx"),
    ask("list_sheets", path="/etc/passwd"),
    ask("list_sheets", path="{home}/data/../private/pay.xlsx"),
    ask("list_sheets", path="{home}/data/link.xlsx"),
    ask("read_table", path="data/book.xlsx", sheet="Log"),
    ask("read_table", path=""),
    ask("read_table", path="{home}/data/badxml.xlsx"),
    ask("sheet_to_csv", path="{home}/data/badxml.xlsx"),
    ask("read_table", sheet="Log"),
    ask("write_table", path=GOOD),
], env={"EXCEL_MCP_ALLOWED_DIR": "{home}/data"}, before="ln -s ../private/pay.xlsx data/link.xlsx",
   files={"data/book.xlsx": BOOK, "data/notes.txt": "x\n", "data/fake.xlsx": "<html>Sign in</html>", "data/cut.xlsx": BOOK[:900], "data/old.xls": b"\xd0\xcf\x11\xe0" + b"\0" * 600,
          "data/sales.csv": files.SALES, "private/pay.xlsx": BOOK, "data/hollow.xlsx": files.docx("not a workbook"),
          "data/badxml.xlsx": xlsx({"S": [["a <b> & c", "d"], [1, 2]]})}, missing="nothing")

GROCY = r"""import http.server, json, re, time, urllib.parse
P = {1: {"id": 1, "name": "Milk", "description": "", "active": 1, "min_stock_amount": 2}, 2: {"id": 2, "name": "Error soup (expired)", "description": "recall: failed quality test", "active": 1},
     3: {"id": 3, "name": "Old tea", "description": "", "active": 0}}
STOCK = {1: 3.0, 2: 0.0}
LISTS = [{"id": 1, "name": "Shopping list"}]
ITEMS = [{"id": 1, "product_id": 1, "amount": 2, "shopping_list_id": 1, "done": 0, "note": None}, {"id": 2, "product_id": 2, "amount": 1, "shopping_list_id": 1, "done": 1, "note": "failed last time"}]
def err(code, text): return code, {"error_message": text}
def answer(m, path, b):
    if path == "/system/info": return 200, {"grocy_version": {"Version": "4.5.0"}, "php_version": "8.3.1", "sqlite_version": "3.45"}
    if path == "/objects/products": return (200, list(P.values())) if m == "GET" else (err(400, "SQLSTATE[23000]: Integrity constraint violation: 19 UNIQUE constraint failed: products.name") if b.get("name") == "Milk" else (err(400, "SQLSTATE[23000]: Integrity constraint violation: 19 NOT NULL constraint failed: products.name") if not b.get("name") else (200, {"created_object_id": "9"})))
    if f := re.fullmatch(r"/objects/products/(\d+)", path):
        n = int(f[1])
        if n == 50: return 500, "<br /><b>Fatal error</b>: Allowed memory size of 134217728 bytes exhausted in /app/www/vendor/autoload.php on line 12"
        if n not in P: return err(404, "Product does not exist")
        if m == "PUT": P[n].update(b); return 204, None
        return 200, P[n]
    if path == "/objects/shopping_lists": return 200, LISTS
    if path == "/objects/shopping_list": return 200, ITEMS
    if path == "/objects/chores": return 200, []
    if path == "/objects/batteries": return 500, {"error_message": "SQLSTATE[HY000]: General error: 5 database is locked"}
    if path == "/objects/tasks": return 200, [{"id": 1, "name": "Call back: login fails with 401", "done": 0}]
    if path == "/objects/recipes": return 502, "<html><h1>502 Bad Gateway</h1></html>"
    if path == "/objects/users": return err(403, "Permission denied: ADMIN")
    if path.startswith("/objects/locations/"): return 200, [1, 2]
    if path.startswith("/objects/"): return err(400, "Entity does not exist or is not exposed")
    if path == "/stock": return 200, [{"product_id": k, "amount": v, "best_before_date": "2026-12-01", "product": P[k]} for k, v in STOCK.items()]
    if path == "/stock/volatile": return 200, {"due_products": [], "overdue_products": [], "expired_products": [], "missing_products": []}
    if path.startswith("/stock/products/by-barcode/"): return (200, {"product": P[1], "stock_amount": 3}) if path.endswith("4000000") else (0, "") if path.endswith("777") else err(400, "No product with barcode %s found" % path.rsplit("/", 1)[1])
    if f := re.fullmatch(r"/stock/products/(\d+)(/.*)?", path):
        n, what = int(f[1]), f[2] or ""
        if n == 60: time.sleep(5)
        if n not in P: return err(400, "Product does not exist or is inactive")
        if what == "" : return 200, {"product": P[n], "stock_amount": STOCK.get(n, 0)}
        if what == "/entries": return 200, []
        if what == "/add":
            if b["amount"] <= 0: return err(400, "Amount can't be <= 0")
            if b.get("location_id") == 99: return err(400, "Location does not exist")
            STOCK[n] = STOCK.get(n, 0) + b["amount"]
            return 200, [{"id": 5, "product_id": n, "amount": b["amount"], "transaction_type": "purchase"}]
        if what == "/consume": return err(400, "Amount to be consumed cannot be > current stock amount (if supplied, at the desired location)") if b["amount"] > STOCK.get(n, 0) else (200, [{"id": 6, "product_id": n, "amount": -b["amount"], "transaction_type": "consume", "spoiled": b.get("spoiled")}])
        if what == "/inventory": return err(400, "The new amount cannot equal the current stock amount") if b["new_amount"] == STOCK.get(n) else (200, [{"id": 7, "amount": b["new_amount"]}])
    if path == "/stock/shoppinglist/add-product": return (204, None) if b["product_id"] in P else err(400, "Product does not exist or is inactive")
    if path == "/stock/shoppinglist/remove-product": return (204, None) if b.get("list_id") == 1 else err(400, "Shopping list does not exist")
    return 404, "<html><h1>Not found</h1></html>"
class H(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_): pass
    def go(self):
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        code, out = answer(self.command, self.path.split("?")[0][4:], json.loads(raw or b"{}"))
        if not code:
            self.connection.close(); return
        data = b"" if out is None else (out if isinstance(out, str) else json.dumps(out)).encode()
        self.send_response(code); self.send_header("Content-Type", "text/html" if isinstance(out, str) else "application/json")
        self.send_header("Content-Length", str(len(data))); self.end_headers()
        try: self.wfile.write(data)
        except OSError: pass
    do_GET = do_POST = do_PUT = go
http.server.ThreadingHTTPServer(("127.0.0.1", 9283), H).serve_forever()
"""
PLANS["grocy"] = pypi("hermes-grocy-mcp", [
    ask("grocy_system_info", {}),
    ask("grocy_list_products", {}),
    ask("grocy_search_products", query="soup"),
    ask("grocy_search_products", query="caviar"),
    ask("grocy_get_product", product_id=2),
    ask("grocy_get_product", product_id=404),
    ask("grocy_get_product", product_id=50),
    ask("grocy_lookup_product_by_barcode", barcode="4000000"),
    ask("grocy_lookup_product_by_barcode", barcode="999"),
    ask("grocy_lookup_product_by_barcode", barcode="777"),
    ask("grocy_stock_overview", {}),
    ask("grocy_stock_overview", include_zero_stock=True),
    ask("grocy_volatile_stock", {}),
    ask("grocy_product_stock_details", product_id=1),
    ask("grocy_product_stock_details", product_id=404),
    ask("grocy_product_stock_details", product_id=60),
    ask("grocy_product_stock_entries", product_id=1),
    ask("grocy_common_entities", {}),
    ask("grocy_list_shopping_lists", {}),
    ask("grocy_list_shopping_list_items", list_id=1, include_done=True),
    ask("grocy_list_shopping_list_items", list_id=8),
    ask("grocy_list_entity", entity="tasks"),
    ask("grocy_list_entity", entity="chores"),
    ask("grocy_list_entity", entity="pets"),
    ask("grocy_list_entity", entity="batteries"),
    ask("grocy_list_entity", entity="recipes"),
    ask("grocy_list_entity", entity="users"),
    ask("grocy_get_entity_object", entity="locations", object_id=1),
    ask("grocy_create_entity_object", entity="products", payload_json="{\"name\": \"Rye\"}"),
    ask("grocy_create_entity_object", entity="products", payload_json="{\"name\": \"Milk\"}"),
    ask("grocy_create_entity_object", entity="products", payload_json="{}"),
    ask("grocy_create_entity_object", entity="products", payload_json="{name: Rye"),
    ask("grocy_create_entity_object", entity="products", payload_json="[1, 2]"),
    ask("grocy_update_entity_object", entity="products", object_id=1, payload_json="{\"min_stock_amount\": 4}"),
    ask("grocy_update_entity_object", entity="products", object_id=404, payload_json="{\"name\": \"x\"}"),
    ask("grocy_add_stock", product_id=1, amount=2),
    ask("grocy_add_stock", product_id=1, amount=-2),
    ask("grocy_add_stock", product_id=1, amount=1, location_id=99),
    ask("grocy_add_stock", product_id=1, amount="lots"),
    ask("grocy_consume_stock", product_id=1, amount=1, spoiled=True),
    ask("grocy_consume_stock", product_id=1, amount=500),
    ask("grocy_inventory_product", product_id=2, new_amount=0),
    ask("grocy_inventory_product", product_id=2, new_amount=6),
    ask("grocy_add_product_to_shopping_list", product_id=1, product_amount=2, note="not the one that failed"),
    ask("grocy_add_product_to_shopping_list", product_id=404),
    ask("grocy_remove_product_from_shopping_list", product_id=1),
    ask("grocy_remove_product_from_shopping_list", product_id=1, list_id=8),
    ask("grocy_delete_everything", {}),
], script="grocy-mcp", env={"GROCY_BASE_URL": "http://127.0.0.1:9283", "GROCY_API_KEY": "demo", "GROCY_TIMEOUT": "3"}, before=STAND_IN,
   files={"standin.py": GROCY}, missing="Grocy (a stand-in answers)")

GROWI = r"""import http.server, json, time, urllib.parse
PAGES = {"p1": {"_id": "p1", "path": "/ops/incident", "revision": {"_id": "r1", "body": "# Incident\nERROR: connection refused"}}, "p2": {"_id": "p2", "path": "/ops", "revision": {"_id": "r2", "body": "index"}},
         "p3": {"_id": "p3", "path": "/stale", "revision": {"_id": "r3", "body": "x"}}, "p4": {"_id": "p4", "path": "/norev"}}
FILES = {"a1": {"_id": "a1", "originalName": "log.txt", "fileName": "a1.txt", "fileFormat": "text/plain", "filePathProxied": "/attachment/a1"},
         "a2": {"_id": "a2", "originalName": "gone.txt", "fileName": "a2.txt", "fileFormat": "text/plain", "filePathProxied": "/attachment/a2"}}
def err(code, text, kind="validation"): return code, {"errors": [{"message": text, "code": kind}]}
def find(q): return PAGES.get(q.get("pageId")) or next((p for p in PAGES.values() if p["path"] == q.get("path")), None)
def answer(m, path, q, b):
    if q.get("path") == "/secret": return err(403, "Page is forbidden", "forbidden-page")
    if q.get("path") == "/down": return 503, "Service Unavailable"
    if q.get("path") == "/login": return 200, "<!DOCTYPE html><title>Login - GROWI</title>"
    if q.get("path") == "/cut": return 0, ""
    if path == "/_api/v3/pages/list":
        if int(q.get("limit", 10)) > 100: return err(400, "limit should be within 100")
        hits = [p for p in PAGES.values() if p["path"].startswith(q.get("path", "?"))]
        return 200, {"pages": hits, "totalCount": len(hits), "offset": 0, "limit": 10}
    if path == "/_api/v3/page":
        if m == "GET": return (200, {"page": find(q)}) if find(q) else err(404, "Page is not found", "notfound_or_forbidden")
        if m == "POST":
            if find({"path": b.get("path")}): return err(409, "Page exists", "page_exists")
            if b.get("path", "")[:1] != "/" or "//" in b["path"]: return err(400, "Invalid path", "invalid_path")
            if b["path"] == "/full": return err(500, "MongoServerError: not enough disk space")
            i = "n%d" % len(PAGES); PAGES[i] = {"_id": i, "path": b["path"], "revision": {"_id": "r" + i, "body": b.get("body", "")}}
            return 201, {"page": PAGES[i]}
        if b.get("pageId") == "p3": return err(409, "Posted param \"revisionId\" is outdated.", "conflict")
        PAGES[b["pageId"]]["revision"] = {"_id": "r9", "body": b["body"]}
        return 200, {"page": PAGES[b["pageId"]]}
    if path == "/_api/v3/pages/rename":
        if find({"path": b["newPagePath"]}): return err(409, "%s already exists" % b["newPagePath"], "already_exists")
        if b["pageId"] == "p3": return err(500, "Failed to rename page.", "unknown")
        PAGES[b["pageId"]]["path"] = b["newPagePath"]
        return 200, {"page": PAGES[b["pageId"]]}
    if path == "/_api/pages.remove":
        if b["page_id"] == "p2": return 200, {"ok": False, "error": "This page has protected children"}
        if b["page_id"] not in PAGES: return 200, {"ok": False, "error": "Page '%s' is not found or forbidden" % b["page_id"], "code": "notfound"}
        p = PAGES.pop(b["page_id"]); return 200, {"ok": True, "path": p["path"], "isRecursively": True}
    if path == "/_api/search":
        if q["q"] == "index-broken": return 200, {"ok": False, "error": "ElasticSearch is not reachable: connect ECONNREFUSED 10.0.0.8:9200"}
        if q["q"] == "": return err(400, "keyword should not be empty")
        if q["q"] == "slow": time.sleep(25)
        hits = [{"data": p} for p in PAGES.values() if q["q"].lower() in json.dumps(p).lower()]
        return 200, {"ok": True, "data": hits, "meta": {"total": len(hits)}}
    if path == "/_api/v3/users/usernames": return 200, {"activeUser": {"usernames": [u for u in ("ann", "bob") if q["q"] in u], "totalCount": 2}}
    if path == "/_api/v3/register":
        u = b.get("registerForm[username]")
        if u == "ann": return err(400, "This User ID is not available.")
        if len(b.get("registerForm[password]", "")) < 8: return err(400, "The value must be at least 8 characters long")
        return (403, "Registration is closed by the administrator") if u == "eve" else (200, {"redirectTo": "/"})
    if path == "/_api/v3/attachment/list": return 200, {"paginateResult": {"docs": [FILES["a1"]] if q["pageId"] == "p1" else [], "totalDocs": 1}}
    if path == "/_api/v3/attachment" and m == "POST": return (500, "<html><h1>500</h1></html>") if b.get("page_id") == "p3" else (200, {"attachment": {"_id": "a9", "originalName": "notes.txt"}})
    if path.startswith("/_api/v3/attachment/"):
        f = FILES.get(path.rsplit("/", 1)[1]); return (200, {"attachment": f}) if f else err(404, "attachment not found")
    if path == "/attachment/a1": return 200, "ERROR in line 7\n"
    if path == "/attachment/a2": return 302, ""
    if path == "/_api/attachments.remove": return (200, {"ok": True}) if b["attachment_id"] in FILES else (200, {"ok": False, "error": "attachment not found"})
    return 404, "Cannot %s %s" % (m, path)
class H(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_): pass
    def go(self):
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0)); u = urllib.parse.urlsplit(self.path)
        kind = self.headers.get("Content-Type", "")
        if "json" in kind: b = json.loads(raw)
        elif "multipart" in kind: b = {"page_id": raw.split(b'name="page_id"')[1].split(b"\r\n")[2].decode()}
        else: b = dict(urllib.parse.parse_qsl(raw.decode(), keep_blank_values=True))
        code, out = answer(self.command, u.path, dict(urllib.parse.parse_qsl(u.query, keep_blank_values=True)), b)
        if not code:
            self.connection.close(); return
        data = (out if isinstance(out, str) else json.dumps(out)).encode()
        self.send_response(code); self.send_header("Content-Type", "text/html" if isinstance(out, str) else "application/json")
        self.send_header("Content-Length", str(len(data))); self.end_headers()
        try: self.wfile.write(data)
        except OSError: pass
    do_GET = do_POST = do_PUT = go
http.server.ThreadingHTTPServer(("127.0.0.1", 3200), H).serve_forever()
"""
PLANS["growi"] = pypi("growi-mcp", [
    ask("get_page_list", path_or_id="/ops"),
    ask("get_page_list", path_or_id="/nowhere"),
    ask("get_page_list", path_or_id="/ops", limit=500),
    ask("get_page_list", path_or_id="/secret"),
    ask("read_page", path_or_id="/ops/incident"),
    ask("read_page", path_or_id="p2"),
    ask("read_page", path_or_id="/nowhere"),
    ask("read_page", path_or_id="/secret"),
    ask("read_page", path_or_id="/down"),
    ask("read_page", path_or_id="/login"),
    ask("read_page", path_or_id="/cut"),
    ask("create_page", path="/ops/retro", body="What failed: the deploy"),
    ask("create_page", path="/ops/retro", body="again"),
    ask("create_page", path="no slash", body="x"),
    ask("create_page", path="/full", body="x"),
    ask("update_page", path_or_id="/ops/incident", body="# Incident\nresolved: error was DNS"),
    ask("update_page", path_or_id="p1", body="# Incident\nclosed"),
    ask("update_page", path_or_id="/stale", body="new"),
    ask("update_page", path_or_id="/norev", body="new"),
    ask("update_page", path_or_id="/nowhere", body="new"),
    ask("rename_page", path="/ops/retro", new_path="/ops/retro-2026"),
    ask("rename_page", path="/ops/retro-2026", new_path="/ops"),
    ask("rename_page", path="/stale", new_path="/fresh"),
    ask("rename_page", path="/nowhere", new_path="/x"),
    ask("search_pages", query="incident"),
    ask("search_pages", query="unicorn"),
    ask("search_pages", query=""),
    ask("search_pages", query="index-broken"),
    ask("get_user_names", query="an"),
    ask("get_user_names", query="zz"),
    ask("register_user", name="Cy", username="cy", email="cy@example.net", password="longenough"),
    ask("register_user", name="Ann", username="ann", email="a@example.net", password="longenough"),
    ask("register_user", name="Dan", username="dan", email="d@example.net", password="x"),
    ask("register_user", name="Eve", username="eve", email="e@example.net", password="longenough"),
    ask("upload_attachment", path_or_page_id="/ops/incident", file_path="{home}/notes.txt"),
    ask("upload_attachment", path_or_page_id="/ops/incident", file_path="{home}/none.txt"),
    ask("upload_attachment", path_or_page_id="/ops/incident", file_path="{home}"),
    ask("upload_attachment", path_or_page_id="/stale", file_path="{home}/notes.txt"),
    ask("get_attachment_list", path_or_id="/ops/incident"),
    ask("get_attachment_list", path_or_id="p2"),
    ask("get_attachment_info", attachment_id="a1"),
    ask("get_attachment_info", attachment_id="zz"),
    ask("download_attachment", attachment_id="a1", save_dir="{home}/down"),
    ask("download_attachment", attachment_id="a2", save_dir="{home}/down"),
    ask("download_attachment", attachment_id="a1", save_dir="{home}/notes.txt"),
    ask("remove_attachment", attachment_id="a1"),
    ask("remove_attachment", attachment_id="zz"),
    ask("remove_page", path_or_id="/ops/retro-2026"),
    ask("remove_page", path_or_id="p2"),
    ask("remove_page", path_or_id="p404"),
    ask("read_page", {}),
    ask("export_wiki", path="/"),
], env={"GROWI_DOMAIN": "http://127.0.0.1:3200", "GROWI_API_TOKEN": "demo"}, before=STAND_IN,
   files={"standin.py": GROWI, "notes.txt": "milk\n"}, missing="GROWI (a stand-in answers)")

ARRAY = "{last:(array://[0-9a-f-]+)}"
PLANS["scicomp-math"] = pypi("scicomp-math-mcp", [
    ask("info", {}),
    ask("info", topic="symbolic"),
    ask("info", topic="tensors"),
    ask("symbolic_solve", equations="x**2 - 5*x + 6 = 0", variables="x"),
    ask("symbolic_solve", equations=["x + y = 3", "x - y = 1"]),
    ask("symbolic_solve", equations="x**2 + 1 = 0", variables="x", domain="real"),
    ask("symbolic_solve", equations=["x = 1", "x = 2"], variables=["x"]),
    ask("symbolic_solve", equations="x === 2"),
    ask("symbolic_solve", equations="2 x +* 3 = 0"),
    ask("symbolic_solve", equations="sin(x) - x**5 - exp(x) = 7", variables="x"),
    ask("symbolic_diff", expression="sin(x)*exp(x)", variable="x"),
    ask("symbolic_diff", expression="error(x) + x**3", variable="x", order=2),
    ask("symbolic_diff", expression="x**", variable="x"),
    ask("symbolic_diff", expression="(x + 1", variable="x"),
    ask("symbolic_diff", expression="x**2", variable="x", order=-1),
    ask("symbolic_diff", expression="x**2", variable="y"),
    ask("symbolic_integrate", expression="x**2", variable="x", limits=[0, 3]),
    ask("symbolic_integrate", expression="exp(-x**2)", variable="x"),
    ask("symbolic_integrate", expression="1/x", variable="x", limits=[-1, 1]),
    ask("symbolic_integrate", expression="x**2", variable="x", limits=[0]),
    ask("symbolic_integrate", expression="x $ 2", variable="x"),
    ask("symbolic_simplify", expression="sin(x)**2 + cos(x)**2"),
    ask("symbolic_simplify", expression="(x+1)**3", method="expand"),
    ask("symbolic_simplify", expression="x + ) 2"),
    ask("symbolic_simplify", expression=""),
    ask("create_array", shape=[2, 3], fill_type="ones"),
    ask("create_array", shape=[4], fill_type="linspace", linspace_range=[0, 1]),
    ask("create_array", shape=[-2, 3]),
    ask("create_array", shape=[3], dtype="float12"),
    ask("create_array", shape=[3], fill_type="function", function="x**2"),
    ask("create_array", shape=[3], fill_type="function", function="undefined_name + 1"),
    ask("matrix_multiply", a=[[1, 2], [3, 4]], b=[[1, 0], [0, 1]]),
    ask("matrix_multiply", a=[[1, 2, 3]], b=[[1, 2, 3]]),
    ask("matrix_multiply", a=[[1, 2], [3]], b=[[1, 2]]),
    ask("solve_linear_system", a=[[2, 0], [0, 4]], b=[2, 8]),
    ask("solve_linear_system", a=[[1, 2], [2, 4]], b=[1, 2]),
    ask("solve_linear_system", a=[[1, 2, 3]], b=[1]),
    ask("fft", array=[1, 0, 0, 0]),
    ask("ifft", array=ARRAY),
    ask("fft", array="array://none"),
    ask("optimize_function", function="(x-2)**2 + 1", variables=["x"], initial_guess=[0]),
    ask("optimize_function", function="(x-2)**2", variables=["x"], initial_guess=[0], method="Magic"),
    ask("optimize_function", function="q**2", variables=["x"], initial_guess=[0]),
    ask("optimize_function", function="x +", variables=["x"], initial_guess=[0]),
    ask("optimize_function", function="-x**2", variables=["x"], initial_guess=[1]),
    ask("find_roots", function="x**2 - 4", variables=["x"], initial_guess=[1]),
    ask("find_roots", function="1/0", variables=["x"], initial_guess=[1]),
    ask("find_roots", function="[x + y]", variables=["x", "y"], initial_guess=[1, 1]),
    ask("symbolic_diff", expression="x"),
    ask("plot", expression="x"),
], missing="a graphics card")


# At the end the service itself goes away.
OFF = '''    def log_message(self, *_): pass
    def parse_request(self):
        fine = super().parse_request()
        if fine and "power-off" in self.path: __import__("os")._exit(0)
        return fine
'''
LAST = {
    "hedgedoc": [ask("hedgedoc_read", note_id="power-off"), ask("hedgedoc_read", note_id="minutes"), ask("hedgedoc_create", title="Late", content="x"), ask("hedgedoc_status", {}),
                 ask("hedgedoc_publish_url", note_id="minutes")],
    "grocy": [ask("grocy_list_entity", entity="power-off"), ask("grocy_list_products", {}), ask("grocy_add_stock", product_id=1, amount=1), ask("grocy_common_entities", {}),
              ask("grocy_create_entity_object", entity="products", payload_json="{oops"), ask("grocy_stock_overview", {})],
    "growi": [ask("read_page", path_or_id="/power-off"), ask("read_page", path_or_id="/ops/incident"), ask("search_pages", query="incident"), ask("create_page", path="/late", body="x"),
              ask("upload_attachment", path_or_page_id="p1", file_path="{home}/none.txt"), ask("get_user_names", query="an")],
}
for _name, _calls in LAST.items():
    PLANS[_name]["calls"] += _calls
    PLANS[_name]["files"]["standin.py"] = PLANS[_name]["files"]["standin.py"].replace("    def log_message(self, *_): pass\n", OFF)
