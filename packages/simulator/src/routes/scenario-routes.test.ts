import { expect, it } from 'vitest'
import { createRouteTable } from './route-table.ts'
import { createScenarioRoutes } from './scenario-routes.ts'

it('a route of a scenario that goes on for ever stands in its own place, whose number was bounded', () => {
  const table = createRouteTable()
  const add = createScenarioRoutes(table)
  const other = table.add('GET', '/other', () => ({ status: 204 }))
  for (let round = 0; round < 10_001; round += 1) {
    add({ type: 'route', method: 'GET', path: '/same', answer: { status: 200, text: String(round) } })
  }
  expect(table.match('GET', '/same')?.handler({} as never)).toEqual({ status: 200, text: '10000' })
  expect(table.match('GET', '/other')?.name).toBe('GET /other')
  other.remove()
})

it('answers of such routes are held under one bound', () => {
  const add = createScenarioRoutes(createRouteTable())
  const answer = { status: 200, text: 'x'.repeat(1_000_000) }
  const fill = (): void => {
    for (let index = 0; index < 100; index += 1) {
      add({ type: 'route', method: 'GET', path: `/${index}`, answer })
    }
  }
  expect(fill).toThrow('answer must be one that fits into the 67108864 bytes of all routes of scenarios')
})
