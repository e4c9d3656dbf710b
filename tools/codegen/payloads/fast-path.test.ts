import { expect, test } from 'vitest'
import { integerLike } from '../../../packages/payloads/src/combinators/integer-like.ts'
import { literal } from '../../../packages/payloads/src/combinators/literal.ts'
import { object, optional, required } from '../../../packages/payloads/src/combinators/object.ts'
import { string } from '../../../packages/payloads/src/combinators/string.ts'
import { variant } from '../../../packages/payloads/src/combinators/variant.ts'
import { fastPathModule } from './fast-path.ts'

test('generates one function for each record, which the tag selects', () => {
  const a = object({ kind: literal('A'), note: optional(string) })
  const b = object({ kind: literal('B', 'C') })
  const code = fastPathModule('readShape', variant('kind', { A: a, B: b, C: b }).definition)
  expect(code).toContain('export function readShape(value: unknown, json: JsonText)')
  expect(code.match(/^function /gm)).toHaveLength(2)
  expect(code).toContain("case 'A': return read1(value, json)")
  expect(code).toContain("case 'C': return read2(value, json)")
  expect(code).toContain('default: return undefined')
})

test('rejects a definition for which it cannot generate correct code', () => {
  const refused = [
    object({ year: integerLike }),
    object({ id: required(string, 'id', 'Id') }),
    variant(['a', 'b'], { 'A/B': object({}) }),
    string,
  ]
  for (const { definition } of refused) {
    expect(() => fastPathModule('read', definition)).toThrow('no fast path for')
  }
})
