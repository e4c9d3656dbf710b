import { expect, it } from 'vitest'
import { createRouteTable } from './route-table.ts'
import { createScenarioRoutes } from './scenario-routes.ts'

it('the route of an endless scenario replaces itself instead of reaching the limit of routes', () => {
  const table = createRouteTable()
  const add = createScenarioRoutes(table)
  const other = table.add('GET', '/other', () => ({ status: 204 }))
  for (let round = 0; round < 10_001; round += 1) {
    add({ type: 'route', method: 'GET', path: '/same', response: { status: 200, text: String(round) } })
  }
  expect(table.match('GET', '/same')?.handler({} as never)).toEqual({ status: 200, text: '10000' })
  expect(table.match('GET', '/other')?.name).toBe('GET /other')
  other.remove()
})

it('responses of such routes have a common memory limit', () => {
  const add = createScenarioRoutes(createRouteTable())
  const response = { status: 200, text: 'x'.repeat(1_000_000) }
  const fill = (): void => {
    for (let index = 0; index < 100; index += 1) {
      add({ type: 'route', method: 'GET', path: `/${index}`, response })
    }
  }
  expect(fill).toThrow('response must be one that fits into the 67108864 bytes of all routes of scenarios')
})
