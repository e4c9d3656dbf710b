import { expect, test } from 'vitest'
import { createRandom } from '../random.ts'
import { drawEncoding, reveals, steers } from './secrets.ts'

test('finds a secret in every encoding that attacks use, and not in strings without it', () => {
  const random = createRandom(1)
  for (let n = 0; n < 500; n += 1) {
    const secret = `${random.hex(20)}+/=&<é`
    const [name, encode] = drawEncoding(random)
    // These two encodings write one byte for each character, so they support only ASCII.
    const encodable = /octal|literal/.test(name) ? secret.replace('é', 'e') : secret
    expect([name, reveals(`before ${encode(encodable)} after`, encodable)]).toEqual([name, true])
    expect(reveals(`before ${encode(random.hex(20))} after`, secret)).toBe(false)
  }
})

test('finds strings that can control a terminal', () => {
  for (const text of ['\x1b[31m', 'a\nb', '\u009b', '\u202e', '\u2028', '\ud800'])
    expect(steers(text)).toBe(true)
  for (const text of ['plain', '\\u{1b}', 'é 中 😀']) expect(steers(text)).toBe(false)
})
