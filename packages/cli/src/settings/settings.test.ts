/** Precedence of sources: flags, variables, profile, default. */
import { describe, expect, test } from 'vitest'
import { configFile, defaultStore } from './paths.ts'
import { resolveSettings } from './settings.ts'

const profile = { name: 'work', values: { region: 'hk', 'app-key': 'of-profile', 'app-secret': 's' } }

describe('settings', () => {
  test('flags override variables, variables the profile, and the profile the default', () => {
    const env = { BROKERWIRE_REGION: 'us', BROKERWIRE_ENVIRONMENT: 'sandbox' }
    const flags = { environment: 'production' }
    expect(resolveSettings({ flags, env, profile, defaults: { store: '/s' } })).toEqual({
      environment: { value: 'production', source: '--environment' },
      region: { value: 'us', source: 'BROKERWIRE_REGION' },
      appKey: { value: 'of-profile', source: 'profile work' },
      appSecret: { value: 's', source: 'profile work' },
      store: { value: '/s', source: 'default' },
    })
  })

  test('an empty variable is ignored', () => {
    const { region } = resolveSettings({ flags: {}, env: { BROKERWIRE_REGION: '' }, profile })
    expect(region).toEqual({ value: 'hk', source: 'profile work' })
  })

  test('a secret file overrides an app secret from a source of lower priority, and vice versa', () => {
    const flags = { appSecretFile: 'f' }
    const env = { BROKERWIRE_APP_SECRET: 'of-variable' }
    const fromFlag = resolveSettings({ flags, env, profile })
    expect({ value: fromFlag.appSecretFile?.value, appSecret: fromFlag.appSecret }).toEqual({
      value: 'f',
      appSecret: undefined,
    })
    const other = { name: 'work', values: { 'app-secret-file': 'f' } }
    const fromVariable = resolveSettings({ flags: {}, env, profile: other })
    expect({ value: fromVariable.appSecret?.value, appSecretFile: fromVariable.appSecretFile }).toEqual({
      value: 'of-variable',
      appSecretFile: undefined,
    })
  })

  test('no flag has the app secret itself', () => {
    expect(resolveSettings({ flags: { appSecret: 'shown to everyone' }, env: {} })).toEqual({})
  })
})

describe('the paths of the user', () => {
  test.each([
    [{ HOME: '/h1' }, 'linux', '/h1/.config/brokerwire/config.json', '/h1/.local/state/brokerwire/store'],
    [
      { HOME: '/h', XDG_CONFIG_HOME: '/c', XDG_STATE_HOME: '/s' },
      'linux',
      '/c/brokerwire/config.json',
      '/s/brokerwire/store',
    ],
    [
      { HOME: '/h', XDG_CONFIG_HOME: 'relative' },
      'darwin',
      '/h/.config/brokerwire/config.json',
      '/h/.local/state/brokerwire/store',
    ],
    [
      { APPDATA: 'C:\\R', LOCALAPPDATA: 'C:\\L' },
      'win32',
      'C:\\R\\brokerwire\\config.json',
      'C:\\L\\brokerwire\\store',
    ],
    [{}, 'linux', undefined, undefined],
    [{ HOME: 'relative' }, 'linux', undefined, undefined],
  ])('%j on %s', (env, platform, file, store) => {
    expect([configFile(env, platform), defaultStore(env, platform)]).toEqual([file, store])
  })
})
