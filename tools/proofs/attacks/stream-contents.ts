/**
 * Contents of streams, and their output in a terminal: hostile payloads and names, and statuses that quote
 * the token and the signature of the request, in every encoding that a gateway may use.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Simulator, startSimulator } from '@brokerwire/simulator'
import { startGrpcServer } from '@brokerwire/testing/grpc-server'
import { serviceLines } from '../../../packages/cli/src/render/service-lines.ts'
import { environmentOf } from '../../../packages/cli/src/test/environment.ts'
import { type Run, run } from '../../../packages/cli/src/test/run.ts'
import type { Random } from '../random.ts'
import { within } from '../wait.ts'
import type { AttackContext, Kind } from './attacks.ts'
import { drawEncoding, reveals, steers } from './secrets.ts'

/** Maximum length of a line in the output for people. `--json` prints everything. */
const MAX_LINE = 2100
const HANGS_MS = 20_000

function checkLines({ fail }: AttackContext, { out, err }: Run, maxLine: number): void {
  for (const line of [...out, ...err]) {
    if (steers(line)) fail(`a line contains control characters: ${JSON.stringify(line.slice(0, 200))}`)
    if (line.length > maxLine) fail(`a line of ${line.length} characters`)
  }
}

function drawValue(random: Random, depth: number): unknown {
  const kind = random.integer(0, depth > 2 ? 3 : 5)
  if (kind === 0) return random.integer(-1e9, 1e9)
  if (kind === 1) return random.pick([null, true, false, '', 'NaN', '__proto__', 1e308])
  if (kind === 4) return random.list(random.integer(0, 3), () => drawValue(random, depth + 1))
  if (kind === 5) return drawFields(random, depth + 1)
  return random.chance(0.02) ? random.text(20).repeat(5000) : random.text(30)
}

const KNOWN = 'symbol side qty order_type scene_type order_status filled_price biz_type'.split(' ')

function drawFields(random: Random, depth = 0): Record<string, unknown> {
  const name = (): string => (random.chance(0.6) ? random.pick(KNOWN) : random.text(20))
  return Object.fromEntries(random.list(random.integer(0, 6), () => [name(), drawValue(random, depth)]))
}

/** Draws JSON, truncated JSON, or another string. */
function drawPayload(random: Random): string {
  const json = JSON.stringify(drawFields(random))
  const draw = random.next()
  if (draw < 0.7) return json
  // The truncated JSON is encoded as UTF-8 and decoded, because UTF-8 cannot represent lone surrogates.
  return draw < 0.85 ? Buffer.from(json.slice(0, random.integer(0, json.length))).toString() : random.text(60)
}

/**
 * Sends an event.
 *
 * @returns Its payload.
 */
function send(simulator: Simulator, stream: 'trade' | 'module', random: Random): string {
  if (stream === 'module') {
    const payload = { ...drawFields(random), biz_type: random.pick(['TRANSFER', 'INSTANT_FUNDING']) }
    return simulator.emitModule({ module: 'funding', payload }).payload
  }
  if (random.chance(0.3)) return simulator.emitOrder({ payload: drawFields(random) }).payload
  return simulator.emitTradeFrame({
    eventType: random.pick([1024, 1032, 1028, 5000 + random.integer(0, 100)]),
    contentType: random.chance(0.8) ? 'application/json' : random.text(20),
    payload: drawPayload(random),
    requestId: `${random.hex(12)}${random.text(10)}`,
  }).payload
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
      while (simulator.subscriptions().length === 0) await sleep(5)
      const sent = random.list(count, () => send(simulator, stream, random))
      for (const _ of sent) context.attack(`${stream} events as ${json ? 'JSON' : 'lines'}`)
      const ended = await within(running, HANGS_MS)
      if (ended === 'hangs') return context.fail(`listen ${stream} did not end after ${count} events`)
      const { out, err, status } = ended
      checkLines(context, ended, json ? Number.POSITIVE_INFINITY : MAX_LINE)
      if (json) checkPayloads(context, out, sent)
      else if (out.filter((line) => !/ notice /.test(line)).length !== count)
        context.fail(`${count} ${stream} events became ${out.length} lines, status ${status}: ${err.join()}`)
      while (simulator.subscriptions().length > 0) await sleep(5)
    }
  }
}

/** Checks that the payloads are unchanged. */
function checkPayloads({ fail }: AttackContext, out: readonly string[], sent: readonly string[]): void {
  const items = out.map((line) => JSON.parse(line)).filter(({ type }) => type === 'event')
  for (const [index, payload] of sent.entries()) {
    // Protobuf decoders remove a byte order mark at the start of a string (range-reader.ts).
    if (items[index]?.payload !== payload.replace(/^\ufeff/, ''))
      fail(`a payload differs from the one that was sent: ${payload.slice(0, 200)}`)
  }
}

async function attackEchoes(context: AttackContext, count: number): Promise<void> {
  const random = context.random.fork('echoes')
  const server = await startGrpcServer()
  context.atEnd(() => server.close())
  const secret = `app-secret-${random.hex(24)}`
  const env = {
    BROKERWIRE_REGION: 'us',
    BROKERWIRE_ENVIRONMENT: 'sandbox',
    BROKERWIRE_BASE_URL: server.url,
    BROKERWIRE_EVENTS_URL: server.url,
    BROKERWIRE_MODULE_EVENTS_URL: server.url,
    BROKERWIRE_APP_KEY: 'key',
    BROKERWIRE_APP_SECRET: secret,
    BROKERWIRE_ACCOUNTS: 'A',
  }
  /**
   * Returns the status that ends the current call. Its argument is the signature and the nonce of that call.
   */
  let end: ((hidden: readonly string[]) => readonly [status: number, message: string]) | undefined
  void (async () => {
    for (;;) {
      const { headers, end: endCall } = await server.call()
      if (end === undefined) throw new Error('a call before the first attack')
      endCall(...end([String(headers['x-signature']), String(headers['x-signature-nonce'])]))
    }
  })()
  for (let attack = 0; attack < count; attack += 1) {
    const [name, encode] = drawEncoding(random)
    context.attack('endings that quote the request')
    const stop = new AbortController()
    const args = ['listen', random.pick(['trade', 'module']), ...(random.chance(0.5) ? ['--json'] : [])]
    const [status, before] = [random.integer(1, 17), random.text(10)]
    const hidden: string[] = []
    end = (ofCall) => {
      // If there is a second call, the client has reported the status of the first one, and the attack is
      // over.
      if (hidden.length > 0) stop.abort()
      hidden.push(...ofCall)
      const [signature = '', nonce = ''] = hidden
      return [status, `${before} x-signature: ${encode(signature)}, nonce: ${encode(nonce)}`]
    }
    const ended = await within(run(args, { env, signal: stop.signal }), HANGS_MS)
    if (ended === 'hangs') {
      context.fail(`listen did not end after status ${status}`)
      continue
    }
    checkLines(context, ended, Number.POSITIVE_INFINITY)
    const text = [...ended.out, ...ended.err].join('\n')
    if ([secret, ...hidden].some((each) => reveals(text, each)))
      context.fail(`a secret, ${name}: ${text.slice(0, 300)}`)
  }
}

export const streamContents: Kind = {
  name: 'stream-contents',
  promise:
    'no content of a stream controls a terminal, forges or floods its lines, is changed in JSON, or shows a signature',
  counts: [2000, 300],
  async run(context) {
    await attackRendering(context, Math.ceil(context.total / 5))
    await attackEchoes(context, Math.ceil(context.total / 5))
  },
}
