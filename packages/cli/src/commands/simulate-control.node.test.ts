/** `brokerwire simulate approve` and the like: a running service, found by what it prints. */
import { startSimulator } from '@brokerwire/simulator'
import { expect, onTestFinished, test } from 'vitest'
import { serviceLines } from '../render/service-lines.ts'
import { environmentOf } from '../test/environment.ts'
import { run } from '../test/run.ts'

async function service() {
  const simulator = await startSimulator({ control: true })
  onTestFinished(() => simulator.close())
  return { simulator, env: environmentOf(serviceLines(simulator)) }
}

test('a running service is steered', async () => {
  const { simulator, env } = await service()
  const ask = async (...args: string[]) => {
    const { status, out, err } = await run(['simulate', ...args], { env })
    expect([status, err]).toEqual([0, []])
    return JSON.parse(out.join(''))
  }
  expect(await ask('approve')).toEqual({ approved: 0 })
  const event = await ask('emit', 'order', '{"scene":"FINAL_FILLED"}')
  expect(simulator.tradeEvents()).toEqual([event])
  expect(await ask('drop', '--service', 'trade')).toEqual({ dropped: 0 })
  await ask('fault', '{"http":{"kind":"answer","status":503}}')
  expect((await fetch(`${simulator.httpUrl}/openapi/config`)).status).toBe(503)
  const before = simulator.clock.now()
  expect((await ask('advance', '15d')).now - before).toBeGreaterThanOrEqual(15 * 86_400_000)
  expect(await ask('state')).toMatchObject({ tradeEvents: 1, apps: [{ name: 'app-1' }] })
})

test.each([
  [['approve', '--app', 'nobody'], "one of 'app-1', or an app key, got 'nobody'"],
  [['emit', 'order', '{"symbol":"APPL"}'], "got 'APPL'"],
  [['emit', 'order', '[]'], 'json: expected a JSON object'],
  [['emit', 'orders'], 'Allowed choices are order, position, module, frame'],
  [['fault', '{"htp":1}'], 'exactly one of http, subscription, frame, clear'],
  [['advance', 'soon'], 'duration: expected one such as 90s'],
  [['drop', '--service', 'trades'], 'Allowed choices are trade, module'],
])('refuses by name: %j', async (args, message) => {
  const { env } = await service()
  const { status, out, err } = await run(['simulate', ...args], { env })
  expect(status).not.toBe(0)
  expect([out.join(), err.join()]).toEqual(['', expect.stringContaining(message)])
})

test('says what is missing where no service is known, and where none answers', async () => {
  const { err } = await run(['simulate', 'state'], { env: {} })
  expect(err.join()).toContain('BROKERWIRE_CONTROL_URL: expected the lines that `brokerwire simulate` prints')
  const { simulator, env } = await service()
  await simulator.close()
  const gone = await run(['simulate', 'state'], { env })
  expect(gone.err.join()).toContain('no simulator answers at http://127.0.0.1:')
})
