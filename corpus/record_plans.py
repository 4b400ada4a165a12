"""Which servers of `recorded` record.py starts, how, and what it asks them; the words that all plans are written in.

In a command, {base} is where the package is installed and {home} the server's home;
arguments may name {home} too, and {last:REGEX}, the last text that a server answered
and REGEX's first group matches. A call is (scenario or None, params of tools/call); a
plain string in its place is sent as it is, to see what the server makes of a broken line.
"""

HAPPY, EDGE, BOUNDARY, ERROR = "happy_path", "edge_case", "boundary", "error_case"


def call(scenario, tool, arguments=None, **named):
    params = {"name": tool}
    if arguments is not None or named:
        params["arguments"] = named if arguments is None else arguments
    return scenario, params


def ask(tool, arguments=None, **named):
    return call(None, tool, arguments, **named)


def misuse(tool):
    """What every server is asked: calls that no tool could carry out."""
    return [
        call(ERROR, "no_such_tool", x=1),
        call(ERROR, tool),
        call(ERROR, tool, {}),
        call(ERROR, tool, "not an object"),
        call(ERROR, tool, [1, 2]),
        (ERROR, {"arguments": {}}),
        (ERROR, {"name": 7, "arguments": {}}),
    ]


LONG = "long " * 60

MEMORY = [
    call(HAPPY, "create_entities", entities=[
        {"name": "Ada", "entityType": "person", "observations": ["likes tea"]},
        {"name": "Engine", "entityType": "machine", "observations": []}]),
    call(HAPPY, "create_relations", relations=[{"from": "Ada", "to": "Engine", "relationType": "programs"}]),
    call(HAPPY, "add_observations", observations=[{"entityName": "Ada", "contents": ["error handling", "not found"]}]),
    call(HAPPY, "read_graph", {}),
    call(HAPPY, "search_nodes", query="tea"),
    call(HAPPY, "open_nodes", names=["Ada", "Engine"]),
    call(EDGE, "create_entities", entities=[{"name": "Ada", "entityType": "person", "observations": []}]),
    call(EDGE, "create_relations", relations=[{"from": "Nobody", "to": "Nothing", "relationType": "knows"}]),
    call(EDGE, "search_nodes", query="zzz-none"),
    call(EDGE, "open_nodes", names=["Missing"]),
    call(EDGE, "delete_entities", entityNames=["Missing"]),
    call(EDGE, "delete_relations", relations=[{"from": "x", "to": "y", "relationType": "z"}]),
    call(BOUNDARY, "create_entities", entities=[]),
    call(BOUNDARY, "create_entities", entities=[{"name": "", "entityType": "", "observations": [""]}]),
    call(BOUNDARY, "create_entities", entities=[{"name": "Zoë 🙂 \u202e", "entityType": "x", "observations": [LONG]}]),
    call(BOUNDARY, "search_nodes", query=""),
    call(ERROR, "add_observations", observations=[{"entityName": "Missing", "contents": ["a"]}]),
    call(ERROR, "delete_observations", deletions=[{"entityName": "Missing", "observations": ["a"]}]),
    call(ERROR, "create_entities", entities=[{"name": "NoType"}]),
    call(ERROR, "create_entities", entities="Ada"),
    call(ERROR, "open_nodes", names=[1, None]),
    call(ERROR, "search_nodes", query=5),
    *misuse("create_relations"),
    call(HAPPY, "delete_entities", entityNames=["Ada"]),
    call(HAPPY, "read_graph", {}),
]

THINKING = [
    call(HAPPY, "sequentialthinking", thought="Count the legs.", thoughtNumber=1, totalThoughts=2, nextThoughtNeeded=True),
    call(HAPPY, "sequentialthinking", thought="Divide by four.", thoughtNumber=2, totalThoughts=2, nextThoughtNeeded=False),
    call(HAPPY, "sequentialthinking", thought="Some hens?", thoughtNumber=3, totalThoughts=3, nextThoughtNeeded=True,
         isRevision=True, revisesThought=1),
    call(EDGE, "sequentialthinking", thought="Beyond the plan", thoughtNumber=9, totalThoughts=3, nextThoughtNeeded=True),
    call(EDGE, "sequentialthinking", thought="Branch", thoughtNumber=2, totalThoughts=3, nextThoughtNeeded=True,
         branchFromThought=1, branchId="b"),
    call(EDGE, "sequentialthinking", thought="Flag as text", thoughtNumber=1, totalThoughts=1, nextThoughtNeeded="false"),
    call(BOUNDARY, "sequentialthinking", thought="", thoughtNumber=1, totalThoughts=1, nextThoughtNeeded=False),
    call(BOUNDARY, "sequentialthinking", thought="zero", thoughtNumber=0, totalThoughts=1, nextThoughtNeeded=False),
    call(BOUNDARY, "sequentialthinking", thought="negative", thoughtNumber=1, totalThoughts=-1, nextThoughtNeeded=False),
    call(BOUNDARY, "sequentialthinking", thought="huge", thoughtNumber=10**15, totalThoughts=10**15, nextThoughtNeeded=False),
    call(ERROR, "sequentialthinking", thought="half", thoughtNumber=1.5, totalThoughts=2, nextThoughtNeeded=True),
    call(ERROR, "sequentialthinking", thought=4, thoughtNumber=1, totalThoughts=2, nextThoughtNeeded=True),
    call(ERROR, "sequentialthinking", thought="maybe", thoughtNumber=1, totalThoughts=2, nextThoughtNeeded="maybe"),
    call(ERROR, "sequentialthinking", thought="no number", totalThoughts=2, nextThoughtNeeded=True),
    *misuse("sequentialthinking"),
    '{"jsonrpc":"2.0","id":900,"method":"tools/call","params":{"name":"sequentialth',
    "this line is not JSON",
    call(HAPPY, "sequentialthinking", thought="Still here", thoughtNumber=1, totalThoughts=1, nextThoughtNeeded=False),
]

SLACK = [
    call(HAPPY, "slack_list_channels", limit=5),
    call(HAPPY, "slack_post_message", channel_id="C0123456789", text="hello"),
    call(HAPPY, "slack_reply_to_thread", channel_id="C0123456789", thread_ts="1234567890.123456", text="hi"),
    call(HAPPY, "slack_add_reaction", channel_id="C0123456789", timestamp="1234567890.123456", reaction="tada"),
    call(HAPPY, "slack_get_channel_history", channel_id="C0123456789"),
    call(HAPPY, "slack_get_users", {}),
    call(HAPPY, "slack_get_user_profile", user_id="U0123456789"),
    call(EDGE, "slack_get_thread_replies", channel_id="C0123456789", thread_ts="yesterday"),
    call(BOUNDARY, "slack_list_channels", limit=100000),
    call(ERROR, "slack_post_message", channel_id="", text="hello"),
    call(ERROR, "slack_post_message", channel_id="C0123456789"),
    call(ERROR, "slack_get_user_profile", {}),
    *misuse("slack_add_reaction"),
]

MAPS = [
    call(HAPPY, "maps_geocode", address="10 Downing Street, London"),
    call(HAPPY, "maps_reverse_geocode", latitude=48.8584, longitude=2.2945),
    call(HAPPY, "maps_search_places", query="coffee", location={"latitude": 1, "longitude": 2}, radius=500),
    call(HAPPY, "maps_place_details", place_id="ChIJdemo"),
    call(HAPPY, "maps_distance_matrix", origins=["Paris"], destinations=["Lyon"], mode="driving"),
    call(HAPPY, "maps_directions", origin="Paris", destination="Lyon"),
    call(EDGE, "maps_geocode", address=""),
    call(BOUNDARY, "maps_elevation", locations=[]),
    call(ERROR, "maps_elevation", locations="here"),
    call(ERROR, "maps_elevation", locations=[None]),
    call(ERROR, "maps_distance_matrix", origins="Paris", destinations=["Lyon"]),
    call(ERROR, "maps_distance_matrix", {}),
    call(ERROR, "maps_search_places", query="tea", location=None),
    *misuse("maps_elevation"),
]

TASKS = [
    call(HAPPY, "request_planning", originalRequest="Paint the shed", tasks=[
        {"title": "Buy paint", "description": "Green"}, {"title": "Paint", "description": "Two coats"}]),
    call(HAPPY, "get_next_task", requestId="req-1"),
    call(HAPPY, "mark_task_done", requestId="req-1", taskId="task-1", completedDetails="bought"),
    call(EDGE, "get_next_task", requestId="req-1"),
    call(EDGE, "mark_task_done", requestId="req-1", taskId="task-1"),
    call(HAPPY, "approve_task_completion", requestId="req-1", taskId="task-1"),
    call(EDGE, "approve_task_completion", requestId="req-1", taskId="task-1"),
    call(EDGE, "approve_task_completion", requestId="req-1", taskId="task-2"),
    call(EDGE, "approve_request_completion", requestId="req-1"),
    call(HAPPY, "list_requests", {}),
    call(HAPPY, "open_task_details", taskId="task-2"),
    call(HAPPY, "add_tasks_to_request", requestId="req-1", tasks=[{"title": "Clean up", "description": "brushes"}]),
    call(HAPPY, "update_task", requestId="req-1", taskId="task-2", title="Paint twice"),
    call(EDGE, "update_task", requestId="req-1", taskId="task-1", title="Too late"),
    call(EDGE, "delete_task", requestId="req-1", taskId="task-1"),
    call(HAPPY, "delete_task", requestId="req-1", taskId="task-3"),
    call(ERROR, "get_next_task", requestId="req-404"),
    call(ERROR, "mark_task_done", requestId="req-1", taskId="task-404"),
    call(ERROR, "mark_task_done", requestId="req-404", taskId="task-1"),
    call(ERROR, "approve_request_completion", requestId="req-404"),
    call(ERROR, "open_task_details", taskId="task-404"),
    call(ERROR, "add_tasks_to_request", requestId="req-404", tasks=[]),
    call(ERROR, "update_task", requestId="req-1", taskId="task-404", title="x"),
    call(ERROR, "delete_task", requestId="req-1", taskId="task-404"),
    call(BOUNDARY, "request_planning", originalRequest="", tasks=[]),
    call(ERROR, "request_planning", originalRequest="Half a task", tasks=[{"title": "no description"}]),
    *misuse("request_planning"),
]

MYSQL = [
    call(EDGE, "query", sql="SELECT 1"),
    call(EDGE, "list_tables", {}),
    call(HAPPY, "connect_db", host="127.0.0.1", user="demo", password="demo", database="shop"),
    call(HAPPY, "query", sql="SELECT * FROM orders", params=[]),
    call(HAPPY, "execute", sql="INSERT INTO orders VALUES (1)"),
    call(HAPPY, "list_tables", {}),
    call(HAPPY, "describe_table", table="orders"),
    call(EDGE, "connect_db", host="db.example.com", user="demo", password="demo", database="shop"),
    call(EDGE, "query", sql="DROP TABLE orders"),
    call(EDGE, "execute", sql="SELECT 1"),
    call(BOUNDARY, "query", sql=""),
    call(BOUNDARY, "describe_table", table=""),
    call(ERROR, "connect_db", host="127.0.0.1"),
    call(ERROR, "query", sql=5),
    *misuse("describe_table"),
]

COMMANDS = [
    call(HAPPY, "run_command", command="echo hello"),
    call(HAPPY, "run_command", command="cat", stdin="passed on"),
    call(HAPPY, "run_command", command="ls", workdir="{home}"),
    call(HAPPY, "run_command", command="printf 'a\\nb\\n' | wc -l"),
    call(EDGE, "run_command", command="true"),
    call(EDGE, "run_command", command="echo warning >&2"),
    call(EDGE, "run_command", command="echo partly; exit 3"),
    call(EDGE, "run_command", command="echo 'Error: only a word'"),
    call(EDGE, "run_command", command="grep -c nothing notes.txt"),
    call(BOUNDARY, "run_command", command="printf '%0500d' 0"),
    call(BOUNDARY, "run_command", command=""),
    call(BOUNDARY, "run_command", command="sleep 6.2; echo late"),
    call(BOUNDARY, "run_command", command="sleep 60"),
    call(ERROR, "run_command", command="false"),
    call(ERROR, "run_command", command="no-such-program --version"),
    call(ERROR, "run_command", command="cat missing.txt"),
    call(ERROR, "run_command", command="ls", workdir="/nonexistent"),
    call(ERROR, "run_command", command="echo 'broken"),
    call(ERROR, "run_command", command="node -e 'null.x'"),
    call(ERROR, "run_command", command=5),
    *misuse("run_command"),
]

CSV = [
    call(EDGE, "get_database_schema", {}),
    call(EDGE, "list_loaded_tables", {}),
    call(EDGE, "execute_sql_query", query="SELECT 1"),
    call(EDGE, "get_query_plan", query="SELECT 1"),
    call(EDGE, "backup_database", backup_path="{home}/backup.db"),
    call(ERROR, "load_csv_folder", folder_path="{home}/missing"),
    call(EDGE, "load_csv_folder", folder_path="{home}/empty"),
    call(HAPPY, "load_csv_folder", folder_path="{home}/tables"),
    call(HAPPY, "list_loaded_tables", {}),
    call(HAPPY, "get_database_schema", {}),
    call(HAPPY, "execute_sql_query", query="SELECT name, price FROM fruit ORDER BY price"),
    call(EDGE, "execute_sql_query", query="SELECT * FROM fruit WHERE price > 100"),
    call(EDGE, "execute_sql_query", query="DELETE FROM fruit WHERE name = 'none'"),
    call(ERROR, "execute_sql_query", query="SELECT colour FROM fruit"),
    call(ERROR, "execute_sql_query", query="SELECT * FROM vegetables"),
    call(ERROR, "execute_sql_query", query="SELEC 1"),
    call(BOUNDARY, "execute_sql_query", query=""),
    call(BOUNDARY, "execute_sql_query", query="SELECT * FROM fruit", limit=-1),
    call(HAPPY, "get_table_info", table_name="fruit"),
    call(ERROR, "get_table_info", table_name="vegetables"),
    call(HAPPY, "create_index", table_name="fruit", column_name="name"),
    call(EDGE, "create_index", table_name="fruit", column_name="name"),
    call(ERROR, "create_index", table_name="fruit", column_name="colour"),
    call(ERROR, "export_table_to_csv", table_name="vegetables", output_path="{home}/out.csv"),
    call(ERROR, "export_table_to_csv", table_name="fruit", output_path="/nonexistent/out.csv"),
    call(HAPPY, "export_table_to_csv", table_name="fruit", output_path="{home}/out.csv"),
    call(ERROR, "backup_database", backup_path="/nonexistent/backup.db"),
    call(HAPPY, "get_column_stats", table_name="fruit", column_name="price"),
    call(ERROR, "get_column_stats", table_name="fruit", column_name="colour"),
    call(HAPPY, "find_duplicates", table_name="fruit"),
    call(ERROR, "find_duplicates", table_name="fruit", columns="colour"),
    call(HAPPY, "analyze_missing_data", table_name="fruit"),
    call(ERROR, "get_data_summary", table_name="vegetables"),
    call(ERROR, "get_query_plan", query="SELECT FROM WHERE"),
    call(ERROR, "execute_sql_query", query="SELECT 1", limit="many"),
    *misuse("execute_sql_query"),
    call(HAPPY, "clear_database", {}),
]

SEARCH = [
    call(HAPPY, "search", query="model context protocol"),
    call(HAPPY, "search", query="rust", max_results=3),
    call(HAPPY, "fetch_content", url="https://example.com/"),
    call(EDGE, "fetch_content", url="http://127.0.0.1:9/closed"),
    call(EDGE, "fetch_content", url="https://example.com/", start_index=10**9),
    call(EDGE, "search", query=""),
    call(BOUNDARY, "search", query="x", max_results=0),
    call(BOUNDARY, "search", query=LONG),
    call(ERROR, "fetch_content", url="not a url"),
    call(ERROR, "fetch_content", url="ftp://example.com/file"),
    call(ERROR, "fetch_content", url="https://example.com/", backend="teleport"),
    call(ERROR, "fetch_content", url="https://example.com/", parse_mode="upside-down"),
    call(ERROR, "expand_link", token="[[link-0]]"),
    call(ERROR, "search", query=5),
    call(ERROR, "search", query="x", max_results="many"),
    *misuse("search"),
]

CONVERTER = [
    call(HAPPY, "convert", expression="5 m to km"),
    call(HAPPY, "convert", expression="100 c to f"),
    call(HAPPY, "convert", expression="1 kg lb"),
    call(HAPPY, "convert", expression="3.5 l ml"),
    call(EDGE, "convert", expression="  10   KM   to  M "),
    call(EDGE, "convert", expression="-5 m km"),
    call(EDGE, "convert", expression="0 m km"),
    call(BOUNDARY, "convert", expression=""),
    call(BOUNDARY, "convert", expression="1" + "0" * 300 + " m mm"),
    call(BOUNDARY, "convert", expression="-400 c k"),
    call(ERROR, "convert", expression="5 m kg"),
    call(ERROR, "convert", expression="5 parsecs cubits"),
    call(ERROR, "convert", expression="five m km"),
    call(ERROR, "convert", expression="1.2.3 m km"),
    call(ERROR, "convert", expression=12),
    call(ERROR, "convert", expression=None),
    *misuse("convert"),
]

HASHES = [
    call(HAPPY, "hash_sha256", data="abc"),
    call(HAPPY, "hash_md5", data="abc", usedforsecurity=False),
    call(HAPPY, "hash_blake2b", data="abc", digest_size=16),
    call(HAPPY, "hash_shake_128", data="abc", output_length=8),
    call(HAPPY, "hash_pbkdf2_hmac", password="demo", salt="salt", iterations=10),
    call(HAPPY, "hash_new", algorithm="sha1", data="abc"),
    call(HAPPY, "hash_update", algorithm="sha256", data_parts=["a", "b"]),
    call(HAPPY, "hash_info", {}),
    call(HAPPY, "hash_properties", algorithm="sha512"),
    call(EDGE, "hash_sha256", data=""),
    call(EDGE, "hash_new", algorithm="SHA256", data="abc"),
    call(EDGE, "hash_update", algorithm="sha256", data_parts=[]),
    call(EDGE, "hash_new", algorithm="shake_128", data="abc"),
    call(BOUNDARY, "hash_blake2b", data="abc", digest_size=65),
    call(BOUNDARY, "hash_blake2b", data="abc", digest_size=0),
    call(BOUNDARY, "hash_shake_128", data="abc", output_length=-1),
    call(BOUNDARY, "hash_pbkdf2_hmac", password="demo", salt="", iterations=0),
    call(BOUNDARY, "hash_scrypt", password="demo", salt="salt", n=3),
    call(BOUNDARY, "hash_scrypt", password="demo", salt="salt", n=2**20, r=64),
    call(ERROR, "hash_new", algorithm="rot13", data="abc"),
    call(ERROR, "hash_properties", algorithm=""),
    call(ERROR, "hash_file_digest", data="abc", algorithm="none"),
    call(ERROR, "hash_info", info_type="weather"),
    call(ERROR, "hash_sha256", data=5),
    call(ERROR, "hash_update", algorithm="sha256", data_parts="ab"),
    call(ERROR, "hash_sha256", data="abc", colour="red"),
    *misuse("hash_copy"),
]

EDITOR = [
    call(HAPPY, "get_text_file_contents", files=[{"file_path": "{home}/notes.txt", "ranges": [{"start": 1}]}]),
    call(HAPPY, "get_text_file_contents", files=[{"file_path": "{home}/notes.txt", "ranges": [{"start": 2, "end": 3}]}]),
    call(EDGE, "get_text_file_contents", files=[{"file_path": "{home}/empty.txt", "ranges": [{"start": 1}]}]),
    call(EDGE, "get_text_file_contents", files=[{"file_path": "{home}/notes.txt", "ranges": [{"start": 90, "end": 99}]}]),
    call(BOUNDARY, "get_text_file_contents", files=[{"file_path": "{home}/notes.txt", "ranges": [{"start": 0}]}]),
    call(BOUNDARY, "get_text_file_contents", files=[{"file_path": "{home}/notes.txt", "ranges": [{"start": 3, "end": 1}]}]),
    call(BOUNDARY, "get_text_file_contents", files=[]),
    call(ERROR, "get_text_file_contents", files=[{"file_path": "{home}/missing.txt", "ranges": [{"start": 1}]}]),
    call(ERROR, "get_text_file_contents", files=[{"file_path": "notes.txt", "ranges": [{"start": 1}]}]),
    call(ERROR, "get_text_file_contents", files=[{"file_path": "{home}", "ranges": [{"start": 1}]}]),
    call(ERROR, "get_text_file_contents", files=[{"ranges": []}]),
    call(ERROR, "edit_text_file_contents", files=[{"path": "{home}/notes.txt", "file_hash": "0" * 64, "patches": [
        {"line_start": 1, "line_end": 1, "contents": "changed\n"}]}]),
    call(ERROR, "edit_text_file_contents", files=[{"path": "{home}/missing.txt", "file_hash": "0" * 64, "patches": [
        {"line_start": 1, "contents": "x\n"}]}]),
    call(HAPPY, "edit_text_file_contents", files=[{"path": "{home}/new.txt", "file_hash": "", "patches": [
        {"line_start": 1, "contents": "first\n"}]}]),
    call(EDGE, "edit_text_file_contents", files=[{"path": "{home}/new.txt", "file_hash": "", "patches": [
        {"line_start": 1, "contents": "again\n"}]}]),
    call(ERROR, "edit_text_file_contents", files=[{"path": "{home}/notes.txt"}]),
    call(ERROR, "edit_text_file_contents", files="{home}/notes.txt"),
    *misuse("get_text_file_contents"),
]

NOTES = "milk\nbread\neggs\n"
FRUIT = "name,price\napple,1.20\npear,1.50\napple,1.20\nfig,\n"


def npm(package, entry, calls, **more):
    return plan("npm", package, ["node", f"{{base}}/{package}/{entry}"], calls, **more)


def npm_program(package, entry, calls, **more):
    return plan("npm", package, [f"{{base}}/{package}/{entry}"], calls, **more)


def pypi(package, calls, script=None, **more):
    return plan("pypi", package, ["{base}/bin/python", f"{{base}}/bin/{script or package}"], calls, **more)


def plan(registry, package, command, calls, args=(), before=None, **more):
    command = [*command, *args]
    if before:
        command = ["sh", "-c", f'{before}; exec "$@"', "sh", *command]
    return {"registry": registry, "package": package, "command": command, "calls": calls, **more}


PLANS = {
    "memory": npm("@modelcontextprotocol/server-memory", "dist/index.js", MEMORY,
                  env={"MEMORY_FILE_PATH": "{home}/memory.jsonl"}, protocol="2025-11-25"),
    "sequential-thinking": npm("@modelcontextprotocol/server-sequential-thinking", "dist/index.js", THINKING),
    "slack": npm("@modelcontextprotocol/server-slack", "dist/index.js", SLACK,
                 env={"SLACK_BOT_TOKEN": "no-token", "SLACK_TEAM_ID": "T0123456789"}, protocol="2024-11-05"),
    "google-maps": npm("@modelcontextprotocol/server-google-maps", "dist/index.js", MAPS,
                       env={"GOOGLE_MAPS_API_KEY": "no-key"}, protocol="2024-11-05"),
    "taskmanager": npm("@kazuph/mcp-taskmanager", "dist/index.js", TASKS,
                       env={"TASK_MANAGER_FILE_PATH": "{home}/tasks.json"}),
    "mysql": npm("@f4ww4z/mcp-mysql-server", "build/index.js", MYSQL, protocol="2024-11-05"),
    "commands": npm("mcp-server-commands", "build/index.js", COMMANDS, files={"notes.txt": NOTES},
                    protocol="2024-11-05"),
    "csv-database": pypi("mcp-csv-database", CSV, files={"tables/fruit.csv": FRUIT, "empty/readme.txt": "no tables"}),
    "duckduckgo": pypi("duckduckgo-mcp-server", SEARCH),
    "converter": pypi("mcp-server-converter", CONVERTER),
    "hashlib": pypi("mcp-hashlib", HASHES),
    "text-editor": pypi("mcp-text-editor", EDITOR, files={"notes.txt": NOTES, "empty.txt": ""}),
}
