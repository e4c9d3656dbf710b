import * as $protobuf from "protobufjs/minimal.js";

/** Namespace grpc. */
export namespace grpc {

    /** Namespace event. */
    namespace event {

        /**
         * Properties of a SubscribeRequest.
         * @deprecated Use grpc.event.SubscribeRequest.$Properties instead.
         */
        interface ISubscribeRequest extends grpc.event.SubscribeRequest.$Properties {
        }

        /** Represents a SubscribeRequest. */
        class SubscribeRequest {

            /**
             * Constructs a new SubscribeRequest.
             * @param [properties] Properties to set
             */
            constructor(properties?: grpc.event.SubscribeRequest.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** SubscribeRequest events. */
            events: grpc.event.SubscribeEvent.$Properties[];

            /** SubscribeRequest timestamp. */
            timestamp: string;

            /**
             * Creates a new SubscribeRequest instance using the specified properties.
             * @param [properties] Properties to set
             * @returns SubscribeRequest instance
             */
            static create(properties: grpc.event.SubscribeRequest.$Shape): grpc.event.SubscribeRequest & grpc.event.SubscribeRequest.$Shape;
            static create(properties?: grpc.event.SubscribeRequest.$Properties): grpc.event.SubscribeRequest;

            /**
             * Encodes the specified SubscribeRequest message. Does not implicitly {@link grpc.event.SubscribeRequest.verify|verify} messages.
             * @param message SubscribeRequest message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: grpc.event.SubscribeRequest.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a SubscribeRequest message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {grpc.event.SubscribeRequest & grpc.event.SubscribeRequest.$Shape} SubscribeRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): grpc.event.SubscribeRequest & grpc.event.SubscribeRequest.$Shape;

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
            static fromObject(object: { [k: string]: any }): grpc.event.SubscribeRequest;

            /**
             * Creates a plain object from a SubscribeRequest message. Also converts values to other types if specified.
             * @param message SubscribeRequest
             * @param [options] Conversion options
             * @returns Plain object
             */
            static toObject(message: grpc.event.SubscribeRequest, options?: $protobuf.IConversionOptions): { [k: string]: any };

            /**
             * Converts this SubscribeRequest to JSON.
             * @returns JSON object
             */
            toJSON(): { [k: string]: any };
        }

        namespace SubscribeRequest {

            /** Properties of a SubscribeRequest. */
            interface $Properties {

                /** SubscribeRequest events */
                events?: (grpc.event.SubscribeEvent.$Properties[]|null);

                /** SubscribeRequest timestamp */
                timestamp?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a SubscribeRequest. */
            type $Shape = grpc.event.SubscribeRequest.$Properties;
        }

        /**
         * Properties of a SubscribeEvent.
         * @deprecated Use grpc.event.SubscribeEvent.$Properties instead.
         */
        interface ISubscribeEvent extends grpc.event.SubscribeEvent.$Properties {
        }

        /** Represents a SubscribeEvent. */
        class SubscribeEvent {

            /**
             * Constructs a new SubscribeEvent.
             * @param [properties] Properties to set
             */
            constructor(properties?: grpc.event.SubscribeEvent.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** SubscribeEvent eventType. */
            eventType: string;

            /** SubscribeEvent position. */
            position: string;

            /**
             * Creates a new SubscribeEvent instance using the specified properties.
             * @param [properties] Properties to set
             * @returns SubscribeEvent instance
             */
            static create(properties: grpc.event.SubscribeEvent.$Shape): grpc.event.SubscribeEvent & grpc.event.SubscribeEvent.$Shape;
            static create(properties?: grpc.event.SubscribeEvent.$Properties): grpc.event.SubscribeEvent;

            /**
             * Encodes the specified SubscribeEvent message. Does not implicitly {@link grpc.event.SubscribeEvent.verify|verify} messages.
             * @param message SubscribeEvent message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: grpc.event.SubscribeEvent.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a SubscribeEvent message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {grpc.event.SubscribeEvent & grpc.event.SubscribeEvent.$Shape} SubscribeEvent
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): grpc.event.SubscribeEvent & grpc.event.SubscribeEvent.$Shape;

            /**
             * Verifies a SubscribeEvent message.
             * @param message Plain object to verify
             * @returns `null` if valid, otherwise the reason why it is not
             */
            static verify(message: { [k: string]: any }): (string|null);

            /**
             * Creates a SubscribeEvent message from a plain object. Also converts values to their respective internal types.
             * @param object Plain object
             * @returns SubscribeEvent
             */
            static fromObject(object: { [k: string]: any }): grpc.event.SubscribeEvent;

            /**
             * Creates a plain object from a SubscribeEvent message. Also converts values to other types if specified.
             * @param message SubscribeEvent
             * @param [options] Conversion options
             * @returns Plain object
             */
            static toObject(message: grpc.event.SubscribeEvent, options?: $protobuf.IConversionOptions): { [k: string]: any };

            /**
             * Converts this SubscribeEvent to JSON.
             * @returns JSON object
             */
            toJSON(): { [k: string]: any };
        }

        namespace SubscribeEvent {

            /** Properties of a SubscribeEvent. */
            interface $Properties {

                /** SubscribeEvent eventType */
                eventType?: (string|null);

                /** SubscribeEvent position */
                position?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a SubscribeEvent. */
            type $Shape = grpc.event.SubscribeEvent.$Properties;
        }

        /**
         * Properties of a SubscribeResponse.
         * @deprecated Use grpc.event.SubscribeResponse.$Properties instead.
         */
        interface ISubscribeResponse extends grpc.event.SubscribeResponse.$Properties {
        }

        /** Represents a SubscribeResponse. */
        class SubscribeResponse {

            /**
             * Constructs a new SubscribeResponse.
             * @param [properties] Properties to set
             */
            constructor(properties?: grpc.event.SubscribeResponse.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** SubscribeResponse type. */
            type: grpc.event.Type;

            /** SubscribeResponse id. */
            id: string;

            /** SubscribeResponse eventType. */
            eventType: string;

            /** SubscribeResponse position. */
            position: string;

            /** SubscribeResponse timestamp. */
            timestamp: string;

            /** SubscribeResponse version. */
            version: string;

            /** SubscribeResponse payload. */
            payload: string;

            /**
             * Creates a new SubscribeResponse instance using the specified properties.
             * @param [properties] Properties to set
             * @returns SubscribeResponse instance
             */
            static create(properties: grpc.event.SubscribeResponse.$Shape): grpc.event.SubscribeResponse & grpc.event.SubscribeResponse.$Shape;
            static create(properties?: grpc.event.SubscribeResponse.$Properties): grpc.event.SubscribeResponse;

            /**
             * Encodes the specified SubscribeResponse message. Does not implicitly {@link grpc.event.SubscribeResponse.verify|verify} messages.
             * @param message SubscribeResponse message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: grpc.event.SubscribeResponse.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a SubscribeResponse message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {grpc.event.SubscribeResponse & grpc.event.SubscribeResponse.$Shape} SubscribeResponse
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): grpc.event.SubscribeResponse & grpc.event.SubscribeResponse.$Shape;

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
            static fromObject(object: { [k: string]: any }): grpc.event.SubscribeResponse;

            /**
             * Creates a plain object from a SubscribeResponse message. Also converts values to other types if specified.
             * @param message SubscribeResponse
             * @param [options] Conversion options
             * @returns Plain object
             */
            static toObject(message: grpc.event.SubscribeResponse, options?: $protobuf.IConversionOptions): { [k: string]: any };

            /**
             * Converts this SubscribeResponse to JSON.
             * @returns JSON object
             */
            toJSON(): { [k: string]: any };
        }

        namespace SubscribeResponse {

            /** Properties of a SubscribeResponse. */
            interface $Properties {

                /** SubscribeResponse type */
                type?: (grpc.event.Type|null);

                /** SubscribeResponse id */
                id?: (string|null);

                /** SubscribeResponse eventType */
                eventType?: (string|null);

                /** SubscribeResponse position */
                position?: (string|null);

                /** SubscribeResponse timestamp */
                timestamp?: (string|null);

                /** SubscribeResponse version */
                version?: (string|null);

                /** SubscribeResponse payload */
                payload?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a SubscribeResponse. */
            type $Shape = grpc.event.SubscribeResponse.$Properties;
        }

        /** Type enum. */
        enum Type {

            /** SubscribeSuccess value */
            SubscribeSuccess = 0,

            /** Ping value */
            Ping = 1,

            /** Event value */
            Event = 2,

            /** AuthError value */
            AuthError = 3,

            /** NumOfConnExceed value */
            NumOfConnExceed = 4,

            /** SubscribeExpired value */
            SubscribeExpired = 5
        }
    }
}
