import { describe, expect, test } from 'vitest'
import { Secret } from '../redaction/secret.ts'
import type { OptionFailure } from './failure.ts'
import {
  readBoolean,
  readFunction,
  readInteger,
  readOneOf,
  readSignal,
  requireFunction,
  requireObject,
  requirePort,
  requireSecret,
  requireText,
} from './options.ts'

const fail: OptionFailure = (option, expected, received) => new Error(`${option}|${expected}|${received}`)

describe('requireObject', () => {
  test.each([[{}], [{ a: 1 }], [new Map()]])('takes %o', (value) => {
    expect(() => requireObject(fail, 'options', value)).not.toThrow()
  })

  test.each([
    [undefined, 'undefined'],
    [null, 'null'],
    ['a', 'a string'],
    [[], 'an empty array'],
  ])('refuses %o', (value, received) => {
    expect(() => requireObject(fail, 'options', value)).toThrow(`options|an object|${received}`)
  })
})

describe('requireText', () => {
  test('takes a non-empty text', () => {
    expect(requireText(fail, 'appKey', ' a ')).toBe(' a ')
  })

  test.each([
    ['', 'an empty string'],
    [undefined, 'undefined'],
    [7, 'a number'],
    [new Secret('topsecret'), 'an object'],
  ])('refuses %o', (value, received) => {
    expect(() => requireText(fail, 'appKey', value)).toThrow(`appKey|a non-empty string|${received}`)
  })
})

describe('requireSecret', () => {
  test('takes a text or a Secret', () => {
    expect(requireSecret(fail, 'appSecret', 'topsecret')).toBe('topsecret')
    expect(requireSecret(fail, 'appSecret', new Secret('topsecret'))).toBe('topsecret')
  })

  test.each([
    ['', 'an empty string'],
    [new Secret(''), 'an empty string'],
    [null, 'null'],
    [{ reveal: 'topsecret' }, 'an object'],
    [{ reveal: (): number => 7 }, 'an object'],
  ])('refuses %o', (value, received) => {
    expect(() => requireSecret(fail, 'appSecret', value)).toThrow(
      `appSecret|a non-empty string or a Secret|${received}`,
    )
  })
})

describe('readBoolean', () => {
  test.each([
    [undefined, true],
    [true, true],
    [false, false],
  ])('reads %o as %o', (value, read) => {
    expect(readBoolean(fail, 'wait', value, true)).toBe(read)
  })

  test.each([
    ['true', 'a string'],
    [0, '0'],
    [null, 'null'],
  ])('refuses %o', (value, received) => {
    expect(() => readBoolean(fail, 'wait', value, true)).toThrow(`wait|true or false|${received}`)
  })
})

describe('readInteger', () => {
  const bounds = { min: 1, max: 10, fallback: 5 }

  test.each([
    [undefined, 5],
    [1, 1],
    [10, 10],
  ])('reads %o as %d', (value, read) => {
    expect(readInteger(fail, 'limit', value, bounds)).toBe(read)
  })

  test.each([
    [0, '0'],
    [11, '11'],
    [1.5, '1.5'],
    [true, 'true'],
    [Number.NaN, 'NaN'],
    ['5', 'a string'],
    [null, 'null'],
    [5n, 'a bigint'],
  ])('refuses %o', (value, received) => {
    expect(() => readInteger(fail, 'limit', value, bounds)).toThrow(
      `limit|a whole number from 1 to 10|${received}`,
    )
  })
})

describe('readOneOf', () => {
  test('takes a listed text, or the default for a missing one', () => {
    expect(readOneOf(fail, 'mode', 'b', ['a', 'b'])).toBe('b')
    expect(readOneOf(fail, 'mode', undefined, ['a', 'b'], 'a')).toBe('a')
  })

  test.each([
    ['c', 'a string'],
    ['A', 'a string'],
    [null, 'null'],
    ['toString', 'a string'],
  ])('refuses %o, default or not', (value, received) => {
    const message = `mode|one of 'a', 'b'|${received}`
    expect(() => readOneOf(fail, 'mode', value, ['a', 'b'])).toThrow(message)
    expect(() => readOneOf(fail, 'mode', value, ['a', 'b'], 'a')).toThrow(message)
  })

  test('a missing one without a default is refused', () => {
    expect(() => readOneOf(fail, 'mode', undefined, ['a'])).toThrow("mode|one of 'a'|undefined")
  })
})

describe('readFunction', () => {
  const given = (): number => 1
  const fallback = (): number => 2

  test('takes a function, or the default for a missing one', () => {
    expect(readFunction(fail, 'now', given, fallback)).toBe(given)
    expect(readFunction(fail, 'now', undefined, fallback)).toBe(fallback)
  })

  test('refuses anything else', () => {
    expect(() => readFunction<unknown>(fail, 'now', null, fallback)).toThrow('now|a function|null')
    expect(() => readFunction<unknown>(fail, 'now', {}, fallback)).toThrow('now|a function|an object')
  })
})

describe('requireFunction', () => {
  test('gives the function itself', () => {
    const given = () => 1
    expect(requireFunction(fail, 'now', given)).toBe(given)
  })

  test.each([
    [undefined, 'undefined'],
    [null, 'null'],
    ['x', 'a string'],
    [{}, 'an object'],
  ])('takes nothing else: %j', (value, received) => {
    expect(() => requireFunction(fail, 'now', value)).toThrow(`now|a function|${received}`)
  })
})

describe('requirePort', () => {
  const port = { get: () => {}, set: () => {} }

  test('takes an object with the methods, callable or of a class too', () => {
    class Port {
      get(): void {}
      set(): void {}
    }
    for (const value of [port, new Port(), Object.assign(() => {}, port)])
      expect(requirePort(fail, 'store', value, ['get', 'set'])).toBe(value)
  })

  test.each([
    [undefined, 'store|an object with get, set|undefined'],
    [null, 'store|an object with get, set|null'],
    ['hidden', 'store|an object with get, set|a string'],
    [{}, 'store.get|a function|undefined'],
    [{ get: port.get, set: 'hidden' }, 'store.set|a function|a string'],
  ])('refuses %o', (value, message) => {
    expect(() => requirePort(fail, 'store', value as typeof port, ['get', 'set'])).toThrow(message)
  })
})

describe('readSignal', () => {
  test('takes a signal, or none', () => {
    const { signal } = new AbortController()
    expect(readSignal(fail, signal)).toBe(signal)
    expect(readSignal(fail, undefined)).toBeUndefined()
  })

  test.each([
    [null, 'null'],
    ['text', 'a string'],
    [{ aborted: false }, 'an object'],
    [{ aborted: 0, addEventListener() {}, removeEventListener() {} }, 'an object'],
    [new AbortController(), 'an object'],
  ])('refuses %o', (value, received) => {
    expect(() => readSignal(fail, value as never)).toThrow(`signal|an AbortSignal|${received}`)
  })
})
