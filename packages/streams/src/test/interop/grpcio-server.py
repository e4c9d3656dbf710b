"""An interop server on Python's grpcio. interop-server.ts describes its behavior.

The program reads one line of JSON from stdin: app key, app secret and the descriptors of the services. They are not arguments, because
other processes can read those. It prints its port, and ends when stdin ends. It checks signatures with separate code, written from the
published description, so that it does not repeat mistakes of the signer.
"""

import base64
import hashlib
import hmac
import json
import re
import sys
import threading
from concurrent import futures
from urllib.parse import quote

import grpc
from grpcio_setup import message_class, setup

TradeRequest = message_class("grpc.trade.event.SubscribeRequest")
TradeResponse = message_class("grpc.trade.event.SubscribeResponse")
ModuleRequest = message_class("grpc.event.SubscribeRequest")
ModuleResponse = message_class("grpc.event.SubscribeResponse")

SIGNED = ["x-app-key", "x-signature-algorithm", "x-signature-nonce", "x-signature-version", "x-timestamp"]
calls = {"trade": 0, "module": 0}


def is_signed(request_bytes, context):
    headers = {name: value for name, value in context.invocation_metadata()}
    if headers.get("x-app-key") != setup["appKey"] or headers.get("x-signature-algorithm") != "HMAC-SHA256":
        return False
    entries = "=".join(f"{name}={headers.get(name, '')}" for name in SIGNED)
    canonical = quote(f"{entries}&{hashlib.sha256(request_bytes).hexdigest()}", safe="-._~")
    key = (setup["appSecret"] + "&").encode()
    expected = base64.b64encode(hmac.new(key, canonical.encode(), hashlib.sha256).digest()).decode()
    return hmac.compare_digest(expected, headers.get("x-signature", ""))


def stay_open(context):
    ended = threading.Event()
    if context.add_callback(ended.set):
        ended.wait()


def trade(**fields):
    return TradeResponse(**{"subscribeType": 1, "contentType": "text/plain", **fields})


def order(request_id, payload):
    return trade(eventType=1024, contentType="application/json", requestId=request_id, payload=payload)


def serve_trade(request_bytes, context):
    if not is_signed(request_bytes, context):
        yield trade(eventType=2)
        return
    accounts = TradeRequest.FromString(request_bytes).accounts
    calls["trade"] += 1
    call = calls["trade"]
    yield trade(eventType=0)
    yield trade(eventType=1, requestId=f"connection-{call}")
    large = re.fullmatch(r"large:(\d+)", accounts[0])
    if large:
        yield order("large", json.dumps({"text": "x" * (int(large[1]) - 11)}, separators=(",", ":")))
        stay_open(context)
        return
    for number in range(call * 3 - 2, call * 3 + 1):
        yield order(f"r{number}", f'{{"number":{number}}}')
    if call == 1:
        context.abort(grpc.StatusCode.UNAVAILABLE, "try again later")
    stay_open(context)


def serve_module(request_bytes, context):
    if not is_signed(request_bytes, context):
        yield ModuleResponse(type=3)
        return
    wanted = ModuleRequest.FromString(request_bytes).events[0]
    calls["module"] += 1
    call = calls["module"]
    yield ModuleResponse(type=0)
    yield ModuleResponse(type=1)
    after = int(wanted.position or "0")
    for number in range(after + 1, after + 4):
        yield ModuleResponse(
            type=2,
            eventType=wanted.eventType,
            id=f"m{number}",
            position=str(number),
            payload=f'{{"number":{number}}}',
        )
    if call == 1:
        context.abort(grpc.StatusCode.UNAVAILABLE, "try again later")
    stay_open(context)


def handler(service, serve):
    method = grpc.unary_stream_rpc_method_handler(
        serve,
        request_deserializer=lambda data: data,
        response_serializer=lambda message: message.SerializeToString(),
    )
    return grpc.method_handlers_generic_handler(service, {"Subscribe": method})


server = grpc.server(futures.ThreadPoolExecutor(max_workers=16), options=[("grpc.max_send_message_length", -1)])
server.add_generic_rpc_handlers(
    (
        handler("grpc.trade.event.EventService", serve_trade),
        handler("grpc.event.EventService", serve_module),
    )
)
print(server.add_insecure_port("127.0.0.1:0"), flush=True)
server.start()
sys.stdin.read()
server.stop(0)
