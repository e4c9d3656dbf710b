import { describe, expect, test, vi } from 'vitest'
import { isCoreError } from '../core-error.ts'
import { revealSecret } from './reveal-secret.ts'
import { Secret } from './secret.ts'

const TEXT = 'topsecret'
const secret = new Secret(TEXT)

describe('a secret', () => {
  test('is revealed by reveal()', () => {
    expect(secret.reveal()).toBe(TEXT)
    expect(new Secret('').reveal()).toBe('')
  })

  test.each<[string, () => unknown]>([
    ['String', () => String(secret)],
    ['a template', () => `${secret}`],
    ['concatenation', () => 'a'.concat(secret as never)],
    ['JSON', () => JSON.stringify({ secret, list: [secret] })],
    ['toString of Object', () => Object.prototype.toString.call(secret)],
    ['keys', () => Object.keys(secret).concat(Object.getOwnPropertyNames(secret))],
    ['symbols', () => Object.getOwnPropertySymbols(secret).map(String)],
    ['values', () => Object.values(secret)],
    ['a spread', () => JSON.stringify({ ...secret })],
    ['for in', () => Object.entries({ ...secret, ...Object.getOwnPropertyDescriptors(secret) })],
    ['structuredClone', () => JSON.stringify(structuredClone({ secret }))],
    ['an error message', () => new Error(`failed with ${secret}`).message],
    ['an error made of it', () => String(new Error(secret as never))],
    ['a URL', () => new URL(`http://localhost/?x=${secret}`).href],
    ['a header', () => new Headers({ 'x-test': secret as never }).get('x-test')],
    ['sorting and joining', () => [secret, secret].join('&')],
  ])('is not shown by %s', (_, print) => {
    expect(JSON.stringify(print())).not.toContain(TEXT)
  })

  test('cannot be changed or made to show itself', () => {
    expect(Object.isFrozen(secret)).toBe(true)
    expect(() => Object.assign(secret, { toJSON: () => TEXT })).toThrow(TypeError)
  })

  test.each([
    [undefined, 'undefined'],
    [7, 'a number'],
    [secret, 'an object'],
  ])('is not made of %o', (value, received) => {
    let caught: unknown
    try {
      new Secret(value as never)
    } catch (error) {
      caught = error
    }
    expect(isCoreError(caught, 'SECRET_INVALID') && caught.details.received).toBe(received)
  })
})

describe('revealSecret', () => {
  test('takes a text, a Secret, and a Secret of another copy', async () => {
    vi.resetModules()
    const copy = await import('./secret.ts')
    expect(copy.Secret).not.toBe(Secret)
    expect(revealSecret(TEXT)).toBe(TEXT)
    expect(revealSecret(secret)).toBe(TEXT)
    expect(revealSecret(new copy.Secret(TEXT))).toBe(TEXT)
  })

  test.each([[undefined], [null], [7], [{}], [{ reveal: TEXT }], [{ reveal: () => 7 }], [() => TEXT]])(
    'finds none in %o',
    (value) => {
      expect(revealSecret(value)).toBeUndefined()
    },
  )
})
