/**
 * The simulator without its servers: apps, signatures, open subscriptions, faults and time. Each part depends
 * only on parts that are created before it.
 */
import { type Apps, createApp, createApps } from '../apps/app.ts'
import { createFaultControls, type FaultControls } from '../fault-controls.ts'
import { createStreamHub, type StreamHub } from '../grpc/stream-hub.ts'
import type { AppSettings, SimulatorSettings } from '../options.ts'
import { createBodyReceiver, type ReceiveBody } from '../receive-body.ts'
import { createRequestLog, type RequestLog } from '../request-log.ts'
import { createRouteTable, type RouteTable } from '../routes/route-table.ts'
import { createStepLimiter, type StepLimiter } from '../scenario/step-limiter.ts'
import { createSignatureCheck, type SignatureCheck } from '../signature-check.ts'
import type { Simulator } from '../simulator-api.ts'
import type { SimulatorState } from '../state/simulator-state.ts'
import { createAdvance } from '../time/advance.ts'
import { createClockAdvances } from '../time/clock-advances.ts'
import type { InProcessClients } from '../time/in-process-clients.ts'
import { createSettle, type SettleOptions } from '../time/settle.ts'
import { createUsedNonces } from '../used-nonces.ts'
import { createWaiterRegistry, type WaiterRegistry } from '../waiting/waiter-registry.ts'
import { createWireRandom, deriveSeed } from '../wire/random.ts'
import { Lifecycle } from './lifecycle.ts'
import { Listeners } from './listeners.ts'

/** Dependencies of the core. */
export interface CoreInput {
  readonly settings: SimulatorSettings
  readonly state: SimulatorState
  readonly localClients: InProcessClients
}

/** The parts of the core, which servers and plugins share. */
export interface SimulatorCore extends CoreInput {
  readonly lifecycle: Lifecycle
  readonly listeners: Listeners
  readonly waiters: WaiterRegistry
  readonly requestLog: RequestLog
  readonly nextRequestId: () => string
  readonly receiveBody: ReceiveBody
  readonly routes: RouteTable
  readonly faults: FaultControls
  readonly hub: StreamHub
  readonly apps: Apps
  readonly signatures: SignatureCheck
  readonly stepLimiter: StepLimiter
  readonly settle: (options?: SettleOptions) => Promise<void>
  readonly advance: Simulator['advance']
}

/** @throws SimulatorError `SIMULATOR_STATE_INVALID` if the state file does not fit the apps. */
export function createCore(input: CoreInput): SimulatorCore {
  const { settings, state, localClients } = input
  const { clock, seed } = settings
  const lifecycle = new Lifecycle()
  const listeners = new Listeners(settings)
  const waiters = createWaiterRegistry()
  const requestLog = createRequestLog(waiters.poll)
  const requestIds = createWireRandom(deriveSeed(seed, 2))
  const faults = createFaultControls()

  const advances = createClockAdvances({
    clock,
    trackWork: localClients.trackWork,
    onStep() {
      if ('offsetMs' in clock) state.write({ kind: 'clock', offsetMs: Number(clock.offsetMs) })
    },
  })
  const hub = createStreamHub({
    ...settings,
    advances,
    isInProcess: localClients.isInProcess,
    random: createWireRandom(deriveSeed(seed, 3)),
    onChange: waiters.poll,
    subscriptionFaults: faults.subscriptions,
    frameFaults: faults.frames,
  })
  const context = { ...settings, state, onAppend: hub.wake, onTokenChange: waiters.poll }
  const create = (app: AppSettings) => createApp(app, context)
  const [first, ...others] = settings.apps
  const apps = createApps([create(first), ...others.map(create)])
  const signatures = createSignatureCheck({
    ...settings,
    diagnoses: settings.console,
    secretFor: (key) => apps.find(key)?.settings.appSecret,
    nonces: state.journalNonces(createUsedNonces(), (key) => apps.of(key).settings.name, clock.now()),
  })

  const stepLimiter = createStepLimiter(clock)
  const settle = createSettle({
    clients: localClients,
    sockets: () => listeners.sockets(),
    pausedConnections: hub.pausedConnections,
  })
  return {
    ...input,
    lifecycle,
    listeners,
    waiters,
    requestLog,
    nextRequestId: () => requestIds.uuid(),
    receiveBody: createBodyReceiver(settings),
    routes: createRouteTable(settings.quotes !== undefined),
    faults,
    hub,
    apps,
    signatures,
    stepLimiter,
    settle,
    advance: createAdvance({ clock, apps, lifecycle, advances, stepLimiter, settle }),
  }
}
