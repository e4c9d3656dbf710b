"""A client on Python's grpcio, written by hand: what the cases are is told in foreign-client.ts.

Reads one line of JSON from stdin (no argument list ever shows the secret) and prints a line of JSON for each case. It
writes and reads protobuf by itself and signs with its own code, so that it is a second opinion on all of it.
"""

import base64
import hashlib
import hmac
import json
import secrets
import sys
import time
from urllib.parse import quote

import grpc

setup = json.loads(sys.stdin.readline())
PATHS = {
    "trade": "/grpc.trade.event.EventService/Subscribe",
    "module": "/grpc.event.EventService/Subscribe",
}


def varint(number):
    out = b""
    while number > 0x7F:
        out += bytes([number & 0x7F | 0x80])
        number >>= 7
    return out + bytes([number])


def text(tag, value):
    data = value if isinstance(value, bytes) else value.encode()
    return varint(tag << 3 | 2) + varint(len(data)) + data


def request(service, stamp):
    if service == "trade":
        accounts = b"".join(text(5, setup["account"]) for _ in range(40))
        return varint(1 << 3) + varint(1) + varint(2 << 3) + varint(stamp) + accounts
    events = b"".join(text(1, text(1, name)) for name in setup["eventTypes"])
    return events + text(2, str(stamp))


def read_varint(data, at):
    number = shift = 0
    while True:
        byte = data[at]
        at += 1
        number |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return number, at


def fields(data):
    found, at = {}, 0
    while at < len(data):
        key, at = read_varint(data, at)
        value, at = read_varint(data, at)
        if key & 7 == 2:
            value, at = data[at : at + value].decode(), at + value
        found[key >> 3] = value
    return found


def sign(message):
    signed = {
        "x-app-key": setup["appKey"],
        "x-signature-algorithm": "HMAC-SHA256",
        "x-signature-nonce": secrets.token_hex(16),
        "x-signature-version": "1.0",
        "x-timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    }
    entries = "=".join(f"{name}={value}" for name, value in signed.items())
    canonical = quote(f"{entries}&{hashlib.sha256(message).hexdigest()}", safe="-._~")
    key = (setup["appSecret"] + "&").encode()
    signature = base64.b64encode(hmac.new(key, canonical.encode(), hashlib.sha256).digest()).decode()
    return list({**signed, "x-signature": signature}.items())


def call(channel, service, case, message, metadata):
    compression = grpc.Compression.Gzip if case == "gzip" else grpc.Compression.NoCompression
    subscribe = channel.unary_stream(PATHS[service])
    stream = subscribe(message, metadata=metadata, compression=compression, timeout=20)
    frames, status = [], "left"
    try:
        for response in stream:
            found = fields(response)
            frames.append({"kind": found.get(1, 0), "payload": found.get(4 if service == "trade" else 7, "")})
            if len(frames) == 2:
                stream.cancel()
                break
        else:
            status = stream.code().name
    except grpc.RpcError as error:
        status = error.code().name
    print(json.dumps({"service": service, "case": case, "frames": frames, "status": status}), flush=True)


def open_channel(target):
    if setup["ca"] is None:
        return grpc.insecure_channel(target)
    return grpc.secure_channel(target, grpc.ssl_channel_credentials(setup["ca"].encode()))


for service in ("trade", "module"):
    with open_channel(setup[service]) as channel:
        stamp = int(time.time() * 1000)
        message = request(service, stamp)
        first = sign(message)
        call(channel, service, "plain", message, first)
        call(channel, service, "replayed", message, first)
        call(channel, service, "gzip", message, sign(message))
        call(channel, service, "tampered", request(service, stamp + 1), sign(message))
