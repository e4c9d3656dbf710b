"""A service of trade events on Python's grpcio, for streams without events for a long time.

Reads one line of JSON from stdin: the service's descriptors, and options of the server. Missing options have the
defaults of grpcio. Prints its port. Ends when stdin ends. The first account selects the events after SubscribeSuccess:

- `speak-after:SECONDS`: one event after this time;
- `flood:COUNT`: this number of events of 10 kB, as fast as possible;
- any other value: none.

Signatures are not checked.
"""

import json
import sys
import threading
from concurrent import futures

import grpc
from grpcio_setup import message_class, setup

Request = message_class("grpc.trade.event.SubscribeRequest")
Response = message_class("grpc.trade.event.SubscribeResponse")


def event(number, payload):
    return Response(eventType=1024, contentType="application/json", requestId=f"r{number}", payload=payload)


def serve(request, context):
    ended = threading.Event()
    if not context.add_callback(ended.set):
        return
    yield Response(eventType=0)
    what, _, number = request.accounts[0].partition(":")
    if what == "speak-after":
        if not ended.wait(float(number)):
            yield event(1, "{}")
    elif what == "flood":
        for count in range(int(number)):
            yield event(count, json.dumps({"text": "x" * 10_000}))
    ended.wait()


method = grpc.unary_stream_rpc_method_handler(
    serve,
    request_deserializer=Request.FromString,
    response_serializer=lambda message: message.SerializeToString(),
)
server = grpc.server(futures.ThreadPoolExecutor(max_workers=32), options=[tuple(each) for each in setup["options"]])
server.add_generic_rpc_handlers(
    (grpc.method_handlers_generic_handler("grpc.trade.event.EventService", {"Subscribe": method}),)
)
print(server.add_insecure_port("127.0.0.1:0"), flush=True)
server.start()
sys.stdin.read()
server.stop(0)
