"""Which servers of npm ../record.py starts, how, and what it asks them."""

import json

from record_plans import ask, npm
from record_stand_ins import STANDIN, standin

PLANS = {}

WATCH = r"""
import os, time
while True:
    try:
        if "STOPHERE" in open("tasks.json").read():
            break
    except OSError:
        pass
    time.sleep(0.0003)
os.remove("tasks.json"); os.mkdir("tasks.json")
"""
T = [{"title": "Reproduce: Login fails with 401", "description": "Use the test account; note the error text"},
     {"title": "Fix the failed migration", "description": "users table, error: column exists"},
     {"title": "Write release notes", "description": "One paragraph"}]
PLANS["taskmanager"] = npm("@kazuph/mcp-taskmanager", "dist/index.js", [
    ask("list_requests", {}),
    ask("request_planning", originalRequest="Repair the login", splitDetails="first reproduce, then fix", tasks=T),
    ask("get_next_task", requestId="req-1"),
    ask("get_next_task", requestId="req-9"),
    ask("approve_task_completion", requestId="req-1", taskId="task-1"),
    ask("mark_task_done", requestId="req-1", taskId="task-1", completedDetails="Reproduced: 401 Unauthorized from /api/login"),
    ask("mark_task_done", requestId="req-1", taskId="task-1"),
    ask("approve_task_completion", requestId="req-1", taskId="task-1"),
    ask("approve_task_completion", requestId="req-1", taskId="task-1"),
    ask("get_next_task", requestId="req-1"),
    ask("open_task_details", taskId="task-2"),
    ask("open_task_details", taskId="task-77"),
    ask("add_tasks_to_request", requestId="req-1", tasks=[{"title": "Tell the customers", "description": "Error is gone"}]),
    ask("add_tasks_to_request", requestId="req-5", tasks=[{"title": "x", "description": "y"}]),
    ask("add_tasks_to_request", requestId="req-1", tasks="one more"),
    ask("update_task", requestId="req-1", taskId="task-2", title="Fix the failed migration (users)"),
    ask("update_task", requestId="req-1", taskId="task-1", title="again"),
    ask("update_task", requestId="req-1", taskId="task-44", title="none"),
    ask("update_task", requestId="req-8", taskId="task-2", title="none"),
    ask("delete_task", requestId="req-1", taskId="task-3"),
    ask("delete_task", requestId="req-1", taskId="task-3"),
    ask("delete_task", requestId="req-1", taskId="task-1"),
    ask("approve_request_completion", requestId="req-1"),
    ask("approve_request_completion", requestId="req-6"),
    ask("mark_task_done", requestId="req-1", taskId="task-99"),
    ask("mark_task_done", requestId="req-1", taskId="task-2", completedDetails="Migration ran; 0 errors"),
    ask("mark_task_done", requestId="req-1", taskId="task-4"),
    ask("approve_request_completion", requestId="req-1"),
    ask("approve_task_completion", requestId="req-1", taskId="task-2"),
    ask("approve_task_completion", requestId="req-1", taskId="task-4"),
    ask("get_next_task", requestId="req-1"),
    ask("approve_request_completion", requestId="req-1"),
    ask("get_next_task", requestId="req-1"),
    ask("mark_task_done", requestId="req-1", taskId="task-2"),
    ask("add_tasks_to_request", requestId="req-1", tasks=[{"title": "late", "description": "too late"}]),
    ask("request_planning", originalRequest="Empty plan", tasks=[]),
    ask("get_next_task", {}),
    ask("list_requests", {}),
    ask("close_request", requestId="req-1"),
    ask("request_planning", originalRequest="STOPHERE plan the party", tasks=[{"title": "cake", "description": "buy"}]),
    ask("open_task_details", taskId="task-1"),
    ask("open_task_details", taskId="task-2"),
    ask("request_planning", originalRequest="Plan the move", tasks=[{"title": "boxes", "description": "20"}]),
    ask("request_planning", originalRequest="Plan the summer", tasks=[{"title": "tent", "description": "for 3"}]),
    ask("mark_task_done", requestId="req-1", taskId="task-6"),
    ask("list_requests", {}),
], env={"TASK_MANAGER_FILE_PATH": "{home}/tasks.json"}, missing="the file of tasks, later", files={"watch.py": WATCH},
    before="python3 watch.py & sleep 0.5")

SCHEMA = '''
"""An error that a checkout can end with"""
enum CheckoutError { PAYMENT_FAILED OUT_OF_STOCK TIMEOUT }
scalar DateTime
interface Node { id: ID! }
type Product implements Node { id: ID! name: String! price(currency: String = "EUR"): Float stock: Int! tags: [String!]! reviews(first: Int): [Review!] }
type Review implements Node { id: ID! author: User text: String stars: Int! createdAt: DateTime }
type User implements Node { id: ID! email: String! failedLogins: Int! orders: [Order!]! }
type Order implements Node { id: ID! user: User! lines: [OrderLine!]! status: OrderStatus! error: CheckoutError }
type OrderLine { product: Product! quantity: Int! }
enum OrderStatus { OPEN PAID FAILED CANCELLED }
union SearchResult = Product | User
input OrderInput { productId: ID! quantity: Int! = 1 note: String }
type OrderPayload { order: Order errors: [UserError!]! }
type UserError { field: String message: String! }
type Query {
  product(id: ID!): Product
  products(first: Int, after: String, tag: String): [Product!]!
  me: User
  order(id: ID!): Order
  search(text: String!): [SearchResult!]!
  failedOrders(since: DateTime): [Order!]!
}
type Mutation {
  placeOrder(input: OrderInput!): OrderPayload
  cancelOrder(id: ID!, reason: String): OrderPayload
}
'''
PLANS["graphql-schema"] = npm("mcp-graphql-schema", "index.mjs", [
    ask("list-query-fields", {}),
    ask("get-query-field", fieldName="failedOrders"),
    ask("get-query-field", fieldName="products"),
    ask("get-query-field", fieldName="customers"),
    ask("get-query-field", fieldName="FailedOrders"),
    ask("get-query-field", fieldName=""),
    ask("list-mutation-fields", {}),
    ask("get-mutation-field", fieldName="cancelOrder"),
    ask("get-mutation-field", fieldName="placeOrder"),
    ask("get-mutation-field", fieldName="refundOrder"),
    ask("list-subscription-fields", {}),
    ask("get-subscription-field", fieldName="orderChanged"),
    ask("list-types", {}),
    ask("get-type", typeName="CheckoutError"),
    ask("get-type", typeName="Order"),
    ask("get-type", typeName="UserError"),
    ask("get-type", typeName="DateTime"),
    ask("get-type", typeName="String"),
    ask("get-type", typeName="__Schema"),
    ask("get-type", typeName="Invoice"),
    ask("get-type", typeName="order"),
    ask("get-type-fields", typeName="User"),
    ask("get-type-fields", typeName="OrderInput"),
    ask("get-type-fields", typeName="OrderStatus"),
    ask("get-type-fields", typeName="SearchResult"),
    ask("get-type-fields", typeName="Basket"),
    ask("get-type-fields", typeName="Node"),
    ask("search-schema", pattern="error|fail"),
    ask("search-schema", pattern="shipping"),
    ask("search-schema", pattern="order("),
    ask("search-schema", pattern="*"),
    ask("search-schema", pattern="^Order"),
    ask("search-schema", {}),
    ask("get-type", typeName=["Order"]),
    ask("get-type", typeName="__proto__"),
    ask("validate-query", query="{ me { id } }"),
], args=["{home}/shop.graphqls"], files={"shop.graphqls": SCHEMA}, missing="nothing")

PLANS["howtocook"] = npm("howtocook-mcp", "build/index.js", [
    ask("mcp_howtocook_getRecipeById", query="红烧肉"),
    ask("mcp_howtocook_getRecipeById", query="番茄炒蛋"),
    ask("mcp_howtocook_getRecipeById", query="西红柿炒鸡蛋"),
    ask("mcp_howtocook_getRecipeById", query="pizza"),
    ask("mcp_howtocook_getRecipeById", query="id-99999"),
    ask("mcp_howtocook_getRecipeById", query="清蒸"),
    ask("mcp_howtocook_getRecipeById", query="恐龙汤"),
    ask("mcp_howtocook_getRecipeById", query="🍕"),
    ask("mcp_howtocook_getRecipeById", query=""),
    ask("mcp_howtocook_getRecipeById", query="  "),
    ask("mcp_howtocook_getRecipeById", query="可乐鸡翅"),
    ask("mcp_howtocook_getRecipeById", query="蛋炒饭"),
    ask("mcp_howtocook_getRecipesByCategory", category="汤"),
    ask("mcp_howtocook_getRecipesByCategory", category="饮品"),
    ask("mcp_howtocook_getRecipesByCategory", category="调料"),
    ask("mcp_howtocook_getRecipesByCategory", category="火锅"),
    ask("mcp_howtocook_whatToEat", peopleCount=2),
    ask("mcp_howtocook_whatToEat", peopleCount=6),
    ask("mcp_howtocook_whatToEat", peopleCount=0),
    ask("mcp_howtocook_whatToEat", peopleCount=100),
    ask("mcp_howtocook_recommendMeals", peopleCount=2, allergies=["虾"], avoidItems=["香菜"]),
    ask("mcp_howtocook_recommendMeals", peopleCount=1, avoidItems=["盐", "油", "糖", "水"]),
    ask("mcp_howtocook_getRecipeById", query="口水鸡"),
    ask("mcp_howtocook_getRecipeById", query="dishes-meat_dish-可乐鸡翅"),
    ask("mcp_howtocook_getRecipeById", query="炒"),
    ask("mcp_howtocook_getRecipeById", query="毒药"),
    ask("mcp_howtocook_orderFood", dish="x"),
], missing="nothing")

A = "/api/v1"
BM = {"id": "bm1", "createdAt": "2026-10-01T10:00:00.000Z", "modifiedAt": None, "title": "Why login fails with 401", "archived": False,
      "favourited": False, "taggingStatus": "failure", "summarizationStatus": "failure", "note": "", "summary": None, "source": "api",
      "userId": "u1", "tags": [{"id": "tg1", "name": "errors", "attachedBy": "human"}],
      "content": {"type": "link", "url": "https://blog.example.com/401", "title": "Error 401 explained", "description": "Unauthorized",
                  "crawlStatus": "failure", "htmlContent": "<h1>Error 401</h1><p>The request <b>failed</b>: unauthorized.</p>"}, "assets": []}
BT = {**BM, "id": "bm2", "title": None, "taggingStatus": "success", "tags": [], "content": {"type": "text", "text": "Milk, bread", "sourceUrl": None}}
LS = {"id": "l1", "name": "To read", "description": None, "icon": "📚", "parentId": None, "type": "manual", "query": None, "public": False,
      "hasCollaborators": False, "userRole": "owner"}
HL = {"id": "h1", "bookmarkId": "bm1", "startOffset": 0, "endOffset": 9, "color": "red", "text": "Error 401", "note": "look", "userId": "u1",
      "createdAt": "2026-10-02T10:00:00.000Z"}
TG = {"id": "tg1", "name": "errors", "numBookmarks": 1, "numBookmarksByAttachedType": {"human": 1}}
def err(code, message): return {"code": code, "message": message}
KROUTES = [
    ["GET", A + r"/bookmarks/search\?.*q=timeout.*", 504, "<html><body><h1>504 Gateway Time-out</h1></body></html>"],
    ["GET", A + r"/bookmarks/search\?.*q=index.*", 500, err("INTERNAL_SERVER_ERROR", "Search index is unavailable: connect ECONNREFUSED 127.0.0.1:7700")],
    ["GET", A + r"/bookmarks/search\?.*q=broken.*", 200, "{\"bookmarks\": [", {"type": "application/json"}],
    ["GET", A + r"/bookmarks/search\?.*q=nothing.*", 200, {"bookmarks": [], "nextCursor": None}],
    ["GET", A + r"/bookmarks/search\?.*", 200, {"bookmarks": [BM], "nextCursor": None}],
    ["GET", A + r"/bookmarks/bm1/lists", 200, {"lists": [LS]}],
    ["GET", A + r"/bookmarks/bm1/highlights", 200, {"highlights": [HL]}],
    ["GET", A + r"/bookmarks/bm1(\?.*)?", 200, BM], ["GET", A + r"/bookmarks/bm2(\?.*)?", 200, BT],
    ["GET", A + r"/bookmarks/bmdb(\?.*)?", 500, err("INTERNAL_SERVER_ERROR", "SqliteError: database disk image is malformed")],
    ["GET", A + r"/bookmarks/bmother(\?.*)?", 403, err("FORBIDDEN", "User is not allowed to access resource")],
    ["GET", A + r"/bookmarks/bmdrop(\?.*)?", 200, {}, {"drop": True}],
    ["*", A + r"/bookmarks/[^/?]+(/lists|/highlights)?(\?.*)?", 404, err("NOT_FOUND", "Bookmark not found")],
    ["POST", A + r"/bookmarks", 201, BT],
    ["POST", A + r"/bookmarks/bm1/tags", 200, {"attached": ["tg2"]}],
    ["GET", A + r"/lists", 200, {"lists": [LS, {**LS, "id": "l2", "name": "Failed imports", "type": "smart", "query": "is:broken"}]}],
    ["GET", A + r"/lists/l1", 200, LS], ["DELETE", A + r"/lists/l1", 204, None],
    ["PUT", A + r"/lists/l1/bookmarks/bm1", 204, None],
    ["PUT", A + r"/lists/l2/bookmarks/bm1", 400, err("BAD_REQUEST", "Smart lists cannot be added to")],
    ["DELETE", A + r"/lists/l1/bookmarks/bm2", 400, err("BAD_REQUEST", "Bookmark bm2 is already not in list l1")],
    ["GET", A + r"/lists/l1/bookmarks.*", 200, {"bookmarks": [], "nextCursor": None}],
    ["*", A + r"/lists/.*", 404, err("NOT_FOUND", "List not found")],
    ["POST", A + r"/lists", 429, err("TOO_MANY_REQUESTS", "Rate limit exceeded. Try again in 42 seconds.")],
    ["GET", A + r"/highlights.*", 502, "<html><head><title>502 Bad Gateway</title></head></html>"],
    ["POST", A + r"/highlights", 400, err("BAD_REQUEST", "endOffset must be greater than startOffset")],
    ["*", A + r"/highlights/h1", 200, HL],
    ["GET", A + r"/tags\?.*nameContains=zz.*", 200, {"tags": [], "nextCursor": None}],
    ["GET", A + r"/tags(\?.*)?", 200, {"tags": [TG], "nextCursor": None}],
    ["PATCH", A + r"/tags/tg1", 409, err("CONFLICT", "Tag name already exists for this user.")],
    ["*", A + r"/tags/tg1(\?.*)?", 200, TG],
    ["*", A + r"/tags/.*", 404, err("NOT_FOUND", "Tag not found")],
    ["GET", A + r"/assets/a1/.*", 200, {"signedUrl": "http://127.0.0.1:3000/api/public/assets/a1?token=t", "expiresAt": 1796082624675}],
    ["GET", A + r"/assets/a2/.*", 401, err("UNAUTHORIZED", "UNAUTHORIZED")],
    ["GET", A + r"/assets/a3/.*", 503, None],
]
PLANS["karakeep"] = npm("@karakeep/mcp", "dist/index.js", [
    ask("search-bookmarks", query="401"),
    ask("search-bookmarks", query="nothing like this"),
    ask("search-bookmarks", query="index"),
    ask("search-bookmarks", query="timeout"),
    ask("search-bookmarks", query="broken"),
    ask("search-bookmarks", query="x", limit=-1),
    ask("get-bookmark", bookmarkId="bm1"),
    ask("get-bookmark", bookmarkId="bm404"),
    ask("get-bookmark", bookmarkId="bmother"),
    ask("get-bookmark", bookmarkId="bmdb"),
    ask("get-bookmark", bookmarkId="bmdrop"),
    ask("get-bookmark-content", bookmarkId="bm1"),
    ask("get-bookmark-content", bookmarkId="bm2"),
    ask("get-bookmark-content", bookmarkId="bmdb"),
    ask("get-bookmark-content", bookmarkId="bm404"),
    ask("get-bookmark-lists", bookmarkId="bm1"),
    ask("create-bookmark", type="text", content="Milk, bread"),
    ask("create-bookmark", type="video", content="https://v.example.com"),
    ask("update-bookmark", bookmarkId="bm404", title="x"),
    ask("update-bookmark", bookmarkId="bm1"),
    ask("delete-bookmark", bookmarkId="bm404"),
    ask("list-highlights", {}),
    ask("get-bookmark-highlights", bookmarkId="bm1"),
    ask("create-highlight", bookmarkId="bm1", startOffset=9, endOffset=3, text=None, note=None),
    ask("get-lists", {}),
    ask("get-list", listId="l1"),
    ask("get-list", listId="l404"),
    ask("get-list-bookmarks", listId="l1"),
    ask("add-bookmark-to-list", listId="l1", bookmarkId="bm1"),
    ask("add-bookmark-to-list", listId="l2", bookmarkId="bm1"),
    ask("remove-bookmark-from-list", listId="l1", bookmarkId="bm2"),
    ask("delete-list", listId="l1"),
    ask("create-list", name="Failed logins", icon="🔒"),
    ask("attach-tag-to-bookmark", bookmarkId="bm1", tagsToAttach=["security"]),
    ask("get-tags", nameContains="zz"),
    ask("get-tags", {}),
    ask("get-tag", tagId="tg404"),
    ask("update-tag", tagId="tg1", name="bugs"),
    ask("delete-tag", tagId="tg1"),
    ask("get-asset", assetId="a1"),
    ask("get-asset", assetId="a2"),
    ask("get-asset", assetId="a3"),
], env={"KARAKEEP_API_ADDR": "http://127.0.0.1:3000", "KARAKEEP_API_KEY": "ak-demo"}, missing="Karakeep (a stand-in answers)",
    **standin(3000, KROUTES))

CAL = "{home_url}"
C = "/ann/work/"
WATCHCAL = r"""
import glob, os, signal, sys, time
while True:
    for path in glob.glob("store/collection-root/ann/*/*.ics"):
        try:
            text = open(path).read()
        except OSError:
            continue
        if "Server room dark" in text:
            os.kill(int(sys.argv[1]), signal.SIGKILL); sys.exit()
    time.sleep(0.002)
"""
SETUP = ("mkdir -p store/collection-root/ann/work store/collection-root/ann/public; "
         "echo '{\"tag\": \"VCALENDAR\", \"D:displayname\": \"Work\", \"C:supported-calendar-component-set\": \"VEVENT,VTODO\"}' > store/collection-root/ann/work/.Radicale.props; "
         "echo '{\"tag\": \"VCALENDAR\", \"D:displayname\": \"Public (read only)\", \"C:supported-calendar-component-set\": \"VEVENT,VTODO\"}' > store/collection-root/ann/public/.Radicale.props; "
         "PYTHONPATH=/app/radicale python3 -m radicale --config radicale.conf >radicale.log 2>&1 & sleep 2; python3 watch.py $! & sleep 0.3")
def event(uid, summary, start, end, more=""):
    return (f"BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//x//y//EN\r\nBEGIN:VEVENT\r\nUID:{uid}\r\nDTSTAMP:20261101T000000Z\r\nDTSTART:{start}\r\nDTEND:{end}\r\n"
            f"SUMMARY:{summary}\r\n{more}END:VEVENT\r\nEND:VCALENDAR\r\n")
PLANS["caldav"] = npm("caldav-mcp", "dist/index.js", [
    ask("list-calendars", {}),
    ask("list-events", calendarUrl=C, start="2026-12-01T00:00:00Z", end="2026-12-31T00:00:00Z"),
    ask("list-events", calendarUrl=C, start="2027-03-01T00:00:00Z", end="2027-03-02T00:00:00Z"),
    ask("list-events", calendarUrl=C, start="2027-03-02T00:00:00Z", end="2027-03-01T00:00:00Z"),
    ask("list-events", calendarUrl="/ann/none/", start="2026-12-01T00:00:00Z", end="2026-12-31T00:00:00Z"),
    ask("list-events", calendarUrl="/bob/work/", start="2026-12-01T00:00:00Z", end="2026-12-31T00:00:00Z"),
    ask("list-events", calendarUrl=C, start="next week", end="2026-12-31T00:00:00Z"),
    ask("create-event", calendarUrl=C, summary="Post-mortem: payment failed", start="2026-12-10T09:00:00Z", end="2026-12-10T10:00:00Z", location="Room 3"),
    ask("create-event", calendarUrl=C, summary="Stand-up", start="2026-12-07T08:00:00Z", end="2026-12-07T08:15:00Z",
        recurrenceRule={"freq": "WEEKLY", "count": 3, "byday": ["MO"]}),
    ask("create-event", calendarUrl=C, summary="Backwards", start="2026-12-10T12:00:00Z", end="2026-12-10T10:00:00Z"),
    ask("create-event", calendarUrl="/ann/public/", summary="Party", start="2026-12-20T18:00:00Z", end="2026-12-20T22:00:00Z"),
    ask("create-event", calendarUrl="/ann/none/", summary="Nowhere", start="2026-12-20T18:00:00Z", end="2026-12-20T22:00:00Z"),
    ask("create-event", calendarUrl="/bob/work/", summary="Not mine", start="2026-12-20T18:00:00Z", end="2026-12-20T22:00:00Z"),
    ask("create-event", calendarUrl="not a url", summary="x", start="2026-12-20T18:00:00Z", end="2026-12-20T22:00:00Z"),
    ask("create-event", calendarUrl=C, summary="No end", start="2026-12-20T18:00:00Z"),
    ask("list-events", calendarUrl=C, start="2026-12-01T00:00:00Z", end="2026-12-31T00:00:00Z"),
    ask("update-event", calendarUrl=C, uid="deploy-1", summary="Deploy 4.2 (cancelled: tests failed)"),
    ask("update-event", calendarUrl=C, uid="gone-7", summary="x"),
    ask("update-event", calendarUrl="/bob/work/", uid="deploy-1", summary="x"),
    ask("update-event", calendarUrl=C, uid="deploy-1", start="2026-12-05T12:00:00Z", end="2026-12-05T11:00:00Z"),
    ask("delete-event", calendarUrl=C, uid="gone-7"),
    ask("delete-event", calendarUrl=C, uid="lunch-1"),
    ask("delete-event", calendarUrl=C, uid="lunch-1"),
    ask("delete-event", calendarUrl="/ann/public/", uid="fair-1"),
    ask("create-todo", calendarUrl=C, summary="Fix: error 500 on upload", due="2026-12-04T17:00:00Z"),
    ask("create-todo", calendarUrl="/ann/public/", summary="not here"),
    ask("create-todo", calendarUrl=C, summary="Call the bank", status="WAITING"),
    ask("list-todos", calendarUrl=C),
    ask("complete-todo", calendarUrl=C, uid="todo-9"),
    ask("complete-todo", calendarUrl=C, uid="todo-1"),
    ask("update-todo", calendarUrl=C, uid="todo-1", status="NEEDS-ACTION", description="reopened, it failed again"),
    ask("update-todo", calendarUrl=C, uid="todo-9", summary="x"),
    ask("delete-todo", calendarUrl=C, uid="todo-9"),
    ask("delete-todo", calendarUrl=C, uid="todo-1"),
    ask("list-todos", calendarUrl=C),
    ask("update-event", calendarUrl=C, uid="broken-1", summary="x"),
    ask("create-event", calendarUrl=C, summary="Server room dark", start="2026-12-21T18:00:00Z", end="2026-12-21T22:00:00Z"),
    ask("create-event", calendarUrl=C, summary="Later", start="2026-12-21T18:00:00Z", end="2026-12-21T22:00:00Z"),
    ask("list-events", calendarUrl=C, start="2026-12-01T00:00:00Z", end="2026-12-31T00:00:00Z"),
    ask("list-calendars", {}),
    ask("complete-todo", calendarUrl=C, uid="todo-2"),
    ask("delete-event", calendarUrl=C, uid="deploy-1"),
    ask("update-event", calendarUrl=C, uid="deploy-1", summary="y"),
], env={"CALDAV_BASE_URL": "http://127.0.0.1:5232", "CALDAV_USERNAME": "ann", "CALDAV_PASSWORD": "pw"},
    missing="nothing, later the CalDAV server (Radicale)", before=SETUP, files={
    "watch.py": WATCHCAL,
    "radicale.conf": "[server]\nhosts = 127.0.0.1:5232\n[auth]\ntype = htpasswd\nhtpasswd_filename = users\nhtpasswd_encryption = plain\n[rights]\ntype = from_file\nfile = rights\n[storage]\nfilesystem_folder = store\n",
    "users": "ann:pw\nbob:pw2\n",
    "rights": "[root]\nuser: .+\ncollection:\npermissions: R\n[ro]\nuser: .+\ncollection: ann/public\npermissions: Rr\n[own]\nuser: .+\ncollection: {user}(/.*)?\npermissions: RWrw\n",
    "store/collection-root/ann/work/deploy-1.ics": event("deploy-1", "Deploy 4.2", "20261205T100000Z", "20261205T110000Z"),
    "store/collection-root/ann/work/lunch-1.ics": event("lunch-1", "Lunch", "20261206T120000Z", "20261206T130000Z"),
    "store/collection-root/ann/public/fair-1.ics": event("fair-1", "Fair", "20261206T120000Z", "20261206T130000Z"),
    "store/collection-root/ann/work/todo-1.ics": "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//x//y//EN\r\nBEGIN:VTODO\r\nUID:todo-1\r\nDTSTAMP:20261101T000000Z\r\nSUMMARY:Renew certificate\r\nEND:VTODO\r\nEND:VCALENDAR\r\n",
    "store/collection-root/ann/work/todo-2.ics": "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//x//y//EN\r\nBEGIN:VTODO\r\nUID:todo-2\r\nDTSTAMP:20261101T000000Z\r\nSUMMARY:Pay\r\nEND:VTODO\r\nEND:VCALENDAR\r\n"})

REDIS = r"""
import socketserver, fnmatch, time
data = {"user:1": "Ann", "user:2": "Bob", "job:17:status": "failed", "log:last": "ERROR 2026-11-30 connection refused (db-2)", "empty": "", "list:a": [1]}
class H(socketserver.StreamRequestHandler):
    def handle(self):
        while True:
            head = self.rfile.readline()
            if not head: return
            args = []
            for _ in range(int(head[1:])):
                n = int(self.rfile.readline()[1:]); args.append(self.rfile.read(n + 2)[:-2].decode())
            out = self.run(args)
            if out is None: return
            self.wfile.write(out.encode())
    def bulk(self, v): return "$-1\r\n" if v is None else f"${len(v.encode())}\r\n{v}\r\n"
    def run(self, a):
        c = a[0].upper(); key = a[1] if len(a) > 1 else ""
        for prefix, text in FAULTS:
            if key.startswith(prefix) and (c in ("GET", "KEYS") or not text.startswith(("READONLY", "OOM", "MISCONF"))or c in ("SET", "SETEX", "DEL")):
                if text == "drop": return None
                if text == "junk": return "?what\r\n"
                return "-" + text + "\r\n"
        if c in ("CLIENT", "SELECT", "PING"): return "+OK\r\n"
        if c == "INFO": return self.bulk("")
        if c == "GET":
            v = data.get(key)
            return "-WRONGTYPE Operation against a key holding the wrong kind of value\r\n" if isinstance(v, list) else self.bulk(v)
        if c == "SET": data[key] = a[2]; return "+OK\r\n"
        if c == "SETEX":
            try:
                if int(a[2]) <= 0: return "-ERR invalid expire time in 'setex' command\r\n"
            except ValueError: return "-ERR value is not an integer or out of range\r\n"
            data[key] = a[3]; return "+OK\r\n"
        if c == "DEL": return f":{sum(data.pop(k, None) is not None for k in a[1:])}\r\n"
        if c == "KEYS":
            k = [x for x in data if fnmatch.fnmatchcase(x, key)]
            return f"*{len(k)}\r\n" + "".join(map(self.bulk, k))
        return f"-ERR unknown command '{a[0]}'\r\n"
FAULTS = [("ro:", "READONLY You can't write against a read only replica."),
          ("big:", "OOM command not allowed when used memory > 'maxmemory'."),
          ("disk:", "MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk. Commands that may modify the data set are disabled, because this instance is configured to report errors during writes if RDB snapshotting fails (stop-writes-on-bgsave-error option). Please check the Redis logs for details about the RDB error."),
          ("admin:", "NOPERM this user has no permissions to access one of the keys used as arguments"),
          ("slot:", "CLUSTERDOWN Hash slot not served"), ("load:", "LOADING Redis is loading the dataset in memory"),
          ("master:", "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'."),
          ("busy:", "BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE."),
          ("auth:", "NOAUTH Authentication required."),
          ("moved:", "MOVED 3999 127.0.0.1:6381"), ("drop:", "drop")]
socketserver.ThreadingTCPServer.allow_reuse_address = True
socketserver.ThreadingTCPServer(("127.0.0.1", 6379), H).serve_forever()
"""
PLANS["redis"] = npm("@gongrzhe/server-redis-mcp", "build/index.js", [
    ask("list", {}),
    ask("list", pattern="user:*"),
    ask("list", pattern="session:*"),
    ask("get", key="user:1"),
    ask("get", key="user:99"),
    ask("get", key="log:last"),
    ask("get", key="job:17:status"),
    ask("get", key="empty"),
    ask("get", key="list:a"),
    ask("get", key="admin:secrets"),
    ask("get", key="slot:x"),
    ask("get", key="load:x"),
    ask("get", key="master:x"),
    ask("get", key="busy:x"),
    ask("get", key="moved:x"),
    ask("get", key="auth:x"),
    ask("get", {}),
    ask("get", key=5),
    ask("set", key="note", value="Error: disk full (from the report)"),
    ask("get", key="note"),
    ask("set", key="session:1", value="ann", expireSeconds=60),
    ask("set", key="session:2", value="bob", expireSeconds=-5),
    ask("set", key="session:3", value="eve", expireSeconds=1.5),
    ask("set", key="ro:x", value="1"),
    ask("set", key="big:x", value="1"),
    ask("set", key="disk:x", value="1"),
    ask("set", key="admin:x", value="1"),
    ask("set", key="novalue"),
    ask("delete", key="note"),
    ask("delete", key="note"),
    ask("delete", key=["user:2", "user:99"]),
    ask("delete", key=[]),
    ask("delete", key="ro:1"),
    ask("delete", key="admin:1"),
    ask("list", pattern="admin:*"),
    ask("list", pattern="slot:*"),
    ask("expire", key="user:1", seconds=5),
    ask("set", key="user:3", value="Error"),
    ask("list", pattern="user:*"),
    ask("set", key="empty2", value=""),
    ask("get", key="empty2"),
    ask("get", key="master:y"),
], args=["redis://127.0.0.1:6379"], missing="Redis (a stand-in answers)", protocol="2024-11-05",
    files={"standin.py": REDIS}, before="python3 standin.py & sleep 1")


def epub():
    import io, zipfile
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as z:
        for name, text in {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": '<?xml version="1.0"?><container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
            '<rootfile full-path="OEBPS/content.opf" media-type="application/oebps-package+xml"/></rootfiles></container>',
            "OEBPS/content.opf": '<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf" version="2.0"><metadata/><manifest>'
            '<item id="c1" href="c1.xhtml" media-type="application/xhtml+xml"/><item id="c2" href="c2.xhtml" media-type="application/xhtml+xml"/>'
            '<item id="css" href="s.css" media-type="text/css"/></manifest><spine><itemref idref="c1"/><itemref idref="c2"/></spine></package>',
            "OEBPS/c1.xhtml": "<html><head><title>The Failure</title></head><body><h1>The Failure</h1><p>The engine failed. Error, said the captain, is human.</p></body></html>",
            "OEBPS/c2.xhtml": "<html><head><title>Home</title></head><body><h1>Home</h1><p>" + "They sailed on and on. " * 40 + "</p></body></html>",
            "OEBPS/s.css": "p { margin: 0 }"}.items():
            z.writestr(zipfile.ZipInfo(name), text)
    return out.getvalue().decode("latin-1")


def book(n, title, formats=("epub",)):
    return {"id": n, "application_id": n, "title": title, "authors": ["J. Doe"], "tags": ["sea"], "formats": list(formats), "comments": "<p>A book on errors.</p>",
            "series": None, "publisher": None, "timestamp": "2026-01-01T00:00:00+00:00", "format_metadata": {f: {"size": 1000} for f in formats},
            "main_format": {f: f"/get/{f}/{n}/main" for f in formats[:1]}, "cover": f"/get/cover/{n}/main"}


BOOKS = {"1": book(1, "The Failure"), "2": book(2, "Only PDF", ("pdf",)), "3": book(3, "Torn"), "4": book(4, "Slow"), "5": book(5, "Locked")}
CROUTES = [
    ["GET", r"/interface-data/init.*", 200, {"library_map": {"main": "Main", "old": "Old_books"}, "library_id": "main", "search_result": {"num_books_without_search": 5}}],
    ["GET", r"/ajax/books/main.*", 200, {"total_num": 5, "book_ids": [1, 2, 3, 4, 5], "metadata": BOOKS}],
    ["GET", r"/ajax/books/old.*", 500, "Internal Server Error: apsw.CorruptError: database disk image is malformed", {"type": "text/plain"}],
    ["GET", r"/ajax/search\?.*query=whale.*library_id=main.*", 200, {"total_num": 0, "book_ids": []}],
    ["GET", r"/ajax/search\?.*query=bad.*", 400, "Failed to parse query: Invalid syntax", {"type": "text/plain"}],
    ["GET", r"/ajax/search\?.*library_id=main.*", 200, {"total_num": 1, "book_ids": [1]}],
    ["GET", r"/ajax/search\?.*query=crash.*", 500, "Internal Server Error", {"type": "text/plain"}],
    ["GET", r"/ajax/search\?.*", 200, {"total_num": 0, "book_ids": []}],
    *[["GET", rf"/ajax/book/{n}/main.*", 200, b] for n, b in BOOKS.items()],
    ["GET", r"/ajax/book/6/main.*", 503, "Busy", {"type": "text/plain"}],
    ["GET", r"/ajax/book/\d+/main.*", 404, "No book with id: 99 in library", {"type": "text/plain"}],
    ["GET", r"/get/epub/1/main.*", 200, "EPUB", {"type": "application/epub+zip"}],
    ["GET", r"/get/epub/3/main.*", 200, "this is not a zip", {"type": "application/epub+zip"}],
    ["GET", r"/get/epub/4/main.*", 200, "x", {"drop": True}],
    ["GET", r"/get/epub/5/main.*", 403, "You are not allowed to access this library", {"type": "text/plain"}],
]
E1 = {"libraryId": "main", "bookId": 1}
si = standin(8080, CROUTES)
si["files"]["standin.py"] = STANDIN.replace(".encode()\n        self.send", ".encode()\n        if data == b'EPUB': data = open('book.epub','rb').read()\n        self.send")
si["files"]["book.epub"] = epub().encode("latin-1")
PLANS["calibre"] = npm("access-calibre", "bin/mcp-server.js", [
    ask("list_libraries", {}),
    ask("list_books", libraryId="main", limit=3),
    ask("list_books", libraryId="old"),
    ask("list_books", libraryId="attic"),
    ask("list_books", {}),
    ask("search_books", query="failure"),
    ask("search_books", query="whale"),
    ask("search_books", query="bad:("),
    ask("search_books", query="crash"),
    ask("search_books", query=""),
    ask("get_book_metadata", **E1),
    ask("get_book_metadata", libraryId="main", bookId=99),
    ask("get_book_metadata", libraryId="main", bookId=6),
    ask("get_book_metadata", libraryId="main"),
    ask("list_chapters", **E1),
    ask("list_chapters", libraryId="main", bookId=2),
    ask("list_chapters", libraryId="main", bookId=3),
    ask("list_chapters", libraryId="main", bookId=4),
    ask("list_chapters", libraryId="main", bookId=5),
    ask("list_chapters", libraryId="main", bookId=99),
    ask("get_chapter_content", **E1, path="OEBPS/c1.xhtml"),
    ask("get_chapter_content", **E1, path="OEBPS/c9.xhtml"),
    ask("get_chapter_content", **E1, path="c1.xhtml"),
    ask("get_chapter_content_markdown", **E1, path="OEBPS/c1.xhtml"),
    ask("get_chapter_content_markdown", **E1, path="OEBPS/c2.xhtml", offset=100, length=200),
    ask("get_chapter_content_markdown", **E1, path="OEBPS/c2.xhtml", offset=100000),
    ask("get_chapter_content_markdown", **E1, path="OEBPS/none.xhtml"),
    ask("get_chapter_content_markdown", **E1),
    ask("get_chapter_content_markdown", libraryId="main", bookId=2, path="x"),
    ask("search_in_book", **E1, query="error"),
    ask("search_in_book", **E1, query="whale"),
    ask("search_in_book", **E1, query="error AND captain"),
    ask("search_in_book", libraryId="main", bookId=3, query="x"),
    ask("get_epub_file", **E1, path="OEBPS/s.css"),
    ask("get_epub_file", **E1, path="OEBPS/picture.png"),
    ask("get_book_cover", **E1),
    ask("render_chapter_page", **E1, path="OEBPS/c1.xhtml", page=1),
    ask("list_chapters", libraryId="attic", bookId=1),
    ask("buy_book", title="x"),
], env={"CALIBRE_URL": "http://127.0.0.1:8080", "CALIBRE_BASE_URL": "http://127.0.0.1:8080"}, missing="Calibre (a stand-in answers), Chromium", **si)

W = "/api/v1"
WF = {"id": "w1", "name": "Retry failed payments", "active": False, "nodes": [], "connections": {}, "settings": {}, "createdAt": "2026-01-01", "updatedAt": "2026-01-02", "tags": []}
EX = {"id": 7, "finished": False, "mode": "trigger", "status": "error", "startedAt": "2026-11-30T01:00:00Z", "stoppedAt": "2026-11-30T01:00:02Z", "workflowId": "w1",
      "data": {"resultData": {"error": {"message": "ECONNREFUSED - The service refused the connection", "node": "HTTP Request"}}}}
NROUTES = [
    ["GET", W + r"/workflows", 200, {"data": [WF, {**WF, "id": "w2", "name": "Error handler", "active": True}], "nextCursor": None}],
    ["GET", W + r"/workflows/w1", 200, WF], ["PUT", W + r"/workflows/w1", 200, {**WF, "name": "Retry"}], ["DELETE", W + r"/workflows/w2", 200, {**WF, "id": "w2"}],
    ["*", W + r"/workflows/w1/activate", 400, {"message": "Cannot publish workflow: it has no trigger node. Please add at least one trigger node."}],
    ["*", W + r"/workflows/w2/activate", 200, {**WF, "id": "w2", "active": True}],
    ["*", W + r"/workflows/w2/deactivate", 200, {**WF, "id": "w2"}],
    ["*", W + r"/workflows/w3.*", 403, {"message": "Forbidden"}],
    ["*", W + r"/workflows/w5.*", 500, {"message": "SQLITE_IOERR: disk I/O error"}],
    ["*", W + r"/workflows/w6.*", 502, "<html><head><title>502 Bad Gateway</title></head></html>"],
    ["*", W + r"/workflows/w7.*", 200, {}, {"drop": True}],
    ["*", W + r"/workflows/w1/tags", 200, []],
    ["POST", W + r"/workflows", 400, {"message": "request/body must have required property 'settings'"}],
    ["*", W + r"/workflows/.*", 404, {"message": "Not Found"}],
    ["*", W + r"/projects.*", 403, {"message": "Your license does not allow for feat:projectRole:admin. To enable feat:projectRole:admin, please upgrade to a license that supports this feature."}],
    ["*", W + r"/variables.*", 403, {"message": "Your license does not allow for feat:variables. To enable feat:variables, please upgrade to a license that supports this feature."}],
    ["GET", W + r"/users(\?.*)?", 200, {"data": [{"id": "u1", "email": "ann@example.com", "firstName": "Ann", "isPending": False, "role": "global:owner"}], "nextCursor": None}],
    ["POST", W + r"/users", 429, {"message": "Too many requests"}], ["GET", W + r"/users/.*", 404, {"message": "Could not find user with id: bob@example.com"}],
    ["DELETE", W + r"/users/.*", 403, {"message": "The instance owner cannot be deleted"}],
    ["GET", W + r"/credentials/schema/githubApi", 200, {"type": "object", "properties": {"accessToken": {"type": "string"}}, "required": ["accessToken"]}],
    ["GET", W + r"/credentials/schema/.*", 404, {"message": "Not Found"}],
    ["POST", W + r"/credentials", 400, {"message": "request.body.data requires property \"accessToken\""}], ["DELETE", W + r"/credentials/.*", 404, {"message": "Not Found"}],
    ["GET", W + r"/executions\?.*status=waiting.*", 200, {"data": [], "nextCursor": None}],
    ["GET", W + r"/executions\?.*workflowId=w5.*", 503, {"message": "Database is not ready"}],
    ["GET", W + r"/executions(\?.*)?", 200, {"data": [EX], "nextCursor": None}],
    ["GET", W + r"/executions/7.*", 200, EX], ["DELETE", W + r"/executions/7", 200, EX], ["*", W + r"/executions/8.*", 200, "{\"id\": 8, \"data\"", {"type": "application/json"}],
    ["*", W + r"/executions/.*", 404, {"message": "Not Found"}],
    ["POST", W + r"/tags", 409, {"message": "Tag already exists"}], ["GET", W + r"/tags(\?.*)?", 200, {"data": [{"id": "t1", "name": "failed"}], "nextCursor": None}],
    ["GET", W + r"/tags/t1", 200, {"id": "t1", "name": "failed"}], ["DELETE", W + r"/tags/t1", 200, {"id": "t1", "name": "failed"}], ["*", W + r"/tags/.*", 404, {"message": "Not Found"}],
    ["POST", W + r"/audit", 200, {"Credentials Risk Report": {"risk": "credentials", "sections": [{"title": "Credentials not used in any workflow", "description": "These credentials are not used", "recommendation": "Consider deleting"}]}}],
]
PLANS["n8n"] = npm("@illuminaresolutions/n8n-mcp-server", "build/index.js", [
    ask("list-workflows", clientId="none"),
    ask("init-n8n", url="http://127.0.0.1:5679", apiKey="k"),
    ask("init-n8n", url="not a url", apiKey="k"),
    ask("init-n8n", url="http://127.0.0.1:5678"),
    ask("init-n8n", url="http://127.0.0.1:5678", apiKey="k"),
    *[ask(tool, clientId="aHR0cDovLzEyNy4wLjAuMTo1Njc4", **more) for tool, more in [
        ("list-workflows", {}), ("get-workflow", {"id": "w1"}), ("get-workflow", {"id": "w99"}), ("get-workflow", {"id": "w3"}), ("get-workflow", {"id": "w5"}),
        ("get-workflow", {"id": "w6"}), ("get-workflow", {"id": "w7"}), ("create-workflow", {"name": "New"}), ("update-workflow", {"id": "w1", "workflow": {"name": "Retry"}}),
        ("delete-workflow", {"id": "w2"}), ("delete-workflow", {"id": "w99"}), ("activate-workflow", {"id": "w1"}), ("activate-workflow", {"id": "w2"}), ("deactivate-workflow", {"id": "w2"}),
        ("list-projects", {}), ("create-project", {"name": "P"}), ("list-variables", {}), ("list-users", {}), ("get-user", {"idOrEmail": "bob@example.com"}),
        ("create-users", {"users": [{"email": "bob@example.com", "role": "global:member"}]}), ("delete-user", {"idOrEmail": "ann@example.com"}),
        ("get-credential-schema", {"credentialTypeName": "githubApi"}), ("get-credential-schema", {"credentialTypeName": "nope"}),
        ("create-credential", {"name": "gh", "type": "githubApi", "data": {}}), ("delete-credential", {"id": "c9"}),
        ("list-executions", {"status": "error"}), ("list-executions", {"status": "waiting"}), ("list-executions", {"workflowId": "w5"}),
        ("get-execution", {"id": 7, "includeData": True}), ("get-execution", {"id": 8}), ("get-execution", {"id": 99}), ("delete-execution", {"id": 7}),
        ("create-tag", {"name": "failed"}), ("list-tags", {}), ("get-tag", {"id": "t1"}), ("update-tag", {"id": "t9", "name": "x"}), ("delete-tag", {"id": "t1"}),
        ("get-workflow-tags", {"workflowId": "w1"}), ("generate-audit", {}), ("run-workflow", {"id": "w1"})]],
], missing="n8n (a stand-in answers)", **standin(5678, NROUTES))

PLANS["recipe"] = npm("recipe-mcp", "src/mcp/server.js", [
    ask("recipe_sources", {}),
    ask("list_diets", {}),
    ask("recipe_search", query="pancakes"),
    ask("recipe_search", query="pancakes", source="themealdb"),
    ask("recipe_search", query="soup", source="spoonacular"),
    ask("recipe_search", query="soup", source="grandma"),
    ask("recipe_search", {}),
    ask("recipe_get", id="52772"),
    ask("recipe_get", id="http://127.0.0.1:8000/pancakes.html"),
    ask("recipe_get", id="http://127.0.0.1:8000/bread.html"),
    ask("recipe_get", id="http://127.0.0.1:8000/soup.html", source="web"),
    ask("recipe_get", id="http://127.0.0.1:8000/cake.html"),
    ask("recipe_get", id="http://127.0.0.1:8000/pancakes.html", source="grandma"),
    ask("recipe_get", id="http://127.0.0.1:8000/pancakes.html", source="nyt"),
    ask("recipe_get", id="http://127.0.0.1:8000/none.html"),
    ask("recipe_get", id="http://127.0.0.1:8000/plain.html"),
    ask("recipe_get", id="http://127.0.0.1:8000/down.html"),
    ask("recipe_get", id="http://127.0.0.1:9/x.html"),
    ask("recipe_get", id="https://cooking.example.com/cake"),
    ask("recipe_get", {}),
    ask("recipe_random", {}),
    ask("recipe_random", source="nyt"),
    ask("recipe_collections", {}),
    ask("recipe_collections", source="nyt"),
    ask("recipe_configure", source="grandma", credential="x"),
    ask("recipe_configure", source="spoonacular", credential=""),
    ask("recipe_configure", source="nyt", credential="cookie"),
    ask("recipe_configure", source="themealdb", credential="x"),
    ask("recipe_collections", source="nyt"),
    ask("recipe_configure", source="spoonacular", credential="made-up"),
    ask("recipe_search", query="soup", source="spoonacular"),
    ask("recipe_license", {}),
    ask("recipe_license", key="ABC-123"),
    ask("recipe_save", id="x", title="Pancakes", url="http://127.0.0.1:8000/pancakes.html"),
    ask("recipe_favorites", {}),
    ask("recipe_adapt", id="http://127.0.0.1:8000/pancakes.html", diets=["vegan"]),
    ask("recipe_substitute", ingredients=["butter"]),
    ask("pantry_add", items=["flour"]),
    ask("meal_plan", days=3),
    ask("recipe_instagram", url="https://instagram.example.com/p/1"),
    ask("recipe_order", id="x"),
    ask("recipe_sources", {}),
], missing="the internet", **standin(8000, [
    ["GET", "/pancakes.html", 200, '<html><head><title>Pancakes</title><script type="application/ld+json">' + json.dumps({
        "@context": "https://schema.org", "@type": "Recipe", "name": "Never-fail pancakes", "author": {"name": "Ann"}, "recipeIngredient": ["200 g flour", "2 eggs", "300 ml milk"],
        "recipeInstructions": [{"@type": "HowToStep", "text": "Mix."}, {"@type": "HowToStep", "text": "Fry for 2 minutes."}], "totalTime": "PT20M", "recipeYield": "4"})
     + "</script></head><body><h1>Never-fail pancakes</h1></body></html>"],
    *[["GET", f"/{n}.html", 200, '<html><head><script type="application/ld+json">' + json.dumps({"@context": "https://schema.org", "@type": "Recipe", "name": t,
        "recipeIngredient": i, "recipeInstructions": d}) + "</script></head></html>"] for n, t, i, d in [
        ("bread", "Fail-safe bread (no error possible)", ["500 g flour", "350 ml water"], "Knead. Wait. Bake."), ("soup", "Soup", [], ""),
        ("cake", "Cake that collapsed: what went wrong", ["3 eggs"], ["Beat.", "Bake until it fails to wobble."])]],
    ["GET", "/plain.html", 200, "<html><body><p>No recipe here, only an essay on failure.</p></body></html>"],
    ["GET", "/down.html", 503, "Service Unavailable"]]))

def be(message, name="NoSuchThing"): return {"errors": [{"context": None, "message": message, "exceptionName": f"com.atlassian.bitbucket.{name}"}]}
USER = {"name": "ann", "displayName": "Ann Lee", "emailAddress": "ann@example.com", "id": 1, "slug": "ann"}
REPO = {"slug": "web", "id": 3, "name": "web", "description": "Shop front", "project": {"key": "SHOP", "name": "Shop"}, "links": {"self": [{"href": "http://127.0.0.1:7990/x"}], "clone": []}, "public": False, "forkable": True, "state": "AVAILABLE"}
def pull(n, title, state="OPEN"):
    ref = lambda b: {"id": f"refs/heads/{b}", "displayId": b, "latestCommit": "a" * 40, "repository": REPO}
    return {"id": n, "version": 2, "title": title, "description": "The login fails with 401.", "state": state, "open": state == "OPEN", "closed": state != "OPEN", "createdDate": 1796000000000,
            "updatedDate": 1796080000000, "fromRef": ref("fix/login"), "toRef": ref("main"), "locked": False, "author": {"user": USER, "role": "AUTHOR", "approved": False, "status": "UNAPPROVED"},
            "reviewers": [], "participants": [], "links": {"self": [{"href": f"http://127.0.0.1:7990/pr/{n}"}]}, "properties": {}}
def page(*values): return {"values": list(values), "size": len(values), "isLastPage": True, "start": 0, "limit": 25}
RP = r"/rest/(api|ui|branch-utils)/(1.0|latest)/projects/SHOP/repos/web"
BRANCH = {"id": "refs/heads/main", "displayId": "main", "type": "BRANCH", "latestCommit": "a" * 40, "isDefault": True, "metadata": {}}
COMMIT = {"id": "a" * 40, "displayId": "aaaaaaaaaaa", "author": USER, "authorTimestamp": 1796000000000, "committer": USER, "committerTimestamp": 1796000000000, "message": "Fix: error 500 when the cart is empty", "parents": []}
DIFF = "diff --git a/login.js b/login.js\nindex 1..2 100644\n--- a/login.js\n+++ b/login.js\n@@ -1,2 +1,2 @@\n-throw new Error('failed')\n+return null\n end\n"
BROUTES = [
    ["GET", RP + r"/pull-requests/1/(activities|comments|changes|blocker-comments|merge|tasks).*", 200, page()],
    ["GET", RP + r"/pull-requests/1/commits.*", 200, page(COMMIT)],
    ["GET", RP + r"/pull-requests/1(/diff|\.diff).*", 200, DIFF, {"type": "text/plain"}],
    ["POST", RP + r"/pull-requests/1/merge.*", 409, {"errors": [{"context": None, "message": "The pull request has conflicts and cannot be merged.", "exceptionName": "com.atlassian.bitbucket.pull.PullRequestMergeVetoedException",
                                                                  "conflicted": True, "vetoes": [{"summaryMessage": "Not all required builds are successful yet", "detailedMessage": "1 build failed"}]}]}],
    ["PUT", RP + r"/pull-requests/1/participants/.*", 409, be("Authors may not change their status on their own pull request.", "pull.InvalidPullRequestParticipantStatusException")],
    ["POST", RP + r"/pull-requests/1/comments.*", 201, {"id": 5, "version": 0, "text": "Please add a test for the failed login", "author": USER, "createdDate": 1796000000000, "updatedDate": 1796000000000, "comments": [], "severity": "NORMAL", "state": "OPEN"}],
    ["PUT", RP + r"/pull-requests/1", 409, be("You are attempting to modify a pull request based on out-of-date information.", "pull.PullRequestOutOfDateException")],
    ["POST", RP + r"/pull-requests/1/decline.*", 200, pull(1, "Fix login 401", "DECLINED")],
    ["GET", RP + r"/pull-requests/1", 200, pull(1, "Fix login 401")],
    ["*", RP + r"/pull-requests/2.*", 500, be("An error occurred while processing the request. Check the server logs for more information. Error code: XSRF123", "ServerException")],
    ["*", RP + r"/pull-requests/3.*", 503, "<html><body>Bitbucket is starting up</body></html>"],
    ["*", RP + r"/pull-requests/4.*", 200, {}, {"drop": True}],
    ["*", RP + r"/pull-requests/\d+.*", 404, be("Pull request 99 does not exist in SHOP/web.", "pull.NoSuchPullRequestException")],
    ["GET", RP + r"/pull-requests\?.*state=DECLINED.*", 200, page()],
    ["GET", RP + r"/pull-requests.*", 200, page(pull(1, "Fix login 401"))],
    ["POST", RP + r"/pull-requests", 409, be("Only one pull request may be open for a given source and target branch", "pull.DuplicatePullRequestException")],
    ["DELETE", RP + r"/branches.*", 403, be("Branch refs/heads/main could not be deleted because it is the default branch.", "repository.DefaultBranchException")],
    ["GET", RP + r"/branches.*filterText=nothing.*", 200, page()],
    ["GET", RP + r"/branches.*", 200, page(BRANCH)],
    ["GET", RP + r"/commits\?.*until=gone.*", 404, be("Commit 'gone' does not exist in repository 'web'.", "commit.NoSuchCommitException")],
    ["GET", RP + r"/commits/bbbb.*", 404, be("Commit 'bbbb' does not exist in repository 'web'.", "commit.NoSuchCommitException")],
    ["GET", RP + r"/commits/a+/(diff|changes).*", 200, DIFF, {"type": "text/plain"}],
    ["GET", RP + r"/commits.*", 200, page(COMMIT)],
    ["GET", RP + r"/browse/none.js.*", 404, be("The path \"none.js\" does not exist at revision \"refs/heads/main\"", "content.NoSuchPathException")],
    ["GET", RP + r"/raw/none.js.*", 404, be("The path \"none.js\" does not exist at revision \"refs/heads/main\"", "content.NoSuchPathException")],
    ["GET", RP + r"/browse/src.*", 200, {"path": {"toString": "src"}, "revision": "main", "children": page({"path": {"name": "login.js", "toString": "login.js"}, "type": "FILE", "size": 40})}],
    ["GET", RP + r"/browse/login.js\?.*", 200, {"lines": [{"text": "throw new Error('login failed')"}, {"text": "end"}], "start": 0, "size": 2, "isLastPage": True}],
    ["GET", RP + r"/raw/login.js.*", 200, "throw new Error('login failed')\nend\n", {"type": "text/plain"}],
    ["GET", RP + r"/browse.*", 200, {"path": {"toString": ""}, "revision": "main", "children": page({"path": {"name": "login.js", "toString": "login.js"}, "type": "FILE", "size": 40})}],
    ["GET", RP + r"/attachments/9", 404, be("Attachment 9 does not exist", "attachment.NoSuchAttachmentException")],
    ["*", r"/rest/.*/projects/SHOP/repos/secret.*", 401, be("You are not permitted to access this resource", "AuthorisationException")],
    ["*", r"/rest/.*/projects/SHOP/repos/busy.*", 429, be("Rate limited by Bitbucket", "RateLimit"), {"headers": {"Retry-After": "1"}}],
    ["*", r"/rest/.*/projects/SHOP/repos/.*", 404, be("Repository SHOP/gone does not exist.", "repository.NoSuchRepositoryException")],
    ["GET", r"/rest/api/1.0/projects/SHOP/repos.*", 200, page(REPO)],
    ["GET", r"/rest/api/1.0/projects/NONE.*", 404, be("Project NONE does not exist.", "project.NoSuchProjectException")],
    ["GET", r"/rest/api/1.0/projects\?.*name=zz.*", 200, page()],
    ["GET", r"/rest/api/1.0/projects.*", 200, page({"key": "SHOP", "id": 1, "name": "Shop", "public": False, "type": "NORMAL", "description": "errors and all"})],
    ["POST", r"/rest/search/.*", 200, {"scope": {"type": "GLOBAL"}, "code": {"category": "primary", "isLastPage": True, "count": 0, "start": 0, "values": []}, "query": {"substituted": False}}],
    ["GET", r"/rest/api/(1.0|latest)/repos.*", 200, page(REPO)],
]
X = {"workspace": "SHOP", "repository": "web"}
PLANS["bitbucket"] = npm("@nexus2520/bitbucket-mcp-server", "build/index.js", [
    ask("list_projects", {}),
    ask("list_projects", name="zz"),
    ask("list_repositories", workspace="SHOP"),
    ask("list_repositories", workspace="NONE"),
    ask("list_pull_requests", **X),
    ask("list_pull_requests", **X, state="MERGED"),
    ask("list_pull_requests", workspace="SHOP", repository="gone"),
    ask("list_pull_requests", workspace="SHOP", repository="secret"),
    ask("list_pull_requests", workspace="SHOP", repository="busy"),
    ask("list_pull_requests", **X, state="BROKEN"),
    ask("get_pull_request", **X, pull_request_id=1),
    ask("get_pull_request", **X, pull_request_id=99),
    ask("get_pull_request", **X, pull_request_id=2),
    ask("get_pull_request", **X, pull_request_id=3),
    ask("get_pull_request", **X, pull_request_id=4),
    ask("get_pull_request", **X),
    ask("get_pull_request_diff", **X, pull_request_id=1),
    ask("list_pr_commits", **X, pull_request_id=1),
    ask("list_pr_commits", **X, pull_request_id=99),
    ask("create_pull_request", **X, title="Fix login 401", source_branch="fix/login", destination_branch="main"),
    ask("update_pull_request", **X, pull_request_id=1, version=1, title="Fix it"),
    ask("merge_pull_request", **X, pull_request_id=1, version=2),
    ask("set_review_status", **X, pull_request_id=1, status="APPROVED"),
    ask("add_comment", **X, pull_request_id=1, comment_text="Please add a test for the failed login"),
    ask("add_comment", **X, pull_request_id=1, comment_text="x", suggestion="y"),
    ask("add_comment", **X, pull_request_id=99, comment_text="x"),
    ask("manage_comment", **X, pull_request_id=1, comment_id=77, action="edit"),
    ask("decline_pull_request", **X, pull_request_id=1, version=2),
    ask("list_branches", **X),
    ask("list_branches", **X, filter="nothing"),
    ask("get_branch", **X, branch_name="main"),
    ask("get_branch", **X, branch_name="feature/none"),
    ask("delete_branch", **X, branch_name="main"),
    ask("list_branch_commits", **X, branch_name="main"),
    ask("list_branch_commits", **X, branch_name="gone"),
    ask("get_commit_detail", **X, commit_id="a" * 40),
    ask("get_commit_detail", **X, commit_id="bbbb"),
    ask("list_directory_content", **X, path="src"),
    ask("get_file_content", **X, file_path="login.js"),
    ask("get_file_content", **X, file_path="none.js"),
    ask("search_code", workspace="SHOP", query="whale"),
    ask("search_repositories", query="web"),
    ask("manage_attachments", **X, action="download", attachment_id="9"),
    ask("grep", **X),
    ask("delete_repository", **X),
], env={"BITBUCKET_BASE_URL": "http://127.0.0.1:7990", "BITBUCKET_USERNAME": "ann", "BITBUCKET_TOKEN": "made-up"}, missing="Bitbucket Server (a stand-in answers)", **standin(7990, BROUTES))
