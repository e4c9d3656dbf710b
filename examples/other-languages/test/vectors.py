"""Prints the signatures of the vectors in the file whose path is the last argument, as JSON."""

import json
import sys

from sign import sign_request, sign_stream

NAMES = {
    "appKey": "x-app-key",
    "algorithm": "x-signature-algorithm",
    "nonce": "x-signature-nonce",
    "timestamp": "x-timestamp",
}

signatures = []
with open(sys.argv[-1], encoding="utf-8") as file:
    vectors = json.load(file)
for vector in vectors:
    headers = {"x-signature-version": "1.0", **{header: vector[name] for name, header in NAMES.items()}}
    if "requestHex" in vector:
        sign_stream(headers, vector["appSecret"], bytes.fromhex(vector["requestHex"]))
    else:
        body = (vector["body"] or "").encode("utf-8")
        query = [tuple(pair) for pair in vector["query"]]
        sign_request(headers, vector["appSecret"], vector["host"], vector["path"], query, body)
    signatures.append(headers["x-signature"])
print(json.dumps(signatures))
