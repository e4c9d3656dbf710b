import { describe, expect, test } from 'vitest'
import type { OptionFailure } from './failure.ts'
import { requireKnownOptions, requireOptions } from './known-options.ts'

const NAMES = ['region', 'environment', 'appKey', 'appSecret', 'now']
const fail: OptionFailure = (option, expected, received, message) =>
  Object.assign(new Error(message), { details: [option, expected, received] })
const messageOf = (options: object | null | undefined): string => {
  try {
    requireKnownOptions(fail, options, NAMES)
    return 'nothing'
  } catch (error) {
    return (error as Error).message
  }
}

describe('requireKnownOptions', () => {
  test.each([[{}], [{ now: 1, region: 'hk' }], [undefined], [null], [Object.create({ enviroment: 1 })]])(
    'takes %o',
    (options) => {
      expect(messageOf(options)).toBe('nothing')
    },
  )

  test.each([
    ['enviroment', 'environment'],
    ['Environment', 'environment'],
    ['enviornment', 'environment'],
    ['secret', 'appSecret'],
    ['app_key', 'appKey'],
    ['regions', 'region'],
    ['noww', 'now'],
  ])('%s is taken for %s', (given, nearest) => {
    expect(messageOf({ region: 'hk', [given]: undefined })).toBe(
      `unknown option '${given}': did you mean '${nearest}'?`,
    )
  })

  test('names all of them where none is near', () => {
    expect(messageOf({ proxy: 1 })).toBe(
      "unknown option 'proxy': the options are region, environment, appKey, appSecret, now",
    )
  })

  test('says the same as details, and never a value', () => {
    try {
      requireKnownOptions(fail, { topsecretOption: 'topsecret' }, NAMES)
    } catch (error) {
      expect(error).toMatchObject({
        details: ['topsecretOption', `one of ${NAMES.join(', ')}`, 'an unknown option'],
      })
      expect((error as Error).message).not.toContain("'topsecret'")
      return
    }
    throw new Error('nothing was thrown')
  })

  test('does not show a name that steers a terminal, forges a line or is very long', () => {
    for (const name of ['\u001b[2J', 'a\nb', '\u202e', '', 'x'.repeat(100_000)]) {
      expect(messageOf({ [name]: 1 })).toMatch(/^unknown option '\?': the options are /)
    }
  })
})

describe('requireOptions', () => {
  const names = { clock: 1, serverClock: 1 } as const
  const read = (given: object, option = 'options'): unknown => requireOptions(fail, option, given, names)

  test('are what the object itself has, in a copy that no prototype shows through', () => {
    const given = Object.assign(Object.create({ serverClock: 'inherited' }), { clock: 1 }) as object
    const own = read(given) as { readonly serverClock?: unknown; readonly toString?: unknown }
    expect(own).toEqual({ clock: 1 })
    expect([own.serverClock, own.toString]).toEqual([undefined, undefined])
  })

  test.each([[undefined], [null], [5], ['text']])('%o is no object', (given) => {
    expect(() => read(given as never, 'group')).toThrow()
  })

  test('of two names that have as much in common, the nearest is the shorter one', () => {
    expect(() => read({ clockk: 1 })).toThrow("unknown option 'clockk': did you mean 'clock'?")
  })

  test('within an option, the message has both names', () => {
    expect(() => read({ clok: 1 }, 'group')).toThrow("unknown option 'group.clok': did you mean 'clock'?")
  })
})
