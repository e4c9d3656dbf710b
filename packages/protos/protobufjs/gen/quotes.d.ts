import * as $protobuf from "protobufjs/minimal.js";

/** Namespace quotes. */
export namespace quotes {

    /**
     * Properties of a Basic.
     * @deprecated Use quotes.Basic.$Properties instead.
     */
    interface IBasic extends quotes.Basic.$Properties {
    }

    /** Represents a Basic. */
    class Basic {

        /**
         * Constructs a new Basic.
         * @param [properties] Properties to set
         */
        constructor(properties?: quotes.Basic.$Properties);

        /** Unknown fields preserved while decoding when enabled */
        $unknowns?: Uint8Array[];

        /** Basic symbol. */
        symbol: string;

        /** Basic instrumentId. */
        instrumentId: string;

        /** Basic timestamp. */
        timestamp: string;

        /** Basic tradingSession. */
        tradingSession: string;

        /**
         * Creates a new Basic instance using the specified properties.
         * @param [properties] Properties to set
         * @returns Basic instance
         */
        static create(properties: quotes.Basic.$Shape): quotes.Basic & quotes.Basic.$Shape;
        static create(properties?: quotes.Basic.$Properties): quotes.Basic;

        /**
         * Encodes the specified Basic message. Does not implicitly {@link quotes.Basic.verify|verify} messages.
         * @param message Basic message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: quotes.Basic.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes a Basic message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {quotes.Basic & quotes.Basic.$Shape} Basic
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): quotes.Basic & quotes.Basic.$Shape;

        /**
         * Verifies a Basic message.
         * @param message Plain object to verify
         * @returns `null` if valid, otherwise the reason why it is not
         */
        static verify(message: { [k: string]: any }): (string|null);

        /**
         * Creates a Basic message from a plain object. Also converts values to their respective internal types.
         * @param object Plain object
         * @returns Basic
         */
        static fromObject(object: { [k: string]: any }): quotes.Basic;

        /**
         * Creates a plain object from a Basic message. Also converts values to other types if specified.
         * @param message Basic
         * @param [options] Conversion options
         * @returns Plain object
         */
        static toObject(message: quotes.Basic, options?: $protobuf.IConversionOptions): { [k: string]: any };

        /**
         * Converts this Basic to JSON.
         * @returns JSON object
         */
        toJSON(): { [k: string]: any };
    }

    namespace Basic {

        /** Properties of a Basic. */
        interface $Properties {

            /** Basic symbol */
            symbol?: (string|null);

            /** Basic instrumentId */
            instrumentId?: (string|null);

            /** Basic timestamp */
            timestamp?: (string|null);

            /** Basic tradingSession */
            tradingSession?: (string|null);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];
        }

        /** Shape of a Basic. */
        type $Shape = quotes.Basic.$Properties;
    }

    /**
     * Properties of a Quote.
     * @deprecated Use quotes.Quote.$Properties instead.
     */
    interface IQuote extends quotes.Quote.$Properties {
    }

    /** Represents a Quote. */
    class Quote {

        /**
         * Constructs a new Quote.
         * @param [properties] Properties to set
         */
        constructor(properties?: quotes.Quote.$Properties);

        /** Unknown fields preserved while decoding when enabled */
        $unknowns?: Uint8Array[];

        /** Quote basic. */
        basic?: (quotes.Basic.$Properties|null);

        /** Quote asks. */
        asks: quotes.AskBid.$Properties[];

        /** Quote bids. */
        bids: quotes.AskBid.$Properties[];

        /**
         * Creates a new Quote instance using the specified properties.
         * @param [properties] Properties to set
         * @returns Quote instance
         */
        static create(properties: quotes.Quote.$Shape): quotes.Quote & quotes.Quote.$Shape;
        static create(properties?: quotes.Quote.$Properties): quotes.Quote;

        /**
         * Encodes the specified Quote message. Does not implicitly {@link quotes.Quote.verify|verify} messages.
         * @param message Quote message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: quotes.Quote.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes a Quote message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {quotes.Quote & quotes.Quote.$Shape} Quote
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): quotes.Quote & quotes.Quote.$Shape;

        /**
         * Verifies a Quote message.
         * @param message Plain object to verify
         * @returns `null` if valid, otherwise the reason why it is not
         */
        static verify(message: { [k: string]: any }): (string|null);

        /**
         * Creates a Quote message from a plain object. Also converts values to their respective internal types.
         * @param object Plain object
         * @returns Quote
         */
        static fromObject(object: { [k: string]: any }): quotes.Quote;

        /**
         * Creates a plain object from a Quote message. Also converts values to other types if specified.
         * @param message Quote
         * @param [options] Conversion options
         * @returns Plain object
         */
        static toObject(message: quotes.Quote, options?: $protobuf.IConversionOptions): { [k: string]: any };

        /**
         * Converts this Quote to JSON.
         * @returns JSON object
         */
        toJSON(): { [k: string]: any };
    }

    namespace Quote {

        /** Properties of a Quote. */
        interface $Properties {

            /** Quote basic */
            basic?: (quotes.Basic.$Properties|null);

            /** Quote asks */
            asks?: (quotes.AskBid.$Properties[]|null);

            /** Quote bids */
            bids?: (quotes.AskBid.$Properties[]|null);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];
        }

        /** Shape of a Quote. */
        type $Shape = quotes.Quote.$Properties;
    }

    /**
     * Properties of an AskBid.
     * @deprecated Use quotes.AskBid.$Properties instead.
     */
    interface IAskBid extends quotes.AskBid.$Properties {
    }

    /** Represents an AskBid. */
    class AskBid {

        /**
         * Constructs a new AskBid.
         * @param [properties] Properties to set
         */
        constructor(properties?: quotes.AskBid.$Properties);

        /** Unknown fields preserved while decoding when enabled */
        $unknowns?: Uint8Array[];

        /** AskBid price. */
        price: string;

        /** AskBid size. */
        size: string;

        /** AskBid order. */
        order: quotes.Order.$Properties[];

        /** AskBid broker. */
        broker: quotes.Broker.$Properties[];

        /**
         * Creates a new AskBid instance using the specified properties.
         * @param [properties] Properties to set
         * @returns AskBid instance
         */
        static create(properties: quotes.AskBid.$Shape): quotes.AskBid & quotes.AskBid.$Shape;
        static create(properties?: quotes.AskBid.$Properties): quotes.AskBid;

        /**
         * Encodes the specified AskBid message. Does not implicitly {@link quotes.AskBid.verify|verify} messages.
         * @param message AskBid message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: quotes.AskBid.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes an AskBid message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {quotes.AskBid & quotes.AskBid.$Shape} AskBid
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): quotes.AskBid & quotes.AskBid.$Shape;

        /**
         * Verifies an AskBid message.
         * @param message Plain object to verify
         * @returns `null` if valid, otherwise the reason why it is not
         */
        static verify(message: { [k: string]: any }): (string|null);

        /**
         * Creates an AskBid message from a plain object. Also converts values to their respective internal types.
         * @param object Plain object
         * @returns AskBid
         */
        static fromObject(object: { [k: string]: any }): quotes.AskBid;

        /**
         * Creates a plain object from an AskBid message. Also converts values to other types if specified.
         * @param message AskBid
         * @param [options] Conversion options
         * @returns Plain object
         */
        static toObject(message: quotes.AskBid, options?: $protobuf.IConversionOptions): { [k: string]: any };

        /**
         * Converts this AskBid to JSON.
         * @returns JSON object
         */
        toJSON(): { [k: string]: any };
    }

    namespace AskBid {

        /** Properties of an AskBid. */
        interface $Properties {

            /** AskBid price */
            price?: (string|null);

            /** AskBid size */
            size?: (string|null);

            /** AskBid order */
            order?: (quotes.Order.$Properties[]|null);

            /** AskBid broker */
            broker?: (quotes.Broker.$Properties[]|null);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];
        }

        /** Shape of an AskBid. */
        type $Shape = quotes.AskBid.$Properties;
    }

    /**
     * Properties of an Order.
     * @deprecated Use quotes.Order.$Properties instead.
     */
    interface IOrder extends quotes.Order.$Properties {
    }

    /** Represents an Order. */
    class Order {

        /**
         * Constructs a new Order.
         * @param [properties] Properties to set
         */
        constructor(properties?: quotes.Order.$Properties);

        /** Unknown fields preserved while decoding when enabled */
        $unknowns?: Uint8Array[];

        /** Order mpid. */
        mpid: string;

        /** Order size. */
        size: string;

        /**
         * Creates a new Order instance using the specified properties.
         * @param [properties] Properties to set
         * @returns Order instance
         */
        static create(properties: quotes.Order.$Shape): quotes.Order & quotes.Order.$Shape;
        static create(properties?: quotes.Order.$Properties): quotes.Order;

        /**
         * Encodes the specified Order message. Does not implicitly {@link quotes.Order.verify|verify} messages.
         * @param message Order message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: quotes.Order.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes an Order message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {quotes.Order & quotes.Order.$Shape} Order
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): quotes.Order & quotes.Order.$Shape;

        /**
         * Verifies an Order message.
         * @param message Plain object to verify
         * @returns `null` if valid, otherwise the reason why it is not
         */
        static verify(message: { [k: string]: any }): (string|null);

        /**
         * Creates an Order message from a plain object. Also converts values to their respective internal types.
         * @param object Plain object
         * @returns Order
         */
        static fromObject(object: { [k: string]: any }): quotes.Order;

        /**
         * Creates a plain object from an Order message. Also converts values to other types if specified.
         * @param message Order
         * @param [options] Conversion options
         * @returns Plain object
         */
        static toObject(message: quotes.Order, options?: $protobuf.IConversionOptions): { [k: string]: any };

        /**
         * Converts this Order to JSON.
         * @returns JSON object
         */
        toJSON(): { [k: string]: any };
    }

    namespace Order {

        /** Properties of an Order. */
        interface $Properties {

            /** Order mpid */
            mpid?: (string|null);

            /** Order size */
            size?: (string|null);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];
        }

        /** Shape of an Order. */
        type $Shape = quotes.Order.$Properties;
    }

    /**
     * Properties of a Broker.
     * @deprecated Use quotes.Broker.$Properties instead.
     */
    interface IBroker extends quotes.Broker.$Properties {
    }

    /** Represents a Broker. */
    class Broker {

        /**
         * Constructs a new Broker.
         * @param [properties] Properties to set
         */
        constructor(properties?: quotes.Broker.$Properties);

        /** Unknown fields preserved while decoding when enabled */
        $unknowns?: Uint8Array[];

        /** Broker bid. */
        bid: string;

        /** Broker name. */
        name: string;

        /**
         * Creates a new Broker instance using the specified properties.
         * @param [properties] Properties to set
         * @returns Broker instance
         */
        static create(properties: quotes.Broker.$Shape): quotes.Broker & quotes.Broker.$Shape;
        static create(properties?: quotes.Broker.$Properties): quotes.Broker;

        /**
         * Encodes the specified Broker message. Does not implicitly {@link quotes.Broker.verify|verify} messages.
         * @param message Broker message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: quotes.Broker.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes a Broker message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {quotes.Broker & quotes.Broker.$Shape} Broker
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): quotes.Broker & quotes.Broker.$Shape;

        /**
         * Verifies a Broker message.
         * @param message Plain object to verify
         * @returns `null` if valid, otherwise the reason why it is not
         */
        static verify(message: { [k: string]: any }): (string|null);

        /**
         * Creates a Broker message from a plain object. Also converts values to their respective internal types.
         * @param object Plain object
         * @returns Broker
         */
        static fromObject(object: { [k: string]: any }): quotes.Broker;

        /**
         * Creates a plain object from a Broker message. Also converts values to other types if specified.
         * @param message Broker
         * @param [options] Conversion options
         * @returns Plain object
         */
        static toObject(message: quotes.Broker, options?: $protobuf.IConversionOptions): { [k: string]: any };

        /**
         * Converts this Broker to JSON.
         * @returns JSON object
         */
        toJSON(): { [k: string]: any };
    }

    namespace Broker {

        /** Properties of a Broker. */
        interface $Properties {

            /** Broker bid */
            bid?: (string|null);

            /** Broker name */
            name?: (string|null);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];
        }

        /** Shape of a Broker. */
        type $Shape = quotes.Broker.$Properties;
    }

    /**
     * Properties of a Snapshot.
     * @deprecated Use quotes.Snapshot.$Properties instead.
     */
    interface ISnapshot extends quotes.Snapshot.$Properties {
    }

    /** Represents a Snapshot. */
    class Snapshot {

        /**
         * Constructs a new Snapshot.
         * @param [properties] Properties to set
         */
        constructor(properties?: quotes.Snapshot.$Properties);

        /** Unknown fields preserved while decoding when enabled */
        $unknowns?: Uint8Array[];

        /** Snapshot basic. */
        basic?: (quotes.Basic.$Properties|null);

        /** Snapshot tradeTime. */
        tradeTime: string;

        /** Snapshot price. */
        price: string;

        /** Snapshot open. */
        open: string;

        /** Snapshot high. */
        high: string;

        /** Snapshot low. */
        low: string;

        /** Snapshot preClose. */
        preClose: string;

        /** Snapshot volume. */
        volume: string;

        /** Snapshot change. */
        change: string;

        /** Snapshot changeRatio. */
        changeRatio: string;

        /** Snapshot extTradeTime. */
        extTradeTime: string;

        /** Snapshot extPrice. */
        extPrice: string;

        /** Snapshot extHigh. */
        extHigh: string;

        /** Snapshot extLow. */
        extLow: string;

        /** Snapshot extVolume. */
        extVolume: string;

        /** Snapshot extChange. */
        extChange: string;

        /** Snapshot extChangeRatio. */
        extChangeRatio: string;

        /** Snapshot ovnTradeTime. */
        ovnTradeTime: string;

        /** Snapshot ovnPrice. */
        ovnPrice: string;

        /** Snapshot ovnHigh. */
        ovnHigh: string;

        /** Snapshot ovnLow. */
        ovnLow: string;

        /** Snapshot ovnVolume. */
        ovnVolume: string;

        /** Snapshot ovnChange. */
        ovnChange: string;

        /** Snapshot ovnChangeRatio. */
        ovnChangeRatio: string;

        /**
         * Creates a new Snapshot instance using the specified properties.
         * @param [properties] Properties to set
         * @returns Snapshot instance
         */
        static create(properties: quotes.Snapshot.$Shape): quotes.Snapshot & quotes.Snapshot.$Shape;
        static create(properties?: quotes.Snapshot.$Properties): quotes.Snapshot;

        /**
         * Encodes the specified Snapshot message. Does not implicitly {@link quotes.Snapshot.verify|verify} messages.
         * @param message Snapshot message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: quotes.Snapshot.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes a Snapshot message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {quotes.Snapshot & quotes.Snapshot.$Shape} Snapshot
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): quotes.Snapshot & quotes.Snapshot.$Shape;

        /**
         * Verifies a Snapshot message.
         * @param message Plain object to verify
         * @returns `null` if valid, otherwise the reason why it is not
         */
        static verify(message: { [k: string]: any }): (string|null);

        /**
         * Creates a Snapshot message from a plain object. Also converts values to their respective internal types.
         * @param object Plain object
         * @returns Snapshot
         */
        static fromObject(object: { [k: string]: any }): quotes.Snapshot;

        /**
         * Creates a plain object from a Snapshot message. Also converts values to other types if specified.
         * @param message Snapshot
         * @param [options] Conversion options
         * @returns Plain object
         */
        static toObject(message: quotes.Snapshot, options?: $protobuf.IConversionOptions): { [k: string]: any };

        /**
         * Converts this Snapshot to JSON.
         * @returns JSON object
         */
        toJSON(): { [k: string]: any };
    }

    namespace Snapshot {

        /** Properties of a Snapshot. */
        interface $Properties {

            /** Snapshot basic */
            basic?: (quotes.Basic.$Properties|null);

            /** Snapshot tradeTime */
            tradeTime?: (string|null);

            /** Snapshot price */
            price?: (string|null);

            /** Snapshot open */
            open?: (string|null);

            /** Snapshot high */
            high?: (string|null);

            /** Snapshot low */
            low?: (string|null);

            /** Snapshot preClose */
            preClose?: (string|null);

            /** Snapshot volume */
            volume?: (string|null);

            /** Snapshot change */
            change?: (string|null);

            /** Snapshot changeRatio */
            changeRatio?: (string|null);

            /** Snapshot extTradeTime */
            extTradeTime?: (string|null);

            /** Snapshot extPrice */
            extPrice?: (string|null);

            /** Snapshot extHigh */
            extHigh?: (string|null);

            /** Snapshot extLow */
            extLow?: (string|null);

            /** Snapshot extVolume */
            extVolume?: (string|null);

            /** Snapshot extChange */
            extChange?: (string|null);

            /** Snapshot extChangeRatio */
            extChangeRatio?: (string|null);

            /** Snapshot ovnTradeTime */
            ovnTradeTime?: (string|null);

            /** Snapshot ovnPrice */
            ovnPrice?: (string|null);

            /** Snapshot ovnHigh */
            ovnHigh?: (string|null);

            /** Snapshot ovnLow */
            ovnLow?: (string|null);

            /** Snapshot ovnVolume */
            ovnVolume?: (string|null);

            /** Snapshot ovnChange */
            ovnChange?: (string|null);

            /** Snapshot ovnChangeRatio */
            ovnChangeRatio?: (string|null);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];
        }

        /** Shape of a Snapshot. */
        type $Shape = quotes.Snapshot.$Properties;
    }

    /**
     * Properties of a Tick.
     * @deprecated Use quotes.Tick.$Properties instead.
     */
    interface ITick extends quotes.Tick.$Properties {
    }

    /** Represents a Tick. */
    class Tick {

        /**
         * Constructs a new Tick.
         * @param [properties] Properties to set
         */
        constructor(properties?: quotes.Tick.$Properties);

        /** Unknown fields preserved while decoding when enabled */
        $unknowns?: Uint8Array[];

        /** Tick basic. */
        basic?: (quotes.Basic.$Properties|null);

        /** Tick time. */
        time: string;

        /** Tick price. */
        price: string;

        /** Tick volume. */
        volume: string;

        /** Tick side. */
        side: string;

        /**
         * Creates a new Tick instance using the specified properties.
         * @param [properties] Properties to set
         * @returns Tick instance
         */
        static create(properties: quotes.Tick.$Shape): quotes.Tick & quotes.Tick.$Shape;
        static create(properties?: quotes.Tick.$Properties): quotes.Tick;

        /**
         * Encodes the specified Tick message. Does not implicitly {@link quotes.Tick.verify|verify} messages.
         * @param message Tick message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: quotes.Tick.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes a Tick message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {quotes.Tick & quotes.Tick.$Shape} Tick
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): quotes.Tick & quotes.Tick.$Shape;

        /**
         * Verifies a Tick message.
         * @param message Plain object to verify
         * @returns `null` if valid, otherwise the reason why it is not
         */
        static verify(message: { [k: string]: any }): (string|null);

        /**
         * Creates a Tick message from a plain object. Also converts values to their respective internal types.
         * @param object Plain object
         * @returns Tick
         */
        static fromObject(object: { [k: string]: any }): quotes.Tick;

        /**
         * Creates a plain object from a Tick message. Also converts values to other types if specified.
         * @param message Tick
         * @param [options] Conversion options
         * @returns Plain object
         */
        static toObject(message: quotes.Tick, options?: $protobuf.IConversionOptions): { [k: string]: any };

        /**
         * Converts this Tick to JSON.
         * @returns JSON object
         */
        toJSON(): { [k: string]: any };
    }

    namespace Tick {

        /** Properties of a Tick. */
        interface $Properties {

            /** Tick basic */
            basic?: (quotes.Basic.$Properties|null);

            /** Tick time */
            time?: (string|null);

            /** Tick price */
            price?: (string|null);

            /** Tick volume */
            volume?: (string|null);

            /** Tick side */
            side?: (string|null);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];
        }

        /** Shape of a Tick. */
        type $Shape = quotes.Tick.$Properties;
    }

    /**
     * Properties of an EventQuote.
     * @deprecated Use quotes.EventQuote.$Properties instead.
     */
    interface IEventQuote extends quotes.EventQuote.$Properties {
    }

    /** Represents an EventQuote. */
    class EventQuote {

        /**
         * Constructs a new EventQuote.
         * @param [properties] Properties to set
         */
        constructor(properties?: quotes.EventQuote.$Properties);

        /** Unknown fields preserved while decoding when enabled */
        $unknowns?: Uint8Array[];

        /** EventQuote basic. */
        basic?: (quotes.Basic.$Properties|null);

        /** EventQuote yesBids. */
        yesBids: quotes.EventAskBid.$Properties[];

        /** EventQuote noBids. */
        noBids: quotes.EventAskBid.$Properties[];

        /**
         * Creates a new EventQuote instance using the specified properties.
         * @param [properties] Properties to set
         * @returns EventQuote instance
         */
        static create(properties: quotes.EventQuote.$Shape): quotes.EventQuote & quotes.EventQuote.$Shape;
        static create(properties?: quotes.EventQuote.$Properties): quotes.EventQuote;

        /**
         * Encodes the specified EventQuote message. Does not implicitly {@link quotes.EventQuote.verify|verify} messages.
         * @param message EventQuote message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: quotes.EventQuote.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes an EventQuote message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {quotes.EventQuote & quotes.EventQuote.$Shape} EventQuote
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): quotes.EventQuote & quotes.EventQuote.$Shape;

        /**
         * Verifies an EventQuote message.
         * @param message Plain object to verify
         * @returns `null` if valid, otherwise the reason why it is not
         */
        static verify(message: { [k: string]: any }): (string|null);

        /**
         * Creates an EventQuote message from a plain object. Also converts values to their respective internal types.
         * @param object Plain object
         * @returns EventQuote
         */
        static fromObject(object: { [k: string]: any }): quotes.EventQuote;

        /**
         * Creates a plain object from an EventQuote message. Also converts values to other types if specified.
         * @param message EventQuote
         * @param [options] Conversion options
         * @returns Plain object
         */
        static toObject(message: quotes.EventQuote, options?: $protobuf.IConversionOptions): { [k: string]: any };

        /**
         * Converts this EventQuote to JSON.
         * @returns JSON object
         */
        toJSON(): { [k: string]: any };
    }

    namespace EventQuote {

        /** Properties of an EventQuote. */
        interface $Properties {

            /** EventQuote basic */
            basic?: (quotes.Basic.$Properties|null);

            /** EventQuote yesBids */
            yesBids?: (quotes.EventAskBid.$Properties[]|null);

            /** EventQuote noBids */
            noBids?: (quotes.EventAskBid.$Properties[]|null);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];
        }

        /** Shape of an EventQuote. */
        type $Shape = quotes.EventQuote.$Properties;
    }

    /**
     * Properties of an EventAskBid.
     * @deprecated Use quotes.EventAskBid.$Properties instead.
     */
    interface IEventAskBid extends quotes.EventAskBid.$Properties {
    }

    /** Represents an EventAskBid. */
    class EventAskBid {

        /**
         * Constructs a new EventAskBid.
         * @param [properties] Properties to set
         */
        constructor(properties?: quotes.EventAskBid.$Properties);

        /** Unknown fields preserved while decoding when enabled */
        $unknowns?: Uint8Array[];

        /** EventAskBid price. */
        price: string;

        /** EventAskBid size. */
        size: string;

        /**
         * Creates a new EventAskBid instance using the specified properties.
         * @param [properties] Properties to set
         * @returns EventAskBid instance
         */
        static create(properties: quotes.EventAskBid.$Shape): quotes.EventAskBid & quotes.EventAskBid.$Shape;
        static create(properties?: quotes.EventAskBid.$Properties): quotes.EventAskBid;

        /**
         * Encodes the specified EventAskBid message. Does not implicitly {@link quotes.EventAskBid.verify|verify} messages.
         * @param message EventAskBid message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: quotes.EventAskBid.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes an EventAskBid message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {quotes.EventAskBid & quotes.EventAskBid.$Shape} EventAskBid
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): quotes.EventAskBid & quotes.EventAskBid.$Shape;

        /**
         * Verifies an EventAskBid message.
         * @param message Plain object to verify
         * @returns `null` if valid, otherwise the reason why it is not
         */
        static verify(message: { [k: string]: any }): (string|null);

        /**
         * Creates an EventAskBid message from a plain object. Also converts values to their respective internal types.
         * @param object Plain object
         * @returns EventAskBid
         */
        static fromObject(object: { [k: string]: any }): quotes.EventAskBid;

        /**
         * Creates a plain object from an EventAskBid message. Also converts values to other types if specified.
         * @param message EventAskBid
         * @param [options] Conversion options
         * @returns Plain object
         */
        static toObject(message: quotes.EventAskBid, options?: $protobuf.IConversionOptions): { [k: string]: any };

        /**
         * Converts this EventAskBid to JSON.
         * @returns JSON object
         */
        toJSON(): { [k: string]: any };
    }

    namespace EventAskBid {

        /** Properties of an EventAskBid. */
        interface $Properties {

            /** EventAskBid price */
            price?: (string|null);

            /** EventAskBid size */
            size?: (string|null);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];
        }

        /** Shape of an EventAskBid. */
        type $Shape = quotes.EventAskBid.$Properties;
    }

    /**
     * Properties of an EventSnapshot.
     * @deprecated Use quotes.EventSnapshot.$Properties instead.
     */
    interface IEventSnapshot extends quotes.EventSnapshot.$Properties {
    }

    /** Represents an EventSnapshot. */
    class EventSnapshot {

        /**
         * Constructs a new EventSnapshot.
         * @param [properties] Properties to set
         */
        constructor(properties?: quotes.EventSnapshot.$Properties);

        /** Unknown fields preserved while decoding when enabled */
        $unknowns?: Uint8Array[];

        /** EventSnapshot basic. */
        basic?: (quotes.Basic.$Properties|null);

        /** EventSnapshot price. */
        price: string;

        /** EventSnapshot volume. */
        volume: string;

        /** EventSnapshot lastTradeTime. */
        lastTradeTime: string;

        /** EventSnapshot openInterest. */
        openInterest: string;

        /** EventSnapshot yesAsk. */
        yesAsk: string;

        /** EventSnapshot yesBid. */
        yesBid: string;

        /** EventSnapshot yesAskSize. */
        yesAskSize: string;

        /** EventSnapshot yesBidSize. */
        yesBidSize: string;

        /** EventSnapshot noAsk. */
        noAsk: string;

        /** EventSnapshot noBid. */
        noBid: string;

        /** EventSnapshot noAskSize. */
        noAskSize: string;

        /** EventSnapshot noBidSize. */
        noBidSize: string;

        /**
         * Creates a new EventSnapshot instance using the specified properties.
         * @param [properties] Properties to set
         * @returns EventSnapshot instance
         */
        static create(properties: quotes.EventSnapshot.$Shape): quotes.EventSnapshot & quotes.EventSnapshot.$Shape;
        static create(properties?: quotes.EventSnapshot.$Properties): quotes.EventSnapshot;

        /**
         * Encodes the specified EventSnapshot message. Does not implicitly {@link quotes.EventSnapshot.verify|verify} messages.
         * @param message EventSnapshot message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: quotes.EventSnapshot.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes an EventSnapshot message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {quotes.EventSnapshot & quotes.EventSnapshot.$Shape} EventSnapshot
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): quotes.EventSnapshot & quotes.EventSnapshot.$Shape;

        /**
         * Verifies an EventSnapshot message.
         * @param message Plain object to verify
         * @returns `null` if valid, otherwise the reason why it is not
         */
        static verify(message: { [k: string]: any }): (string|null);

        /**
         * Creates an EventSnapshot message from a plain object. Also converts values to their respective internal types.
         * @param object Plain object
         * @returns EventSnapshot
         */
        static fromObject(object: { [k: string]: any }): quotes.EventSnapshot;

        /**
         * Creates a plain object from an EventSnapshot message. Also converts values to other types if specified.
         * @param message EventSnapshot
         * @param [options] Conversion options
         * @returns Plain object
         */
        static toObject(message: quotes.EventSnapshot, options?: $protobuf.IConversionOptions): { [k: string]: any };

        /**
         * Converts this EventSnapshot to JSON.
         * @returns JSON object
         */
        toJSON(): { [k: string]: any };
    }

    namespace EventSnapshot {

        /** Properties of an EventSnapshot. */
        interface $Properties {

            /** EventSnapshot basic */
            basic?: (quotes.Basic.$Properties|null);

            /** EventSnapshot price */
            price?: (string|null);

            /** EventSnapshot volume */
            volume?: (string|null);

            /** EventSnapshot lastTradeTime */
            lastTradeTime?: (string|null);

            /** EventSnapshot openInterest */
            openInterest?: (string|null);

            /** EventSnapshot yesAsk */
            yesAsk?: (string|null);

            /** EventSnapshot yesBid */
            yesBid?: (string|null);

            /** EventSnapshot yesAskSize */
            yesAskSize?: (string|null);

            /** EventSnapshot yesBidSize */
            yesBidSize?: (string|null);

            /** EventSnapshot noAsk */
            noAsk?: (string|null);

            /** EventSnapshot noBid */
            noBid?: (string|null);

            /** EventSnapshot noAskSize */
            noAskSize?: (string|null);

            /** EventSnapshot noBidSize */
            noBidSize?: (string|null);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];
        }

        /** Shape of an EventSnapshot. */
        type $Shape = quotes.EventSnapshot.$Properties;
    }

    /**
     * Properties of an EventTick.
     * @deprecated Use quotes.EventTick.$Properties instead.
     */
    interface IEventTick extends quotes.EventTick.$Properties {
    }

    /** Represents an EventTick. */
    class EventTick {

        /**
         * Constructs a new EventTick.
         * @param [properties] Properties to set
         */
        constructor(properties?: quotes.EventTick.$Properties);

        /** Unknown fields preserved while decoding when enabled */
        $unknowns?: Uint8Array[];

        /** EventTick basic. */
        basic?: (quotes.Basic.$Properties|null);

        /** EventTick yesPrice. */
        yesPrice: string;

        /** EventTick noPrice. */
        noPrice: string;

        /** EventTick volume. */
        volume: string;

        /** EventTick side. */
        side: string;

        /** EventTick tradeId. */
        tradeId: string;

        /** EventTick time. */
        time: string;

        /**
         * Creates a new EventTick instance using the specified properties.
         * @param [properties] Properties to set
         * @returns EventTick instance
         */
        static create(properties: quotes.EventTick.$Shape): quotes.EventTick & quotes.EventTick.$Shape;
        static create(properties?: quotes.EventTick.$Properties): quotes.EventTick;

        /**
         * Encodes the specified EventTick message. Does not implicitly {@link quotes.EventTick.verify|verify} messages.
         * @param message EventTick message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: quotes.EventTick.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes an EventTick message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {quotes.EventTick & quotes.EventTick.$Shape} EventTick
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): quotes.EventTick & quotes.EventTick.$Shape;

        /**
         * Verifies an EventTick message.
         * @param message Plain object to verify
         * @returns `null` if valid, otherwise the reason why it is not
         */
        static verify(message: { [k: string]: any }): (string|null);

        /**
         * Creates an EventTick message from a plain object. Also converts values to their respective internal types.
         * @param object Plain object
         * @returns EventTick
         */
        static fromObject(object: { [k: string]: any }): quotes.EventTick;

        /**
         * Creates a plain object from an EventTick message. Also converts values to other types if specified.
         * @param message EventTick
         * @param [options] Conversion options
         * @returns Plain object
         */
        static toObject(message: quotes.EventTick, options?: $protobuf.IConversionOptions): { [k: string]: any };

        /**
         * Converts this EventTick to JSON.
         * @returns JSON object
         */
        toJSON(): { [k: string]: any };
    }

    namespace EventTick {

        /** Properties of an EventTick. */
        interface $Properties {

            /** EventTick basic */
            basic?: (quotes.Basic.$Properties|null);

            /** EventTick yesPrice */
            yesPrice?: (string|null);

            /** EventTick noPrice */
            noPrice?: (string|null);

            /** EventTick volume */
            volume?: (string|null);

            /** EventTick side */
            side?: (string|null);

            /** EventTick tradeId */
            tradeId?: (string|null);

            /** EventTick time */
            time?: (string|null);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];
        }

        /** Shape of an EventTick. */
        type $Shape = quotes.EventTick.$Properties;
    }
}
