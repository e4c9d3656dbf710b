/** The payload of the position stream: the settlement of an event contract's position. */
import { decimal } from '../combinators/decimal.ts'
import { object } from '../combinators/object.ts'
import { string } from '../combinators/string.ts'
import type { Infer } from '../decoder.ts'

/** Fields of a settlement, on the position stream and in the event contract module. */
export const SETTLEMENT_FIELDS = {
  eventName: string,
  yesCondition: string,
  /** Values are not published. */
  settleResult: string,
  /** Values are not published. */
  settleSide: string,
  quantity: decimal,
  cost: decimal,
  settleAmount: decimal,
} as const

/** Decodes a position event. Source: specification, Position event payload. */
export const positionEvent = object(SETTLEMENT_FIELDS)

/** The payload of a position event. */
export type PositionPayload = Infer<typeof positionEvent>
