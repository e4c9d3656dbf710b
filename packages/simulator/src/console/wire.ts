/**
 * What the simulator and its console tell each other. Types alone: the page takes them from here, and nothing else.
 *
 * No app secret and no token is in any of them: a token is known by an id that is made of its digest.
 */

/** Events of the feed, by name. */
export interface ConsoleFeed {
  /** First after each connection. */
  readonly hello: ConsoleHello
  readonly state: ConsoleState
  readonly events: ConsoleBatch<ConsoleEvent>
  readonly requests: ConsoleBatch<ConsoleRequest>
}

/** Entries that are new. `skipped`: so many before them were left out, because they came faster than they can be shown. */
export interface ConsoleBatch<E> {
  readonly entries: readonly E[]
  readonly skipped: number
}

/** What does not change while the simulator runs. */
export interface ConsoleHello {
  /** Another one: the simulator was started anew, and nothing that the page holds is true any more. */
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

/** A move of the machine of access tokens, of the table that decides. */
export interface ConsoleMove {
  readonly from: string
  readonly to: string
  readonly on: string
}

/** How everything is. */
export interface ConsoleState {
  readonly clock: {
    readonly nowMs: number
    /** How far it is ahead of the host's, where time goes by by itself: the page then counts on. */
    readonly offsetMs: number | undefined
  }
  readonly scenarioRunning: boolean
  /** Of the streams of each service that will be opened. */
  readonly silence: Readonly<Record<'trade' | 'module', 'none' | 'events' | 'all'>>
  readonly apps: readonly ConsoleApp[]
  /** The newest ones, newest first. */
  readonly tokens: readonly ConsoleToken[]
  readonly tokenCount: number
  readonly streams: readonly ConsoleStream[]
  readonly streamCount: number
  readonly faults: readonly ConsoleFault[]
  /** Market data, where the simulator has it. */
  readonly quotes: ConsoleQuotes | undefined
  /** Since the start. */
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
  readonly connectionsTaken: number
  readonly maxConnections: number
}

/** An access token. */
export interface ConsoleToken {
  readonly id: string
  /** Its first four characters, for recognition. */
  readonly begins: string
  readonly app: string
  readonly status: string
  readonly createdAtMs: number
  readonly verifiedAtMs: number | undefined
  readonly lastUsedAtMs: number | undefined
  readonly expiresAtMs: number
  /** What happens next by itself. */
  readonly next: { readonly to: string; readonly on: string; readonly atMs: number } | undefined
}

/** A subscription that is open. */
export interface ConsoleStream {
  readonly id: string
  readonly app: string
  readonly service: 'trade' | 'module'
  readonly openedAtMs: number
  /** What was asked for: accounts, or event types with the cursors to begin at. */
  readonly accounts: readonly string[]
  readonly subscribeType: number | undefined
  readonly asked: readonly { readonly eventType: string; readonly position: string }[]
  /** Events of the log that it has passed, and that there are. */
  readonly index: number
  readonly end: number
  /** Cursors of the last events that were sent. */
  readonly sent: readonly { readonly eventType: string; readonly position: string }[]
  readonly silence: 'none' | 'events' | 'all'
}

/** Market data. */
export interface ConsoleQuotes {
  readonly mqttUrl: string
  readonly mqttWebSocketUrl: string
  /** Of the first app. */
  readonly connectionsTaken: number
  readonly maxConnections: number
  /** The first ones. */
  readonly sessions: readonly ConsoleQuoteSession[]
  readonly sessionCount: number
}

/** A session of market data. */
export interface ConsoleQuoteSession {
  readonly id: string
  readonly app: string
  readonly transport: 'tcp' | 'websocket'
  readonly silence: 'none' | 'messages' | 'all'
  /** The first ones. */
  readonly symbols: readonly {
    readonly category: string
    readonly symbol: string
    readonly types: readonly string[]
  }[]
  readonly symbolCount: number
  /** Messages that the rate limit dropped. */
  readonly dropped: number
}

/** A fault in waiting. */
export interface ConsoleFault {
  readonly of: 'http' | 'subscription' | 'frame'
  readonly what: string
  readonly only: string | undefined
  readonly left: number | 'always'
}

/** An event as it went on the wire. */
export interface ConsoleEvent {
  readonly log: 'trade' | 'module'
  readonly app: string
  /** Its place in the log. */
  readonly index: number
  /** ISO 8601, as in the frame. */
  readonly at: string
  readonly kind: string
  readonly eventType: string
  readonly accountId: string | undefined
  readonly requestId: string
  readonly position: string | undefined
  readonly contentType: string | undefined
  readonly version: string | undefined
  /** Set where no source shows such a body. */
  readonly invented: boolean
  /** The payload as it is sent, or its beginning. */
  readonly payload: string
  /** Whether the payload goes on: `event` has all of it. */
  readonly isCut: boolean
}

/** A request that was answered. */
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

/** What `request` answers. */
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
        readonly refusal: { readonly code: string; readonly message: string } | undefined
        /** The known mistake that gives the signature which was sent. */
        readonly mistake?: { readonly what: string; readonly theirs: string } | undefined
      }
    | undefined
}
