/** Composes the parts: state, HTTP, streams, scenarios. The only file that knows all of them. */
import { readBoolean, readInteger, readOneOf } from './checks.ts'
import type { EmittedModuleEvent, EmittedTradeEvent } from './events/emitted.ts'
import { createEventLog } from './events/event-log.ts'
import { createSimulatedOrder } from './events/orders.ts'
import { createPublisher } from './events/publisher.ts'
import { createFaultControls } from './fault-controls.ts'
import { createConnectionSlots } from './grpc/connection-slots.ts'
import { createGrpcServer, type GrpcServer } from './grpc/server.ts'
import { createStreamHub } from './grpc/stream-hub.ts'
import type { StreamService } from './grpc/subscription-fault.ts'
import { createHttpApp } from './http/app.ts'
import { createHttpServer } from './http/server.ts'
import { type Listener, LOOPBACK, listen } from './listen.ts'
import type { SimulatorOptions } from './options.ts'
import { readOptions, readScenario } from './read-options.ts'
import { createBodyReceiver } from './receive-body.ts'
import { createRequestLog } from './request-log.ts'
import { createRouteTable } from './routes/route-table.ts'
import { runScenario, type ScenarioRun } from './scenario/runner.ts'
import { namedScenario } from './scenario/scenario.ts'
import { createSignatureCheck } from './signature-check.ts'
import type { Simulator } from './simulator-api.ts'
import { argumentFailure, readArguments, SimulatorError } from './simulator-error.ts'
import { createStreamControls } from './stream-controls.ts'
import { createAccessTokenBook } from './tokens/access-tokens.ts'
import { createClientTokenBook } from './tokens/client-tokens.ts'
import { createRateLimiter } from './tokens/rate-limit.ts'
import { MARKETS } from './wire/instruments.ts'
import { createWireRandom, deriveSeed } from './wire/random.ts'

/**
 * Starts the service on one's desk.
 *
 * @throws {@link SimulatorError} `SIMULATOR_OPTION_INVALID`, `SIMULATOR_LISTEN_FAILED`
 */
export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const settings = readOptions(options)
  const { clock, seed, tls, appKey, appSecret, accounts } = settings
  const requestIds = createWireRandom(deriveSeed(seed, 2))
  const nextRequestId = (): string => requestIds.uuid()

  const accessTokens = createAccessTokenBook({
    ...settings,
    validityMs: settings.tokenValidityMs,
    idleMs: settings.tokenIdleMs,
    renewal: settings.tokenRenewal,
  })
  const clientTokens = createClientTokenBook({
    accessLifetimeMs: settings.clientTokenLifetimeMs,
    refreshLifetimeMs: settings.refreshTokenLifetimeMs,
  })
  const receiveBody = createBodyReceiver(settings)
  const requestLog = createRequestLog()
  const routes = createRouteTable()
  const signatures = createSignatureCheck(settings)
  const faults = createFaultControls()

  const tradeLog = createEventLog<EmittedTradeEvent>(settings)
  const moduleLog = createEventLog<EmittedModuleEvent>(settings)
  for (const event of settings.moduleHistory) moduleLog.append(event)
  const slots = createConnectionSlots(settings)
  const hub = createStreamHub({
    ...settings,
    random: createWireRandom(deriveSeed(seed, 3)),
    slots,
    subscriptionFaults: faults.subscriptions,
    frameFaults: faults.frames,
  })
  const publisher = createPublisher({
    ...settings,
    // After a history the draws go on elsewhere: the same ids again would look like repeats.
    random: createWireRandom(deriveSeed(seed, 16 + settings.moduleHistory.length)),
    market: MARKETS[settings.region],
    tradeLog,
    moduleLog,
    onAppend: hub.wakeAll,
  })

  const app = createHttpApp({
    ...settings,
    signatures,
    accessTokens,
    clientTokens,
    takeTokenCall: createRateLimiter(settings.rateLimit),
    receiveBody,
    routes,
    control: settings.control
      ? {
          approveSecondFactor: (token) => simulator.approveSecondFactor(token),
          dropConnections: () => simulator.dropConnections(),
          startScenario: () => void simulator.startScenario(),
          stopScenario: () => simulator.stopScenario(),
          state: () => simulator.state(),
        }
      : undefined,
    requestLog,
    nextRequestId,
  })
  const grpcContext = {
    ...settings,
    hub,
    tradeLog,
    moduleLog,
    accounts: new Set(accounts),
    positions: publisher.positions,
    signatures,
    receiveBody,
    requestLog,
    nextRequestId,
    useAccessToken: accessTokens.use,
  }
  const isShared = settings.moduleEventsPort === 'shared'
  const grpcServers = new Map<StreamService, GrpcServer>([
    ['trade', createGrpcServer(grpcContext, isShared ? ['trade', 'module'] : ['trade'])],
  ])
  if (!isShared) grpcServers.set('module', createGrpcServer(grpcContext, ['module']))

  let isClosed = false
  let run: ScenarioRun | undefined
  const open = (method: string): void => {
    if (!isClosed) return
    throw new SimulatorError('SIMULATOR_CLOSED', `${method}: the simulator is closed`, {
      details: { method },
    })
  }
  const listeners = new Map<'http' | StreamService, Listener>()
  const close = async (): Promise<void> => {
    isClosed = true
    run?.stop()
    for (const grpc of grpcServers.values()) grpc.destroySessions()
    await Promise.all([...listeners.values()].map((listener) => listener.close()))
  }

  const streamControls = createStreamControls({ hub, grpcServers, listeners })

  const simulator: Simulator = {
    get httpUrl() {
      return url('http')
    },
    get eventsUrl() {
      return url('trade')
    },
    get moduleEventsUrl() {
      return url(isShared ? 'trade' : 'module')
    },
    environment: settings.environment,
    region: settings.region,
    credentials: { appKey, appSecret },
    accounts,
    clock,

    approveSecondFactor: (token) => accessTokens.approve(token, clock.now()),
    endAccessTokens(given = {}) {
      const { as = 'INVALID', token } = readArguments(given, ['as', 'token'])
      return accessTokens.end(
        readOneOf(argumentFailure, 'as', as, ['INVALID', 'EXPIRED']),
        token,
        clock.now(),
      )
    },
    setAccessTokenExpiry: (token, expiresAtMs) => accessTokens.setExpiry(token, expiresAtMs),
    endClientTokens: (clientUserId) => clientTokens.end(clientUserId),
    isClientTokenLive: (accessToken) => clientTokens.isLive(accessToken, clock.now()),

    placeOrder(input = {}) {
      open('placeOrder')
      const names = ['accountId', 'symbol', 'side', 'orderType', 'quantity'] as const
      const { accountId, ...fixed } = readArguments(input, names)
      const drawn = publisher.drawOrder(accountId, fixed)
      if (settings.placedEvents) publisher.emitOrder({ order: drawn, scene: 'PLACED' })
      return createSimulatedOrder(publisher, drawn)
    },
    emitOrder(input = {}) {
      open('emitOrder')
      return publisher.emitOrder(input).event
    },
    emitPosition(input = {}) {
      open('emitPosition')
      return publisher.emitPosition(input)
    },
    emitTradeFrame(input) {
      open('emitTradeFrame')
      return publisher.emitTradeFrame(input)
    },
    emitModule(input) {
      open('emitModule')
      return publisher.emitModule(input)
    },
    redeliverTradeEvents(count) {
      open('redeliverTradeEvents')
      return publisher.redeliverTradeEvents(count)
    },
    tradeEvents: () => tradeLog.entries(),
    moduleEvents: () => moduleLog.entries(),

    startScenario(scenario = settings.scenario ?? 'lifecycles', given = {}) {
      open('startScenario')
      const { intervalMs } = readArguments(given, ['intervalMs'])
      run?.stop()
      const wanted = readScenario(scenario) ?? 'lifecycles'
      const everyMs = readInteger(argumentFailure, 'intervalMs', intervalMs, {
        min: 0,
        max: 86_400_000,
        fallback: settings.scenarioIntervalMs,
      })
      const steps = typeof wanted === 'string' ? namedScenario(wanted, everyMs) : wanted
      run = runScenario(
        steps,
        {
          publisher,
          placedEvents: settings.placedEvents,
          dropConnections: () => void simulator.dropConnections(),
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
    connectionsTaken: () => slots.taken(appKey, clock.now()),
    requests: ((given = {}) => {
      const { bodies } = readArguments(given, ['bodies'])
      const isAsked = readBoolean(argumentFailure, 'bodies', bodies, false)
      return isAsked ? requestLog.entriesWithBodies() : requestLog.entries()
    }) as Simulator['requests'],
    state() {
      const nowMs = clock.now()
      return {
        environment: settings.environment,
        region: settings.region,
        appKey,
        accounts,
        now: nowMs,
        accessTokens: accessTokens.counts(nowMs),
        clientTokenPairs: clientTokens.size,
        connections: hub.list().length,
        connectionsTaken: slots.taken(appKey, nowMs),
        tradeEvents: tradeLog.end,
        moduleEvents: moduleLog.end,
        requests: requestLog.total,
        scenarioRunning: run?.running ?? false,
      }
    },
    close,
    [Symbol.asyncDispose]: close,
  }

  function url(name: 'http' | StreamService): string {
    return `${tls === undefined ? 'http' : 'https'}://${LOOPBACK}:${listeners.get(name)?.port ?? 0}`
  }

  try {
    const http = createHttpServer({ app, faults: faults.http, clock, tls, requestLog, nextRequestId })
    listeners.set('http', await listen(http, settings.httpPort, 'httpPort'))
    for (const [service, grpc] of grpcServers) {
      const isModule = service === 'module'
      const port = isModule ? settings.moduleEventsPort : settings.eventsPort
      const option = isModule ? 'moduleEventsPort' : 'eventsPort'
      listeners.set(service, await listen(grpc.server, Number(port), option))
    }
  } catch (error) {
    await close()
    throw error
  }
  if (settings.scenario !== undefined) simulator.startScenario()
  return simulator
}
