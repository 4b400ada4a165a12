"""What a call of `judge` costs in a loop, in microseconds: the best of some rounds, since the machine has other work."""

import json
import timeit

from tapecheck import judge, judge_many

REPLIES = {
    "short error": {"isError": True, "content": [{"type": "text", "text": "User not found"}]},
    "crash": {"isError": True, "content": [{"type": "text", "text": "TypeError: Cannot read properties of undefined (reading 'total')"}]},
    "short success": {"content": [{"type": "text", "text": "Order 7: 2 items, 12.50 EUR"}]},
    "success of 2 KB": {"content": [{"type": "text", "text": "\n".join(f"{at} | paid | {at * 3} EUR" for at in range(120))}]},
}
CALLS, ROUNDS = 2_000, 7
GIVEN = {"tool": "get_order", "arguments": {"id": 7}}


def microseconds(work):
    return min(timeit.repeat(work, number=1, repeat=ROUNDS)) / CALLS * 1e6


for name, reply in REPLIES.items():
    text = json.dumps(reply)
    times = {
        "object": microseconds(lambda: [judge(reply, **GIVEN) for _ in range(CALLS)]),
        "text": microseconds(lambda: [judge(text, **GIVEN) for _ in range(CALLS)]),
        "many": microseconds(lambda: judge_many([text] * CALLS, **GIVEN)),
    }
    print(f"{name:<16}" + "  ".join(f"{how} {time:6.2f} µs" for how, time in times.items()))
