/**
 * Adds the routes of scenarios, which have a response as data instead of a handler. A route replaces the
 * earlier route of a scenario with the same method and path, so that an endless scenario does not add routes
 * without end. The total size of the responses is bounded.
 */
import { textBytes } from '../bounded-list.ts'
import type { ScenarioStep } from '../scenario/scenario.ts'
import { argumentFailure } from '../simulator-error.ts'
import { jsonText } from '../wire/json-text.ts'
import type { Route, RouteTable } from './route-table.ts'

type RouteStep = Extract<ScenarioStep, { readonly type: 'route' }>

const MAX_BYTES = 64 * 1024 * 1024

/**
 * @returns A function that adds the route of a step. It throws SimulatorError `SIMULATOR_ARGUMENT_INVALID`.
 */
export function createScenarioRoutes(table: RouteTable): (step: RouteStep) => void {
  const routes = new Map<string, { readonly route: Route; readonly bytes: number }>()
  let totalBytes = 0
  return ({ method, path, response, token }) => {
    const key = `${method} ${path}`
    const before = routes.get(key)
    const bytes = textBytes(jsonText('response', response)) + textBytes(key)
    const all = totalBytes + bytes - (before?.bytes ?? 0)
    if (all > MAX_BYTES) {
      throw argumentFailure(
        'response',
        `one that fits into the ${MAX_BYTES} bytes of all routes of scenarios`,
        'more',
      )
    }
    before?.route.remove()
    routes.set(key, { route: table.add(method, path, () => response, { token }), bytes })
    totalBytes = all
  }
}
