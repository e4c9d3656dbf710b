import { createVerifier } from '@brokerwire/signer'
import { describe, expect, test } from 'vitest'
import stream from '../../../../testdata/vectors/stream-signatures.json' with { type: 'json' }
import { run } from '../test/run.ts'
import { temporaryFile } from '../test/temporary.ts'

const SECRET = 'correct horse battery staple'
const env = { BROKERWIRE_APP_KEY: 'key', BROKERWIRE_APP_SECRET: SECRET }
const verifier = createVerifier({ secretFor: () => SECRET })

const headersOf = (lines: readonly string[]): Record<string, string> =>
  Object.fromEntries(lines.map((line) => line.split(': ') as [string, string]))

describe('brokerwire sign', () => {
  test('prints the URL and headers that a server accepts', async () => {
    const { status, out } = await run(['sign', 'https://api.example.com/a?b=2&a=1', '--body', '{"x":1}'], {
      env,
    })
    expect(status).toBe(0)
    const [url, ...lines] = out
    expect(url).toBe('https://api.example.com/a?a=1&b=2')
    const verified = await verifier.verify({
      host: 'api.example.com',
      target: '/a?a=1&b=2',
      headers: headersOf(lines),
      body: new TextEncoder().encode('{"x":1}'),
    })
    expect(verified).toMatchObject({ ok: true })
  })

  test('signs a serialized stream request from a file', async () => {
    const bytes = Buffer.from(stream.client[0]?.requestHex ?? '', 'hex')
    const { out } = await run(['sign', '--stream', '--body-file', await temporaryFile('request', bytes)], {
      env,
    })
    expect(await verifier.verifyStream({ headers: headersOf(out), requestBytes: bytes })).toMatchObject({
      ok: true,
    })
  })

  test('prints JSON, with the canonical string on demand', async () => {
    const plain = await run(['sign', 'https://a.example/', '--json'], { env })
    expect(Object.keys(JSON.parse(plain.out[0] ?? ''))).toEqual(['url', 'headers'])
    const full = await run(['sign', 'https://a.example/', '--json', '--canonical'], { env })
    expect(JSON.parse(full.out[0] ?? '').canonical).toMatch(/^\/&host=a\.example&x-app-key=key&/)
  })

  test.each(['v2', 'v3'])(
    '--api-version %s is a header that the signature does not cover',
    async (version) => {
      const args = ['sign', 'https://a.example/', '--json', '--canonical', '--api-version', version]
      const { url, headers, canonical } = JSON.parse((await run(args, { env })).out[0] ?? '')
      expect([url, headers['x-version']]).toEqual(['https://a.example/', version])
      expect(canonical).not.toContain('x-version')
      const { ok } = await verifier.verify({ host: 'a.example', target: '/', headers, body: undefined })
      expect(ok).toBe(true)
    },
  )

  test('reads the app secret from a file', async () => {
    const file = await temporaryFile('secret', `${SECRET}\n`)
    const { out } = await run(['sign', 'https://a.example/', '--app-key', 'key', '--app-secret-file', file])
    const verified = await verifier.verify({
      host: 'a.example',
      target: '/',
      headers: headersOf(out.slice(1)),
      body: undefined,
    })
    expect(verified.ok).toBe(true)
  })

  test.each([
    [['sign'], '<url> must be an absolute URL'],
    [['sign', '/relative'], 'SIGNER_TARGET_INVALID'],
    [['sign', 'notaurl'], 'SIGNER_TARGET_INVALID'],
    [['sign', 'https://a.example/', '--app-key', 'a b'], 'SIGNER_OPTION_INVALID'],
    [['sign', 'https://a.example/', '--body-file', '/nowhere/at/all'], 'CLI_INPUT_UNREADABLE'],
    [['sign', 'https://a.example/', '--body', 'x', '--body-file', 'y'], '--body'],
    [['sign', '--stream', '--body', 'x'], '--body-file'],
    [
      ['sign', 'https://a.example/', '--stream', '--body-file', 'x'],
      '<url> must not be given together with --stream',
    ],
    [['sign', '--stream', '--api-version', 'v2'], '--api-version must not be given together with --stream'],
    [['sign', 'https://a.example/', '--api-version', 'v4'], '--api-version must be "v2" or "v3"'],
    [['sign', 'https://a.example/', '--algorithm', 'MD5'], 'algorithm'],
  ])('%j is wrong usage', async (args, message) => {
    const { status, err, out } = await run(args, { env })
    expect(status).toBe(2)
    expect(err.join('\n')).toContain(message)
    expect([...err, ...out].join('\n')).not.toContain(SECRET)
  })

  test.each([
    [{}, 'BROKERWIRE_APP_KEY'],
    [{ BROKERWIRE_APP_KEY: 'key' }, 'BROKERWIRE_APP_SECRET'],
  ])('lists the missing values in %j', async (partial, name) => {
    const { status, err } = await run(['sign', 'https://a.example/'], {
      env: partial as Record<string, string>,
    })
    expect(status).toBe(2)
    expect(err.join()).toContain(name)
  })

  test('has no flag for the app secret itself, because a process list would show it', async () => {
    expect((await run(['sign', 'https://a.example/', '--app-secret', SECRET], { env })).status).toBe(2)
  })
})
