/**
 * Conversion of gRPC statuses, HTTP statuses and HTTP/2 error codes to a `ConnectError`.
 *
 * A grpc-status is used with any HTTP status. Without one, the tables of "gRPC over HTTP/2" and of "HTTP to gRPC Status Code
 * Mapping" apply. TRANSPORT-RULES.md lists each difference from Connect's own functions.
 */
import { Code, ConnectError } from '@connectrpc/connect'
import { findTrailerError } from '@connectrpc/connect/protocol-grpc'

/**
 * Returns a text of the server for an error message, or only its length if it is long. The text is never cut,
 * because the redactor would not find a secret of which a part is missing.
 */
export function quoted(text: string): string {
  return text.length <= 100 ? text : `one of ${text.length} characters`
}

const DETAILS = 'grpc-status-details-bin'

/**
 * Reads the status from trailers, or from the headers of a Trailers-Only response.
 *
 * @returns `undefined` without a status, `'ok'`, or the error. Its metadata contains `fields` and `more`.
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

/**
 * Decodes percent-encoding. An invalid escape stays as it is, because a wrong message must not hide the
 * status.
 */
function decodeMessage(text: string): string {
  return text.replace(/(?:%[\da-f]{2})+/gi, (run) => Buffer.from(run.replaceAll('%', ''), 'hex').toString())
}

function readDetails(fields: Headers): ConnectError['details'] {
  const value = fields.get(DETAILS)
  if (value === null) return []
  try {
    return findTrailerError(new Headers({ [DETAILS]: value }))?.details ?? []
  } catch {
    // The metadata still contains the details.
    return []
  }
}

/** Returns the error of a response without a grpc-status, by its HTTP status. */
export function errorWithoutStatus(httpStatus: number, header: Headers): ConnectError {
  const subject = httpStatus === 200 ? 'the response ended' : `HTTP ${httpStatus}`
  return new ConnectError(`${subject} without a grpc-status`, HTTP_CODES[httpStatus] ?? Code.Unknown, header)
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

/** Returns the error of a content type that is not gRPC's. */
export function contentTypeError(header: Headers): ConnectError | undefined {
  const value = header.get('content-type')
  if (value !== null && /^application\/grpc(?:\+proto)?\s*(?:;|$)/i.test(value)) return undefined
  const received = value === null ? 'none' : quoted(value)
  return new ConnectError(
    `the content type of a response must be application/grpc; received ${received}`,
    Code.Unknown,
    header,
  )
}

/** Returns the error of a stream that the server reset, by the table of "gRPC over HTTP/2". */
export function resetError(http2Code: number): ConnectError {
  const name = RESETS[http2Code] ?? `code ${http2Code}`
  return new ConnectError(`the server reset the stream: ${name}`, RESET_CODES[name] ?? Code.Internal)
}

/** Names of the HTTP/2 error codes, by code (RFC 9113, section 7). */
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
/**
 * Codes by the name of the HTTP/2 error. All other errors are INTERNAL in gRPC's table, or are not in the
 * table.
 */
const RESET_CODES: Readonly<Record<string, Code>> = {
  REFUSED_STREAM: Code.Unavailable,
  CANCEL: Code.Canceled,
  ENHANCE_YOUR_CALM: Code.ResourceExhausted,
  INADEQUATE_SECURITY: Code.PermissionDenied,
}
