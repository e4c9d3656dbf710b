import { expect, test } from 'vitest'
import { createRandom } from './random.ts'
import { drawSpelling, steers, tells } from './secrets.ts'

test('a secret is found in every spelling that attacks use, and in no text without it', () => {
  const random = createRandom(1)
  for (let n = 0; n < 500; n += 1) {
    const secret = `${random.hex(20)}+/=&<é`
    const [name, spell] = drawSpelling(random)
    // A byte for each character: what is not ASCII has no spelling as a byte.
    const spelled = /octal|literal/.test(name) ? secret.replace('é', 'e') : secret
    expect([name, tells(`before ${spell(spelled)} after`, spelled)]).toEqual([name, true])
    expect(tells(`before ${spell(random.hex(20))} after`, secret)).toBe(false)
  }
})

test('what steers is told from what does not', () => {
  for (const text of ['\x1b[31m', 'a\nb', '\u009b', '\u202e', '\u2028', '\ud800'])
    expect(steers(text)).toBe(true)
  for (const text of ['plain', '\\u{1b}', 'é 中 😀']) expect(steers(text)).toBe(false)
})
