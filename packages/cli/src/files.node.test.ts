/** Unusable files and directories. Each is reported in one line that names it, with status 2. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSelfSignedCertificate } from '@brokerwire/simulator'
import { afterAll, describe, expect, test } from 'vitest'
import { COMMANDS } from './commands/index.ts'
import { run } from './test/run.ts'

const folder = mkdtempSync(join(tmpdir(), 'brokerwire-files-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const HOME = join(folder, 'home')
mkdirSync(HOME)
const env = {
  HOME,
  BROKERWIRE_REGION: 'us',
  BROKERWIRE_ENVIRONMENT: 'sandbox',
  BROKERWIRE_APP_KEY: 'key',
  BROKERWIRE_APP_SECRET: 'correct horse battery staple',
  BROKERWIRE_ACCOUNTS: 'A',
  BROKERWIRE_BASE_URL: 'http://127.0.0.1:1',
  BROKERWIRE_EVENTS_URL: 'http://127.0.0.1:1',
  BROKERWIRE_MODULE_EVENTS_URL: 'http://127.0.0.1:1',
}
const at = (name: string): string => join(folder, name)
spawnSync('mkfifo', [at('fifo')])
mkdirSync(at('directory'), { mode: 0o700 })
// A file that is not JSON, not PEM and not UTF-8.
writeFileSync(at('junk'), Uint8Array.of(0xff, 0xfe, 0x7b, 0x0a), { mode: 0o600 })
const letter = { v: 1, webhookId: 'msg_1', batch: false, events: [{}] }
writeFileSync(at('letters'), JSON.stringify(letter), { mode: 0o600 })
writeFileSync(at('webhook-secret'), `whsec_${'A'.repeat(44)}`, { mode: 0o600 })
const plain = at('plain')
writeFileSync(plain, '{}', { mode: 0o600 })
writeFileSync(at('text'), '/a&host=a', { mode: 0o600 })
const { cert, key } = await createSelfSignedCertificate()
writeFileSync(at('cert.pem'), cert, { mode: 0o600 })
writeFileSync(at('key.pem'), key, { mode: 0o600 })

/** The options with files, by kind of unusable file. FILE is replaced by the path. */
const READ = ['missing', 'directory', 'fifo', '/dev/zero', 'junk'] as const
const BYTES = ['missing', 'directory', 'fifo', '/dev/zero'] as const
const WRITTEN = ['missing/file', 'directory', 'fifo', '/dev/null'] as const
const USES: readonly (readonly [string, readonly string[]])[] = [
  ['vectors FILE', [...READ, 'plain']],
  ['explain FILE', READ],
  ['verify FILE', READ],
  ['compare FILE plain', BYTES],
  ['compare text FILE', BYTES],
  ['replay FILE', READ],
  ['sign https://a.example/ --body-file FILE', BYTES],
  ['explain plain --body-file FILE', BYTES],
  ['verify plain --body-file FILE', BYTES],
  ['compare plain plain --body-file FILE', BYTES],
  ['request POST /a --no-token --body-file FILE', BYTES],
  ['api orders.place --input FILE', READ],
  ['sign https://a.example/ --app-secret-file FILE', READ],
  ['request GET /a --no-token --app-secret-file FILE', READ],
  ['listen trade --forward-to http://localhost:8080/ --webhook-secret-file FILE', READ],
  ['relay replay-dead-letters letters --forward-to localhost:1 --webhook-secret-file FILE', READ],
  ['relay replay-dead-letters FILE --forward-to localhost:1 --webhook-secret-file webhook-secret', READ],
  ['listen module --cursor FILE', ['missing/file', 'directory', 'fifo', '/dev/zero', 'junk', 'plain']],
  [
    'record module --cursor FILE --to new',
    ['missing/file', 'directory', 'fifo', '/dev/zero', 'junk', 'plain'],
  ],
  ['record trade --to FILE', [...WRITTEN, 'plain']],
  ['doctor --live --output FILE', [...WRITTEN, 'plain']],
  ['simulate --config FILE', READ],
  ['simulate --scenario FILE', READ],
  ['simulate --app-secret-file FILE', READ],
  ['simulate --state FILE', ['missing/file', 'directory', 'fifo', '/dev/zero', 'junk']],
  ['simulate --tls-key key.pem --tls-cert FILE', READ],
  ['simulate --tls-cert cert.pem --tls-key FILE', READ],
  ['token status --store FILE', ['fifo', 'plain', '/dev/null', '/proc']],
  ['token create --store FILE', ['fifo', 'plain', '/dev/null', '/proc', 'plain/below', '/proc/below']],
  ['token forget --yes --store FILE', ['fifo', 'plain', '/dev/null', '/proc']],
  ['client-token create a --store FILE', ['fifo', 'plain', '/dev/null', '/proc', '/proc/below']],
  ['request GET /a --store FILE', ['fifo', 'plain', '/dev/null', '/proc', '/proc/below']],
]
const place = (name: string): string => (name.startsWith('/') ? name : at(name))

describe.each(USES)('%s', (line, kinds) => {
  test.each(kinds)('%s', async (kind) => {
    const file = place(kind)
    const args = line
      .split(' ')
      .map((part) =>
        part === 'FILE'
          ? file
          : /^(plain|text|new|letters|webhook-secret|.*\.pem)$/.test(part)
            ? at(part)
            : part,
      )
    // Ends a command that starts despite the invalid file.
    const { status, err, out } = await run(args, { env, signal: AbortSignal.timeout(10_000) })
    expect({ status, out, errLines: err.length }).toEqual({ status: 2, out: [], errLines: 1 })
    expect(err.join()).toMatch(/^[A-Z_]+: /)
    expect(err.join()).toContain(kind.replace('/below', '').replace('/file', ''))
  })
})

test('this test covers every option and argument for a file', () => {
  const options = COMMANDS.flatMap(({ name, options = [], args = [] }) => [
    ...options
      .filter(({ flags }) => /<(?:file|directory)>/.test(flags))
      .map(({ flags }) => `${name} ${flags.split(' ')[0]}`),
    ...args
      .filter(({ name: of, completes }) => completes === 'files' || /^<file/.test(of))
      .map((arg) => `${name} ${arg.name}`),
  ])
  const tried = new Set(USES.flatMap(([line]) => line.match(/--[a-z-]+(?= FILE)/g) ?? []))
  const flags = new Set(options.flatMap((one) => one.match(/--[a-z-]+$/g) ?? []))
  expect([...tried]).toEqual(expect.arrayContaining([...flags]))
  const commands = new Set(options.filter((one) => !one.includes('--')).map((one) => one.split(' ')[0]))
  const given = new Set(
    USES.filter(
      ([line]) => !line.includes('-- FILE') && /^\w+ (?:text |replay-dead-letters )?FILE/.test(line),
    ).map(([line]) => line.split(' ')[0]),
  )
  expect([...given].sort()).toEqual([...commands].sort())
})

test.runIf(existsSync('/proc/self'))(
  'a store that cannot be made is named, with the reason and the way out',
  async () => {
    const { status, err } = await run(['token', 'create'], { env: { ...env, HOME: '/proc' } })
    const reason = 'the file system returned ENOENT for /proc/.local. Use another --store'
    expect({ status, err }).toEqual({ status: 2, err: [expect.stringMatching(/^TOKEN_STORE_FAILED: /)] })
    expect(err[0]).toContain(reason)
  },
)
