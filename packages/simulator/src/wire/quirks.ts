/**
 * Adds quirks of the published examples to payloads, because a decoder must accept them. Quirks are off by
 * default. If they are enabled, about every second payload gets one quirk that is possible for it. The seed
 * decides which one.
 */
import type { WireRandom } from './random.ts'

/** `'none'`: payloads as documented. `'as-seen'`: with quirks, as in published examples. */
export type Quirks = 'none' | 'as-seen'

type Fields = Readonly<Record<string, unknown>>
type Quirk = (payload: Fields) => Fields | undefined

const QUIRKS: readonly [Quirk, ...Quirk[]] = [
  // A key with a trailing space.
  (payload) => renameKey(payload, 'symbol', 'symbol '),
  // A missing order_id.
  (payload) => without(payload, 'order_id'),
  // Numbers where strings are documented.
  (payload) => asNumber(payload, 'qty') ?? asNumber(payload, 'year') ?? asNumber(payload, 'quantity'),
  // Another spelling of the key of a corporate action's identifier.
  (payload) => renameKey(payload, 'event_id', 'eventId'),
  // Extra keys.
  (payload) => ({ ...payload, secAccountId: 123_456_789_012_345, requestId: 'extra' }),
]

/** Returns the payload with one quirk, or the unchanged payload. */
export function applyQuirks(payload: Fields, random: WireRandom): Fields {
  if (!random.chance(0.5)) return payload
  const variants = QUIRKS.map((apply) => apply(payload)).filter((variant) => variant !== undefined)
  return variants[random.integer(0, variants.length - 1)] ?? payload
}

function renameKey(payload: Fields, from: string, to: string): Fields | undefined {
  if (!Object.hasOwn(payload, from)) return undefined
  return Object.fromEntries(Object.entries(payload).map(([key, value]) => [key === from ? to : key, value]))
}

function without(payload: Fields, name: string): Fields | undefined {
  if (!Object.hasOwn(payload, name)) return undefined
  const { [name]: _, ...rest }: Record<string, unknown> = payload
  return rest
}

function asNumber(payload: Fields, name: string): Fields | undefined {
  const value = payload[name]
  return typeof value === 'string' ? { ...payload, [name]: Number(value) } : undefined
}
