/**
 * Settings of real commands: profiles from the user's file, warnings about unknown variables, secrets that are never
 * shown.
 */
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startSimulator } from '@brokerwire/simulator'
import { describe, expect, onTestFinished, test } from 'vitest'
import { serviceLines } from '../render/service-lines.ts'
import { environmentOf } from '../test/environment.ts'
import { run } from '../test/run.ts'
import { temporaryFile } from '../test/temporary.ts'

const SECRET = 'correct horse battery staple'
const SIGN = ['sign', 'https://a.example/']

async function home(
  config?: unknown,
  mode = 0o600,
): Promise<{ readonly HOME: string; readonly file: string }> {
  const HOME = await mkdtemp(join(tmpdir(), 'brokerwire-cli-'))
  onTestFinished(() => rm(HOME, { recursive: true, force: true }))
  const folder = join(HOME, '.config', 'brokerwire')
  const file = join(folder, 'config.json')
  await mkdir(folder, { recursive: true })
  if (config === undefined) return { HOME, file }
  await writeFile(file, typeof config === 'string' ? config : JSON.stringify(config))
  await chmod(file, mode)
  return { HOME, file }
}

const profiles = {
  format: 1,
  profiles: {
    default: { 'app-key': 'default-key', 'app-secret': SECRET },
    other: { 'app-key': 'other-key', 'app-secret': SECRET },
  },
}
const keyOf = (lines: readonly string[]): string | undefined =>
  lines.find((line) => line.startsWith('x-app-key'))

describe('a profile', () => {
  test('provides values that no flag or variable sets', async () => {
    const { HOME } = await home(profiles)
    expect(keyOf((await run(SIGN, { env: { HOME } })).out)).toBe('x-app-key: default-key')
    const named = await run([...SIGN, '--profile', 'other'], { env: { HOME } })
    expect(keyOf(named.out)).toBe('x-app-key: other-key')
    const env = { HOME, BROKERWIRE_PROFILE: 'other' }
    expect(keyOf((await run(SIGN, { env })).out)).toBe('x-app-key: other-key')
    const flag = await run(['--profile', 'default', ...SIGN, '--app-key', 'f'], { env })
    expect(keyOf(flag.out)).toBe('x-app-key: f')
  })

  test('that does not exist is reported with the most similar name', async () => {
    const { HOME } = await home(profiles)
    const { status, err } = await run([...SIGN, '--profile', 'othr'], { env: { HOME } })
    expect({ status, err }).toEqual({
      status: 2,
      err: [
        'CLI_OPTION_INVALID: --profile must be the name of a profile (known are default, other); received "othr". Did you mean "other"?',
      ],
    })
  })

  test.skipIf(process.platform === 'win32')('is not read from a file that other users can read', async () => {
    const { HOME, file } = await home(profiles, 0o640)
    const { status, err } = await run(SIGN, { env: { HOME } })
    expect({ status, err: err.join() }).toEqual({
      status: 2,
      err: expect.stringContaining(`CLI_SECRET_EXPOSED: ${file}`),
    })
  })

  test.each([
    ['{ not JSON', 'JSON'],
    [{ format: 2, profiles: {} }, '"format": 1'],
    [
      { format: 1, profiles: { default: { regoin: 'us' } } },
      'received "regoin". Did you mean "region"? Correct the file',
    ],
    [{ format: 1, profiles: { default: { region: 1 } } }, 'a string in default.region'],
  ])('in a file that contains %j is rejected with the reason', async (config, message) => {
    const { HOME } = await home(config)
    const { status, err } = await run(SIGN, { env: { HOME } })
    expect({ status, errLines: err.length, err: err.join() }).toEqual({
      status: 2,
      errLines: 1,
      err: expect.stringContaining(message),
    })
    expect(err.join()).toContain('CLI_CONFIG_INVALID')
  })
})

test('an unknown variable is reported with a similar name, but without its value', async () => {
  const env = { BROKERWIRE_APP_KEY: 'key', BROKERWIRE_APP_SECRET: SECRET, BROKERWIRE_REGOIN: 'us-value' }
  const { status, err } = await run(SIGN, { env })
  expect({ status, err }).toEqual({
    status: 0,
    err: ['unknown environment variable BROKERWIRE_REGOIN. Did you mean "BROKERWIRE_REGION"?'],
  })
})

test('both variables of the app secret together are rejected', async () => {
  const file = await temporaryFile('secret', SECRET)
  const env = {
    BROKERWIRE_APP_KEY: 'key',
    BROKERWIRE_APP_SECRET: 'another',
    BROKERWIRE_APP_SECRET_FILE: file,
  }
  const { status, err } = await run(SIGN, { env })
  const message =
    'CLI_OPTION_INVALID: BROKERWIRE_APP_SECRET must not be set together with BROKERWIRE_APP_SECRET_FILE'
  expect({ status, err }).toEqual({ status: 2, err: [message] })
  expect((await run([...SIGN, '--app-secret-file', file], { env })).status).toBe(0)
})

describe('colors', () => {
  test.each([
    [['--color', 'always'], true],
    [['--color', 'never'], false],
    [[], false],
  ])('%j', async (flags, colored) => {
    await using simulator = await startSimulator({ scenario: 'lifecycles-forever', scenarioIntervalMs: 5 })
    const env = environmentOf(serviceLines(simulator))
    const listened = await run(['listen', 'trade', '--count', '1', ...flags], { env })
    expect(listened).toMatchObject({ status: 0, err: [] })
    expect(listened.out.join('\n').includes('\u001b[')).toBe(colored)
  })
})

describe('white space around an app key or an app secret', () => {
  test('is removed from a file or a variable if it is one final line break or a byte order mark', async () => {
    const { HOME } = await home()
    const right = { HOME, BROKERWIRE_APP_KEY: 'k', BROKERWIRE_APP_SECRET: SECRET }
    for (const after of ['\n', '\r\n']) {
      const secret = `\ufeff${SECRET}${after}`
      const file = await temporaryFile('secret', secret)
      for (const place of [{ BROKERWIRE_APP_SECRET: secret }, { BROKERWIRE_APP_SECRET_FILE: file }]) {
        const env = { HOME, BROKERWIRE_APP_KEY: `k${after}`, ...place }
        const { out } = await run([...SIGN, '--json'], { env })
        const signed = await temporaryFile('signed.json', out.join())
        expect((await run(['verify', signed], { env: right })).status).toBe(0)
      }
    }
  })

  test('is rejected anywhere else, and the value is not shown', async () => {
    const { HOME } = await home({
      format: 1,
      profiles: {
        default: { 'app-key': 'k', 'app-secret': `${SECRET}\n` },
        key: { 'app-key': ' k', 'app-secret': SECRET },
      },
    })
    const expected = async (
      args: readonly string[],
      env: Readonly<Record<string, string>>,
      message: string,
    ) => {
      const { status, err } = await run([...SIGN, ...args], { env: { HOME, ...env } })
      expect({ status, err: err.join() }).toEqual({ status: 2, err: `CLI_OPTION_INVALID: ${message}` })
    }
    const without = 'must be without white space at its ends; received text with'
    await expected([], {}, `profile default ${without} a line end at its end`)
    await expected(['--profile', 'key'], {}, `app-key in the profile key ${without} white space at its start`)
    await expected(['--app-key', 'k '], {}, `--app-key ${without} white space at its end`)
    const twice = { BROKERWIRE_APP_SECRET: `${SECRET}\n\n` }
    await expected([], twice, `BROKERWIRE_APP_SECRET ${without} a line end at its end`)
  })

  test('is rejected by config set', async () => {
    const { HOME, file } = await home()
    const env = { HOME }
    expect((await run(['config', 'set', 'app-key', ' k'], { env })).err.join()).toContain(
      'white space at its start',
    )
    const typed = await run(['config', 'set', 'app-secret'], { env, input: `${SECRET} \n` })
    expect(typed.err.join()).toContain('white space at its end')
    expect((await run(['config', 'set', 'app-secret'], { env, input: `${SECRET}\r\n` })).status).toBe(0)
    expect(JSON.parse(await readFile(file, 'utf8')).profiles.default['app-secret']).toBe(SECRET)
  })
})

test('a short app secret gets one warning, and is not removed from messages', async () => {
  const { HOME } = await home()
  const env = { HOME, BROKERWIRE_APP_KEY: 'k', BROKERWIRE_APP_SECRET: 's' }
  expect((await run(SIGN, { env })).err).toEqual([
    'BROKERWIRE_APP_SECRET should have at least 8 characters; a shorter app secret is probably incomplete',
  ])
  const place = { BROKERWIRE_ENVIRONMENT: 'sandbox', BROKERWIRE_REGION: 'eu' }
  const wrong = await run(['request', 'GET', '/x'], { env: { ...env, ...place } })
  expect(wrong.err.join()).toContain('must be')
  expect(wrong.err.join()).not.toContain('[secret]')
})
