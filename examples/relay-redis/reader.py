"""Reads the events of an app from the stream of a relay in Redis, with a consumer group.

A message that a process did not acknowledge is processed again.
"""

import json
import os

import redis

STREAM = os.environ.get("STREAM", "brokerwire_sandbox_us_team-a")
GROUP = os.environ.get("GROUP", "billing")
CONSUMER = os.environ.get("CONSUMER", "worker-1")
# After this time without an acknowledgement, a message of another process is processed here.
CLAIM_AFTER_MS = 60_000

client = redis.from_url(os.environ["REDIS_URL"], decode_responses=True)
try:
    client.xgroup_create(STREAM, GROUP, "0", mkstream=True)
except redis.ResponseError as error:
    if not str(error).startswith("BUSYGROUP"):
        raise


def handle(messages):
    for message_id, fields in messages:
        headers = json.loads(fields["headers"])
        # To apply each event exactly once, store fields["key"] with the result, and skip a key that you have stored.
        print(message_id, headers["Brokerwire-Type"], headers["Brokerwire-Kind"], fields["body"], flush=True)
        client.xack(STREAM, GROUP, message_id)


def read_from(message_id, block=None):
    reply = client.xreadgroup(GROUP, CONSUMER, {STREAM: message_id}, count=100, block=block)
    messages = reply[0][1] if reply else []
    handle(messages)
    return len(messages)


while read_from("0"):
    pass
print("reading", flush=True)
while True:
    read_from(">", block=5000)
    handle(client.xautoclaim(STREAM, GROUP, CONSUMER, CLAIM_AFTER_MS, "0-0", count=100)[1])
