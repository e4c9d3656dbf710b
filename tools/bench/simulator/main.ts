/**
 * `pnpm bench:simulator [--json FILE] [--only start|deliver] [--streams N] [--rounds N]`: how long the simulator takes to
 * start, beside a bare `http2` server; then 2,000 open streams, and how many messages a second the
 * simulator delivers to all of them together, beside a bare connect-node server that sends the same frames to the same
 * clients. Rounds of the two alternate; the figures are medians.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type ClientHttp2Session, connect } from 'node:http2'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface, type Interface } from 'node:readline'
import { parseArgs } from 'node:util'
import { TradeSubscribeRequestSchema } from '@brokerwire/protos'
import { createSigner } from '@brokerwire/signer'
import { bundleProgram } from '@brokerwire/testing/bundle-program'
import { create, toBinary } from '@bufbuild/protobuf'
import { median, ratioByRound } from '../figures.ts'

const { values } = parseArgs({
  options: {
    json: { type: 'string' },
    streams: { type: 'string', default: '2000' },
    rounds: { type: 'string', default: '7' },
    only: { type: 'string' },
  },
})
if (![undefined, 'start', 'deliver'].includes(values.only)) {
  throw new Error("--only: expected 'start' or 'deliver'")
}
const STREAMS = Number(values.streams)
const ROUNDS = Number(values.rounds)
const SESSIONS = 20
/** Frames to each stream in a round. */
const FRAMES = 50
const MIB = 1024 * 1024
/** Printed beside the figures; README.md of the simulator states them. */
const GOALS: Readonly<Record<string, string>> = {
  'simulator.deliver.vs_connect_node': 'at least 0.5',
  'simulator.deliver.messages_per_second': 'at least 50000 where connect-node reaches 100000',
  'simulator.rss_mib': 'at most 512',
}

interface Served {
  readonly child: ChildProcess
  readonly lines: Interface
  readonly sessions: readonly ClientHttp2Session[]
  /** Messages that the clients have read. */
  received(): number
  /** Called at each chunk. */
  onData: () => void
}

const folder = await mkdtemp(join(tmpdir(), 'brokerwire-bench-'))
const program = join(folder, 'server.mjs')
await bundleProgram(new URL('server-process.ts', import.meta.url), program)

async function start(kind: string): Promise<Served> {
  const child = spawn(process.execPath, [program, kind], { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })
  const [line] = (await once(lines, 'line')) as [string]
  const { url, appKey, appSecret, account } = JSON.parse(line) as Record<string, string>
  const signer = createSigner({ appKey: String(appKey), appSecret: String(appSecret) })
  const sessions = Array.from({ length: SESSIONS }, () => {
    const session = connect(String(url), { settings: { initialWindowSize: 2 ** 24 } })
    session.once('connect', () => session.setLocalWindowSize(2 ** 26))
    return session
  })
  let messages = 0
  const served: Served = { child, lines, sessions, received: () => messages, onData: () => undefined }
  const request = create(TradeSubscribeRequestSchema, { subscribeType: 1, accounts: [String(account)] })
  const bytes = toBinary(TradeSubscribeRequestSchema, request)
  const envelope = Buffer.alloc(5 + bytes.length)
  envelope.writeUInt32BE(bytes.length, 1)
  envelope.set(bytes, 5)
  for (let index = 0; index < STREAMS; index += 1) {
    const { headers } = await signer.signStream(bytes)
    const stream = (sessions[index % SESSIONS] as ClientHttp2Session).request({
      ':method': 'POST',
      ':path': '/grpc.trade.event.EventService/Subscribe',
      'content-type': 'application/grpc',
      te: 'trailers',
      ...headers,
    })
    const head = Buffer.alloc(5)
    let inHead = 0
    let left = 0
    stream.on('data', (chunk: Buffer) => {
      for (let at = 0; at < chunk.length; ) {
        if (left > 0) {
          const step = Math.min(left, chunk.length - at)
          left -= step
          at += step
        } else {
          head[inHead] = chunk[at] ?? 0
          inHead += 1
          at += 1
          if (inHead < 5) continue
          inHead = 0
          left = head.readUInt32BE(1)
        }
        if (left === 0 && inHead === 0) messages += 1
      }
      served.onData()
    })
    stream.end(envelope)
  }
  await reached(served, STREAMS)
  return served
}

function reached(served: Served, count: number): Promise<void> {
  return new Promise((resolve) => {
    served.onData = () => {
      if (served.received() >= count) resolve()
    }
    served.onData()
  })
}

/** Messages a second in one round. */
async function round(served: Served): Promise<number> {
  const goal = served.received() + FRAMES * STREAMS
  const startedAt = performance.now()
  served.child.stdin?.write(`${FRAMES}\n`)
  await reached(served, goal)
  return (FRAMES * STREAMS) / ((performance.now() - startedAt) / 1000)
}

console.log(
  `load of the machine: ${loadavg()
    .map((load) => load.toFixed(1))
    .join(' ')}`,
)
const results: Record<string, number> = {}
if (values.only !== 'deliver') await measureStart()
if (values.only !== 'start') await measureDelivery()
await rm(folder, { recursive: true })
for (const [name, value] of Object.entries(results)) {
  const goal = GOALS[name]
  console.log(`${name}: ${value}${goal === undefined ? '' : ` (goal: ${goal})`}`)
}
if (values.json !== undefined) await writeFile(values.json, `${JSON.stringify(results, null, 2)}\n`)

async function measureStart(): Promise<void> {
  const starts = join(folder, 'start.mjs')
  await bundleProgram(new URL('start-process.ts', import.meta.url), starts)
  const child = spawn(process.execPath, [starts], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  const { simulator, bare } = JSON.parse(line) as { simulator: number; bare: number }
  results['simulator.start_ms'] = Number(simulator.toFixed(2))
  results['simulator.start.bare_http2_ms'] = Number(bare.toFixed(2))
  results['simulator.start.vs_bare_http2'] = Number((simulator / bare).toFixed(1))
}

async function measureDelivery(): Promise<void> {
  const [simulator, bare] = [await start('simulator'), await start('connect')]
  const figures = { simulator: [] as number[], bare: [] as number[] }
  for (let count = 0; count <= ROUNDS; count += 1) {
    const [ours, theirs] = [await round(simulator), await round(bare)]
    // The first warms up.
    if (count === 0) continue
    figures.simulator.push(ours)
    figures.bare.push(theirs)
  }
  simulator.child.stdin?.write('rss\n')
  const [line] = (await once(simulator.lines, 'line')) as [string]
  const rssMib = (JSON.parse(line) as { rss: number }).rss / MIB
  for (const { child, sessions } of [simulator, bare]) {
    child.kill('SIGKILL')
    for (const session of sessions) session.destroy()
  }
  results['simulator.deliver.messages_per_second'] = Math.round(median(figures.simulator))
  results['simulator.deliver.connect_node_messages_per_second'] = Math.round(median(figures.bare))
  results['simulator.deliver.vs_connect_node'] = ratioByRound(figures.simulator, figures.bare)
  results['simulator.rss_mib'] = Math.round(rssMib)
}
