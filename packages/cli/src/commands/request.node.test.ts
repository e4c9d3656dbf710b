/** `brokerwire request` and `client-token` against the simulator as a process. */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { escapeControlChars } from '@brokerwire/core'
import { freePort } from '@brokerwire/testing/free-port'
import { describe, expect, test } from 'vitest'
import { startService, temporaryStore } from '../test/service.ts'
import { temporaryFile, temporaryFolder } from '../test/temporary.ts'

const service = await startService('--environment', 'sandbox', '--scenario', 'none', '--rate-limit', 'off')
const production = await startService('--scenario', 'none', '--rate-limit', 'off')
const SECRET = service.env.BROKERWIRE_APP_SECRET ?? ''
const CREATE = '/auth/client-tokens/create'
const HOSTILE_JSON = JSON.stringify({ client_user_id: 'it\'s é \u202e $HOME `id` $(id) \\ " !x 😀' })
const HOSTILE_BODY = `${HOSTILE_JSON}\u001b[2J\n\t\r\n`
/** A replacement for curl that records the arguments, which a process list would show. */
const RECORDING_CURL = `#!/bin/sh
echo "$*" > "$ARGV"
tr '\\0' '\\n' < /proc/$$/cmdline >> "$ARGV"
exec env PATH="\${PATH#*:}" curl "$@"
`

function over(of: typeof service) {
  const env = { BROKERWIRE_STORE: temporaryStore() }
  return {
    env,
    run: (args: readonly string[], input?: string) =>
      of.run(args, input === undefined ? { env } : { env, input }),
  }
}

describe('brokerwire request', () => {
  test('prints the response, and with --include its status and headers', async () => {
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
    expect({ status, out: JSON.parse(out.join()) }).toMatchObject({
      status: 0,
      out: { access_token: expect.any(String) },
    })
  })

  test('sends a body from a file', async () => {
    const file = await temporaryFile('body.json', '{"client_user_id":"a"}')
    expect((await over(service).run(['request', 'POST', CREATE, '--body-file', file])).status).toBe(0)
  })

  test('reports a rejected request with its code and status 1', async () => {
    const { status, err } = await over(service).run(['request', 'POST', CREATE, '--body', '{}'])
    expect({ status, err }).toEqual({
      status: 1,
      err: [expect.stringMatching(/^HTTP_BUSINESS_ERROR: .*INVALID_PARAMETER/)],
    })
  })

  test('starts a second factor in production only with --create', async () => {
    const { run } = over(production)
    const missing = await run(['request', 'GET', '/openapi/config'])
    expect({ status: missing.status, err: missing.err }).toEqual({
      status: 77,
      err: [expect.stringContaining('CLI_TOKEN_MISSING')],
    })
    expect((await run(['request', 'GET', '/openapi/config', '--no-token'])).status).toBe(0)
    // The simulator completes the second factor automatically.
    expect((await run(['request', 'GET', '/openapi/config', '--create'])).status).toBe(0)
  }, 30_000)

  test('--dry-run shows the request without secret and token, and sends nothing', async () => {
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
    expect(out[0]).toBe(`POST ${service.env.BROKERWIRE_BASE_URL}/openapi/thing?q=1`)
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

  test('sends a body as JSON, or with the given content type', async () => {
    const types: (string | undefined)[] = []
    const server = createServer((incoming, outgoing) => {
      types.push(incoming.headers['content-type'])
      outgoing.end('{}')
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const env = { BROKERWIRE_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
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

  test('reports a response that is not UTF-8 as an executed request', async () => {
    const server = createServer((_, outgoing) => outgoing.end(Uint8Array.of(0x41, 0xff)))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const env = { BROKERWIRE_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
    try {
      const { status, out, err } = await service.run(['request', 'GET', '/a', '--no-token'], { env })
      const message = expect.stringMatching(/^HTTP_INVALID_RESPONSE: .*the response must be text in UTF-8/)
      expect({ status, out, err }).toEqual({ status: 1, out: [], err: [message] })
    } finally {
      server.close()
    }
  })

  test('--curl prints a working command with the token as a variable, never the secret', async () => {
    const { run } = over(service)
    await run(['token', 'create'])
    const token: string = JSON.parse((await run(['token', 'status', '--json', '--reveal'])).out.join()).token
    const commands = [
      ['request', 'GET', '/openapi/config', '--query', 'a=[1-2]', '--query', "b='x y'", '--curl'],
      ['request', 'POST', CREATE, '--body', HOSTILE_JSON, '--curl'],
      ['request', 'PUT', CREATE, '--body', HOSTILE_JSON, '--curl'],
    ]
    const folder = await temporaryFolder()
    await writeFile(join(folder, 'curl'), RECORDING_CURL, { mode: 0o755 })
    for (const args of commands) {
      const argv = join(folder, 'argv')
      const env = { PATH: `${folder}:${process.env.PATH}`, BROKERWIRE_ACCESS_TOKEN: token, ARGV: argv }
      for (const shell of ['bash', 'sh']) {
        // Each signature is valid once.
        const command = (await run(args)).out.join('\n')
        expect(command).not.toContain(token)
        expect(command).not.toContain(SECRET)
        const script = `${command}\necho " status $?"`
        const { stdout, stderr } = await promisify(execFile)(shell, ['-c', script], { env })
        if (args[1] === 'PUT') expect(stdout).toMatch(/^\{.*error_code.*\} status 22\n$/s)
        else expect(stdout).toMatch(/(token_check_enabled|access_token).* status 0\n$/s)
        if (args[1] === 'PUT') expect(stderr).toMatch(/^curl: \(22\)/m)
        const seen = await readFile(argv, 'utf8')
        expect(seen).toMatch(/^--globoff --path-as-is --silent --show-error --fail-with-body --config -\n/)
        const { signature } = /"x-signature: (?<signature>[^"]+)"/.exec(command)?.groups ?? {}
        const { BROKERWIRE_APP_KEY = '' } = service.env
        for (const hidden of [token, SECRET, BROKERWIRE_APP_KEY, signature ?? SECRET, 'client_user_id'])
          expect(seen).not.toContain(hidden)
      }
    }
  })

  test('--curl prints a script that sends a hostile body byte for byte', async () => {
    const received: string[] = []
    const server = createServer(async (incoming, outgoing) => {
      received.push(Buffer.concat(await incoming.toArray()).toString())
      outgoing.end()
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const env = { BROKERWIRE_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
    // The first body is the longest one that is accepted: curl limits lines, and escaped characters take two
    // bytes.
    const longest = `${'"'.repeat(50_000)}${'a'.repeat(1987)}`
    const bodies = [
      longest,
      '@/etc/hostname',
      '\ufeff{}',
      HOSTILE_BODY,
      '',
      '$(echo `id`) \\n\nREQUEST\n!! $HOME \\',
    ]
    try {
      for (const body of bodies) {
        const args = ['request', 'POST', '/a', '--body', body, '--no-token', '--curl']
        const { out } = await service.run(args, { env })
        expect(out.filter((line) => escapeControlChars(line) !== line)).toEqual([])
        const script = await temporaryFile('script', out.join('\n'))
        await promisify(execFile)('bash', [script], { env: { PATH: process.env.PATH } })
      }
    } finally {
      server.close()
    }
    expect(received).toEqual(bodies)
    for (const [content, message] of [
      [Uint8Array.of(255, 0), '--curl must have a body in UTF-8'],
      [`${longest}a`, '--curl must have a body shorter than 100 KiB'],
    ] as const) {
      const file = await temporaryFile('body', content)
      const args = ['request', 'POST', '/a', '--body-file', file, '--no-token', '--curl']
      const { status, err } = await service.run(args)
      expect({ status, err: err.join() }).toEqual({ status: 2, err: expect.stringContaining(message) })
    }
  })

  test.each([
    [['POST', '/a', '--query', `key=${SECRET}`], '--query'],
    [['POST', '/a', '--query', `x-app-secret=1`], '--query'],
    [['POST', '/a', '--header', `x-key: ${encodeURIComponent(SECRET)}`], '--header'],
    [['GET', '/a', '--header', `${SECRET}: 1`], '--header'],
    [['GET', '/a', '--header', `x-${SECRET.toUpperCase()}: 1`], '--header'],
    [['POST', '/a', '--body', JSON.stringify({ key: SECRET })], '--body'],
    [['POST', `/${encodeURIComponent(SECRET)}`], '<path>'],
  ])('does not send or show the app secret: case %#', async (args, option) => {
    for (const more of [[], ['--dry-run'], ['--curl']]) {
      const { status, out, err } = await over(service).run(['request', ...args, ...more])
      const message = `CLI_OPTION_INVALID: ${option} must not contain the app secret: it signs requests and is never sent`
      expect({ status, out, err }).toEqual({ status: 2, out: [], err: [message] })
    }
  })

  test('reports wrong usage before it requests a token', async () => {
    const requests = async () => ((await service.control.state()) as { readonly requests: number }).requests
    const before = await requests()
    for (const args of [['a'], ['/a', '--header', 'x-signature: 1'], ['/a?b=1'], ['/a', '--query', 'q']]) {
      const { status, err } = await over(service).run(['request', 'GET', ...args])
      expect({ args, status, errLines: err.length }).toEqual({ args, status: 2, errLines: 1 })
      expect((await over(production).run(['request', 'GET', ...args, '--create'])).status).toBe(2)
    }
    expect(await requests()).toBe(before)
  })

  test('ends with status 77 for rejected credentials, and with 75 for a closed port', async () => {
    const wrong = await service.run(['request', 'GET', '/openapi/config', '--no-token'], {
      env: { BROKERWIRE_APP_SECRET: 'x' },
    })
    expect({ status: wrong.status, err: wrong.err.join() }).toEqual({
      status: 77,
      err: expect.stringContaining('HTTP_UNAUTHORIZED'),
    })
    const closed = await service.run(['request', 'POST', CREATE, '--body', '{}'], {
      env: { BROKERWIRE_BASE_URL: `http://127.0.0.1:${await freePort()}` },
    })
    expect({ status: closed.status, errLines: closed.err.length }).toEqual({ status: 75, errLines: 1 })
    // `fetch` itself rejects this port, so a retry fails too.
    const refused = await service.run(['request', 'GET', '/a', '--no-token'], {
      env: { BROKERWIRE_BASE_URL: 'http://127.0.0.1:1' },
    })
    expect({ status: refused.status, errLines: refused.err.length }).toEqual({ status: 1, errLines: 1 })
  })

  test.each([
    [['FETCH', '/a'], 'method'],
    [['GET', 'a'], 'path'],
    [['GET', '/a', '--query', 'x'], '--query'],
    [['POST', '/a', '--body', '1', '--body-file', 'x'], '--body'],
    [['GET', '/a', '--header', 'x-app-secret: 1'], '--header must not contain the app secret'],
    [['GET', '/a', '--create'], '--create must not be given together with --no-token'],
    [['GET', '/a', '--header', 'X-Signature: 1'], 'x-signature'],
    [['GET', '/a', '--header', 'x: \u001b[2J'], '--header x must be'],
    [['GET', '/a\u001b[2J'], 'path'],
    [['POST', '/a', '--body', '-'], 'standard input'],
  ])('rejects %j, also with --dry-run and --curl', async (args, message) => {
    for (const more of [[], ['--dry-run'], ['--curl']]) {
      const { status, out, err } = await over(service).run(['request', ...args, '--no-token', ...more])
      expect({ status, err: err.join(), out }).toEqual({
        status: 2,
        err: expect.stringContaining(message),
        out: [],
      })
    }
  })
})

describe('brokerwire client-token', () => {
  test('creates, shows and refreshes a pair, and prints the token only with --reveal', async () => {
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

  test('asks before a create request that would end sessions', async () => {
    const { run } = over(service)
    await run(['client-token', 'create', 'bert'])
    const { status, err } = await run(['client-token', 'create', 'bert'])
    expect({ status, err: err.join() }).toEqual({ status: 2, err: expect.stringContaining('--yes') })
    expect((await run(['client-token', 'create', 'bert', '--yes'])).status).toBe(0)
    expect((await run(['client-token', 'refresh', 'nobody'])).status).toBe(77)
  })
})
