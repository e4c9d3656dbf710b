import { expect, test } from 'vitest'
import { startSimulator } from '../simulator.ts'
import { jsonText } from './json-text.ts'

const cycle: Record<string, unknown> = {}
cycle.self = cycle
const deep: unknown = JSON.parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`)
const rejection = (argument: string) => ({
  code: 'SIMULATOR_ARGUMENT_INVALID',
  details: expect.objectContaining({ argument }),
})

test.each<[string, unknown]>([
  ['a cycle', cycle],
  ['a bigint', 1n],
  ['50,000 levels', deep],
  ['a function', () => 1],
])('%s is rejected with the name of its argument', (_, value) => {
  expect(() => jsonText('fields', value)).toThrow(expect.objectContaining(rejection('fields')))
})

test('other values are serialized', () => {
  expect(jsonText('fields', { a: [1, 'x'] })).toBe('{"a":[1,"x"]}')
})

test('a scenario step with such a response ends the scenario with that error', async () => {
  await using sim = await startSimulator()
  const response = { status: 200, json: deep }
  const { done } = sim.startScenario([{ type: 'route', method: 'GET', path: '/x', response }])
  await sim.advance(1)
  expect(await done).toMatchObject({ ok: false, error: rejection('response') })
})
