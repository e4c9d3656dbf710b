"""The service Echo on Python's grpcio. echo-server.ts describes it. Responses are compressed with gzip if the client accepts it."""

import json
import math
import sys
import threading
from concurrent import futures

import grpc
from google.protobuf.wrappers_pb2 import StringValue

json.loads(sys.stdin.readline())
canceled = 0
lock = threading.Lock()


def head(context):
    sent = dict(context.invocation_metadata())
    context.send_initial_metadata(
        (("x-head", sent.get("x-mine", "")), ("x-raw-bin", sent.get("x-raw-bin", b"")))
    )
    context.set_trailing_metadata((("x-trail", sent.get("x-mine", "")),))


def unary(message, context):
    head(context)
    if message.value == "fail":
        context.abort(grpc.StatusCode.NOT_FOUND, "nichts, gar nichts: ä %")
    if message.value == "time":
        return StringValue(value=str(math.ceil(context.time_remaining())))
    if message.value == "canceled":
        with lock:
            return StringValue(value=str(canceled))
    return message


def server_stream(message, context):
    if message.value == "wait":
        ended = threading.Event()

        def on_end():
            global canceled
            with lock:
                canceled += 1
            ended.set()

        context.add_callback(on_end)
        yield StringValue(value="w")
        ended.wait()
        return
    for letter in message.value:
        yield StringValue(value=letter)


def client_stream(messages, context):
    return StringValue(value="".join(message.value for message in messages))


def bidi(messages, context):
    for message in messages:
        yield StringValue(value=f"<{message.value}>")


def handler(kind, serve):
    return kind(serve, StringValue.FromString, StringValue.SerializeToString)


server = grpc.server(futures.ThreadPoolExecutor(max_workers=16), compression=grpc.Compression.Gzip)
server.add_generic_rpc_handlers(
    (
        grpc.method_handlers_generic_handler(
            "test.Echo",
            {
                "Unary": handler(grpc.unary_unary_rpc_method_handler, unary),
                "ServerStream": handler(grpc.unary_stream_rpc_method_handler, server_stream),
                "ClientStream": handler(grpc.stream_unary_rpc_method_handler, client_stream),
                "Bidi": handler(grpc.stream_stream_rpc_method_handler, bidi),
            },
        ),
    )
)
print(server.add_insecure_port("127.0.0.1:0"), flush=True)
server.start()
sys.stdin.read()
server.stop(0)
