/** The simulator's broker with Python's paho, which the official Python client uses. */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { createHttpClient } from '@brokerwire/http'
import { createSigner } from '@brokerwire/signer'
import {
  createSelfSignedCertificate,
  type QuotesControls,
  type Simulator,
  type SimulatorOptions,
  startSimulator,
} from '@brokerwire/simulator'
import { needs, programOf, REAL_SERVERS } from '@brokerwire/testing/installed'
import { describe, expect, onTestFinished, test } from 'vitest'

const need = needs('python3-paho-mqtt')
/** Python of Debian, because the library is Debian's package. */
const PYTHON = '/usr/bin/python3'
const PROGRAM = fileURLToPath(new URL('../test/paho_client.py', import.meta.url))
const NO_TOKEN = { get: async () => undefined, reportRejected: async () => ({ changed: false }) }

interface Told {
  readonly event: 'connect' | 'disconnect' | 'message' | 'pong'
  readonly code?: number
  readonly topic?: string
  readonly qos?: number
  readonly payload?: string
}

async function start(
  options: SimulatorOptions = {},
): Promise<{ simulator: Simulator; market: QuotesControls }> {
  const simulator = await startSimulator({
    environment: 'sandbox',
    tokenCheckEnabled: false,
    quotes: true,
    profile: 'official-clients',
    ...options,
  })
  onTestFinished(() => simulator.close())
  if (simulator.quotes === undefined) throw new Error('no market data')
  return { simulator, market: simulator.quotes }
}

/** Runs the client, and returns its output. */
function paho(simulator: Simulator, url: string, more: { ca?: string; keepAlive?: number } = {}) {
  programOf('python3-paho-mqtt')
  const child = spawn(PYTHON, ['-B', PROGRAM], { stdio: ['pipe', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const { port, protocol } = new URL(url)
  const setup = {
    clientId: 'a'.repeat(32),
    userName: simulator.credentials.appKey,
    transport: protocol.startsWith('ws') ? 'websockets' : 'tcp',
    port: Number(port),
    ca: null,
    keepAlive: 60,
    ...more,
  }
  child.stdin.write(`${JSON.stringify(setup)}\n`)
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    end: () => child.stdin.write('end\n'),
    async next(event: Told['event']): Promise<Told> {
      for (;;) {
        const { value, done } = await lines.next()
        if (done) throw new Error(`paho ended before ${event}`)
        const told: Told = JSON.parse(value)
        if (told.event === event) return told
      }
    },
  }
}

async function call(simulator: Simulator, action: string, more: object): Promise<void> {
  const { appKey, appSecret } = simulator.credentials
  const signer = createSigner({ appKey, appSecret })
  const http = createHttpClient({ baseUrl: simulator.baseUrl, signer, accessTokens: NO_TOKEN })
  const json = { session_id: 'a'.repeat(32), ...more }
  const path = `/openapi/market-data/streaming/${action}`
  await http.request({ method: 'POST', path, json, apiVersion: 'v2' })
}
const ASK = { symbols: ['AAPL'], category: 'US_STOCK', sub_types: ['QUOTE', 'SNAPSHOT', 'TICK'] }

describe.skipIf(need.skip)(`paho${need.note}`, REAL_SERVERS, () => {
  test.each(['mqttUrl', 'mqttWebSocketUrl'] as const)(
    'over %s: connects, receives the subscribed messages, acknowledges them, and frees its slot',
    async (url) => {
      const { simulator, market } = await start({ quotes: { slotLingerMs: 60_000 } })
      const client = paho(simulator, market[url])
      expect(await client.next('connect')).toMatchObject({ code: 0 })
      await call(simulator, 'subscribe', ASK)
      expect(market.step()).toBe(3)
      const topics = [
        await client.next('message'),
        await client.next('message'),
        await client.next('message'),
      ]
      expect(topics.map(({ topic }) => topic)).toEqual(['quote', 'snapshot', 'tick'])
      market.push({ topic: 'x', payload: Uint8Array.of(1, 2), qos: 1 })
      expect(await client.next('message')).toMatchObject({ topic: 'x', qos: 1, payload: '0102' })
      await call(simulator, 'unsubscribe', { unsubscribe_all: true })
      expect(market.step()).toBe(0)
      client.end()
      expect(await client.next('disconnect')).toMatchObject({ code: 0 })
      await expect.poll(() => market.usedConnections()).toBe(0)
    },
  )

  test('connects over TLS', async () => {
    const tls = createSelfSignedCertificate()
    const folder = mkdtempSync(join(tmpdir(), 'brokerwire-paho-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const ca = join(folder, 'ca.pem')
    writeFileSync(ca, tls.cert)
    const { simulator, market } = await start({ tls })
    const client = paho(simulator, market.mqttUrl, { ca })
    expect(await client.next('connect')).toMatchObject({ code: 0 })
  })

  test('reconnects after a drop with the same session id and no subscriptions', async () => {
    const { simulator, market } = await start()
    const client = paho(simulator, market.mqttUrl)
    await client.next('connect')
    await call(simulator, 'subscribe', ASK)
    market.drop()
    await client.next('disconnect')
    expect(await client.next('connect')).toMatchObject({ code: 0 })
    expect(market.sessions()).toMatchObject([{ id: 'a'.repeat(32), symbols: [] }])
  })

  test.each([5, 100, 105])('receives CONNACK %i, also beyond the standard', async (code) => {
    const { simulator, market } = await start()
    market.nextConnect({ kind: 'connack', code })
    expect(await paho(simulator, market.mqttUrl).next('connect')).toMatchObject({ code })
  })

  test('gets responses to its PINGs', async () => {
    const { simulator, market } = await start()
    const client = paho(simulator, market.mqttUrl, { keepAlive: 1 })
    await client.next('connect')
    await client.next('pong')
    expect(market.sessions()).toHaveLength(1)
  })
})
