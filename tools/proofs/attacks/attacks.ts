/**
 * `pnpm proof attacks [--count N]`: attacks on the packages and on real servers. Each kind has a promise that
 * its attacks must not break.
 */
import type { Case, CaseContext, Proof } from '../harness.ts'
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
  /** Approximate number of attacks. */
  readonly total: number
  attack(sort: string): void
}

export interface Kind {
  readonly name: string
  /** The promise that no attack may break. */
  readonly promise: string
  /** Numbers of attacks in the full form and in the short form. */
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
    context.check(attacks > 0, 'no attack was made')
    return { attacks, ...sorts }
  },
})

export const proof: Proof = {
  flags: { count: 'approximate number of attacks of each kind' },
  cases: ({ flag }) => KINDS.map((kind) => caseOf(kind, flag('count', ...kind.counts))),
}
