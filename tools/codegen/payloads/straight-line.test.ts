import { expect, test } from 'vitest'
import { integerLike } from '../../../packages/payloads/src/combinators/integer-like.ts'
import { literal } from '../../../packages/payloads/src/combinators/literal.ts'
import { oneOf } from '../../../packages/payloads/src/combinators/one-of.ts'
import { optional, record, required } from '../../../packages/payloads/src/combinators/record.ts'
import { text } from '../../../packages/payloads/src/combinators/text.ts'
import { straightLineModule } from './straight-line.ts'

test('one function for each record, chosen by the tag', () => {
  const a = record({ kind: literal('A'), note: optional(text) })
  const b = record({ kind: literal('B', 'C') })
  const code = straightLineModule('readShape', oneOf('kind', { A: a, B: b, C: b }).definition)
  expect(code).toContain('export function readShape(value: unknown, json: JsonText)')
  expect(code.match(/^function /gm)).toHaveLength(2)
  expect(code).toContain("case 'A': return read1(value, json)")
  expect(code).toContain("case 'C': return read2(value, json)")
  expect(code).toContain('default: return undefined')
})

test('what it cannot write is refused, not written wrongly', () => {
  const refused = [
    record({ year: integerLike }),
    record({ id: required(text, 'id', 'Id') }),
    oneOf(['a', 'b'], { 'A/B': record({}) }),
    text,
  ]
  for (const { definition } of refused) {
    expect(() => straightLineModule('read', definition)).toThrow('no straight-line code for')
  }
})
