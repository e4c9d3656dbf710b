/**
 * Checks signatures with the signer's verifier, maps the results to the service's 401 codes, and explains
 * them.
 */
import { createHash, createHmac } from 'node:crypto'
import type { Secret } from '@brokerwire/core'
import {
  createVerifier,
  explain as explainCanonical,
  type HeaderCollision,
  type NameOrder,
  type NonceStore,
  type RecordedRequest,
  type RecordedStream,
  type SignatureAlgorithm,
  type Verifier,
  type VerifyInput,
  type VerifyResult,
  type VerifyStreamInput,
} from '@brokerwire/signer'
import { type DiagnosisHashes, diagnoseSignature } from './diagnose-signature.ts'
import type { RpcAuth } from './grpc/rpc-context.ts'
import type { DiagnosedMistake, DiagnosedString } from './request-log.ts'
import { type HostRules, signedHosts } from './signed-host.ts'

/** The hash functions of Node. */
const NODE_HASHES: DiagnosisHashes = {
  digest: (name, bytes) => createHash(name).update(bytes).digest('hex'),
  hmac: (name, key, message) => createHmac(name, key).update(message).digest('base64'),
}

/** Options of the check. */
export interface SignatureCheckOptions {
  /** Returns the secret of an app key. `undefined` if no app has this app key. */
  readonly secretFor: (appKey: string) => Secret | undefined
  readonly signatureWindowMs: number
  readonly algorithms: readonly SignatureAlgorithm[]
  readonly headerCollision: HeaderCollision
  readonly nameOrder: NameOrder
  readonly nonceFormat: 'hex32' | 'any'
  readonly nonces: NonceStore
  readonly tls: object | undefined
  readonly hostPort: HostRules['hostPort']
  /** Whether each result is explained, which needs a second digest of every body. */
  readonly diagnoses: boolean
}

/** Verifies signatures over the received request. `nowMs` is the time of the request. */
export interface SignatureCheck {
  http(input: VerifyInput, nowMs: number): Promise<RpcAuth>
  stream(input: VerifyStreamInput, nowMs: number): Promise<RpcAuth>
}

const MISSING: Readonly<Record<string, string>> = {
  'x-app-key': 'MISSING_APP_KEY',
  'x-signature': 'MISSING_SIGNATURE',
  'x-signature-algorithm': 'MISSING_ALGORITHM',
  'x-signature-nonce': 'MISSING_NONCE',
  'x-timestamp': 'MISSING_TIMESTAMP',
  'x-signature-version': 'VERSION_NOT_SUPPORTED',
}

/** Maximum length of a canonical string that is explained. */
const MAX_EXPLAINED_CHARACTERS = 16_384

/** Adds an explanation to a result. */
async function explain(
  auth: RpcAuth,
  captured: RecordedRequest | RecordedStream,
  diagnose: (canonical: DiagnosedString) => DiagnosedMistake | undefined,
): Promise<RpcAuth> {
  const rejection = auth.ok ? undefined : { code: auth.code, message: auth.message }
  const explanation = await explainCanonical(captured).catch(() => undefined)
  const isShort = explanation !== undefined && explanation.canonical.length <= MAX_EXPLAINED_CHARACTERS
  const canonical = isShort
    ? {
        path: explanation.path,
        entries: explanation.entries,
        digest: explanation.digest?.hex,
        text: explanation.canonical,
      }
    : undefined
  const mistake = canonical && rejection && diagnose(canonical)
  return { ...auth, diagnosis: { canonical, rejection, mistake } }
}

/** Creates the check. */
export function createSignatureCheck(options: SignatureCheckOptions): SignatureCheck {
  const { secretFor, signatureWindowMs: windowMs, algorithms } = options
  const { headerCollision, nameOrder, nonceFormat, nonces } = options
  const hostRules = { isTls: options.tls !== undefined, hostPort: options.hostPort }
  // Each request has its own verifier, whose clock always returns the time of the request. All verifiers
  // share the nonce store.
  const verifierAt = (nowMs: number): Verifier =>
    createVerifier({
      secretFor,
      windowMs,
      algorithms,
      headerCollision,
      nameOrder,
      nonceFormat,
      nonces,
      now: () => nowMs,
    })
  const scheme = options.tls === undefined ? 'http' : 'https'
  const explained = async (auth: RpcAuth, input: VerifyInput | VerifyStreamInput): Promise<RpcAuth> => {
    if (!options.diagnoses) return auth
    const { headers } = input
    const mistakeOf = (body: Uint8Array | undefined) => (canonical: DiagnosedString) => {
      const secret = secretFor(getHeader(headers, 'x-app-key'))?.reveal()
      const algorithm = getHeader(headers, 'x-signature-algorithm')
      const signature = getHeader(headers, 'x-signature')
      return secret === undefined
        ? undefined
        : diagnoseSignature({ canonical, algorithm, signature, secret, body }, NODE_HASHES)
    }
    if ('requestBytes' in input) return explain(auth, input, mistakeOf(input.requestBytes))
    const { host, target, body } = input
    const url = `${scheme}://${host}${target}`
    return explain(auth, { url, host, headers, body, headerCollision, nameOrder }, mistakeOf(body))
  }
  return {
    async http(input, nowMs) {
      const verifier = verifierAt(nowMs)
      const [first, ...others] = signedHosts(input.host, hostRules)
      const verdict = await verifier.verify({ ...input, host: first ?? '' })
      for (const host of isIndependentOfHost(verdict) ? [] : others) {
        const other = await verifier.verify({ ...input, host })
        if (isIndependentOfHost(other)) return explained(toAuth(other), { ...input, host })
      }
      return explained(toAuth(verdict), { ...input, host: first ?? '' })
    },
    async stream(input, nowMs) {
      return explained(toAuth(await verifierAt(nowMs).verifyStream(input)), input)
    },
  }
}

/**
 * Returns the value of a header. It is empty if the header occurs several times, because the client may have
 * signed any of the values.
 */
function getHeader(headers: VerifyInput['headers'], name: string): string {
  const value: unknown = (headers as Readonly<Record<string, unknown>>)[name]
  const [only, ...others]: readonly unknown[] = Array.isArray(value) ? value : [value]
  return typeof only === 'string' && others.length === 0 ? only : ''
}

/**
 * Whether the result does not depend on the host, because the signature is valid or because there is another
 * error than a wrong signature.
 */
function isIndependentOfHost(result: VerifyResult): boolean {
  return result.ok || result.rule !== 'signature'
}

function toAuth(result: VerifyResult): RpcAuth {
  if (result.ok) return result
  const about = result.header === undefined ? '' : ` (${result.header})`
  const reason = result.reason === undefined ? '' : `: ${result.reason}`
  const expected = result.canonical === undefined ? '' : `; expected the signature of ${result.canonical}`
  return { ok: false, code: getErrorCode(result), message: `${result.rule}${about}${reason}${expected}` }
}

function getErrorCode(result: Extract<VerifyResult, { ok: false }>): string {
  switch (result.rule) {
    case 'missing-header':
      return MISSING[result.header ?? ''] ?? 'UNAUTHORIZED'
    case 'timestamp':
      return 'ILLEGAL_TIMESTAMP'
    case 'malformed-header':
      return result.header === 'x-timestamp' ? 'ILLEGAL_TIMESTAMP' : 'UNAUTHORIZED'
    case 'version':
      return 'VERSION_NOT_SUPPORTED'
    case 'algorithm':
      return 'SIGNATURE_ALGORITHM_NOT_SUPPORTED'
    default:
      return 'UNAUTHORIZED'
  }
}
