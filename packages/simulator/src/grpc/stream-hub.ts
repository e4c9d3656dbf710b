/**
 * The open subscriptions of both services. The hub accepts or rejects them, acquires connection slots, and
 * controls pings, expiry and silence.
 */
import type { Clock } from '@brokerwire/core'
import { Code, ConnectError } from '@connectrpc/connect'
import type { FaultQueue } from '../fault-queue.ts'
import type { RequestedSubscription } from '../request-log.ts'
import type { ClockAdvances } from '../time/clock-advances.ts'
import type { WireRandom } from '../wire/random.ts'
import type { ConnectionSlots } from './connection-slots.ts'
import type { ControlFrame, Dialect, DialectInput } from './dialect.ts'
import type { FrameFault } from './frame-fault.ts'
import type { RpcContext } from './rpc-context.ts'
import {
  createSubscription,
  type EventSource,
  type Silence,
  type SubscriptionControl,
  type SubscriptionProgress,
} from './subscription.ts'
import {
  FAULT_CODES,
  STREAM_SERVICES,
  type StreamService,
  type SubscriptionFault,
} from './subscription-fault.ts'

/** Dependencies of the hub. */
export interface StreamHubContext {
  readonly clock: Clock
  readonly random: WireRandom
  readonly pingIntervalMs: number
  readonly subscriptionLifetimeMs: number
  /** Running advances of the clock. */
  readonly advances: Pick<ClockAdvances, 'untilMs'>
  /** Whether the client of a connection runs in this process. */
  readonly isInProcess: (connection: string) => boolean
  readonly subscriptionFaults: FaultQueue<SubscriptionFault, StreamService>
  /** Called after a subscription was opened or has ended. */
  readonly onChange: () => void
  readonly frameFaults: FaultQueue<FrameFault, StreamService>
}

/** A requested subscription. */
interface SubscriptionRequest<M> {
  readonly service: StreamService
  readonly requested: RequestedSubscription
  readonly dialect: (input: DialectInput) => Dialect<M>
  /** @throws ConnectError if the request is rejected. */
  readonly open: (appKey: string) => SubscriptionService<M>
}

/** The parts of an app that serve one subscription. */
export interface SubscriptionService<M> {
  readonly source: EventSource<M>
  readonly slots: ConnectionSlots
  /**
   * Whether this subscription is rejected if the app key already has an open subscription to this service.
   */
  readonly isExclusive: boolean
}

/** Public view of an open subscription. */
export interface OpenSubscription {
  /** The parameters of the subscription request. */
  readonly requested: RequestedSubscription
  /** App key that signed the request. */
  readonly appKey: string
  /** Time of the request, milliseconds since the Unix epoch. */
  readonly openedAtMs: number
  /** Id of the connection. On the trade service, control frames such as pings have it as `requestId`. */
  readonly connectionId: string
}

/** The hub of all open subscriptions. */
export interface StreamHub {
  /** Serves one subscription until it ends. */
  subscribe<M>(rpc: RpcContext, request: SubscriptionRequest<M>): AsyncGenerator<M, void, undefined>
  /** Notifies the app's subscriptions that an event was appended to a log. */
  wake(appKey: string): void
  /**
   * Sends a control frame to each subscription and closes the subscription.
   *
   * @returns Number of subscriptions.
   */
  endWithControl(kind: ControlFrame, service: StreamService | undefined): number
  /**
   * Closes each subscription with the status of `error`, or with status OK.
   *
   * @returns Number of subscriptions.
   */
  endWithStatus(error: ConnectError | undefined, service: StreamService | undefined): number
  /** Resets each HTTP/2 stream. @returns Number of streams. */
  reset(http2Code: number, service: StreamService | undefined): number
  /** Sets the silence of open and future subscriptions. @returns Number of open subscriptions. */
  setSilence(silence: Silence, skipEvents: boolean, service: StreamService | undefined): number
  /** Queues a ping on each subscription. @returns Number of subscriptions. */
  ping(service: StreamService | undefined): number
  /** Silence with which new subscriptions of each service begin. */
  readonly silence: Readonly<Record<StreamService, Silence>>
  /** Returns each open subscription with its progress. */
  progress(): readonly (OpenSubscription & SubscriptionProgress)[]
  /** Applies an action to one subscription. @returns Whether the subscription is open. */
  act(connectionId: string, action: SubscriptionAction): boolean
  list(): readonly OpenSubscription[]
  /** Returns the connections that are paused by backpressure. */
  pausedConnections(): ReadonlySet<string>
}

/** Actions on one subscription or on its connection. */
export type SubscriptionAction =
  | 'drop'
  | 'goaway'
  | 'reset'
  | 'end'
  | 'expire'
  | 'silence'
  | 'resume'
  | 'ping'

interface Entry extends OpenSubscription {
  readonly service: StreamService
  readonly rpc: RpcContext
  /** Sends a control frame and closes cleanly. */
  sendControl(kind: ControlFrame): void
  readonly control: SubscriptionControl
}

/** Creates a hub without subscriptions. */
export function createStreamHub(context: StreamHubContext): StreamHub {
  const { clock, random } = context
  const open = new Set<Entry>()
  const silence: Record<StreamService, Silence> = { trade: 'none', module: 'none' }

  const matching = (service: StreamService | undefined): readonly Entry[] =>
    [...open].filter((entry) => service === undefined || entry.service === service)

  /**
   * Returns the time until the next ping. `advance()` does not change the time of a client in another
   * process. Therefore such a client gets only the first and the last of the pings that are due during an
   * advance.
   */
  const getPingDelayMs = (connection: string): number => {
    const endMs = context.advances.untilMs
    const restMs = endMs === undefined || context.isInProcess(connection) ? 0 : endMs - clock.now()
    return Math.max(context.pingIntervalMs, restMs)
  }
  const startTimers = (
    subscription: SubscriptionControl,
    connection: string,
    expire: () => void,
  ): (() => void) => {
    const cancels = new Map<string, () => void>()
    const armPing = (): void => {
      const tick = (): void => {
        subscription.ping()
        armPing()
      }
      cancels.set('ping', clock.setTimer(tick, getPingDelayMs(connection)))
    }
    if (context.pingIntervalMs > 0) armPing()
    if (context.subscriptionLifetimeMs > 0) {
      cancels.set('expiry', clock.setTimer(expire, context.subscriptionLifetimeMs))
    }
    return () => {
      for (const cancel of cancels.values()) cancel()
    }
  }

  return {
    async *subscribe(rpc, request) {
      const { nowMs } = rpc
      const connectionId = random.uuid()
      const dialect = request.dialect({ connectionId, nextId: () => random.uuid() })
      const log = (errorCode: string | undefined): void =>
        rpc.log({ errorCode, subscription: request.requested })
      const fault = context.subscriptionFaults.take(request.service)
      const faultCode = fault === undefined ? undefined : FAULT_CODES[fault]
      if (faultCode !== undefined) {
        log(Code[faultCode])
        throw new ConnectError('the simulator injected this fault', faultCode)
      }
      if (isControlFault(fault)) {
        log(fault)
        yield dialect.control(fault, 'the simulator injected this fault', nowMs)
        return
      }
      if (!rpc.auth.ok) {
        log(rpc.auth.code)
        yield dialect.control('auth-error', `${rpc.auth.code}: ${rpc.auth.message}`, nowMs)
        return
      }
      if (fault === 'end') {
        log('end')
        return
      }
      if (fault === 'hang') {
        log('hang')
        await new Promise<void>((resolve) => (rpc.closed ? resolve() : rpc.onClose(resolve)))
        return
      }
      let served: ReturnType<typeof request.open>
      try {
        served = request.open(rpc.auth.appKey)
      } catch (error) {
        log(error instanceof ConnectError ? Code[error.code] : 'Internal')
        throw error
      }
      if (rpc.closed) return
      const { appKey } = rpc.auth
      const { source, slots, isExclusive } = served
      if (isExclusive && matching(request.service).some((entry) => entry.appKey === appKey)) {
        log(Code[Code.ResourceExhausted])
        throw new ConnectError('the app key already has an active subscription', Code.ResourceExhausted)
      }
      if (!slots.acquire(appKey, nowMs)) {
        log('connection-limit')
        yield dialect.control('connection-limit', `${slots.taken(appKey, nowMs)} connections are open`, nowMs)
        return
      }
      const subscription = createSubscription({
        source,
        opening: fault === 'no-success' ? [] : [dialect.success(nowMs)],
        ping: () => dialect.ping(clock.now()),
        takeFault: () => context.frameFaults.take(request.service),
        corruptPayload: dialect.corruptPayload,
        behind: () => new ConnectError('the subscription is too far behind', Code.ResourceExhausted),
        silence: silence[request.service],
      })
      const sendControl = (kind: ControlFrame): void => {
        subscription.send(dialect.control(kind, kind, clock.now()))
        subscription.end(undefined)
      }
      const entry: Entry = {
        service: request.service,
        requested: request.requested,
        appKey,
        openedAtMs: nowMs,
        connectionId,
        rpc,
        control: subscription,
        sendControl,
      }
      open.add(entry)
      const stopTimers = startTimers(entry.control, rpc.connection, () => sendControl('expired'))
      rpc.attach(subscription)
      rpc.onClose(() => {
        open.delete(entry)
        stopTimers()
        subscription.close()
        slots.release(appKey, !subscription.endedByService, clock.now())
        context.onChange()
      })
      log(undefined)
      context.onChange()
      yield* subscription.messages()
    },
    wake(appKey) {
      for (const entry of open) if (entry.appKey === appKey) entry.control.wake()
    },
    endWithControl(kind, service) {
      const entries = matching(service)
      for (const entry of entries) entry.sendControl(kind)
      return entries.length
    },
    endWithStatus(error, service) {
      const entries = matching(service)
      for (const { control } of entries) control.end(error)
      return entries.length
    },
    reset(http2Code, service) {
      const entries = matching(service)
      for (const { rpc } of entries) rpc.reset(http2Code)
      return entries.length
    },
    setSilence(next, skipEvents, service) {
      for (const each of service === undefined ? STREAM_SERVICES : [service]) silence[each] = next
      const entries = matching(service)
      for (const { control } of entries) control.setSilence(next, { skipEvents })
      return entries.length
    },
    silence,
    progress: () => [...open].map((entry) => ({ ...toOpenSubscription(entry), ...entry.control.progress() })),
    act(connectionId, action) {
      const entry = [...open].find((item) => item.connectionId === connectionId)
      if (entry !== undefined) ACTIONS[action](entry)
      return entry !== undefined
    },
    ping(service) {
      const entries = matching(service)
      for (const { control } of entries) control.ping()
      return entries.length
    },
    pausedConnections() {
      const held = new Set<string>()
      for (const { control, rpc } of open) if (!control.isWaiting) held.add(rpc.connection)
      return held
    },
    list: () => [...open].map(toOpenSubscription),
  }
}

function toOpenSubscription({ requested, appKey, openedAtMs, connectionId }: Entry): OpenSubscription {
  return { requested, appKey, openedAtMs, connectionId }
}

const INTERNAL_ERROR = 2

const ACTIONS: Readonly<Record<SubscriptionAction, (entry: Entry) => void>> = {
  drop: ({ rpc }) => rpc.disconnect(),
  goaway: ({ rpc }) => rpc.goaway(),
  reset: ({ rpc }) => rpc.reset(INTERNAL_ERROR),
  end: ({ control }) => control.end(undefined),
  expire: ({ sendControl }) => sendControl('expired'),
  silence: ({ control }) => control.setSilence('all', { skipEvents: false }),
  resume: ({ control }) => control.setSilence('none', { skipEvents: false }),
  ping: ({ control }) => control.ping(),
}

function isControlFault(fault: SubscriptionFault | undefined): fault is SubscriptionFault & ControlFrame {
  return (
    fault === 'auth-error' ||
    fault === 'connection-limit' ||
    fault === 'expired' ||
    fault === 'unknown-control'
  )
}
