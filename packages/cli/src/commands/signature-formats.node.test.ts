/** `brokerwire verify`, `explain` and `compare` on raw HTTP requests, `curl` commands and HAR entries. */
import { describe, expect, test } from 'vitest'
import { run } from '../test/run.ts'
import { temporaryFile } from '../test/temporary.ts'

const SECRET = 'correct horse battery staple'
const TOKEN = 'token-that-must-not-show'
const env = { BROKERWIRE_APP_KEY: 'key', BROKERWIRE_APP_SECRET: SECRET }
const URL_OF = 'https://api.example.com:8443/a?b=2&a=1%202'
const BODY = `{"name":"it's \\u00e9 é"}`

/** One signed request in each format. */
async function formats(): Promise<{
  readonly canonical: string
  readonly texts: Readonly<Record<string, string>>
}> {
  const { out } = await run(['sign', URL_OF, '--body', BODY, '--json', '--canonical'], { env })
  const { url, headers, canonical } = JSON.parse(out.join())
  const all: Record<string, string> = {
    ...headers,
    'content-type': 'application/json',
    'x-access-token': TOKEN,
    cookie: `session=${TOKEN}`,
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`)
  const { host, pathname, search } = new URL(url)
  const head = [`POST ${pathname}${search} HTTP/1.1`, `Host: ${host}`, ...lines]
  const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
  const entry = {
    request: {
      method: 'POST',
      url,
      headers: [
        { name: ':authority', value: host },
        ...Object.entries(all).map(([name, value]) => ({ name, value })),
      ],
      postData: { mimeType: 'application/json', text: BODY },
    },
  }
  const texts = {
    http: `${head.join('\n')}\n\n${BODY}\n`,
    'http with CRLF': `${head.join('\r\n')}\r\n\r\n${BODY}`,
    curl: [
      `curl ${quoted(url)}`,
      ...lines.map((line) => `-H ${quoted(line)}`),
      `--data-raw ${quoted(BODY)} --compressed`,
    ].join(' \\\n  '),
    'curl of a browser': `curl ${quoted(url)} ${lines.map((line) => `-H ${quoted(line)}`).join(' ')} --data-raw $'${BODY.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}' --insecure`,
    'a HAR': JSON.stringify({
      log: { entries: [{ request: { method: 'GET', url: 'https://a.example/', headers: [] } }, entry] },
    }),
    'an entry': JSON.stringify(entry),
    'a request': JSON.stringify(entry.request),
  }
  return { canonical, texts }
}

const FORMATS = ['http', 'http with CRLF', 'curl', 'curl of a browser', 'a HAR', 'an entry', 'a request']

describe.each(FORMATS)('%s', (name) => {
  test('is verified, explained and compared, and no secret in it is printed', async () => {
    const { canonical, texts } = await formats()
    const input = texts[name] ?? ''
    const verified = await run(['verify', '-'], { env, input })
    expect(verified).toEqual({ status: 0, out: ['the signature is valid'], err: [] })
    const explained = await run(['explain', '-'], { input })
    expect({ status: explained.status, out: explained.out.join('\n') }).toEqual({
      status: 0,
      out: expect.stringContaining(canonical),
    })
    const theirs = await temporaryFile('theirs', canonical)
    const compared = await run(['compare', '-', theirs], { input })
    expect({ status: compared.status, err: compared.err }).toEqual({ status: 0, err: [] })
    const different = await run(
      ['compare', '-', await temporaryFile('theirs', canonical.replace(':8443', ''))],
      { input },
    )
    expect([different.status, different.out[4]]).toEqual([1, expect.stringMatching(/^port: /)])
    const printed = [verified, explained, compared, different]
      .flatMap(({ out, err }) => [...out, ...err])
      .join('\n')
    expect(printed).not.toContain(TOKEN)
    expect(printed).not.toContain(SECRET)
  })

  test('is rejected with another body', async () => {
    const { texts } = await formats()
    const { status, out } = await run(['verify', '-', '--body', '{}'], { env, input: texts[name] ?? '' })
    expect({ status, firstOut: out[0] }).toEqual({ status: 1, firstOut: 'rejected: signature: x-signature' })
  })
})

test('a request without a signature is reported with the name of its file', async () => {
  const file = await temporaryFile('request.sh', `curl https://a.example/ -H 'x-access-token: ${TOKEN}'`)
  expect(await run(['explain', file])).toEqual({
    status: 2,
    out: [],
    err: [
      expect.stringMatching(/^CLI_INPUT_UNREADABLE: .*request\.sh: x-[a-z-]+ must be among the headers$/),
    ],
  })
})

test.each<[readonly string[], string, string]>([
  [
    ['explain', '-'],
    `curl https://a.example/ --tokn ${TOKEN}`,
    'standard input: line 1, column 25: the curl option --tokn is unknown here; remove it if it does not change what is sent',
  ],
  [
    ['explain', '-'],
    `curl https://a.example/ -d @/etc/passwd`,
    'standard input: line 1, column 28: -d with @ names a file, which is not supported; use --body-file',
  ],
  [
    ['explain', '-'],
    `GET / HTTP/1.1\n${TOKEN}\n`,
    'standard input: line 2, column 1: a header must be "name: value"',
  ],
  [
    ['explain', '-', '--format', 'http'],
    'hello',
    'standard input: line 1, column 1: the request line must be "METHOD path HTTP/1.1"',
  ],
  [
    ['explain', '-', '--format', 'curl'],
    'hello',
    'standard input: line 1, column 1: the command must be curl',
  ],
  [
    ['compare', '-', '/nowhere', '--format', 'har'],
    'hello',
    'standard input: the text must be a JSON object',
  ],
  [
    ['explain', '-', '--entry', '2'],
    'curl https://a.example/',
    'standard input: --entry must be used only with a HAR',
  ],
  [
    ['explain', '-', '--entry', '2'],
    '{"log":{"entries":[{"request":{}}]}}',
    'standard input: --entry must be a number from 1 to 1; received 2',
  ],
  [
    ['verify', '-'],
    'hello',
    'standard input must be a captured request: a raw HTTP request, a curl command, a HAR, JSON with url and headers, or with headers and requestHex for a stream',
  ],
])('%j with %j is rejected with its position', async (args, input, message) => {
  expect(await run(args, { env, input })).toEqual({
    status: 2,
    out: [],
    err: [`CLI_INPUT_UNREADABLE: ${message}`],
  })
})

test('--format overrides the detected format', async () => {
  const { status, err } = await run(['explain', '-', '--format', 'jso'], { input: '{}' })
  expect({ status, err }).toEqual({
    status: 2,
    err: [
      'CLI_OPTION_INVALID: --format must be "json" or "http" or "curl" or "har"; received "jso". Did you mean "json"?',
    ],
  })
  const har = '{"request":{"url":"https://a.example/","headers":[]}}'
  expect((await run(['explain', '-', '--format', 'json'], { input: har })).err.join()).toContain(
    'must be a captured request',
  )
  expect((await run(['explain', '-'], { input: har })).err.join()).toContain('must be among the headers')
})

test('the output of curl --verbose is verified together with the body', async () => {
  const { texts } = await formats()
  const [head = ''] = (texts['http with CRLF'] ?? '').split('\r\n\r\n')
  const input = `*   Trying 127.0.0.1:8443...\n${head
    .split('\r\n')
    .map((line) => `> ${line}\r\n`)
    .join('')}>\r\n< HTTP/1.1 200 OK\r\n<\r\n{}\n`
  expect(await run(['verify', '-', '--body', BODY], { env, input })).toMatchObject({ status: 0 })
})

test('the output of request --dry-run is verified, although it has no token', async () => {
  const connection = { ...env, BROKERWIRE_REGION: 'us', BROKERWIRE_ENVIRONMENT: 'sandbox' }
  const args = ['request', 'POST', '/a', '--query', 'b=1 2', '--body', BODY, '--dry-run']
  const { out } = await run(args, { env: { ...connection, BROKERWIRE_STORE: '/proc/store' } })
  expect(await run(['verify', '-'], { env, input: out.join('\n') })).toMatchObject({ status: 0 })
})
