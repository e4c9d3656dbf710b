/** Options of the transport, checked once, with their defaults. */
import { type ConnectionOptions, createSecureContext } from 'node:tls'
import type { ProxyOption } from '@brokerwire/core'
import {
  array,
  boolean,
  describe,
  type FieldsOf,
  func,
  type InferFields,
  integer,
  isRecord,
  optional,
  origin,
  proxyOption,
  readOptions,
  requireSecureOrigin,
  type Schema,
} from '@brokerwire/core/internal'
import type { Interceptor } from '@connectrpc/connect'
import type { Compression } from '@connectrpc/connect/protocol'
import { optionInvalid } from '../streams-error.ts'
import { brotliCompression, gzipCompression } from './compression.ts'
import { generatedDecoders, type MessageDecoders } from './decoding/generated-decoders.ts'
import type { DuplexLike, TlsOptions } from './host-types.ts'

/**
 * Opens the connection that HTTP/2 is spoken over: a proxy's tunnel, a Unix socket, a socket with options of its own.
 *
 * For an `https:` address TLS is laid over what it returns, unless that is a `TLSSocket` already.
 */
export type CreateConnection = (
  url: URL,
  options: { readonly signal: AbortSignal },
) => DuplexLike | Promise<DuplexLike>

/**
 * Options of the HTTP/2 PINGs that keep a connection alive and detect a lost one. Both intervals double after the server ends a
 * connection with ENHANCE_YOUR_CALM.
 */
export interface KeepAliveOptions {
  /**
   * Time without data, in milliseconds, after which a PING is sent while a call is open: at most two until data is received
   * again. @defaultValue 30_000
   */
  readonly intervalMs?: number | undefined
  /**
   * Time between the PINGs after those two, in milliseconds. Servers of gRPC allow one in five minutes by default. If yours
   * allows more, it may be as short as `intervalMs`. @defaultValue 330_000
   */
  readonly idleIntervalMs?: number | undefined
  /**
   * Time after a PING, in milliseconds, without a response to it and without data, before the connection counts as lost.
   * @defaultValue 15_000
   */
  readonly timeoutMs?: number | undefined
}

/** Options of `createStreamTransport`. */
export interface StreamTransportOptions {
  /** Where the service is: an origin, for example `'https://events-api.example.com'`. */
  readonly baseUrl: string
  /**
   * Takes `http:` on hosts that are not loopback: whoever is on the way reads tokens, and may change what is said.
   * @defaultValue false
   */
  readonly allowInsecure?: boolean | undefined
  /**
   * Run around every call, the first one outermost, as in connect-node. With any of them a stream reads one message at a
   * time instead of batches. @defaultValue none
   */
  readonly interceptors?: readonly Interceptor[] | undefined
  /** Deadline of calls that name none, milliseconds. @defaultValue none */
  readonly defaultTimeoutMs?: number | undefined
  /** Codings that the server may use, the preferred one first. @defaultValue gzip, brotli */
  readonly acceptCompression?: readonly Compression[] | undefined
  /** Coding of what is sent. @defaultValue none */
  readonly sendCompression?: Compression | undefined
  /** Shorter messages are sent as they are. @defaultValue 1024 */
  readonly compressMinBytes?: number | undefined
  /** The longest message that is accepted, decompressed too. @defaultValue 16 MiB */
  readonly readMaxBytes?: number | undefined
  /** The longest message that is sent. @defaultValue 16 MiB */
  readonly writeMaxBytes?: number | undefined
  /** Flow-control window of each stream; the connection's is (streams + 1) times as large. @defaultValue 1 MiB */
  readonly streamWindowBytes?: number | undefined
  /** What may wait undecoded for a slow consumer before the server is held back. @defaultValue 1 MiB */
  readonly readAheadBytes?: number | undefined
  /** HTTP/2 PINGs while a call is open. `false`: no PINGs. @defaultValue PINGs at the default intervals */
  readonly keepAlive?: KeepAliveOptions | false | undefined
  /** Time for TCP and TLS together. @defaultValue 20_000 */
  readonly connectTimeoutMs?: number | undefined
  /** How long a connection without calls is kept. It never keeps the process alive. @defaultValue 900_000 */
  readonly idleTimeoutMs?: number | undefined
  /** For `https:`: own authorities (`ca`), a client certificate (`cert`, `key`), `servername`, ... */
  readonly tls?: TlsOptions | undefined
  /**
   * An HTTP proxy: its address, such as `http://host:port`, or a function that returns the one for an origin. The connection is a
   * tunnel; TLS is inside of it. A proxy that opens none is `unavailable`, with CoreError `PROXY_REFUSED` or `PROXY_UNREACHABLE`
   * as the cause.
   * @defaultValue none
   */
  readonly proxy?: ProxyOption | undefined
  /** Not together with `proxy`. @defaultValue TCP to the address's host and port */
  readonly createConnection?: CreateConnection | undefined
  /** Decoders by message type; types without one are decoded by protobuf-es. Supervised streams have their own. @defaultValue those of both services */
  readonly decoders?: MessageDecoders | undefined
}

const MIB = 1024 * 1024
/** HTTP/2's smallest window that is any use here: its default (RFC 9113, section 6.9.2). */
const MIN_WINDOW = 65_535
/** Node's longest timer among others. */
const MAX_INT_31 = 0x7f_ff_ff_ff
const CODING = 'a coding with name, compress and decompress, such as gzipCompression'

const compression: Schema<Compression> = (value, option, fail) => {
  const { name, compress, decompress } = isRecord(value) ? value : {}
  if (typeof name === 'string' && [compress, decompress].every((it) => typeof it === 'function')) {
    return value as Compression
  }
  throw fail(option, CODING, describe(value))
}

/** Certificates and keys are read once, here: at each attempt it would be too late to say that they are wrong. */
const tls: Schema<TlsOptions> = (value = {}, option, fail) => {
  if (!isRecord(value)) throw fail(option, 'an object', describe(value))
  const given = { ...value } as TlsOptions
  try {
    createSecureContext(given as ConnectionOptions)
  } catch {
    // OpenSSL's own words may quote what they could not read.
    throw fail(option, 'certificates and keys that OpenSSL can read', 'others')
  }
  return given
}

const decoders: Schema<MessageDecoders> = (value = generatedDecoders, option, fail) => {
  if (isRecord(value) && typeof value.get === 'function') return value as unknown as MessageDecoders
  throw fail(option, 'a Map', describe(value))
}

const pingMs = (fallback: number): Schema<number> => integer({ min: 100, max: 7_200_000, default: fallback })

const KEEP_ALIVE_OPTIONS = {
  intervalMs: pingMs(30_000),
  idleIntervalMs: pingMs(330_000),
  timeoutMs: pingMs(15_000),
} satisfies FieldsOf<KeepAliveOptions>

/** Intervals and timeout of the PINGs, after they were checked. */
export type KeepAlivePolicy = InferFields<typeof KEEP_ALIVE_OPTIONS>

const keepAlive: Schema<KeepAlivePolicy | false> = (value = {}, option, fail) => {
  if (value === false) return value
  if (!isRecord(value)) throw fail(option, 'an object or false', describe(value))
  return readOptions(fail, value, KEEP_ALIVE_OPTIONS, option)
}

/** Schemas of {@link StreamTransportOptions}. */
export const STREAM_TRANSPORT_OPTIONS = {
  baseUrl: origin,
  allowInsecure: boolean(false),
  interceptors: array(func<Interceptor>(), {
    expected: 'an array, of a function each',
    default: [],
  }),
  defaultTimeoutMs: optional(integer({ min: 1, max: MAX_INT_31, default: 1 })),
  acceptCompression: array(compression, {
    expected: `an array, of ${CODING} each`,
    default: [gzipCompression, brotliCompression],
  }),
  sendCompression: optional(compression),
  compressMinBytes: integer({ min: 0, max: MAX_INT_31, default: 1024 }),
  readMaxBytes: integer({ min: 1, max: 0xff_ff_ff_ff, default: 16 * MIB }),
  writeMaxBytes: integer({ min: 1, max: 0xff_ff_ff_ff, default: 16 * MIB }),
  streamWindowBytes: integer({ min: MIN_WINDOW, max: MAX_INT_31 >> 1, default: MIB }),
  readAheadBytes: integer({ min: 1, max: MAX_INT_31, default: MIB }),
  keepAlive,
  connectTimeoutMs: integer({ min: 1, max: MAX_INT_31, default: 20_000 }),
  idleTimeoutMs: integer({ min: 1, max: MAX_INT_31, default: 900_000 }),
  tls,
  proxy: proxyOption,
  createConnection: optional(func<CreateConnection>()),
  decoders,
} satisfies FieldsOf<StreamTransportOptions>

/** Options of a transport after they were checked. */
export interface TransportSettings extends Omit<InferFields<typeof STREAM_TRANSPORT_OPTIONS>, 'baseUrl'> {
  readonly baseUrl: URL
}

/** @throws StreamsError `STREAM_OPTION_INVALID` for two ways to connect. @param parent - Name of the group, with a dot. */
export function requireOneWay(
  { proxy, createConnection }: Pick<TransportSettings, 'proxy' | 'createConnection'>,
  parent = '',
): void {
  if (proxy !== undefined && createConnection !== undefined)
    throw optionInvalid(`${parent}proxy`, `undefined if ${parent}createConnection is set`, 'an address')
}

/** @throws StreamsError `STREAM_OPTION_INVALID`. */
export function readTransportOptions(input: StreamTransportOptions): TransportSettings {
  const { baseUrl, ...read } = readOptions(optionInvalid, input, STREAM_TRANSPORT_OPTIONS)
  requireSecureOrigin(optionInvalid, 'baseUrl', baseUrl, read.allowInsecure)
  requireOneWay(read)
  return { ...read, baseUrl: new URL(baseUrl) }
}
