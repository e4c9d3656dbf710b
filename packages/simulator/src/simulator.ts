/** Composes the parts: state, HTTP, streams, scenarios. The only file that knows all of them. */

import { randomBytes } from 'node:crypto'
import { createServer as createWebServer } from 'node:http'
import { createServer as createSecureWebServer } from 'node:https'
import { createServer as createTcpServer } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { Secret } from '@brokerwire/core'
import { boolean, integer, isRecord, received, receivedName } from '@brokerwire/core/internal'
import { type App, createApp, createApps } from './apps/app.ts'
import { createSimulatedApp, type SimulatedApp } from './apps/simulated-app.ts'
import { keepConsolePlace, lastConsolePlaces } from './console/console-file.ts'
import type { RunningConsole } from './console/start-console.ts'
import { carryOutCall } from './control/control-calls.ts'
import { createControlServer } from './control/control-server.ts'
import { addFault, createFaultControls } from './fault-controls.ts'
import { createGrpcServer, type GrpcServer } from './grpc/server.ts'
import { createStreamHub } from './grpc/stream-hub.ts'
import type { StreamService } from './grpc/subscription-fault.ts'
import { createHttpApp } from './http/app.ts'
import { createHttpServer } from './http/server.ts'
import { type Listener, LOOPBACK, listen, urlHost } from './listen.ts'
import type { AppSettings, SimulatorOptions, SimulatorSettings } from './options.ts'
import { carryOutQuotesAction } from './quotes/quotes-actions.ts'
import { readScenario, readSimulatorOptions, readStatePath } from './read-options.ts'
import { createBodyReceiver } from './receive-body.ts'
import { createRequestLog } from './request-log.ts'
import { createRouteTable } from './routes/route-table.ts'
import { createScenarioRoutes } from './routes/scenario-routes.ts'
import { createScenarioPace, type ScenarioProgress } from './scenario/pace.ts'
import { runScenario, type ScenarioRun } from './scenario/runner.ts'
import { namedScenario } from './scenario/scenario.ts'
import { createSignatureCheck } from './signature-check.ts'
import type { Simulator } from './simulator-api.ts'
import { argumentFailure, optionFailure, readArguments, SimulatorError } from './simulator-error.ts'
import { openState, type SimulatorState } from './state/simulator-state.ts'
import { createStreamControls } from './stream-controls.ts'
import { createClockMoves } from './time/clock-moves.ts'
import { watchLocalClients } from './time/local-clients.ts'
import { createSettle } from './time/settle.ts'
import { requireMs } from './time/steering.ts'
import { createUsedNonces } from './used-nonces.ts'
import { createWaits } from './waiting/simulator-waits.ts'
import { createWaiters } from './waiting/waiters.ts'
import { createWireRandom, deriveSeed } from './wire/random.ts'

/**
 * Starts a local simulator of the service.
 *
 * @throws {@link SimulatorError} `SIMULATOR_OPTION_INVALID`, `SIMULATOR_LISTEN_FAILED`, `SIMULATOR_STATE_FAILED`,
 * `SIMULATOR_STATE_INVALID`
 *
 * @example
 * ```ts
 * import { startSimulator } from '@brokerwire/simulator'
 *
 * const simulator = await startSimulator({ environment: 'sandbox' })
 * console.log(simulator.httpUrl)
 * await simulator.close()
 * ```
 */
export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  if (!isRecord(options)) throw optionFailure('options', 'an object', received(options))
  const state = openState(readStatePath(options))
  try {
    return await startWith(readSimulatorOptions(options, state), state)
  } catch (error) {
    state.close()
    throw error
  }
}

async function startWith(settings: SimulatorSettings, state: SimulatorState): Promise<Simulator> {
  const { clock, seed, tls } = settings
  const requestIds = createWireRandom(deriveSeed(seed, 2))
  const nextRequestId = (): string => requestIds.uuid()

  const create = (app: AppSettings): App =>
    createApp(app, {
      ...settings,
      state,
      onAppend: (key) => hub.wake(key),
      onTokenChange: () => waiters.changed(),
    })
  const waiters = createWaiters()
  const [firstSettings, ...otherSettings] = settings.apps
  const apps = createApps([create(firstSettings), ...otherSettings.map(create)])
  const receiveBody = createBodyReceiver(settings)
  const requestLog = createRequestLog(waiters.changed)
  const routes = createRouteTable(settings.quotes !== undefined)
  const addRoute = createScenarioRoutes(routes)
  const signatures = createSignatureCheck({
    ...settings,
    diagnoses: settings.console,
    secretFor: (key) => apps.find(key)?.settings.appSecret,
    nonces: state.journaledNonces(createUsedNonces(), (key) => apps.of(key).settings.name, clock.now()),
  })
  const faults = createFaultControls()

  const localClients = watchLocalClients()
  const hub = createStreamHub({
    ...settings,
    movingUntilMs: () => moves.untilMs,
    isHere: localClients.isHere,
    random: createWireRandom(deriveSeed(seed, 3)),
    slotsOf: (key) => apps.of(key).slots,
    oneTradeSubscription: (key) => apps.of(key).settings.oneTradeSubscription,
    onChange: waiters.changed,
    subscriptionFaults: faults.subscriptions,
    frameFaults: faults.frames,
  })
  // Who does without pays nothing for it.
  const quotes =
    settings.quotes &&
    (await import('./quotes/quotes-service.ts')).createQuotesService({
      settings: settings.quotes,
      clock,
      random: createWireRandom(deriveSeed(seed, 4)),
      isKnown: (key) => apps.find(key) !== undefined,
      isServing: () => !isDraining && !isClosed,
      urls: () => ({ mqttUrl: mqttUrl('mqtt'), mqttWebSocketUrl: `${mqttUrl('mqttWebSocket')}/mqtt` }),
      firstAppKey: firstSettings.appKey,
      onChange: waiters.changed,
    })
  const app = createHttpApp({
    ...settings,
    quotes,
    signatures,
    apps,
    receiveBody,
    routes,
    isServing: () => !isDraining,
    requestLog,
    nextRequestId,
  })
  const grpcContext = {
    ...settings,
    hub,
    apps,
    signatures,
    receiveBody,
    requestLog,
    nextRequestId,
  }
  const isShared = settings.moduleEventsPort === 'shared'
  const grpcServers = new Map<StreamService, GrpcServer>([
    ['trade', createGrpcServer(grpcContext, isShared ? ['trade', 'module'] : ['trade'])],
  ])
  if (!isShared) grpcServers.set('module', createGrpcServer(grpcContext, ['module']))

  let isClosed = false
  let isDraining = false
  let isStateClosed = false
  let run: ScenarioRun | undefined
  const pace = createScenarioPace(clock)
  const open = (method: string): void => {
    if (!isClosed) return
    throw new SimulatorError('SIMULATOR_CLOSED', `${method}: the simulator is closed`, {
      details: { method },
    })
  }
  const listeners = new Map<'http' | 'control' | 'mqtt' | 'mqttWebSocket' | StreamService, Listener>()
  const controlToken = new Secret(randomBytes(24).toString('base64url'))
  const lastConsole = settings.console ? lastConsolePlaces(state.console, settings.consoleFile) : undefined
  const consoleToken = new Secret(lastConsole?.token ?? randomBytes(24).toString('base64url'))
  let console: RunningConsole | undefined
  const close = async (): Promise<void> => {
    isClosed = true
    run?.stop()
    waiters.close()
    localClients.close()
    quotes?.close()
    for (const grpc of grpcServers.values()) grpc.destroySessions()
    await console?.close()
    await Promise.all([...listeners.values()].map((listener) => listener.close()))
    if (!isStateClosed) state.close()
    isStateClosed = true
  }

  const settle = createSettle({
    clients: localClients,
    sockets: () => [...listeners.values()].flatMap(({ sockets }) => [...sockets]),
    held: hub.held,
  })
  const moves = createClockMoves({
    clock,
    settle,
    watch: localClients.watch,
    onStep() {
      if ('offsetMs' in clock) state.write({ kind: 'clock', offsetMs: Number(clock.offsetMs) })
    },
  })
  const waits = createWaits({
    waiters,
    requestLog,
    subscriptions: hub.list,
    pendingTokens: () =>
      apps.all.flatMap(({ settings: { appKey, name }, accessTokens }) =>
        accessTokens
          .pending(clock.now())
          .map(({ token, expiresAtMs }) => ({ token, appKey, app: name, expiresAtMs })),
      ),
  })

  const streamControls = createStreamControls({ hub, grpcServers, listeners })

  const handles = apps.all.map((item) =>
    createSimulatedApp(item, {
      clock,
      placedEvents: settings.placedEvents,
      urls: () => ({
        httpUrl: url('http'),
        eventsUrl: url('trade'),
        moduleEventsUrl: url(isShared ? 'trade' : 'module'),
        ...(quotes === undefined
          ? {}
          : { mqttUrl: quotes.controls.mqttUrl, mqttWebSocketUrl: quotes.controls.mqttWebSocketUrl }),
      }),
      subscriptions: hub.list,
      requireOpen: open,
    }),
  )

  const eventCount = (): number =>
    apps.all.reduce((sum, { tradeLog, moduleLog }) => sum + tradeLog.end + moduleLog.end, 0)

  const partsOf = (nameOrKey: string | undefined) => {
    const handle = nameOrKey === undefined ? (handles[0] as SimulatedApp) : simulator.app(nameOrKey)
    return { handle, publisher: apps.of(handle.credentials.appKey).publisher }
  }

  const simulator: Simulator = {
    ...(handles[0] as SimulatedApp),
    get httpUrl() {
      return url('http')
    },
    get eventsUrl() {
      return url('trade')
    },
    get moduleEventsUrl() {
      return url(isShared ? 'trade' : 'module')
    },
    get controlUrl() {
      const control = listeners.get('control')
      return control && `http://${LOOPBACK}:${control.port}`
    },
    controlToken,
    get consoleUrl() {
      return console?.url
    },
    consoleToken,
    quotes: quotes?.controls,
    clock,
    apps: handles,
    app(nameOrKey) {
      const found = handles.find(
        ({ name, credentials }) => name === nameOrKey || credentials.appKey === nameOrKey,
      )
      if (found !== undefined) return found
      const names = handles.map(({ name }) => `'${name}'`).join(', ')
      throw argumentFailure('app', `one of ${names}, or an app key`, receivedName(nameOrKey))
    },

    ...waits,
    async advance(ms, given = {}) {
      open('advance')
      const { scenarioSteps } = readArguments(given, ['scenarioSteps'])
      const mostSteps = integer({
        min: 0,
        max: 1_000_000,
        default: 10_000,
      })(scenarioSteps, 'scenarioSteps', argumentFailure)
      const passedMs = requireMs(clock, ms)
      const eventsBefore = eventCount()
      const endPace = pace.begin(mostSteps)
      let progress: ScenarioProgress | undefined
      try {
        await moves.move(passedMs)
      } finally {
        progress = endPace()
      }
      return {
        now: clock.now(),
        events: eventCount() - eventsBefore,
        scenarioSteps: progress.steps,
        scenarioHeldMs: progress.heldMs,
      }
    },
    settled: () => settle({ isFirst: true }),

    startScenario(scenario = settings.scenario ?? 'lifecycles', given = {}) {
      open('startScenario')
      const { intervalMs } = readArguments(given, ['intervalMs'])
      const wanted = readScenario(scenario) ?? 'lifecycles'
      const everyMs = integer({
        min: 0,
        max: 86_400_000,
        default: settings.scenarioIntervalMs,
      })(intervalMs, 'intervalMs', argumentFailure)
      const steps = typeof wanted === 'string' ? namedScenario(wanted, everyMs) : wanted
      // Not before: what is refused leaves the one that runs alone.
      run?.stop()
      run = runScenario(
        steps,
        {
          app: partsOf,
          placedEvents: settings.placedEvents,
          dropConnections: (selection) => void simulator.dropConnections(selection),
          quotes: (action) => void carryOutQuotesAction(quotes?.controls, action),
          setFault: (fault) => addFault(faults.api, fault),
          addRoute,
          advance: simulator.advance,
          pace,
        },
        clock,
      )
      return run
    },
    stopScenario: () => run?.stop(),

    route(method, path, handler, options) {
      open('route')
      return routes.add(method, path, handler, options)
    },

    ...streamControls,
    faults: faults.api,

    subscriptions: hub.list,
    requests: ((given = {}) => {
      const { bodies } = readArguments(given, ['bodies'])
      const isAsked = boolean(false)(bodies, 'bodies', argumentFailure)
      return isAsked ? requestLog.entriesWithBodies() : requestLog.entries()
    }) as Simulator['requests'],
    state() {
      const nowMs = clock.now()
      const [state] = apps.all.map((item) => stateOf(item, nowMs))
      return {
        ...state,
        now: nowMs,
        connections: hub.list().length,
        requests: requestLog.total,
        scenarioRunning: run?.running ?? false,
        apps: apps.all.map((item) => stateOf(item, nowMs)),
      }
    },
    async drain(given = {}) {
      const { timeoutMs } = readArguments(given, ['timeoutMs'])
      const bounds = { min: 0, max: 86_400_000, default: 10_000 }
      const mostMs = integer(bounds)(timeoutMs, 'timeoutMs', argumentFailure)
      isDraining = true
      run?.stop()
      streamControls.endStreams()
      for (const grpc of grpcServers.values()) grpc.closeSessions()
      let timer: ReturnType<typeof setTimeout> | undefined
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, mostMs)
      })
      await Promise.race([late, Promise.all([...listeners.values()].map((listener) => listener.drain()))])
      clearTimeout(timer)
      await close()
    },
    close,
    [Symbol.asyncDispose]: close,
  }

  function url(name: 'http' | StreamService): string {
    return `${tls === undefined ? 'http' : 'https'}://${urlHost(settings.listen)}:${listeners.get(name)?.port ?? 0}`
  }

  function mqttUrl(name: 'mqtt' | 'mqttWebSocket'): string {
    const scheme = name === 'mqtt' ? 'mqtt' : 'ws'
    const port = listeners.get(name)?.port ?? 0
    return `${scheme}${tls === undefined ? '' : 's'}://${urlHost(settings.listen)}:${port}`
  }

  state.begin(seed, function* () {
    for (const item of apps.all) yield* item.records()
  })
  try {
    const http = createHttpServer({ app, faults: faults.http, clock, tls, requestLog, nextRequestId })
    listeners.set('http', await listen(http, settings.httpPort, 'httpPort', settings.listen))
    if (quotes !== undefined) {
      const { mqttPort, mqttWebSocketPort } = quotes.settings
      const mqtt =
        tls === undefined
          ? createTcpServer(quotes.broker.onSocket)
          : createTlsServer(tls, quotes.broker.onSocket)
      listeners.set('mqtt', await listen(mqtt, mqttPort, 'quotes.mqttPort', settings.listen))
      const web = tls === undefined ? createWebServer() : createSecureWebServer(tls)
      quotes.broker.onServer(web)
      const option = 'quotes.mqttWebSocketPort'
      listeners.set('mqttWebSocket', await listen(web, mqttWebSocketPort, option, settings.listen))
    }
    if (settings.control) {
      const control = createControlServer({
        token: controlToken,
        receiveBody,
        carryOut: (call, body) => carryOutCall(simulator, call, body),
      })
      listeners.set('control', await listen(control, settings.controlPort, 'controlPort'))
    }
    if (settings.console) {
      // Who does without pays nothing for it.
      const { startConsole } = await import('./console/start-console.ts')
      console = await startConsole({
        simulator,
        sources: {
          clock,
          apps,
          hub,
          requestLog,
          faults,
          isScenarioRunning: () => run?.running ?? false,
          quotes,
        },
        receiveBody,
        token: consoleToken,
        port: settings.consolePort,
        lastPorts: lastConsole?.ports ?? [],
      })
      state.write({ kind: 'console', token: consoleToken.reveal(), port: console.port })
      if (settings.consoleFile !== undefined)
        keepConsolePlace(settings.consoleFile, consoleToken.reveal(), console.port)
    }
    for (const [service, grpc] of grpcServers) {
      const isModule = service === 'module'
      const port = isModule ? settings.moduleEventsPort : settings.eventsPort
      const option = isModule ? 'moduleEventsPort' : 'eventsPort'
      listeners.set(service, await listen(grpc.server, Number(port), option, settings.listen))
    }
  } catch (error) {
    await close()
    throw error
  }
  if (settings.scenario !== undefined) simulator.startScenario()
  return simulator
}

function stateOf({ settings, ...app }: App, nowMs: number): Readonly<Record<string, unknown>> {
  return {
    name: settings.name,
    environment: settings.environment,
    region: settings.region,
    appKey: settings.appKey,
    accounts: settings.accounts,
    accessTokens: app.accessTokens.counts(nowMs),
    clientTokenPairs: app.clientTokens.size,
    connectionsTaken: app.slots.taken(settings.appKey, nowMs),
    tradeEvents: app.tradeLog.end,
    moduleEvents: app.moduleLog.end,
  }
}
