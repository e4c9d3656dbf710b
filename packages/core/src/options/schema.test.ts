import { describe, expect, test } from 'vitest'
import { Secret } from '../redaction/secret.ts'
import { type OptionFailure, optionMessage } from './failure.ts'
import {
  array,
  boolean,
  clock,
  custom,
  duration,
  func,
  integer,
  object,
  oneOf,
  optional,
  port,
  readOptions,
  type Schema,
  secret,
  signal,
  string,
  unchecked,
} from './schema.ts'

const fail: OptionFailure = (option, expected, received, message) =>
  Object.assign(new Error(message ?? optionMessage(option, expected, received)), {
    details: [option, expected, received],
  })
const read = <T>(schema: Schema<T>, value: unknown): T => schema(value, 'x', fail)
const problem = (schema: Schema<unknown>, value: unknown): string => {
  try {
    read(schema, value)
  } catch (error) {
    return (error as Error).message
  }
  throw new Error('the value was accepted')
}

describe('integer', () => {
  const schema = integer({ min: 1, max: 10, default: 5 })

  test.each([
    [undefined, 5],
    [1, 1],
    [10, 10],
  ])('reads %o as %d', (value, expected) => {
    expect(read(schema, value)).toBe(expected)
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
  ])('rejects %o', (value, received) => {
    expect(problem(schema, value)).toBe(`x must be a whole number from 1 to 10; received ${received}`)
  })

  test('is required without a default', () => {
    expect(problem(integer({ min: 0, max: 1 }), undefined)).toBe(
      'x must be a whole number from 0 to 1; received undefined',
    )
  })

  test('a duration is at most a day', () => {
    expect(read(duration(60), undefined)).toBe(60)
    expect(problem(duration(60), 86_400_001)).toContain('from 1 to 86400000')
  })
})

describe('boolean', () => {
  test.each([
    [undefined, true],
    [true, true],
    [false, false],
  ])('reads %o as %o', (value, expected) => {
    expect(read(boolean(true), value)).toBe(expected)
  })

  test.each([
    ['true', 'a string'],
    [0, '0'],
    [null, 'null'],
  ])('rejects %o', (value, received) => {
    expect(problem(boolean(true), value)).toBe(`x must be true or false; received ${received}`)
  })
})

describe('string', () => {
  const ascii = string({ pattern: /^[!-~]+$/, expected: 'visible ASCII' })
  const name = string({ pattern: /^[a-z]{1,9}$/, expected: 'a name', isName: true })

  test('reads non-empty text, or the default', () => {
    expect(read(string(), ' a ')).toBe(' a ')
    expect(read(string({ default: 'd' }), undefined)).toBe('d')
    expect(read(ascii, 'a')).toBe('a')
  })

  test('names white space at the ends of text that its pattern rejects', () => {
    expect(problem(ascii, 'key\n')).toBe('x must be visible ASCII; received text with a line end at its end')
  })

  test.each([
    [string(), '', 'x must be a non-empty string; received an empty string'],
    [string(), undefined, 'x must be a non-empty string; received undefined'],
    [string(), 7, 'x must be a non-empty string; received 7'],
    [string(), new Secret('topsecret'), 'x must be a non-empty string; received an object'],
    [ascii, 'top secret', 'x must be visible ASCII'],
    [name, 'a b', 'x must be a name'],
    [name, 'a/b', 'x must be a name; received "a/b"'],
    [name, 'a'.repeat(29), 'x must be a name'],
    [name, '', 'x must be a name; received an empty string'],
    [ascii, undefined, 'x must be visible ASCII; received undefined'],
  ])('rejects a wrong value without showing it: %#', (schema, value, message) => {
    expect(problem(schema, value)).toBe(message)
  })
})

describe('secret', () => {
  test('reads text or a Secret', () => {
    expect(read(secret, 'topsecret')).toBe('topsecret')
    expect(read(secret, new Secret('topsecret'))).toBe('topsecret')
  })

  test.each([
    ['', 'an empty string'],
    [new Secret(''), 'an empty string'],
    [null, 'null'],
    [12345, 'a number'],
    [{ reveal: 'topsecret' }, 'an object'],
    [{ reveal: (): number => 7 }, 'an object'],
  ])('rejects %o', (value, received) => {
    expect(problem(secret, value)).toBe(`x must be a non-empty string or a Secret; received ${received}`)
  })

  test('rejects white space at its ends, which would be signed', () => {
    expect(problem(secret, 'topsecret\n')).toBe(
      'x must be without white space at its ends; received text with a line end at its end',
    )
    expect(problem(secret, new Secret(' topsecret'))).toContain('received text with white space at its start')
  })
})

describe('oneOf', () => {
  test('reads a listed name, or the default', () => {
    expect(read(oneOf(['a', 'b']), 'b')).toBe('b')
    expect(read(oneOf(['a', 'b'], 'a'), undefined)).toBe('a')
  })

  test.each([
    ['eu', 'x must be "hk" or "us"; received "eu"'],
    ['HK', 'x must be "hk" or "us"; received "HK". Did you mean "hk"?'],
    [null, 'x must be "hk" or "us"; received null'],
    ['toString', 'x must be "hk" or "us"; received "toString"'],
    ['', 'x must be "hk" or "us"; received an empty string'],
    ['\u001b[2J', 'x must be "hk" or "us"; received a string'],
    ['a-secret-of-32-characters-or-more', 'x must be "hk" or "us"; received a string'],
    ['u'.repeat(1e6), 'x must be "hk" or "us"; received a string'],
    [undefined, 'x must be "hk" or "us"; received undefined'],
  ])('rejects %.40j and suggests a near name', (value, message) => {
    expect(problem(oneOf(['hk', 'us']), value)).toBe(message)
  })

  test('names a single alternative', () => {
    expect(problem(oneOf(['a']), 1)).toBe('x must be "a"; received 1')
  })
})

describe('func', () => {
  const given = (): number => 1

  test('reads a function, or the default', () => {
    expect(read(func(), given)).toBe(given)
    expect(read(func(given), undefined)).toBe(given)
  })

  test.each([
    [undefined, 'undefined'],
    [null, 'null'],
    ['x', 'a string'],
    [{}, 'an object'],
  ])('rejects %o', (value, received) => {
    expect(problem(func(), value)).toBe(`x must be a function; received ${received}`)
  })
})

describe('port', () => {
  const store = { get: () => {}, set: () => {} }
  const schema = port<typeof store>(['get', 'set'])

  test('reads an object with the methods, also a callable one or one of a class', () => {
    class Port {
      get(): void {}
      set(): void {}
    }
    for (const value of [store, new Port(), Object.assign(() => {}, store)])
      expect(read(schema, value)).toBe(value)
  })

  test.each([
    [undefined, 'x must be an object with get, set; received undefined'],
    [null, 'x must be an object with get, set; received null'],
    ['hidden', 'x must be an object with get, set; received a string'],
    [{}, 'x.get must be a function; received undefined'],
    [{ get: store.get, set: 'hidden' }, 'x.set must be a function; received a string'],
  ])('rejects %o', (value, message) => {
    expect(problem(schema, value)).toBe(message)
  })

  test('a clock is the clock of the host by default', () => {
    expect(read(clock, undefined).now()).toBeGreaterThan(1e12)
    expect(problem(clock, { now: Date.now })).toBe('x.setTimer must be a function; received undefined')
  })
})

describe('signal', () => {
  test('reads a signal, or none', () => {
    const { signal: given } = new AbortController()
    expect(read(signal, given)).toBe(given)
    expect(read(signal, undefined)).toBeUndefined()
  })

  test.each([
    [null, 'null'],
    ['text', 'a string'],
    [{ aborted: false }, 'an object'],
    [{ aborted: 0, addEventListener() {}, removeEventListener() {} }, 'an object'],
    [new AbortController(), 'an object'],
  ])('rejects %o', (value, received) => {
    expect(problem(signal, value)).toBe(`x must be an AbortSignal; received ${received}`)
  })
})

describe('array', () => {
  const names = array(string(), { expected: 'an array of names', default: [] })

  test('reads each element, or the default', () => {
    expect(read(names, ['a', 'b'])).toEqual(['a', 'b'])
    expect(read(names, undefined)).toEqual([])
  })

  test('names the element that is wrong', () => {
    expect(problem(names, ['a', 1])).toBe('x[1] must be a non-empty string; received 1')
    expect(problem(names, 'a')).toBe('x must be an array of names; received a string')
  })

  test('must not be empty without a default', () => {
    const required = array(string(), { expected: 'a non-empty array of names' })
    for (const value of [undefined, []])
      expect(problem(required, value)).toContain('must be a non-empty array of names')
  })
})

test('the error of a custom schema states what is expected', () => {
  const even = custom<number>('an even number', (value) => Number(value) % 2 === 0)
  expect(read(even, 4)).toBe(4)
  expect(problem(even, 3)).toBe('x must be an even number; received 3')
})

describe('readOptions', () => {
  const FIELDS = {
    appKey: string(),
    secret,
    size: integer({ min: 1, max: 10, default: 5 }),
    name: optional(string()),
    port: unchecked<object | undefined>(),
    buffer: object({ maxItems: integer({ min: 1, max: 10, default: 3 }) }, {}),
  }
  const required = { appKey: 'k', secret: 's' }
  const message = (options: unknown, path?: string): string => {
    try {
      readOptions(fail, options, FIELDS, path)
    } catch (error) {
      return (error as Error).message
    }
    throw new Error('the options were accepted')
  }

  test('fills in defaults, also those of nested options', () => {
    expect(readOptions(fail, required, FIELDS)).toEqual({
      ...required,
      size: 5,
      name: undefined,
      port: undefined,
      buffer: { maxItems: 3 },
    })
    expect(readOptions(fail, { ...required, buffer: null }, FIELDS).buffer).toEqual({ maxItems: 3 })
  })

  test('returns the same options if it reads its own result', () => {
    const once = readOptions(fail, { ...required, secret: new Secret('s'), size: 7 }, FIELDS)
    expect(readOptions(fail, once, FIELDS)).toEqual(once)
  })

  test.each([
    [undefined, 'options must be an object with appKey, secret; received undefined'],
    [null, 'options must be an object with appKey, secret; received null'],
    ['text', 'options must be an object with appKey, secret; received a string'],
    [[], 'options must be an object with appKey, secret; received an empty array'],
    [{}, 'missing options: appKey, secret'],
    [{ size: 'wrong' }, 'missing options: appKey, secret'],
    [{ appKey: 'k' }, 'secret must be a non-empty string or a Secret; received undefined'],
    [{ ...required, buffer: 1 }, 'buffer must be an object; received 1'],
    [
      { ...required, buffer: { maxItems: 0 } },
      'buffer.maxItems must be a whole number from 1 to 10; received 0',
    ],
    [{ ...required, buffer: { maxItem: 1 } }, 'unknown option "buffer.maxItem". Did you mean "maxItems"?'],
  ])('%j is rejected', (options, expected) => {
    expect(message(options)).toBe(expected)
  })

  test('errors name options with the path of their object', () => {
    expect(message(1, 'streams')).toBe('streams must be an object with appKey, secret; received 1')
    expect(message({ ...required, buffer: { maxItems: 0 } }, 'streams')).toMatch(
      /^streams\.buffer\.maxItems must/,
    )
    expect(message({ sise: 1 }, 'streams')).toBe('unknown option "streams.sise". Did you mean "size"?')
  })

  test('ignores inherited options, and reads each option once', () => {
    let reads = 0
    const options = Object.assign(Object.create({ size: 9, unknown: 1 }) as object, {
      ...required,
    })
    Object.defineProperty(options, 'name', { enumerable: true, get: () => `read ${++reads} time` })
    expect(readOptions(fail, options, FIELDS)).toMatchObject({ size: 5, name: 'read 1 time' })
  })

  test("does not read Object.prototype, and accepts no name of it as an option's", () => {
    Object.defineProperty(Object.prototype, 'size', { value: 9, configurable: true })
    try {
      expect(readOptions(fail, required, FIELDS).size).toBe(5)
    } finally {
      Reflect.deleteProperty(Object.prototype, 'size')
    }
    expect(message({ ...required, toString: 1 })).toMatch(/^unknown option "toString"/)
  })
})

describe('an unknown option', () => {
  const NAMES = ['region', 'environment', 'appKey', 'appSecret', 'now', 'clock', 'serverClock']
  const FIELDS = Object.fromEntries(NAMES.map((name) => [name, unchecked()]))
  const message = (options: object): string => problem(object(FIELDS), options)

  test.each([
    ['enviroment', 'environment'],
    ['Environment', 'environment'],
    ['enviornment', 'environment'],
    ['secret', 'appSecret'],
    ['app_key', 'appKey'],
    ['regions', 'region'],
    ['noww', 'now'],
    ['clockk', 'clock'],
  ])('%s is probably %s', (given, nearest) => {
    expect(message({ region: 'hk', [given]: undefined })).toBe(
      `unknown option "x.${given}". Did you mean "${nearest}"?`,
    )
  })

  test('is answered with all options if none is near', () => {
    expect(message({ proxy: 1 })).toBe(`unknown option "x.proxy". The options are ${NAMES.join(', ')}`)
  })

  test('has details without its value', () => {
    try {
      readOptions(fail, { topsecretOption: 'topsecret' }, FIELDS)
      expect.unreachable()
    } catch (error) {
      expect(error).toMatchObject({
        details: ['topsecretOption', `one of ${NAMES.join(', ')}`, 'an unknown option'],
      })
      expect((error as Error).message).not.toContain('"topsecret"')
    }
  })

  test('is not shown if it is very long or contains control characters', () => {
    for (const name of ['\u001b[2J', 'a\nb', '\u202e', '', 'x'.repeat(100_000)]) {
      expect(message({ [name]: 1 })).toMatch(/^unknown option "x\.\?"\. The options are /)
    }
  })
})
