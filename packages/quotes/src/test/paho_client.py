"""A client on Python's paho. It is told where to go by a line of JSON on stdin, tells what happens as lines of JSON, and ends
with `end` on stdin."""

import json
import sys
import threading

import paho.mqtt.client as mqtt

setup = json.loads(sys.stdin.readline())
lock = threading.Lock()


def tell(**what):
    with lock:
        print(json.dumps(what), flush=True)


client = mqtt.Client(
    client_id=setup["clientId"], clean_session=True, protocol=mqtt.MQTTv311, transport=setup["transport"]
)
client.username_pw_set(setup["userName"], "0123456789abcdef")
if setup["transport"] == "websockets":
    client.ws_set_options(path="/mqtt")
if setup["ca"]:
    client.tls_set(ca_certs=setup["ca"])
client.on_connect = lambda _client, _data, _flags, code: tell(event="connect", code=code)
client.on_disconnect = lambda _client, _data, code: tell(event="disconnect", code=code)
client.on_message = lambda _client, _data, message: tell(
    event="message", topic=message.topic, qos=message.qos, payload=message.payload.hex()
)
client.on_log = lambda _client, _data, _level, text: tell(event="pong") if "PINGRESP" in text else None
client.connect("127.0.0.1", setup["port"], keepalive=setup["keepAlive"])
client.loop_start()
for line in sys.stdin:
    if line.strip() == "end":
        break
client.disconnect()
client.loop_stop()
