/**
 * `curl` commands: curl itself sends the same request, and unsupported parts are reported with their
 * position.
 */
import { execFile, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isCurlCommand, parseCurl } from './curl-command.ts'

const hasCurl = spawnSync('bash', ['-c', 'curl --version']).status === 0
const read = (line: string, hasBody = false) => parseCurl(line, { hasBody })

describe('a parsed curl command', () => {
  const requests: { readonly target: string; readonly message: IncomingMessage; readonly body: Buffer }[] = []
  const server = createServer(async (message, answer) => {
    const chunks: Buffer[] = []
    for await (const chunk of message) chunks.push(chunk)
    requests.push({ target: message.url ?? '', message, body: Buffer.concat(chunks) })
    answer.end()
  })
  let origin = ''
  beforeAll(async () => {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(() => void server.close())

  test
    .skipIf(!hasCurl)
    .each([
      `curl ORIGIN/a`,
      `curl 'ORIGIN/a?b=1&c=%20x' -H 'X-One: 1' -H "x-two:  2 " --compressed`,
      `curl -X POST ORIGIN/a -H 'content-type: application/json' -d '{"a":1}'`,
      `curl -XPOST -H'x-one: 1' -sSL --url ORIGIN/a --data-raw '@x'`,
      `curl ORIGIN/a -d a=1 -d b=2 --data-raw c=3 --data-binary d=4`,
      `curl -G ORIGIN/a?x=1 -d a=1 -d b=2`,
      `curl --get --data-urlencode 'q=a b&c/é' --data-urlencode '=x y' --data-urlencode "p q!'()*" ORIGIN/a`,
      `curl --json '{"a":' --json '1}' ORIGIN/a`,
      `curl ORIGIN/a -H 'Host: api.example.com:8443' -H 'x-empty;' -H 'Accept:'`,
      `curl 'ORIGIN/a' \\\n  -H 'x-one: it'\\''s' \\\n  --data-raw $'{"a":"\\u00e9\\'\\n"}' \\\n  --insecure`,
      `curl ORIGIN/a --data-binary $'\\xff\\xfe'`,
      `curl ORIGIN/a -X PUT --data 'line one\nline two' -H 'x-list: 1' -H 'x-list: 2'`,
      `curl ORIGIN/a -b 'c=1' -A agent -e ref -u user:password -k --no-progress-meter --max-time 9 -o /dev/null`,
      `curl -- ORIGIN/a`,
    ])('%j', async (template) => {
    const line = template.replaceAll('ORIGIN', origin)
    requests.length = 0
    await promisify(execFile)('bash', ['-c', line], { env: { PATH: process.env.PATH, LC_ALL: 'C.UTF-8' } })
    const [sent] = requests
    if (sent === undefined) throw new Error('nothing was sent')
    const { url, host, headers, body } = read(line)
    if (line.includes('urlencode'))
      expect([...new URL(url).searchParams]).toEqual([...new URL(sent.target, origin).searchParams])
    else expect(url.replace(origin, '')).toBe(sent.target)
    expect(host ?? new URL(url).host).toBe(sent.message.headers.host)
    expect(Buffer.from((body ?? '') as string).toString('hex')).toBe(sent.body.toString('hex'))
    for (const [name, value] of Object.entries(headers))
      expect([name, sent.message.headersDistinct[name]]).toEqual([name, [value].flat()])
    for (const name of Object.keys(sent.message.headers).filter((one) => one.startsWith('x-')))
      expect(headers).toHaveProperty(name)
  })
})

test.each([
  ['curl https://a.example', true],
  ['  \n$ curl https://a.example', true],
  ['# copied\ncurl https://a.example', true],
  ['curl.exe https://a.example', true],
  ['curly', false],
  ['/curl&x=1', false],
])('%j is a curl command: %s', (line, isOne) => {
  expect(isCurlCommand(line)).toBe(isOne)
})

test('named files are ignored if the body comes from elsewhere', () => {
  expect(read('curl https://a.example/x -d @body.json', true)).toEqual({
    url: 'https://a.example/x',
    headers: {},
  })
  expect(read('curl https://a.example/x -F a=@b', true)).toEqual({ url: 'https://a.example/x', headers: {} })
})

test.each([
  ['curl', 'line 1, column 1: the command must have a URL; received none'],
  ['curl -H', 'line 1, column 6: -H must have a value; received none'],
  ['curl https://a.example -H token', 'line 1, column 27: -H must be "name: value"'],
  [
    'curl https://a.example https://b.example',
    'line 1, column 24: the command must have one URL; received two',
  ],
  [
    'curl https://a.example \\\n  --tokn=hunter2',
    'line 2, column 3: the curl option --tokn is unknown here; remove it if it does not change what is sent',
  ],
  [
    'curl https://a.example -@hunter2',
    'line 1, column 24: the curl option -? is unknown here; remove it if it does not change what is sent',
  ],
  [
    'curl https://a.example -d @body.json',
    'line 1, column 27: -d with @ names a file, which is not supported; use --body-file',
  ],
  [
    'curl https://a.example -F a=b',
    'line 1, column 24: the curl option -F is not supported; give the body as it was sent with --body-file',
  ],
  [
    "curl https://a.example --data-urlencode 'q=a b'",
    'line 1, column 41: versions of curl encode --data-urlencode in different ways; give the body as it was sent with --body-file',
  ],
  [
    'curl --config x',
    'line 1, column 6: the curl option --config is not supported; write one command without it',
  ],
  [
    'curl ^"https://a.example^"',
    'line 1, column 1: the cmd form of a command is not supported; copy it as "cURL (bash)"',
  ],
  [
    'curl "https://a.example" ^\r\n  -H "x: 1"',
    'line 1, column 1: the cmd form of a command is not supported; copy it as "cURL (bash)"',
  ],
  [`curl $'\\xff'`, 'line 1, column 6: an argument must be text in UTF-8'],
])('%j is rejected with its position, without its values', (line, message) => {
  expect(() => read(line)).toThrow(expect.objectContaining({ message }))
})

test('a hostile command of a megabyte is parsed in linear time', () => {
  const many = 'a'.repeat(1 << 20)
  for (const line of [
    `curl ${many}`,
    `curl '${many}'`,
    `curl "${'\\\\'.repeat(1 << 19)}"`,
    `curl $'${'\\x41'.repeat(1 << 18)}'`,
  ])
    expect(read(line).url.length).toBeGreaterThan(1 << 17)
  expect(() => read(`curl ${"''".repeat(1 << 19)} ${'\n'.repeat(1 << 20)}x`)).toThrow(
    'the text must be one command',
  )
  expect(() => read(`curl x ${'-d a '.repeat(1 << 18)}-H`)).toThrow('-H must have a value')
})
