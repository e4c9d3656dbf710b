/** Options of the transport, checked once, with their defaults. */
import { type ConnectionOptions, createSecureContext } from 'node:tls'
import {
  anyRow,
  describe,
  functionRow,
  integerRow,
  isRecord,
  listRow,
  type OptionRow,
  type OptionsRead,
  optionalRow,
  readOptionTable,
  readOrigin,
  requireFunction,
  requireObject,
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

/** Options of `createStreamTransport`. */
export interface StreamTransportOptions {
  /** Where the service is: an origin, for example `'https://events-api.example.com'`. */
  readonly baseUrl: string
  /**
   * Takes `http:` on hosts that are not loopback: whoever is on the way reads tokens, and may change what is said.
   * @defaultValue false
   */
  readonly allowInsecure?: boolean | undefined
  /** Run around every call, the first one outermost, as in connect-node. */
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
  /**
   * Time without data after which an HTTP/2 PING is sent while a call is open, twice at most until data comes again.
   * `'off'`: never. Doubled where the server ends a connection with ENHANCE_YOUR_CALM. @defaultValue 30_000
   */
  readonly pingIntervalMs?: number | 'off' | undefined
  /**
   * The interval of the PINGs after those two. Servers of gRPC allow five minutes by default; for one that allows more
   * it may be as short as `pingIntervalMs`. Doubled together with that. @defaultValue 330_000
   */
  readonly quietPingIntervalMs?: number | undefined
  /** Time without an answer and without data, after a PING, before the connection counts as dead. @defaultValue 15_000 */
  readonly pingTimeoutMs?: number | undefined
  /** Time for TCP and TLS together. @defaultValue 20_000 */
  readonly connectTimeoutMs?: number | undefined
  /** How long a connection without calls is kept. It never keeps the process alive. @defaultValue 900_000 */
  readonly idleTimeoutMs?: number | undefined
  /** For `https:`: own authorities (`ca`), a client certificate (`cert`, `key`), `servername`, ... */
  readonly tls?: TlsOptions | undefined
  /** @defaultValue TCP to the address's host and port */
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

const compression: OptionRow<Compression> = (fail, option, value) => {
  const { name, compress, decompress } = isRecord(value) ? value : {}
  if (typeof name === 'string' && [compress, decompress].every((it) => typeof it === 'function')) {
    return value as Compression
  }
  throw fail(option, CODING, describe(value))
}

/** Certificates and keys are read once, here: at each attempt it would be too late to say that they are wrong. */
const tls: OptionRow<TlsOptions> = (fail, option, value = {}) => {
  requireObject(fail, option, value)
  const given = { ...value } as TlsOptions
  try {
    createSecureContext(given as ConnectionOptions)
  } catch {
    // OpenSSL's own words may quote what they could not read.
    throw fail(option, 'certificates and keys that OpenSSL can read', 'others')
  }
  return given
}

const decoders: OptionRow<MessageDecoders> = (fail, option, value = generatedDecoders) => {
  if (isRecord(value) && typeof value.get === 'function') return value as unknown as MessageDecoders
  throw fail(option, 'a Map', describe(value))
}

const pingMs = (fallback: number): OptionRow<number> => integerRow(100, 7_200_000, fallback)
const ROWS = {
  baseUrl: anyRow<string>(),
  allowInsecure: anyRow<boolean | undefined>(),
  interceptors: listRow('an array, of a function each', requireFunction<Interceptor>, []),
  defaultTimeoutMs: optionalRow(integerRow(1, MAX_INT_31, 1)),
  acceptCompression: listRow(`an array, of ${CODING} each`, compression, [
    gzipCompression,
    brotliCompression,
  ]),
  sendCompression: optionalRow(compression),
  compressMinBytes: integerRow(0, MAX_INT_31, 1024),
  readMaxBytes: integerRow(1, 0xff_ff_ff_ff, 16 * MIB),
  writeMaxBytes: integerRow(1, 0xff_ff_ff_ff, 16 * MIB),
  streamWindowBytes: integerRow(MIN_WINDOW, MAX_INT_31 >> 1, MIB),
  readAheadBytes: integerRow(1, MAX_INT_31, MIB),
  pingIntervalMs: (fail, option, value) =>
    value === 'off' ? undefined : pingMs(30_000)(fail, option, value),
  quietPingIntervalMs: pingMs(330_000),
  pingTimeoutMs: pingMs(15_000),
  connectTimeoutMs: integerRow(1, MAX_INT_31, 20_000),
  idleTimeoutMs: integerRow(1, MAX_INT_31, 900_000),
  tls,
  createConnection: functionRow<CreateConnection>(),
  decoders,
} satisfies Record<keyof StreamTransportOptions, OptionRow<unknown>>

/** The options, read. */
export type TransportSettings = Omit<OptionsRead<typeof ROWS>, 'baseUrl'> & { readonly baseUrl: URL }

/**
 * @param name - Which option of somebody else they are, for the message: `'connection'`.
 * @throws StreamsError `STREAM_OPTION_INVALID`.
 */
export function readTransportOptions(input: StreamTransportOptions, name = 'options'): TransportSettings {
  const settings = readOptionTable(optionInvalid, name, input, ROWS)
  const origin = readOrigin(optionInvalid, 'baseUrl', settings.baseUrl, settings.allowInsecure)
  return { ...settings, baseUrl: new URL(origin) }
}
