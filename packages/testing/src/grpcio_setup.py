"""What programs on Python's grpcio begin with: their setup, a line of JSON on stdin, and the messages of its descriptors."""

import base64
import json
import sys

from google.protobuf import descriptor_pool, message_factory

setup = json.loads(sys.stdin.readline())
pool = descriptor_pool.DescriptorPool()
for file in setup["files"]:
    pool.AddSerializedFile(base64.b64decode(file))


def message_class(name):
    descriptor = pool.FindMessageTypeByName(name)
    if hasattr(message_factory, "GetMessageClass"):
        return message_factory.GetMessageClass(descriptor)
    return message_factory.MessageFactory(pool).GetPrototype(descriptor)
