"""Which servers of `ordinary` ../record.py starts, how, and what it asks them: code, logs, commands, rules."""

import json
from record_plans import ask, npm, pypi
PLANS = {}
# --- SQL ----------------------------------------------------------------------------------------------------------


def lint(sql, **more):
    return ask("lint_sql", sql=sql, **more)
PLANS["sql-sop"] = pypi("sql-sop-mcp", [
    ask("list_rules", {}),
    lint("SELECT id, total FROM orders WHERE status = 'failed' LIMIT 50;"),
    lint("SELECT * FROM orders;"),
    lint("DELETE FROM sessions;"),
    lint("DELETE FROM sessions WHERE expires_at < now();"),
    lint("UPDATE users SET active = 0;"),
    lint("UPDATE users SET active = 0 WHERE last_login < '2024-01-01';"),
    lint("DROP TABLE tmp_import;"),
    lint("DROP TABLE IF EXISTS tmp_import;"),
    lint("ALTER TABLE orders DROP COLUMN note;"),
    lint("ALTER TABLE orders ADD COLUMN region TEXT NOT NULL;"),
    lint("ALTER TABLE orders ADD COLUMN region TEXT NOT NULL DEFAULT 'eu';"),
    lint("TRUNCATE TABLE audit_log;"),
    lint("SELECT name FROM customers WHERE name LIKE '%smith';"),
    lint("SELECT a.id, b.total FROM a, b WHERE a.id = b.a_id;"),
    lint("SELECT a.id, b.total FROM a JOIN b ON a.id = b.a_id WHERE b.total > 100 ORDER BY b.total DESC LIMIT 10;"),
    lint("SELECT id FROM orders WHERE customer_id NOT IN (SELECT id FROM banned);"),
    lint("SELECT COUNT(*) FROM errors WHERE level = 'ERROR' AND day = CURRENT_DATE;"),
    lint("INSERT INTO log VALUES (1, 'login failed');"),
    lint("INSERT INTO log (id, message) VALUES (1, 'login failed: invalid password');"),
    lint("GRANT ALL PRIVILEGES ON shop.* TO 'web'@'%';"),
    lint("CREATE INDEX idx_orders_status ON orders (status);"),
    lint("CREATE INDEX CONCURRENTLY idx_orders_status ON orders (status);"),
    lint("SELECT id FROM users WHERE email = '' OR 1=1;"),
    lint("query = \"SELECT * FROM users WHERE name = '\" + name + \"'\""),
    lint("SELECT * FROM orders;", severity="error"),
    lint("SELECT * FROM orders; DELETE FROM orders;", severity="error"),
    lint("SELECT * FROM orders; DELETE FROM orders;", severity="warning"),
    lint("SELECT * FROM orders", disable=["W001"]),
    lint("DELETE FROM orders", disable=["E001"]),
    lint("-- only a comment: TODO fix failing report"),
    lint("SELECT 1;"),
    lint("SELECT id FROM t1 UNION SELECT id FROM t2;"),
    lint("SELECT DISTINCT status FROM orders ORDER BY 1;"),
    lint("select id, case when failed then 'error' else 'ok' end as verdict from runs where day = '2026-11-18' limit 5;"),
    lint("WITH bad AS (SELECT id FROM orders WHERE total < 0) SELECT COUNT(id) FROM bad;"),
    lint("BEGIN; UPDATE accounts SET balance = balance - 10 WHERE id = 1; UPDATE accounts SET balance = balance + 10 WHERE id = 2; COMMIT;"),
    lint("CREATE TABLE invoices (id INT, amount FLOAT, created TIMESTAMP);"),
    lint("CREATE TABLE invoices (id SERIAL PRIMARY KEY, amount NUMERIC(10,2) NOT NULL, created TIMESTAMPTZ NOT NULL DEFAULT now());"),
    lint("SELECT id FROM orders WHERE YEAR(created) = 2026;"),
    lint("SELECT id FROM orders WHERE created >= '2026-01-01' AND created < '2027-01-01' LIMIT 100;"),
    lint("SELECT o.id FROM orders o CROSS JOIN days d;"),
    lint("SELECT id FROM orders WHERE note = NULL;"),
    lint("SELECT id FROM orders WHERE note IS NULL LIMIT 10;"),
    lint("EXEC('SELECT * FROM ' + @table);"),
    lint("SELECT name AS Name, größe FROM artikel WHERE größe > 40 LIMIT 5; -- fehlerhafte Größen"),
    lint("SELECT * FROM orders", severity="critical"),
    lint("SELEC id FRM orders"),
    ask("lint_sql", severity="error"),
    lint("SELECT id FROM orders", disable=["W999"]),
    lint("SELECT id FROM (SELECT id FROM (SELECT id FROM (SELECT id FROM orders) a) b) c LIMIT 5;"),
])
# --- translation files ---------------------------------------------------------------------------------------------


def xliff(*units, source="en", target="de", name="ui.json"):
    body = "".join(f'<trans-unit id="{key}"><source>{s}</source>' + (f"<target>{t}</target>" if t is not None else "") + "</trans-unit>" for key, s, t in units)
    return ('<?xml version="1.0" encoding="UTF-8"?><xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">'
            f'<file original="{name}" source-language="{source}" target-language="{target}" datatype="plaintext"><body>{body}</body></file></xliff>')
def tmx(*units, source="en", target="fr"):
    body = "".join(f'<tu><tuv xml:lang="{source}"><seg>{s}</seg></tuv><tuv xml:lang="{target}"><seg>{t}</seg></tuv></tu>' for s, t in units)
    return (f'<?xml version="1.0" encoding="UTF-8"?><tmx version="1.4"><header creationtool="demo" creationtoolversion="1" segtype="sentence" '
            f'o-tmf="demo" adminlang="en" srclang="{source}" datatype="plaintext"/><body>{body}</body></tmx>')
LOGIN = xliff(("login.failed", "Login failed. Invalid password.", None), ("login.ok", "Welcome back!", "Willkommen zurück!"),
              ("login.locked", "Account locked after 5 errors", None))
TAGGED = xliff(("cart.error", 'Could not add <g id="1">{item}</g> to cart', None), ("cart.empty", 'Your cart is empty<x id="2"/>', "Ihr Warenkorb ist leer<x id=\"2\"/>"))
ERRORS_JA = xliff(("e404", "Page not found", None), ("e500", "Internal server error", "サーバー内部エラー"), ("e403", "Access denied", "アクセスが拒否されました"), target="ja", name="errors.json")
MEMORY_FR = tmx(("Connection failed", "Échec de la connexion"), ("Save", "Enregistrer"), ("Invalid file name", "Nom de fichier invalide"))
BROKEN = LOGIN.replace("</body>", "")
def translate(content, *pairs, key="unitId"):
    return ask("replace_xliff_targets", content=content, translations=json.dumps(
        [{key: k, "aiResult": t} for k, t in pairs], ensure_ascii=False))
PLANS["xliff"] = pypi("xliff-mcp-server", [
    ask("validate_xliff", content=LOGIN),
    ask("process_xliff", file_name="login.xlf", content=LOGIN),
    ask("process_xliff_with_tags", file_name="login.xlf", content=LOGIN),
    translate(LOGIN, ("login.failed", "Anmeldung fehlgeschlagen. Ungültiges Passwort."), ("login.locked", "Konto nach 5 Fehlern gesperrt")),
    translate(LOGIN, ("login.ok", "Schön, dass Sie wieder da sind!")),
    translate(LOGIN, ("login.unknown", "Unbekannter Fehler")),
    translate(LOGIN),
    translate(LOGIN, (1, "Anmeldung fehlgeschlagen"), key="segNumber"),
    ask("validate_xliff", content=TAGGED),
    ask("process_xliff", file_name="cart.xlf", content=TAGGED),
    ask("process_xliff_with_tags", file_name="cart.xlf", content=TAGGED),
    translate(TAGGED, ("cart.error", '<g id="1">{item}</g> konnte nicht in den Warenkorb gelegt werden')),
    translate(TAGGED, ("cart.empty", "Leer")),
    ask("validate_xliff", content=ERRORS_JA),
    ask("process_xliff", file_name="errors.ja.xlf", content=ERRORS_JA),
    translate(ERRORS_JA, ("e404", "ページが見つかりません")),
    ask("process_xliff_with_tags", file_name="errors.ja.xlf", content=ERRORS_JA),
    ask("validate_tmx", content=MEMORY_FR),
    ask("process_tmx", file_name="memory.tmx", content=MEMORY_FR),
    ask("validate_xliff", content=BROKEN),
    ask("process_xliff", file_name="broken.xlf", content=BROKEN),
    ask("validate_tmx", content=MEMORY_FR.replace("</tu>", "")),
    ask("validate_xliff", content=xliff()),
    ask("process_xliff", file_name="empty.xlf", content=xliff()),
    ask("validate_tmx", content=tmx()),
    ask("process_tmx", file_name="empty.tmx", content=tmx()),
    ask("process_xliff", file_name="ops.xlf", content=xliff(("job.failed", "Job {id} failed with exit code {code}", "Tarea {id} falló con el código {code}"), target="es")),
    translate(xliff(("retry", "Retry", None), ("abort", "Abort", None), target="es"), ("retry", "Reintentar"), ("abort", "Cancelar")),
    translate(xliff(("x", "Timeout", "Zeitüberschreitung")), ("x", "Zeitlimit überschritten")),
    ask("validate_xliff", content=xliff(("a", "Error", "Fehler"), ("b", "Warning", "Warnung"), ("c", "None", ""))),
    ask("process_xliff", file_name="levels.xlf", content=xliff(("a", "Error", "Fehler"), ("b", "Warning", "Warnung"), ("c", "None", ""))),
    ask("process_xliff_with_tags", file_name="levels.xlf", content=xliff(("a", "Error", "Fehler"), ("c", "None", ""))),
    ask("process_tmx", file_name="es.tmx", content=tmx(("Payment rejected", "Pago rechazado"), ("Try again", "Inténtelo de nuevo"), target="es")),
    ask("validate_tmx", content=tmx(("Payment rejected", "Pago rechazado"), target="es")),
    ask("process_tmx", file_name="zh.tmx", content=tmx(("Operation failed", "操作失败"), ("Success", "成功"), target="zh")),
    ask("validate_xliff", content=xliff(("1", "Fatal error", "致命的错误"), target="zh")),
    translate(xliff(("1", "Fatal error", None), target="zh"), ("1", "致命错误")),
    ask("process_xliff", file_name="quotes.xlf", content=xliff(("q", "File &quot;a.txt&quot; was &lt;deleted&gt;", None))),
    ask("process_xliff_with_tags", file_name="quotes.xlf", content=xliff(("q", "File &quot;a.txt&quot; was &lt;deleted&gt;", None))),
    translate(xliff(("q", "File &quot;a.txt&quot; was &lt;deleted&gt;", None)), ("q", "Datei „a.txt“ wurde <gelöscht>")),
    ask("replace_xliff_targets", content=LOGIN, translations="login.ok=Hallo"),
    ask("replace_xliff_targets", content=LOGIN, translations=json.dumps({"unitId": "login.ok", "mtResult": "Hallo"})),
    ask("validate_xliff", content=xliff(("a", "Deprecated", "Veraltet"))),
    ask("process_xliff", file_name="long.xlf", content=xliff(*[(f"m{i}", f"Error {i}: step {i} failed", f"Fehler {i}: Schritt {i} fehlgeschlagen" if i % 2 else None) for i in range(12)])),
    translate(xliff(*[(f"m{i}", f"Error {i}", None) for i in range(6)]), *[(f"m{i}", f"Fehler {i}") for i in range(0, 6, 2)]),
    ask("validate_xliff", content=xliff(*[(f"m{i}", f"Error {i}", None) for i in range(6)])),
    ask("process_tmx", file_name="de.tmx", content=tmx(*[(f"Error {i}", f"Fehler {i}") for i in range(5)], target="de")),
    ask("validate_tmx", content=tmx(*[(f"Error {i}", f"Fehler {i}") for i in range(5)], target="de")),
])
# --- decisions ------------------------------------------------------------------------------------------------------

HOSTS = [{"name": "cloud A", "scores": [120, 99.95, 7, 3]}, {"name": "cloud B", "scores": [95, 99.9, 5, 6]}, {"name": "own rack", "scores": [60, 99.0, 4, 9]}]
FIXES = [{"name": "roll back", "scores": [1, 8, 3]}, {"name": "hotfix", "scores": [4, 6, 7]}, {"name": "rewrite", "scores": [40, 2, 10]}]
HOST_W, HOST_MIN = [0.4, 0.3, 0.2, 0.1], [True, False, False, True]
FIX_W, FIX_MIN = [0.5, 0.3, 0.2], [True, True, False]
def leaf(*scores):
    return {"type": "leaf", "scores": list(scores)}
def chance(label, *branches):
    return {"type": "chance", "label": label, "branches": [{"label": n, "probability": p, "node": c} for n, p, c in branches]}
def decision(label, *branches):
    return {"type": "decision", "label": label, "branches": [{"label": n, "node": c} for n, c in branches]}
RELEASE = decision("Release today?", ("ship", chance("does it fail?", ("works", 0.8, leaf(90, 10)), ("fails", 0.2, leaf(10, 80)))), ("wait", leaf(60, 20)))
AUDIT = decision("Audit?", ("full", leaf(95, 70)), ("sample", chance("error missed?", ("no", 0.9, leaf(85, 20)), ("yes", 0.1, leaf(5, 20)))), ("none", leaf(20, 0)))
def ahp(*rows):
    return ask("compute_ahp_weights", pairwise_matrix=[list(r) for r in rows])
def rank(tool, weights, minimize, alternatives, **more):
    key = "base_weights" if tool == "sensitivity_analysis" else "weights"
    return ask(tool, **{key: weights}, criteria_minimize=minimize, alternatives=alternatives, **more)
PLANS["criterium"] = pypi("criterium-mcp", [
    ask("get_saaty_scale", {}),
    ahp([1, 3, 5], ["1/3", 1, 2], ["1/5", "1/2", 1]),
    ahp([1, 2], [0.5, 1]),
    ahp([1, 9, "1/9"], ["1/9", 1, 9], [9, "1/9", 1]),
    ahp([1, 1, 1], [1, 1, 1], [1, 1, 1]),
    ahp([1, 3, 3, 5], ["1/3", 1, 1, 3], ["1/3", 1, 1, 3], ["1/5", "1/3", "1/3", 1]),
    rank("score_alternatives_ahp", HOST_W, HOST_MIN, HOSTS),
    rank("evaluate_topsis", HOST_W, HOST_MIN, HOSTS),
    rank("sensitivity_analysis", HOST_W, HOST_MIN, HOSTS, steps=5),
    rank("score_alternatives_ahp", [0.1, 0.2, 0.3, 0.4], HOST_MIN, HOSTS),
    rank("evaluate_topsis", [0.1, 0.2, 0.3, 0.4], HOST_MIN, HOSTS),
    rank("evaluate_topsis", [0.5, 0.5, 0.2], HOST_MIN, HOSTS),
    rank("score_alternatives_ahp", FIX_W, FIX_MIN, FIXES),
    rank("evaluate_topsis", FIX_W, FIX_MIN, FIXES),
    rank("sensitivity_analysis", FIX_W, FIX_MIN, FIXES, steps=4),
    rank("evaluate_topsis", FIX_W, FIX_MIN, FIXES[:2]),
    rank("evaluate_topsis", FIX_W, FIX_MIN, FIXES[:1]),
    rank("score_alternatives_ahp", [1.0], [False], [{"name": "passed", "scores": [38]}, {"name": "failed", "scores": [2]}]),
    ask("evaluate_decision_tree", tree=RELEASE, weights=[0.7, 0.3], criteria_minimize=[False, True]),
    ask("evaluate_decision_tree", tree=RELEASE, weights=[0.2, 0.8], criteria_minimize=[False, True]),
    ask("evaluate_decision_tree", tree=RELEASE, weights=[1.0, 0.0]),
    ask("evaluate_decision_tree", tree=AUDIT, weights=[0.6, 0.4], criteria_minimize=[False, True]),
    ask("evaluate_decision_tree", tree=AUDIT, weights=[0.9, 0.1], criteria_minimize=[False, True]),
    ask("evaluate_decision_tree", tree=leaf(1, 2), weights=[0.5, 0.5]),
    ask("evaluate_decision_tree", tree=chance("weather", ("dry", 0.6, leaf(10, 1)), ("rain", 0.5, leaf(2, 5))), weights=[0.5, 0.5]),
    ask("evaluate_decision_tree", tree=chance("weather", ("dry", 0.6, leaf(10, 1)), ("rain", 0.4, leaf(2, 5))), weights=[0.5, 0.5]),
    ahp([1, "1/7"], [7, 1]),
    ahp([1, 4, 7], ["1/4", 1, 3], ["1/7", "1/3", 1]),
    ahp([1, 5, 2], ["1/5", 1, 6], ["1/2", "1/6", 1]),
    ahp([1, 3, 5], ["1/3", 1, 2]),
    rank("score_alternatives_ahp", [0.65, 0.23, 0.12], [False, False, True], [{"name": "Müller GmbH", "scores": [7, 8, 1200]}, {"name": "Ошибка и Ко", "scores": [6, 9, 900]}, {"name": "失敗株式会社", "scores": [9, 5, 2000]}]),
    rank("evaluate_topsis", [0.65, 0.23, 0.12], [False, False, True], [{"name": "Müller GmbH", "scores": [7, 8, 1200]}, {"name": "Ошибка и Ко", "scores": [6, 9, 900]}, {"name": "失敗株式会社", "scores": [9, 5, 2000]}]),
    rank("sensitivity_analysis", [0.65, 0.23, 0.12], [False, False, True], [{"name": "a", "scores": [7, 8, 1200]}, {"name": "b", "scores": [6, 9, 900]}], steps=3),
    rank("score_alternatives_ahp", [0.5, 0.5], [True, True], [{"name": "retry on error", "scores": [3, 3]}, {"name": "give up", "scores": [3, 3]}]),
    rank("evaluate_topsis", [0.5, 0.5], [True, False], [{"name": "reject invalid", "scores": [1, 9]}, {"name": "accept with warning", "scores": [2, 4]}]),
    rank("sensitivity_analysis", [0.5, 0.5], [True, False], [{"name": "reject invalid", "scores": [1, 9]}, {"name": "accept with warning", "scores": [2, 4]}], steps=4),
    rank("score_alternatives_ahp", [0.2, 0.8], [True, False], [{"name": f"candidate {i}", "scores": [50 + 3 * i, (7 * i) % 10]} for i in range(1, 7)]),
    rank("evaluate_topsis", [0.2, 0.8], [True, False], [{"name": f"candidate {i}", "scores": [50 + 3 * i, (7 * i) % 10]} for i in range(1, 7)]),
    ahp([1, 2, 3, 4, 5], ["1/2", 1, 2, 3, 4], ["1/3", "1/2", 1, 2, 3], ["1/4", "1/3", "1/2", 1, 2], ["1/5", "1/4", "1/3", "1/2", 1]),
    rank("score_alternatives_ahp", [0.42, 0.26, 0.16, 0.1, 0.06], [False] * 5, [{"name": "plan X", "scores": [1, 2, 3, 4, 5]}, {"name": "plan Y", "scores": [5, 4, 3, 2, 1]}]),
    rank("sensitivity_analysis", [0.2, 0.8], [True, False], [{"name": f"candidate {i}", "scores": [50 + 3 * i, (7 * i) % 10]} for i in range(1, 4)], steps=2),
    rank("evaluate_topsis", [0.4, 0.6], [True, False], [{"name": "stop the rollout", "scores": [10, 2]}, {"name": "go on"}]),
    rank("evaluate_topsis", [0.4, 0.6], [True, False], [{"name": "stop the rollout", "scores": [10, 2]}, {"name": "go on", "scores": [30, 5]}]),
    ask("evaluate_decision_tree", tree=decision("Restart?", ("yes", leaf(0.4)), ("no", leaf(0.1))), weights=[1.0]),
    ask("evaluate_decision_tree", tree=decision("Insure?", ("yes", leaf(-200)), ("no", chance("accident", ("none", 0.97, leaf(0)), ("damage", 0.03, leaf(-9000))))), weights=[1.0]),
    ask("get_saaty_scale", {}),
], script="criterium")
# --- Brazilian papers and days -----------------------------------------------------------------------------------

PIX = '{last:"(?:brcode|payload|copia_e_cola|br_code)": ?"(000201[^"]+)"}'
def check(kind, value):
    return ask(f"validate_{kind}", value=value)
PLANS["brasil"] = pypi("brasil-mcp-essentials", [
    check("cpf", "529.982.247-25"),
    check("cpf", "529.982.247-26"),
    check("cpf", "111.111.111-11"),
    check("cpf", "5299822472"),
    check("cnpj", "11.222.333/0001-81"),
    check("cnpj", "11.222.333/0001-80"),
    check("cnpj", "12.ABC.345/01DE-35"),
    check("pis", "120.12345.67-8"),
    check("renavam", "00639884962"),
    check("cnh", "12345678900"),
    check("titulo_eleitor", "1023 8501 0671"),
    check("credit_card", "4111 1111 1111 1111"),
    check("credit_card", "4111 1111 1111 1112"),
    check("credit_card", "3782 822463 10005"),
    check("telefone", "(11) 98765-4321"),
    check("telefone", "+55 21 2345-6789"),
    check("telefone", "12345"),
    ask("generate_pix_brcode", chave="ana@example.com.br", nome_beneficiario="Ana Souza", cidade="Recife", valor=4990, txid="PEDIDO42", descricao="Pedido 42", qr_format="none"),
    ask("parse_pix_brcode", value=PIX),
    ask("generate_pix_brcode", chave="+5511987654321", nome_beneficiario="Loja Falha Zero", cidade="Sao Paulo", qr_format="none"),
    ask("parse_pix_brcode", value=PIX),
    ask("generate_pix_brcode", chave="52998224725", nome_beneficiario="Beto", cidade="Natal", valor=1000, qr_format="svg"),
    ask("parse_pix_brcode", value="00020126330014BR.GOV.BCB.PIX0111ana@x.com.br6304FFFF"),
    ask("is_feriado_nacional", date="2026-09-07"),
    ask("is_feriado_nacional", date="2026-09-08"),
    ask("is_feriado_nacional", date="2026-07-09", uf="SP"),
    ask("is_feriado_nacional", date="2026-07-09", uf="RJ"),
    ask("is_feriado_nacional", date="2026-12-25"),
    ask("proximo_dia_util", date="2026-12-24"),
    ask("proximo_dia_util", date="2026-12-25", include_today=True),
    ask("proximo_dia_util", date="2026-11-30", uf="DF", include_today=True),
    ask("contar_dias_uteis", start_date="2026-12-01", end_date="2026-12-31"),
    ask("contar_dias_uteis", start_date="2026-12-26", end_date="2026-12-28"),
    ask("contar_dias_uteis", start_date="2026-04-20", end_date="2026-04-24", inclusive_end=True),
    ask("contar_dias_uteis", start_date="2026-05-10", end_date="2026-05-01"),
    ask("listar_feriados", year=2026),
    ask("listar_feriados", year=2026, uf="BA"),
    ask("listar_feriados", year=2027, uf="RS"),
    ask("is_feriado_nacional", date="2026-13-01"),
    ask("parse_boleto", value="00190500954014481606906809350314337370000000100"),
    ask("parse_boleto", value="00190.50095 40144.816069 06809.350314 3 37370000000100"),
    ask("parse_boleto", value="00190.50095 40144.816069 06809.350315 3 37370000000100"),
    ask("generate_whatsapp_qr", telefone="11987654321", mensagem="Olá! O pagamento falhou, pode tentar de novo?", qr_format="none"),
    ask("generate_whatsapp_qr", telefone="21 99876-5432", qr_format="none"),
    ask("generate_whatsapp_qr", telefone="85991234567", mensagem="Pedido cancelado", qr_format="svg"),
    check("cpf", "168.995.350-09"),
    check("cnpj", "00.000.000/0001-91"),
    check("cnpj", "00.000.000/0000-00"),
    check("titulo_eleitor", "123456789012"),
    check("credit_card", "6362 9700 0045 7013"),
    ask("lookup_cep", cep="01310-100"),
    ask("lookup_ddd", ddd="11"),
], script="brasil-mcp-server")
# --- the grade of a repository -----------------------------------------------------------------------------------

PROJECT = {
    "app/__init__.py": "",
    "app/main.py": "import os\nimport sys\n\nfrom app.pay import charge\nfrom app import store\n\n\ndef main():\n    try:\n        print(charge(store.load('orders.json')))\n    except Exception:\n        pass\n\n\nif __name__ == '__main__':\n    main()\n",
    "app/pay.py": "import subprocess\n\nAPI_KEY = 'demo-key-not-real-0000'\n\n\ndef charge(orders):\n    # TODO: handle failed payments\n    return sum(o['amount'] for o in orders)\n\n\ndef refund(order):\n    raise NotImplementedError\n\n\ndef report(name):\n    return subprocess.run('cat ' + name, shell=True)\n",
    "app/store.py": "import json\nimport pickle\n\n\ndef load(path):\n    with open(path) as f:\n        return json.load(f)\n\n\ndef old_load(path):\n    return pickle.load(open(path, 'rb'))\n",
    "tests/test_pay.py": "from app.pay import charge\n\n\ndef test_charge():\n    assert charge([{'amount': 3}]) == 3\n",
    "requirements.txt": "requests==2.19.0\nflask\n",
    "README.md": "# Shop\n\nRun `python -m app.main`.\n",
}
CLEAN = {
    "calc/__init__.py": "",
    "calc/core.py": "\"\"\"Small sums.\"\"\"\n\n\ndef add(a: int, b: int) -> int:\n    return a + b\n",
    "calc/__main__.py": "from calc.core import add\n\nprint(add(1, 2))\n",
    "tests/test_core.py": "from calc.core import add\n\n\ndef test_add():\n    assert add(2, 2) == 4\n",
    "pyproject.toml": "[project]\nname = 'calc'\nversion = '1.0'\nrequires-python = '>=3.11'\n",
    "README.md": "# calc\n\nAdds numbers.\n", "LICENSE": "MIT License\n",
}
WEB = {
    "index.js": "const express = require('express');\nconst app = express();\napp.get('/eval', (req, res) => res.send(String(eval(req.query.x))));\nfunction unused() { return 1; }\napp.listen(3000);\n",
    "package.json": '{"name": "web", "version": "0.1.0", "main": "index.js", "dependencies": {"express": "4.16.0"}, "scripts": {"test": "echo \\"Error: no test specified\\" && exit 1"}}',
}
FIXED = {**PROJECT, "app/pay.py": "import os\n\nAPI_KEY = os.environ.get('API_KEY', '')\n\n\ndef charge(orders):\n    return sum(o['amount'] for o in orders)\n",
         "app/store.py": "import json\n\n\ndef load(path):\n    with open(path) as f:\n        return json.load(f)\n"}
GUARD = "/app/bin/python /app/bin/code-guardian"
REPORTS = f"{GUARD} scan shop --json >reports/before.json; {GUARD} scan shop-fixed --json >reports/after.json; {GUARD} baseline shop --out reports/base.json >/dev/null; "\
    + "; ".join(f"{GUARD} init {name} >/dev/null; mv {name}/code-guardian.goal.toml goals/{name}.toml" for name in ("shop", "calc", "web"))
def repo(tool, name, **more):
    return ask(tool, path=f"{{home}}/{name}", **more)
PLANS["code-guardian"] = pypi("code-guardian-mcp", [
    repo("scan", "shop"),
    repo("plan", "shop"),
    repo("plan", "shop", top=3),
    repo("orphans", "shop"),
    repo("scan", "shop", fail_on="FAIL"),
    repo("scan", "shop", fail_on="WARN"),
    repo("scan", "shop", fail_on="INFO"),
    repo("scan", "calc"),
    repo("plan", "calc"),
    repo("orphans", "calc"),
    repo("scan", "calc", fail_on="FAIL"),
    repo("scan", "web"),
    repo("plan", "web", top=1),
    repo("orphans", "web"),
    repo("scan", "web", fail_on="WARN"),
    repo("scan", "shopp"),
    repo("scan", "shop-fixed"),
    repo("plan", "shop-fixed", top=2),
    repo("orphans", "shop-fixed"),
    ask("diff", before="{home}/reports/before.json", after="{home}/reports/after.json"),
    ask("diff", before="{home}/reports/after.json", after="{home}/reports/before.json"),
    ask("diff", before="{home}/reports/before.json", after="{home}/reports/before.json"),
    ask("diff", before="{home}/reports/before.json", after="{home}/reports/latest.json"),
    repo("scan", "shop-fixed", baseline="{home}/reports/base.json"),
    repo("scan", "shop-fixed", baseline="{home}/reports/base.json", fail_on="WARN"),
    repo("scan", "shop", baseline="{home}/reports/base.json"),
    repo("scan", "shop", goal="{home}/goals/shop.toml"),
    repo("scan", "calc", goal="{home}/goals/calc.toml"),
    repo("plan", "shop", goal="{home}/goals/shop.toml", top=2),
    repo("orphans", "shop", goal="{home}/goals/shop.toml"),
    repo("explain", "calc"),
    repo("scan", "shop/app"),
    repo("orphans", "shop/app"),
    repo("plan", "shop/app", top=1),
    repo("scan", "shop/tests"),
    repo("orphans", "shop/tests"),
    repo("scan", "empty"),
    repo("orphans", "empty"),
    repo("plan", "empty"),
    repo("scan", "web", goal="{home}/goals/web.toml"),
    repo("plan", "web", goal="{home}/goals/web.toml", top=5),
    repo("orphans", "web", goal="{home}/goals/web.toml"),
    repo("scan", "calc", fail_on="INFO"),
    repo("scan", "calc/calc"),
    repo("scan", "shop-fixed", fail_on="FAIL"),
    repo("scan", "web", fail_on="FAIL"),
], files={f"{name}/{path}": text for name, tree in (("shop", PROJECT), ("calc", CLEAN), ("web", WEB), ("shop-fixed", FIXED)) for path, text in tree.items()}
    | {"empty/.keep": "", "reports/.keep": "", "goals/.keep": ""}, before=REPORTS)
# --- a story kept by a server ----------------------------------------------------------------------------------------

GAME = '{last:"session_id": ?"([0-9a-f-]+)"}'
def game(tool, **more):
    return ask(tool, session_id=GAME, **more)
PLANS["text-adventure"] = pypi("text-adventure-handler-mcp", [
    ask("list_adventures", {}),
    ask("list_sessions", limit=5),
    ask("start_adventure", adventure_id="noir_detectives", character_name="Mara"),
    ask("start_adventure", adventure_id="noir_detective", character_name="Mara"),
    game("get_session_info", include_state=True),
    game("manage_location", action="create", location_data={"id": "core", "name": "Harbour Office", "description": "Files burned, safe forced."}),
    game("manage_location", action="create", location_data={"id": "med", "name": "Back Room", "description": "Locked, no answer.", "connected_to": ["Harbour Office"]}),
    game("manage_location", action="list"),
    game("manage_location", action="read", location_id="core"),
    game("modify_state", action="location", value="Harbour Office", reason="walked"),
    game("manage_character", action="create", character_data={"id": "chen", "name": "Mr. Chen", "description": "Refuses to talk about the missing ledger.", "location": "Harbour Office"}),
    game("manage_character", action="list"),
    game("interact_npc", npc_name="Mr. Chen", sentiment_change=-10),
    game("add_character_memory", character_name="Mr. Chen", description="Mara failed to stop the thief", type="observation", importance=3),
    game("record_event", event_description="The lock failed and the thief escaped", location="Harbour Office", importance=4, tags=["failure"]),
    game("take_action", action="Try to force the safe", stat_name="Investigation", difficulty_class=30),
    game("take_action", action="Read the error in the ledger", stat_name="Investigation", difficulty_class=2),
    game("take_action", action="Wait and listen"),
    game("roll_check", stat_name="Investigation", difficulty_class=25),
    game("roll_check", stat_name="Sneak", difficulty_class=1),
    game("roll_check", stat_name="Cooking", difficulty_class=5),
    game("combat_round", target_name="Drunk docker", player_action="Shout at him", attack_stat="Intimidate", target_ac=25, damage_dice="1d4"),
    game("combat_round", target_name="Drunk docker", player_action="Kick his chair", attack_stat="Intimidate", target_ac=2, damage_dice="2d4"),
    game("modify_state", action="hp", value=-3, reason="broken glass"),
    game("modify_state", action="hp", value=2, reason="bandage"),
    game("modify_state", action="score", value=-5, reason="penalty: alarm ignored"),
    game("manage_inventory", action="list"),
    game("manage_inventory", action="add", item_name="Match", quantity=2),
    game("manage_inventory", action="check", item_name="Match"),
    game("manage_inventory", action="check", item_name="Safe key"),
    game("manage_inventory", action="remove", item_name="Match", quantity=1),
    game("manage_inventory", action="list"),
    game("update_quest", quest_id="q1", title="Find out why the alarm failed", new_objective="Ask the guard"),
    game("update_quest", quest_id="q1", complete_objective="Ask the guard"),
    game("update_quest", quest_id="q1", status="failed"),
    game("manage_time", action="get"),
    game("manage_time", action="advance", hours=5, reason="stakeout failed"),
    game("manage_status_effect", action="apply", effect_data={"id": "burn", "name": "Bleeding", "description": "-1 on checks", "duration": 2}),
    game("manage_status_effect", action="list"),
    game("manage_status_effect", action="remove", effect_id="burn"),
    game("manage_status_effect", action="list"),
    game("manage_economy", action="get_balance"),
    game("manage_economy", action="add_currency", amount=30, details={"reason": "refund for the defective lock"}),
    game("manage_economy", action="remove_currency", amount=500),
    game("manage_faction", action="create", faction_data={"id": "crew", "name": "Dockers", "description": "Angry"}),
    game("manage_faction", action="update_reputation", faction_id="crew", faction_data={"change": -60, "reason": "lied about the error"}),
    game("manage_faction", action="list"),
    game("manage_item", action="list"),
    game("narrator_thought", thought="The failure must feel earned", story_status="crisis", plan="escape", user_behavior="careful"),
    game("execute_batch", commands=[{"tool": "modify_state", "args": {"action": "score", "value": 1}}, {"tool": "manage_time", "args": {"action": "get"}}]),
    game("manage_summary", action="create", summary="The alarm failed; Mara is hurt but alive.", key_events=["alarm failed"]),
    game("manage_summary", action="get_latest"),
    game("manage_location", action="delete", location_id="med"),
    game("manage_character", action="delete", character_id="chen"),
    game("manage_character", action="list"),
    game("randomize_word", word_list_name="character_names", category_name="suspect"),
    ask("list_sessions", limit=5),
    ask("get_rules", section_name="guidelines_and_rules"),
], files={})
# --- thinking ---------------------------------------------------------------------------------------------------------

KIT = ["read_file", "search_code", "run_tests", "query_logs", "ask_user"]
def think(number, total, text, more=True, **rest):
    return ask("sequentialthinking_tools", available_mcp_tools=KIT, thought=text, thought_number=number, total_thoughts=total,
               next_thought_needed=more, **rest)
def step(what, tool, why, hope, **more):
    return {"step_description": what, "expected_outcome": hope,
            "recommended_tools": [{"tool_name": tool, "confidence": 0.8, "rationale": why, "priority": 1, **more}]}
OUTAGE = ["Checkout fails with 502 since 09:00; collect what is known", "Errors start two minutes after deploy 118, so the deploy is suspect",
          "Logs show 'connection refused' from the payment service", "The payment pod was killed: out of memory", "Deploy 118 doubled the cache size",
          "Roll back 118, then lower the cache", "Error rate fell from 31% to 0.2%", "Write the incident report"]
BUG = ["Test test_total fails: 41 != 42", "The last item is dropped when the list has an odd length", "range(0, n - 1) should be range(0, n)",
       "Check other loops for the same mistake", "No other loop is wrong", "Add a test with one item", "All 39 tests pass"]
MIGRATION = ["Move invoices from MySQL to PostgreSQL without downtime", "Risk: invalid dates such as 0000-00-00 are rejected by PostgreSQL",
             "Count the bad rows: 214 of 90000", "Replace invalid dates by null", "Dry run failed on row 17: duplicate key", "Deduplicate first",
             "Second dry run without errors", "Switch reads, then writes", "Keep the old database for 14 days"]
REISE = ["Der Zug um 7:12 fällt aus", "Alternative um 7:42 mit Umstieg in Köln", "Der Anschluss wird knapp: 4 Minuten", "Plan B: später fahren und den Termin verschieben", "Termin verschoben, Ticket storniert"]
LOCK = ["Two workers deadlock now and then", "Both take locks A and B in different order", "Hypothesis wrong: order is the same", "The lock is not released after an exception",
        "Use a context manager", "Stress test: 0 deadlocks in 10000 runs"]
def story(thoughts, first=None):
    """One call for each thought; some tell the step at hand, the steps done or those left, which the server gives back."""
    calls = []
    for i, text in enumerate(thoughts):
        rest = {"current_step": first} if first and i == 0 else {}
        if i % 2 == 1:
            rest["remaining_steps"] = thoughts[i + 1:i + 4]
        if i % 3 == 2:
            rest["current_step"] = step(text, KIT[i % 5], f"because: {thoughts[i - 1]}", "the error is reproduced or ruled out", alternatives=[KIT[(i + 1) % 5]])
            rest["previous_steps"] = [step(thoughts[i - 2], KIT[(i + 2) % 5], "first look", "failed, no result")]
        calls.append(think(i + 1, len(thoughts), text, i + 1 < len(thoughts), **rest))
    return calls
PLANS["thinking-tools"] = npm("mcp-sequentialthinking-tools", "dist/index.js", [
    *story(OUTAGE, step("Find the first error", "query_logs", "logs tell when it started", "time of the first failure", suggested_inputs={"level": "error", "since": "09:00"})),
    think(9, 9, "Was the rollback really the cure? Traffic fell too", True, is_revision=True, revises_thought=7),
    think(10, 10, "Compared with last Monday: yes", False),
    *story(BUG, step("Run the failing test", "run_tests", "see it fail first", "AssertionError")),
    think(8, 8, "Branch: could it be rounding instead?", True, branch_from_thought=2, branch_id="rounding"),
    think(9, 9, "No, all values are integers; the branch is rejected", False, branch_from_thought=2, branch_id="rounding"),
    *story(MIGRATION, step("Read the schema", "read_file", "types differ", "list of columns", alternatives=["ask_user"])),
    think(10, 12, "More to do than planned: permissions are missing", True, needs_more_thoughts=True, remaining_steps=["grant rights", "retry"]),
    think(11, 12, "Permission denied on table audit; ask the owner", True, current_step=step("Ask for the right", "ask_user", "only the owner can grant", "granted or refused")),
    think(12, 12, "Granted; nothing left", False, remaining_steps=[]),
    *story(REISE),
    *story(LOCK, step("Look at the lock code", "search_code", "find all uses", "places that lock", alternatives=["read_file"])),
    think(1, 3, "Is the alert a false alarm?", True),
    think(5, 3, "I skipped ahead; the total grows", True),
    think(6, 6, "It was a false alarm", False),
    ask("sequentialthinking_tools", available_mcp_tools=KIT, thought="One more idea", thought_number=7, total_thoughts=7),
    think(1, 2, "質問: なぜ失敗したのか", True),
    think(2, 2, "原因: 設定の誤り。解決済み", False),
    ask("sequentialthinking_tools", available_mcp_tools=KIT, thought="Begin again", next_thought_needed=True, thought_number=1),
    think(1, 1, "Done: error budget is used up, stop releases until Monday", False),
])
