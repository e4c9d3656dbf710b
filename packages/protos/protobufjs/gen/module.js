/*eslint-disable block-scoped-var, id-length, no-control-regex, no-magic-numbers, no-mixed-operators, no-prototype-builtins, no-redeclare, no-shadow, no-var, sort-vars, default-case, jsdoc/require-param*/
import $protobuf from "protobufjs/minimal.js";

const $Reader = $protobuf.Reader, $Writer = $protobuf.Writer, $util = $protobuf.util;
const $Object = $util.global.Object, $undefined = $util.global.undefined, $Error = $util.global.Error, $RangeError = $util.global.RangeError, $Array = $util.global.Array, $TypeError = $util.global.TypeError, $String = $util.global.String;

const $root = $protobuf.roots["brokerwire.module"] || ($protobuf.roots["brokerwire.module"] = {});

export const grpc = $root.grpc = (() => {

    const grpc = {};

    grpc.event = (function() {

        const event = {};

        event.SubscribeRequest = (function() {

            const SubscribeRequest = function (properties) {
                this.events = [];
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            SubscribeRequest.prototype.events = $util.emptyArray;
            SubscribeRequest.prototype.timestamp = "";

            SubscribeRequest.create = function(properties) {
                return new SubscribeRequest(properties);
            };

            SubscribeRequest.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.events != null && message.events.length)
                    for (let i = 0; i < message.events.length; ++i)
                        $root.grpc.event.SubscribeEvent.encode(message.events[i], writer.uint32(10).fork(), _depth + 1).ldelim();
                if (message.timestamp != null && $Object.hasOwnProperty.call(message, "timestamp") && message.timestamp !== "")
                    writer.uint32(18).string(message.timestamp);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            SubscribeRequest.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.grpc.event.SubscribeRequest();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if (!(message.events && message.events.length))
                                message.events = [];
                            message.events.push($root.grpc.event.SubscribeEvent.decode(reader, reader.size(), $undefined, _depth + 1));
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.timestamp = value;
                            else
                                delete message.timestamp;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            SubscribeRequest.verify = function (message, _depth) {
                if (typeof message !== "object" || message === null)
                    return "object expected";
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    return "max depth exceeded";
                if (message.events != null && $Object.hasOwnProperty.call(message, "events")) {
                    if (!$Array.isArray(message.events))
                        return "events: array expected";
                    for (let i = 0; i < message.events.length; ++i) {
                        let error = $root.grpc.event.SubscribeEvent.verify(message.events[i], _depth + 1);
                        if (error)
                            return "events." + error;
                    }
                }
                if (message.timestamp != null && $Object.hasOwnProperty.call(message, "timestamp"))
                    if (!$util.isString(message.timestamp))
                        return "timestamp: string expected";
                return null;
            };

            SubscribeRequest.fromObject = function (object, _depth) {
                if (object instanceof $root.grpc.event.SubscribeRequest)
                    return object;
                if (!$util.isObject(object))
                    throw $TypeError(".grpc.event.SubscribeRequest: object expected");
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                let message = new $root.grpc.event.SubscribeRequest();
                if (object.events) {
                    if (!$Array.isArray(object.events))
                        throw $TypeError(".grpc.event.SubscribeRequest.events: array expected");
                    message.events = $Array(object.events.length);
                    for (let i = 0; i < object.events.length; ++i) {
                        if (!$util.isObject(object.events[i]))
                            throw $TypeError(".grpc.event.SubscribeRequest.events: object expected");
                        message.events[i] = $root.grpc.event.SubscribeEvent.fromObject(object.events[i], _depth + 1);
                    }
                }
                if (object.timestamp != null)
                    if (typeof object.timestamp !== "string" || object.timestamp.length)
                        message.timestamp = $String(object.timestamp);
                return message;
            };

            SubscribeRequest.toObject = function (message, options, _depth) {
                if (!options)
                    options = {};
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                let object = {};
                if (options.arrays || options.defaults)
                    object.events = [];
                if (options.defaults)
                    object.timestamp = "";
                if (message.events && message.events.length) {
                    object.events = $Array(message.events.length);
                    for (let j = 0; j < message.events.length; ++j)
                        object.events[j] = $root.grpc.event.SubscribeEvent.toObject(message.events[j], options, _depth + 1);
                }
                if (message.timestamp != null && $Object.hasOwnProperty.call(message, "timestamp"))
                    object.timestamp = message.timestamp;
                return object;
            };

            SubscribeRequest.prototype.toJSON = function() {
                return SubscribeRequest.toObject(this, $protobuf.util.toJSONOptions);
            };

            return SubscribeRequest;
        })();

        event.SubscribeEvent = (function() {

            const SubscribeEvent = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            SubscribeEvent.prototype.eventType = "";
            SubscribeEvent.prototype.position = "";

            SubscribeEvent.create = function(properties) {
                return new SubscribeEvent(properties);
            };

            SubscribeEvent.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.eventType != null && $Object.hasOwnProperty.call(message, "eventType") && message.eventType !== "")
                    writer.uint32(10).string(message.eventType);
                if (message.position != null && $Object.hasOwnProperty.call(message, "position") && message.position !== "")
                    writer.uint32(18).string(message.position);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            SubscribeEvent.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.grpc.event.SubscribeEvent();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.eventType = value;
                            else
                                delete message.eventType;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.position = value;
                            else
                                delete message.position;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            SubscribeEvent.verify = function (message, _depth) {
                if (typeof message !== "object" || message === null)
                    return "object expected";
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    return "max depth exceeded";
                if (message.eventType != null && $Object.hasOwnProperty.call(message, "eventType"))
                    if (!$util.isString(message.eventType))
                        return "eventType: string expected";
                if (message.position != null && $Object.hasOwnProperty.call(message, "position"))
                    if (!$util.isString(message.position))
                        return "position: string expected";
                return null;
            };

            SubscribeEvent.fromObject = function (object, _depth) {
                if (object instanceof $root.grpc.event.SubscribeEvent)
                    return object;
                if (!$util.isObject(object))
                    throw $TypeError(".grpc.event.SubscribeEvent: object expected");
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                let message = new $root.grpc.event.SubscribeEvent();
                if (object.eventType != null)
                    if (typeof object.eventType !== "string" || object.eventType.length)
                        message.eventType = $String(object.eventType);
                if (object.position != null)
                    if (typeof object.position !== "string" || object.position.length)
                        message.position = $String(object.position);
                return message;
            };

            SubscribeEvent.toObject = function (message, options, _depth) {
                if (!options)
                    options = {};
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                let object = {};
                if (options.defaults) {
                    object.eventType = "";
                    object.position = "";
                }
                if (message.eventType != null && $Object.hasOwnProperty.call(message, "eventType"))
                    object.eventType = message.eventType;
                if (message.position != null && $Object.hasOwnProperty.call(message, "position"))
                    object.position = message.position;
                return object;
            };

            SubscribeEvent.prototype.toJSON = function() {
                return SubscribeEvent.toObject(this, $protobuf.util.toJSONOptions);
            };

            return SubscribeEvent;
        })();

        event.SubscribeResponse = (function() {

            const SubscribeResponse = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            SubscribeResponse.prototype.type = 0;
            SubscribeResponse.prototype.id = "";
            SubscribeResponse.prototype.eventType = "";
            SubscribeResponse.prototype.position = "";
            SubscribeResponse.prototype.timestamp = "";
            SubscribeResponse.prototype.version = "";
            SubscribeResponse.prototype.payload = "";

            SubscribeResponse.create = function(properties) {
                return new SubscribeResponse(properties);
            };

            SubscribeResponse.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.type != null && $Object.hasOwnProperty.call(message, "type") && message.type !== 0)
                    writer.uint32(8).int32(message.type);
                if (message.id != null && $Object.hasOwnProperty.call(message, "id") && message.id !== "")
                    writer.uint32(18).string(message.id);
                if (message.eventType != null && $Object.hasOwnProperty.call(message, "eventType") && message.eventType !== "")
                    writer.uint32(26).string(message.eventType);
                if (message.position != null && $Object.hasOwnProperty.call(message, "position") && message.position !== "")
                    writer.uint32(34).string(message.position);
                if (message.timestamp != null && $Object.hasOwnProperty.call(message, "timestamp") && message.timestamp !== "")
                    writer.uint32(42).string(message.timestamp);
                if (message.version != null && $Object.hasOwnProperty.call(message, "version") && message.version !== "")
                    writer.uint32(50).string(message.version);
                if (message.payload != null && $Object.hasOwnProperty.call(message, "payload") && message.payload !== "")
                    writer.uint32(58).string(message.payload);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            SubscribeResponse.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.grpc.event.SubscribeResponse();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.int32())
                                message.type = value;
                            else
                                delete message.type;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.id = value;
                            else
                                delete message.id;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.eventType = value;
                            else
                                delete message.eventType;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.position = value;
                            else
                                delete message.position;
                            continue;
                        }
                    case 5: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.timestamp = value;
                            else
                                delete message.timestamp;
                            continue;
                        }
                    case 6: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.version = value;
                            else
                                delete message.version;
                            continue;
                        }
                    case 7: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.payload = value;
                            else
                                delete message.payload;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            SubscribeResponse.verify = function (message, _depth) {
                if (typeof message !== "object" || message === null)
                    return "object expected";
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    return "max depth exceeded";
                if (message.type != null && $Object.hasOwnProperty.call(message, "type"))
                    if (typeof message.type !== "number" || (message.type | 0) !== message.type)
                        return "type: enum value expected";
                if (message.id != null && $Object.hasOwnProperty.call(message, "id"))
                    if (!$util.isString(message.id))
                        return "id: string expected";
                if (message.eventType != null && $Object.hasOwnProperty.call(message, "eventType"))
                    if (!$util.isString(message.eventType))
                        return "eventType: string expected";
                if (message.position != null && $Object.hasOwnProperty.call(message, "position"))
                    if (!$util.isString(message.position))
                        return "position: string expected";
                if (message.timestamp != null && $Object.hasOwnProperty.call(message, "timestamp"))
                    if (!$util.isString(message.timestamp))
                        return "timestamp: string expected";
                if (message.version != null && $Object.hasOwnProperty.call(message, "version"))
                    if (!$util.isString(message.version))
                        return "version: string expected";
                if (message.payload != null && $Object.hasOwnProperty.call(message, "payload"))
                    if (!$util.isString(message.payload))
                        return "payload: string expected";
                return null;
            };

            SubscribeResponse.fromObject = function (object, _depth) {
                if (object instanceof $root.grpc.event.SubscribeResponse)
                    return object;
                if (!$util.isObject(object))
                    throw $TypeError(".grpc.event.SubscribeResponse: object expected");
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                let message = new $root.grpc.event.SubscribeResponse();
                if (object.type !== 0 && (typeof object.type !== "string" || $root.grpc.event.Type[object.type] !== 0))
                    switch (object.type) {
                    case "SubscribeSuccess":
                    case 0:
                        message.type = 0;
                        break;
                    case "Ping":
                    case 1:
                        message.type = 1;
                        break;
                    case "Event":
                    case 2:
                        message.type = 2;
                        break;
                    case "AuthError":
                    case 3:
                        message.type = 3;
                        break;
                    case "NumOfConnExceed":
                    case 4:
                        message.type = 4;
                        break;
                    case "SubscribeExpired":
                    case 5:
                        message.type = 5;
                        break;
                    default:
                        if (typeof object.type === "number" && (object.type | 0) === object.type)
                            message.type = object.type;
                    }
                if (object.id != null)
                    if (typeof object.id !== "string" || object.id.length)
                        message.id = $String(object.id);
                if (object.eventType != null)
                    if (typeof object.eventType !== "string" || object.eventType.length)
                        message.eventType = $String(object.eventType);
                if (object.position != null)
                    if (typeof object.position !== "string" || object.position.length)
                        message.position = $String(object.position);
                if (object.timestamp != null)
                    if (typeof object.timestamp !== "string" || object.timestamp.length)
                        message.timestamp = $String(object.timestamp);
                if (object.version != null)
                    if (typeof object.version !== "string" || object.version.length)
                        message.version = $String(object.version);
                if (object.payload != null)
                    if (typeof object.payload !== "string" || object.payload.length)
                        message.payload = $String(object.payload);
                return message;
            };

            SubscribeResponse.toObject = function (message, options, _depth) {
                if (!options)
                    options = {};
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                let object = {};
                if (options.defaults) {
                    object.type = options.enums === $String ? "SubscribeSuccess" : 0;
                    object.id = "";
                    object.eventType = "";
                    object.position = "";
                    object.timestamp = "";
                    object.version = "";
                    object.payload = "";
                }
                if (message.type != null && $Object.hasOwnProperty.call(message, "type"))
                    object.type = options.enums === $String ? $root.grpc.event.Type[message.type] === $undefined ? message.type : $root.grpc.event.Type[message.type] : message.type;
                if (message.id != null && $Object.hasOwnProperty.call(message, "id"))
                    object.id = message.id;
                if (message.eventType != null && $Object.hasOwnProperty.call(message, "eventType"))
                    object.eventType = message.eventType;
                if (message.position != null && $Object.hasOwnProperty.call(message, "position"))
                    object.position = message.position;
                if (message.timestamp != null && $Object.hasOwnProperty.call(message, "timestamp"))
                    object.timestamp = message.timestamp;
                if (message.version != null && $Object.hasOwnProperty.call(message, "version"))
                    object.version = message.version;
                if (message.payload != null && $Object.hasOwnProperty.call(message, "payload"))
                    object.payload = message.payload;
                return object;
            };

            SubscribeResponse.prototype.toJSON = function() {
                return SubscribeResponse.toObject(this, $protobuf.util.toJSONOptions);
            };

            return SubscribeResponse;
        })();

        event.Type = (function() {
            const valuesById = $Object.create(null), values = $Object.create(valuesById);
            values[valuesById[0] = "SubscribeSuccess"] = 0;
            values[valuesById[1] = "Ping"] = 1;
            values[valuesById[2] = "Event"] = 2;
            values[valuesById[3] = "AuthError"] = 3;
            values[valuesById[4] = "NumOfConnExceed"] = 4;
            values[valuesById[5] = "SubscribeExpired"] = 5;
            return values;
        })();

        return event;
    })();

    return grpc;
})();

export {
  $root as default
};
