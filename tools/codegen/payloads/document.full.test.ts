import { describe, expect, test } from 'vitest'
import { array } from '../../../packages/payloads/src/combinators/array.ts'
import { literal } from '../../../packages/payloads/src/combinators/literal.ts'
import { absent, object, optional } from '../../../packages/payloads/src/combinators/object.ts'
import { string } from '../../../packages/payloads/src/combinators/string.ts'
import { variant } from '../../../packages/payloads/src/combinators/variant.ts'
import { decoderComments } from './comments.ts'
import { payloadSection } from './document.ts'

const SUMMARY = 'Decodes it. Source: specification, Here.'

describe('payloadSection', () => {
  test('lists the cases in which a field is present', () => {
    const a = object({ kind: literal('A'), sum: string, items: array(object({ note: optional(string) })) })
    const b = object({ kind: literal('B'), sum: absent })
    const other = object({ kind: optional(string), sum: optional(string) })
    const { definition } = variant('kind', { A: a, B: b }, other)
    const comments = { summary: SUMMARY, fields: new Map([['items[].note', 'Short.']]) }
    const lines = payloadSection({ title: 'It', decoder: 'it', definition }, comments).split('\n')
    expect(lines.slice(0, 3)).toEqual(['## It', '', '`it`. Source: specification, Here.'])
    expect(lines.slice(6)).toEqual([
      '| `kind` | `kind` | string; known: `A`, `B` | always with A, B; may be missing in other cases | specification |',
      '| `sum` | `sum` | string | always with A; may be missing in other cases | specification |',
      '| `items` | `items` | array of objects | always with A | specification |',
      '| `items[].note` | `items[].note` | string | may be missing. Short | specification |',
    ])
  })

  test('requires a comment that states the source', () => {
    const payload = { title: 'It', decoder: 'it', definition: object({}).definition }
    expect(() => payloadSection(payload, { summary: 'Decodes it.', fields: new Map() })).toThrow(
      'it: no comment',
    )
  })
})

test('finds the comments of fields in spreads, lists and unions', () => {
  const comments = decoderComments()
  expect(comments.get('positionSettled')?.fields.get('settleSide')).toBe('Values are not published.')
  expect(comments.get('corporateAction')?.fields.get('to[].defaultOptionFlag')).toContain('true')
  expect(comments.get('tradeEvent')?.fields.get('filledTime')).toBe('On fills only.')
  expect(comments.get('string')?.fields.size).toBe(0)
})
