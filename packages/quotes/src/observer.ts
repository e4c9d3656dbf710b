/** The observer of market data. Errors of its functions are ignored. */
import type { QuotesNotice } from './notices.ts'

/** The client that reports. */
export interface QuotesSource {
  /** The option `clientId` of the client. */
  readonly clientId: string
}

/** A connection that entered another phase. */
export interface QuotesStateReport extends QuotesSource {
  /** Number of the connection, from 1. */
  readonly connection: number
  /** The phase that the connection entered. */
  readonly phase: 'idle' | 'opening' | 'live' | 'waiting' | 'ended'
  /** Number of the current or last attempt. */
  readonly attempt: number
}

/** Report of the messages that a connection received together. */
export interface QuotesBatchReport extends QuotesSource {
  /** Number of the connection, from 1. */
  readonly connection: number
  /** Number of messages of market data. */
  readonly messages: number
  /** Bytes of their payloads. */
  readonly bytes: number
  /** Number of queued states that these messages replaced, because the consumer had not read them yet. */
  readonly replaced: number
  /** Number of queued items that were discarded, because these messages exceeded a limit of the option `buffer`. */
  readonly dropped: number
  /**
   * Time from the last message's timestamp to its receipt, in milliseconds. `undefined` without such a timestamp. It includes the
   * difference of the clocks, and for a snapshot the time since its last change.
   */
  readonly newestLagMs: number | undefined
  /** Number of items in the queue now, including notices. */
  readonly queueDepth: number
}

/** Report of a notice that was added to the items. */
export interface QuotesNoticeReport extends QuotesSource {
  /** The notice, as the consumer gets it. */
  readonly notice: QuotesNotice
}

/**
 * An observer of market data. Every function is optional. The names differ from those of the other packages, so one object can
 * observe all of them.
 */
export interface QuotesObserver {
  /** Called when a connection enters another phase. */
  readonly onQuotesState?: ((report: QuotesStateReport) => void) | undefined
  /**
   * Called when messages were queued, at most once for the messages that arrived together. The last of them is decoded for its
   * timestamp.
   */
  readonly onQuotesBatch?: ((report: QuotesBatchReport) => void) | undefined
  /** Called when a notice was added to the items. */
  readonly onQuotesNotice?: ((report: QuotesNoticeReport) => void) | undefined
}

/** The names of the functions of {@link QuotesObserver}. */
export const QUOTES_OBSERVER = {
  onQuotesState: true,
  onQuotesBatch: true,
  onQuotesNotice: true,
} as const satisfies Record<keyof QuotesObserver, true>

/** Number of clients that were created without a name. */
let unnamedClients = 0

/** Returns the default of the option `clientId`. */
export function nextClientId(): string {
  unnamedClients += 1
  return `quotes-${unnamedClients}`
}
