/**
 * Invariants of decoding, checked on generated payloads: from random text to changed fixtures. The short run
 * in the tests and the long run, `pnpm proof fuzz --only payloads`, share this code.
 */
import fc from 'fast-check'
import { findKey } from '../combinators/keys.ts'
import { type DecodeResult, decodeJson } from '../decode.ts'
import { tradeEvent } from '../events/trade-event.ts'
import { tradeEventDefinition } from '../events/trade-event-definition.ts'
import { MODULE_DECODERS } from '../modules/module-decoders.ts'
import { MODULES } from '../modules/module-table.ts'
import { createPayloads, payloads } from '../payloads.ts'
import { isPayloadsError } from '../payloads-error.ts'
import { isDecimal } from '../values/decimal-text.ts'
import { decimalText } from './arbitraries.ts'
import { MODULE_FRAMES, TRADE_FRAMES } from './fixtures.ts'
import { isExactly } from './reference-json.ts'

const texts = [...TRADE_FRAMES, ...MODULE_FRAMES].map(({ frame }) => frame.payload)
const objects = texts.flatMap((text) => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? [value as Record<string, unknown>] : []
  } catch {
    return []
  }
})
const inner = objects.flatMap(({ payload }) =>
  typeof payload === 'object' && payload !== null ? [payload] : [],
)
const keys = [...new Set([...objects, ...inner].flatMap((object) => Object.keys(object)))]
const eventTypes = [
  ...Object.values(MODULES).flatMap(({ eventTypes: names }) => names),
  'SOD',
  '',
  '__proto__',
]
const bizTypes = [...Object.values(MODULE_DECODERS).flatMap((names) => Object.keys(names)), 'NEW', '']

const key = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...keys) },
  { weight: 1, arbitrary: fc.constantFrom(...keys).map((name) => `${name} `) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('__proto__', 'constructor', 'toString', 'extra', 'raw', 'requestId'),
  },
  { weight: 1, arbitrary: fc.string({ maxLength: 8 }) },
)

/** JSON texts instead of values, with formats of numbers that `JSON.stringify` does not write. */
const valueText = fc.oneof(
  decimalText().map((text) => text.replace(/^\+/, '').replace(/^(-?)0+(?=\d)/, '$1')),
  decimalText().map((text) => JSON.stringify(text)),
  fc.constantFrom(
    'null',
    'true',
    '"true"',
    '""',
    '[]',
    '{}',
    '[{}]',
    '"\\ud800"',
    '1e400',
    '9007199254740993',
    '-1e-400',
    '12.500000000000000001',
    '{"deep":[1,12.500000000000000001,2.50]}',
    '"02026"',
  ),
  fc.constantFrom('"FILLED"', '"PLACE_FAILED"', '"2026-02-30T00:00:00Z"', '"2026-05-01T13:53:58.569-0500"'),
  fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.stringify(value)),
)

const member = fc.tuple(key, valueText).map(([name, text]) => `${JSON.stringify(name)}:${text}`)
const membersText = fc.array(member, { maxLength: 25 }).map((members) => `{${members.join(',')}}`)

/** A fixture with additional members before or after the others, which may have the same keys. */
const extended = fc
  .tuple(fc.constantFrom(...objects, ...inner), fc.array(member, { maxLength: 3 }), fc.boolean(), fc.nat(40))
  .map(([object, members, before, removed]) => {
    const kept = Object.entries(object).filter((_, index) => index !== removed)
    const own = kept.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`)
    return `{${(before ? [...members, ...own] : [...own, ...members]).join(',')}}`
  })

/** A fixture with a few characters changed. */
const damaged = fc
  .tuple(
    fc.constantFrom(...texts),
    fc.array(fc.tuple(fc.nat(2_000), fc.string({ maxLength: 3 })), { maxLength: 3 }),
  )
  .map(([text, changes]) =>
    changes.reduce(
      (changed, [at, piece]) => changed.slice(0, at) + piece + changed.slice(at + piece.length),
      text,
    ),
  )

const enveloped = fc
  .tuple(fc.oneof(membersText, extended), fc.constantFrom(...eventTypes), fc.constantFrom(...bizTypes))
  .map(([text, eventType, bizType]) => {
    const payload = text.replace('{', `{"biz_type":${JSON.stringify(bizType)}${text === '{}' ? '' : ','}`)
    return `{"id":"e","event_type":${JSON.stringify(eventType)},"payload":${payload}}`
  })

/** Texts of payloads. */
const anyPayload: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: extended },
  { weight: 3, arbitrary: enveloped },
  { weight: 2, arbitrary: membersText },
  { weight: 2, arbitrary: damaged },
  { weight: 1, arbitrary: fc.json({ maxDepth: 4 }) },
  { weight: 1, arbitrary: fc.string({ maxLength: 60, unit: 'binary' }) },
)

const anyFrame = fc.record({
  payload: anyPayload,
  contentType: fc.constantFrom('application/json', 'application/json', 'text/plain', ''),
  eventType: fc.constantFrom(...eventTypes),
})

const lenient = createPayloads()
const strict = createPayloads({ mode: 'strict' })
const prototypeNames = Object.getOwnPropertyNames(Object.prototype).length

function ensure(holds: boolean, what: string): void {
  if (!holds) throw new Error(what)
}

/** The result has the payload's text, and an error is one of this package. */
function checkKept(result: DecodeResult<{ readonly raw: string }>, payload: string): void {
  ensure((result.ok ? result.value.raw : result.raw) === payload, 'raw is not the payload')
  if (!result.ok) ensure(isPayloadsError(result.error), 'a foreign error')
}

/** No field is lost: each key of the payload is a field, is in `extra`, or was null. */
function checkComplete(value: Readonly<Record<string, unknown>>, payload: string): void {
  const parsed = JSON.parse(payload) as Record<string, unknown>
  const given = Object.values(parsed).filter((item) => item !== null).length
  const { raw: _, extra, ...fields } = value
  const nulls = Object.values(extra as object).filter((item) => item === null).length
  ensure(Object.keys(fields).length + Object.keys(extra as object).length - nulls === given, 'a key is lost')
  const exact = payloads.unknown({ eventType: 0, contentType: 'application/json', payload })
  const root = (exact.ok && exact.value.format === 'json' ? exact.value.json : {}) as Record<string, unknown>
  for (const [key, item] of Object.entries(extra as object)) {
    ensure(JSON.stringify(item) === JSON.stringify(root[key]), 'an unknown field has lost digits')
  }
}

/** The payload of an undocumented module: the envelope's payload, or everything if there is no envelope. */
function checkUndescribed(value: unknown, payload: string): void {
  const wrapped = `{"payload":${payload}}`
  const exact = payloads.unknown({ eventType: 0, contentType: 'application/json', payload: wrapped })
  const root = (exact.ok && exact.value.format === 'json' ? exact.value.json : {}) as { payload?: unknown }
  const inner = root.payload as Record<string, unknown>
  const key = findKey(inner, 'payload')
  const expected = (key === undefined ? undefined : inner[key]) ?? inner
  ensure(JSON.stringify(value) === JSON.stringify(expected), 'another payload than the envelope has')
}

function checkFrame({
  payload,
  contentType,
  eventType,
}: {
  payload: string
  contentType: string
  eventType: string
}): void {
  const trade = { eventType: 1024, contentType, payload }
  const module = { id: '', eventType, position: '', timestamp: '', version: '', payload }
  for (const decoders of [lenient, strict]) {
    const order = decoders.order(trade)
    checkKept(order, payload)
    if (order.ok) {
      checkComplete({ ...order.value }, payload)
      ensure(isDecimal(order.value.qty) && isDecimal(order.value.filledPrice), 'an invalid decimal')
    }
    const position = decoders.position(trade)
    checkKept(position, payload)
    if (position.ok) checkComplete({ ...position.value }, payload)
    const unknown = decoders.unknown(trade)
    checkKept(unknown, payload)
    if (unknown.ok && unknown.value.format === 'json') {
      ensure(isExactly(unknown.value.json, payload), 'a number has lost digits')
    }
    const event = decoders.module(module)
    checkKept(event, payload)
    if (event.ok && (event.value.module === 'unknown' || event.value.module === 'sod')) {
      checkUndescribed(event.value.payload, payload)
    }
  }
  const quick = JSON.stringify(canonical(decodeJson(tradeEvent, payload)))
  ensure(quick === JSON.stringify(canonical(decodeJson(tradeEventDefinition, payload))), 'fast path differs')
  ensure(Object.getOwnPropertyNames(Object.prototype).length === prototypeNames, 'a prototype was touched')
}

/** Sorts the fields, because the optional fields come last in the fast path. */
function canonical(result: DecodeResult<object>): unknown {
  return result.ok
    ? [Object.entries(result.value).sort(([a], [b]) => (a < b ? -1 : 1)), result.issues]
    : result.error
}

/**
 * Checks the invariants on `runs` payloads.
 *
 * @throws An error with seed, path and the smallest payload that violates an invariant.
 */
export function fuzzPayloads(runs: number, seed: number): void {
  fc.assert(fc.property(anyFrame, checkFrame), { numRuns: runs, seed })
}
