import { describe, expect, test } from 'vitest'
import { decimal } from '../combinators/decimal.ts'
import { object } from '../combinators/object.ts'
import { string } from '../combinators/string.ts'
import { createPayloads, payloads } from '../payloads.ts'
import { isPayloadsError } from '../payloads-error.ts'
import type { StandardSchema } from '../standard-schema.ts'
import { moduleFrame } from '../test/fixtures.ts'
import { MODULE_DECODERS } from './module-decoders.ts'
import type { ModuleFrame } from './module-frames.ts'
import { MODULES } from './module-table.ts'

const EMPTY: ModuleFrame = { id: '', eventType: '', position: '', timestamp: '', version: '', payload: '' }

/** A frame whose envelope has the fields of `envelope`, by default none. */
function frameOf(eventType: string, payload: unknown, envelope: Record<string, unknown> = {}): ModuleFrame {
  return { ...EMPTY, eventType, payload: JSON.stringify({ ...envelope, payload }) }
}

describe('the table of modules', () => {
  test('has a decoder for each business type', () => {
    const described = Object.entries(MODULES).map(([module, { bizTypes }]) => [module, [...bizTypes]])
    const decoders = Object.entries(MODULE_DECODERS).map(([module, names]) => [module, Object.keys(names)])
    expect(described).toEqual([...decoders, ['sod', []]])
  })
})

describe('the frame and the envelope', () => {
  test('use the values of the envelope if the frame is empty', () => {
    const envelope = {
      id: 'E1',
      event_type: 'JOURNAL',
      position: 'P1',
      timestamp: '2026-03-04T05:06:07.000000001Z',
    }
    const result = payloads.module(frameOf('', { biz_type: 'CASH_JOURNAL' }, envelope))
    expect(result).toMatchObject({
      ok: true,
      issues: [],
      value: {
        module: 'journal',
        envelope: {
          id: 'E1',
          eventType: 'JOURNAL',
          position: 'P1',
          timestamp: '2026-03-04T05:06:07.000000001Z',
        },
      },
    })
  })

  test('have no position if neither has one', () => {
    const result = payloads.module(moduleFrame('envelope without position'))
    expect(result.ok && 'position' in result.value.envelope).toBe(false)
  })

  test('use the values of the frame, and report every difference as an issue', () => {
    const frame = {
      ...moduleFrame('JOURNAL CASH_JOURNAL'),
      eventType: 'BRAND_NEW',
      timestamp: '2027-01-01T00:00:00Z',
    }
    const result = payloads.module(frame)
    expect(result).toMatchObject({ ok: true, value: { module: 'unknown', eventType: 'BRAND_NEW' } })
    expect(result.ok && result.issues.map(({ code, path }) => `${code} ${path}`)).toEqual([
      'frame-differs event_type',
      'frame-differs timestamp',
    ])
  })

  test('use the timestamp of the envelope if that of the frame is not an instant', () => {
    const timestamp = '2026-03-04T05:06:07Z'
    const result = payloads.module({ ...frameOf('X', {}, { timestamp }), timestamp: 'noon' })
    expect(result).toMatchObject({ ok: true, issues: [], value: { envelope: { timestamp } } })
  })

  test('keep undocumented fields of the envelope', () => {
    const result = payloads.module(frameOf('X', {}, { trace_id: 't1' }))
    expect(result).toMatchObject({ ok: true, value: { envelope: { extra: { trace_id: 't1' } } } })
  })

  test('omit a timestamp that is not an instant, and report it', () => {
    const result = payloads.module(frameOf('X', {}, { timestamp: 'noon' }))
    expect(result).toMatchObject({ ok: true, issues: [{ code: 'wrong-format', path: ['timestamp'] }] })
  })
})

describe('an undocumented event', () => {
  test.each([
    [
      'a business type',
      frameOf('FUNDING', { biz_type: 'NEW', a: 1 }),
      { bizType: 'NEW', payload: { biz_type: 'NEW', a: 1 } },
    ],
    ['no business type', frameOf('FUNDING', { a: 1 }), { bizType: undefined, payload: { a: 1 } }],
    ['an event type', frameOf('NEW', { biz_type: 'TRANSFER' }), { bizType: 'TRANSFER' }],
    ['no event type', frameOf('', { a: 1 }), { eventType: '' }],
    ['no envelope', { ...EMPTY, eventType: 'NEW', payload: '{"a":1}' }, { payload: { a: 1 } }],
    ['a payload that is text', frameOf('NEW', 'text'), { payload: 'text' }],
    [
      'the name of something inherited',
      frameOf('constructor', { biz_type: 'name' }),
      { eventType: 'constructor' },
    ],
  ])('is delivered with its JSON: %s', (_, frame, expected) => {
    expect(payloads.module(frame)).toMatchObject({
      ok: true,
      value: { module: 'unknown', raw: frame.payload, ...expected },
    })
  })

  test('is reported as drift in strict mode', () => {
    const result = createPayloads({ mode: 'strict' }).module(frameOf('FUNDING', { biz_type: 'NEW' }))
    expect(result.ok && result.issues).toContainEqual({
      code: 'unknown-value',
      path: ['event_type'],
      expected: 'a documented event type and business type',
      excerpt: 'FUNDING/NEW',
    })
  })

  test('that is not an object cannot be decoded, and keeps its text', () => {
    for (const payload of ['[]', '5', 'null', '"x"']) {
      expect(payloads.module({ ...EMPTY, payload })).toMatchObject({ ok: false, raw: payload })
    }
  })
})

describe('custom schemas', () => {
  const sod = object({ businessDate: string, state: string })

  test('add a module', () => {
    const result = payloads.with({ SOD: sod }).module(moduleFrame('SOD '))
    expect(result).toMatchObject({
      ok: true,
      value: { module: 'SOD', eventType: 'SOD', bizType: undefined, payload: { businessDate: '2026-03-04' } },
    })
  })

  test('do not change the decoders that they were added to', () => {
    payloads.with({ SOD: sod })
    expect(payloads.module(moduleFrame('SOD '))).toMatchObject({ ok: true, value: { module: 'sod' } })
  })

  test('replace one business type, or all of an event type', () => {
    const amount = object({ amount: decimal })
    const modules = (decoders: typeof payloads) =>
      ['FUNDING TRANSFER', 'FUNDING FEE_DEDUCTION'].map((name) => {
        const result = decoders.module(moduleFrame(name))
        return result.ok ? result.value.module : 'undecodable'
      })
    const one = payloads.with({ 'FUNDING/TRANSFER': amount })
    const all = one.with({ FUNDING: amount })
    expect(modules(one as never)).toEqual(['FUNDING/TRANSFER', 'fees-and-credits'])
    expect(modules(all as never)).toEqual(['FUNDING', 'FUNDING'])
    expect(modules(all.with({ 'FUNDING/TRANSFER': amount }) as never)).toEqual([
      'FUNDING/TRANSFER',
      'FUNDING',
    ])
  })

  test('made with these combinators use the source of numbers', () => {
    const schema = object({ amount: decimal })
    const frame = { ...EMPTY, eventType: 'X', payload: '{"payload":{"amount":0.30000000000000000001}}' }
    expect(payloads.with({ X: schema }).module(frame)).toMatchObject({
      ok: true,
      value: { payload: { amount: '0.30000000000000000001' } },
    })
  })

  test('report their problems with the whole path', () => {
    const result = payloads.with({ X: object({ amount: decimal }) }).module(frameOf('X', { amount: 'x' }))
    expect(!result.ok && result.error.details).toMatchObject({ problems: [{ path: ['payload', 'amount'] }] })
  })

  const schemaThat = (validate: (value: unknown) => unknown): StandardSchema =>
    ({ '~standard': { version: 1, vendor: 'test', validate } }) as StandardSchema

  test.each([
    [
      'throws',
      () => {
        throw new Error('thrown')
      },
    ],
    ['answers with a promise that fails', () => Promise.reject(new Error('later'))],
    ['answers with a promise', async () => ({ value: 1 })],
    ['answers with nothing', () => undefined],
    ['answers with neither value nor issues', () => ({})],
    ['return invalid issues', () => ({ issues: [null] })],
  ])('that %s fail the decoding and do not throw', (_, validate) => {
    const result = payloads.with({ X: schemaThat(validate) }).module(frameOf('X', {}))
    expect(
      !result.ok && isPayloadsError(result.error, 'PAYLOAD_SCHEMA_FAILED') && result.error.details.module,
    ).toBe('X')
  })

  test('may report issues of any shape', () => {
    const issues = [{ message: 'a' }, { message: 'b', path: ['x', { key: 0 }, Symbol('s')] }]
    const result = payloads.with({ X: schemaThat(() => ({ issues })) }).module(frameOf('X', {}))
    expect(!result.ok && result.error.details).toMatchObject({
      problems: [
        { code: 'schema', path: ['payload'], schemaMessage: 'a' },
        { code: 'schema', path: ['payload', 'x', 0, 'Symbol(s)'], schemaMessage: 'b' },
      ],
    })
  })

  test('may have messages that quote the payload, which are not in the message of the error', () => {
    const issues = [{ message: 'was "secret-looking"' }]
    const result = payloads.with({ X: schemaThat(() => ({ issues })) }).module(frameOf('X', {}))
    expect(!result.ok && result.error.message).toBe('payload: expected a value that the schema accepts')
  })

  test.each([
    ['no object', 5],
    ['no schema', { X: {} }],
    ['an empty name', { '': sod }],
    ["a module's name in place of an event type", { funding: sod }],
  ])('are rejected by name: %s', (_, modules) => {
    expect(() => payloads.with(modules as never)).toThrow(
      expect.toSatisfy((error) => isPayloadsError(error, 'PAYLOAD_OPTION_INVALID')),
    )
  })
})
