"""Executes calls of the official Python client, which is in a folder outside of this repository.

Reads one line of JSON from stdin with the folder, the address and the credentials, then one line for each call: the name
of a method, its arguments and its keyword arguments. Prints one line of JSON for each call.
"""

import io
import json
import sys
from functools import reduce
from types import SimpleNamespace

setup = json.loads(sys.stdin.readline())
sys.path.insert(0, setup["folder"])

from webull.core.client import ApiClient  # noqa: E402
from webull.core.exception.exceptions import ServerException  # noqa: E402
from webull.core.request import set_default_protocol_type  # noqa: E402
from webull.data.data_client import DataClient  # noqa: E402
from webull.trade.trade_client import TradeClient  # noqa: E402

set_default_protocol_type("http")
api = ApiClient(setup["appKey"], setup["appSecret"], setup["region"], port=setup["port"])
api.add_endpoint(setup["region"], setup["host"])
api.set_token_dir(setup["tokenFolder"])
# Without a logger it writes to stdout and to a file.
api.set_stream_logger(stream=io.StringIO())
clients = SimpleNamespace(trade=TradeClient(api), data=DataClient(api))

for line in sys.stdin:
    call = json.loads(line)
    method = reduce(getattr, call["name"].split("."), clients)
    try:
        response = method(*call["args"], **call["keywords"])
        result = {"status": response.status_code, "json": response.json()}
    except ServerException as error:
        result = {"status": error.http_status, "code": error.error_code, "message": error.error_msg}
    print(json.dumps(result), flush=True)
