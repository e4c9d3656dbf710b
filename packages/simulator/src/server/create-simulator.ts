/** Creates the result of `startSimulator()`, a plain object whose methods can be destructured. */
import { boolean, integer } from '@brokerwire/core/internal'
import type { App } from '../apps/app.ts'
import { LOOPBACK } from '../listen.ts'
import type { Simulator } from '../simulator-api.ts'
import { argumentFailure, readArguments } from '../simulator-error.ts'
import { createWaits } from '../waiting/simulator-waits.ts'
import type { SimulatorServer } from './simulator-server.ts'

export function createSimulator(server: SimulatorServer): Simulator {
  const { core, apps: handles, scenarios } = server
  const { apps, faults, hub, lifecycle, listeners, requestLog, routes, waiters } = core
  const { clock } = core.settings
  const pendingTokens = () =>
    apps.all.flatMap(({ settings: { appKey, name }, accessTokens }) =>
      accessTokens
        .pending(clock.now())
        .map(({ token, expiresAtMs }) => ({ token, appKey, app: name, expiresAtMs })),
    )
  return {
    ...handles.first,
    get baseUrl() {
      return listeners.serviceUrls().baseUrl
    },
    get eventsUrl() {
      return listeners.serviceUrls().eventsUrl
    },
    get moduleEventsUrl() {
      return listeners.serviceUrls().moduleEventsUrl
    },
    get controlUrl() {
      const control = listeners.get('control')
      return control && `http://${LOOPBACK}:${control.port}`
    },
    controlToken: server.controlToken,
    get consoleUrl() {
      return server.console?.url
    },
    consoleToken: server.consoleToken,
    quotes: server.marketData?.controls,
    clock,
    apps: handles.all,
    app: handles.find,

    ...createWaits({ waiters, requestLog, subscriptions: hub.list, pendingTokens }),
    advance: core.advance,
    waitForIdle: () => core.settle({ isFirst: true }),

    startScenario(scenario, given) {
      lifecycle.requireOpen('startScenario')
      return scenarios.start(scenario, given)
    },
    stopScenario: scenarios.stop,

    route(method, path, handler, options) {
      lifecycle.requireOpen('route')
      return routes.add(method, path, handler, options)
    },

    ...server.streamControls,
    faults: faults.api,

    subscriptions: hub.list,
    requests: ((given = {}) => {
      const { bodies } = readArguments(given, ['bodies'])
      const isAsked = boolean(false)(bodies, 'bodies', argumentFailure)
      return isAsked ? requestLog.entriesWithBodies() : requestLog.entries()
    }) as Simulator['requests'],
    state() {
      const nowMs = clock.now()
      return {
        ...getCounts(apps.all[0], nowMs),
        now: nowMs,
        connections: hub.list().length,
        requests: requestLog.total,
        scenarioRunning: scenarios.running,
        apps: apps.all.map((app) => getCounts(app, nowMs)),
      }
    },
    async shutdown(given = {}) {
      const { timeoutMs } = readArguments(given, ['timeoutMs'])
      const bounds = { min: 0, max: 86_400_000, default: 10_000 }
      await server.shutdown(integer(bounds)(timeoutMs, 'timeoutMs', argumentFailure))
    },
    close: server.close,
    [Symbol.asyncDispose]: server.close,
  }
}

function getCounts({ settings, ...app }: App, nowMs: number): Readonly<Record<string, unknown>> {
  return {
    name: settings.name,
    environment: settings.environment,
    region: settings.region,
    appKey: settings.appKey,
    accounts: settings.accounts,
    accessTokens: app.accessTokens.counts(nowMs),
    clientTokenPairs: app.clientTokens.size,
    usedConnections: app.slots.taken(settings.appKey, nowMs),
    tradeEvents: app.tradeLog.end,
    moduleEvents: app.moduleLog.end,
  }
}
