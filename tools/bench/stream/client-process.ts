/**
 * One client with one task in a separate process, because code that V8 has optimized for another task could
 * slow this task down.
 */
import { payloads, type TradeFrame } from '@brokerwire/payloads'
import { serveCalls } from '@brokerwire/testing/child-calls'
import type { BenchClient, CreateBenchClient, OnMessage } from './clients/client.ts'
import {
  moduleTransport,
  supervised,
  supervisedInBatches,
  supervisedModule,
  supervisedObserved,
  supervisedTelemetry,
  transport,
  transportThroughConnect,
} from './clients/ours.ts'
import { connectNode, grpcJs, grpcJsWide, rawHttp2 } from './clients/peers.ts'
import { clockUs, NUMBER_DIGITS } from './plan.ts'

const CLIENTS = {
  transport,
  'transport through createClient': transportThroughConnect,
  'connect-node': connectNode,
  'grpc-js': grpcJs,
  'grpc-js, 1 MiB': grpcJsWide,
  'raw node:http2': rawHttp2,
  supervised,
  'supervised, in batches': supervisedInBatches,
  'supervised, observed': supervisedObserved,
  'supervised, telemetry': supervisedTelemetry,
  'transport, module events': moduleTransport,
  'supervised, module events': supervisedModule,
} as const satisfies Readonly<Record<string, CreateBenchClient>>

export type ClientName = keyof typeof CLIENTS

/** The task of a client: counts messages, decodes them, or measures their latency. */
export type Task = 'count' | 'decode' | 'latency'

const SAMPLE_MS = 50

let client: BenchClient
let onMessage: OnMessage
let messages = 0
let size = 0
let latencies: number[] = []

const TASKS: Readonly<Record<Task, OnMessage>> = {
  count({ payload }) {
    messages += 1
    size += payload.length
  },
  decode(message) {
    const result = message.decode?.() ?? payloads.order(message as unknown as TradeFrame)
    if (!result.ok) throw result.error
    messages += (result.value as { readonly orderId?: unknown }).orderId === undefined ? 0 : 1
    size += message.payload.length
  },
  latency({ requestId }) {
    const range = 10 ** NUMBER_DIGITS
    latencies.push((clockUs() - Number(requestId.slice(-NUMBER_DIGITS)) + range) % range)
    messages += 1
  },
}

const commands = {
  open(name: ClientName, task: Task, port: number) {
    client = CLIENTS[name](port)
    onMessage = TASKS[task]
  },
  async run(expected: number) {
    messages = 0
    size = 0
    latencies = []
    const rssSamples: number[] = []
    const sampler = setInterval(() => rssSamples.push(process.memoryUsage.rss()), SAMPLE_MS)
    const cpu = process.cpuUsage()
    const start = performance.now()
    const bytes = await client.receive(expected, onMessage)
    const seconds = (performance.now() - start) / 1000
    const { user, system } = process.cpuUsage(cpu)
    clearInterval(sampler)
    return {
      // A client that does not parse messages reports bytes of DATA instead.
      messages: bytes === undefined ? messages : undefined,
      size: bytes ?? size,
      seconds,
      cpuSeconds: (user + system) / 1e6,
      rssSamples,
      latencies,
    }
  },
}
export type ClientCommands = typeof commands
serveCalls(commands)
