import fc from 'fast-check'
import { expect, test } from 'vitest'
import { spellings } from './redactor-encodings.ts'
import { mightContain } from './redactor-precheck.ts'

const base64 = fc.string({
  unit: fc.constantFrom(...'ABCyz019+/-_='),
  minLength: 1,
  maxLength: 40,
})
const secretText = fc.oneof(fc.string({ minLength: 1, maxLength: 40 }), base64)

test('a text with any encoding of a secret is always examined', () => {
  const around = fc.string({ maxLength: 8 })
  fc.assert(
    fc.property(secretText, around, around, fc.nat(), (secret, before, behind, which) => {
      const all = spellings(secret)
      const text = before + all[which % all.length] + behind
      expect(mightContain(text, ['another-secret-text', secret])).toBe(true)
    }),
    { numRuns: 500 },
  )
})

test('the base64 of a text with a secret at any position is examined', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 8, maxLength: 40 }), fc.nat(7), (secret, place) => {
      expect(mightContain(btoa('x'.repeat(place) + secret), [secret])).toBe(true)
    }),
  )
})

test('a request id without a secret is not examined', () => {
  const secrets = ['b7e2f1c09a8d4c53916e07f2a1d8c4e3', 'kvlS6opdZDhEBo5jq40nHYXaLvM=']
  for (const id of [
    '4f6c4dd0a1b54f6e9a1d7c5be2f3a9d1',
    '4f6c4dd0-a1b5-4f6e-9a1d-7c5be2f3a9d1',
    'R'.repeat(25),
    '',
  ]) {
    expect(mightContain(id, secrets)).toBe(false)
  }
})

test('a text with an escape is examined', () => {
  for (const text of ['a%41', 'a\\u0041', 'a&amp;', 'a+b', 'a\u00adb', 'é']) {
    const secret = 'a-long-secret-text'
    expect(mightContain(text + ' '.repeat(secret.length), [secret])).toBe(true)
    // The text is too short to contain the secret in any encoding.
    expect(mightContain(text, [secret])).toBe(false)
  }
})
