# A receiver of webhooks with the standard library. WEBHOOK_SECRET has the secret, or several that are separated by spaces.
import base64
import hashlib
import hmac
import json
import os
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

KEYS = [base64.b64decode(secret.removeprefix("whsec_")) for secret in os.environ["WEBHOOK_SECRET"].split()]
HANDLED = set()  # Ids of handled requests. Keep them in your database, in the transaction that handles the event.


def is_valid(headers, body):
    message_id, timestamp = headers["webhook-id"] or "", headers["webhook-timestamp"] or ""
    if not timestamp.isdigit() or abs(time.time() - int(timestamp)) > 300:
        return False
    signed = f"{message_id}.{timestamp}.".encode() + body
    expected = ["v1," + base64.b64encode(hmac.digest(key, signed, hashlib.sha256)).decode() for key in KEYS]
    given = (headers["webhook-signature"] or "").split(" ")
    return any(hmac.compare_digest(one.encode(), other.encode()) for one in expected for other in given)


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"] or 0))
        valid = is_valid(self.headers, body)
        if valid and self.headers["webhook-id"] not in HANDLED:
            event = json.loads(body)
            print(event["type"], json.dumps(event.get("data")), flush=True)
            HANDLED.add(self.headers["webhook-id"])
        self.send_response(204 if valid else 401)
        self.send_header("content-length", "0")
        self.end_headers()


server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "8080"))), Receiver)
print(server.server_address, flush=True)
server.serve_forever()
