import { describe, expect, test } from 'vitest'
import { list } from '../../../packages/payloads/src/combinators/list.ts'
import { literal } from '../../../packages/payloads/src/combinators/literal.ts'
import { oneOf } from '../../../packages/payloads/src/combinators/one-of.ts'
import { absent, optional, record } from '../../../packages/payloads/src/combinators/record.ts'
import { text } from '../../../packages/payloads/src/combinators/text.ts'
import { decoderComments } from './comments.ts'
import { payloadSection } from './document.ts'

const SUMMARY = 'Decodes it. Source: specification, Here.'

describe('payloadSection', () => {
  test('lists the cases in which a field is present', () => {
    const a = record({ kind: literal('A'), sum: text, items: list(record({ note: optional(text) })) })
    const b = record({ kind: literal('B'), sum: absent })
    const other = record({ kind: optional(text), sum: optional(text) })
    const { definition } = oneOf('kind', { A: a, B: b }, other)
    const comments = { summary: SUMMARY, fields: new Map([['items[].note', 'Short.']]) }
    const lines = payloadSection({ title: 'It', decoder: 'it', definition }, comments).split('\n')
    expect(lines.slice(0, 3)).toEqual(['## It', '', '`it`. Source: specification, Here.'])
    expect(lines.slice(6)).toEqual([
      '| `kind` | `kind` | text; known: `A`, `B` | always with A, B; may be missing with what is not shown | specification |',
      '| `sum` | `sum` | text | always with A; may be missing with what is not shown | specification |',
      '| `items` | `items` | list of objects | always with A | specification |',
      '| `items[].note` | `items[].note` | text | may be missing. Short | specification |',
    ])
  })

  test('requires a comment with the source', () => {
    const payload = { title: 'It', decoder: 'it', definition: record({}).definition }
    expect(() => payloadSection(payload, { summary: 'Decodes it.', fields: new Map() })).toThrow(
      'it: no comment',
    )
  })
})

test('comments of fields are found through spreads, lists and unions', () => {
  const comments = decoderComments()
  expect(comments.get('positionSettled')?.fields.get('settleSide')).toBe('Values are not published.')
  expect(comments.get('corporateAction')?.fields.get('to[].defaultOptionFlag')).toContain('true')
  expect(comments.get('tradeEvent')?.fields.get('filledTime')).toBe('On fills only.')
  expect(comments.get('text')?.fields.size).toBe(0)
})
