/**
 * `brokerwire simulate approve` and similar commands: control a running simulator, found by the variables that it
 * prints.
 */
import { FRAME_FAULTS, SUBSCRIPTION_FAULTS, startSimulator } from '@brokerwire/simulator'
import { expect, onTestFinished, test } from 'vitest'
import { serviceLines } from '../render/service-lines.ts'
import { environmentOf } from '../test/environment.ts'
import { run } from '../test/run.ts'
import { temporaryStore } from '../test/service.ts'
import { temporaryFile } from '../test/temporary.ts'
import { simulateControl } from './simulate.ts'

async function service() {
  const simulator = await startSimulator({ control: true })
  onTestFinished(() => simulator.close())
  return { simulator, env: environmentOf(serviceLines(simulator)) }
}

test('the commands control a running service', async () => {
  const { simulator, env } = await service()
  const ask = async (...args: string[]) => {
    const { status, out, err } = await run(['simulate', ...args], { env })
    expect({ status, err }).toEqual({ status: 0, err: [] })
    return JSON.parse(out.join(''))
  }
  expect(await ask('approve')).toEqual({ approved: 0 })
  const event = await ask('emit', 'order', '{"scene":"FINAL_FILLED"}')
  expect(simulator.tradeEvents()).toEqual([event])
  expect(await ask('drop', '--service', 'trade')).toEqual({ dropped: 0 })
  await ask('fault', '{"http":{"kind":"respond","status":503}}')
  expect((await fetch(`${simulator.baseUrl}/openapi/config`)).status).toBe(503)
  const before = simulator.clock.now()
  expect((await ask('advance', '15d')).now - before).toBeGreaterThanOrEqual(15 * 86_400_000)
  expect(await ask('state')).toMatchObject({ tradeEvents: 1, apps: [{ name: 'app-1' }] })
})

test('approving an unknown token ends with status 1', async () => {
  const { env } = await service()
  const { status, out, err } = await run(['simulate', 'approve', 'no-such-token'], { env })
  expect({ status, out, err }).toEqual({
    status: 1,
    out: ['{"approved":0}'],
    err: [expect.stringContaining('no pending token has this value')],
  })
})

const NOTICE = '{"type":"notice","stream":"trade"}\n'

const { details = [], examples } = simulateControl.find(({ name }) => name === 'simulate fault') ?? {
  examples: [],
}

test('the page lists every fault, and each is accepted as written there', async () => {
  const { env } = await service()
  const page = details.join('\n')
  const json = [...page.matchAll(/\{"kind"[^}]*\}/g)].map(([text]) => `{"http":${text}}`)
  const names = (field: string) => (new RegExp(`${field}: ([^.]*)\\.`).exec(page)?.[1] ?? '').split(', ')
  expect([names('subscription'), names('frame')]).toEqual([[...SUBSCRIPTION_FAULTS], [...FRAME_FAULTS]])
  expect(json.length).toBe(7)
  for (const field of ['subscription', 'frame'])
    json.push(...names(field).map((name) => JSON.stringify({ [field]: name })))
  for (const text of [...json, '{"clear":true}'])
    expect([text, await run(['simulate', 'fault', text], { env })]).toEqual([
      text,
      { status: 0, out: ['{}'], err: [] },
    ])
})

test('the faults of the examples are visible, also for requests with retries', async () => {
  const env = { ...(await service()).env, BROKERWIRE_STORE: temporaryStore() }
  const seen: unknown[] = []
  for (const { line } of examples) {
    const [, json = ''] = /fault '(.*)'$/.exec(line) ?? []
    expect((await run(['simulate', 'fault', json], { env })).status).toBe(0)
    if (line.includes('subscription')) continue
    const { status, err } = await run(['request', 'GET', '/openapi/config', '--no-token'], { env })
    seen.push([status, err.join().replace(/ .*/s, '')])
  }
  expect(seen).toEqual([
    [77, 'HTTP_FORBIDDEN:'],
    [75, 'HTTP_SERVER_ERROR:'],
    [0, ''],
  ])
}, 30_000)

test.each([
  [['approve', '--app', 'unknown'], 'one of \'app-1\', or an app key; received "unknown"'],
  [['emit', 'order', '{"symbol":"APPL"}'], 'received "APPL"'],
  [['emit', 'order', '[]'], '<json> must be a JSON object'],
  [['emit', 'orders'], '<kind> must be "order" or "position" or "module" or "frame"'],
  [['fault', '{"htp":1}'], 'exactly one of http, subscription, frame, clear'],
  [['advance', 'soon'], '<duration> must be a duration such as'],
  [['drop', '--service', 'trades'], '--service must be "trade" or "module"'],
])('invalid input is rejected by name: %j', async (args, message) => {
  const { env } = await service()
  const { status, out, err } = await run(['simulate', ...args], { env })
  expect(status).toBe(2)
  expect({ out: out.join(), err: err.join() }).toEqual({ out: '', err: expect.stringContaining(message) })
})

test('reports missing variables and an unreachable service', async () => {
  const { err } = await run(['simulate', 'state'], { env: {} })
  expect(err.join()).toContain('Paste the lines that `brokerwire simulate` prints')
  const { simulator, env } = await service()
  await simulator.close()
  const gone = await run(['simulate', 'state'], { env })
  expect(gone.status).toBe(75)
  expect(gone.err.join()).toContain('no response from a simulator at http://127.0.0.1:')
})

test('a recording without an event is rejected', async () => {
  const { env } = await service()
  for (const text of ['', NOTICE]) {
    const file = await temporaryFile('empty.jsonl', text)
    const message = `CLI_INPUT_UNREADABLE: ${file} must be a recording with at least one event; received none`
    expect(await run(['replay', file], { env })).toEqual({ status: 2, out: [], err: [message] })
  }
})

test('an invalid address or token is reported with the name of its variable', async () => {
  const { env } = await service()
  for (const args of [
    ['simulate', 'state'],
    ['simulate', 'advance', '1s'],
    ['replay', 'package.json'],
  ]) {
    for (const url of ['http://evil.example', 'nonsense', 'https://127.0.0.1:1', 'http://127.0.0.1/a']) {
      if (args[0] === 'replay') args[1] = await temporaryFile('empty.jsonl', NOTICE)
      const { status, out, err } = await run(args, { env: { ...env, BROKERWIRE_CONTROL_URL: url } })
      const message = /^CLI_OPTION_INVALID: BROKERWIRE_CONTROL_URL must be an origin on this machine such/
      expect({ status, out, err }).toEqual({ status: 2, out: [], err: [expect.stringMatching(message)] })
    }
  }
  const missing = await run(['simulate', 'state'], { env: { ...env, BROKERWIRE_CONTROL_TOKEN: '' } })
  expect({ status: missing.status, err: missing.err.join() }).toEqual({
    status: 2,
    err: expect.stringContaining('BROKERWIRE_CONTROL_TOKEN'),
  })
})

test('a call with invalid arguments has status 2', async () => {
  const { env } = await service()
  for (const args of [
    ['fault', '{"frame":"nope"}'],
    ['emit', 'order', '{"scene":"nope"}'],
  ])
    expect((await run(['simulate', ...args], { env })).status).toBe(2)
})

test('after an advance of 15 days commands need --max-clock-offset, as the page states', async () => {
  const simulator = await startSimulator({ control: true, secondFactor: 'automatic' })
  onTestFinished(() => simulator.close())
  const env = { ...environmentOf(serviceLines(simulator)), BROKERWIRE_STORE: temporaryStore() }
  const ask = async (...args: string[]) => {
    const { status, out, err } = await run(args, { env })
    return [status, [...out, ...err].join('\n')]
  }
  await ask('token', 'create', '--wait', '--poll-interval', '10ms')
  await ask('simulate', 'advance', '15d', '--scenario-steps', '0')
  expect(await ask('token', 'create', '--wait')).toEqual([0, expect.stringContaining('usable until')])
  const request = ['request', 'GET', '/openapi/config', '--no-token']
  expect(await ask(...request)).toEqual([
    1,
    expect.stringMatching(/^HTTP_CLOCK_IMPLAUSIBLE: .*--max-clock-offset 1\dd/),
  ])
  const listen = ['listen', 'trade', '--timeout', '10s']
  expect(await ask(...listen)).toEqual([77, expect.stringContaining('STREAM_AUTH_REJECTED')])
  const offset = ['--max-clock-offset', '16d']
  expect((await ask(...request, ...offset))[0]).toBe(0)
  expect(await ask('token', 'check', ...offset)).toEqual([77, expect.stringContaining('token: ended')])
}, 60_000)
