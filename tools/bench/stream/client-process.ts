/** One contender in a process of its own: does one job over and over, as it is told, and reports each run. */
import { payloads, type TradeFrame } from '@brokerwire/payloads'
import type { OnMessage } from './clients/client.ts'
import { CONTENDERS } from './contenders.ts'
import type { ClientReport, Plan } from './plan.ts'
import { monotonicNs } from './wire/messages.ts'

const SAMPLE_MS = 50
const [name = '', job = '', port = ''] = process.argv.slice(2)

const create = CONTENDERS[name as keyof typeof CONTENDERS]
const client = create(Number(port))

let messages = 0
let size = 0
let latencies: number[] = []

// One job a process: what is compiled for one is not spoilt by another.
const jobs: Readonly<Record<string, OnMessage>> = {
  client({ payload }) {
    messages += 1
    size += payload.length
  },
  decoded(message) {
    const result = message.decode?.() ?? payloads.order(message as unknown as TradeFrame)
    if (!result.ok) throw result.error
    messages += (result.value as { readonly orderId?: unknown }).orderId === undefined ? 0 : 1
    size += message.payload.length
  },
  lone({ timestamp }) {
    latencies.push((monotonicNs() - Number(timestamp)) / 1000)
    messages += 1
  },
}

async function run(plan: Plan): Promise<ClientReport> {
  messages = 0
  size = 0
  latencies = []
  const rssSamples: number[] = []
  const sampler = setInterval(() => rssSamples.push(process.memoryUsage.rss()), SAMPLE_MS)
  const cpu = process.cpuUsage()
  const startNs = monotonicNs()
  const bytes = await client.receive(JSON.stringify(plan), jobs[job] as OnMessage)
  const seconds = (monotonicNs() - startNs) / 1e9
  const { user, system } = process.cpuUsage(cpu)
  clearInterval(sampler)
  return {
    ...(bytes === undefined ? { messages, size } : { size: bytes }),
    seconds,
    cpuSeconds: (user + system) / 1e6,
    rssBytes: process.memoryUsage.rss(),
    rssSamples,
    latencies,
  }
}

process.on('message', (plan: Plan) => {
  run(plan).then(
    (report) => process.send?.({ type: 'ran', report }),
    (error: unknown) => process.send?.({ type: 'failed', text: String(error) }),
  )
})
process.on('disconnect', () => process.exit())
process.send?.({ type: 'ready' })
