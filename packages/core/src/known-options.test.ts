import { describe, expect, test } from 'vitest'
import { requireKnownOptions } from './known-options.ts'
import type { OptionFailure } from './options.ts'

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
