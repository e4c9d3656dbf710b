/**
 * What a service may send on a stream, and what becomes of it on a terminal: hostile payloads and names, and endings that
 * quote the request's own token and signature, in every way in which a gateway may have encoded them.
 */

import { type Simulator, startSimulator } from '@brokerwire/simulator'
import { type GrpcServer, startGrpcServer } from '@brokerwire/testing/grpc-server'
import { serviceLines } from '../../../../packages/cli/src/render/service-lines.ts'
import { environmentOf } from '../../../../packages/cli/src/test/environment.ts'
import { type Run, run } from '../../../../packages/cli/src/test/run.ts'
import type { AttackContext, Kind } from '../kind.ts'
import type { Random } from '../random.ts'
import { steers } from '../secrets.ts'
import { within } from '../within.ts'

/** The longest line for a person; `--json` has everything. */
const MAX_LINE = 2100
const HANG_MS = 20_000

function checkLines(context: AttackContext, { out, err }: Run, maxLine: number): void {
  for (const line of [...out, ...err]) {
    if (steers(line)) context.broken(`a line that steers a terminal: ${JSON.stringify(line.slice(0, 200))}`)
    if (line.length > maxLine) context.broken(`a line of ${line.length} characters`)
  }
}

/** Values that a payload of the service may hold, and that nobody should trust. */
function drawValue(random: Random, depth: number): unknown {
  const kind = random.integer(0, depth > 2 ? 3 : 5)
  if (kind === 0) return random.integer(-1e9, 1e9)
  if (kind === 1) return random.pick([null, true, false, '', 'NaN', '__proto__', 1e308])
  if (kind === 4) return random.list(random.integer(0, 3), () => drawValue(random, depth + 1))
  if (kind === 5) return drawFields(random, depth + 1)
  return random.chance(0.02) ? random.text(20).repeat(5000) : random.text(30)
}

const KNOWN = [
  'symbol',
  'side',
  'qty',
  'order_type',
  'scene_type',
  'order_status',
  'filled_price',
  'biz_type',
]

function drawFields(random: Random, depth: number): Record<string, unknown> {
  const name = (): string => (random.chance(0.6) ? random.pick(KNOWN) : random.text(20))
  return Object.fromEntries(random.list(random.integer(0, 6), () => [name(), drawValue(random, depth)]))
}

/** JSON, cut JSON, and no JSON at all. */
function drawPayload(random: Random): string {
  const json = JSON.stringify(drawFields(random, 0))
  const draw = random.next()
  if (draw < 0.7) return json
  // The wire is UTF-8: half a pair cannot be sent.
  return draw < 0.85 ? Buffer.from(json.slice(0, random.integer(0, json.length))).toString() : random.text(60)
}

/** Payloads sent, in order, on one stream. */
function send(simulator: Simulator, stream: 'trade' | 'module', random: Random, count: number): string[] {
  return random.list(count, () => {
    if (stream === 'module') {
      return simulator.emitModule({
        module: 'funding',
        payload: { ...drawFields(random, 0), biz_type: random.pick(['TRANSFER', 'INSTANT_FUNDING']) },
      }).payload
    }
    if (random.chance(0.3)) return simulator.emitOrder({ payload: drawFields(random, 0) }).payload
    return simulator.emitTradeFrame({
      eventType: random.pick([1024, 1032, 1028, 5000 + random.integer(0, 100)]),
      contentType: random.chance(0.8) ? 'application/json' : random.text(20),
      payload: drawPayload(random),
      requestId: `${random.hex(12)}${random.text(10)}`,
    }).payload
  })
}

async function attackRendering(context: AttackContext, count: number): Promise<void> {
  const random = context.random.fork('rendering')
  const simulator = await startSimulator({ environment: 'sandbox' })
  context.atEnd(() => simulator.close())
  const env = environmentOf(serviceLines(simulator))
  for (const stream of ['trade', 'module'] as const) {
    for (const json of [false, true]) {
      const args = ['listen', stream, '--count', `${count}`, ...(json ? ['--json'] : [])]
      if (stream === 'module') args.push('--modules', 'funding')
      const running = run(args, { env })
      while (simulator.subscriptions().length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
      const sent = send(simulator, stream, random, count)
      for (const _ of sent) context.attack(`${stream} events as ${json ? 'JSON' : 'lines'}`)
      const ended = await within(running, HANG_MS)
      if (ended === 'hangs') return context.broken(`listen ${stream} did not end after ${count} events`)
      checkLines(context, ended, json ? Number.POSITIVE_INFINITY : MAX_LINE)
      if (json) checkPayloads(context, ended, sent)
      else if (ended.out.filter((line) => !/ notice /.test(line)).length !== count) {
        context.broken(
          `${count} ${stream} events became ${ended.out.length} lines, status ${ended.status}: ${ended.err.join()} ${ended.out.at(-1)}`,
        )
      }
      while (simulator.subscriptions().length > 0) await new Promise((resolve) => setTimeout(resolve, 5))
    }
  }
}

/** As they were sent, to the last character. */
function checkPayloads(context: AttackContext, { out }: Run, sent: readonly string[]): void {
  const items = out.map((line) => JSON.parse(line)).filter(({ type }) => type === 'event')
  for (const [index, payload] of sent.entries()) {
    // Readers of protobuf drop one byte order mark before a text (range-reader.ts).
    if (items[index]?.payload !== payload.replace(/^\ufeff/, ''))
      context.broken(`another payload than was sent: ${payload.slice(0, 200)}`)
  }
}

const percent = (text: string): string =>
  Array.from(Buffer.from(text), (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')

/** What gateways do to a request that they quote. */
const ENCODINGS: Readonly<Record<string, (text: string) => string>> = {
  plain: (text) => text,
  'percent-encoded': encodeURIComponent,
  'percent-encoded whole': percent,
  'percent-encoded, capitals': (text) => percent(text).toUpperCase(),
  JSON: (text) => JSON.stringify(text).replaceAll('/', '\\/'),
  'JSON escapes': (text) =>
    Array.from(text, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`).join(''),
  HTML: (text) => text.replaceAll('+', '&#43;').replaceAll('/', '&#x2f;').replaceAll('=', '&equals;'),
  base64: (text) => Buffer.from(text).toString('base64'),
  hex: (text) => Buffer.from(text).toString('hex'),
}

/** Whether a text shows a secret to somebody who decodes it. */
function shows(text: string, secret: string): boolean {
  return Object.values(ENCODINGS).some((encode) => text.toLowerCase().includes(encode(secret).toLowerCase()))
}

async function attackEchoes(context: AttackContext, count: number): Promise<void> {
  const random = context.random.fork('echoes')
  const server = await startGrpcServer()
  context.atEnd(() => server.close())
  const secret = `app-secret-${random.hex(24)}`
  const env = {
    BROKERWIRE_REGION: 'us',
    BROKERWIRE_ENVIRONMENT: 'sandbox',
    BROKERWIRE_HTTP_URL: server.url,
    BROKERWIRE_EVENTS_URL: server.url,
    BROKERWIRE_MODULE_EVENTS_URL: server.url,
    BROKERWIRE_APP_KEY: 'key',
    BROKERWIRE_APP_SECRET: secret,
    BROKERWIRE_ACCOUNTS: 'A',
  }
  let ending: Ending | undefined
  void endCalls(server, () => {
    if (ending === undefined) throw new Error('a call before the first attack')
    return ending
  })
  for (let attack = 0; attack < count; attack += 1) {
    const name = random.pick(Object.keys(ENCODINGS))
    const twice = random.chance(0.3) ? random.pick(Object.keys(ENCODINGS)) : 'plain'
    const encode = (text: string): string => (ENCODINGS[twice] ?? String)((ENCODINGS[name] ?? String)(text))
    context.attack(`endings that quote the request, ${name}`)
    const stop = new AbortController()
    const args = ['listen', random.pick(['trade', 'module']), ...(random.chance(0.5) ? ['--json'] : [])]
    const seen: string[] = []
    // A status that is worth a repeat has been told of when the second call comes.
    ending = {
      status: random.integer(1, 17),
      before: random.text(10),
      encode,
      seen,
      onRepeat: () => stop.abort(),
    }
    const ended = await within(run(args, { env, signal: stop.signal }), HANG_MS)
    if (ended === 'hangs') {
      context.broken(`listen did not end after status ${ending.status}`)
      continue
    }
    checkLines(context, ended, Number.POSITIVE_INFINITY)
    const text = [...ended.out, ...ended.err].join('\n')
    for (const hidden of [secret, ...seen]) {
      if (shows(text, hidden)) context.broken(`a secret, ${name} and ${twice}: ${text.slice(0, 300)}`)
    }
  }
}

/** How calls end, and what they held. */
interface Ending {
  readonly status: number
  readonly before: string
  readonly encode: (text: string) => string
  /** Signatures and nonces. */
  readonly seen: string[]
  /** The service was called again. */
  readonly onRepeat: () => void
}

/** Ends every call as `ending()` says, with a message that quotes the first request. */
async function endCalls(server: GrpcServer, ending: () => Ending): Promise<never> {
  for (;;) {
    const call = await server.call()
    const { status, before, encode, seen, onRepeat } = ending()
    if (seen.length > 0) onRepeat()
    seen.push(String(call.headers['x-signature']), String(call.headers['x-signature-nonce']))
    call.end(status, `${before} x-signature: ${encode(seen[0] ?? '')}, nonce: ${encode(seen[1] ?? '')}`)
  }
}

export const streamContents: Kind = {
  name: 'stream-contents',
  promise:
    'nothing that a stream carries steers a terminal, forges or floods its lines, changes in JSON, or shows a signature',
  counts: [2000, 300],
  async run(context) {
    await attackRendering(context, Math.ceil(context.count / 5))
    await attackEchoes(context, Math.ceil(context.count / 5))
  },
}
