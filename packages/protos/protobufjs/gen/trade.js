/*eslint-disable block-scoped-var, id-length, no-control-regex, no-magic-numbers, no-mixed-operators, no-prototype-builtins, no-redeclare, no-shadow, no-var, sort-vars, default-case, jsdoc/require-param*/
import $protobuf from "protobufjs/minimal.js";

const $Reader = $protobuf.Reader, $Writer = $protobuf.Writer, $util = $protobuf.util;
const $Object = $util.global.Object, $undefined = $util.global.undefined, $Error = $util.global.Error, $RangeError = $util.global.RangeError, $Array = $util.global.Array, $TypeError = $util.global.TypeError, $Number = $util.global.Number, $parseInt = $util.global.parseInt, $String = $util.global.String, $BigInt = $util.global.BigInt;

const $root = $protobuf.roots["brokerwire.trade"] || ($protobuf.roots["brokerwire.trade"] = {});

if (!$util.Long)
    throw $Error('protobufjs must find the package "long", without which 64-bit integers lose digits; received none. Install long, and let your bundler include it.');

export const grpc = $root.grpc = (() => {

    const grpc = {};

    grpc.trade = (function() {

        const trade = {};

        trade.event = (function() {

            const event = {};

            event.SubscribeRequest = (function() {

                const SubscribeRequest = function (properties) {
                    this.accounts = [];
                    if (properties)
                        for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                            if (properties[keys[i]] != null && keys[i] !== "__proto__")
                                this[keys[i]] = properties[keys[i]];
                };

                SubscribeRequest.prototype.subscribeType = 0;
                SubscribeRequest.prototype.timestamp = $util.Long ? $util.Long.fromBits(0,0,false) : 0;
                SubscribeRequest.prototype.contentType = "";
                SubscribeRequest.prototype.payload = "";
                SubscribeRequest.prototype.accounts = $util.emptyArray;

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
                    if (message.subscribeType != null && $Object.hasOwnProperty.call(message, "subscribeType") && message.subscribeType !== 0)
                        writer.uint32(8).uint32(message.subscribeType);
                    if (message.timestamp != null && $Object.hasOwnProperty.call(message, "timestamp") && (typeof message.timestamp === "object" ? message.timestamp.low || message.timestamp.high : message.timestamp !== 0))
                        writer.uint32(16).int64(message.timestamp);
                    if (message.contentType != null && $Object.hasOwnProperty.call(message, "contentType") && message.contentType !== "")
                        writer.uint32(26).string(message.contentType);
                    if (message.payload != null && $Object.hasOwnProperty.call(message, "payload") && message.payload !== "")
                        writer.uint32(34).string(message.payload);
                    if (message.accounts != null && message.accounts.length)
                        for (let i = 0; i < message.accounts.length; ++i)
                            writer.uint32(42).string(message.accounts[i]);
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
                    message = _target || new $root.grpc.trade.event.SubscribeRequest();
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
                                if (value = reader.uint32())
                                    message.subscribeType = value;
                                else
                                    delete message.subscribeType;
                                continue;
                            }
                        case 2: {
                                if (wireType !== 0)
                                    break;
                                if (typeof (value = reader.int64()) === "object" ? value.low || value.high : value !== 0)
                                    message.timestamp = value;
                                else
                                    delete message.timestamp;
                                continue;
                            }
                        case 3: {
                                if (wireType !== 2)
                                    break;
                                if ((value = reader.stringVerify()).length)
                                    message.contentType = value;
                                else
                                    delete message.contentType;
                                continue;
                            }
                        case 4: {
                                if (wireType !== 2)
                                    break;
                                if ((value = reader.stringVerify()).length)
                                    message.payload = value;
                                else
                                    delete message.payload;
                                continue;
                            }
                        case 5: {
                                if (wireType !== 2)
                                    break;
                                if (!(message.accounts && message.accounts.length))
                                    message.accounts = [];
                                message.accounts.push(reader.stringVerify());
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
                    if (message.subscribeType != null && $Object.hasOwnProperty.call(message, "subscribeType"))
                        if (!$util.isInteger(message.subscribeType))
                            return "subscribeType: integer expected";
                    if (message.timestamp != null && $Object.hasOwnProperty.call(message, "timestamp"))
                        if (!$util.isInteger(message.timestamp) && !(message.timestamp && $util.isInteger(message.timestamp.low) && $util.isInteger(message.timestamp.high)))
                            return "timestamp: integer|Long expected";
                    if (message.contentType != null && $Object.hasOwnProperty.call(message, "contentType"))
                        if (!$util.isString(message.contentType))
                            return "contentType: string expected";
                    if (message.payload != null && $Object.hasOwnProperty.call(message, "payload"))
                        if (!$util.isString(message.payload))
                            return "payload: string expected";
                    if (message.accounts != null && $Object.hasOwnProperty.call(message, "accounts")) {
                        if (!$Array.isArray(message.accounts))
                            return "accounts: array expected";
                        for (let i = 0; i < message.accounts.length; ++i)
                            if (!$util.isString(message.accounts[i]))
                                return "accounts: string[] expected";
                    }
                    return null;
                };

                SubscribeRequest.fromObject = function (object, _depth) {
                    if (object instanceof $root.grpc.trade.event.SubscribeRequest)
                        return object;
                    if (!$util.isObject(object))
                        throw $TypeError(".grpc.trade.event.SubscribeRequest: object expected");
                    if (_depth === $undefined)
                        _depth = 0;
                    if (_depth > $util.recursionLimit)
                        throw $Error("max depth exceeded");
                    let message = new $root.grpc.trade.event.SubscribeRequest();
                    if (object.subscribeType != null)
                        if ($Number(object.subscribeType) !== 0)
                            message.subscribeType = object.subscribeType >>> 0;
                    if (object.timestamp != null)
                        if (typeof object.timestamp === "object" ? object.timestamp.low || object.timestamp.high : $Number(object.timestamp) !== 0)
                            if ($util.Long)
                                message.timestamp = $util.Long.fromValue(object.timestamp, false);
                            else if (typeof object.timestamp === "string")
                                message.timestamp = $parseInt(object.timestamp, 10);
                            else if (typeof object.timestamp === "number")
                                message.timestamp = object.timestamp;
                            else if (typeof object.timestamp === "object")
                                message.timestamp = new $util.LongBits(object.timestamp.low >>> 0, object.timestamp.high >>> 0).toNumber();
                    if (object.contentType != null)
                        if (typeof object.contentType !== "string" || object.contentType.length)
                            message.contentType = $String(object.contentType);
                    if (object.payload != null)
                        if (typeof object.payload !== "string" || object.payload.length)
                            message.payload = $String(object.payload);
                    if (object.accounts) {
                        if (!$Array.isArray(object.accounts))
                            throw $TypeError(".grpc.trade.event.SubscribeRequest.accounts: array expected");
                        message.accounts = $Array(object.accounts.length);
                        for (let i = 0; i < object.accounts.length; ++i)
                            message.accounts[i] = $String(object.accounts[i]);
                    }
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
                        object.accounts = [];
                    if (options.defaults) {
                        object.subscribeType = 0;
                        if ($util.Long) {
                            let long = new $util.Long(0, 0, false);
                            object.timestamp = options.longs === $String ? long.toString() : options.longs === $Number ? long.toNumber() : typeof $BigInt !== "undefined" && options.longs === $BigInt ? long.toBigInt() : long;
                        } else
                            object.timestamp = options.longs === $String ? "0" : typeof $BigInt !== "undefined" && options.longs === $BigInt ? $BigInt("0") : 0;
                        object.contentType = "";
                        object.payload = "";
                    }
                    if (message.subscribeType != null && $Object.hasOwnProperty.call(message, "subscribeType"))
                        object.subscribeType = message.subscribeType;
                    if (message.timestamp != null && $Object.hasOwnProperty.call(message, "timestamp"))
                        if (typeof $BigInt !== "undefined" && options.longs === $BigInt)
                            object.timestamp = typeof message.timestamp === "number" ? $BigInt(message.timestamp) : $util.Long.fromBits(message.timestamp.low >>> 0, message.timestamp.high >>> 0, false).toBigInt();
                        else if (typeof message.timestamp === "number")
                            object.timestamp = options.longs === $String ? $String(message.timestamp) : message.timestamp;
                        else
                            object.timestamp = options.longs === $String ? $util.Long.prototype.toString.call(message.timestamp) : options.longs === $Number ? new $util.LongBits(message.timestamp.low >>> 0, message.timestamp.high >>> 0).toNumber() : message.timestamp;
                    if (message.contentType != null && $Object.hasOwnProperty.call(message, "contentType"))
                        object.contentType = message.contentType;
                    if (message.payload != null && $Object.hasOwnProperty.call(message, "payload"))
                        object.payload = message.payload;
                    if (message.accounts && message.accounts.length) {
                        object.accounts = $Array(message.accounts.length);
                        for (let j = 0; j < message.accounts.length; ++j)
                            object.accounts[j] = message.accounts[j];
                    }
                    return object;
                };

                SubscribeRequest.prototype.toJSON = function() {
                    return SubscribeRequest.toObject(this, $protobuf.util.toJSONOptions);
                };

                return SubscribeRequest;
            })();

            event.SubscribeResponse = (function() {

                const SubscribeResponse = function (properties) {
                    if (properties)
                        for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                            if (properties[keys[i]] != null && keys[i] !== "__proto__")
                                this[keys[i]] = properties[keys[i]];
                };

                SubscribeResponse.prototype.eventType = 0;
                SubscribeResponse.prototype.subscribeType = 0;
                SubscribeResponse.prototype.contentType = "";
                SubscribeResponse.prototype.payload = "";
                SubscribeResponse.prototype.requestId = "";
                SubscribeResponse.prototype.timestamp = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

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
                    if (message.eventType != null && $Object.hasOwnProperty.call(message, "eventType") && message.eventType !== 0)
                        writer.uint32(8).int32(message.eventType);
                    if (message.subscribeType != null && $Object.hasOwnProperty.call(message, "subscribeType") && message.subscribeType !== 0)
                        writer.uint32(16).uint32(message.subscribeType);
                    if (message.contentType != null && $Object.hasOwnProperty.call(message, "contentType") && message.contentType !== "")
                        writer.uint32(26).string(message.contentType);
                    if (message.payload != null && $Object.hasOwnProperty.call(message, "payload") && message.payload !== "")
                        writer.uint32(34).string(message.payload);
                    if (message.requestId != null && $Object.hasOwnProperty.call(message, "requestId") && message.requestId !== "")
                        writer.uint32(42).string(message.requestId);
                    if (message.timestamp != null && $Object.hasOwnProperty.call(message, "timestamp") && (typeof message.timestamp === "object" ? message.timestamp.low || message.timestamp.high : message.timestamp !== 0))
                        writer.uint32(48).int64(message.timestamp);
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
                    message = _target || new $root.grpc.trade.event.SubscribeResponse();
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
                                    message.eventType = value;
                                else
                                    delete message.eventType;
                                continue;
                            }
                        case 2: {
                                if (wireType !== 0)
                                    break;
                                if (value = reader.uint32())
                                    message.subscribeType = value;
                                else
                                    delete message.subscribeType;
                                continue;
                            }
                        case 3: {
                                if (wireType !== 2)
                                    break;
                                if ((value = reader.stringVerify()).length)
                                    message.contentType = value;
                                else
                                    delete message.contentType;
                                continue;
                            }
                        case 4: {
                                if (wireType !== 2)
                                    break;
                                if ((value = reader.stringVerify()).length)
                                    message.payload = value;
                                else
                                    delete message.payload;
                                continue;
                            }
                        case 5: {
                                if (wireType !== 2)
                                    break;
                                if ((value = reader.stringVerify()).length)
                                    message.requestId = value;
                                else
                                    delete message.requestId;
                                continue;
                            }
                        case 6: {
                                if (wireType !== 0)
                                    break;
                                if (typeof (value = reader.int64()) === "object" ? value.low || value.high : value !== 0)
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

                SubscribeResponse.verify = function (message, _depth) {
                    if (typeof message !== "object" || message === null)
                        return "object expected";
                    if (_depth === $undefined)
                        _depth = 0;
                    if (_depth > $util.recursionLimit)
                        return "max depth exceeded";
                    if (message.eventType != null && $Object.hasOwnProperty.call(message, "eventType"))
                        if (typeof message.eventType !== "number" || (message.eventType | 0) !== message.eventType)
                            return "eventType: enum value expected";
                    if (message.subscribeType != null && $Object.hasOwnProperty.call(message, "subscribeType"))
                        if (!$util.isInteger(message.subscribeType))
                            return "subscribeType: integer expected";
                    if (message.contentType != null && $Object.hasOwnProperty.call(message, "contentType"))
                        if (!$util.isString(message.contentType))
                            return "contentType: string expected";
                    if (message.payload != null && $Object.hasOwnProperty.call(message, "payload"))
                        if (!$util.isString(message.payload))
                            return "payload: string expected";
                    if (message.requestId != null && $Object.hasOwnProperty.call(message, "requestId"))
                        if (!$util.isString(message.requestId))
                            return "requestId: string expected";
                    if (message.timestamp != null && $Object.hasOwnProperty.call(message, "timestamp"))
                        if (!$util.isInteger(message.timestamp) && !(message.timestamp && $util.isInteger(message.timestamp.low) && $util.isInteger(message.timestamp.high)))
                            return "timestamp: integer|Long expected";
                    return null;
                };

                SubscribeResponse.fromObject = function (object, _depth) {
                    if (object instanceof $root.grpc.trade.event.SubscribeResponse)
                        return object;
                    if (!$util.isObject(object))
                        throw $TypeError(".grpc.trade.event.SubscribeResponse: object expected");
                    if (_depth === $undefined)
                        _depth = 0;
                    if (_depth > $util.recursionLimit)
                        throw $Error("max depth exceeded");
                    let message = new $root.grpc.trade.event.SubscribeResponse();
                    if (object.eventType !== 0 && (typeof object.eventType !== "string" || $root.grpc.trade.event.EventType[object.eventType] !== 0))
                        switch (object.eventType) {
                        case "SubscribeSuccess":
                        case 0:
                            message.eventType = 0;
                            break;
                        case "Ping":
                        case 1:
                            message.eventType = 1;
                            break;
                        case "AuthError":
                        case 2:
                            message.eventType = 2;
                            break;
                        case "NumOfConnExceed":
                        case 3:
                            message.eventType = 3;
                            break;
                        case "SubscribeExpired":
                        case 4:
                            message.eventType = 4;
                            break;
                        default:
                            if (typeof object.eventType === "number" && (object.eventType | 0) === object.eventType)
                                message.eventType = object.eventType;
                        }
                    if (object.subscribeType != null)
                        if ($Number(object.subscribeType) !== 0)
                            message.subscribeType = object.subscribeType >>> 0;
                    if (object.contentType != null)
                        if (typeof object.contentType !== "string" || object.contentType.length)
                            message.contentType = $String(object.contentType);
                    if (object.payload != null)
                        if (typeof object.payload !== "string" || object.payload.length)
                            message.payload = $String(object.payload);
                    if (object.requestId != null)
                        if (typeof object.requestId !== "string" || object.requestId.length)
                            message.requestId = $String(object.requestId);
                    if (object.timestamp != null)
                        if (typeof object.timestamp === "object" ? object.timestamp.low || object.timestamp.high : $Number(object.timestamp) !== 0)
                            if ($util.Long)
                                message.timestamp = $util.Long.fromValue(object.timestamp, false);
                            else if (typeof object.timestamp === "string")
                                message.timestamp = $parseInt(object.timestamp, 10);
                            else if (typeof object.timestamp === "number")
                                message.timestamp = object.timestamp;
                            else if (typeof object.timestamp === "object")
                                message.timestamp = new $util.LongBits(object.timestamp.low >>> 0, object.timestamp.high >>> 0).toNumber();
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
                        object.eventType = options.enums === $String ? "SubscribeSuccess" : 0;
                        object.subscribeType = 0;
                        object.contentType = "";
                        object.payload = "";
                        object.requestId = "";
                        if ($util.Long) {
                            let long = new $util.Long(0, 0, false);
                            object.timestamp = options.longs === $String ? long.toString() : options.longs === $Number ? long.toNumber() : typeof $BigInt !== "undefined" && options.longs === $BigInt ? long.toBigInt() : long;
                        } else
                            object.timestamp = options.longs === $String ? "0" : typeof $BigInt !== "undefined" && options.longs === $BigInt ? $BigInt("0") : 0;
                    }
                    if (message.eventType != null && $Object.hasOwnProperty.call(message, "eventType"))
                        object.eventType = options.enums === $String ? $root.grpc.trade.event.EventType[message.eventType] === $undefined ? message.eventType : $root.grpc.trade.event.EventType[message.eventType] : message.eventType;
                    if (message.subscribeType != null && $Object.hasOwnProperty.call(message, "subscribeType"))
                        object.subscribeType = message.subscribeType;
                    if (message.contentType != null && $Object.hasOwnProperty.call(message, "contentType"))
                        object.contentType = message.contentType;
                    if (message.payload != null && $Object.hasOwnProperty.call(message, "payload"))
                        object.payload = message.payload;
                    if (message.requestId != null && $Object.hasOwnProperty.call(message, "requestId"))
                        object.requestId = message.requestId;
                    if (message.timestamp != null && $Object.hasOwnProperty.call(message, "timestamp"))
                        if (typeof $BigInt !== "undefined" && options.longs === $BigInt)
                            object.timestamp = typeof message.timestamp === "number" ? $BigInt(message.timestamp) : $util.Long.fromBits(message.timestamp.low >>> 0, message.timestamp.high >>> 0, false).toBigInt();
                        else if (typeof message.timestamp === "number")
                            object.timestamp = options.longs === $String ? $String(message.timestamp) : message.timestamp;
                        else
                            object.timestamp = options.longs === $String ? $util.Long.prototype.toString.call(message.timestamp) : options.longs === $Number ? new $util.LongBits(message.timestamp.low >>> 0, message.timestamp.high >>> 0).toNumber() : message.timestamp;
                    return object;
                };

                SubscribeResponse.prototype.toJSON = function() {
                    return SubscribeResponse.toObject(this, $protobuf.util.toJSONOptions);
                };

                return SubscribeResponse;
            })();

            event.EventType = (function() {
                const valuesById = $Object.create(null), values = $Object.create(valuesById);
                values[valuesById[0] = "SubscribeSuccess"] = 0;
                values[valuesById[1] = "Ping"] = 1;
                values[valuesById[2] = "AuthError"] = 2;
                values[valuesById[3] = "NumOfConnExceed"] = 3;
                values[valuesById[4] = "SubscribeExpired"] = 4;
                return values;
            })();

            return event;
        })();

        return trade;
    })();

    return grpc;
})();

export {
  $root as default
};
