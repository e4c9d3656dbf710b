/** `brokerwire simulate quotes ...`: each action on a running process, observed by an MQTT client. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startSimulator } from '@brokerwire/simulator'
import { connectMqttPeer, type MqttPeer, speakMqtt } from '@brokerwire/testing/mqtt-peer'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { serviceLines } from '../render/service-lines.ts'
import { environmentOf } from '../test/environment.ts'
import { run } from '../test/run.ts'
import { startService } from '../test/service.ts'
import { simulateControl } from './simulate.ts'

const SOON = { timeout: 45_000 }

const folder = await mkdtemp(join(tmpdir(), 'brokerwire-simulate-quotes-'))
afterAll(() => rm(folder, { recursive: true, force: true }))
// Prices move only on request, and the slot of a lost connection stays used during the test.
const config = join(folder, 'config.json')
await writeFile(
  config,
  JSON.stringify({ tokenCheckEnabled: false, quotes: { maxConnections: 4, slotLingerMs: 3_600_000 } }),
)
const service = await startService('--config', config, '--scenario', 'none', '--rate-limit', 'off')
const { BROKERWIRE_MQTT_URL: mqttUrl = '', BROKERWIRE_APP_KEY: appKey = '' } = service.env

const connectAs = (session: string): Promise<MqttPeer> => connectMqttPeer(mqttUrl, { appKey, session })

const tried = new Set<string>()
/** Runs the command and removes its output from the list. */
async function act(action: string, ...options: readonly string[]): Promise<unknown> {
  tried.add(action)
  const { status, out, err } = await service.run(['simulate', 'quotes', action, ...options])
  expect({ status, err }).toEqual({ status: 0, err: [] })
  return JSON.parse(out.join(''))
}

/** Subscribes to the trades of a symbol. @returns The error of the command line. */
async function subscribe(session: string): Promise<string> {
  const body = { session_id: session, symbols: ['AAPL'], category: 'US_STOCK', sub_types: ['TICK'] }
  const path = '/market-data/streaming/subscribe'
  const { err } = await service.run(['request', 'POST', path, '--no-token', '--body', JSON.stringify(body)])
  return err.join('\n')
}

async function messagesAreSentAndWithheld(): Promise<void> {
  const [one, other] = [await connectAs('one'), await connectAs('other')]
  expect(await act('step', '--count', '3')).toEqual({ reached: 0 })
  expect(await subscribe('one')).toBe('')
  expect(await act('step', '--count', '3')).toEqual({ reached: 3 })
  await expect.poll(one.topics, SOON).toEqual(['tick', 'tick', 'tick'])
  expect(await act('echo', '--session', 'other')).toEqual({ reached: 1 })
  expect(await act('notice')).toEqual({ reached: 2 })
  await expect.poll(other.topics, SOON).toEqual(['echo', 'notice'])
  await expect.poll(one.topics, SOON).toEqual(['tick', 'tick', 'tick', 'notice'])
  expect(await act('echo', '--session', 'nobody')).toEqual({ reached: 0 })

  expect(await act('silence-messages')).toEqual({ reached: 2 })
  expect(await act('step')).toEqual({ reached: 0 })
  await one.ping()
  expect(await act('resume', '--session', 'one')).toEqual({ reached: 1 })
  expect(await act('echo')).toEqual({ reached: 2 })
  await expect.poll(() => one.topics().at(-1), SOON).toBe('echo')
  expect(await act('silence-all', '--session', 'one')).toEqual({ reached: 1 })
  expect(await one.pingAndLeave()).toBe(false)
  expect(await other.pingAndLeave()).toBe(true)
  expect(other.topics()).toEqual(['echo', 'notice'])
}

async function connectionsAreStruck(): Promise<void> {
  expect(await act('reject-connect', '--code', '104', '--count', '2')).toEqual({ reached: 0 })
  expect([(await connectAs('next')).code(), (await connectAs('next')).code()]).toEqual([104, 104])
  await act('drop-connect')
  const dropped = await connectAs('next')
  expect({ code: dropped.code(), end: dropped.end() }).toEqual({ code: undefined, end: 'closed' })
  await act('ignore-connect')
  const ignored = speakMqtt(mqttUrl, { appKey, session: 'next' })
  // Only one CONNECT is sent per connection, because a second one would close it.
  ignored.connect()
  expect(await ignored.pingAndLeave()).toBe(true)
  expect(ignored.code()).toBe(0)
  await act('reject-connect', '--count', '9')
  expect((await connectAs('next')).code()).toBe(105)
  expect(await act('clear-faults')).toEqual({ reached: 0 })
  const next = await connectAs('next')
  expect({ code: next.code(), pingAndLeave: await next.pingAndLeave() }).toEqual({
    code: 0,
    pingAndLeave: true,
  })
}

async function sessionsAreEnded(): Promise<void> {
  const first = await connectAs('first')
  expect(await act('forget-sessions')).toEqual({ reached: 1 })
  expect(await subscribe('first')).toContain('INVALID_SESSION')
  await first.ping()
  expect(await act('end')).toEqual({ reached: 1 })
  await expect.poll(first.end, SOON).toBe('closed')
  const second = await connectAs('second')
  expect(await act('invalid-close', '--session', 'second')).toEqual({ reached: 1 })
  await expect.poll(second.end, SOON).toBe('closed')
  const broken = [await connectAs('a'), await connectAs('b'), await connectAs('c')]
  expect(await act('drop')).toEqual({ reached: 3 })
  for (const { end } of broken) await expect.poll(end, SOON).toBe('closed')
  // The slots of the lost connections and of the second connection are still used. The slot of the first one
  // is free.
  expect((await connectAs('late')).code()).toBe(105)
}

test('each documented action has its documented effect', async () => {
  await messagesAreSentAndWithheld()
  await connectionsAreStruck()
  await sessionsAreEnded()
  const [action] = simulateControl.find(({ name }) => name === 'simulate quotes')?.args ?? []
  expect([...tried].sort()).toEqual([...(action?.choices ?? [])].sort())
}, 180_000)

test('impossible actions are usage errors with the name of the argument', async () => {
  const wrong = async (...args: readonly string[]) => {
    const { status, out, err } = await service.run(['simulate', 'quotes', ...args])
    return [status, out, err.join('\n')]
  }
  expect(await wrong('stop')).toEqual([2, [], expect.stringContaining('must be "step" or "echo"')])
  expect(await wrong('step', '--count', '0')).toEqual([2, [], expect.stringContaining('--count')])
  expect(await wrong('reject-connect', '--code', '256')).toEqual([2, [], expect.stringContaining('--code')])
  const simulator = await startSimulator({ control: true })
  onTestFinished(() => simulator.close())
  const env = environmentOf(serviceLines(simulator))
  const { status, err } = await run(['simulate', 'quotes', 'drop'], { env })
  expect({ status, err: err.join('\n') }).toEqual({
    status: 2,
    err: expect.stringContaining('used with the option quotes'),
  })
})
