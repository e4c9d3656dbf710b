/** Encoding of a request: headers of gRPC over HTTP/2, and messages in envelopes. */
import { constants, type OutgoingHttpHeaders, sensitiveHeaders } from 'node:http2'
import { type DescMessage, type MessageShape, toBinary } from '@bufbuild/protobuf'
import { Code, ConnectError } from '@connectrpc/connect'
import type { TransportSettings } from './options.ts'

/** Yields one message. */
export async function* oneMessage<T>(message: T): AsyncGenerator<T> {
  yield message
}

/** A timeout has at most eight digits, so long ones have coarser units. */
const MAX_TIMEOUT = 99_999_999
const TIMEOUT_UNITS = [
  ['m', 1],
  ['S', 1000],
  ['M', 60_000],
  ['H', 3_600_000],
] as const
/** Headers that no HPACK table may contain (RFC 7541, section 7.1.3). */
const NEVER_INDEXED = ['x-signature', 'x-access-token', 'authorization', 'cookie']
const HEAD_BYTES = 5

/** The type `HeadersInit`, which Node's types do not have. */
export type HeadersInput = ConstructorParameters<typeof Headers>[0]

/** Returns the headers of a request: those of the caller, except for headers that the protocol sets. */
export function requestHeaders(
  given: HeadersInput,
  timeoutMs: number | undefined,
  settings: Pick<TransportSettings, 'acceptCompression' | 'sendCompression'>,
): Headers {
  const headers = new Headers(given)
  headers.set('content-type', 'application/grpc+proto')
  headers.set('te', 'trailers')
  if (!headers.has('user-agent')) headers.set('user-agent', 'grpc-node-brokerwire')
  if (timeoutMs !== undefined) headers.set('grpc-timeout', encodeTimeout(timeoutMs))
  if (settings.sendCompression !== undefined) headers.set('grpc-encoding', settings.sendCompression.name)
  if (settings.acceptCompression.length > 0) {
    headers.set('grpc-accept-encoding', settings.acceptCompression.map(({ name }) => name).join(','))
  }
  return headers
}

/**
 * Encodes a timeout in the smallest unit that needs at most eight digits, rounded up. The longest timeout is
 * about 11,000 years.
 */
function encodeTimeout(timeoutMs: number): string {
  for (const [unit, unitMs] of TIMEOUT_UNITS) {
    const whole = Math.ceil(timeoutMs / unitMs)
    if (whole <= MAX_TIMEOUT) return `${whole}${unit}`
  }
  return `${MAX_TIMEOUT}H`
}

/** Returns the headers for `node:http2`, with the pseudo-headers of a call. */
export function http2Headers(url: URL, headers: Headers): OutgoingHttpHeaders {
  return {
    [constants.HTTP2_HEADER_METHOD]: 'POST',
    [constants.HTTP2_HEADER_SCHEME]: url.protocol.slice(0, -1),
    [constants.HTTP2_HEADER_AUTHORITY]: url.host,
    [constants.HTTP2_HEADER_PATH]: url.pathname,
    [sensitiveHeaders]: NEVER_INDEXED,
    ...Object.fromEntries(headers),
  }
}

/**
 * Encodes a message with its envelope, and compresses it if it is long enough.
 *
 * @throws ConnectError `resource_exhausted` if it is longer than `writeMaxBytes`.
 */
export async function encodeEnvelope<I extends DescMessage>(
  schema: I,
  message: MessageShape<I>,
  settings: Pick<TransportSettings, 'sendCompression' | 'compressMinBytes' | 'writeMaxBytes'>,
): Promise<Buffer> {
  const plain = toBinary(schema, message)
  const compression = plain.length < settings.compressMinBytes ? undefined : settings.sendCompression
  const body = compression === undefined ? plain : await compression.compress(plain)
  if (body.length > settings.writeMaxBytes) {
    const text = `a message of ${body.length} bytes is longer than writeMaxBytes (${settings.writeMaxBytes})`
    throw new ConnectError(text, Code.ResourceExhausted)
  }
  const envelope = Buffer.allocUnsafe(HEAD_BYTES + body.length)
  envelope[0] = compression === undefined ? 0 : 1
  envelope.writeUInt32BE(body.length, 1)
  envelope.set(body, HEAD_BYTES)
  return envelope
}
