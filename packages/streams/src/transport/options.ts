/** Options of the transport, checked once, with their defaults. */
import { type ConnectionOptions, createSecureContext } from 'node:tls'
import {
  describe,
  isRecord,
  ownOption,
  readFunction,
  readInteger,
  readOrigin,
  requireKnownOptions,
  requireObject,
} from '@brokerwire/core'
import type { Interceptor } from '@connectrpc/connect'
import type { Compression } from '@connectrpc/connect/protocol'
import { optionInvalid } from '../streams-error.ts'
import { brotliCompression, gzipCompression } from './compression.ts'
import type { MessageDecoders } from './decoding/decoder.ts'
import { generatedDecoders } from './decoding/generated-decoders.ts'
import type { DuplexLike, TlsOptions } from './host-types.ts'
import type { KeepAlivePolicy } from './keep-alive.ts'

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
  /** Decoders by message type; types without one are decoded by protobuf-es. @defaultValue those of both services */
  readonly decoders?: MessageDecoders | undefined
}

/** The options, read. */
export interface TransportSettings {
  readonly baseUrl: URL
  readonly interceptors: readonly Interceptor[]
  readonly defaultTimeoutMs: number | undefined
  readonly acceptCompression: readonly Compression[]
  readonly sendCompression: Compression | undefined
  readonly compressMinBytes: number
  readonly readMaxBytes: number
  readonly writeMaxBytes: number
  readonly streamWindowBytes: number
  readonly readAheadBytes: number
  readonly keepAlive: KeepAlivePolicy
  readonly connectTimeoutMs: number
  readonly idleTimeoutMs: number
  readonly tls: TlsOptions
  readonly createConnection: CreateConnection | undefined
  readonly decoders: MessageDecoders
}

const TRANSPORT_OPTIONS = [
  'baseUrl',
  'allowInsecure',
  'interceptors',
  'defaultTimeoutMs',
  'acceptCompression',
  'sendCompression',
  'compressMinBytes',
  'readMaxBytes',
  'writeMaxBytes',
  'streamWindowBytes',
  'readAheadBytes',
  'pingIntervalMs',
  'quietPingIntervalMs',
  'pingTimeoutMs',
  'connectTimeoutMs',
  'idleTimeoutMs',
  'tls',
  'createConnection',
  'decoders',
] as const satisfies readonly (keyof StreamTransportOptions)[]
const MIB = 1024 * 1024
/** HTTP/2's smallest window that is any use here: its default (RFC 9113, section 6.9.2). */
const MIN_WINDOW = 65_535
const MAX_INT_31 = 0x7f_ff_ff_ff
/** Node's longest timer. */
const MAX_TIMER_MS = MAX_INT_31

/**
 * Checks the options.
 *
 * @param path - Where they stand among options of somebody else, for the message: `'connection.'`.
 * @throws StreamsError `STREAM_OPTION_INVALID`.
 */
export function readTransportOptions(input: StreamTransportOptions, path = ''): TransportSettings {
  requireObject(optionInvalid, 'options', input)
  requireKnownOptions(optionInvalid, input, TRANSPORT_OPTIONS)
  const integer = (
    option: keyof StreamTransportOptions,
    min: number,
    max: number,
    fallback: number,
  ): number => readInteger(optionInvalid, path + option, input[option], { min, max, fallback })
  return {
    baseUrl: new URL(
      readOrigin(optionInvalid, `${path}baseUrl`, input.baseUrl, {
        allowInsecure: ownOption(input, 'allowInsecure'),
      }),
    ),
    interceptors: readList(`${path}interceptors`, input.interceptors, [], 'a function', isFunction),
    defaultTimeoutMs:
      input.defaultTimeoutMs === undefined ? undefined : integer('defaultTimeoutMs', 1, MAX_TIMER_MS, 1),
    acceptCompression: readList(
      `${path}acceptCompression`,
      input.acceptCompression,
      [gzipCompression, brotliCompression],
      CODING,
      isCompression,
    ),
    sendCompression: readCompression(`${path}sendCompression`, input.sendCompression),
    compressMinBytes: integer('compressMinBytes', 0, MAX_INT_31, 1024),
    readMaxBytes: integer('readMaxBytes', 1, 0xff_ff_ff_ff, 16 * MIB),
    writeMaxBytes: integer('writeMaxBytes', 1, 0xff_ff_ff_ff, 16 * MIB),
    streamWindowBytes: integer('streamWindowBytes', MIN_WINDOW, MAX_INT_31 >> 1, MIB),
    readAheadBytes: integer('readAheadBytes', 1, MAX_INT_31, MIB),
    keepAlive: {
      intervalMs:
        input.pingIntervalMs === 'off' ? undefined : integer('pingIntervalMs', 100, 7_200_000, 30_000),
      quietIntervalMs: integer('quietPingIntervalMs', 100, 7_200_000, 330_000),
      timeoutMs: integer('pingTimeoutMs', 100, 7_200_000, 15_000),
    },
    connectTimeoutMs: integer('connectTimeoutMs', 1, MAX_TIMER_MS, 20_000),
    idleTimeoutMs: integer('idleTimeoutMs', 1, MAX_TIMER_MS, 900_000),
    tls: readTls(`${path}tls`, input.tls),
    createConnection:
      input.createConnection === undefined
        ? undefined
        : readFunction(
            optionInvalid,
            `${path}createConnection`,
            input.createConnection,
            input.createConnection,
          ),
    decoders: readDecoders(`${path}decoders`, input.decoders),
  }
}

const CODING = 'a coding with name, compress and decompress, such as gzipCompression'

const isFunction = (value: unknown): boolean => typeof value === 'function'

const isCompression = (value: unknown): boolean =>
  isRecord(value) &&
  typeof value.name === 'string' &&
  isFunction(value.compress) &&
  isFunction(value.decompress)

function readList<T>(
  option: string,
  input: readonly T[] | undefined,
  fallback: readonly T[],
  elements: string,
  fits: (value: unknown) => boolean,
): readonly T[] {
  if (input === undefined) return fallback
  if (!Array.isArray(input)) throw optionInvalid(option, `an array, of ${elements} each`, describe(input))
  const wrong = input.findIndex((value) => !fits(value))
  if (wrong >= 0) throw optionInvalid(`${option}[${wrong}]`, elements, describe(input[wrong]))
  return [...input]
}

function readCompression(option: string, input: Compression | undefined): Compression | undefined {
  if (input !== undefined && !isCompression(input)) throw optionInvalid(option, CODING, describe(input))
  return input
}

/** Certificates and keys are read once, here: at each attempt it would be too late to say that they are wrong. */
function readTls(option: string, input: TlsOptions | undefined): TlsOptions {
  if (input === undefined) return {}
  requireObject(optionInvalid, option, input)
  const tls = { ...input }
  try {
    createSecureContext(tls as ConnectionOptions)
  } catch {
    // OpenSSL's own words may quote what they could not read.
    throw optionInvalid(option, 'certificates and keys that OpenSSL can read', 'others')
  }
  return tls
}

function readDecoders(option: string, input: MessageDecoders | undefined): MessageDecoders {
  if (input === undefined) return generatedDecoders
  if (!isRecord(input) || !isFunction(input.get)) throw optionInvalid(option, 'a Map', describe(input))
  return input
}
