/** Input and output of the functions that generate module payloads. */
import type { Market } from './instruments.ts'
import type { WireRandom } from './random.ts'

/** Input of a function that generates a payload. */
export interface ModulePayloadInput {
  readonly random: WireRandom
  readonly market: Market
  readonly nowMs: number
  readonly accountId: string
  /** Another account, for transfers. */
  readonly otherAccountId: string
}

/** Fields of a payload in wire order, without `biz_type`. */
export type ModulePayload = Readonly<Record<string, unknown>>
