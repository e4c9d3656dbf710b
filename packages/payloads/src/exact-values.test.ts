/** Numbers in undocumented fields: none is changed to another number without notice. */
import fc from 'fast-check'
import { describe, expect, inject, test } from 'vitest'
import * as z from 'zod'
import { array } from './combinators/array.ts'
import { integerLike } from './combinators/integer-like.ts'
import { json } from './combinators/json.ts'
import { object, optional } from './combinators/object.ts'
import { string } from './combinators/string.ts'
import { variant } from './combinators/variant.ts'
import { decodeJson } from './decode.ts'
import { isExact } from './exact-values.ts'
import { toExcerpt } from './issue.ts'
import { createPayloads, payloads } from './payloads.ts'
import { isPayloadsError } from './payloads-error.ts'
import { decimalText } from './test/arbitraries.ts'
import { tradeFrame } from './test/fixtures.ts'
import { compareDecimals, parseDecimal } from './values/decimal.ts'
import type { Decimal } from './values/decimal-text.ts'
import { isNumberText, NumberText } from './values/number-text.ts'

const frame = (payload: string, eventType = '') => ({
  ...{ id: 'e', eventType, position: '', timestamp: '', version: '' },
  payload,
})
const LOST = ['12.500000000000000001', '9007199254740993', '1e400', '1e-400', '-0.10000000000000000001']
const HELD = [
  '12.5',
  '12.50',
  '0.1',
  '1e3',
  '9007199254740992',
  '-0',
  '0e999999999999',
  '1.7976931348623157e308',
]

describe('a JavaScript number', () => {
  test.each(HELD)('%s is', (source) => {
    expect(isExact(JSON.parse(source), source)).toBe(true)
    expect(decodeJson(json, source)).toMatchObject({ ok: true, value: JSON.parse(source) })
  })

  test.each([...LOST, '2.4703282292062327e-324', '1e99999999999999999999', `1${'0'.repeat(400)}`])(
    '%s is not',
    (source) => {
      expect(isExact(JSON.parse(source), source)).toBe(false)
      expect(decodeJson(json, source)).toMatchObject({ ok: true, value: new NumberText(source) })
    },
  )

  test('is used exactly if it is the same decimal when it is written again', () => {
    const sources = decimalText().map((source) => source.replace(/^\+/, '').replace(/^(-?)0+(?=\d)/, '$1'))
    fc.assert(
      fc.property(sources, (source) => {
        const number: number = JSON.parse(source)
        const same =
          Number.isFinite(number) &&
          compareDecimals(parseDecimal(String(number)) as Decimal, parseDecimal(source) as Decimal) === 0
        expect(isExact(number, source)).toBe(same)
        const result = decodeJson(object({}), `{"a":[{"b":${source}}]}`)
        const value = same ? number : new NumberText(source)
        expect(result.ok && result.value.extra).toEqual(
          Object.assign(Object.create(null), { a: [{ b: value }] }),
        )
      }),
      { numRuns: inject('isFullRun') ? 2000 : 200 },
    )
  })
})

describe('undocumented numbers are exact', () => {
  test.each(LOST)('%s keeps its digits in extra, straight line or not', (source) => {
    const order = tradeFrame('order FILLED')
    for (const decoders of [payloads, createPayloads({ mode: 'strict' })]) {
      const member = `"later":{"__proto__":[1,${source}],"half":0.5}`
      const result = decoders.order({ ...order, payload: order.payload.replace('{', `{${member},`) })
      if (!result.ok) throw result.error
      const { later } = result.value.extra as { later: Record<string, unknown> }
      expect(Object.entries(later)).toEqual([
        ['__proto__', [1, new NumberText(source)]],
        ['half', 0.5],
      ])
    }
  })

  test.each(LOST)('%s keeps its digits in an entry of a list, and below a key with spaces', (source) => {
    const order = tradeFrame('order FILLED')
    const payload = order.payload.replace('"fees":[{', `"fees":[{"rate ":${source},`)
    const result = payloads.order({ ...order, payload })
    if (!result.ok || !('fees' in result.value)) throw new Error('no fees')
    expect({ ...result.value.fees?.[0]?.extra }).toEqual({ 'rate ': new NumberText(source) })
  })

  test.each(['SOD', 'BRAND_NEW'])('in the payload and the envelope of %s', (eventType) => {
    for (const source of LOST) {
      const enveloped = payloads.module(frame(`{"later":${source},"payload":{"a":[${source},2]}}`, eventType))
      if (!enveloped.ok) throw enveloped.error
      expect(enveloped.value.payload).toEqual({ a: [new NumberText(source), 2] })
      expect({ ...enveloped.value.envelope.extra }).toEqual({ later: new NumberText(source) })
      const bare = payloads.module(frame(`{"a":${source}}`, eventType))
      expect(bare.ok && bare.value.payload).toEqual({ a: new NumberText(source) })
    }
  })

  test('in extra of a documented module', () => {
    const payload = '{"payload":{"biz_type":"TRANSFER","amount":12.500000000000000001,"x":9007199254740993}}'
    const result = payloads.module(frame(payload, 'FUNDING'))
    if (!result.ok || result.value.module !== 'funding') throw new Error('no transfer')
    expect(result.value.payload.amount).toBe('12.500000000000000001')
    expect({ ...result.value.payload.extra }).toEqual({ x: new NumberText('9007199254740993') })
  })

  test('in an undocumented payload of the trade stream', () => {
    const unknown = { eventType: 1032, contentType: 'application/json', payload: '[1e400,"1e400",1.50]' }
    const result = payloads.unknown(unknown)
    expect(result).toMatchObject({ ok: true, value: { json: [new NumberText('1e400'), '1e400', 1.5] } })
  })

  test('down to the deepest level', () => {
    const deep = `${'['.repeat(250)}9007199254740993${']'.repeat(250)}`
    const result = payloads.module(frame(`{"payload":${deep}}`, 'SOD'))
    expect(JSON.stringify(result.ok && result.value.payload)).toContain('"9007199254740993"')
  })

  test('in the fields that select an event', () => {
    const result = payloads.module(frame('{"payload":{"biz_type":9007199254740993}}', 'NEW'))
    expect(result.ok && result.value.bizType).toBe('9007199254740993')
    const chosen = variant('kind', { '9007199254740993': object({ kind: string }) })
    expect(decodeJson(array(chosen), '[{"kind":9007199254740993}]').ok).toBe(true)
    expect(decodeJson(array(chosen), '[{"kind":9007199254740992}]').ok).toBe(false)
  })

  test('or an issue, if a custom schema got a number without its digits', () => {
    const own = payloads.with({ SOD: z.object({ cash: z.array(z.number()) }) })
    const result = own.module(frame('{"payload":{"cash":[1,12.500000000000000001]}}', 'SOD'))
    expect(result).toMatchObject({
      ok: true,
      issues: [{ code: 'inexact-number', path: ['payload', 'cash', 1], excerpt: '12.5000...' }],
    })
    expect(own.module(frame('{"payload":{"cash":[1,12.50]}}', 'SOD'))).toMatchObject({ ok: true, issues: [] })
  })
})

describe('integerLike', () => {
  const calendar = (year: string) =>
    payloads.module(frame(`{"payload":{"biz_type":"CALENDAR_UPDATE","year":${year}}}`, 'MASTER_DATA'))

  test.each(['2026', '2026.0', '2.026e3', '"2026"'])('%s is it', (year) => {
    expect(calendar(year)).toMatchObject({ ok: true, issues: [], value: { payload: { year: 2026 } } })
  })

  test.each([
    ['2026.0000000000000000001', new NumberText('2026.0000000000000000001')],
    ['9007199254740993', new NumberText('9007199254740993')],
    ['1e400', new NumberText('1e400')],
    ['"02026"', '02026'],
    ['"-0"', '-0'],
    ['"-02026"', '-02026'],
  ])('reports %s as an issue and keeps it unchanged', (year, kept) => {
    const result = calendar(year)
    if (!result.ok || result.value.module !== 'master-data') throw new Error('no calendar')
    expect(result.value.payload.year).toBeUndefined()
    expect({ ...result.value.payload.extra }).toEqual({ year: kept })
    expect(result.issues).toMatchObject([
      { code: 'wrong-format', path: ['payload', 'year'], excerpt: toExcerpt(String(kept)) },
    ])
  })

  test('cannot detect lost digits in a parsed value', () => {
    expect(integerLike['~standard'].validate(JSON.parse('2026.0000000000000000001'))).toEqual({ value: 2026 })
    const loose = object({ a: optional(integerLike) })['~standard'].validate(
      JSON.parse('{"b":9007199254740993}'),
    )
    expect(loose).toEqual({ value: { extra: Object.assign(Object.create(null), { b: 2 ** 53 }) } })
  })
})

describe('NumberText', () => {
  const number = new NumberText('12.500000000000000001')

  test('is recognized from any copy of this package, and is not a string', () => {
    expect(isNumberText(number)).toBe(true)
    expect(isNumberText({ [Symbol.for('@brokerwire/payloads/number-text')]: true, text: '1' })).toBe(true)
    for (const other of ['12', 12, null, undefined, {}, { text: '12' }])
      expect(isNumberText(other)).toBe(false)
  })

  test('has its digits as text and in JSON', () => {
    expect(String(number)).toBe('12.500000000000000001')
    expect(`${number}`).toBe('12.500000000000000001')
    expect(JSON.stringify({ number })).toBe('{"number":"12.500000000000000001"}')
  })

  test('throws in arithmetic and comparisons instead of rounding', () => {
    const loose = number as unknown as number
    for (const round of [
      () => loose * 2,
      () => loose + 1,
      () => loose > 12,
      () => Number(loose),
      () => -loose,
    ]) {
      expect(round).toThrow(expect.objectContaining({ code: 'PAYLOAD_NOT_CONVERTIBLE' }))
    }
    try {
      Number(loose)
    } catch (error) {
      expect(isPayloadsError(error, 'PAYLOAD_NOT_CONVERTIBLE')).toBe(true)
      expect(String(error)).not.toContain('12.5')
    }
  })

  test('is accepted by decoders of strings and decimals', () => {
    expect(string['~standard'].validate(number)).toEqual({ value: '12.500000000000000001' })
  })
})
