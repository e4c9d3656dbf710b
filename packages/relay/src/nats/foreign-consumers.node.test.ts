/** Consumers without this package read what a relay wrote: the bare client of nats.js and, in the full run, a program in Go. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { Secret } from '@brokerwire/core'
import { type Simulator, startSimulator } from '@brokerwire/simulator'
import { createMemoryStore } from '@brokerwire/stores'
import { buildGo } from '@brokerwire/testing/build-go'
import { needs, REAL_SERVERS } from '@brokerwire/testing/installed'
import { startNats } from '@brokerwire/testing/nats'
import { jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { startRelay } from '../relay/start-relay.ts'
import { appOf, configOf } from '../test/config.ts'
import { type Message, readBare } from '../test/foreign/bare.ts'
import { HEADER } from '../wire/headers.ts'
import { createJetStreamSink } from './jetstream-sink.ts'

const { skip, note } = needs('nats-server')
const go = needs('nats-server', 'golang-go', 'golang-github-nats-io-go-nats-dev')

const STREAM = 'brokerwire_sandbox_us_team-a'
const ROOT = 'brokerwire.sandbox.us.team-a'
const SUBJECT = `${ROOT}.module.event.>`

/** A relay with its own server that has written some module events. */
async function setUp() {
  const server = await startNats()
  onTestFinished(() => server.close())
  const connection = await connect({ port: server.port })
  onTestFinished(() => connection.close())
  const simulator = await startSimulator({ seed: 5, environment: 'sandbox' })
  onTestFinished(() => simulator.close())
  const { appKey, appSecret } = simulator.credentials
  const app = appOf(simulator, { subscriptions: ['module'], modules: ['application', 'journal'] })
  const relay = await startRelay({
    config: configOf([app]),
    store: createMemoryStore(),
    readSecret: async (field) => (field.endsWith('appKey') ? new Secret(appKey) : appSecret),
    openSink: (address) => createJetStreamSink({ connection, address, createStream: {} }),
  })
  onTestFinished(() => relay.close())
  await simulator.waitForSubscriptions({ service: 'module', timeoutMs: 60_000 })
  for (let event = 0; event < 6; event += 1)
    simulator.emitModule({ module: event % 2 === 0 ? 'application' : 'journal' })
  return { url: `nats://127.0.0.1:${server.port}`, simulator }
}

/** Each event once and in order, with its frame in the headers and the payload as it was sent. */
function requireSame(messages: readonly Message[], simulator: Simulator): void {
  const sent = simulator.moduleEvents()
  expect(messages.map(({ body }) => body)).toEqual(sent.map(({ payload }) => payload))
  for (const [at, { id, eventType, position, timestamp }] of sent.entries()) {
    expect(messages[at]?.subject.startsWith(`${ROOT}.module.event.`)).toBe(true)
    expect(messages[at]?.headers).toMatchObject({
      [HEADER.schema]: '2',
      [HEADER.type]: 'event',
      [HEADER.source]: 'module',
      [HEADER.id]: id,
      [HEADER.eventType]: eventType,
      [HEADER.position]: position,
      [HEADER.timestamp]: timestamp,
    })
  }
}

async function readInGo(todo: object): Promise<(Message & { missing?: readonly number[] })[]> {
  const folder = await mkdtemp(join(tmpdir(), 'brokerwire-go-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const program = await buildGo(fileURLToPath(new URL('../test/foreign/main.go', import.meta.url)), folder)
  const child = spawn(program, { stdio: ['pipe', 'pipe', 'inherit'] })
  const exit = once(child, 'exit')
  child.stdin.end(JSON.stringify({ stream: STREAM, subject: SUBJECT, durable: 'go', ...todo }))
  const messages: Message[] = []
  for await (const line of createInterface({ input: child.stdout })) messages.push(JSON.parse(line))
  expect(await exit).toEqual([0, null])
  return messages
}

describe.skipIf(skip)(`without this package${note}`, REAL_SERVERS, () => {
  test('reads the same events and headers with nats.js alone', async () => {
    const { url, simulator } = await setUp()
    const todo = { url, stream: STREAM, subject: SUBJECT, durable: 'bare', count: 6 }
    requireSame(await readBare(todo), simulator)
  })
})

describe.skipIf(go.skip || !inject('isFullRun'))(`in another language${go.note}`, REAL_SERVERS, () => {
  test("reads the same events and headers with a program in Go and JetStream's older API", async () => {
    const { url, simulator } = await setUp()
    requireSame(await readInGo({ url, count: 6 }), simulator)
  })

  test('that program reports the sequences that the stream no longer has', async () => {
    const { url } = await setUp()
    const connection = await connect({ servers: url })
    onTestFinished(() => connection.close())
    const { streams } = await jetstreamManager(connection)
    const { state } = await streams.info(STREAM)
    for (const sequence of [4, 5]) await streams.deleteMessage(STREAM, sequence)
    const messages = await readInGo({ url, subject: `${ROOT}.>`, count: state.messages - 2, last: 1 })
    const missing = messages.map((message) => message.missing).filter((range) => range !== undefined)
    expect(missing).toEqual([[4, 5]])
  })
})
