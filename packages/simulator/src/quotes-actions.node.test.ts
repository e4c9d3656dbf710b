/** Actions on market data from scenarios, other processes and the console. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { sendSigned } from '@brokerwire/testing/signed-client'
import { parser as createParser, generate, type Packet } from 'mqtt-packet'
import { expect, onTestFinished, test } from 'vitest'
import { describeQuotes } from './console/console-quotes.ts'
import { connectControl, type Simulator, type SimulatorOptions, startSimulator } from './index.ts'
import { QUOTES_ACTIONS } from './quotes/quotes-actions.ts'

async function start(options: SimulatorOptions = {}) {
  const simulator = await startSimulator({
    environment: 'sandbox',
    tokenCheckEnabled: false,
    control: true,
    quotes: true,
    ...options,
  })
  onTestFinished(() => simulator.close())
  const control = connectControl({ url: String(simulator.controlUrl), token: simulator.controlToken })
  return { simulator, control }
}

/**
 * Connects.
 *
 * @returns The return code, or that the connection closed.
 */
async function connectMqtt(simulator: Simulator, clientId: string) {
  const { port } = new URL(String(simulator.quotes?.mqttUrl).replace('mqtt:', 'http:'))
  const socket = connect(Number(port), '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => undefined)
  const packets: Packet[] = []
  const parser = createParser({ protocolVersion: 4 })
  parser.on('packet', (packet: Packet) => packets.push(packet))
  const isClosed = once(socket, 'close').then(() => 'closed')
  const connack = new Promise<unknown>((resolve) => {
    socket.on('data', (bytes) => {
      parser.parse(bytes)
      const [first] = packets
      if (first?.cmd === 'connack') resolve(first.returnCode)
    })
  })
  const username = simulator.credentials.appKey
  const login = { clientId, username, password: Buffer.from('x'), keepalive: 60, clean: true } as const
  socket.write(generate({ cmd: 'connect', protocolId: 'MQTT', protocolVersion: 4, ...login }))
  return { outcome: await Promise.race([connack, isClosed]), isClosed, packets }
}

const subscribe = (simulator: Simulator, session: string) =>
  sendSigned(simulator, {
    method: 'POST',
    path: '/market-data/streaming/subscribe',
    json: { session_id: session, symbols: ['AAPL'], category: 'US_STOCK', sub_types: ['SNAPSHOT'] },
  })

test('another process can move prices, and silence, forget and drop all sessions or one', async () => {
  const { simulator, control } = await start()
  const one = await connectMqtt(simulator, 's1')
  const other = await connectMqtt(simulator, 's2')
  expect([one.outcome, other.outcome]).toEqual([0, 0])
  expect((await subscribe(simulator, 's1')).status).toBe(200)
  expect(await control.quotes({ action: 'step', count: 3 })).toBe(3)
  await expect.poll(() => one.packets.filter(({ cmd }) => cmd === 'publish').length).toBe(3)
  expect(await control.quotes({ action: 'silence-messages', session: 's1' })).toBe(1)
  expect(await control.quotes({ action: 'step' })).toBe(0)
  expect(await control.quotes({ action: 'resume' })).toBe(2)
  expect(await control.quotes({ action: 'echo' })).toBe(2)
  expect(await control.quotes({ action: 'forget-sessions', session: 's2' })).toBe(1)
  expect((await subscribe(simulator, 's2')).status).not.toBe(200)
  expect(await control.quotes({ action: 'drop', session: 's2' })).toBe(1)
  await other.isClosed
  expect(await control.quotes({ action: 'end' })).toBe(1)
  await one.isClosed
})

test('the next connections are rejected with a code, later ones are accepted', async () => {
  const { simulator, control } = await start()
  expect(await control.quotes({ action: 'reject-connect', code: 103, count: 2 })).toBe(0)
  expect((await connectMqtt(simulator, 'a')).outcome).toBe(103)
  expect(await control.quotes({ action: 'clear-faults' })).toBe(0)
  expect((await connectMqtt(simulator, 'b')).outcome).toBe(0)
  await control.quotes({ action: 'reject-connect' })
  expect((await connectMqtt(simulator, 'c')).outcome).toBe(105)
  await control.quotes({ action: 'drop-connect' })
  expect((await connectMqtt(simulator, 'd')).outcome).toBe('closed')
})

test('a scenario can do the same in steps', async () => {
  const { simulator, control } = await start()
  const client = await connectMqtt(simulator, 's1')
  await control.startScenario({
    steps: [
      { type: 'quotes', action: 'reject-connect', code: 101 },
      { type: 'quotes', action: 'drop', afterMs: 1 },
    ],
  })
  await client.isClosed
  expect((await connectMqtt(simulator, 's2')).outcome).toBe(101)
})

test('every action is executed, and errors name the invalid argument', async () => {
  const { simulator, control } = await start()
  for (const action of QUOTES_ACTIONS) expect(await control.quotes({ action })).toBe(0)
  await expect(control.quotes({ action: 'fly' as never })).rejects.toThrow('received "fly"')
  await expect(control.quotes({ action: 'step', count: 0 })).rejects.toThrow('count must be')
  await expect(control.quotes({ action: 'reject-connect', code: 256 })).rejects.toThrow('code must be')
  await expect(control.quotes({ action: 'step', sesion: 'a' } as never)).rejects.toThrow('"session"')
  const without = await start({ quotes: false })
  await expect(without.control.quotes({ action: 'step' })).rejects.toThrow('the option quotes')
  expect(simulator.quotes?.sessions()).toEqual([])
})

test('the console shows a bounded number of sessions, with their subscriptions', async () => {
  const { simulator } = await start()
  await connectMqtt(simulator, 'x'.repeat(500))
  await connectMqtt(simulator, 's1')
  await subscribe(simulator, 's1')
  const controls = simulator.quotes
  if (controls === undefined) throw new Error('no market data')
  const apps = { of: () => ({ settings: { name: 'app-1' } }) } as never
  const { sessions, ...rest } = describeQuotes({ controls, settings: { maxConnections: 5 } }, apps)
  expect(rest).toMatchObject({ usedConnections: 2, maxConnections: 5, sessionCount: 2 })
  expect(sessions.map(({ id }) => id.length)).toEqual([100, 2])
  expect(sessions[1]).toEqual({
    id: 's1',
    app: 'app-1',
    transport: 'tcp',
    silence: 'none',
    symbols: [{ category: 'US_STOCK', symbol: 'AAPL', types: ['SNAPSHOT'] }],
    symbolCount: 1,
    dropped: 0,
  })
})
