"""Subscribes the official Python client, which is in a folder outside of this repository, to the event stream.

Reads one line of JSON from stdin with the folder, the address and the credentials. Prints one line of JSON for each
event, until stdin ends.
"""

import io
import json
import os
import sys
import threading

setup = json.loads(sys.stdin.readline())
sys.path.insert(0, setup["folder"])

from webull.trade.trade_events_client import TradeEventsClient  # noqa: E402

output = sys.stdout
# The client prints its signatures.
sys.stdout = io.StringIO()


def exit_with_stdin():
    sys.stdin.read()
    os._exit(0)


def on_event(event_type, subscribe_type, payload, message):
    event = {"eventType": event_type, "subscribeType": subscribe_type, "payload": payload}
    print(json.dumps(event), file=output, flush=True)


threading.Thread(target=exit_with_stdin, daemon=True).start()
client = TradeEventsClient(
    setup["appKey"],
    setup["appSecret"],
    setup["region"],
    host=setup["eventsHost"],
    port=setup["eventsPort"],
    tls_enable=False,
)
client.on_events_message = on_event
client.do_subscribe(setup["accounts"])
