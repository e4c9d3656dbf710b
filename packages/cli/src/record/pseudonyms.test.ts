import { Hmac } from 'node:crypto'
import { createSeededRandom } from '@brokerwire/core/testing'
import { expect, inject, test, vi } from 'vitest'
import { IdIndex, replaceIds } from './id-index.ts'
import { createPseudonyms, WITHHELD } from './pseudonyms.ts'
import { replaceInJson } from './replace-in-json.ts'

const ACCOUNT = 'BENCH0001A'
const names = createPseudonyms('an app secret', [ACCOUNT])

test('a pseudonym has the form of its id, at least twelve characters, and depends on the app secret', () => {
  const of = (id: string): string => names.pseudonymize(id)
  expect(of('12345678')).toMatch(/^[1-9]\d{11}$/)
  expect(of('A1b2-C3d4-E5f6-77')).toMatch(/^[A-F]\d[a-f]\d-[A-F]\d[a-f]\d-[A-F]\d[a-f]\d-\d\d$/)
  expect(of(ACCOUNT)).toMatch(/^[A-Z]{5}\d{4}[A-Z]{3}$/)
  expect([of(ACCOUNT), of('x'.repeat(50)).length]).toEqual([
    createPseudonyms('an app secret', []).pseudonymize(ACCOUNT),
    50,
  ])
  expect(createPseudonyms('another one', []).pseudonymize(ACCOUNT)).not.toBe(of(ACCOUNT))
})

test.each([
  ['under its name', `{"account_id":"${ACCOUNT}"}`],
  [
    'under a name with a space, as published examples write it',
    '{"account id":"OTHER00099","x":"OTHER00099"}',
  ],
  ['as a number', '{"order_id":1234567890123,"again":1234567890123}'],
  ['in a list', '{"accounts":["OTHER00099",{"number":"77001122"}]}'],
  [
    'in an object that has its name',
    '{"account":{"id":"OTHER00099","type":"CASH"},"order":{"id":"ORDER00099"}}',
  ],
  [
    'as a part of a text',
    `{"reason":"${ACCOUNT} has no funds","order_id":"ORDER00099","note":"(ORDER00099)"}`,
  ],
  ['as a name', `{"${ACCOUNT}":1}`],
  ['in JSON within a text', '{"payload":"{\\"account_id\\":\\"OTHER00099\\"}"}'],
  ['written with escapes', '{"order_id":"ORDER0009\\u0039"}'],
])('an id is replaced %s', (_, text) => {
  const left = names.replaceInJsonText(text) ?? ''
  expect(JSON.parse(left)).toBeDefined()
  expect(left).not.toMatch(/BENCH0001A|OTHER00099|ORDER0009|77001122|1234567890123/)
})

test('text that is not an id is unchanged, byte for byte', () => {
  const text =
    '{ "amount": 1.10, "qty":"1.0000","symbol" : "BRK.B","order_type":"LIMIT", "e":1E5, "é":"\\u00e9"}'
  expect(names.replaceInJsonText(text)).toBe(text)
})

test('an account that occurred once is replaced in later texts too', () => {
  const later = createPseudonyms('an app secret', [])
  later.replaceInJsonText('{"contra_account":"LATER00042"}')
  expect(later.replaceInJsonText('{"description":"to LATER00042"}')).not.toContain('LATER00042')
  expect(later.replaceInText('LATER00042 is gone')).toBe(`${later.pseudonymize('LATER00042')} is gone`)
})

test('values of fields with the name of a secret are removed', () => {
  expect(names.replaceInJsonText('{"access_token":"abc","password":7,"token":"","pass":"x"}')).toBe(
    '{"access_token":"[secret]","password":0,"token":"","pass":"x"}',
  )
})

test.each(['', 'no JSON', '{"account_id":"x"', '{"a":1}x'])('%j is not JSON', (text) => {
  expect([names.replaceInJsonText(text), replaceInJson(text, () => 'x')]).toEqual([undefined, undefined])
})

test('the callback receives each value with its path of names', () => {
  const seen: string[] = []
  replaceInJson('{"a":[1,{"b":"two"},[]],"c":{"d":{}},"e":-3.5e1}', (text, place, type) => {
    seen.push(`${type} ${place.join('.')} ${text}`)
    return undefined
  })
  expect(seen).toEqual([
    'name  a',
    'number a 1',
    'name a b',
    'string a.b two',
    'name  c',
    'name c d',
    'name  e',
    'number e -3.5e1',
  ])
})

test('random payloads contain no id after the replacement, and are otherwise unchanged', () => {
  const random = createSeededRandom(18)
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T
  const ids = Array.from({ length: 40 }, (_, index) => `${pick(['ID', 'x-', '77', 'Zz'])}${100_000 + index}q`)
  const idNames = [
    'account_id',
    'accountId',
    'account id',
    'orderId',
    'client_order_id',
    'to_account',
    'accounts',
  ]
  const plainNames = ['symbol', 'qty', 'note', 'fees', 'payload', 'é\u2028', '"quoted"', '__proto__']
  const escapes = (text: string): string =>
    random() < 0.2
      ? text.replace(/\w/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      : text
  /** Generates JSON text with random white space. */
  const draw = (depth: number, isId: boolean): string => {
    const blank = pick(['', '', ' ', '\n'])
    const kind = depth === 0 ? 0 : Math.floor(random() * 4)
    if (kind === 1) return `[${blank}${[1, 2].map(() => draw(depth - 1, isId)).join(',')}${blank}]`
    if (kind >= 2) {
      const names = Array.from({ length: 4 }, () => pick([...idNames, ...plainNames]))
      const fields = [...new Set(names)].map(
        (name) => `${JSON.stringify(name)}${blank}:${draw(depth - 1, idNames.includes(name))}`,
      )
      return `{${blank}${fields.join(`${blank},`)}}`
    }
    if (isId) return `"${escapes(pick(ids))}"`
    return pick([
      '1.10',
      '-0',
      '1E400',
      'true',
      'null',
      '"AAPL"',
      '"\\"\\\\{["',
      '""',
      '12345678901234567890',
    ])
  }
  const drawn = createPseudonyms('an app secret', [])
  const pseudonyms = new Map(ids.map((id) => [id, drawn.pseudonymize(id)]))
  const rounds = inject('isFullRun') ? 1000 : 100
  for (let round = 0; round < rounds; round += 1) {
    const text = draw(5, false)
    const left = drawn.replaceInJsonText(text) ?? ''
    const parsed = JSON.stringify(JSON.parse(text))
    let expected = parsed
    for (const [id, pseudonym] of pseudonyms) expected = expected.replaceAll(id, pseudonym)
    expect({ text, left: JSON.stringify(JSON.parse(left)) }).toEqual({ text, left: expected })
    expect(ids.filter((id) => left.includes(id))).toEqual([])
  }
})

test('a payload is withheld if too many ids have the same prefix', () => {
  const ids = Array.from({ length: 600 }, (_, at) => 'A'.repeat(6 + at))
  const text = JSON.stringify({
    order_ids: ids.map((order_id) => ({ order_id })),
    note: 'AAAAAAB'.repeat(10_000),
  })
  expect(names.replaceInJsonText(text)).toBeUndefined()
  const later = createPseudonyms('an app secret', ids)
  expect(later.replaceInText('AAAAAAB'.repeat(10_000))).toBe(WITHHELD)
  // Many different ids take no longer to find than a few.
  const many = Array.from({ length: 5000 }, (_, at) => ({
    order_id: `${100_000 + at}-ORDER`,
    note: `of ${100_000 + at}-ORDER`,
  }))
  expect(names.replaceInJsonText(JSON.stringify(many))).not.toContain('-ORDER"')
})

test('the search counts its steps and finds each id, the longest one first', () => {
  const index = new IdIndex()
  for (const id of ['ORDER001', 'ORDER0012', 'short', 'ORDER0012']) index.add(id)
  expect(index.size).toBe(2)
  const work = { steps: 1000 }
  const replace = (id: string): string => `<${id}>`
  expect(replaceIds('a ORDER0012 ORDER001 ORDER00 short', [index], replace, work)).toBe(
    'a <ORDER0012> <ORDER001> ORDER00 short',
  )
  expect(1000 - work.steps).toBeLessThan(60)
  replaceIds('ORDER00'.repeat(100), [index], replace, work)
  expect(work.steps).toBeLessThan(0)
})

test('a long id or deep nesting takes no longer than other text of the same length', () => {
  const hashed = vi.spyOn(Hmac.prototype, 'update')
  const long = 'Z9'.repeat(100_000)
  expect(names.pseudonymize(long)).toHaveLength(long.length)
  expect(hashed.mock.calls.every(([data]) => String(data).length < 1000)).toBe(true)
  hashed.mockRestore()
  const depth = 30_000
  const text = `${'{"a":'.repeat(depth)}${JSON.stringify(Array(depth).fill(0))}${'}'.repeat(depth)}`
  let places = 0
  replaceInJson(text, (_, place) => {
    places = Math.max(places, place.length)
    return undefined
  })
  expect(places).toBe(2)
})
