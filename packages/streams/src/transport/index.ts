/** The gRPC transport, without supervision, for any service. */
export { brotliCompression, gzipCompression } from './compression.ts'
export { createStreamClient, type MessageStream, type StreamClient } from './create-stream-client.ts'
export { createStreamTransport, type StreamTransport } from './create-stream-transport.ts'
export {
  generatedDecoders,
  type MessageDecoder,
  type MessageDecoders,
} from './decoding/generated-decoders.ts'
export type { DuplexLike, TlsOptions } from './host-types.ts'
export type { CreateConnection, KeepAliveOptions, StreamTransportOptions } from './options.ts'
