/** What the benchmark generates before it bundles. */
declare module '#protobufjs-static' {
  import type { Reader } from 'protobufjs/minimal.js'

  interface StaticMessage {
    /** Tag and value of each unknown field. */
    readonly $unknowns?: readonly Uint8Array[]
  }
  interface TradeMessage extends StaticMessage {
    readonly eventType: number
    readonly subscribeType: number
    readonly contentType: string
    readonly payload: string
    readonly requestId: string
    readonly timestamp: { readonly low: number; readonly high: number }
  }
  interface ModuleMessage extends StaticMessage {
    readonly type: number
    readonly id: string
    readonly eventType: string
    readonly position: string
    readonly timestamp: string
    readonly version: string
    readonly payload: string
  }
  interface StaticType<T> {
    decode(reader: Reader, length: number): T
  }
  export const grpc: {
    readonly trade: { readonly event: { readonly SubscribeResponse: StaticType<TradeMessage> } }
    readonly event: { readonly SubscribeResponse: StaticType<ModuleMessage> }
  }
}

declare module '#generated-over-protobufjs' {
  export { generatedDecoders } from '../../../../packages/streams/src/transport/decoding/generated-decoders.ts'
}
