/** An app in the caller's hand. */

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
import { LAST_DATE_MS } from '../time/offset-clock.ts'
import type { NewOrder } from '../wire/order.ts'
import type { App } from './app.ts'

/** One app of a simulator: its tokens, orders and events. */
export interface SimulatedApp {
  readonly name: string
  readonly environment: Environment
  readonly region: Region
  readonly credentials: { readonly appKey: string; readonly appSecret: Secret }
  /** Accounts that the app may subscribe to. */
  readonly accounts: readonly string[]

  /** Completes the second factor of a token, or of all that are PENDING. @returns How many. */
  approveSecondFactor(token?: string): number
  /** Ends access tokens before their time. @returns How many. */
  endAccessTokens(options?: {
    /** @defaultValue 'INVALID' */
    readonly as?: 'INVALID' | 'EXPIRED' | undefined
    /** @defaultValue all */
    readonly token?: string | undefined
  }): number
  /** Moves the expiry of an access token. @returns Whether the token is known. */
  setAccessTokenExpiry(token: string, expiresAtMs: number): boolean
  /** Ends a user's client tokens. @returns Whether there were any. */
  endClientTokens(clientUserId: string): boolean
  /** Whether this client access token would be accepted. */
  isClientTokenLive(accessToken: string): boolean

  /** Places an order and, with the option `placedEvents`, announces it. */
  placeOrder(input?: NewOrder & { readonly accountId?: string | undefined }): SimulatedOrder
  /** Sends one order event. */
  emitOrder(input?: OrderEmission): EmittedTradeEvent
  /** Sends a position settlement. */
  emitPosition(input?: PositionEmission): EmittedTradeEvent
  /** Sends any text under any code. */
  emitTradeFrame(input: RawTradeEmission): EmittedTradeEvent
  /** Sends a module event. */
  emitModule(input: ModuleEmission): EmittedModuleEvent
  /** Sends any text under any event type, with a cursor of your own or none. */
  emitModuleFrame(input: RawModuleEmission): EmittedModuleEvent
  /** Sends the latest trade events again, unchanged. @returns What was sent. */
  redeliverTradeEvents(count: number): readonly EmittedTradeEvent[]
  /** Everything that the trade service's log keeps, oldest first. */
  tradeEvents(): readonly EmittedTradeEvent[]
  /** Everything that the module service's log keeps, oldest first. */
  moduleEvents(): readonly EmittedModuleEvent[]

  /** What `createBrokerage` of `@brokerwire/client` or `@brokerwire/edge` takes, to be spread among other options. */
  brokerageOptions(): SimulatedBrokerageOptions

  /** Subscriptions that are open. */
  subscriptions(): readonly OpenSubscription[]
  /** Connection slots that are taken, the lingering ones included. */
  connectionsTaken(): number
}

/** Where an app is, with its keys and the simulator's clock. */
export interface SimulatedBrokerageOptions {
  readonly region: Region
  readonly environment: Environment
  readonly appKey: string
  readonly appSecret: Secret
  readonly clock: Clock
  readonly overrides: {
    readonly httpUrl: string
    readonly eventsUrl: string
    readonly moduleEventsUrl: string
    /** With the simulator's option `quotes`. */
    readonly mqttUrl?: string | undefined
    readonly mqttWebSocketUrl?: string | undefined
  }
}

/** What the handle works with. */
export interface SimulatedAppContext {
  readonly clock: Clock
  readonly placedEvents: boolean
  readonly urls: () => SimulatedBrokerageOptions['overrides']
  readonly subscriptions: () => readonly OpenSubscription[]
  /** @throws SimulatorError `SIMULATOR_CLOSED` */
  readonly requireOpen: (method: string) => void
}

/** A token, or none. What is no text is refused, and never shown. */
function optionalText(argument: string, value: string | undefined): string | undefined {
  return value === undefined ? undefined : string()(value, argument, argumentFailure)
}

/** Makes the handle of an app. */
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
      const { as = 'INVALID', token } = readArguments(given, ['as', 'token'])
      const status = oneOf(['INVALID', 'EXPIRED'])(as, 'as', argumentFailure)
      return accessTokens.end(status, optionalText('token', token), clock.now())
    },
    setAccessTokenExpiry(token, expiresAtMs) {
      const atMs = integer({ min: 0, max: LAST_DATE_MS })(expiresAtMs, 'expiresAtMs', argumentFailure)
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
      const drawn = publisher.drawOrder(accountId, fixed)
      if (context.placedEvents) publisher.emitOrder({ order: drawn, scene: 'PLACED' })
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

    brokerageOptions() {
      requireOpen('brokerageOptions')
      const { environment, region } = settings
      return { region, environment, appKey, appSecret, clock, overrides: context.urls() }
    },

    subscriptions: () => context.subscriptions().filter((item) => item.appKey === appKey),
    connectionsTaken: () => slots.taken(appKey, clock.now()),
  }
}
