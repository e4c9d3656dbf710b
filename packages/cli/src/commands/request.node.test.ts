/** `brokerwire request` and `client-token` against the simulator as a process. */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { startService, temporaryStore } from '../test/service.ts'
import { temporaryFile } from '../test/temporary.ts'

const service = await startService('--environment', 'sandbox', '--scenario', 'none', '--rate-limit', 'off')
const production = await startService('--scenario', 'none', '--rate-limit', 'off')
const SECRET = service.env.BROKERWIRE_APP_SECRET ?? ''
const CREATE = '/auth/client-tokens/create'

function over(of: typeof service) {
  const env = { BROKERWIRE_STORE: temporaryStore() }
  return {
    env,
    run: (args: readonly string[], input?: string) =>
      of.run(args, input === undefined ? { env } : { env, input }),
  }
}

describe('brokerwire request', () => {
  test('prints the answer, and with --include its status and headers', async () => {
    const { run } = over(service)
    expect(await run(['request', 'GET', '/openapi/config'])).toEqual({
      status: 0,
      out: ['{"token_check_enabled":true}'],
      err: [],
    })
    const { out } = await run([
      'request',
      'get',
      '/openapi/config',
      '--query',
      'b=1 2',
      '--query',
      'a=&',
      '--include',
    ])
    expect(out[0]).toBe('200')
    expect(out).toContainEqual(expect.stringMatching(/^content-type: application\/json/))
    expect(out.at(-1)).toBe('{"token_check_enabled":true}')
  })

  test.each([
    ['an argument', ['--body', '{"client_user_id":"a"}'], undefined],
    ['standard input', ['--body', '-'], '{"client_user_id":"a"}'],
    ['standard input as a file', ['--body-file', '-'], '{"client_user_id":"a"}'],
  ])('sends a body from %s', async (_, args, input) => {
    const { status, out } = await over(service).run(['request', 'POST', CREATE, ...args], input)
    expect([status, JSON.parse(out.join())]).toMatchObject([0, { access_token: expect.any(String) }])
  })

  test('sends a body from a file', async () => {
    const file = await temporaryFile('body.json', '{"client_user_id":"a"}')
    expect((await over(service).run(['request', 'POST', CREATE, '--body-file', file])).status).toBe(0)
  })

  test('what the service refuses is said with its code, status 1', async () => {
    const { status, err } = await over(service).run(['request', 'POST', CREATE, '--body', '{}'])
    expect([status, err]).toEqual([1, [expect.stringMatching(/^HTTP_BUSINESS_ERROR: .*INVALID_PARAMETER/)]])
  })

  test('in production nothing that needs a person starts unasked; --create asks and waits', async () => {
    const { run } = over(production)
    const missing = await run(['request', 'GET', '/openapi/config'])
    expect([missing.status, missing.err]).toEqual([77, [expect.stringContaining('CLI_TOKEN_MISSING')]])
    expect((await run(['request', 'GET', '/openapi/config', '--no-token'])).status).toBe(0)
    // The service completes the second factor by itself.
    expect((await run(['request', 'GET', '/openapi/config', '--create'])).status).toBe(0)
  }, 30_000)

  test('--dry-run shows what would be sent, without secret and token, and sends nothing', async () => {
    const { run } = over(service)
    const requests = async () => ((await service.control.state()) as { readonly requests: number }).requests
    const before = await requests()
    const { status, out } = await run([
      'request',
      'POST',
      '/openapi/thing',
      '--query',
      'q=1',
      '--body',
      '{"a":1}',
      '--header',
      'x-mine: yes',
      '--api-version',
      'v3',
      '--dry-run',
    ])
    expect(status).toBe(0)
    expect(out[0]).toBe(`POST ${service.env.BROKERWIRE_HTTP_URL}/openapi/thing?q=1`)
    for (const line of [
      'x-mine: yes',
      'x-version: v3',
      'x-access-token: [secret]',
      'content-type: application/json',
    ])
      expect(out).toContain(line)
    expect(out.at(-1)).toBe('{"a":1}')
    expect(out.join('\n')).not.toContain(SECRET)
    expect(await requests()).toBe(before)
  })

  test('a body goes out as JSON, or as the type that is given', async () => {
    const types: (string | undefined)[] = []
    const server = createServer((incoming, outgoing) => {
      types.push(incoming.headers['content-type'])
      outgoing.end('{}')
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const env = { BROKERWIRE_HTTP_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
    try {
      for (const more of [[], ['--header', 'Content-Type: text/plain']]) {
        const args = ['request', 'POST', '/a', '--body', '{}', '--no-token', ...more]
        expect((await service.run(args, { env })).status).toBe(0)
      }
      expect((await service.run(['request', 'GET', '/a', '--no-token'], { env })).status).toBe(0)
    } finally {
      server.close()
    }
    expect(types).toEqual(['application/json', 'text/plain', undefined])
  })

  test('--curl gives a command that the service answers; token as a variable, never the secret', async () => {
    const { run } = over(service)
    await run(['token', 'create'])
    const token: string = JSON.parse((await run(['token', 'status', '--json', '--reveal'])).out.join()).token
    const commands = [
      ['request', 'GET', '/openapi/config', '--query', 'a=[1-2]', '--query', "b='x y'", '--curl'],
      ['request', 'POST', CREATE, '--body', `{"client_user_id":"it's \\u00e9 é"}`, '--curl'],
    ]
    for (const args of commands) {
      const { out } = await run(args)
      const command = out.join('\n')
      expect(command).not.toContain(token)
      expect(command).not.toContain(SECRET)
      const env = { PATH: process.env.PATH, BROKERWIRE_ACCESS_TOKEN: token }
      const { stdout } = await promisify(execFile)(
        'bash',
        ['-c', `${command} --silent --show-error --fail`],
        { env },
      )
      expect(stdout).toMatch(/token_check_enabled|access_token/)
    }
  })

  test('credentials that the service refuses end with status 77, a closed port with 75', async () => {
    const wrong = await service.run(['request', 'GET', '/openapi/config', '--no-token'], {
      env: { BROKERWIRE_APP_SECRET: 'x' },
    })
    expect([wrong.status, wrong.err.join()]).toEqual([77, expect.stringContaining('HTTP_UNAUTHORIZED')])
    const closed = await service.run(['request', 'POST', CREATE, '--body', '{}'], {
      env: { BROKERWIRE_HTTP_URL: 'http://127.0.0.1:1' },
    })
    expect([closed.status, closed.err.length]).toEqual([75, 1])
  })

  test.each([
    [['FETCH', '/a'], 'method'],
    [['GET', 'a'], 'path'],
    [['GET', '/a', '--query', 'x'], '--query'],
    [['POST', '/a', '--body', '1', '--body-file', 'x'], '--body'],
    [['GET', '/a', '--header', 'x-app-secret: 1'], 'x-app-secret'],
    [['GET', '/a', '--header', 'X-Signature: 1'], 'x-signature'],
    [['GET', '/a', '--header', 'x: \u001b[2J'], 'headers.x'],
    [['GET', '/a\u001b[2J'], 'path'],
    [['POST', '/a', '--body', '-'], 'standard input'],
  ])('refuses %j, also to show it', async (args, message) => {
    for (const more of [[], ['--dry-run'], ['--curl']]) {
      const { status, out, err } = await over(service).run(['request', ...args, '--no-token', ...more])
      expect([status, err.join(), out]).toEqual([2, expect.stringContaining(message), []])
    }
  })
})

describe('brokerwire client-token', () => {
  test('creates, shows and refreshes a pair; the token shows with --reveal alone', async () => {
    const { run } = over(service)
    expect(await run(['client-token', 'status', 'anna'])).toMatchObject({
      status: 77,
      out: ['client token: none'],
    })
    const created = await run(['client-token', 'create', 'anna'])
    expect(created.out).toEqual([
      expect.stringMatching(/^client token: usable until .* UTC, (2 h|1 h 59 min) from now$/),
      expect.stringMatching(/^refresh token: until .* from now$/),
    ])
    const reveal = async (): Promise<string> =>
      JSON.parse((await run(['client-token', 'status', 'anna', '--json', '--reveal'])).out.join()).accessToken
    const first = await reveal()
    expect(first).toMatch(/\S{8}/)
    expect((await run(['client-token', 'refresh', 'anna'])).status).toBe(0)
    expect(await reveal()).not.toBe(first)
    const shown = await run(['client-token', 'status', 'anna', '--json'])
    expect(shown.out.join()).not.toContain(await reveal())
    expect(JSON.parse(shown.out.join())).toMatchObject({ user: 'anna', usable: true, phase: 'fresh' })
  })

  test('a create that would end sessions is asked about', async () => {
    const { run } = over(service)
    await run(['client-token', 'create', 'bert'])
    const { status, err } = await run(['client-token', 'create', 'bert'])
    expect([status, err.join()]).toEqual([2, expect.stringContaining('--yes')])
    expect((await run(['client-token', 'create', 'bert', '--yes'])).status).toBe(0)
    expect((await run(['client-token', 'refresh', 'nobody'])).status).toBe(77)
  })
})
