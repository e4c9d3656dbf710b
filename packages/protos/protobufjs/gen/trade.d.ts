import * as $protobuf from "protobufjs/minimal.js";

type Long = ReturnType<$protobuf.Reader['int64']>;

/** Namespace grpc. */
export namespace grpc {

    /** Namespace trade. */
    namespace trade {

        /** Namespace event. */
        namespace event {

            /**
             * Properties of a SubscribeRequest.
             * @deprecated Use grpc.trade.event.SubscribeRequest.$Properties instead.
             */
            interface ISubscribeRequest extends grpc.trade.event.SubscribeRequest.$Properties {
            }

            /** Represents a SubscribeRequest. */
            class SubscribeRequest {

                /**
                 * Constructs a new SubscribeRequest.
                 * @param [properties] Properties to set
                 */
                constructor(properties?: grpc.trade.event.SubscribeRequest.$Properties);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];

                /** SubscribeRequest subscribeType. */
                subscribeType: number;

                /** SubscribeRequest timestamp. */
                timestamp: (number|Long);

                /** SubscribeRequest contentType. */
                contentType: string;

                /** SubscribeRequest payload. */
                payload: string;

                /** SubscribeRequest accounts. */
                accounts: string[];

                /**
                 * Creates a new SubscribeRequest instance using the specified properties.
                 * @param [properties] Properties to set
                 * @returns SubscribeRequest instance
                 */
                static create(properties: grpc.trade.event.SubscribeRequest.$Shape): grpc.trade.event.SubscribeRequest & grpc.trade.event.SubscribeRequest.$Shape;
                static create(properties?: grpc.trade.event.SubscribeRequest.$Properties): grpc.trade.event.SubscribeRequest;

                /**
                 * Encodes the specified SubscribeRequest message. Does not implicitly {@link grpc.trade.event.SubscribeRequest.verify|verify} messages.
                 * @param message SubscribeRequest message or plain object to encode
                 * @param [writer] Writer to encode to
                 * @returns Writer
                 */
                static encode(message: grpc.trade.event.SubscribeRequest.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

                /**
                 * Decodes a SubscribeRequest message from the specified reader or buffer.
                 * @param reader Reader or buffer to decode from
                 * @param [length] Message length if known beforehand
                 * @returns {grpc.trade.event.SubscribeRequest & grpc.trade.event.SubscribeRequest.$Shape} SubscribeRequest
                 * @throws {Error} If the payload is not a reader or valid buffer
                 * @throws {$protobuf.util.ProtocolError} If required fields are missing
                 */
                static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): grpc.trade.event.SubscribeRequest & grpc.trade.event.SubscribeRequest.$Shape;

                /**
                 * Verifies a SubscribeRequest message.
                 * @param message Plain object to verify
                 * @returns `null` if valid, otherwise the reason why it is not
                 */
                static verify(message: { [k: string]: any }): (string|null);

                /**
                 * Creates a SubscribeRequest message from a plain object. Also converts values to their respective internal types.
                 * @param object Plain object
                 * @returns SubscribeRequest
                 */
                static fromObject(object: { [k: string]: any }): grpc.trade.event.SubscribeRequest;

                /**
                 * Creates a plain object from a SubscribeRequest message. Also converts values to other types if specified.
                 * @param message SubscribeRequest
                 * @param [options] Conversion options
                 * @returns Plain object
                 */
                static toObject(message: grpc.trade.event.SubscribeRequest, options?: $protobuf.IConversionOptions): { [k: string]: any };

                /**
                 * Converts this SubscribeRequest to JSON.
                 * @returns JSON object
                 */
                toJSON(): { [k: string]: any };
            }

            namespace SubscribeRequest {

                /** Properties of a SubscribeRequest. */
                interface $Properties {

                    /** SubscribeRequest subscribeType */
                    subscribeType?: (number|null);

                    /** SubscribeRequest timestamp */
                    timestamp?: (number|Long|null);

                    /** SubscribeRequest contentType */
                    contentType?: (string|null);

                    /** SubscribeRequest payload */
                    payload?: (string|null);

                    /** SubscribeRequest accounts */
                    accounts?: (string[]|null);

                    /** Unknown fields preserved while decoding when enabled */
                    $unknowns?: Uint8Array[];
                }

                /** Shape of a SubscribeRequest. */
                type $Shape = grpc.trade.event.SubscribeRequest.$Properties;
            }

            /**
             * Properties of a SubscribeResponse.
             * @deprecated Use grpc.trade.event.SubscribeResponse.$Properties instead.
             */
            interface ISubscribeResponse extends grpc.trade.event.SubscribeResponse.$Properties {
            }

            /** Represents a SubscribeResponse. */
            class SubscribeResponse {

                /**
                 * Constructs a new SubscribeResponse.
                 * @param [properties] Properties to set
                 */
                constructor(properties?: grpc.trade.event.SubscribeResponse.$Properties);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];

                /** SubscribeResponse eventType. */
                eventType: grpc.trade.event.EventType;

                /** SubscribeResponse subscribeType. */
                subscribeType: number;

                /** SubscribeResponse contentType. */
                contentType: string;

                /** SubscribeResponse payload. */
                payload: string;

                /** SubscribeResponse requestId. */
                requestId: string;

                /** SubscribeResponse timestamp. */
                timestamp: (number|Long);

                /**
                 * Creates a new SubscribeResponse instance using the specified properties.
                 * @param [properties] Properties to set
                 * @returns SubscribeResponse instance
                 */
                static create(properties: grpc.trade.event.SubscribeResponse.$Shape): grpc.trade.event.SubscribeResponse & grpc.trade.event.SubscribeResponse.$Shape;
                static create(properties?: grpc.trade.event.SubscribeResponse.$Properties): grpc.trade.event.SubscribeResponse;

                /**
                 * Encodes the specified SubscribeResponse message. Does not implicitly {@link grpc.trade.event.SubscribeResponse.verify|verify} messages.
                 * @param message SubscribeResponse message or plain object to encode
                 * @param [writer] Writer to encode to
                 * @returns Writer
                 */
                static encode(message: grpc.trade.event.SubscribeResponse.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

                /**
                 * Decodes a SubscribeResponse message from the specified reader or buffer.
                 * @param reader Reader or buffer to decode from
                 * @param [length] Message length if known beforehand
                 * @returns {grpc.trade.event.SubscribeResponse & grpc.trade.event.SubscribeResponse.$Shape} SubscribeResponse
                 * @throws {Error} If the payload is not a reader or valid buffer
                 * @throws {$protobuf.util.ProtocolError} If required fields are missing
                 */
                static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): grpc.trade.event.SubscribeResponse & grpc.trade.event.SubscribeResponse.$Shape;

                /**
                 * Verifies a SubscribeResponse message.
                 * @param message Plain object to verify
                 * @returns `null` if valid, otherwise the reason why it is not
                 */
                static verify(message: { [k: string]: any }): (string|null);

                /**
                 * Creates a SubscribeResponse message from a plain object. Also converts values to their respective internal types.
                 * @param object Plain object
                 * @returns SubscribeResponse
                 */
                static fromObject(object: { [k: string]: any }): grpc.trade.event.SubscribeResponse;

                /**
                 * Creates a plain object from a SubscribeResponse message. Also converts values to other types if specified.
                 * @param message SubscribeResponse
                 * @param [options] Conversion options
                 * @returns Plain object
                 */
                static toObject(message: grpc.trade.event.SubscribeResponse, options?: $protobuf.IConversionOptions): { [k: string]: any };

                /**
                 * Converts this SubscribeResponse to JSON.
                 * @returns JSON object
                 */
                toJSON(): { [k: string]: any };
            }

            namespace SubscribeResponse {

                /** Properties of a SubscribeResponse. */
                interface $Properties {

                    /** SubscribeResponse eventType */
                    eventType?: (grpc.trade.event.EventType|null);

                    /** SubscribeResponse subscribeType */
                    subscribeType?: (number|null);

                    /** SubscribeResponse contentType */
                    contentType?: (string|null);

                    /** SubscribeResponse payload */
                    payload?: (string|null);

                    /** SubscribeResponse requestId */
                    requestId?: (string|null);

                    /** SubscribeResponse timestamp */
                    timestamp?: (number|Long|null);

                    /** Unknown fields preserved while decoding when enabled */
                    $unknowns?: Uint8Array[];
                }

                /** Shape of a SubscribeResponse. */
                type $Shape = grpc.trade.event.SubscribeResponse.$Properties;
            }

            /** EventType enum. */
            enum EventType {

                /** SubscribeSuccess value */
                SubscribeSuccess = 0,

                /** Ping value */
                Ping = 1,

                /** AuthError value */
                AuthError = 2,

                /** NumOfConnExceed value */
                NumOfConnExceed = 3,

                /** SubscribeExpired value */
                SubscribeExpired = 4
            }
        }
    }
}
