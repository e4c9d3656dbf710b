/** `brokerwire config`: stored settings, and secrets that are never shown. */
import { existsSync } from 'node:fs'
import { chmod, lstat, mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { run } from '../test/run.ts'

const SECRET = 'correct horse battery staple'

async function home(): Promise<{ readonly HOME: string }> {
  const HOME = await mkdtemp(join(tmpdir(), 'brokerwire-cli-'))
  onTestFinished(() => rm(HOME, { recursive: true, force: true }))
  return { HOME }
}

describe('brokerwire config', () => {
  test('stores settings in a private file, and reports the source of each', async () => {
    const env = await home()
    for (const args of [
      ['region', 'us'],
      ['app-key', 'key'],
      ['accounts', 'A,B', '--profile', 'work'],
    ])
      expect(await run(['config', 'set', ...args], { env })).toEqual({ status: 0, out: [], err: [] })
    await run(['config', 'set', 'app-secret'], { env, input: `${SECRET}\n` })
    const { out } = await run(['config', 'path'], { env })
    const [file = ''] = out
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect((await stat(join(file, '..'))).mode & 0o777).toBe(0o700)
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({
      format: 1,
      profiles: {
        default: { region: 'us', 'app-key': 'key', 'app-secret': SECRET },
        work: { accounts: 'A,B' },
      },
    })
    const listed = await run(['config', 'list'], { env: { ...env, BROKERWIRE_APP_KEY: 'other' } })
    expect(listed.out).toEqual([
      'region             us   (profile default)',
      'environment        -',
      'app-key            other   (BROKERWIRE_APP_KEY)',
      'app-secret         [secret]   (profile default)',
      'app-secret-file    -',
      'base-url           -',
      'events-url         -',
      'module-events-url  -',
      'mqtt-url           -',
      'max-clock-offset   -',
      'accounts           -',
      `store              ${env.HOME}/.local/state/brokerwire/store   (default)`,
    ])
    const json = await run(['config', 'list', '--json', '--profile', 'work'], { env })
    expect(JSON.parse(json.out.join())).toMatchObject({
      accounts: { value: 'A,B', source: 'profile work' },
      region: { value: null, source: null },
    })
    // Commands use the stored settings.
    expect((await run(['sign', 'https://a.example/'], { env })).status).toBe(0)
  })

  test('prints one value, and the app secret only with --reveal', async () => {
    const env = await home()
    await run(['config', 'set', 'app-secret'], { env, input: SECRET })
    expect((await run(['config', 'get', 'app-secret'], { env })).out).toEqual(['[secret]'])
    expect((await run(['config', 'get', 'app-secret', '--reveal'], { env })).out).toEqual([SECRET])
    expect(await run(['config', 'get', 'region'], { env })).toEqual({ status: 1, out: [], err: [] })
    await run(['config', 'set', 'region', 'hk'], { env })
    expect((await run(['config', 'get', 'region'], { env })).out).toEqual(['hk'])
    await run(['config', 'set', 'region', '--unset'], { env })
    expect((await run(['config', 'get', 'region'], { env })).status).toBe(1)
  })

  test.each([
    ['app-secret', 'app-secret-file', { 'app-secret-file': 'f' }],
    ['app-secret-file', 'app-secret', { 'app-secret': SECRET }],
  ])(
    '%s is replaced by the %s that is set after it: the first one used to stay in use',
    async (first, second, kept) => {
      const env = await home()
      for (const key of [first, second]) {
        const value = key === 'app-secret' ? [] : ['f']
        expect((await run(['config', 'set', key, ...value], { env, input: SECRET })).status).toBe(0)
      }
      expect((await run(['config', 'get', second, '--reveal'], { env })).out).toEqual(Object.values(kept))
      const file = join(env.HOME, '.config/brokerwire/config.json')
      expect(JSON.parse(await readFile(file, 'utf8')).profiles).toEqual({ default: kept })
      await run(['config', 'set', first, '--unset'], { env })
      expect((await run(['config', 'get', second], { env })).status).toBe(0)
    },
  )

  test('reads a long value that it has stored', async () => {
    const env = await home()
    const accounts = 'A,'.repeat(35_000)
    expect((await run(['config', 'set', 'accounts', accounts], { env })).status).toBe(0)
    expect((await run(['config', 'get', 'accounts'], { env })).out).toEqual([accounts])
    const { status, err } = await run(['config', 'set', 'accounts', 'A'.repeat(2 ** 26)], { env })
    const message = 'CLI_OPTION_INVALID: <value> must not make the profile file larger than 67108864 bytes'
    expect({ status, err }).toEqual({ status: 2, err: [message] })
    expect((await run(['config', 'get', 'accounts'], { env })).out).toEqual([accounts])
  })

  test.each([
    [['regoin', 'us'], 'received "regoin". Did you mean "region"?'],
    [['region', 'eu'], 'region must be "hk" or "us"'],
    [['base-url', 'ftp://x'], 'base-url must be'],
    [['events-url', 'https://a.example/path'], 'events-url must be'],
    [['module-events-url', 'x'], 'module-events-url must be'],
    [['max-clock-offset', '16'], 'max-clock-offset must be a duration such as'],
    [['max-clock-offset', '3651d'], 'at most 3650 days'],
    [['region'], '<value> must be a non-empty string; to remove the setting, use --unset'],
    [['app-secret', SECRET], 'must be omitted'],
    [['region', 'us', '--profile', '../x'], '--profile'],
    [['region', 'us', '--unset'], '--unset'],
  ])('rejects set %j', async (args, message) => {
    const { status, err } = await run(['config', 'set', ...args], { env: await home() })
    expect({ status, err: err.join('\n') }).toEqual({ status: 2, err: expect.stringContaining(message) })
    expect(err.join()).not.toContain(SECRET)
  })

  test('ignores a HOME that is not an absolute path, and writes nothing below the current directory', async () => {
    for (const env of [{ HOME: 'relative' }, { HOME: '' }, {}]) {
      const { status, err } = await run(['config', 'set', 'region', 'hk'], { env })
      const message = 'CLI_OPTION_INVALID: HOME must be an absolute path, unless XDG_CONFIG_HOME is one'
      expect({ status, err }).toEqual({ status: 2, err: [message] })
    }
  })

  test('checks the command line first, then the file, and prompts for the secret last', async () => {
    async function* never(): AsyncGenerator<Uint8Array> {
      await new Promise(() => {})
      yield new Uint8Array()
    }
    const secret = ['config', 'set', 'app-secret']
    const first = async (args: readonly string[], env: Record<string, string>) => {
      const { status, err } = await run(args, { env, input: never() })
      expect({ status, errLines: err.length }).toEqual({ status: 2, errLines: 1 })
      return err.join().replace(/^\w+: | must.*$/g, '')
    }
    expect(await first(['config', 'set', 'region', 'eu'], {})).toBe('region')
    expect(await first([...secret, '--profile', '../x'], {})).toBe('--profile')
    expect(await first(secret, {})).toBe('HOME')
    const env = await home()
    await run(['config', 'set', 'region', 'hk'], { env })
    const file = join(env.HOME, '.config/brokerwire/config.json')
    await writeFile(file, '{"nope":1}')
    expect(await first(secret, env)).toBe(file)
  })

  test('stores all concurrent changes, even if the directory does not exist at first', async () => {
    const env = await home()
    const profiles = Array.from({ length: 8 }, (_, index) => `p${index}`)
    const calls = [
      ...profiles.map((name) => run(['config', 'set', 'accounts', name, '--profile', name], { env })),
      run(['config', 'set', 'region', 'us'], { env }),
      run(['config', 'set', 'app-key', 'k'], { env }),
      run(['config', 'set', 'app-secret'], { env, input: SECRET }),
    ]
    for (const { status, err } of await Promise.all(calls))
      expect({ status, err }).toEqual({ status: 0, err: [] })
    const file = join(env.HOME, '.config/brokerwire/config.json')
    expect(JSON.parse(await readFile(file, 'utf8')).profiles).toEqual({
      default: { region: 'us', 'app-key': 'k', 'app-secret': SECRET },
      ...Object.fromEntries(profiles.map((name) => [name, { accounts: name }])),
    })
  })

  // /proc reports ENOENT for a new directory although it exists. Node's recursive mkdir would never end.
  test.runIf(existsSync('/proc/self'))(
    'a home in which nothing can be made is an error, not a hang',
    async () => {
      const { status, err } = await run(['config', 'set', 'region', 'hk'], { env: { HOME: '/proc' } })
      const file = '/proc/.config/brokerwire/config.json'
      const message = `CLI_INPUT_UNREADABLE: ${file} cannot be written: ENOENT for /proc/.config`
      expect({ status, err }).toEqual({ status: 2, err: [message] })
    },
  )

  test('rejects an endless standard input at its limit', async () => {
    async function* zeros(): AsyncGenerator<Uint8Array> {
      for (;;) yield new Uint8Array(65_536)
    }
    const { status, err } = await run(['config', 'set', 'app-secret'], { env: await home(), input: zeros() })
    expect({ status, err }).toEqual({
      status: 2,
      err: ['CLI_INPUT_UNREADABLE: standard input must be at most 65536 bytes; received more'],
    })
  })

  test('ends the wait for standard input with status 130 after Ctrl-C', async () => {
    const stop = new AbortController()
    async function* nothing(): AsyncGenerator<Uint8Array> {
      await new Promise(() => setImmediate(() => stop.abort('SIGINT')))
      yield new Uint8Array()
    }
    const { status, err } = await run(['config', 'set', 'app-secret'], {
      env: await home(),
      input: nothing(),
      signal: stop.signal,
    })
    expect({ status, err }).toEqual({ status: 130, err: [] })
  })
})

describe.skipIf(process.platform === 'win32')('the profile file', () => {
  test('may be a symbolic link: its target is replaced, and the link stays', async () => {
    const env = await home()
    const folder = join(env.HOME, '.config', 'brokerwire')
    const target = join(env.HOME, 'dotfiles', 'brokerwire.json')
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await mkdir(join(env.HOME, 'dotfiles'), { mode: 0o700 })
    await symlink('../../dotfiles/brokerwire.json', join(folder, 'config.json'))
    for (const secret of ['an earlier secret', SECRET]) {
      const set = await run(['config', 'set', 'app-secret'], { env, input: `${secret}\n` })
      expect(set).toEqual({ status: 0, out: [], err: [] })
      expect((await lstat(join(folder, 'config.json'))).isSymbolicLink()).toBe(true)
      expect(JSON.parse(await readFile(target, 'utf8')).profiles.default['app-secret']).toBe(secret)
    }
    expect((await stat(target)).mode & 0o777).toBe(0o600)
  })

  test.each([0o777, 0o775, 0o757])(
    'is rejected in a folder of mode %o, with the command that repairs it',
    async (mode) => {
      const env = await home()
      const folder = join(env.HOME, '.config', 'brokerwire')
      await run(['config', 'set', 'app-key', 'key'], { env })
      await chmod(folder, mode)
      const message = `CLI_SECRET_EXPOSED: ${folder} must be writable only by its owner, because others could replace the profile file; received mode ${mode.toString(8)}`
      for (const args of [
        ['config', 'set', 'app-key', 'other'],
        ['config', 'get', 'app-key'],
        ['sign', 'https://a.example/'],
      ]) {
        const { status, err } = await run(args, { env })
        expect({ status, err: err.join() }).toEqual({ status: 2, err: expect.stringContaining(message) })
        expect(err.join()).toContain('Run chmod go-w on it')
      }
      await chmod(folder, 0o755)
      expect((await run(['config', 'get', 'app-key'], { env })).out).toEqual(['key'])
    },
  )
})
