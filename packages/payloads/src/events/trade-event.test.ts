import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decodeJson } from '../decode.ts'
import { isPayloadsError } from '../payloads-error.ts'
import { TRADE_FRAMES, tradeFrame } from '../test/fixtures.ts'
import { tradeEvent } from './trade-event.ts'
import { tradeEventDefinition } from './trade-event-definition.ts'

const texts = TRADE_FRAMES.filter(({ frame }) => frame.eventType === 1024).map(({ frame }) => frame.payload)
const clean = texts.filter((text) => text.endsWith('}'))

describe('the fast path', () => {
  test.each(texts)('reads as the definition does: %s', (text) => {
    expect(decodeJson(tradeEvent, text)).toEqual(decodeJson(tradeEventDefinition, text))
  })

  test('decodes payloads without differences', () => {
    const taken = texts.filter((text) => {
      try {
        return tradeEvent['~fastPath']?.(JSON.parse(text), { text, mayLoseDigits: undefined }) !== undefined
      } catch {
        return false
      }
    })
    // All texts except one with differences from the documents and one that is not JSON.
    expect(taken).toHaveLength(texts.length - 2)
  })

  test('has the same result as the decoder for any changed payload', () => {
    const value = fc.oneof(
      fc.constantFrom<unknown>('', 'x', '0E-10', '1.5', 5, 1.5, null, true, [], {}, [{}], [{ type: 'x' }]),
      fc.constantFrom('FILLED', 'PLACE_FAILED', 'CANCEL_FAILED', 'NEW', '2026-02-30T00:00:00Z'),
    )
    const keys = [
      ...new Set(clean.flatMap((text) => Object.keys(JSON.parse(text)))),
      'symbol ',
      'later',
      '__proto__',
    ]
    const change = fc.record({
      key: fc.constantFrom(...keys),
      value,
      kind: fc.constantFrom('set', 'delete', 'twice'),
    })
    fc.assert(
      fc.property(fc.constantFrom(...clean), fc.array(change, { maxLength: 3 }), (text, changes) => {
        let changed = text
        for (const { key, value, kind } of changes) {
          const member = `${JSON.stringify(key)}:${JSON.stringify(value)}`
          if (kind === 'twice') changed = changed.replace(/\}$/, `,${member}}`)
          else {
            const { [key]: _, ...rest } = JSON.parse(changed)
            changed = JSON.stringify(rest)
            if (kind === 'set') changed = changed.replace('{', `{${member},`)
          }
        }
        expect(decodeJson(tradeEvent, changed)).toEqual(decodeJson(tradeEventDefinition, changed))
      }),
      { numRuns: 500 },
    )
  })
})

describe('a trade event', () => {
  const decoded = (name: string, change: (payload: string) => string = (payload) => payload) =>
    decodeJson(tradeEvent, change(tradeFrame(name).payload))

  test('of a rejected order has no commission and fees, or has them in extra', () => {
    const result = decoded('order PLACE_FAILED', (payload) => payload.replace('{', '{"fees":[],'))
    expect(result).toMatchObject({ ok: true, value: { extra: { fees: [] } } })
    expect(result.ok && 'fees' in result.value).toBe(false)
  })

  test('of a fill without its time cannot be decoded', () => {
    const result = decoded('order FILLED', (payload) => payload.replace(/"filled_time":"[^"]*",/, ''))
    expect(
      !result.ok && isPayloadsError(result.error, 'PAYLOAD_INVALID') && result.error.details.problems,
    ).toEqual([{ code: 'missing', path: ['filled_time'], expected: 'a value' }])
  })

  test('of an undocumented scene may have no commissions and fees', () => {
    const result = decoded('order CANCEL_FAILED', (payload) =>
      payload.replace(/,"actual_commission".*$/, '}'),
    )
    expect(result).toMatchObject({ ok: true, value: { sceneType: 'CANCEL_FAILED' } })
  })

  test('without a scene is decoded', () => {
    const result = decoded('order MODIFY_SUCCESS', (payload) => payload.replace(/"scene_type":"[^"]*",/, ''))
    expect(result.ok && result.value.sceneType).toBeUndefined()
    expect(result.ok).toBe(true)
  })

  test.each(['orderId', 'filledTime'])('%s is not there at all where it did not come', (name) => {
    const result = decoded('order sloppy', (payload) => payload.replace(/"filled_time":"[^"]*",/, ''))
    expect(result.ok && name in result.value).toBe(false)
  })
})
