/** `pnpm proof attacks [--count N]`: attacks on the packages and on real servers, by kind, and what each kind must not break. */
import type { Case, CaseContext, Proof } from '../frame.ts'
import { fileStore } from './file-store.ts'
import { hosts } from './hosts.ts'
import { http } from './http.ts'
import { http2 } from './http2.ts'
import { jsonBodies } from './json-bodies.ts'
import { partitions } from './partitions.ts'
import { quotes } from './quotes.ts'
import { redirects } from './redirects.ts'
import { restarts } from './restarts.ts'
import { shortSecrets } from './short-secrets.ts'
import { signer } from './signer.ts'
import { streamContents } from './stream-contents.ts'
import { texts } from './texts.ts'
import { verifier } from './verifier.ts'

export interface AttackContext extends CaseContext {
  /** Number of attacks to make, approximately. */
  readonly total: number
  attack(sort: string): void
}

export interface Kind {
  readonly name: string
  /** The promise that no attacker may break. */
  readonly promise: string
  /** Numbers of attacks in the full and in the short form. */
  readonly counts: readonly [full: number, short: number]
  run(context: AttackContext): Promise<void>
}

const KINDS: readonly Kind[] = [
  verifier,
  signer,
  hosts,
  http,
  http2,
  fileStore,
  partitions,
  restarts,
  streamContents,
  quotes,
  texts,
  jsonBodies,
  redirects,
  shortSecrets,
]
const SHORT: readonly Kind[] = [
  verifier,
  signer,
  hosts,
  http2,
  restarts,
  streamContents,
  texts,
  jsonBodies,
  redirects,
  shortSecrets,
]

const caseOf = (kind: Kind, total: number): Case => ({
  name: kind.name,
  promise: kind.promise,
  inShort: SHORT.includes(kind),
  async run(context) {
    const sorts: Record<string, number> = {}
    const attack = (sort: string): void => {
      sorts[sort] = (sorts[sort] ?? 0) + 1
    }
    await kind.run({ ...context, total, attack })
    const attacks = Object.values(sorts).reduce((sum, count) => sum + count, 0)
    context.promise(attacks > 0, 'nothing was attacked')
    return { attacks, ...sorts }
  },
})

export const proof: Proof = {
  flags: { count: 'attacks of each kind, approximately' },
  cases: ({ flag }) => KINDS.map((kind) => caseOf(kind, flag('count', ...kind.counts))),
}
