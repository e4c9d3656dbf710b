"""Signs requests and event streams of the brokerage open API, with the standard library of Python 3."""

import base64
import datetime
import hashlib
import hmac
import secrets
from urllib.parse import quote

HASHES = {"HMAC-SHA1": ("sha1", "md5"), "HMAC-SHA256": ("sha256", "sha256")}


def new_headers(app_key, algorithm="HMAC-SHA1"):
    return {
        "x-app-key": app_key,
        "x-signature-algorithm": algorithm,
        "x-signature-nonce": secrets.token_hex(16),
        "x-signature-version": "1.0",
        "x-timestamp": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
    }


def sign_request(headers, app_secret, host, path, query=(), body=b""):
    """Adds x-signature. query: pairs of name and value, not encoded. body: the bytes that are sent."""
    values = {}
    for name, value in [*headers.items(), ("host", host), *query]:
        values.setdefault(name, []).append(value)
    parts = [path] + [f"{name}={'&'.join(sorted(values[name]))}" for name in sorted(values)]
    if body:
        parts.append(digest(headers, body).upper())
    add_signature(headers, app_secret, "&".join(parts))


def sign_stream(headers, app_secret, request):
    """Adds x-signature. request: the serialized request message, without the five bytes of gRPC before it."""
    entries = "=".join(f"{name}={headers[name]}" for name in sorted(headers))
    add_signature(headers, app_secret, f"{entries}&{digest(headers, request)}")


def digest(headers, data):
    return hashlib.new(HASHES[headers["x-signature-algorithm"]][1], data).hexdigest()


def add_signature(headers, app_secret, canonical):
    key, text = f"{app_secret}&".encode(), quote(canonical, safe="").encode()
    mac = hmac.new(key, text, HASHES[headers["x-signature-algorithm"]][0])
    headers["x-signature"] = base64.b64encode(mac.digest()).decode()
