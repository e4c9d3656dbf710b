/** Input and output of the functions that generate module payloads. */
import type { Market } from './instruments.ts'
import type { WireRandom } from './random.ts'

/** Input of a payload. */
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
