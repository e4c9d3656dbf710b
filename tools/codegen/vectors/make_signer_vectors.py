"""Writes packages/signer/vectors.json with a second implementation of the signature, in Python.

It uses only the standard library and shares no code with the package. If the two implementations disagree, one of them
does not follow the specification. `pnpm generate` does not run this program. After you add a case, run
`python3 tools/codegen/vectors/make_signer_vectors.py`.
"""

import base64
import hashlib
import hmac
import json
import pathlib
import urllib.parse

APP_KEY = "776da210ab4a452795d74e726ebd74b6"
APP_SECRET = "0f50a2e853334a9aae1a783bee120c1f"
NONCE = "48ef5afed43d4d91ae514aaeafbc29ba"
TIMESTAMP = "2026-03-01T12:00:00Z"
HASHES = {"HMAC-SHA1": ("sha1", "md5"), "HMAC-SHA256": ("sha256", "sha256")}


def utf8(text):
    return text.encode("utf-8")


def utf16(text):
    return text.encode("utf-16-be")


def sign(canonical, secret, algorithm):
    encoded = urllib.parse.quote(canonical, safe="")
    mac = hmac.new(utf8(secret + "&"), utf8(encoded), HASHES[algorithm][0])
    return base64.b64encode(mac.digest()).decode()


def digest(data, algorithm):
    return hashlib.new(HASHES[algorithm][1], data).hexdigest()


def headers_of(v):
    return {
        "x-app-key": v["appKey"],
        "x-signature-algorithm": v["algorithm"],
        "x-signature-version": "1.0",
        "x-signature-nonce": v["nonce"],
        "x-timestamp": v["timestamp"],
    }


def http(name, path="/p", query=(), body=None, host="api.example.com", algorithm="HMAC-SHA1", secret=APP_SECRET,
         collision="sorted", order="code-point"):
    v = {"name": name, "appKey": APP_KEY, "appSecret": secret, "algorithm": algorithm, "timestamp": TIMESTAMP,
         "nonce": NONCE, "host": host, "path": path, "query": [list(pair) for pair in query], "body": body}
    key = utf8 if order == "code-point" else utf16
    headers = {**headers_of(v), "host": host}
    entries = {n: [value] for n, value in headers.items()}
    for n, value in query:
        entries.setdefault(n, []).append(value)
    for n, values in entries.items():
        if collision == "sorted" or n not in headers:
            values.sort(key=key)
    parts = [path] + [f"{n}={'&'.join(entries[n])}" for n in sorted(entries, key=key)]
    if body:
        parts.append(digest(utf8(body), algorithm).upper())
    v["canonical"] = "&".join(parts)
    v["signature"] = sign(v["canonical"], secret, algorithm)
    return v


def stream(name, request_hex, algorithm="HMAC-SHA256", secret=APP_SECRET):
    v = {"name": name, "appKey": APP_KEY, "appSecret": secret, "algorithm": algorithm, "timestamp": TIMESTAMP,
         "nonce": NONCE, "requestHex": request_hex}
    joined = "=".join(f"{n}={value}" for n, value in sorted(headers_of(v).items()))
    v["canonical"] = f"{joined}&{digest(bytes.fromhex(request_hex), algorithm)}"
    v["signature"] = sign(v["canonical"], secret, algorithm)
    return v


def both(name, **parts):
    return [http(name + (", SHA-256" if a == "HMAC-SHA256" else ""), algorithm=a, **parts) for a in HASHES]


def url(name, text, host, path, query, sent):
    return {"name": name, "url": text, "signedHost": host, "signedPath": path, "signedQuery": query, "sentUrl": sent}


HTTP = [
    *both("no query, no body"),
    *both("query names sort among the headers", query=[("z", "1"), ("x-b", "2"), ("a", "3"), ("Z", "4")]),
    *both("body", body='{"a":1}'),
    *both("empty object is a body", body="{}"),
    *both("empty text is no body", body=""),
    *both("body with < > & unescaped", body='{"note":"<b>1 & 2</b>"}'),
    *both("body with non-ASCII text", body='{"note":"\u00e9\u4e2d\U0001f600"}'),
    *both("body with white space: the bytes count", body='{ "a" : 1 }\n'),
    http("body longer than a block", body="x" * 1000),
    http("repeated name, values sorted as text", query=[("a", "3"), ("a", "1"), ("a", "10"), ("a", "2"), ("a", "1")]),
    http("repeated name, empty value first", query=[("a", "x"), ("a", "")]),
    http("repeated values sort by code point", query=[("a", "\U0001f600"), ("a", "\uff5e"), ("a", "z")]),
    http("names sort by code point", query=[("\U0001f600", "1"), ("\uff5e", "2"), ("z", "3")]),
    http("a prefix sorts before what continues it", query=[("ab", "1"), ("a", "2"), ("a-", "3")]),
    http("empty name, empty value", query=[("", "x"), ("a", "")]),
    http("query names equal to signed headers share their entries",
         query=[("host", "zzz"), ("host", "aaa"), ("x-app-key", "0"), ("x-timestamp", "9")]),
    http("header names in other letters are other names", query=[("Host", "a"), ("X-App-Key", "b")]),
    http("separators in names and values", query=[("a", "1&b=2"), ("c=&", "=&=")]),
    http("plus, space, percent", query=[("a", "1+1 = 2"), ("b", "100%"), ("c", "%2B"), ("d", "+")]),
    http("! ' ( ) * and the unreserved four", query=[("a", "!'()*"), ("b", "-_.~")]),
    http("every ASCII character", query=[("a", "".join(chr(c) for c in range(32, 127)))]),
    http("control characters", query=[("a", "\x00\t\r\n\x7f")]),
    http("non-ASCII names and values", query=[("\u4ef7\u683c", "12.50"), ("\u00e9", "\u00fc\U0001f600")]),
    http("path percent-encoded on the line", path="/a%20b/%e4%b8%ad/%2F"),
    http("path with dot segments and doubled slashes", path="//a/../b/./c//"),
    http("path with separators", path="/a&b=c;d:e@f+g", query=[("q", "1")]),
    http("root path", path="/"),
    http("host with port", host="api.example.com:8443"),
    http("IPv6 host", host="[::1]"),
    http("IPv6 host with port", host="[2001:db8::1]:8080"),
    http("secret with separators and non-ASCII text", secret="a&b=c+/\u00e9\U0001f600"),
    http("secret longer than a block", secret="k" * 100, body="{}"),
    http("secret of a block less its ampersand", secret="k" * 63),
    http("secret of a block", secret="k" * 64, algorithm="HMAC-SHA256"),
    http("the digest looks like the last value, with a body", query=[("z", "1")], body="{}"),
    http("the same string without a body", query=[("z", "1"), ("z", "99914B932BD37A50B983C5E7C90AE93B")]),
]

STREAMS = [
    stream("one account", "0801" + "2a0441424344"),
    stream("SHA-1", "0801" + "2a0441424344", algorithm="HMAC-SHA1"),
    stream("empty request: it has a digest too", ""),
    stream("module request", "0a0d0a0b4150504c49434154494f4e"),
    stream("secret with non-ASCII text", "0802", secret="s\u00e9cret"),
]

OPTIONS = [
    {"name": "header first, then the query's values unsorted", "options": {"headerCollision": "header-first"},
     "vector": http("", query=[("host", "zzz"), ("host", "aaa"), ("b", "2"), ("b", "1")], collision="header-first")},
    {"name": "names and values sort by UTF-16 unit", "options": {"nameOrder": "utf-16"},
     "vector": http("", query=[("\U0001f600", "1"), ("\uff5e", "2"), ("a", "\uff5e"), ("a", "\U0001f600")],
                    order="utf-16")},
]

H = "h.example"
URLS = [
    url("no path", f"https://{H}", H, "/", [], f"https://{H}/"),
    url("default port of https", f"https://{H}:443/p", H, "/p", [], f"https://{H}/p"),
    url("default port of http", f"http://{H}:80/p", H, "/p", [], f"http://{H}/p"),
    url("port 80 under https", f"https://{H}:80/p", f"{H}:80", "/p", [], f"https://{H}:80/p"),
    url("host in capitals", "https://H.Example/P", H, "/P", [], f"https://{H}/P"),
    url("fragment", f"https://{H}/p?a=1#f", H, "/p", [["a", "1"]], f"https://{H}/p?a=1"),
    url("dot segments", f"https://{H}/a/../b", H, "/a/../b", [], f"https://{H}/a/../b"),
    url("plus is a space", f"https://{H}/p?a=1+2", H, "/p", [["a", "1 2"]], f"https://{H}/p?a=1%202"),
    url("%20 is a space", f"https://{H}/p?a=1%202", H, "/p", [["a", "1 2"]], f"https://{H}/p?a=1%202"),
    url("%2B is a plus", f"https://{H}/p?a=1%2b2", H, "/p", [["a", "1+2"]], f"https://{H}/p?a=1%2B2"),
    url("name without =", f"https://{H}/p?a", H, "/p", [["a", ""]], f"https://{H}/p?a="),
    url("empty pairs", f"https://{H}/p?&&a=1&", H, "/p", [["a", "1"]], f"https://{H}/p?a=1"),
    url("malformed escape", f"https://{H}/p?a=100%&b=%zz", H, "/p", [["a", "100%"], ["b", "%zz"]],
        f"https://{H}/p?a=100%25&b=%25zz"),
    url("sent in the signed order", f"https://{H}/p?b=1&a=2&a=1", H, "/p", [["a", "1"], ["a", "2"], ["b", "1"]],
        f"https://{H}/p?a=1&a=2&b=1"),
    url("IPv6", "https://[::1]:8443/p", "[::1]:8443", "/p", [], "https://[::1]:8443/p"),
]
REFUSED = [
    {"name": "relative", "url": "/p"},
    {"name": "user name", "url": f"https://user@{H}/p"},
    {"name": "another scheme", "url": f"ftp://{H}/p"},
    {"name": "space", "url": f"https://{H}/a b"},
    {"name": "non-ASCII", "url": f"https://{H}/\u00e9"},
    {"name": "backslash", "url": f"https://{H}\\p"},
    {"name": "escapes that are no UTF-8", "url": f"https://{H}/p?a=%ff"},
]

FILE = {
    "description": "Signatures of the brokerage open API. See VECTORS.md beside this file.",
    "http": HTTP,
    "streams": STREAMS,
    "options": OPTIONS,
    "urls": URLS,
    "refusedUrls": REFUSED,
}
target = pathlib.Path(__file__).resolve().parents[3] / "packages/signer/vectors.json"
target.write_text(json.dumps(FILE, ensure_ascii=True, indent=1) + "\n", encoding="utf-8")
print(f"{target.name}: {len(HTTP)} http, {len(STREAMS)} streams, {len(OPTIONS)} options, {len(URLS) + len(REFUSED)} urls")
