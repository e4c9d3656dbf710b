/**
 * Types of the messages between simulator and console. The page imports these types and nothing else.
 *
 * The messages contain no app secret and no token. Instead of a token, they contain an id that is derived
 * from the token's digest.
 */

/** Events of the feed, by name. */
export interface ConsoleFeed {
  /** The first event after each connection. */
  readonly hello: ConsoleHello
  readonly state: ConsoleState
  /** Sent when a price has changed. Prices are not a part of `state`, because they change all the time. */
  readonly prices: ConsolePrices
  readonly events: ConsoleBatch<ConsoleEvent>
  readonly requests: ConsoleBatch<ConsoleRequest>
}

/**
 * New entries. `skipped` is the number of earlier entries that the page did not get because it was too slow.
 */
export interface ConsoleBatch<E> {
  readonly entries: readonly E[]
  readonly skipped: number
}

/** Data that does not change while the simulator runs. */
export interface ConsoleHello {
  /** A new value means that the simulator was restarted and that the page must discard its data. */
  readonly epoch: string
  readonly tokenMoves: readonly ConsoleMove[]
  readonly choices: {
    readonly orderScenes: readonly string[]
    /** Business types by module. */
    readonly modules: Readonly<Record<string, readonly string[]>>
    readonly httpFaults: readonly string[]
    readonly subscriptionFaults: readonly string[]
    readonly frameFaults: readonly string[]
    readonly scenarios: readonly string[]
  }
}

/** A transition of the access token state machine. */
export interface ConsoleMove {
  readonly from: string
  readonly to: string
  readonly on: string
}

/** Current state of the simulator. */
export interface ConsoleState {
  readonly clock: {
    readonly nowMs: number
    /**
     * Offset from the host's clock, with which the page calculates the time. `undefined` if the simulator's
     * clock does not advance by itself.
     */
    readonly offsetMs: number | undefined
  }
  readonly scenarioRunning: boolean
  /** Silence with which new streams of each service begin. */
  readonly silence: Readonly<Record<'trade' | 'module', 'none' | 'events' | 'all'>>
  readonly apps: readonly ConsoleApp[]
  /** The newest tokens, newest first. */
  readonly tokens: readonly ConsoleToken[]
  readonly tokenCount: number
  readonly streams: readonly ConsoleStream[]
  readonly streamCount: number
  readonly faults: readonly ConsoleFault[]
  /** Market data, if the simulator serves it. */
  readonly quotes: ConsoleQuotes | undefined
  /** Orders, if the simulator serves them. */
  readonly trading: ConsoleTrading | undefined
  /** Number of events since the start. */
  readonly eventCount: number
  readonly requestCount: number
}

/** An app. */
export interface ConsoleApp {
  readonly name: string
  readonly appKey: string
  readonly environment: string
  readonly region: string
  readonly accounts: readonly string[]
  readonly symbols: readonly string[]
  readonly usedConnections: number
  readonly maxConnections: number
}

/** An access token. */
export interface ConsoleToken {
  readonly id: string
  /** The first four characters of the token, by which people recognize it. */
  readonly begins: string
  readonly app: string
  readonly status: string
  readonly createdAtMs: number
  readonly verifiedAtMs: number | undefined
  readonly lastUsedAtMs: number | undefined
  readonly expiresAtMs: number
  /** The next transition that happens without an action. */
  readonly next: { readonly to: string; readonly on: string; readonly atMs: number } | undefined
}

/** An open subscription. */
export interface ConsoleStream {
  readonly id: string
  readonly app: string
  readonly service: 'trade' | 'module'
  readonly openedAtMs: number
  /**
   * Requested accounts of a trade stream. The requested event types of a module stream are in `asked`, with
   * their start cursors.
   */
  readonly accounts: readonly string[]
  readonly subscribeType: number | undefined
  readonly asked: readonly { readonly eventType: string; readonly position: string }[]
  /**
   * Index of the log entry that the stream reads next. `end` is the index that the log's next entry will get.
   */
  readonly index: number
  readonly end: number
  /** Last cursor that was sent, by event type. */
  readonly sent: readonly { readonly eventType: string; readonly position: string }[]
  readonly silence: 'none' | 'events' | 'all'
}

/** Market data. */
export interface ConsoleQuotes {
  readonly mqttUrl: string
  readonly mqttWebSocketUrl: string
  /** Number of used connection slots of the first app. */
  readonly usedConnections: number
  readonly maxConnections: number
  /** The first sessions, up to a limit. */
  readonly sessions: readonly ConsoleQuoteSession[]
  readonly sessionCount: number
}

/** A session of market data. */
export interface ConsoleQuoteSession {
  readonly id: string
  readonly app: string
  readonly transport: 'tcp' | 'websocket'
  readonly silence: 'none' | 'messages' | 'all'
  /** The first symbols, up to a limit. */
  readonly symbols: readonly {
    readonly category: string
    readonly symbol: string
    readonly types: readonly string[]
  }[]
  readonly symbolCount: number
  /** Number of messages that the rate limit discarded. */
  readonly dropped: number
}

/** The order services of all apps. */
export interface ConsoleTrading {
  /** The first instruments of each app, up to a limit. */
  readonly instruments: readonly ConsoleInstrument[]
  /** The newest orders of all apps, newest first, up to a limit. */
  readonly orders: readonly ConsoleOrder[]
  readonly orderCount: number
  readonly openCount: number
}

/** Current prices as decimals, by app and symbol. */
export type ConsolePrices = Readonly<Record<string, Readonly<Record<string, string>>>>

/** A tradable instrument of an app. */
export interface ConsoleInstrument {
  readonly app: string
  readonly symbol: string
  readonly market: string
  /** Order types that the order ticket offers. */
  readonly orderTypes: readonly string[]
}

/** An order. Quantities and prices are decimals. */
export interface ConsoleOrder {
  readonly app: string
  readonly accountId: string
  readonly clientOrderId: string
  readonly orderId: string
  readonly symbol: string
  readonly side: string
  readonly status: string
  /** Whether the order is still open, so that it can be replaced or cancelled. */
  readonly isOpen: boolean
  readonly quantity: string
  readonly filledQuantity: string
  /** Average price of the fills. */
  readonly filledPrice: string
  readonly limitPrice: string | undefined
  readonly placedAtMs: number
}

/** Response of the call `order`: status and body, as the order service would respond to the same request. */
export interface ConsoleOrderResponse {
  readonly status: number
  readonly json: Readonly<Record<string, unknown>>
}

/** A pending fault. */
export interface ConsoleFault {
  readonly of: 'http' | 'subscription' | 'frame'
  readonly what: string
  readonly only: string | undefined
  readonly left: number | 'always'
}

/** An event as it was sent. */
export interface ConsoleEvent {
  readonly log: 'trade' | 'module'
  readonly app: string
  /** Index in the log. */
  readonly index: number
  /** Time of the event in ISO 8601, as in the frame. */
  readonly at: string
  readonly kind: string
  readonly eventType: string
  readonly accountId: string | undefined
  readonly requestId: string
  readonly position: string | undefined
  readonly contentType: string | undefined
  readonly version: string | undefined
  /** Whether the payload is invented, because its form is not documented in any source. */
  readonly invented: boolean
  /** The payload as it was sent, or its beginning. */
  readonly payload: string
  /** Whether the payload is truncated. The call `event` returns all of it. */
  readonly isCut: boolean
}

/** A logged request. */
export interface ConsoleRequest {
  readonly index: number
  readonly atMs: number
  readonly tookMs: number
  readonly protocol: 'http' | 'grpc'
  readonly method: string
  readonly path: string
  readonly status: number
  readonly errorCode: string | undefined
  readonly app: string | undefined
  readonly requestId: string
  readonly headerNames: readonly string[]
}

/** Response of the call `request`. */
export interface ConsoleDiagnosis {
  readonly diagnosis:
    | {
        readonly canonical:
          | {
              readonly path: string | undefined
              readonly entries: readonly {
                readonly name: string
                readonly source: string
                readonly text: string
              }[]
              readonly digest: string | undefined
              readonly text: string
            }
          | undefined
        readonly rejection: { readonly code: string; readonly message: string } | undefined
        /** The known mistake in signing that explains the wrong signature of the request. */
        readonly mistake?: { readonly what: string; readonly theirs: string } | undefined
      }
    | undefined
}
