/*eslint-disable block-scoped-var, id-length, no-control-regex, no-magic-numbers, no-mixed-operators, no-prototype-builtins, no-redeclare, no-shadow, no-var, sort-vars, default-case, jsdoc/require-param*/
import $protobuf from "protobufjs/minimal.js";

const $Reader = $protobuf.Reader, $Writer = $protobuf.Writer, $util = $protobuf.util;
const $Object = $util.global.Object, $undefined = $util.global.undefined, $Error = $util.global.Error, $RangeError = $util.global.RangeError, $TypeError = $util.global.TypeError, $String = $util.global.String, $Array = $util.global.Array;

const $root = $protobuf.roots["brokerwire.quotes"] || ($protobuf.roots["brokerwire.quotes"] = {});

export const quotes = $root.quotes = (() => {

    const quotes = {};

    quotes.Basic = (function() {

        const Basic = function (properties) {
            if (properties)
                for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                    if (properties[keys[i]] != null && keys[i] !== "__proto__")
                        this[keys[i]] = properties[keys[i]];
        };

        Basic.prototype.symbol = "";
        Basic.prototype.instrumentId = "";
        Basic.prototype.timestamp = "";
        Basic.prototype.tradingSession = "";

        Basic.create = function(properties) {
            return new Basic(properties);
        };

        Basic.encode = function (message, writer, _depth) {
            if (!writer)
                writer = $Writer.create();
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            if (message.symbol != null && $Object.hasOwnProperty.call(message, "symbol") && message.symbol !== "")
                writer.uint32(10).string(message.symbol);
            if (message.instrumentId != null && $Object.hasOwnProperty.call(message, "instrumentId") && message.instrumentId !== "")
                writer.uint32(18).string(message.instrumentId);
            if (message.timestamp != null && $Object.hasOwnProperty.call(message, "timestamp") && message.timestamp !== "")
                writer.uint32(26).string(message.timestamp);
            if (message.tradingSession != null && $Object.hasOwnProperty.call(message, "tradingSession") && message.tradingSession !== "")
                writer.uint32(34).string(message.tradingSession);
            if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                for (let i = 0; i < message.$unknowns.length; ++i)
                    writer.raw(message.$unknowns[i]);
            return writer;
        };

        Basic.decode = function (reader, length, _end, _depth, _target) {
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
            message = _target || new $root.quotes.Basic();
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
                            message.symbol = value;
                        else
                            delete message.symbol;
                        continue;
                    }
                case 2: {
                        if (wireType !== 2)
                            break;
                        if ((value = reader.stringVerify()).length)
                            message.instrumentId = value;
                        else
                            delete message.instrumentId;
                        continue;
                    }
                case 3: {
                        if (wireType !== 2)
                            break;
                        if ((value = reader.stringVerify()).length)
                            message.timestamp = value;
                        else
                            delete message.timestamp;
                        continue;
                    }
                case 4: {
                        if (wireType !== 2)
                            break;
                        if ((value = reader.stringVerify()).length)
                            message.tradingSession = value;
                        else
                            delete message.tradingSession;
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

        Basic.verify = function (message, _depth) {
            if (typeof message !== "object" || message === null)
                return "object expected";
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                return "max depth exceeded";
            if (message.symbol != null && $Object.hasOwnProperty.call(message, "symbol"))
                if (!$util.isString(message.symbol))
                    return "symbol: string expected";
            if (message.instrumentId != null && $Object.hasOwnProperty.call(message, "instrumentId"))
                if (!$util.isString(message.instrumentId))
                    return "instrumentId: string expected";
            if (message.timestamp != null && $Object.hasOwnProperty.call(message, "timestamp"))
                if (!$util.isString(message.timestamp))
                    return "timestamp: string expected";
            if (message.tradingSession != null && $Object.hasOwnProperty.call(message, "tradingSession"))
                if (!$util.isString(message.tradingSession))
                    return "tradingSession: string expected";
            return null;
        };

        Basic.fromObject = function (object, _depth) {
            if (object instanceof $root.quotes.Basic)
                return object;
            if (!$util.isObject(object))
                throw $TypeError(".quotes.Basic: object expected");
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            let message = new $root.quotes.Basic();
            if (object.symbol != null)
                if (typeof object.symbol !== "string" || object.symbol.length)
                    message.symbol = $String(object.symbol);
            if (object.instrumentId != null)
                if (typeof object.instrumentId !== "string" || object.instrumentId.length)
                    message.instrumentId = $String(object.instrumentId);
            if (object.timestamp != null)
                if (typeof object.timestamp !== "string" || object.timestamp.length)
                    message.timestamp = $String(object.timestamp);
            if (object.tradingSession != null)
                if (typeof object.tradingSession !== "string" || object.tradingSession.length)
                    message.tradingSession = $String(object.tradingSession);
            return message;
        };

        Basic.toObject = function (message, options, _depth) {
            if (!options)
                options = {};
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            let object = {};
            if (options.defaults) {
                object.symbol = "";
                object.instrumentId = "";
                object.timestamp = "";
                object.tradingSession = "";
            }
            if (message.symbol != null && $Object.hasOwnProperty.call(message, "symbol"))
                object.symbol = message.symbol;
            if (message.instrumentId != null && $Object.hasOwnProperty.call(message, "instrumentId"))
                object.instrumentId = message.instrumentId;
            if (message.timestamp != null && $Object.hasOwnProperty.call(message, "timestamp"))
                object.timestamp = message.timestamp;
            if (message.tradingSession != null && $Object.hasOwnProperty.call(message, "tradingSession"))
                object.tradingSession = message.tradingSession;
            return object;
        };

        Basic.prototype.toJSON = function() {
            return Basic.toObject(this, $protobuf.util.toJSONOptions);
        };

        return Basic;
    })();

    quotes.Quote = (function() {

        const Quote = function (properties) {
            this.asks = [];
            this.bids = [];
            if (properties)
                for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                    if (properties[keys[i]] != null && keys[i] !== "__proto__")
                        this[keys[i]] = properties[keys[i]];
        };

        Quote.prototype.basic = null;
        Quote.prototype.asks = $util.emptyArray;
        Quote.prototype.bids = $util.emptyArray;

        Quote.create = function(properties) {
            return new Quote(properties);
        };

        Quote.encode = function (message, writer, _depth) {
            if (!writer)
                writer = $Writer.create();
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            if (message.basic != null && $Object.hasOwnProperty.call(message, "basic"))
                $root.quotes.Basic.encode(message.basic, writer.uint32(10).fork(), _depth + 1).ldelim();
            if (message.asks != null && message.asks.length)
                for (let i = 0; i < message.asks.length; ++i)
                    $root.quotes.AskBid.encode(message.asks[i], writer.uint32(18).fork(), _depth + 1).ldelim();
            if (message.bids != null && message.bids.length)
                for (let i = 0; i < message.bids.length; ++i)
                    $root.quotes.AskBid.encode(message.bids[i], writer.uint32(26).fork(), _depth + 1).ldelim();
            if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                for (let i = 0; i < message.$unknowns.length; ++i)
                    writer.raw(message.$unknowns[i]);
            return writer;
        };

        Quote.decode = function (reader, length, _end, _depth, _target) {
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
            message = _target || new $root.quotes.Quote();
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
                        message.basic = $root.quotes.Basic.decode(reader, reader.size(), $undefined, _depth + 1, message.basic);
                        continue;
                    }
                case 2: {
                        if (wireType !== 2)
                            break;
                        if (!(message.asks && message.asks.length))
                            message.asks = [];
                        message.asks.push($root.quotes.AskBid.decode(reader, reader.size(), $undefined, _depth + 1));
                        continue;
                    }
                case 3: {
                        if (wireType !== 2)
                            break;
                        if (!(message.bids && message.bids.length))
                            message.bids = [];
                        message.bids.push($root.quotes.AskBid.decode(reader, reader.size(), $undefined, _depth + 1));
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

        Quote.verify = function (message, _depth) {
            if (typeof message !== "object" || message === null)
                return "object expected";
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                return "max depth exceeded";
            if (message.basic != null && $Object.hasOwnProperty.call(message, "basic")) {
                let error = $root.quotes.Basic.verify(message.basic, _depth + 1);
                if (error)
                    return "basic." + error;
            }
            if (message.asks != null && $Object.hasOwnProperty.call(message, "asks")) {
                if (!$Array.isArray(message.asks))
                    return "asks: array expected";
                for (let i = 0; i < message.asks.length; ++i) {
                    let error = $root.quotes.AskBid.verify(message.asks[i], _depth + 1);
                    if (error)
                        return "asks." + error;
                }
            }
            if (message.bids != null && $Object.hasOwnProperty.call(message, "bids")) {
                if (!$Array.isArray(message.bids))
                    return "bids: array expected";
                for (let i = 0; i < message.bids.length; ++i) {
                    let error = $root.quotes.AskBid.verify(message.bids[i], _depth + 1);
                    if (error)
                        return "bids." + error;
                }
            }
            return null;
        };

        Quote.fromObject = function (object, _depth) {
            if (object instanceof $root.quotes.Quote)
                return object;
            if (!$util.isObject(object))
                throw $TypeError(".quotes.Quote: object expected");
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            let message = new $root.quotes.Quote();
            if (object.basic != null) {
                if (!$util.isObject(object.basic))
                    throw $TypeError(".quotes.Quote.basic: object expected");
                message.basic = $root.quotes.Basic.fromObject(object.basic, _depth + 1);
            }
            if (object.asks) {
                if (!$Array.isArray(object.asks))
                    throw $TypeError(".quotes.Quote.asks: array expected");
                message.asks = $Array(object.asks.length);
                for (let i = 0; i < object.asks.length; ++i) {
                    if (!$util.isObject(object.asks[i]))
                        throw $TypeError(".quotes.Quote.asks: object expected");
                    message.asks[i] = $root.quotes.AskBid.fromObject(object.asks[i], _depth + 1);
                }
            }
            if (object.bids) {
                if (!$Array.isArray(object.bids))
                    throw $TypeError(".quotes.Quote.bids: array expected");
                message.bids = $Array(object.bids.length);
                for (let i = 0; i < object.bids.length; ++i) {
                    if (!$util.isObject(object.bids[i]))
                        throw $TypeError(".quotes.Quote.bids: object expected");
                    message.bids[i] = $root.quotes.AskBid.fromObject(object.bids[i], _depth + 1);
                }
            }
            return message;
        };

        Quote.toObject = function (message, options, _depth) {
            if (!options)
                options = {};
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            let object = {};
            if (options.arrays || options.defaults) {
                object.asks = [];
                object.bids = [];
            }
            if (options.defaults)
                object.basic = null;
            if (message.basic != null && $Object.hasOwnProperty.call(message, "basic"))
                object.basic = $root.quotes.Basic.toObject(message.basic, options, _depth + 1);
            if (message.asks && message.asks.length) {
                object.asks = $Array(message.asks.length);
                for (let j = 0; j < message.asks.length; ++j)
                    object.asks[j] = $root.quotes.AskBid.toObject(message.asks[j], options, _depth + 1);
            }
            if (message.bids && message.bids.length) {
                object.bids = $Array(message.bids.length);
                for (let j = 0; j < message.bids.length; ++j)
                    object.bids[j] = $root.quotes.AskBid.toObject(message.bids[j], options, _depth + 1);
            }
            return object;
        };

        Quote.prototype.toJSON = function() {
            return Quote.toObject(this, $protobuf.util.toJSONOptions);
        };

        return Quote;
    })();

    quotes.AskBid = (function() {

        const AskBid = function (properties) {
            this.order = [];
            this.broker = [];
            if (properties)
                for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                    if (properties[keys[i]] != null && keys[i] !== "__proto__")
                        this[keys[i]] = properties[keys[i]];
        };

        AskBid.prototype.price = "";
        AskBid.prototype.size = "";
        AskBid.prototype.order = $util.emptyArray;
        AskBid.prototype.broker = $util.emptyArray;

        AskBid.create = function(properties) {
            return new AskBid(properties);
        };

        AskBid.encode = function (message, writer, _depth) {
            if (!writer)
                writer = $Writer.create();
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            if (message.price != null && $Object.hasOwnProperty.call(message, "price") && message.price !== "")
                writer.uint32(10).string(message.price);
            if (message.size != null && $Object.hasOwnProperty.call(message, "size") && message.size !== "")
                writer.uint32(18).string(message.size);
            if (message.order != null && message.order.length)
                for (let i = 0; i < message.order.length; ++i)
                    $root.quotes.Order.encode(message.order[i], writer.uint32(26).fork(), _depth + 1).ldelim();
            if (message.broker != null && message.broker.length)
                for (let i = 0; i < message.broker.length; ++i)
                    $root.quotes.Broker.encode(message.broker[i], writer.uint32(34).fork(), _depth + 1).ldelim();
            if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                for (let i = 0; i < message.$unknowns.length; ++i)
                    writer.raw(message.$unknowns[i]);
            return writer;
        };

        AskBid.decode = function (reader, length, _end, _depth, _target) {
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
            message = _target || new $root.quotes.AskBid();
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
                            message.price = value;
                        else
                            delete message.price;
                        continue;
                    }
                case 2: {
                        if (wireType !== 2)
                            break;
                        if ((value = reader.stringVerify()).length)
                            message.size = value;
                        else
                            delete message.size;
                        continue;
                    }
                case 3: {
                        if (wireType !== 2)
                            break;
                        if (!(message.order && message.order.length))
                            message.order = [];
                        message.order.push($root.quotes.Order.decode(reader, reader.size(), $undefined, _depth + 1));
                        continue;
                    }
                case 4: {
                        if (wireType !== 2)
                            break;
                        if (!(message.broker && message.broker.length))
                            message.broker = [];
                        message.broker.push($root.quotes.Broker.decode(reader, reader.size(), $undefined, _depth + 1));
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

        AskBid.verify = function (message, _depth) {
            if (typeof message !== "object" || message === null)
                return "object expected";
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                return "max depth exceeded";
            if (message.price != null && $Object.hasOwnProperty.call(message, "price"))
                if (!$util.isString(message.price))
                    return "price: string expected";
            if (message.size != null && $Object.hasOwnProperty.call(message, "size"))
                if (!$util.isString(message.size))
                    return "size: string expected";
            if (message.order != null && $Object.hasOwnProperty.call(message, "order")) {
                if (!$Array.isArray(message.order))
                    return "order: array expected";
                for (let i = 0; i < message.order.length; ++i) {
                    let error = $root.quotes.Order.verify(message.order[i], _depth + 1);
                    if (error)
                        return "order." + error;
                }
            }
            if (message.broker != null && $Object.hasOwnProperty.call(message, "broker")) {
                if (!$Array.isArray(message.broker))
                    return "broker: array expected";
                for (let i = 0; i < message.broker.length; ++i) {
                    let error = $root.quotes.Broker.verify(message.broker[i], _depth + 1);
                    if (error)
                        return "broker." + error;
                }
            }
            return null;
        };

        AskBid.fromObject = function (object, _depth) {
            if (object instanceof $root.quotes.AskBid)
                return object;
            if (!$util.isObject(object))
                throw $TypeError(".quotes.AskBid: object expected");
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            let message = new $root.quotes.AskBid();
            if (object.price != null)
                if (typeof object.price !== "string" || object.price.length)
                    message.price = $String(object.price);
            if (object.size != null)
                if (typeof object.size !== "string" || object.size.length)
                    message.size = $String(object.size);
            if (object.order) {
                if (!$Array.isArray(object.order))
                    throw $TypeError(".quotes.AskBid.order: array expected");
                message.order = $Array(object.order.length);
                for (let i = 0; i < object.order.length; ++i) {
                    if (!$util.isObject(object.order[i]))
                        throw $TypeError(".quotes.AskBid.order: object expected");
                    message.order[i] = $root.quotes.Order.fromObject(object.order[i], _depth + 1);
                }
            }
            if (object.broker) {
                if (!$Array.isArray(object.broker))
                    throw $TypeError(".quotes.AskBid.broker: array expected");
                message.broker = $Array(object.broker.length);
                for (let i = 0; i < object.broker.length; ++i) {
                    if (!$util.isObject(object.broker[i]))
                        throw $TypeError(".quotes.AskBid.broker: object expected");
                    message.broker[i] = $root.quotes.Broker.fromObject(object.broker[i], _depth + 1);
                }
            }
            return message;
        };

        AskBid.toObject = function (message, options, _depth) {
            if (!options)
                options = {};
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            let object = {};
            if (options.arrays || options.defaults) {
                object.order = [];
                object.broker = [];
            }
            if (options.defaults) {
                object.price = "";
                object.size = "";
            }
            if (message.price != null && $Object.hasOwnProperty.call(message, "price"))
                object.price = message.price;
            if (message.size != null && $Object.hasOwnProperty.call(message, "size"))
                object.size = message.size;
            if (message.order && message.order.length) {
                object.order = $Array(message.order.length);
                for (let j = 0; j < message.order.length; ++j)
                    object.order[j] = $root.quotes.Order.toObject(message.order[j], options, _depth + 1);
            }
            if (message.broker && message.broker.length) {
                object.broker = $Array(message.broker.length);
                for (let j = 0; j < message.broker.length; ++j)
                    object.broker[j] = $root.quotes.Broker.toObject(message.broker[j], options, _depth + 1);
            }
            return object;
        };

        AskBid.prototype.toJSON = function() {
            return AskBid.toObject(this, $protobuf.util.toJSONOptions);
        };

        return AskBid;
    })();

    quotes.Order = (function() {

        const Order = function (properties) {
            if (properties)
                for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                    if (properties[keys[i]] != null && keys[i] !== "__proto__")
                        this[keys[i]] = properties[keys[i]];
        };

        Order.prototype.mpid = "";
        Order.prototype.size = "";

        Order.create = function(properties) {
            return new Order(properties);
        };

        Order.encode = function (message, writer, _depth) {
            if (!writer)
                writer = $Writer.create();
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            if (message.mpid != null && $Object.hasOwnProperty.call(message, "mpid") && message.mpid !== "")
                writer.uint32(10).string(message.mpid);
            if (message.size != null && $Object.hasOwnProperty.call(message, "size") && message.size !== "")
                writer.uint32(18).string(message.size);
            if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                for (let i = 0; i < message.$unknowns.length; ++i)
                    writer.raw(message.$unknowns[i]);
            return writer;
        };

        Order.decode = function (reader, length, _end, _depth, _target) {
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
            message = _target || new $root.quotes.Order();
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
                            message.mpid = value;
                        else
                            delete message.mpid;
                        continue;
                    }
                case 2: {
                        if (wireType !== 2)
                            break;
                        if ((value = reader.stringVerify()).length)
                            message.size = value;
                        else
                            delete message.size;
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

        Order.verify = function (message, _depth) {
            if (typeof message !== "object" || message === null)
                return "object expected";
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                return "max depth exceeded";
            if (message.mpid != null && $Object.hasOwnProperty.call(message, "mpid"))
                if (!$util.isString(message.mpid))
                    return "mpid: string expected";
            if (message.size != null && $Object.hasOwnProperty.call(message, "size"))
                if (!$util.isString(message.size))
                    return "size: string expected";
            return null;
        };

        Order.fromObject = function (object, _depth) {
            if (object instanceof $root.quotes.Order)
                return object;
            if (!$util.isObject(object))
                throw $TypeError(".quotes.Order: object expected");
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            let message = new $root.quotes.Order();
            if (object.mpid != null)
                if (typeof object.mpid !== "string" || object.mpid.length)
                    message.mpid = $String(object.mpid);
            if (object.size != null)
                if (typeof object.size !== "string" || object.size.length)
                    message.size = $String(object.size);
            return message;
        };

        Order.toObject = function (message, options, _depth) {
            if (!options)
                options = {};
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            let object = {};
            if (options.defaults) {
                object.mpid = "";
                object.size = "";
            }
            if (message.mpid != null && $Object.hasOwnProperty.call(message, "mpid"))
                object.mpid = message.mpid;
            if (message.size != null && $Object.hasOwnProperty.call(message, "size"))
                object.size = message.size;
            return object;
        };

        Order.prototype.toJSON = function() {
            return Order.toObject(this, $protobuf.util.toJSONOptions);
        };

        return Order;
    })();

    quotes.Broker = (function() {

        const Broker = function (properties) {
            if (properties)
                for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                    if (properties[keys[i]] != null && keys[i] !== "__proto__")
                        this[keys[i]] = properties[keys[i]];
        };

        Broker.prototype.bid = "";
        Broker.prototype.name = "";

        Broker.create = function(properties) {
            return new Broker(properties);
        };

        Broker.encode = function (message, writer, _depth) {
            if (!writer)
                writer = $Writer.create();
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            if (message.bid != null && $Object.hasOwnProperty.call(message, "bid") && message.bid !== "")
                writer.uint32(10).string(message.bid);
            if (message.name != null && $Object.hasOwnProperty.call(message, "name") && message.name !== "")
                writer.uint32(18).string(message.name);
            if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                for (let i = 0; i < message.$unknowns.length; ++i)
                    writer.raw(message.$unknowns[i]);
            return writer;
        };

        Broker.decode = function (reader, length, _end, _depth, _target) {
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
            message = _target || new $root.quotes.Broker();
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
                            message.bid = value;
                        else
                            delete message.bid;
                        continue;
                    }
                case 2: {
                        if (wireType !== 2)
                            break;
                        if ((value = reader.stringVerify()).length)
                            message.name = value;
                        else
                            delete message.name;
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

        Broker.verify = function (message, _depth) {
            if (typeof message !== "object" || message === null)
                return "object expected";
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                return "max depth exceeded";
            if (message.bid != null && $Object.hasOwnProperty.call(message, "bid"))
                if (!$util.isString(message.bid))
                    return "bid: string expected";
            if (message.name != null && $Object.hasOwnProperty.call(message, "name"))
                if (!$util.isString(message.name))
                    return "name: string expected";
            return null;
        };

        Broker.fromObject = function (object, _depth) {
            if (object instanceof $root.quotes.Broker)
                return object;
            if (!$util.isObject(object))
                throw $TypeError(".quotes.Broker: object expected");
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            let message = new $root.quotes.Broker();
            if (object.bid != null)
                if (typeof object.bid !== "string" || object.bid.length)
                    message.bid = $String(object.bid);
            if (object.name != null)
                if (typeof object.name !== "string" || object.name.length)
                    message.name = $String(object.name);
            return message;
        };

        Broker.toObject = function (message, options, _depth) {
            if (!options)
                options = {};
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            let object = {};
            if (options.defaults) {
                object.bid = "";
                object.name = "";
            }
            if (message.bid != null && $Object.hasOwnProperty.call(message, "bid"))
                object.bid = message.bid;
            if (message.name != null && $Object.hasOwnProperty.call(message, "name"))
                object.name = message.name;
            return object;
        };

        Broker.prototype.toJSON = function() {
            return Broker.toObject(this, $protobuf.util.toJSONOptions);
        };

        return Broker;
    })();

    quotes.Snapshot = (function() {

        const Snapshot = function (properties) {
            if (properties)
                for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                    if (properties[keys[i]] != null && keys[i] !== "__proto__")
                        this[keys[i]] = properties[keys[i]];
        };

        Snapshot.prototype.basic = null;
        Snapshot.prototype.tradeTime = "";
        Snapshot.prototype.price = "";
        Snapshot.prototype.open = "";
        Snapshot.prototype.high = "";
        Snapshot.prototype.low = "";
        Snapshot.prototype.preClose = "";
        Snapshot.prototype.volume = "";
        Snapshot.prototype.change = "";
        Snapshot.prototype.changeRatio = "";
        Snapshot.prototype.extTradeTime = "";
        Snapshot.prototype.extPrice = "";
        Snapshot.prototype.extHigh = "";
        Snapshot.prototype.extLow = "";
        Snapshot.prototype.extVolume = "";
        Snapshot.prototype.extChange = "";
        Snapshot.prototype.extChangeRatio = "";
        Snapshot.prototype.ovnTradeTime = "";
        Snapshot.prototype.ovnPrice = "";
        Snapshot.prototype.ovnHigh = "";
        Snapshot.prototype.ovnLow = "";
        Snapshot.prototype.ovnVolume = "";
        Snapshot.prototype.ovnChange = "";
        Snapshot.prototype.ovnChangeRatio = "";

        Snapshot.create = function(properties) {
            return new Snapshot(properties);
        };

        Snapshot.encode = function (message, writer, _depth) {
            if (!writer)
                writer = $Writer.create();
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            if (message.basic != null && $Object.hasOwnProperty.call(message, "basic"))
                $root.quotes.Basic.encode(message.basic, writer.uint32(10).fork(), _depth + 1).ldelim();
            if (message.tradeTime != null && $Object.hasOwnProperty.call(message, "tradeTime") && message.tradeTime !== "")
                writer.uint32(18).string(message.tradeTime);
            if (message.price != null && $Object.hasOwnProperty.call(message, "price") && message.price !== "")
                writer.uint32(26).string(message.price);
            if (message.open != null && $Object.hasOwnProperty.call(message, "open") && message.open !== "")
                writer.uint32(34).string(message.open);
            if (message.high != null && $Object.hasOwnProperty.call(message, "high") && message.high !== "")
                writer.uint32(42).string(message.high);
            if (message.low != null && $Object.hasOwnProperty.call(message, "low") && message.low !== "")
                writer.uint32(50).string(message.low);
            if (message.preClose != null && $Object.hasOwnProperty.call(message, "preClose") && message.preClose !== "")
                writer.uint32(58).string(message.preClose);
            if (message.volume != null && $Object.hasOwnProperty.call(message, "volume") && message.volume !== "")
                writer.uint32(66).string(message.volume);
            if (message.change != null && $Object.hasOwnProperty.call(message, "change") && message.change !== "")
                writer.uint32(74).string(message.change);
            if (message.changeRatio != null && $Object.hasOwnProperty.call(message, "changeRatio") && message.changeRatio !== "")
                writer.uint32(82).string(message.changeRatio);
            if (message.extTradeTime != null && $Object.hasOwnProperty.call(message, "extTradeTime") && message.extTradeTime !== "")
                writer.uint32(90).string(message.extTradeTime);
            if (message.extPrice != null && $Object.hasOwnProperty.call(message, "extPrice") && message.extPrice !== "")
                writer.uint32(98).string(message.extPrice);
            if (message.extHigh != null && $Object.hasOwnProperty.call(message, "extHigh") && message.extHigh !== "")
                writer.uint32(106).string(message.extHigh);
            if (message.extLow != null && $Object.hasOwnProperty.call(message, "extLow") && message.extLow !== "")
                writer.uint32(114).string(message.extLow);
            if (message.extVolume != null && $Object.hasOwnProperty.call(message, "extVolume") && message.extVolume !== "")
                writer.uint32(122).string(message.extVolume);
            if (message.extChange != null && $Object.hasOwnProperty.call(message, "extChange") && message.extChange !== "")
                writer.uint32(130).string(message.extChange);
            if (message.extChangeRatio != null && $Object.hasOwnProperty.call(message, "extChangeRatio") && message.extChangeRatio !== "")
                writer.uint32(138).string(message.extChangeRatio);
            if (message.ovnTradeTime != null && $Object.hasOwnProperty.call(message, "ovnTradeTime") && message.ovnTradeTime !== "")
                writer.uint32(146).string(message.ovnTradeTime);
            if (message.ovnPrice != null && $Object.hasOwnProperty.call(message, "ovnPrice") && message.ovnPrice !== "")
                writer.uint32(154).string(message.ovnPrice);
            if (message.ovnHigh != null && $Object.hasOwnProperty.call(message, "ovnHigh") && message.ovnHigh !== "")
                writer.uint32(162).string(message.ovnHigh);
            if (message.ovnLow != null && $Object.hasOwnProperty.call(message, "ovnLow") && message.ovnLow !== "")
                writer.uint32(170).string(message.ovnLow);
            if (message.ovnVolume != null && $Object.hasOwnProperty.call(message, "ovnVolume") && message.ovnVolume !== "")
                writer.uint32(178).string(message.ovnVolume);
            if (message.ovnChange != null && $Object.hasOwnProperty.call(message, "ovnChange") && message.ovnChange !== "")
                writer.uint32(186).string(message.ovnChange);
            if (message.ovnChangeRatio != null && $Object.hasOwnProperty.call(message, "ovnChangeRatio") && message.ovnChangeRatio !== "")
                writer.uint32(194).string(message.ovnChangeRatio);
            if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                for (let i = 0; i < message.$unknowns.length; ++i)
                    writer.raw(message.$unknowns[i]);
            return writer;
        };

        Snapshot.decode = function (reader, length, _end, _depth, _target) {
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
            message = _target || new $root.quotes.Snapshot();
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
                        message.basic = $root.quotes.Basic.decode(reader, reader.size(), $undefined, _depth + 1, message.basic);
                        continue;
                    }
                case 2: {
                        if (wireType !== 2)
                            break;
                        if ((value = reader.stringVerify()).length)
                            message.tradeTime = value;
                        else
                            delete message.tradeTime;
                        continue;
                    }
                case 3: {
                        if (wireType !== 2)
                            break;
                        if ((value = reader.stringVerify()).length)
                            message.price = value;
                        else
                            delete message.price;
                        continue;
                    }
                case 4: {
                        if (wireType !== 2)
                            break;
                        if ((value = reader.stringVerify()).length)
                            message.open = value;
                        else
                            delete message.open;
                        continue;
                    }
                case 5: {
                        if (wireType !== 2)
                            break;
                        if ((value = reader.stringVerify()).length)
                            message.high = value;
                        else
                            delete message.high;
                        continue;
                    }
                case 6: {
                        if (wireType !== 2)
                            break;
                        if ((value = reader.stringVerify()).length)
                            message.low = value;
                        else
                            delete message.low;
                        continue;
                    }
                case 7: {
                        if (wireType !== 2)
                            break;
                        if ((value = reader.stringVerify()).length)
                            message.preClose = value;
                        else
                            delete message.preClose;
                        continue;
                    }
                case 8: {
                        if (wireType !== 2)
                            break;
                        if ((value = reader.stringVerify()).length)
                            message.volume = value;
                        else
                            delete message.volume;
                        continue;
                    }
                case 9: {
                        if (wireType !== 2)
                            break;
                        if ((value = reader.stringVerify()).length)
                            message.change = value;
                        else
                            delete message.change;
                        continue;
                    }
                case 10: {
                        if (wireType !== 2)
                            break;
                        if ((value = reader.stringVerify()).length)
                            message.changeRatio = value;
                        else
                            delete message.changeRatio;
                        continue;
                    }
                case 11: {
                        if (wireType !== 2)
                            break;
                        if ((value = reader.stringVerify()).length)
                            message.extTradeTime = value;
                        else
                            delete message.extTradeTime;
                        continue;
                    }
                case 12: {
                        if (wireType !== 2)
                            break;
                        if ((value = reader.stringVerify()).length)
                            message.extPrice = value;
                        else
                            delete message.extPrice;
                        continue;
                    }
                case 13: {
                        if (wireType !== 2)
                            break;
                        if ((value = reader.stringVerify()).length)
                            message.extHigh = value;
                        else
                            delete message.extHigh;
                        continue;
                    }
                case 14: {
                        if (wireType !== 2)
                            break;
                        if ((value = reader.stringVerify()).length)
                            message.extLow = value;
                        else
                            delete message.extLow;
                        continue;
                    }
                case 15: {
                        if (wireType !== 2)
                            break;
                        if ((value = reader.stringVerify()).length)
                            message.extVolume = value;
                        else
                            delete message.extVolume;
                        continue;
                    }
                case 16: {
                        if (wireType !== 2)
                            break;
                        if ((value = reader.stringVerify()).length)
                            message.extChange = value;
                        else
                            delete message.extChange;
                        continue;
                    }
                case 17: {
                        if (wireType !== 2)
                            break;
                        if ((value = reader.stringVerify()).length)
                            message.extChangeRatio = value;
                        else
                            delete message.extChangeRatio;
                        continue;
                    }
                case 18: {
                        if (wireType !== 2)
                            break;
                        if ((value = reader.stringVerify()).length)
                            message.ovnTradeTime = value;
                        else
                            delete message.ovnTradeTime;
                        continue;
                    }
                case 19: {
                        if (wireType !== 2)
                            break;
                        if ((value = reader.stringVerify()).length)
                            message.ovnPrice = value;
                        else
                            delete message.ovnPrice;
                        continue;
                    }
                case 20: {
                        if (wireType !== 2)
                            break;
                        if ((value = reader.stringVerify()).length)
                            message.ovnHigh = value;
                        else
                            delete message.ovnHigh;
                        continue;
                    }
                case 21: {
                        if (wireType !== 2)
                            break;
                        if ((value = reader.stringVerify()).length)
                            message.ovnLow = value;
                        else
                            delete message.ovnLow;
                        continue;
                    }
                case 22: {
                        if (wireType !== 2)
                            break;
                        if ((value = reader.stringVerify()).length)
                            message.ovnVolume = value;
                        else
                            delete message.ovnVolume;
                        continue;
                    }
                case 23: {
                        if (wireType !== 2)
                            break;
                        if ((value = reader.stringVerify()).length)
                            message.ovnChange = value;
                        else
                            delete message.ovnChange;
                        continue;
                    }
                case 24: {
                        if (wireType !== 2)
                            break;
                        if ((value = reader.stringVerify()).length)
                            message.ovnChangeRatio = value;
                        else
                            delete message.ovnChangeRatio;
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

        Snapshot.verify = function (message, _depth) {
            if (typeof message !== "object" || message === null)
                return "object expected";
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                return "max depth exceeded";
            if (message.basic != null && $Object.hasOwnProperty.call(message, "basic")) {
                let error = $root.quotes.Basic.verify(message.basic, _depth + 1);
                if (error)
                    return "basic." + error;
            }
            if (message.tradeTime != null && $Object.hasOwnProperty.call(message, "tradeTime"))
                if (!$util.isString(message.tradeTime))
                    return "tradeTime: string expected";
            if (message.price != null && $Object.hasOwnProperty.call(message, "price"))
                if (!$util.isString(message.price))
                    return "price: string expected";
            if (message.open != null && $Object.hasOwnProperty.call(message, "open"))
                if (!$util.isString(message.open))
                    return "open: string expected";
            if (message.high != null && $Object.hasOwnProperty.call(message, "high"))
                if (!$util.isString(message.high))
                    return "high: string expected";
            if (message.low != null && $Object.hasOwnProperty.call(message, "low"))
                if (!$util.isString(message.low))
                    return "low: string expected";
            if (message.preClose != null && $Object.hasOwnProperty.call(message, "preClose"))
                if (!$util.isString(message.preClose))
                    return "preClose: string expected";
            if (message.volume != null && $Object.hasOwnProperty.call(message, "volume"))
                if (!$util.isString(message.volume))
                    return "volume: string expected";
            if (message.change != null && $Object.hasOwnProperty.call(message, "change"))
                if (!$util.isString(message.change))
                    return "change: string expected";
            if (message.changeRatio != null && $Object.hasOwnProperty.call(message, "changeRatio"))
                if (!$util.isString(message.changeRatio))
                    return "changeRatio: string expected";
            if (message.extTradeTime != null && $Object.hasOwnProperty.call(message, "extTradeTime"))
                if (!$util.isString(message.extTradeTime))
                    return "extTradeTime: string expected";
            if (message.extPrice != null && $Object.hasOwnProperty.call(message, "extPrice"))
                if (!$util.isString(message.extPrice))
                    return "extPrice: string expected";
            if (message.extHigh != null && $Object.hasOwnProperty.call(message, "extHigh"))
                if (!$util.isString(message.extHigh))
                    return "extHigh: string expected";
            if (message.extLow != null && $Object.hasOwnProperty.call(message, "extLow"))
                if (!$util.isString(message.extLow))
                    return "extLow: string expected";
            if (message.extVolume != null && $Object.hasOwnProperty.call(message, "extVolume"))
                if (!$util.isString(message.extVolume))
                    return "extVolume: string expected";
            if (message.extChange != null && $Object.hasOwnProperty.call(message, "extChange"))
                if (!$util.isString(message.extChange))
                    return "extChange: string expected";
            if (message.extChangeRatio != null && $Object.hasOwnProperty.call(message, "extChangeRatio"))
                if (!$util.isString(message.extChangeRatio))
                    return "extChangeRatio: string expected";
            if (message.ovnTradeTime != null && $Object.hasOwnProperty.call(message, "ovnTradeTime"))
                if (!$util.isString(message.ovnTradeTime))
                    return "ovnTradeTime: string expected";
            if (message.ovnPrice != null && $Object.hasOwnProperty.call(message, "ovnPrice"))
                if (!$util.isString(message.ovnPrice))
                    return "ovnPrice: string expected";
            if (message.ovnHigh != null && $Object.hasOwnProperty.call(message, "ovnHigh"))
                if (!$util.isString(message.ovnHigh))
                    return "ovnHigh: string expected";
            if (message.ovnLow != null && $Object.hasOwnProperty.call(message, "ovnLow"))
                if (!$util.isString(message.ovnLow))
                    return "ovnLow: string expected";
            if (message.ovnVolume != null && $Object.hasOwnProperty.call(message, "ovnVolume"))
                if (!$util.isString(message.ovnVolume))
                    return "ovnVolume: string expected";
            if (message.ovnChange != null && $Object.hasOwnProperty.call(message, "ovnChange"))
                if (!$util.isString(message.ovnChange))
                    return "ovnChange: string expected";
            if (message.ovnChangeRatio != null && $Object.hasOwnProperty.call(message, "ovnChangeRatio"))
                if (!$util.isString(message.ovnChangeRatio))
                    return "ovnChangeRatio: string expected";
            return null;
        };

        Snapshot.fromObject = function (object, _depth) {
            if (object instanceof $root.quotes.Snapshot)
                return object;
            if (!$util.isObject(object))
                throw $TypeError(".quotes.Snapshot: object expected");
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            let message = new $root.quotes.Snapshot();
            if (object.basic != null) {
                if (!$util.isObject(object.basic))
                    throw $TypeError(".quotes.Snapshot.basic: object expected");
                message.basic = $root.quotes.Basic.fromObject(object.basic, _depth + 1);
            }
            if (object.tradeTime != null)
                if (typeof object.tradeTime !== "string" || object.tradeTime.length)
                    message.tradeTime = $String(object.tradeTime);
            if (object.price != null)
                if (typeof object.price !== "string" || object.price.length)
                    message.price = $String(object.price);
            if (object.open != null)
                if (typeof object.open !== "string" || object.open.length)
                    message.open = $String(object.open);
            if (object.high != null)
                if (typeof object.high !== "string" || object.high.length)
                    message.high = $String(object.high);
            if (object.low != null)
                if (typeof object.low !== "string" || object.low.length)
                    message.low = $String(object.low);
            if (object.preClose != null)
                if (typeof object.preClose !== "string" || object.preClose.length)
                    message.preClose = $String(object.preClose);
            if (object.volume != null)
                if (typeof object.volume !== "string" || object.volume.length)
                    message.volume = $String(object.volume);
            if (object.change != null)
                if (typeof object.change !== "string" || object.change.length)
                    message.change = $String(object.change);
            if (object.changeRatio != null)
                if (typeof object.changeRatio !== "string" || object.changeRatio.length)
                    message.changeRatio = $String(object.changeRatio);
            if (object.extTradeTime != null)
                if (typeof object.extTradeTime !== "string" || object.extTradeTime.length)
                    message.extTradeTime = $String(object.extTradeTime);
            if (object.extPrice != null)
                if (typeof object.extPrice !== "string" || object.extPrice.length)
                    message.extPrice = $String(object.extPrice);
            if (object.extHigh != null)
                if (typeof object.extHigh !== "string" || object.extHigh.length)
                    message.extHigh = $String(object.extHigh);
            if (object.extLow != null)
                if (typeof object.extLow !== "string" || object.extLow.length)
                    message.extLow = $String(object.extLow);
            if (object.extVolume != null)
                if (typeof object.extVolume !== "string" || object.extVolume.length)
                    message.extVolume = $String(object.extVolume);
            if (object.extChange != null)
                if (typeof object.extChange !== "string" || object.extChange.length)
                    message.extChange = $String(object.extChange);
            if (object.extChangeRatio != null)
                if (typeof object.extChangeRatio !== "string" || object.extChangeRatio.length)
                    message.extChangeRatio = $String(object.extChangeRatio);
            if (object.ovnTradeTime != null)
                if (typeof object.ovnTradeTime !== "string" || object.ovnTradeTime.length)
                    message.ovnTradeTime = $String(object.ovnTradeTime);
            if (object.ovnPrice != null)
                if (typeof object.ovnPrice !== "string" || object.ovnPrice.length)
                    message.ovnPrice = $String(object.ovnPrice);
            if (object.ovnHigh != null)
                if (typeof object.ovnHigh !== "string" || object.ovnHigh.length)
                    message.ovnHigh = $String(object.ovnHigh);
            if (object.ovnLow != null)
                if (typeof object.ovnLow !== "string" || object.ovnLow.length)
                    message.ovnLow = $String(object.ovnLow);
            if (object.ovnVolume != null)
                if (typeof object.ovnVolume !== "string" || object.ovnVolume.length)
                    message.ovnVolume = $String(object.ovnVolume);
            if (object.ovnChange != null)
                if (typeof object.ovnChange !== "string" || object.ovnChange.length)
                    message.ovnChange = $String(object.ovnChange);
            if (object.ovnChangeRatio != null)
                if (typeof object.ovnChangeRatio !== "string" || object.ovnChangeRatio.length)
                    message.ovnChangeRatio = $String(object.ovnChangeRatio);
            return message;
        };

        Snapshot.toObject = function (message, options, _depth) {
            if (!options)
                options = {};
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            let object = {};
            if (options.defaults) {
                object.basic = null;
                object.tradeTime = "";
                object.price = "";
                object.open = "";
                object.high = "";
                object.low = "";
                object.preClose = "";
                object.volume = "";
                object.change = "";
                object.changeRatio = "";
                object.extTradeTime = "";
                object.extPrice = "";
                object.extHigh = "";
                object.extLow = "";
                object.extVolume = "";
                object.extChange = "";
                object.extChangeRatio = "";
                object.ovnTradeTime = "";
                object.ovnPrice = "";
                object.ovnHigh = "";
                object.ovnLow = "";
                object.ovnVolume = "";
                object.ovnChange = "";
                object.ovnChangeRatio = "";
            }
            if (message.basic != null && $Object.hasOwnProperty.call(message, "basic"))
                object.basic = $root.quotes.Basic.toObject(message.basic, options, _depth + 1);
            if (message.tradeTime != null && $Object.hasOwnProperty.call(message, "tradeTime"))
                object.tradeTime = message.tradeTime;
            if (message.price != null && $Object.hasOwnProperty.call(message, "price"))
                object.price = message.price;
            if (message.open != null && $Object.hasOwnProperty.call(message, "open"))
                object.open = message.open;
            if (message.high != null && $Object.hasOwnProperty.call(message, "high"))
                object.high = message.high;
            if (message.low != null && $Object.hasOwnProperty.call(message, "low"))
                object.low = message.low;
            if (message.preClose != null && $Object.hasOwnProperty.call(message, "preClose"))
                object.preClose = message.preClose;
            if (message.volume != null && $Object.hasOwnProperty.call(message, "volume"))
                object.volume = message.volume;
            if (message.change != null && $Object.hasOwnProperty.call(message, "change"))
                object.change = message.change;
            if (message.changeRatio != null && $Object.hasOwnProperty.call(message, "changeRatio"))
                object.changeRatio = message.changeRatio;
            if (message.extTradeTime != null && $Object.hasOwnProperty.call(message, "extTradeTime"))
                object.extTradeTime = message.extTradeTime;
            if (message.extPrice != null && $Object.hasOwnProperty.call(message, "extPrice"))
                object.extPrice = message.extPrice;
            if (message.extHigh != null && $Object.hasOwnProperty.call(message, "extHigh"))
                object.extHigh = message.extHigh;
            if (message.extLow != null && $Object.hasOwnProperty.call(message, "extLow"))
                object.extLow = message.extLow;
            if (message.extVolume != null && $Object.hasOwnProperty.call(message, "extVolume"))
                object.extVolume = message.extVolume;
            if (message.extChange != null && $Object.hasOwnProperty.call(message, "extChange"))
                object.extChange = message.extChange;
            if (message.extChangeRatio != null && $Object.hasOwnProperty.call(message, "extChangeRatio"))
                object.extChangeRatio = message.extChangeRatio;
            if (message.ovnTradeTime != null && $Object.hasOwnProperty.call(message, "ovnTradeTime"))
                object.ovnTradeTime = message.ovnTradeTime;
            if (message.ovnPrice != null && $Object.hasOwnProperty.call(message, "ovnPrice"))
                object.ovnPrice = message.ovnPrice;
            if (message.ovnHigh != null && $Object.hasOwnProperty.call(message, "ovnHigh"))
                object.ovnHigh = message.ovnHigh;
            if (message.ovnLow != null && $Object.hasOwnProperty.call(message, "ovnLow"))
                object.ovnLow = message.ovnLow;
            if (message.ovnVolume != null && $Object.hasOwnProperty.call(message, "ovnVolume"))
                object.ovnVolume = message.ovnVolume;
            if (message.ovnChange != null && $Object.hasOwnProperty.call(message, "ovnChange"))
                object.ovnChange = message.ovnChange;
            if (message.ovnChangeRatio != null && $Object.hasOwnProperty.call(message, "ovnChangeRatio"))
                object.ovnChangeRatio = message.ovnChangeRatio;
            return object;
        };

        Snapshot.prototype.toJSON = function() {
            return Snapshot.toObject(this, $protobuf.util.toJSONOptions);
        };

        return Snapshot;
    })();

    quotes.Tick = (function() {

        const Tick = function (properties) {
            if (properties)
                for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                    if (properties[keys[i]] != null && keys[i] !== "__proto__")
                        this[keys[i]] = properties[keys[i]];
        };

        Tick.prototype.basic = null;
        Tick.prototype.time = "";
        Tick.prototype.price = "";
        Tick.prototype.volume = "";
        Tick.prototype.side = "";

        Tick.create = function(properties) {
            return new Tick(properties);
        };

        Tick.encode = function (message, writer, _depth) {
            if (!writer)
                writer = $Writer.create();
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            if (message.basic != null && $Object.hasOwnProperty.call(message, "basic"))
                $root.quotes.Basic.encode(message.basic, writer.uint32(10).fork(), _depth + 1).ldelim();
            if (message.time != null && $Object.hasOwnProperty.call(message, "time") && message.time !== "")
                writer.uint32(18).string(message.time);
            if (message.price != null && $Object.hasOwnProperty.call(message, "price") && message.price !== "")
                writer.uint32(26).string(message.price);
            if (message.volume != null && $Object.hasOwnProperty.call(message, "volume") && message.volume !== "")
                writer.uint32(34).string(message.volume);
            if (message.side != null && $Object.hasOwnProperty.call(message, "side") && message.side !== "")
                writer.uint32(42).string(message.side);
            if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                for (let i = 0; i < message.$unknowns.length; ++i)
                    writer.raw(message.$unknowns[i]);
            return writer;
        };

        Tick.decode = function (reader, length, _end, _depth, _target) {
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
            message = _target || new $root.quotes.Tick();
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
                        message.basic = $root.quotes.Basic.decode(reader, reader.size(), $undefined, _depth + 1, message.basic);
                        continue;
                    }
                case 2: {
                        if (wireType !== 2)
                            break;
                        if ((value = reader.stringVerify()).length)
                            message.time = value;
                        else
                            delete message.time;
                        continue;
                    }
                case 3: {
                        if (wireType !== 2)
                            break;
                        if ((value = reader.stringVerify()).length)
                            message.price = value;
                        else
                            delete message.price;
                        continue;
                    }
                case 4: {
                        if (wireType !== 2)
                            break;
                        if ((value = reader.stringVerify()).length)
                            message.volume = value;
                        else
                            delete message.volume;
                        continue;
                    }
                case 5: {
                        if (wireType !== 2)
                            break;
                        if ((value = reader.stringVerify()).length)
                            message.side = value;
                        else
                            delete message.side;
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

        Tick.verify = function (message, _depth) {
            if (typeof message !== "object" || message === null)
                return "object expected";
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                return "max depth exceeded";
            if (message.basic != null && $Object.hasOwnProperty.call(message, "basic")) {
                let error = $root.quotes.Basic.verify(message.basic, _depth + 1);
                if (error)
                    return "basic." + error;
            }
            if (message.time != null && $Object.hasOwnProperty.call(message, "time"))
                if (!$util.isString(message.time))
                    return "time: string expected";
            if (message.price != null && $Object.hasOwnProperty.call(message, "price"))
                if (!$util.isString(message.price))
                    return "price: string expected";
            if (message.volume != null && $Object.hasOwnProperty.call(message, "volume"))
                if (!$util.isString(message.volume))
                    return "volume: string expected";
            if (message.side != null && $Object.hasOwnProperty.call(message, "side"))
                if (!$util.isString(message.side))
                    return "side: string expected";
            return null;
        };

        Tick.fromObject = function (object, _depth) {
            if (object instanceof $root.quotes.Tick)
                return object;
            if (!$util.isObject(object))
                throw $TypeError(".quotes.Tick: object expected");
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            let message = new $root.quotes.Tick();
            if (object.basic != null) {
                if (!$util.isObject(object.basic))
                    throw $TypeError(".quotes.Tick.basic: object expected");
                message.basic = $root.quotes.Basic.fromObject(object.basic, _depth + 1);
            }
            if (object.time != null)
                if (typeof object.time !== "string" || object.time.length)
                    message.time = $String(object.time);
            if (object.price != null)
                if (typeof object.price !== "string" || object.price.length)
                    message.price = $String(object.price);
            if (object.volume != null)
                if (typeof object.volume !== "string" || object.volume.length)
                    message.volume = $String(object.volume);
            if (object.side != null)
                if (typeof object.side !== "string" || object.side.length)
                    message.side = $String(object.side);
            return message;
        };

        Tick.toObject = function (message, options, _depth) {
            if (!options)
                options = {};
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            let object = {};
            if (options.defaults) {
                object.basic = null;
                object.time = "";
                object.price = "";
                object.volume = "";
                object.side = "";
            }
            if (message.basic != null && $Object.hasOwnProperty.call(message, "basic"))
                object.basic = $root.quotes.Basic.toObject(message.basic, options, _depth + 1);
            if (message.time != null && $Object.hasOwnProperty.call(message, "time"))
                object.time = message.time;
            if (message.price != null && $Object.hasOwnProperty.call(message, "price"))
                object.price = message.price;
            if (message.volume != null && $Object.hasOwnProperty.call(message, "volume"))
                object.volume = message.volume;
            if (message.side != null && $Object.hasOwnProperty.call(message, "side"))
                object.side = message.side;
            return object;
        };

        Tick.prototype.toJSON = function() {
            return Tick.toObject(this, $protobuf.util.toJSONOptions);
        };

        return Tick;
    })();

    quotes.EventQuote = (function() {

        const EventQuote = function (properties) {
            this.yesBids = [];
            this.noBids = [];
            if (properties)
                for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                    if (properties[keys[i]] != null && keys[i] !== "__proto__")
                        this[keys[i]] = properties[keys[i]];
        };

        EventQuote.prototype.basic = null;
        EventQuote.prototype.yesBids = $util.emptyArray;
        EventQuote.prototype.noBids = $util.emptyArray;

        EventQuote.create = function(properties) {
            return new EventQuote(properties);
        };

        EventQuote.encode = function (message, writer, _depth) {
            if (!writer)
                writer = $Writer.create();
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            if (message.basic != null && $Object.hasOwnProperty.call(message, "basic"))
                $root.quotes.Basic.encode(message.basic, writer.uint32(10).fork(), _depth + 1).ldelim();
            if (message.yesBids != null && message.yesBids.length)
                for (let i = 0; i < message.yesBids.length; ++i)
                    $root.quotes.EventAskBid.encode(message.yesBids[i], writer.uint32(18).fork(), _depth + 1).ldelim();
            if (message.noBids != null && message.noBids.length)
                for (let i = 0; i < message.noBids.length; ++i)
                    $root.quotes.EventAskBid.encode(message.noBids[i], writer.uint32(26).fork(), _depth + 1).ldelim();
            if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                for (let i = 0; i < message.$unknowns.length; ++i)
                    writer.raw(message.$unknowns[i]);
            return writer;
        };

        EventQuote.decode = function (reader, length, _end, _depth, _target) {
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
            message = _target || new $root.quotes.EventQuote();
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
                        message.basic = $root.quotes.Basic.decode(reader, reader.size(), $undefined, _depth + 1, message.basic);
                        continue;
                    }
                case 2: {
                        if (wireType !== 2)
                            break;
                        if (!(message.yesBids && message.yesBids.length))
                            message.yesBids = [];
                        message.yesBids.push($root.quotes.EventAskBid.decode(reader, reader.size(), $undefined, _depth + 1));
                        continue;
                    }
                case 3: {
                        if (wireType !== 2)
                            break;
                        if (!(message.noBids && message.noBids.length))
                            message.noBids = [];
                        message.noBids.push($root.quotes.EventAskBid.decode(reader, reader.size(), $undefined, _depth + 1));
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

        EventQuote.verify = function (message, _depth) {
            if (typeof message !== "object" || message === null)
                return "object expected";
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                return "max depth exceeded";
            if (message.basic != null && $Object.hasOwnProperty.call(message, "basic")) {
                let error = $root.quotes.Basic.verify(message.basic, _depth + 1);
                if (error)
                    return "basic." + error;
            }
            if (message.yesBids != null && $Object.hasOwnProperty.call(message, "yesBids")) {
                if (!$Array.isArray(message.yesBids))
                    return "yesBids: array expected";
                for (let i = 0; i < message.yesBids.length; ++i) {
                    let error = $root.quotes.EventAskBid.verify(message.yesBids[i], _depth + 1);
                    if (error)
                        return "yesBids." + error;
                }
            }
            if (message.noBids != null && $Object.hasOwnProperty.call(message, "noBids")) {
                if (!$Array.isArray(message.noBids))
                    return "noBids: array expected";
                for (let i = 0; i < message.noBids.length; ++i) {
                    let error = $root.quotes.EventAskBid.verify(message.noBids[i], _depth + 1);
                    if (error)
                        return "noBids." + error;
                }
            }
            return null;
        };

        EventQuote.fromObject = function (object, _depth) {
            if (object instanceof $root.quotes.EventQuote)
                return object;
            if (!$util.isObject(object))
                throw $TypeError(".quotes.EventQuote: object expected");
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            let message = new $root.quotes.EventQuote();
            if (object.basic != null) {
                if (!$util.isObject(object.basic))
                    throw $TypeError(".quotes.EventQuote.basic: object expected");
                message.basic = $root.quotes.Basic.fromObject(object.basic, _depth + 1);
            }
            if (object.yesBids) {
                if (!$Array.isArray(object.yesBids))
                    throw $TypeError(".quotes.EventQuote.yesBids: array expected");
                message.yesBids = $Array(object.yesBids.length);
                for (let i = 0; i < object.yesBids.length; ++i) {
                    if (!$util.isObject(object.yesBids[i]))
                        throw $TypeError(".quotes.EventQuote.yesBids: object expected");
                    message.yesBids[i] = $root.quotes.EventAskBid.fromObject(object.yesBids[i], _depth + 1);
                }
            }
            if (object.noBids) {
                if (!$Array.isArray(object.noBids))
                    throw $TypeError(".quotes.EventQuote.noBids: array expected");
                message.noBids = $Array(object.noBids.length);
                for (let i = 0; i < object.noBids.length; ++i) {
                    if (!$util.isObject(object.noBids[i]))
                        throw $TypeError(".quotes.EventQuote.noBids: object expected");
                    message.noBids[i] = $root.quotes.EventAskBid.fromObject(object.noBids[i], _depth + 1);
                }
            }
            return message;
        };

        EventQuote.toObject = function (message, options, _depth) {
            if (!options)
                options = {};
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            let object = {};
            if (options.arrays || options.defaults) {
                object.yesBids = [];
                object.noBids = [];
            }
            if (options.defaults)
                object.basic = null;
            if (message.basic != null && $Object.hasOwnProperty.call(message, "basic"))
                object.basic = $root.quotes.Basic.toObject(message.basic, options, _depth + 1);
            if (message.yesBids && message.yesBids.length) {
                object.yesBids = $Array(message.yesBids.length);
                for (let j = 0; j < message.yesBids.length; ++j)
                    object.yesBids[j] = $root.quotes.EventAskBid.toObject(message.yesBids[j], options, _depth + 1);
            }
            if (message.noBids && message.noBids.length) {
                object.noBids = $Array(message.noBids.length);
                for (let j = 0; j < message.noBids.length; ++j)
                    object.noBids[j] = $root.quotes.EventAskBid.toObject(message.noBids[j], options, _depth + 1);
            }
            return object;
        };

        EventQuote.prototype.toJSON = function() {
            return EventQuote.toObject(this, $protobuf.util.toJSONOptions);
        };

        return EventQuote;
    })();

    quotes.EventAskBid = (function() {

        const EventAskBid = function (properties) {
            if (properties)
                for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                    if (properties[keys[i]] != null && keys[i] !== "__proto__")
                        this[keys[i]] = properties[keys[i]];
        };

        EventAskBid.prototype.price = "";
        EventAskBid.prototype.size = "";

        EventAskBid.create = function(properties) {
            return new EventAskBid(properties);
        };

        EventAskBid.encode = function (message, writer, _depth) {
            if (!writer)
                writer = $Writer.create();
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            if (message.price != null && $Object.hasOwnProperty.call(message, "price") && message.price !== "")
                writer.uint32(10).string(message.price);
            if (message.size != null && $Object.hasOwnProperty.call(message, "size") && message.size !== "")
                writer.uint32(18).string(message.size);
            if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                for (let i = 0; i < message.$unknowns.length; ++i)
                    writer.raw(message.$unknowns[i]);
            return writer;
        };

        EventAskBid.decode = function (reader, length, _end, _depth, _target) {
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
            message = _target || new $root.quotes.EventAskBid();
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
                            message.price = value;
                        else
                            delete message.price;
                        continue;
                    }
                case 2: {
                        if (wireType !== 2)
                            break;
                        if ((value = reader.stringVerify()).length)
                            message.size = value;
                        else
                            delete message.size;
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

        EventAskBid.verify = function (message, _depth) {
            if (typeof message !== "object" || message === null)
                return "object expected";
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                return "max depth exceeded";
            if (message.price != null && $Object.hasOwnProperty.call(message, "price"))
                if (!$util.isString(message.price))
                    return "price: string expected";
            if (message.size != null && $Object.hasOwnProperty.call(message, "size"))
                if (!$util.isString(message.size))
                    return "size: string expected";
            return null;
        };

        EventAskBid.fromObject = function (object, _depth) {
            if (object instanceof $root.quotes.EventAskBid)
                return object;
            if (!$util.isObject(object))
                throw $TypeError(".quotes.EventAskBid: object expected");
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            let message = new $root.quotes.EventAskBid();
            if (object.price != null)
                if (typeof object.price !== "string" || object.price.length)
                    message.price = $String(object.price);
            if (object.size != null)
                if (typeof object.size !== "string" || object.size.length)
                    message.size = $String(object.size);
            return message;
        };

        EventAskBid.toObject = function (message, options, _depth) {
            if (!options)
                options = {};
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            let object = {};
            if (options.defaults) {
                object.price = "";
                object.size = "";
            }
            if (message.price != null && $Object.hasOwnProperty.call(message, "price"))
                object.price = message.price;
            if (message.size != null && $Object.hasOwnProperty.call(message, "size"))
                object.size = message.size;
            return object;
        };

        EventAskBid.prototype.toJSON = function() {
            return EventAskBid.toObject(this, $protobuf.util.toJSONOptions);
        };

        return EventAskBid;
    })();

    quotes.EventSnapshot = (function() {

        const EventSnapshot = function (properties) {
            if (properties)
                for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                    if (properties[keys[i]] != null && keys[i] !== "__proto__")
                        this[keys[i]] = properties[keys[i]];
        };

        EventSnapshot.prototype.basic = null;
        EventSnapshot.prototype.price = "";
        EventSnapshot.prototype.volume = "";
        EventSnapshot.prototype.lastTradeTime = "";
        EventSnapshot.prototype.openInterest = "";
        EventSnapshot.prototype.yesAsk = "";
        EventSnapshot.prototype.yesBid = "";
        EventSnapshot.prototype.yesAskSize = "";
        EventSnapshot.prototype.yesBidSize = "";
        EventSnapshot.prototype.noAsk = "";
        EventSnapshot.prototype.noBid = "";
        EventSnapshot.prototype.noAskSize = "";
        EventSnapshot.prototype.noBidSize = "";

        EventSnapshot.create = function(properties) {
            return new EventSnapshot(properties);
        };

        EventSnapshot.encode = function (message, writer, _depth) {
            if (!writer)
                writer = $Writer.create();
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            if (message.basic != null && $Object.hasOwnProperty.call(message, "basic"))
                $root.quotes.Basic.encode(message.basic, writer.uint32(10).fork(), _depth + 1).ldelim();
            if (message.price != null && $Object.hasOwnProperty.call(message, "price") && message.price !== "")
                writer.uint32(18).string(message.price);
            if (message.volume != null && $Object.hasOwnProperty.call(message, "volume") && message.volume !== "")
                writer.uint32(26).string(message.volume);
            if (message.lastTradeTime != null && $Object.hasOwnProperty.call(message, "lastTradeTime") && message.lastTradeTime !== "")
                writer.uint32(34).string(message.lastTradeTime);
            if (message.openInterest != null && $Object.hasOwnProperty.call(message, "openInterest") && message.openInterest !== "")
                writer.uint32(42).string(message.openInterest);
            if (message.yesAsk != null && $Object.hasOwnProperty.call(message, "yesAsk") && message.yesAsk !== "")
                writer.uint32(50).string(message.yesAsk);
            if (message.yesBid != null && $Object.hasOwnProperty.call(message, "yesBid") && message.yesBid !== "")
                writer.uint32(58).string(message.yesBid);
            if (message.yesAskSize != null && $Object.hasOwnProperty.call(message, "yesAskSize") && message.yesAskSize !== "")
                writer.uint32(66).string(message.yesAskSize);
            if (message.yesBidSize != null && $Object.hasOwnProperty.call(message, "yesBidSize") && message.yesBidSize !== "")
                writer.uint32(74).string(message.yesBidSize);
            if (message.noAsk != null && $Object.hasOwnProperty.call(message, "noAsk") && message.noAsk !== "")
                writer.uint32(82).string(message.noAsk);
            if (message.noBid != null && $Object.hasOwnProperty.call(message, "noBid") && message.noBid !== "")
                writer.uint32(90).string(message.noBid);
            if (message.noAskSize != null && $Object.hasOwnProperty.call(message, "noAskSize") && message.noAskSize !== "")
                writer.uint32(98).string(message.noAskSize);
            if (message.noBidSize != null && $Object.hasOwnProperty.call(message, "noBidSize") && message.noBidSize !== "")
                writer.uint32(106).string(message.noBidSize);
            if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                for (let i = 0; i < message.$unknowns.length; ++i)
                    writer.raw(message.$unknowns[i]);
            return writer;
        };

        EventSnapshot.decode = function (reader, length, _end, _depth, _target) {
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
            message = _target || new $root.quotes.EventSnapshot();
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
                        message.basic = $root.quotes.Basic.decode(reader, reader.size(), $undefined, _depth + 1, message.basic);
                        continue;
                    }
                case 2: {
                        if (wireType !== 2)
                            break;
                        if ((value = reader.stringVerify()).length)
                            message.price = value;
                        else
                            delete message.price;
                        continue;
                    }
                case 3: {
                        if (wireType !== 2)
                            break;
                        if ((value = reader.stringVerify()).length)
                            message.volume = value;
                        else
                            delete message.volume;
                        continue;
                    }
                case 4: {
                        if (wireType !== 2)
                            break;
                        if ((value = reader.stringVerify()).length)
                            message.lastTradeTime = value;
                        else
                            delete message.lastTradeTime;
                        continue;
                    }
                case 5: {
                        if (wireType !== 2)
                            break;
                        if ((value = reader.stringVerify()).length)
                            message.openInterest = value;
                        else
                            delete message.openInterest;
                        continue;
                    }
                case 6: {
                        if (wireType !== 2)
                            break;
                        if ((value = reader.stringVerify()).length)
                            message.yesAsk = value;
                        else
                            delete message.yesAsk;
                        continue;
                    }
                case 7: {
                        if (wireType !== 2)
                            break;
                        if ((value = reader.stringVerify()).length)
                            message.yesBid = value;
                        else
                            delete message.yesBid;
                        continue;
                    }
                case 8: {
                        if (wireType !== 2)
                            break;
                        if ((value = reader.stringVerify()).length)
                            message.yesAskSize = value;
                        else
                            delete message.yesAskSize;
                        continue;
                    }
                case 9: {
                        if (wireType !== 2)
                            break;
                        if ((value = reader.stringVerify()).length)
                            message.yesBidSize = value;
                        else
                            delete message.yesBidSize;
                        continue;
                    }
                case 10: {
                        if (wireType !== 2)
                            break;
                        if ((value = reader.stringVerify()).length)
                            message.noAsk = value;
                        else
                            delete message.noAsk;
                        continue;
                    }
                case 11: {
                        if (wireType !== 2)
                            break;
                        if ((value = reader.stringVerify()).length)
                            message.noBid = value;
                        else
                            delete message.noBid;
                        continue;
                    }
                case 12: {
                        if (wireType !== 2)
                            break;
                        if ((value = reader.stringVerify()).length)
                            message.noAskSize = value;
                        else
                            delete message.noAskSize;
                        continue;
                    }
                case 13: {
                        if (wireType !== 2)
                            break;
                        if ((value = reader.stringVerify()).length)
                            message.noBidSize = value;
                        else
                            delete message.noBidSize;
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

        EventSnapshot.verify = function (message, _depth) {
            if (typeof message !== "object" || message === null)
                return "object expected";
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                return "max depth exceeded";
            if (message.basic != null && $Object.hasOwnProperty.call(message, "basic")) {
                let error = $root.quotes.Basic.verify(message.basic, _depth + 1);
                if (error)
                    return "basic." + error;
            }
            if (message.price != null && $Object.hasOwnProperty.call(message, "price"))
                if (!$util.isString(message.price))
                    return "price: string expected";
            if (message.volume != null && $Object.hasOwnProperty.call(message, "volume"))
                if (!$util.isString(message.volume))
                    return "volume: string expected";
            if (message.lastTradeTime != null && $Object.hasOwnProperty.call(message, "lastTradeTime"))
                if (!$util.isString(message.lastTradeTime))
                    return "lastTradeTime: string expected";
            if (message.openInterest != null && $Object.hasOwnProperty.call(message, "openInterest"))
                if (!$util.isString(message.openInterest))
                    return "openInterest: string expected";
            if (message.yesAsk != null && $Object.hasOwnProperty.call(message, "yesAsk"))
                if (!$util.isString(message.yesAsk))
                    return "yesAsk: string expected";
            if (message.yesBid != null && $Object.hasOwnProperty.call(message, "yesBid"))
                if (!$util.isString(message.yesBid))
                    return "yesBid: string expected";
            if (message.yesAskSize != null && $Object.hasOwnProperty.call(message, "yesAskSize"))
                if (!$util.isString(message.yesAskSize))
                    return "yesAskSize: string expected";
            if (message.yesBidSize != null && $Object.hasOwnProperty.call(message, "yesBidSize"))
                if (!$util.isString(message.yesBidSize))
                    return "yesBidSize: string expected";
            if (message.noAsk != null && $Object.hasOwnProperty.call(message, "noAsk"))
                if (!$util.isString(message.noAsk))
                    return "noAsk: string expected";
            if (message.noBid != null && $Object.hasOwnProperty.call(message, "noBid"))
                if (!$util.isString(message.noBid))
                    return "noBid: string expected";
            if (message.noAskSize != null && $Object.hasOwnProperty.call(message, "noAskSize"))
                if (!$util.isString(message.noAskSize))
                    return "noAskSize: string expected";
            if (message.noBidSize != null && $Object.hasOwnProperty.call(message, "noBidSize"))
                if (!$util.isString(message.noBidSize))
                    return "noBidSize: string expected";
            return null;
        };

        EventSnapshot.fromObject = function (object, _depth) {
            if (object instanceof $root.quotes.EventSnapshot)
                return object;
            if (!$util.isObject(object))
                throw $TypeError(".quotes.EventSnapshot: object expected");
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            let message = new $root.quotes.EventSnapshot();
            if (object.basic != null) {
                if (!$util.isObject(object.basic))
                    throw $TypeError(".quotes.EventSnapshot.basic: object expected");
                message.basic = $root.quotes.Basic.fromObject(object.basic, _depth + 1);
            }
            if (object.price != null)
                if (typeof object.price !== "string" || object.price.length)
                    message.price = $String(object.price);
            if (object.volume != null)
                if (typeof object.volume !== "string" || object.volume.length)
                    message.volume = $String(object.volume);
            if (object.lastTradeTime != null)
                if (typeof object.lastTradeTime !== "string" || object.lastTradeTime.length)
                    message.lastTradeTime = $String(object.lastTradeTime);
            if (object.openInterest != null)
                if (typeof object.openInterest !== "string" || object.openInterest.length)
                    message.openInterest = $String(object.openInterest);
            if (object.yesAsk != null)
                if (typeof object.yesAsk !== "string" || object.yesAsk.length)
                    message.yesAsk = $String(object.yesAsk);
            if (object.yesBid != null)
                if (typeof object.yesBid !== "string" || object.yesBid.length)
                    message.yesBid = $String(object.yesBid);
            if (object.yesAskSize != null)
                if (typeof object.yesAskSize !== "string" || object.yesAskSize.length)
                    message.yesAskSize = $String(object.yesAskSize);
            if (object.yesBidSize != null)
                if (typeof object.yesBidSize !== "string" || object.yesBidSize.length)
                    message.yesBidSize = $String(object.yesBidSize);
            if (object.noAsk != null)
                if (typeof object.noAsk !== "string" || object.noAsk.length)
                    message.noAsk = $String(object.noAsk);
            if (object.noBid != null)
                if (typeof object.noBid !== "string" || object.noBid.length)
                    message.noBid = $String(object.noBid);
            if (object.noAskSize != null)
                if (typeof object.noAskSize !== "string" || object.noAskSize.length)
                    message.noAskSize = $String(object.noAskSize);
            if (object.noBidSize != null)
                if (typeof object.noBidSize !== "string" || object.noBidSize.length)
                    message.noBidSize = $String(object.noBidSize);
            return message;
        };

        EventSnapshot.toObject = function (message, options, _depth) {
            if (!options)
                options = {};
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            let object = {};
            if (options.defaults) {
                object.basic = null;
                object.price = "";
                object.volume = "";
                object.lastTradeTime = "";
                object.openInterest = "";
                object.yesAsk = "";
                object.yesBid = "";
                object.yesAskSize = "";
                object.yesBidSize = "";
                object.noAsk = "";
                object.noBid = "";
                object.noAskSize = "";
                object.noBidSize = "";
            }
            if (message.basic != null && $Object.hasOwnProperty.call(message, "basic"))
                object.basic = $root.quotes.Basic.toObject(message.basic, options, _depth + 1);
            if (message.price != null && $Object.hasOwnProperty.call(message, "price"))
                object.price = message.price;
            if (message.volume != null && $Object.hasOwnProperty.call(message, "volume"))
                object.volume = message.volume;
            if (message.lastTradeTime != null && $Object.hasOwnProperty.call(message, "lastTradeTime"))
                object.lastTradeTime = message.lastTradeTime;
            if (message.openInterest != null && $Object.hasOwnProperty.call(message, "openInterest"))
                object.openInterest = message.openInterest;
            if (message.yesAsk != null && $Object.hasOwnProperty.call(message, "yesAsk"))
                object.yesAsk = message.yesAsk;
            if (message.yesBid != null && $Object.hasOwnProperty.call(message, "yesBid"))
                object.yesBid = message.yesBid;
            if (message.yesAskSize != null && $Object.hasOwnProperty.call(message, "yesAskSize"))
                object.yesAskSize = message.yesAskSize;
            if (message.yesBidSize != null && $Object.hasOwnProperty.call(message, "yesBidSize"))
                object.yesBidSize = message.yesBidSize;
            if (message.noAsk != null && $Object.hasOwnProperty.call(message, "noAsk"))
                object.noAsk = message.noAsk;
            if (message.noBid != null && $Object.hasOwnProperty.call(message, "noBid"))
                object.noBid = message.noBid;
            if (message.noAskSize != null && $Object.hasOwnProperty.call(message, "noAskSize"))
                object.noAskSize = message.noAskSize;
            if (message.noBidSize != null && $Object.hasOwnProperty.call(message, "noBidSize"))
                object.noBidSize = message.noBidSize;
            return object;
        };

        EventSnapshot.prototype.toJSON = function() {
            return EventSnapshot.toObject(this, $protobuf.util.toJSONOptions);
        };

        return EventSnapshot;
    })();

    quotes.EventTick = (function() {

        const EventTick = function (properties) {
            if (properties)
                for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                    if (properties[keys[i]] != null && keys[i] !== "__proto__")
                        this[keys[i]] = properties[keys[i]];
        };

        EventTick.prototype.basic = null;
        EventTick.prototype.yesPrice = "";
        EventTick.prototype.noPrice = "";
        EventTick.prototype.volume = "";
        EventTick.prototype.side = "";
        EventTick.prototype.tradeId = "";
        EventTick.prototype.time = "";

        EventTick.create = function(properties) {
            return new EventTick(properties);
        };

        EventTick.encode = function (message, writer, _depth) {
            if (!writer)
                writer = $Writer.create();
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            if (message.basic != null && $Object.hasOwnProperty.call(message, "basic"))
                $root.quotes.Basic.encode(message.basic, writer.uint32(10).fork(), _depth + 1).ldelim();
            if (message.yesPrice != null && $Object.hasOwnProperty.call(message, "yesPrice") && message.yesPrice !== "")
                writer.uint32(18).string(message.yesPrice);
            if (message.noPrice != null && $Object.hasOwnProperty.call(message, "noPrice") && message.noPrice !== "")
                writer.uint32(26).string(message.noPrice);
            if (message.volume != null && $Object.hasOwnProperty.call(message, "volume") && message.volume !== "")
                writer.uint32(34).string(message.volume);
            if (message.side != null && $Object.hasOwnProperty.call(message, "side") && message.side !== "")
                writer.uint32(42).string(message.side);
            if (message.tradeId != null && $Object.hasOwnProperty.call(message, "tradeId") && message.tradeId !== "")
                writer.uint32(50).string(message.tradeId);
            if (message.time != null && $Object.hasOwnProperty.call(message, "time") && message.time !== "")
                writer.uint32(58).string(message.time);
            if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                for (let i = 0; i < message.$unknowns.length; ++i)
                    writer.raw(message.$unknowns[i]);
            return writer;
        };

        EventTick.decode = function (reader, length, _end, _depth, _target) {
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
            message = _target || new $root.quotes.EventTick();
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
                        message.basic = $root.quotes.Basic.decode(reader, reader.size(), $undefined, _depth + 1, message.basic);
                        continue;
                    }
                case 2: {
                        if (wireType !== 2)
                            break;
                        if ((value = reader.stringVerify()).length)
                            message.yesPrice = value;
                        else
                            delete message.yesPrice;
                        continue;
                    }
                case 3: {
                        if (wireType !== 2)
                            break;
                        if ((value = reader.stringVerify()).length)
                            message.noPrice = value;
                        else
                            delete message.noPrice;
                        continue;
                    }
                case 4: {
                        if (wireType !== 2)
                            break;
                        if ((value = reader.stringVerify()).length)
                            message.volume = value;
                        else
                            delete message.volume;
                        continue;
                    }
                case 5: {
                        if (wireType !== 2)
                            break;
                        if ((value = reader.stringVerify()).length)
                            message.side = value;
                        else
                            delete message.side;
                        continue;
                    }
                case 6: {
                        if (wireType !== 2)
                            break;
                        if ((value = reader.stringVerify()).length)
                            message.tradeId = value;
                        else
                            delete message.tradeId;
                        continue;
                    }
                case 7: {
                        if (wireType !== 2)
                            break;
                        if ((value = reader.stringVerify()).length)
                            message.time = value;
                        else
                            delete message.time;
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

        EventTick.verify = function (message, _depth) {
            if (typeof message !== "object" || message === null)
                return "object expected";
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                return "max depth exceeded";
            if (message.basic != null && $Object.hasOwnProperty.call(message, "basic")) {
                let error = $root.quotes.Basic.verify(message.basic, _depth + 1);
                if (error)
                    return "basic." + error;
            }
            if (message.yesPrice != null && $Object.hasOwnProperty.call(message, "yesPrice"))
                if (!$util.isString(message.yesPrice))
                    return "yesPrice: string expected";
            if (message.noPrice != null && $Object.hasOwnProperty.call(message, "noPrice"))
                if (!$util.isString(message.noPrice))
                    return "noPrice: string expected";
            if (message.volume != null && $Object.hasOwnProperty.call(message, "volume"))
                if (!$util.isString(message.volume))
                    return "volume: string expected";
            if (message.side != null && $Object.hasOwnProperty.call(message, "side"))
                if (!$util.isString(message.side))
                    return "side: string expected";
            if (message.tradeId != null && $Object.hasOwnProperty.call(message, "tradeId"))
                if (!$util.isString(message.tradeId))
                    return "tradeId: string expected";
            if (message.time != null && $Object.hasOwnProperty.call(message, "time"))
                if (!$util.isString(message.time))
                    return "time: string expected";
            return null;
        };

        EventTick.fromObject = function (object, _depth) {
            if (object instanceof $root.quotes.EventTick)
                return object;
            if (!$util.isObject(object))
                throw $TypeError(".quotes.EventTick: object expected");
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            let message = new $root.quotes.EventTick();
            if (object.basic != null) {
                if (!$util.isObject(object.basic))
                    throw $TypeError(".quotes.EventTick.basic: object expected");
                message.basic = $root.quotes.Basic.fromObject(object.basic, _depth + 1);
            }
            if (object.yesPrice != null)
                if (typeof object.yesPrice !== "string" || object.yesPrice.length)
                    message.yesPrice = $String(object.yesPrice);
            if (object.noPrice != null)
                if (typeof object.noPrice !== "string" || object.noPrice.length)
                    message.noPrice = $String(object.noPrice);
            if (object.volume != null)
                if (typeof object.volume !== "string" || object.volume.length)
                    message.volume = $String(object.volume);
            if (object.side != null)
                if (typeof object.side !== "string" || object.side.length)
                    message.side = $String(object.side);
            if (object.tradeId != null)
                if (typeof object.tradeId !== "string" || object.tradeId.length)
                    message.tradeId = $String(object.tradeId);
            if (object.time != null)
                if (typeof object.time !== "string" || object.time.length)
                    message.time = $String(object.time);
            return message;
        };

        EventTick.toObject = function (message, options, _depth) {
            if (!options)
                options = {};
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            let object = {};
            if (options.defaults) {
                object.basic = null;
                object.yesPrice = "";
                object.noPrice = "";
                object.volume = "";
                object.side = "";
                object.tradeId = "";
                object.time = "";
            }
            if (message.basic != null && $Object.hasOwnProperty.call(message, "basic"))
                object.basic = $root.quotes.Basic.toObject(message.basic, options, _depth + 1);
            if (message.yesPrice != null && $Object.hasOwnProperty.call(message, "yesPrice"))
                object.yesPrice = message.yesPrice;
            if (message.noPrice != null && $Object.hasOwnProperty.call(message, "noPrice"))
                object.noPrice = message.noPrice;
            if (message.volume != null && $Object.hasOwnProperty.call(message, "volume"))
                object.volume = message.volume;
            if (message.side != null && $Object.hasOwnProperty.call(message, "side"))
                object.side = message.side;
            if (message.tradeId != null && $Object.hasOwnProperty.call(message, "tradeId"))
                object.tradeId = message.tradeId;
            if (message.time != null && $Object.hasOwnProperty.call(message, "time"))
                object.time = message.time;
            return object;
        };

        EventTick.prototype.toJSON = function() {
            return EventTick.toObject(this, $protobuf.util.toJSONOptions);
        };

        return EventTick;
    })();

    return quotes;
})();

export {
  $root as default
};
