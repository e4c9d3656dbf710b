/** `brokerwire verify`, `explain` and `compare`: from files and standard input. */
import { createSigner, fromUrl } from '@brokerwire/signer'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { run } from '../test/run.ts'
import { temporaryFile } from '../test/temporary.ts'

const env = { BROKERWIRE_APP_KEY: 'key', BROKERWIRE_APP_SECRET: 'correct horse battery staple' }
const URL_OF = 'https://api.example.com:8443/a?b=2&a=1'
const BODY = '{"x":"1"}'

async function signed(): Promise<{ json: string; canonical: string }> {
  const { out } = await run(['sign', URL_OF, '--body', BODY, '--json', '--canonical'], { env })
  const { canonical } = JSON.parse(out.join())
  return { json: out.join(), canonical }
}

describe('the output of sign --json', () => {
  test('is verified together with the body', async () => {
    const { json } = await signed()
    const args = ['verify', '-', '--body', BODY]
    expect(await run(args, { env, input: json })).toEqual({
      status: 0,
      out: ['the signature is valid'],
      err: [],
    })
    const wrong = await run(['verify', '-', '--body', '{"x":"2"}'], { env, input: json })
    expect({ status: wrong.status, firstOut: wrong.out[0] }).toEqual({
      status: 1,
      firstOut: 'rejected: signature: x-signature',
    })
    expect(wrong.out[1]).toMatch(/^expected canonical string: \/a&a=1&b=2&host=/)
    const other = await run(args, { env: { ...env, BROKERWIRE_APP_SECRET: 'another' }, input: json })
    expect(other.status).toBe(1)
    expect([...other.out, ...other.err].join()).not.toContain('another')
    const old = JSON.stringify({
      ...JSON.parse(json),
      headers: { ...JSON.parse(json).headers, 'x-timestamp': '2020-01-01T00:00:00Z' },
    })
    expect((await run(args, { env, input: old })).out[0]).toMatch(/^rejected: timestamp/)
  })

  test.each([
    ['HTTP', ['sign', URL_OF]],
    ['a stream', ['sign', '--stream']],
  ])(
    'of three days ago (%s) is accepted with a window of a week, and rejected without it',
    async (_, args) => {
      const file = await temporaryFile('body', BODY)
      const threeDaysAgo = new Date(Date.now() - 3 * 86_400_000)
      vi.useFakeTimers({ now: threeDaysAgo, toFake: ['Date'] })
      onTestFinished(() => void vi.useRealTimers())
      const { out } = await run([...args, '--body-file', file, '--json'], { env })
      vi.useRealTimers()
      const input = out.join()
      expect((await run(['verify', '-', '--window', '7d'], { env, input })).out).toEqual([
        'the signature is valid',
      ])
      expect((await run(['verify', '-'], { env, input })).out).toEqual([
        expect.stringMatching(/^rejected: timestamp: x-timestamp: \d+ s behind this clock$/),
      ])
      expect((await run(['verify', '-', '--window', '2d'], { env, input })).status).toBe(1)
      const other = { ...env, BROKERWIRE_APP_SECRET: 'another' }
      expect((await run(['verify', '-', '--window', '7d'], { env: other, input })).out[0]).toBe(
        'rejected: signature: x-signature',
      )
    },
  )

  test.each([
    ['none', [], {}],
    ['a text', ['--body', BODY], { body: BODY }],
    ['an empty text', ['--body', ''], { body: '' }],
    ['a text with what steers a terminal', ['--body', '\u001b[2J\u202e\n'], { body: '\u001b[2J\u202e\n' }],
  ])('is complete with its body (%s), so that its signature is valid', async (_, body, shown) => {
    const { out } = await run(['sign', URL_OF, ...body, '--json'], { env })
    expect(JSON.parse(out.join())).toMatchObject(shown)
    const file = await temporaryFile('request.json', out.join())
    expect(await run(['verify', file], { env })).toMatchObject({
      status: 0,
      out: ['the signature is valid'],
    })
  })

  test.each([
    ['a text with a byte order mark', '\ufeff{}', ['body']],
    ['bytes that are no text', new Uint8Array([0, 255, 254, 128]), ['bodyHex']],
    ['an empty file', '', ['body']],
  ])('is complete with the body of a file (%s)', async (_, content, names) => {
    const args = ['sign', URL_OF, '--body-file', await temporaryFile('body', content), '--json']
    const { out } = await run(args, { env })
    expect(Object.keys(JSON.parse(out.join()))).toEqual(['url', 'headers', ...names])
    expect((await run(['verify', '-'], { env, input: out.join() })).status).toBe(0)
    expect((await run(['explain', '-'], { env, input: out.join() })).status).toBe(0)
  })

  test('is complete with the request of a stream', async () => {
    const bytes = Uint8Array.of(8, 1, 18, 3, 255, 0, 10)
    const args = ['sign', '--stream', '--body-file', await temporaryFile('request', bytes), '--json']
    const { out } = await run([...args, '--canonical'], { env })
    const { canonical, requestHex } = JSON.parse(out.join())
    expect(requestHex).toBe('08011203ff000a')
    expect((await run(['verify', '-'], { env, input: out.join() })).out).toEqual(['the signature is valid'])
    const theirs = await temporaryFile('theirs', canonical)
    expect((await run(['compare', '-', theirs], { input: out.join() })).status).toBe(0)
  })

  test.each([
    ['https://api.example.com/a?b=1', { url: 'HTTPS://API.example.com:443/a?b=1' }],
    ['http://api.example.com', { url: 'http://Api.Example.com:80' }],
    ['https://[::1]:8443/a', { url: 'https://[0:0:0:0:0:0:0:1]:8443/a' }],
    ['https://api.example.com/a', { url: 'https://gateway.example/a', host: 'API.example.com:443' }],
  ])(
    'has a valid signature with every spelling of its host %s, as in explain: it used to be rejected (%j)',
    async (url, spelled) => {
      const { out } = await run(['sign', url, '--json', '--canonical'], { env })
      const { canonical, ...signed } = JSON.parse(out.join())
      const input = JSON.stringify({ ...signed, ...spelled })
      expect(JSON.parse((await run(['explain', '-', '--json'], { input })).out.join())).toMatchObject({
        canonical,
      })
      expect((await run(['verify', '-'], { env, input })).out).toEqual(['the signature is valid'])
    },
  )

  test.each([
    ['https://a.example/p?host=0', { headerCollision: 'header-first' }],
    ['https://a.example/p?%F0%9F%98%80=1&%EF%BF%BC=2', { nameOrder: 'utf-16' }],
  ] as const)(
    'is verified with its signer options, which used to be ignored (%s, %j)',
    async (url, options) => {
      const signer = createSigner({ appKey: 'key', appSecret: env.BROKERWIRE_APP_SECRET, ...options })
      const { headers } = await signer.sign(fromUrl(url))
      const request = { url, headers, ...options }
      const verify = (captured: object) => run(['verify', '-'], { env, input: JSON.stringify(captured) })
      expect((await verify(request)).out).toEqual(['the signature is valid'])
      expect((await verify({ url, headers })).status).toBe(1)
      const [name = ''] = Object.keys(options)
      const { status, err } = await verify({ ...request, [name]: 'other' })
      expect({ status, err: err.join() }).toEqual({ status: 2, err: expect.stringContaining(name) })
    },
  )

  test('is explained step by step, without a secret', async () => {
    const { json, canonical } = await signed()
    const file = await temporaryFile('request.json', json)
    const { status, out } = await run(['explain', file, '--body', BODY])
    expect(status).toBe(0)
    expect(out[0]).toMatch(/^path +\/a$/)
    expect(out.join('\n')).toContain(`joined      ${canonical}`)
    const steps = JSON.parse((await run(['explain', file, '--body', BODY, '--json'])).out.join())
    expect(steps).toMatchObject({ canonical, digest: { algorithm: 'MD5', bytes: 9 } })
  })
})

describe('brokerwire compare', () => {
  test('shows the first difference with a caret, the cause and the next step', async () => {
    const { json, canonical } = await signed()
    const theirs = await temporaryFile('theirs.txt', `${canonical.replace(':8443', '')}\n`)
    const { status, out } = await run(['compare', '-', theirs, '--body', BODY], { input: json })
    expect(status).toBe(1)
    expect(out[0]).toMatch(/^first difference: byte \d+, entry host$/)
    expect(out.slice(1, 4)).toEqual([
      'ours:    host=api.example.com:8443',
      'theirs:  host=api.example.com',
      `${' '.repeat('theirs:  host=api.example.com'.length)}^`,
    ])
    expect(out[4]).toMatch(/^port: The ports differ/)
  })

  test('accepts the output of sign --canonical', async () => {
    const args = ['sign', URL_OF, '--body', BODY, '--canonical']
    const { out } = await run(args, { env })
    expect(out).toEqual([expect.stringMatching(/^\/a&a=1&b=2&host=api\.example\.com:8443&/)])
    const ours = await temporaryFile('ours.txt', `${out.join()}\n`)
    const theirs = await temporaryFile('theirs.txt', out.join().replace('b=2', 'b=3'))
    const different = await run(['compare', ours, theirs])
    expect(different.out[0]).toMatch(/^first difference: byte \d+, entry b$/)
    expect((await run(['compare', '-', ours], { input: `${out.join()}\n` })).status).toBe(0)
  })

  test('accepts two strings, also equal ones', async () => {
    const { canonical } = await signed()
    const [one, two] = [
      await temporaryFile('one', canonical),
      await temporaryFile('two', encodeURIComponent(canonical)),
    ]
    expect((await run(['compare', one, two])).status).toBe(0)
    const other = await temporaryFile('other', canonical.replace('a=1', 'a=%1'))
    const json = await run(['compare', one, other, '--json'])
    expect({ status: json.status, out: JSON.parse(json.out.join()) }).toMatchObject({
      status: 1,
      out: { equal: false, part: 'entry', name: 'a' },
    })
  })

  test('truncates a long text around the caret if the cause is unknown', async () => {
    const long = `/a&q=${'x'.repeat(500)}`
    const [one, two] = [await temporaryFile('one', `${long}1`), await temporaryFile('two', `${long}2`)]
    const { out } = await run(['compare', one, two])
    expect(Math.max(...out.slice(1, 4).map((line) => line.length))).toBeLessThan(130)
    expect(out[3]?.indexOf('^')).toBe(out[1]?.indexOf('1'))
  })
})

test.each([['explain'], ['compare', 'theirs'], ['verify']])(
  '%s refuses a file that is no UTF-8, as it does standard input: it was read as other text',
  async (command, ...more) => {
    const file = await temporaryFile('latin-1', Buffer.from('{"url":"https://a.example/\u00e9"}', 'latin1'))
    const { status, err } = await run([command, file, ...more], { env })
    const message = `CLI_INPUT_UNREADABLE: ${file} must be text in UTF-8; received other bytes`
    expect({ status, err }).toEqual({ status: 2, err: [message] })
  },
)

test.each([
  [['explain', '/nowhere'], undefined, 'ENOENT'],
  [['explain', '-'], 'no JSON', 'a captured request'],
  [['explain', '-'], '{"url":"https://a.example/"}', 'headers'],
  [['verify', '-'], '{"url":"nowhere","headers":{}}', 'absolute URL'],
  [['verify', '-'], '{"url":"https://u@a.example/","headers":{}}', 'absolute URL'],
  [
    ['verify', '-'],
    '{"url":"https://a.example/","host":"a/b","headers":{}}',
    'host must be a hostname[:port]',
  ],
  [['verify', '-'], '{"url":"https://a.example/","host":5,"headers":{}}', 'host must be a hostname[:port]'],
  [['verify', '-'], '{"url":"nowhere","host":"a.example","headers":{}}', 'url must be an absolute URL'],
  [['explain', '-'], '{"headers":{}}', 'requestHex'],
  [['explain', '-'], '{"headers":{},"requestHex":"0"}', 'requestHex must be an even number'],
  [['explain', '-'], '{"headers":{},"requestHex":7}', 'requestHex must be an even number'],
  [
    ['verify', '-'],
    '{"url":"https://a.example/","headers":{},"bodyHex":"zz"}',
    'bodyHex must be an even number',
  ],
  [['compare', '-', '-'], '', 'theirs'],
  [['compare', '-', '/nowhere', '--body', 'x'], '/a&b=1', '--body must not be given with a canonical string'],
  [['compare', '-', '/nowhere', '--body-file', 'x'], '/a&b=1', '--body-file must not be given with'],
])('rejects %j with %j', async (args, input, message) => {
  const { status, err } = await run(args, input === undefined ? { env } : { env, input })
  expect({ status, err: err.join() }).toEqual({ status: 2, err: expect.stringContaining(message) })
})
