/** The public interface of one app. */

import type { Clock, Secret } from '@brokerwire/core'
import type { Environment, Region } from '@brokerwire/core/endpoints'
import { integer, oneOf, string } from '@brokerwire/core/internal'
import type {
  ModuleEmission,
  OrderEmission,
  PositionEmission,
  RawModuleEmission,
  RawTradeEmission,
} from '../events/emissions.ts'
import type { EmittedModuleEvent, EmittedTradeEvent } from '../events/emitted.ts'
import { createSimulatedOrder, type SimulatedOrder } from '../events/orders.ts'
import type { OpenSubscription } from '../grpc/stream-hub.ts'
import { argumentFailure, readArguments } from '../simulator-error.ts'
import { MAX_DATE_MS } from '../time/offset-clock.ts'
import type { TradingControls } from '../trading/trading-controls.ts'
import type { NewOrder } from '../wire/order.ts'
import type { App } from './app.ts'

/** One app of a simulator: its tokens, orders and events. */
export interface SimulatedApp {
  /** Name of the app, as in the option `name`. */
  readonly name: string
  /** Environment of the app, as in its options. */
  readonly environment: Environment
  /** Region of the app, as in its options. */
  readonly region: Region
  /** Credentials that requests of this app are signed with. */
  readonly credentials: {
    /** App key, from the options or generated. */
    readonly appKey: string
    /** App secret, from the options or generated. */
    readonly appSecret: Secret
  }
  /** Accounts that the app may subscribe to. */
  readonly accounts: readonly string[]

  /**
   * Completes the second factor of one token, or of all PENDING tokens. @returns Number of tokens that became NORMAL.
   */
  approveSecondFactor(token?: string): number
  /** Ends access tokens before they expire. @returns Number of tokens that were ended. */
  endAccessTokens(options?: {
    /** Status of the ended tokens. @defaultValue 'INVALID' */
    readonly status?: 'INVALID' | 'EXPIRED' | undefined
    /** The access token to end. @defaultValue all tokens of the app */
    readonly token?: string | undefined
  }): number
  /** Changes the expiry of an access token. @returns Whether the token is known. */
  setAccessTokenExpiry(token: string, expiresAtMs: number): boolean
  /** Ends the client tokens of a user. @returns Whether the user had client tokens. */
  endClientTokens(clientUserId: string): boolean
  /** Returns whether a client access token is live: the latest one of a user, and not expired. */
  isClientTokenLive(accessToken: string): boolean

  /** Places an order. With the option `emitPlaceEvents`, also sends an event for the order. */
  placeOrder(
    input?: NewOrder & {
      /** Account that places the order. @defaultValue the first account */
      readonly accountId?: string | undefined
    },
  ): SimulatedOrder
  /** Sends one order event. */
  emitOrder(input?: OrderEmission): EmittedTradeEvent
  /** Sends a position settlement. */
  emitPosition(input?: PositionEmission): EmittedTradeEvent
  /** Sends a trade frame with any payload and event type code. */
  emitTradeFrame(input: RawTradeEmission): EmittedTradeEvent
  /** Sends a module event. */
  emitModule(input: ModuleEmission): EmittedModuleEvent
  /**
   * Sends a module frame with any payload and event type. You choose the cursor of the frame, or send the
   * frame without a cursor.
   */
  emitModuleFrame(input: RawModuleEmission): EmittedModuleEvent
  /** Sends the latest trade events again, unchanged. @returns The events that were sent. */
  redeliverTradeEvents(count: number): readonly EmittedTradeEvent[]
  /** Returns the events in the trade service's log, oldest first. */
  tradeEvents(): readonly EmittedTradeEvent[]
  /** Returns the events in the module service's log, oldest first. */
  moduleEvents(): readonly EmittedModuleEvent[]

  /**
   * Options for `createBrokerage` of `@brokerwire/client` or `@brokerwire/edge`. Spread them into your
   * options.
   */
  brokerageOptions(): SimulatedBrokerageOptions

  /** Controls of the order service. `undefined` with the option `trading: false`. */
  readonly trading: TradingControls | undefined

  /** Open subscriptions of this app. */
  subscriptions(): readonly OpenSubscription[]
  /** Number of used connection slots. A lost connection uses its slot until `slotLingerMs` is over. */
  usedConnections(): number
}

/** Addresses and credentials of an app, and the simulator's clock. */
export interface SimulatedBrokerageOptions {
  /** Region of the app, as in its options. */
  readonly region: Region
  /** Environment of the app, as in its options. */
  readonly environment: Environment
  /** App key that requests are signed with. */
  readonly appKey: string
  /** App secret that requests are signed with. */
  readonly appSecret: Secret
  /** The simulator's clock. If the client uses it, `advance()` advances the client's time too. */
  readonly clock: Clock
  /** Addresses to use instead of those of the region. */
  readonly overrides: {
    /** Origin of the HTTP endpoints. */
    readonly baseUrl: string
    /** Origin of the trade and position streams. */
    readonly eventsUrl: string
    /** Origin of the module stream. */
    readonly moduleEventsUrl: string
    /** URL of MQTT over TCP. Present only with the simulator's option `quotes`. */
    readonly mqttUrl?: string | undefined
    /** URL of MQTT over WebSocket. Present only with the simulator's option `quotes`. */
    readonly mqttWebSocketUrl?: string | undefined
  }
}

/** Dependencies of `createSimulatedApp`. */
export interface SimulatedAppContext {
  readonly clock: Clock
  readonly emitPlaceEvents: boolean
  readonly urls: () => SimulatedBrokerageOptions['overrides']
  readonly subscriptions: () => readonly OpenSubscription[]
  readonly trading: (appKey: string) => TradingControls | undefined
  /** @throws SimulatorError `SIMULATOR_CLOSED` */
  readonly requireOpen: (method: string) => void
}

/** Validates an optional token. The error does not show the value. */
function optionalText(argument: string, value: string | undefined): string | undefined {
  return value === undefined ? undefined : string()(value, argument, argumentFailure)
}

/** Creates the public interface of an app. */
export function createSimulatedApp(app: App, context: SimulatedAppContext): SimulatedApp {
  const { accessTokens, clientTokens, publisher, slots, settings } = app
  const { clock, requireOpen } = context
  const { appKey, appSecret } = settings
  return {
    name: settings.name,
    environment: settings.environment,
    region: settings.region,
    credentials: { appKey, appSecret },
    accounts: settings.accounts,

    approveSecondFactor: (token) => accessTokens.approve(optionalText('token', token), clock.now()),
    endAccessTokens(given = {}) {
      const { status = 'INVALID', token } = readArguments(given, ['status', 'token'])
      oneOf(['INVALID', 'EXPIRED'])(status, 'status', argumentFailure)
      return accessTokens.end(status, optionalText('token', token), clock.now())
    },
    setAccessTokenExpiry(token, expiresAtMs) {
      const atMs = integer({ min: 0, max: MAX_DATE_MS })(expiresAtMs, 'expiresAtMs', argumentFailure)
      return accessTokens.setExpiry(string()(token, 'token', argumentFailure), atMs)
    },
    endClientTokens: (clientUserId) =>
      clientTokens.end(string()(clientUserId, 'clientUserId', argumentFailure)),
    isClientTokenLive: (accessToken) =>
      clientTokens.isLive(string()(accessToken, 'accessToken', argumentFailure), clock.now()),

    placeOrder(input = {}) {
      requireOpen('placeOrder')
      const names = ['accountId', 'symbol', 'side', 'orderType', 'quantity'] as const
      const { accountId, ...fixed } = readArguments(input, names)
      const drawn = publisher.generateOrder(accountId, fixed)
      if (context.emitPlaceEvents) publisher.emitOrder({ order: drawn, scene: 'PLACED' })
      return createSimulatedOrder(publisher, drawn)
    },
    emitOrder(input = {}) {
      requireOpen('emitOrder')
      return publisher.emitOrder(input).event
    },
    emitPosition(input = {}) {
      requireOpen('emitPosition')
      return publisher.emitPosition(input)
    },
    emitTradeFrame(input) {
      requireOpen('emitTradeFrame')
      return publisher.emitTradeFrame(input)
    },
    emitModule(input) {
      requireOpen('emitModule')
      return publisher.emitModule(input)
    },
    emitModuleFrame(input) {
      requireOpen('emitModuleFrame')
      return publisher.emitModuleFrame(input)
    },
    redeliverTradeEvents(count) {
      requireOpen('redeliverTradeEvents')
      return publisher.redeliverTradeEvents(count)
    },
    tradeEvents: () => app.tradeLog.entries(),
    moduleEvents: () => app.moduleLog.entries(),

    trading: context.trading(appKey),

    brokerageOptions() {
      requireOpen('brokerageOptions')
      const { environment, region } = settings
      return { region, environment, appKey, appSecret, clock, overrides: context.urls() }
    },

    subscriptions: () => context.subscriptions().filter((item) => item.appKey === appKey),
    usedConnections: () => slots.taken(appKey, clock.now()),
  }
}
