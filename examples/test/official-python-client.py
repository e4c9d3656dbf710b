"""Runs a program for the official Python client against a local service.

Reads one line of JSON from stdin: the folders of the client and of the programs, the addresses and the credentials.
"""

import io
import json
import os
import sys
import threading

setup = json.loads(sys.stdin.readline())
sys.path[:0] = [setup["folder"], setup["programs"]]

if setup["program"] == "orders":
    from orders import place_and_cancel
    from webull.core.client import ApiClient
    from webull.core.request import set_default_protocol_type

    set_default_protocol_type("http")
    api = ApiClient(setup["appKey"], setup["appSecret"], setup["region"], port=setup["port"])
    api.add_endpoint(setup["region"], setup["host"])
    # Without a logger it writes to stdout and to a file.
    api.set_stream_logger(stream=io.StringIO())
    place_and_cancel(api)
else:
    from events import follow
    from webull.trade.trade_events_client import TradeEventsClient

    threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
    follow(
        TradeEventsClient(
            setup["appKey"],
            setup["appSecret"],
            setup["region"],
            host=setup["eventsHost"],
            port=setup["eventsPort"],
            tls_enable=False,
        ),
        setup["accounts"],
    )
