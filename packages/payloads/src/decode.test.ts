import { isBrokerwireError } from '@brokerwire/core'
import { describe, expect, test } from 'vitest'
import { array } from './combinators/array.ts'
import { decimal } from './combinators/decimal.ts'
import { object, optional } from './combinators/object.ts'
import { string } from './combinators/string.ts'
import { decodeJson } from './decode.ts'
import { INVALID, invalid } from './decode-context.ts'
import { tradeEvent } from './events/trade-event.ts'
import { createPayloads } from './payloads.ts'
import { isPayloadsError } from './payloads-error.ts'
import { tradeFrame } from './test/fixtures.ts'

describe('errors', () => {
  test('have path, expected value, code, and a short safe excerpt', () => {
    const result = decodeJson(object({ qty: decimal }), '{"qty":"12 shares of AAPL and more of it"}')
    expect(result.ok).toBe(false)
    if (result.ok || !isPayloadsError(result.error, 'PAYLOAD_INVALID')) throw new Error('no error')
    expect(result.error.message).toBe('qty: expected a decimal')
    expect(result.error.details.problems).toEqual([
      { code: 'wrong-format', path: ['qty'], expected: 'a decimal', excerpt: '12 shares of AAPL and...' },
    ])
    expect(result.error.retryable).toBe(false)
  })

  test('have a cut identifier or token in the excerpt, and none in the message', () => {
    const token = '0123456789abcdef0123456789abcdef'
    const result = decodeJson(object({ qty: decimal }), JSON.stringify({ qty: token }))
    const said = result.ok ? '' : `${result.error.message} ${JSON.stringify(result.error)}`
    expect(said).toContain('0123...')
    expect(said).not.toContain('01234')
  })

  test('have an excerpt without control characters and lone surrogates', () => {
    const result = decodeJson(object({ qty: decimal }), '{"qty":"\\u001b[2J\\ud800\\u202e"}')
    expect(
      !result.ok && isPayloadsError(result.error, 'PAYLOAD_INVALID') && result.error.details.problems,
    ).toMatchObject([{ excerpt: '?[2J??' }])
  })

  test('have at most the first hundred problems', () => {
    const result = decodeJson(array(decimal), JSON.stringify(Array(5_000).fill('x')))
    if (result.ok || !isPayloadsError(result.error, 'PAYLOAD_INVALID')) throw new Error('no error')
    expect(result.error.details.problems).toHaveLength(100)
    expect(result.error.message.length).toBeLessThan(200)
  })

  test('are limited to a hundred issues too', () => {
    const items = array(object({ qty: optional(decimal) }))
    const result = decodeJson(items, JSON.stringify(Array(5_000).fill({ qty: 'x' })))
    expect(result.ok && result.issues).toHaveLength(100)
    expect(result.ok && result.value.at(-1)).toMatchObject({ extra: { qty: 'x' } })
  })

  test('share the symbol INVALID with a second copy of the package', async () => {
    const copy = await import(/* @vite-ignore */ `./decode-context.ts${'?copy'}`)
    expect(copy.invalid).not.toBe(invalid)
    expect(copy.INVALID).toBe(INVALID)
  })

  test('of a second copy of the package are recognized', async () => {
    // The query makes the loader load the file again.
    const copy = await import(/* @vite-ignore */ `./payloads-error.ts${'?copy'}`)
    const error = new copy.PayloadsError('PAYLOAD_NOT_JSON', 'x', { details: { expected: 'JSON' } })
    expect(isPayloadsError(error, 'PAYLOAD_NOT_JSON')).toBe(true)
    expect(isPayloadsError(error, 'PAYLOAD_TOO_LARGE')).toBe(false)
    expect(isBrokerwireError(error)).toBe(true)
  })
})

describe('limits', () => {
  test('reject a text that is too long without parsing it', () => {
    const result = decodeJson(string, JSON.stringify('x'.repeat(20)), { maxLength: 21 })
    expect(!result.ok && isPayloadsError(result.error, 'PAYLOAD_TOO_LARGE')).toBe(true)
    expect(decodeJson(string, JSON.stringify('x'.repeat(19)), { maxLength: 21 }).ok).toBe(true)
  })

  test.each([
    ['mode', { mode: 'loose' as 'strict' }],
    ['maxLength', { maxLength: 0 }],
  ])('make createPayloads reject an invalid option: %s', (option, options) => {
    expect(() => createPayloads(options)).toThrow(
      expect.toSatisfy(
        (error) => isPayloadsError(error, 'PAYLOAD_OPTION_INVALID') && error.details.option === option,
      ),
    )
  })

  test('reject a payload that is not a string as not JSON', () => {
    const result = decodeJson(string, undefined as unknown as string)
    expect(!result.ok && isPayloadsError(result.error, 'PAYLOAD_NOT_JSON')).toBe(true)
  })
})

describe('strict mode', () => {
  const strict = createPayloads({ mode: 'strict' })
  const codes = (payload: string): string[] => {
    const result = strict.order({ ...tradeFrame('order FILLED'), payload })
    return result.ok ? result.issues.map(({ code, path }) => `${code} ${path.join('.')}`) : ['no value']
  }
  const { payload } = tradeFrame('order FILLED')

  test('reports no issues for a payload as documented', () => {
    expect(codes(payload)).toEqual([])
  })

  test.each([
    ['an unknown field', payload.replace('{', '{"later":1,'), 'unknown-field later'],
    ['an unknown value', payload.replace('"BUY"', '"LEND"'), 'unknown-value side'],
    ['a number for text', payload.replace('"411.0000000000"', '411'), 'unexpected-type qty'],
    ['a key that comes twice', payload.replace('{', '{"symbol":"X",'), 'duplicate-key symbol'],
    [
      'a pair that was not seen',
      payload.replace('"PARTIAL_FILLED"', '"FILLED"'),
      'unexpected-pair order_status',
    ],
    ['a sloppy key', payload.replace('"symbol"', '"symbol "'), 'unexpected-key symbol '],
  ])('reports %s, and decodes', (_, changed, issue) => {
    expect(codes(changed)).toEqual([issue])
    expect(decodeJson(tradeEvent, changed)).toMatchObject({ ok: true, issues: [] })
  })
})
