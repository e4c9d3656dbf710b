/** Verdicts of the signer's verifier in the service's words: its 401 codes, and what a person needs to find the fault. */
import type { Secret } from '@brokerwire/core'
import {
  createVerifier,
  type HeaderCollision,
  type NameOrder,
  type NonceStore,
  type SignatureAlgorithm,
  type Verifier,
  type VerifyInput,
  type VerifyResult,
  type VerifyStreamInput,
} from '@brokerwire/signer'
import type { RpcAuth } from './grpc/rpc-context.ts'
import { type HostRules, signedHosts } from './signed-host.ts'

/** What the check works with. */
export interface SignatureCheckOptions {
  /** `undefined`: the app key is nobody's. */
  readonly secretFor: (appKey: string) => Secret | undefined
  readonly signatureWindowMs: number
  readonly algorithms: readonly SignatureAlgorithm[]
  readonly headerCollision: HeaderCollision
  readonly nameOrder: NameOrder
  readonly nonceForm: 'hex32' | 'any'
  readonly nonces: NonceStore
  readonly tls: object | undefined
  readonly hostPort: HostRules['hostPort']
}

/** Checks signatures over what arrived. `nowMs` is the request's own reading of the clock. */
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

/** Makes the check. */
export function createSignatureCheck(options: SignatureCheckOptions): SignatureCheck {
  const { secretFor, signatureWindowMs: windowMs, algorithms } = options
  const { headerCollision, nameOrder, nonceForm, nonces } = options
  const hostRules = { isTls: options.tls !== undefined, hostPort: options.hostPort }
  // One for each request: its clock stands still, and what it remembers is shared by all.
  const verifierAt = (nowMs: number): Verifier =>
    createVerifier({
      secretFor,
      windowMs,
      algorithms,
      headerCollision,
      nameOrder,
      nonceForm,
      nonces,
      now: () => nowMs,
    })
  return {
    async http(input, nowMs) {
      const verifier = verifierAt(nowMs)
      const [first, ...others] = signedHosts(input.host, hostRules)
      const verdict = await verifier.verify({ ...input, host: first ?? '' })
      for (const host of isOtherwiseRight(verdict) ? [] : others) {
        const other = await verifier.verify({ ...input, host })
        if (isOtherwiseRight(other)) return toAuth(other)
      }
      return toAuth(verdict)
    },
    stream: async (input, nowMs) => toAuth(await verifierAt(nowMs).verifyStream(input)),
  }
}

/** Whether another host would change nothing: the signature is right, or something else is wrong. */
function isOtherwiseRight(result: VerifyResult): boolean {
  return result.ok || result.rule !== 'signature'
}

function toAuth(result: VerifyResult): RpcAuth {
  if (result.ok) return result
  const about = result.header === undefined ? '' : ` (${result.header})`
  const reason = result.reason === undefined ? '' : `: ${result.reason}`
  const expected = result.canonical === undefined ? '' : `; expected the signature of ${result.canonical}`
  return { ok: false, code: codeOf(result), message: `${result.rule}${about}${reason}${expected}` }
}

function codeOf(result: Extract<VerifyResult, { ok: false }>): string {
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
