/** What a module's payload is drawn from, and what comes of it: shared by every function that draws one. */
import type { Market } from './instruments.ts'
import type { WireRandom } from './random.ts'

/** What a payload is drawn from. */
export interface ModulePayloadInput {
  readonly random: WireRandom
  readonly market: Market
  readonly nowMs: number
  readonly accountId: string
  /** Another account, for transfers. */
  readonly otherAccountId: string
}

/** Fields of a payload without `biz_type`, in wire order. */
export type ModulePayload = Readonly<Record<string, unknown>>
