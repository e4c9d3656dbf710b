"""The signature with Python's standard library: prints microseconds per GET signature of each round as JSON."""

import base64
import hashlib
import hmac
import json
import sys
import time
import urllib.parse
import uuid
from datetime import datetime, timezone


def sign(key, secret, host, path, query):
    headers = {
        "x-app-key": key,
        "x-timestamp": datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "x-signature-version": "1.0",
        "x-signature-algorithm": "HMAC-SHA1",
        "x-signature-nonce": uuid.uuid4().hex,
    }
    entries = sorted([*query, ("host", host), *headers.items()])
    text = path + "&" + "&".join(f"{name}={value}" for name, value in entries)
    encoded = urllib.parse.quote(text, safe="")
    mac = hmac.new((secret + "&").encode(), encoded.encode(), hashlib.sha1)
    return {**headers, "x-signature": base64.b64encode(mac.digest()).decode()}


given = json.load(sys.stdin)
arguments = [given["key"], given["secret"], given["host"], given["path"], [tuple(pair) for pair in given["query"]]]
rounds = []
for _ in range(11):
    start = time.perf_counter()
    for _ in range(1000):
        sign(*arguments)
    rounds.append((time.perf_counter() - start) * 1000)
print(json.dumps(rounds))
