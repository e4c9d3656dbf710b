import { readFile, writeFile } from 'node:fs/promises'
import { createVirtualClock } from '@brokerwire/core/testing'
import { sendSigned, usableToken } from '@brokerwire/testing/signed-client'
import { describe, expect, it } from 'vitest'
import {
  readScenarioFile,
  type ScenarioFile,
  type Simulator,
  scenarioSchema,
  startSimulator,
} from './index.ts'

async function play(sim: Simulator, file: ScenarioFile): Promise<void> {
  const run = sim.startScenario(readScenarioFile(JSON.stringify(file)))
  await sim.advance(60_000)
  expect(await run.done).toEqual({ ok: true })
}

describe('a scenario file', () => {
  it('with a byte order mark is read', () => {
    const text = '{\n"steps": [{ "type": "drop" }]\n}'
    expect(readScenarioFile(`\uFEFF${text.replaceAll('\n', '\r\n')}`)).toEqual(readScenarioFile(text))
  })

  it('executes steps with orders, settlements, modules, tokens, faults, time, routes and lost connections', async () => {
    const apps = [{ environment: 'sandbox' as const }, { name: 'hk', region: 'hk' as const }]
    await using sim = await startSimulator({ clock: createVirtualClock(), apps })
    const token = await usableToken(sim)
    const before = sim.clock.now()
    await play(sim, {
      repeat: 2,
      steps: [
        { type: 'order', order: 'a', scene: 'PLACED', symbol: 'AAPL', side: 'BUY', quantity: 100 },
        { afterMs: 10, type: 'order', order: 'a', scene: 'FILLED', stepQuantity: 40 },
        { afterMs: 10, type: 'order', order: 'a', scene: 'FINAL_FILLED', payload: { note: 'mine' } },
        { type: 'position' },
        { type: 'module', module: 'journal', app: 'hk' },
        { type: 'module', eventType: 'OWN', payload: { a: 1 } },
        { type: 'frame', payload: 'no JSON', eventType: 4711 },
        { type: 'time', advanceMs: 5000 },
        { type: 'drop' },
        {
          type: 'route',
          method: 'GET',
          path: '/openapi/hours',
          response: { status: 200, json: { open: true } },
        },
        { type: 'fault', http: { kind: 'respond', status: 503 }, path: '/openapi/hours' },
      ],
    })
    expect(sim.clock.now() - before).toBeGreaterThanOrEqual(60_000)
    const orders = sim.tradeEvents().filter(({ kind }) => kind === 'order')
    const read = orders
      .filter(({ eventType }) => eventType === 1024)
      .map(({ payload }) => JSON.parse(payload))
    expect(read.map((item) => [item.scene_type, item.symbol, item.filled_qty, item.note])).toEqual(
      [1, 2].flatMap(() => [
        [undefined, 'AAPL', '0E-10', undefined],
        ['FILLED', 'AAPL', '40.0', undefined],
        ['FINAL_FILLED', 'AAPL', '100.0', 'mine'],
      ]),
    )
    expect(new Set(read.map((item) => item.order_id)).size).toBe(2)
    expect(orders.filter(({ eventType }) => eventType === 4711).map(({ payload }) => payload)).toEqual([
      'no JSON',
      'no JSON',
    ])
    expect(sim.moduleEvents().map(({ eventType }) => eventType)).toEqual(['OWN', 'OWN'])
    expect(sim.app('hk').moduleEvents()).toHaveLength(2)
    const ask = async () => {
      const headers = { 'x-access-token': token }
      return (await sendSigned(sim, { method: 'GET', path: '/openapi/hours', headers })).status
    }
    expect([await ask(), await ask(), await ask()]).toEqual([503, 503, 200])
  })

  it('approves and ends tokens', async () => {
    await using sim = await startSimulator({ clock: createVirtualClock() })
    const { json } = await sendSigned(sim, { path: '/auth/tokens/create', json: {} })
    const check = async () =>
      (await sendSigned(sim, { path: '/auth/tokens/check', json: { token: json.token } })).json.status
    await play(sim, { steps: [{ type: 'token', action: 'approve' }] })
    expect(await check()).toBe('NORMAL')
    await play(sim, { steps: [{ type: 'token', action: 'expire' }] })
    expect(await check()).toBe('EXPIRED')
  })

  it.each([
    [
      '{\n "steps": [\n  {"type": "order", "order": "a",\n   "scene": "FILED"}\n]}',
      4,
      'steps[0].scene',
      'received "FILED"',
    ],
    ['{\n "steps": [\n  {"type": "orders"}\n]}', 3, 'steps[0].type', 'received "orders"'],
    [
      '{"steps": [\n{"type": "drop"},\n{"type": "drop", "afterMS": 1}]}',
      3,
      'steps[1].afterMS',
      'Did you mean "afterMs"?',
    ],
    ['{"steps": [{"type": "time"}]}', 1, 'steps[0].advanceMs', 'received undefined'],
    [
      '{"steps": [\n{"type": "order"}]}',
      2,
      'steps[0].order',
      'missing options: steps[0].order, steps[0].scene',
    ],
    [
      '{"steps": [\n{"type": "token"}]}',
      2,
      'steps[0].action',
      'steps[0].action must be "approve" or "invalidate" or "expire"; received undefined',
    ],
    [
      '{"steps": [\n{"type": "route", "method": "GET", "path": "/x", "response": {}}]}',
      2,
      'steps[0].response.status',
      'steps[0].response.status must be a whole number from 200 to 599; received undefined',
    ],
    [
      '{"steps": [{"type": "fault",\n"http": {"kind":\n"hangs"}}]}',
      3,
      'steps[0].http.kind',
      'received "hangs"',
    ],
    [
      '{"steps": [\n{"type": "fault", "count": 1}]}',
      2,
      'steps[0]',
      'exactly one of http, subscription, frame, clear',
    ],
    ['{"steps": [\n{"type": "module"}]}', 2, 'steps[0]', 'module or eventType'],
    ['{"steps": []}', 1, 'steps', 'an array of 1 to'],
    ['{"step": []}', 1, 'step', 'Did you mean "steps"?'],
    ['{"repeat": "forever",\n"steps": [{"type": "drop"}]}', 1, 'repeat', 'afterMs above 0'],
    ['{"steps": [\n{"type": "drop",}\n]}', 2, '', 'a name in double quotes, got "}"'],
    ['{"steps": [\n\n{"type": drop}]}', 3, '', 'a JSON value'],
    ['{"steps": []', 1, '', "',' or '}', got the end"],
    ['{"steps": [{"type": "drop"}],\n"steps": []}', 2, '', 'each name once, got "steps" again'],
    ['[]', 1, '', 'an object with steps'],
    ['', 1, '', 'a JSON value'],
  ])('is rejected with line and field if it is invalid: %j', (text, line, field, problem) => {
    const read = () => readScenarioFile(text, 'my.json')
    expect(read).toThrow(
      expect.objectContaining({
        code: 'SIMULATOR_SCENARIO_INVALID',
        details: expect.objectContaining({ file: 'my.json', line, field }),
      }),
    )
    expect(read).toThrow(problem)
    expect(read).toThrow(`my.json:${line}:`)
  })

  it('has a published schema', async () => {
    const file = new URL('../scenario.schema.json', import.meta.url)
    const expected = `${JSON.stringify(scenarioSchema(), null, 2)}\n`
    // `UPDATE_SCHEMA=1` writes the file.
    if (process.env.UPDATE_SCHEMA !== undefined) await writeFile(file, expected)
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual(JSON.parse(expected))
  })
})
