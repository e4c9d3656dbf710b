/** The public interface of the journal. */
import type {
  AbortSignalLike,
  Clock,
  Closable,
  Operation,
  PathFamily,
  SecretInput,
  Store,
} from '@brokerwire/core'
import type { NewOrder, placeOrder } from '@brokerwire/operations'
import type { OrderEntry } from './entry.ts'

/** Options that the journal passes to each request. `createHttpClient` of `@brokerwire/http` accepts all of them. */
export interface JournalRequestOptions {
  readonly pathFamily?: PathFamily | undefined
  readonly accessToken?: SecretInput | undefined
  readonly signal?: AbortSignalLike | undefined
  readonly timeoutMs?: number | undefined
  readonly retry?: 'always' | 'unsent' | 'never' | undefined
  /** The client must await it before each attempt. The journal writes that the order may have been sent. */
  readonly beforeAttempt?:
    | ((options: { readonly signal: AbortSignalLike | undefined }) => Promise<void>)
    | undefined
}

/** The part of a client that the journal uses: `createHttpClient` of `@brokerwire/http` fits. */
export interface JournalClient {
  /** Origin that requests go to. Entries of two origins are never mixed. */
  readonly origin: string
  /** Sends the request of an operation, and resolves with its decoded response. */
  request<Input, Output>(
    operation: Operation<Input, Output>,
    input: Input,
    options?: JournalRequestOptions,
  ): Promise<{ readonly data: Output }>
}

/** Options of {@link createOrderJournal}. Read once. */
export interface OrderJournalOptions {
  /**
   * Keeps the entries. All processes that share it share the journal. Choose one that outlives the process, or a killed process
   * loses its entries.
   */
  readonly store: Store
  /** Sends the requests. It should wait for the rate limits of operations, as the client of `createBrokerage` does. */
  readonly http: JournalClient
  /** The only account of this journal. Orders then need no `accountId`. @defaultValue all accounts of the store */
  readonly accountId?: string | undefined
  /** Path family of the requests. @defaultValue `'current'` */
  readonly pathFamily?: PathFamily | undefined
  /**
   * Whether the bytes of an order whose response was lost are sent a second time. That the service rejects an id that it has
   * is observed, and documented nowhere: with `'once'` you rely on it. @defaultValue `'never'`
   */
  readonly resend?: 'never' | 'once' | undefined
  /** Time limit of each sending, in milliseconds. @defaultValue 5000 */
  readonly timeoutMs?: number | undefined
  /**
   * The longest time in milliseconds that you assume between a placement and its visibility in queries. It begins when no process
   * waits for the response any more. Before it is over, an order that no query has is `unknown`; later it is `not-found`.
   * @defaultValue 30000
   */
  readonly settleMs?: number | undefined
  /** How long closed entries are kept at least, in milliseconds, if the journal is not full. @defaultValue 7 days */
  readonly retentionMs?: number | undefined
  /** The most entries. If there are more, the oldest closed ones are deleted. @defaultValue 1000 */
  readonly maxEntries?: number | undefined
  /** The most bytes of a stored entry. @defaultValue 65536 */
  readonly maxEntryBytes?: number | undefined
  /** Creates the identifier of an order without one. @defaultValue 32 random hexadecimal digits */
  readonly createId?: (() => string) | undefined
  /** Source of time and timers. @defaultValue systemClock */
  readonly clock?: Clock | undefined
}

/** The input of `placeOrder` of `@brokerwire/operations`. */
type PlaceInput = Parameters<typeof placeOrder.createRequest>[0]

/** An order to place: the input of `placeOrder`, in which the journal fills in the account and missing identifiers. */
export interface JournalOrder extends Omit<PlaceInput, 'accountId' | 'newOrders'> {
  /** Account of the order. @defaultValue that of the journal */
  readonly accountId?: string | undefined
  /** One order, or a group of orders. The identifier of the first one is that of the entry. */
  readonly newOrders: readonly (Omit<NewOrder, 'clientOrderId'> & {
    /** @defaultValue made by `createId` */
    readonly clientOrderId?: string | undefined
  })[]
}

/** Options of a call. */
export interface JournalCallOptions {
  /** Token of the requests. @defaultValue that of the client */
  readonly accessToken?: SecretInput | undefined
  /** Ends the call. An order that was sent keeps its open entry. @defaultValue none */
  readonly signal?: AbortSignalLike | undefined
}

/** Options of {@link OrderJournal.place}. */
export interface PlaceOptions extends JournalCallOptions {
  /** As the option of the journal, for this order. @defaultValue that of the journal */
  readonly resend?: 'never' | 'once' | undefined
}

/** Options of {@link OrderJournal.recover}. */
export interface RecoverOptions extends JournalCallOptions {
  /**
   * How long to wait for an entry that a process works on, and for queries that may lag, in milliseconds. With 0 each entry is
   * looked for once. @defaultValue 0
   */
  readonly waitMs?: number | undefined
}

/** An entry that {@link OrderJournal.recover} did not resolve. */
export interface SkippedEntry {
  readonly accountId: string
  readonly clientOrderId: string
  /** `in-use`: a process works on it. Otherwise the code of the error. */
  readonly reason: string
}

/** The result of {@link OrderJournal.recover}. */
export interface Recovery {
  /** The entries that were open, as they are now. */
  readonly entries: readonly OrderEntry[]
  readonly skipped: readonly SkippedEntry[]
}

/** Selects an entry. */
export interface EntryId {
  /** @defaultValue that of the journal */
  readonly accountId?: string | undefined
  readonly clientOrderId: string
}

/** Places orders, and keeps an entry for each of them. Created by {@link createOrderJournal}. */
export interface OrderJournal extends Closable {
  /**
   * Writes the entry, places the order and returns the entry with its outcome. If the response is lost, it reads until the outcome
   * is known, or until `settleMs` is over.
   *
   * If the journal has an entry of this id with the same request, its state is returned, and nothing is sent.
   *
   * @throws OrdersError; OperationsError for a wrong input; the signal's reason; errors of the client before the order was sent.
   */
  place(order: JournalOrder, options?: PlaceOptions): Promise<OrderEntry>
  /**
   * Resolves open entries of other processes by reading, and deletes closed ones after their retention. It never sends an order.
   *
   * @throws OrdersError; the signal's reason.
   */
  recover(options?: RecoverOptions): Promise<Recovery>
  /** Returns an entry, or `undefined` if there is none. @throws OrdersError. */
  get(id: EntryId): Promise<OrderEntry | undefined>
  /** Returns all entries of the journal, oldest first. @throws OrdersError. */
  list(): Promise<readonly OrderEntry[]>
  /** Ends all waits, and waits for requests that are being sent. Open entries stay open. */
  close(): Promise<void>
}
