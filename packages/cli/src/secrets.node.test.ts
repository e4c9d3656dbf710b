/** The output of every command must not contain a secret. Signatures and `--reveal` have separate tests. */
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { createFileStore } from '@brokerwire/stores/file'
import { clientTokenStoreKey, parseStoredClientToken } from '@brokerwire/tokens'
import { expect, test } from 'vitest'
import { runCli } from './cli.ts'
import { COMMANDS } from './commands/index.ts'
import { startService, temporaryStore } from './test/service.ts'
import { temporaryFile } from './test/temporary.ts'

const service = await startService('--environment', 'sandbox', '--interval', '5', '--rate-limit', 'off')
const VECTORS = fileURLToPath(new URL('../../../testdata/vectors/http-signatures.json', import.meta.url))
const CLOSED = { BROKERWIRE_BASE_URL: 'http://127.0.0.1:1', BROKERWIRE_EVENTS_URL: 'http://127.0.0.1:1' }

/** Encodings in which a string may contain a secret. */
const formsOf = (secret: string): readonly string[] => [
  secret,
  encodeURIComponent(secret),
  Buffer.from(secret).toString('base64').replace(/=+$/, ''),
  Buffer.from(secret).toString('hex'),
]

test('no command prints a secret', async () => {
  const store = temporaryStore()
  const home = dirname(store)
  const { BROKERWIRE_APP_SECRET = '', BROKERWIRE_APP_KEY = '' } = service.env
  const env = { ...service.env, BROKERWIRE_APP_KEY, BROKERWIRE_STORE: store, HOME: home }
  const printed: { readonly line: string; readonly text: string }[] = []
  const ran = new Set<string>()

  interface More {
    readonly input?: string
    readonly env?: Readonly<Record<string, string>>
    /** Stops the command after this output. */
    readonly until?: RegExp
  }
  /** Runs a command and records its output. @returns Its standard output. */
  const run = async (args: readonly string[], more: More = {}): Promise<string> => {
    const stop = new AbortController()
    let out = ''
    let text = ''
    await runCli(args, {
      out: (line) => {
        out += `${line}\n`
        text += `${line}\n`
        if (more.until?.test(line)) stop.abort('SIGINT')
      },
      err: (line) => {
        text += `${line}\n`
      },
      env: { ...env, ...more.env },
      color: false,
      signal: stop.signal,
      input: more.input === undefined ? undefined : Readable.from([Buffer.from(more.input)]),
    })
    const known = COMMANDS.filter(({ name }) => args.join(' ').startsWith(name)).map(({ name }) => name)
    ran.add(known.sort((a, b) => b.length - a.length)[0] ?? '')
    if (!args.includes('--reveal')) printed.push({ line: args.join(' '), text })
    return out
  }
  const secrets = new Map([
    ['app secret', BROKERWIRE_APP_SECRET],
    ['secret of a profile', 'correct horse/battery+staple'],
  ])
  /** Adds the currently stored tokens to the secrets. */
  const keepTokens = async (step: string): Promise<void> => {
    const token = JSON.parse(await run(['token', 'status', '--json', '--reveal']))
    const identity = {
      region: 'us',
      environment: 'sandbox',
      appKey: env.BROKERWIRE_APP_KEY,
      baseUrl: service.env.BROKERWIRE_BASE_URL,
    }
    const files = createFileStore({ directory: store })
    const pair = parseStoredClientToken(await files.get(clientTokenStoreKey(identity, 'anna')))?.pair
    secrets.set(`token ${step}`, token.token)
    secrets.set(`client token ${step}`, pair?.accessToken.reveal() ?? '')
    secrets.set(`refresh token ${step}`, pair?.refreshToken.reveal() ?? '')
  }

  // The demo takes a quarter of a minute and has its own service, so it runs at the same time.
  const demo = run(['demo'])
  const kept = secrets.get('secret of a profile') ?? ''
  const profile = { env: { BROKERWIRE_APP_SECRET: '' } }
  await run(['config', 'set', 'app-secret'], { input: kept })
  await run(['config', 'set', 'app-secret', kept])
  for (const args of [['get', 'app-secret'], ['list'], ['list', '--json'], ['path']]) {
    await run(['config', ...args])
    await run(['config', ...args], profile)
  }
  await run(['sign', `https://api.example.com/${kept}`, '--body-file', `/nowhere/${kept}`], profile)
  await run(['doctor'], profile)

  await run(['token', 'create', '--json'])
  await run(['client-token', 'create', 'anna', '--json'])
  await keepTokens('at first')
  for (const json of [[], ['--json']]) {
    for (const command of ['create', 'wait', 'check', 'status']) await run(['token', command, ...json])
    await run(['client-token', 'status', 'anna', ...json])
    await run(['doctor', ...json])
    await run(['doctor', ...json], { env: CLOSED })
  }
  await run(['token', 'check'], { env: CLOSED })
  await run(['token', 'renew', '--wait'])
  await run(['client-token', 'refresh', 'anna'])
  await keepTokens('after renewal')

  const request = ['request', 'GET', '/openapi/config']
  for (const flags of [[], ['--include'], ['--dry-run'], ['--curl']]) await run([...request, ...flags])
  await run(['request', 'GET', '/openapi/assets/nothing', '--include'])
  await run([...request, '--timeout', '1s'], { env: CLOSED })
  const refused = { env: { BROKERWIRE_APP_KEY: 'another' } }
  await run([...request, '--no-token', '--include'], refused)

  await run(['api', '--list'])
  const orders = ['api', 'orders.history', '--account', 'A1']
  for (const flags of [[], ['--json'], ['--raw'], ['--dry-run']]) await run([...orders, ...flags])
  await run(['api', 'client-tokens.create', '--client-user-id', 'bert'])

  const lines = await run(['listen', 'trade', '--json', '--count', '2', '--with-token'])
  await run(['listen', 'trade', '--count', '1', '--verbose', '--with-token'])
  await run(['listen', 'trade', '--max-attempts', '1', '--verbose'], { env: CLOSED })
  await run(['listen', 'trade', '--verbose'], refused)
  await run(['decode'], { input: lines })
  const recording = join(home, 'recording.jsonl')
  await run(['record', 'trade', '--to', recording, '--count', '2', '--with-token'])
  printed.push({ line: 'the recording', text: await readFile(recording, 'utf8') })
  await run(['replay', recording, '--speed', 'max'])

  const events = join(home, 'events')
  const relayConfig = (appSecret: string) =>
    temporaryFile(
      'relay.json',
      JSON.stringify({
        apps: [
          {
            name: 'desk',
            region: 'us',
            environment: 'sandbox',
            appKey: { env: 'BROKERWIRE_APP_KEY' },
            appSecret: { env: appSecret },
            accounts: service.env.BROKERWIRE_ACCOUNTS?.split(','),
            subscriptions: ['trade'],
            sendAccessToken: true,
            baseUrl: service.env.BROKERWIRE_BASE_URL,
            eventsUrl: service.env.BROKERWIRE_EVENTS_URL,
          },
        ],
        sink: { type: 'file', directory: events },
        store: { type: 'file', directory: store },
        health: { port: 0 },
        slotLingerMs: 0,
      }),
    )
  const relay = ['relay', '--config', await relayConfig('BROKERWIRE_APP_SECRET')]
  await run([...relay, '--check'])
  await run(relay, { until: /stream\.subscribed/ })
  await run(relay, { env: { BROKERWIRE_APP_SECRET: `${BROKERWIRE_APP_SECRET}x` }, until: /app\.failed/ })
  await run(['relay', '--config', await relayConfig(BROKERWIRE_APP_SECRET)])
  const [stream = ''] = await readdir(events)
  printed.push({ line: 'the stream', text: await readFile(join(events, stream), 'utf8') })

  const webhookSecret = `whsec_${Buffer.from('a webhook secret for no output').toString('base64')}`
  secrets.set('webhook secret', webhookSecret)
  const letters = await temporaryFile(
    'letters.jsonl',
    '{"v":1,"stream":"s","atMs":1,"webhookId":"m","attempts":1,"reason":"status 500","batch":false,"events":[{}]}\n',
  )
  const secretFile = await temporaryFile('webhook-secret', webhookSecret)
  await run([
    ...['relay', 'replay-dead-letters', letters, '--forward-to', 'http://127.0.0.1:1/events'],
    ...['--webhook-secret-file', secretFile, '--max-attempts', '1'],
  ])

  const signed = await run(['sign', 'https://api.example.com/a?b=1', '--json', '--canonical'])
  await run(['sign', 'https://api.example.com/a', '--body', '{}'])
  const captured = await temporaryFile('request.json', signed)
  const theirs = await temporaryFile('theirs.txt', JSON.parse(signed).canonical.replace('b=1', 'b=2'))
  for (const json of [[], ['--json']]) {
    await run(['explain', captured, ...json])
    await run(['verify', captured, ...json])
    await run(['verify', captured, ...json], { env: { BROKERWIRE_APP_SECRET: 'another' } })
    await run(['compare', captured, theirs, ...json])
  }
  await run(['vectors', VECTORS])

  await run(['simulate'], { until: /CONTROL_TOKEN/ })
  await run(['simulate', 'approve'])
  await run(['simulate', 'emit', 'order'])
  await run(['simulate', 'drop'])
  await run(['simulate', 'fault', '{"clear":true}'])
  await run(['simulate', 'advance', '1s'])
  await run(['simulate', 'quotes', 'step'])
  await run(['simulate', 'state'])
  await demo
  await run(['completion', 'bash'])
  await run(['help', 'TOKEN_PENDING'])
  await run(['complete', '--', '--profile', ''])
  await run(['token', 'forget', '--yes'])

  expect([...ran].sort()).toEqual(COMMANDS.map(({ name }) => name).sort())
  // All expected secrets exist. Otherwise the search would prove nothing.
  expect([...secrets].filter(([, secret]) => typeof secret !== 'string' || secret.length < 8)).toEqual([])
  expect(new Set(secrets.values()).size).toBe(secrets.size)
  const found = printed.flatMap(({ line, text }) =>
    [...secrets].flatMap(([name, secret]) =>
      formsOf(secret).some((form) => text.includes(form)) ? [`${line}: ${name}`] : [],
    ),
  )
  expect(found).toEqual([])
  const silent = printed.filter(({ text }) => text === '').map(({ line }) => line)
  expect(silent).toEqual(['config set app-secret'])
}, 120_000)
