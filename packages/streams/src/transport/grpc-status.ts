/**
 * What a response says about how the call went: gRPC status, HTTP status and HTTP/2 codes as one `ConnectError`.
 *
 * Where a grpc-status is there it is used, whatever the HTTP status. Where none is there, the tables of "gRPC over
 * HTTP/2" and of "HTTP to gRPC Status Code Mapping" decide. Connect's own helpers differ in details; each difference
 * stands in the table of rules beside this file.
 */
import { Code, ConnectError } from '@connectrpc/connect'
import { findTrailerError } from '@connectrpc/connect/protocol-grpc'

/**
 * Somebody else's text within a message of ours: whole, or how long it is where that is too much, because who knows the
 * secrets that it may quote does not recognize one that was cut.
 */
export function quoted(text: string): string {
  return text.length <= 100 ? text : `one of ${text.length} characters`
}

const DETAILS = 'grpc-status-details-bin'

/**
 * The status in trailers, or in the headers of a trailers-only response.
 *
 * @returns `undefined` where there is none; `'ok'`; or the error, whose metadata is `fields` and then `more`.
 */
export function readGrpcStatus(fields: Headers, more?: Headers): 'ok' | ConnectError | undefined {
  const text = fields.get('grpc-status')
  if (text === null) return undefined
  if (text === '0') return 'ok'
  const metadata = more === undefined ? fields : new Headers([...fields, ...more])
  const code = /^\d{1,3}$/.test(text) ? Number(text) : undefined
  if (code === undefined || Code[code] === undefined) {
    return new ConnectError(`unknown grpc-status: ${quoted(text)}`, Code.Unknown, metadata)
  }
  const error = new ConnectError(decodeMessage(fields.get('grpc-message') ?? ''), code, metadata)
  error.details = readDetails(fields)
  return error
}

/** Undoes percent-encoding. An escape that is none stays as it is: a status must not be lost over its text. */
function decodeMessage(text: string): string {
  return text.replace(/(?:%[\da-f]{2})+/gi, (run) => Buffer.from(run.replaceAll('%', ''), 'hex').toString())
}

function readDetails(fields: Headers): ConnectError['details'] {
  const value = fields.get(DETAILS)
  if (value === null) return []
  try {
    return findTrailerError(new Headers({ [DETAILS]: value }))?.details ?? []
  } catch {
    // Details that cannot be read are no reason to lose the status: the metadata still has them.
    return []
  }
}

export function errorWithoutStatus(httpStatus: number, header: Headers): ConnectError {
  const what = httpStatus === 200 ? 'the response ended' : `HTTP ${httpStatus}`
  return new ConnectError(`${what} without a grpc-status`, HTTP_CODES[httpStatus] ?? Code.Unknown, header)
}

const HTTP_CODES: Readonly<Record<number, Code>> = {
  400: Code.Internal,
  401: Code.Unauthenticated,
  403: Code.PermissionDenied,
  404: Code.Unimplemented,
  429: Code.Unavailable,
  502: Code.Unavailable,
  503: Code.Unavailable,
  504: Code.Unavailable,
}

/** `undefined` where the content type is gRPC's. */
export function contentTypeError(header: Headers): ConnectError | undefined {
  const value = header.get('content-type')
  if (value !== null && /^application\/grpc(?:\+proto)?\s*(?:;|$)/i.test(value)) return undefined
  const text = value === null ? 'no content type' : `content type ${quoted(value)}`
  return new ConnectError(`expected content type application/grpc, got ${text}`, Code.Unknown, header)
}

/** The error for a stream that the server reset, by the table of "gRPC over HTTP/2". */
export function resetError(http2Code: number): ConnectError {
  const name = RESETS[http2Code] ?? `code ${http2Code}`
  return new ConnectError(`the server reset the stream: ${name}`, RESET_CODES[name] ?? Code.Internal)
}

/** RFC 9113 section 7, in its order. */
const RESETS: readonly string[] = [
  'NO_ERROR',
  'PROTOCOL_ERROR',
  'INTERNAL_ERROR',
  'FLOW_CONTROL_ERROR',
  'SETTINGS_TIMEOUT',
  'STREAM_CLOSED',
  'FRAME_SIZE_ERROR',
  'REFUSED_STREAM',
  'CANCEL',
  'COMPRESSION_ERROR',
  'CONNECT_ERROR',
  'ENHANCE_YOUR_CALM',
  'INADEQUATE_SECURITY',
  'HTTP_1_1_REQUIRED',
]
/** STREAM_CLOSED and HTTP_1_1_REQUIRED have no row in gRPC's table; the others that are not here are INTERNAL there. */
const RESET_CODES: Readonly<Record<string, Code>> = {
  REFUSED_STREAM: Code.Unavailable,
  CANCEL: Code.Canceled,
  ENHANCE_YOUR_CALM: Code.ResourceExhausted,
  INADEQUATE_SECURITY: Code.PermissionDenied,
}
