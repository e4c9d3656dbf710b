/** Validation of the signature headers, before any key is used. */
import { SIGNATURE_VERSION, type SignatureAlgorithm } from './algorithms.ts'
import type { SignatureHeaderValues } from './canonical-request.ts'
import { type HeadersInput, headerValues } from './headers.ts'
import { timestampText } from './timestamp.ts'
import type { VerifyFailure, VerifyRule } from './verify-result.ts'

/** Headers in the order of validation. */
const HEADERS = [
  'x-app-key',
  'x-signature-algorithm',
  'x-signature-version',
  'x-signature-nonce',
  'x-timestamp',
  'x-signature',
] as const
const HEADER_NAMES: ReadonlySet<string> = new Set(HEADERS)

/** Matches a valid signature header or host: 1 to 512 visible ASCII characters. */
export const VISIBLE = /^[!-~]{1,512}$/

/** Pattern of each nonce format. */
export const NONCE_FORMATS = { hex32: /^[\da-f]{32}$/, any: VISIBLE } as const

/** Format of accepted nonces: 32 lower-case hex characters as in the specification, or any visible ASCII. */
export type NonceFormat = keyof typeof NONCE_FORMATS

/** The headers of a signature after validation. */
export interface SignatureFields {
  readonly ok: true
  readonly headers: SignatureHeaderValues
  readonly algorithm: SignatureAlgorithm
  /** The timestamp, in milliseconds since the Unix epoch. */
  readonly atMs: number
  readonly signature: string
}

/** Returns the instant of a timestamp, in milliseconds since the Unix epoch; `NaN` if it is malformed. */
export function parseTimestamp(timestamp: string): number {
  const atMs = Date.parse(timestamp)
  return timestampText(atMs) === timestamp ? atMs : Number.NaN
}

/** Creates the failure of a rule about a header. */
export const verifyFailure = (rule: VerifyRule, header: string, reason?: string): VerifyFailure =>
  reason === undefined ? { ok: false, rule, header } : { ok: false, rule, header, reason }

/**
 * Parses and validates the headers of a signature.
 *
 * @param algorithms - Accepted algorithms.
 * @param nonceFormat - Pattern of accepted nonces.
 * @param getInstant - {@link parseTimestamp}, or a memoized version.
 */
export function parseSignatureHeaders(
  given: HeadersInput,
  algorithms: readonly SignatureAlgorithm[],
  nonceFormat: RegExp,
  getInstant: (timestamp: string) => number,
): SignatureFields | VerifyFailure {
  const values = headerValues(given, HEADER_NAMES)
  const texts: string[] = []
  for (const header of HEADERS) {
    const [value, second] = values.get(header) ?? []
    if (value === undefined || value === '') return verifyFailure('missing-header', header)
    if (second !== undefined) return verifyFailure('repeated-header', header)
    const form = header === 'x-signature-nonce' ? nonceFormat : VISIBLE
    if (!form.test(value)) return verifyFailure('malformed-header', header)
    texts.push(value)
  }
  const [appKey = '', name = '', version = '', nonce = '', timestamp = '', signature = ''] = texts
  if (version !== SIGNATURE_VERSION) return verifyFailure('version', 'x-signature-version')
  const algorithm = algorithms.find((known) => known === name)
  if (algorithm === undefined) return verifyFailure('algorithm', 'x-signature-algorithm')
  const atMs = getInstant(timestamp)
  if (Number.isNaN(atMs)) return verifyFailure('malformed-header', 'x-timestamp')
  const headers = {
    'x-app-key': appKey,
    'x-signature-algorithm': algorithm,
    'x-signature-nonce': nonce,
    'x-signature-version': version,
    'x-timestamp': timestamp,
  }
  return { ok: true, headers, algorithm, atMs, signature }
}

/** Returns the failure of a timestamp outside of the window; `undefined` if it is within the window. */
export function checkWindow(atMs: number, nowMs: number, windowMs: number): VerifyFailure | undefined {
  const aheadMs = atMs - nowMs
  if (Math.abs(aheadMs) <= windowMs) return undefined
  const seconds = Math.round(Math.abs(aheadMs) / 1000)
  return verifyFailure(
    'timestamp',
    'x-timestamp',
    `${seconds} s ${aheadMs > 0 ? 'ahead of' : 'behind'} this clock`,
  )
}
