/** Composes the parts: state, HTTP, streams, scenarios. The only file that knows all of them. */
import { readInteger, readOneOf } from '@brokerwire/core'
import { Code, ConnectError } from '@connectrpc/connect'
import type { EmittedModuleEvent, EmittedTradeEvent } from './events/emitted.ts'
import { createEventLog } from './events/event-log.ts'
import { createSimulatedOrder } from './events/orders.ts'
import { createPublisher } from './events/publisher.ts'
import { createConnectionSlots } from './grpc/connection-slots.ts'
import { FRAME_FAULTS, type FrameFault } from './grpc/frame-fault.ts'
import { createGrpcServer, type GrpcServer } from './grpc/server.ts'
import { createStreamHub } from './grpc/stream-hub.ts'
import {
  createFaultQueue,
  type StreamService,
  SUBSCRIPTION_FAULTS,
  type SubscriptionFault,
} from './grpc/subscription-fault.ts'
import { createHttpApp } from './http/app.ts'
import { addControlRoutes } from './http/control.ts'
import { createHttpFaultQueue, HTTP_FAULTS } from './http/http-fault.ts'
import { createHttpServer } from './http/server.ts'
import { type Listener, LOOPBACK, listen } from './listen.ts'
import { readOptions, readScenario, type SimulatorOptions } from './options.ts'
import { createRequestLog } from './request-log.ts'
import { runScenario, type ScenarioRun } from './scenario/runner.ts'
import { namedScenario } from './scenario/scenario.ts'
import { createSignatureCheck } from './signature-check.ts'
import type { Simulator, StreamSelection } from './simulator-api.ts'
import { argumentFailure, SimulatorError } from './simulator-error.ts'
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

  const accessTokens = createAccessTokenBook(
    {
      ...settings,
      validityMs: settings.tokenValidityMs,
      idleMs: settings.tokenIdleMs,
      renewal: settings.tokenRenewal,
    },
    clock,
  )
  const clientTokens = createClientTokenBook(
    { accessLifetimeMs: settings.clientTokenLifetimeMs, refreshLifetimeMs: settings.refreshTokenLifetimeMs },
    clock,
  )
  const requestLog = createRequestLog()
  const signatures = createSignatureCheck(settings)
  const httpFaults = createHttpFaultQueue()
  const subscriptionFaults = createFaultQueue<SubscriptionFault>()
  const frameFaults = createFaultQueue<FrameFault>()

  const tradeLog = createEventLog<EmittedTradeEvent>(settings.retainedEvents)
  const moduleLog = createEventLog<EmittedModuleEvent>(settings.retainedEvents)
  for (const event of settings.moduleHistory) moduleLog.append(event)
  const slots = createConnectionSlots(settings, clock)
  const hub = createStreamHub({
    ...settings,
    random: createWireRandom(deriveSeed(seed, 3)),
    slots,
    subscriptionFaults,
    frameFaults,
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
    takeTokenCall: createRateLimiter(settings.rateLimit, clock),
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
  const selected = ({ service }: StreamSelection = {}): StreamService | undefined =>
    service === undefined ? undefined : readOneOf(argumentFailure, 'service', service, ['trade', 'module'])
  const streamListeners = (selection: StreamSelection | undefined): readonly Listener[] => {
    const service = selected(selection)
    const wanted = service === undefined ? (['trade', 'module'] as const) : [isShared ? 'trade' : service]
    return wanted.flatMap((name) => listeners.get(name) ?? [])
  }
  const close = async (): Promise<void> => {
    isClosed = true
    run?.stop()
    for (const grpc of grpcServers.values()) grpc.destroySessions()
    await Promise.all([...listeners.values()].map((listener) => listener.close()))
  }

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

    approveSecondFactor: (token) => accessTokens.approve(token),
    endAccessTokens: ({ as = 'INVALID', token } = {}) =>
      accessTokens.end(readOneOf(argumentFailure, 'as', as, ['INVALID', 'EXPIRED']), token),
    setAccessTokenExpiry: (token, expiresAtMs) => accessTokens.setExpiry(token, expiresAtMs),
    endClientTokens: (clientUserId) => clientTokens.end(clientUserId),
    isClientTokenLive: (accessToken) => clientTokens.isLive(accessToken),

    placeOrder(input = {}) {
      open('placeOrder')
      const { accountId, ...fixed } = input
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

    startScenario(scenario = settings.scenario ?? 'lifecycles', { intervalMs } = {}) {
      open('startScenario')
      run?.stop()
      const wanted = readScenario(scenario) ?? 'lifecycles'
      const everyMs = intervalMs ?? settings.scenarioIntervalMs
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

    dropConnections(selection) {
      const service = selected(selection)
      const count = hub.list().filter((item) => service === undefined || item.requested.service === service)
      for (const listener of streamListeners(selection)) listener.destroySockets()
      return count.length
    },
    setReachable(reachable, selection) {
      for (const listener of streamListeners(selection)) listener.setReachable(reachable)
    },
    goaway({ http2Code = 0, ...selection } = {}) {
      const service = selected(selection)
      const name = isShared ? 'trade' : service
      let count = 0
      for (const [key, grpc] of grpcServers) {
        if (name === undefined || key === name) count += grpc.goaway(http2Code)
      }
      return count
    },
    resetStreams: ({ http2Code = 2, ...selection } = {}) => hub.reset(http2Code, selected(selection)),
    endStreams({ status, message = 'ended on request', ...selection } = {}) {
      const code = status === undefined ? undefined : STATUS_CODES[statusName(status)]
      const error = code === undefined ? undefined : new ConnectError(message, code)
      return hub.endWithStatus(error, selected(selection))
    },
    expireSubscriptions: (selection) => hub.endWithControl('expired', selected(selection)),
    sendControl: (kind, selection) =>
      hub.endWithControl(readOneOf(argumentFailure, 'kind', kind, CONTROL_KINDS), selected(selection)),
    silence(what = 'all') {
      hub.setSilence(readOneOf(argumentFailure, 'what', what, ['all', 'events']), false)
    },
    resume({ skipEvents = false } = {}) {
      hub.setSilence('none', skipEvents)
    },
    pingNow: () => hub.pingAll(),

    faults: {
      nextHttp(fault, { path, count } = {}) {
        readOneOf(argumentFailure, 'fault.kind', fault.kind, HTTP_FAULTS)
        httpFaults.add(fault, path, readCount(count))
      },
      nextSubscription(fault, { service, count } = {}) {
        readOneOf(argumentFailure, 'fault', fault, SUBSCRIPTION_FAULTS)
        subscriptionFaults.add(fault, selected({ service }), readCount(count))
      },
      nextFrame(fault, { service, count } = {}) {
        readOneOf(argumentFailure, 'fault', fault, FRAME_FAULTS)
        frameFaults.add(fault, selected({ service }), readCount(count))
      },
      clear() {
        httpFaults.clear()
        subscriptionFaults.clear()
        frameFaults.clear()
      },
    },

    subscriptions: hub.list,
    connectionsTaken: () => slots.taken(appKey),
    requests: requestLog.entries,
    state: () => ({
      environment: settings.environment,
      region: settings.region,
      appKey,
      accounts,
      now: clock.now(),
      accessTokens: accessTokens.counts(),
      clientTokenPairs: clientTokens.size,
      connections: hub.list().length,
      connectionsTaken: slots.taken(appKey),
      tradeEvents: tradeLog.end,
      moduleEvents: moduleLog.end,
      requests: requestLog.total,
      scenarioRunning: run?.running ?? false,
    }),
    close,
    [Symbol.asyncDispose]: close,
  }

  function url(name: 'http' | StreamService): string {
    return `${tls === undefined ? 'http' : 'https'}://${LOOPBACK}:${listeners.get(name)?.port ?? 0}`
  }

  if (settings.control) {
    addControlRoutes(app, {
      approveSecondFactor: accessTokens.approve,
      dropConnections: () => simulator.dropConnections(),
      startScenario: () => void simulator.startScenario(),
      stopScenario: () => simulator.stopScenario(),
      state: () => simulator.state(),
    })
  }
  try {
    const http = createHttpServer({ app, faults: httpFaults, clock, tls })
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

const CONTROL_KINDS = ['auth-error', 'connection-limit', 'expired', 'unknown-control'] as const

const STATUS_CODES = {
  cancelled: Code.Canceled,
  unknown: Code.Unknown,
  'deadline-exceeded': Code.DeadlineExceeded,
  'permission-denied': Code.PermissionDenied,
  'resource-exhausted': Code.ResourceExhausted,
  aborted: Code.Aborted,
  internal: Code.Internal,
  unavailable: Code.Unavailable,
  unauthenticated: Code.Unauthenticated,
} as const

function statusName(value: keyof typeof STATUS_CODES): keyof typeof STATUS_CODES {
  const names = Object.keys(STATUS_CODES) as (keyof typeof STATUS_CODES)[]
  return readOneOf(argumentFailure, 'status', value, names)
}

function readCount(count: number | undefined): number {
  return readInteger(argumentFailure, 'count', count, { min: 1, max: 1_000_000, fallback: 1 })
}
