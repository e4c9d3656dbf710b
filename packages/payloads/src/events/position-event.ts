/** A position of an event contract was settled: the payload of the position stream. */
import { decimal } from '../combinators/decimal.ts'
import { record } from '../combinators/record.ts'
import { text } from '../combinators/text.ts'
import type { Infer } from '../decoder.ts'

/** Fields of a settlement, on the position stream and in the event contract module. */
export const SETTLEMENT_FIELDS = {
  eventName: text,
  yesCondition: text,
  /** Values are not published. */
  settleResult: text,
  /** Values are not published. */
  settleSide: text,
  quantity: decimal,
  cost: decimal,
  settleAmount: decimal,
} as const

/** Decodes a position event. Source: specification, Position event payload. */
export const positionEvent = record(SETTLEMENT_FIELDS)

/** The payload of a position event. */
export type PositionPayload = Infer<typeof positionEvent>
