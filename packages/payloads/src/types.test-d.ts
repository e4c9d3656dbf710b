/** Guarantees of the types, which only the compiler checks. */
import type { StandardSchemaV1 } from '@standard-schema/spec'
import {
  type Decimal,
  type Decoder,
  decimal,
  type Fee,
  type Infer,
  type Instant,
  type ModuleEvent,
  object,
  openEnum,
  optional,
  payloads,
  positionEvent,
  type StandardSchema,
  string,
  type TradeEvent,
  tradeEvent,
} from './index.ts'

// Decoders are Standard Schemas, and the structural interface is the published one.
positionEvent satisfies StandardSchemaV1<unknown, Infer<typeof positionEvent>>
tradeEvent satisfies StandardSchemaV1
export const published: StandardSchemaV1<unknown, string> = string
export const structural: StandardSchema<unknown, string> = published
export const inferred: StandardSchemaV1.InferOutput<typeof decimal> = '1' as Decimal

export function scenes(event: TradeEvent): string {
  event.orderId satisfies string | undefined
  event.fees satisfies readonly Fee[] | undefined
  event.filledTime satisfies Instant | undefined
  switch (event.sceneType) {
    case 'FILLED':
    case 'FINAL_FILLED':
      event.filledTime satisfies Instant
      event.actualCommission satisfies Decimal
      event.fees satisfies readonly Fee[]
      return event.filledTime
    case 'MODIFY_SUCCESS':
    case 'CANCEL_SUCCESS':
      event.filledTime satisfies undefined
      event.fees satisfies readonly Fee[]
      return event.receivableCommission
    case 'PLACE_FAILED':
      event.fees satisfies undefined
      event.actualCommission satisfies undefined
      return event.sceneType
    case 'MODIFY_FAILED':
    case 'CANCEL_FAILED':
      // @ts-expect-error not shown, so perhaps missing
      event.fees satisfies readonly Fee[]
      return event.sceneType
    case undefined:
      return 'no scene'
    default:
      return event.sceneType.toLowerCase()
  }
}

export function modules(event: ModuleEvent): unknown {
  switch (event.module) {
    case 'funding':
      event.eventType satisfies 'FUNDING'
      return event.bizType === 'TRANSFER' ? event.payload.achRelationshipId : event.payload.instantFundingId
    case 'trade':
      return event.payload.sceneType === 'FILLED' ? event.payload.filledTime.length : event.payload.orderId
    case 'corporate-actions':
      return event.payload.to?.[0]?.payouts?.[0]?.amount satisfies Decimal | undefined
    case 'unknown':
    case 'sod':
      event.payload satisfies unknown
      return event.raw
    default:
      return event.envelope.timestamp satisfies Instant | undefined
  }
}

// For an open enum, editors complete the known values. It accepts any other value, which belongs to
// `default:`.
const status = openEnum('OPEN', 'CLOSED')
export function open(value: Infer<typeof status>): string {
  switch (value) {
    case 'OPEN':
      return 'open'
    case 'CLOSED':
      return 'closed'
    default:
      return value === 'SOMETHING_NEW' ? 'new' : value.toLowerCase()
  }
}

// Names, requiredness and nesting are inferred.
const made = object({ accountId: string, items: optional(object({ qty: decimal })) })
type Made = Infer<typeof made>
export const value: Made = { accountId: 'a', extra: {} }
export const nested: Decimal | undefined = value.items?.qty
// @ts-expect-error a required field
export const missing: Made = { extra: {} }
// @ts-expect-error a text is no decimal before it was read as one
export const plain: Decimal = '1'
made satisfies Decoder<Made>
// @ts-expect-error the name of what no field takes
object({ extra: string })

// A registered module replaces the built-in one.
const registered = payloads.with({ TRADE: object({ symbol: string }), SOD: string })
export function replaced(): string {
  const result = registered.module({
    id: '',
    eventType: '',
    position: '',
    timestamp: '',
    version: '',
    payload: '',
  })
  if (!result.ok) return result.raw
  const event = result.value
  // @ts-expect-error the package's own module is gone
  if (event.module === 'trade') return ''
  // @ts-expect-error so is this one
  if (event.module === 'sod') return ''
  if (event.module === 'SOD') return event.payload
  return event.module === 'TRADE' ? event.payload.symbol : event.module
}
