/**
 * Whether a request that failed without an answer left this process.
 *
 * It decides what may be repeated, so only failures that are known to come before the first byte count as not sent:
 * name resolution, the connection, the server's certificate. Hosts that say nothing of it get the careful answer.
 */

/** What is known of a failure. */
export interface FetchFailure {
  readonly sent: boolean
  /** A code such as `ECONNRESET`, or the error's name. Never a message: it may quote a header. */
  readonly reason: string
}

const BEFORE_SENDING: ReadonlySet<string> = new Set([
  'UND_ERR_CONNECT_TIMEOUT',
  // The host refuses the request itself.
  'UND_ERR_INVALID_ARG',
  'UND_ERR_NOT_SUPPORTED',
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  // Of the handshake alone. Other alerts may come after the request went out, as TLS 1.3 does not wait, and so may
  // ERR_SSL_WRONG_VERSION_NUMBER, where somebody on the way writes plain text into a connection that stands.
  'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION',
  'ERR_SSL_UNSUPPORTED_PROTOCOL',
  'ERR_SSL_TLSV1_UNRECOGNIZED_NAME',
  // Bun
  'ConnectionRefused',
])
const CALLS_BEFORE_SENDING: ReadonlySet<unknown> = new Set(['connect', 'getaddrinfo'])
const WORD = /^\w{1,60}$/
const MAX_DEPTH = 5

/** Reads what a host's `fetch` threw. A replaced one may throw anything, getters that throw as well. */
export function readFetchFailure(thrown: unknown): FetchFailure {
  try {
    return readChain(thrown)
  } catch {
    return { sent: true, reason: 'unknown' }
  }
}

function readChain(thrown: unknown): FetchFailure {
  let reason: string | undefined
  let error = thrown
  for (let depth = 0; depth < MAX_DEPTH && typeof error === 'object' && error !== null; depth += 1) {
    const { code, syscall, message, cause, errors } = error as Record<string, unknown>
    if (typeof code === 'string' && WORD.test(code)) reason = code
    if (CALLS_BEFORE_SENDING.has(syscall) || (reason !== undefined && BEFORE_SENDING.has(reason))) {
      return { sent: false, reason: reason ?? 'connect' }
    }
    // Node's own, for a server that leaves before the handshake is done: no call of the system failed, and the address
    // stands beside it. (A reset in the handshake looks like any other.)
    if (code === 'ECONNRESET' && syscall === undefined && 'host' in error && 'localAddress' in error)
      return { sent: false, reason: code }
    if (message === 'bad port') return { sent: false, reason: 'bad_port' }
    // Several addresses that were tried: each failed in the same phase.
    error = Array.isArray(errors) ? errors[0] : cause
  }
  const name = (thrown as { name?: unknown } | null | undefined)?.name
  return { sent: true, reason: reason ?? (typeof name === 'string' && WORD.test(name) ? name : 'unknown') }
}
