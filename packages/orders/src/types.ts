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
  /** Path family of the request. */
  readonly pathFamily?: PathFamily | undefined
  /** Token of the request, in place of the client's. */
  readonly accessToken?: SecretInput | undefined
  /** Aborts the request and all waits before it. */
  readonly signal?: AbortSignalLike | undefined
  /** Time limit of one attempt, in milliseconds. */
  readonly timeoutMs?: number | undefined
  /** Which failed attempts are retried. */
  readonly retry?: 'always' | 'unsent' | 'never' | undefined
  /**
   * The client must await this function before each attempt, when it has the token, and then sign and send the
   * request at once. In it, the journal writes that the order may have been sent.
   */
  readonly beforeAttempt?:
    | ((options: {
        readonly signal: AbortSignalLike | undefined
        /**
         * The error of the attempt before this one, for a retry. If it does not show that the service did not carry
         * out that attempt, the journal rejects, and the order must not be sent again.
         */
        readonly lastError?: unknown
      }) => Promise<void>)
    | undefined
}

/**
 * The part of an HTTP client that the journal uses. `createHttpClient` of `@brokerwire/http` creates such a
 * client.
 */
export interface JournalClient {
  /** Origin to which the requests are sent. Entries of two origins are never mixed. */
  readonly origin: string
  /** Sends the request of an operation, and resolves with its decoded response. */
  request<Input, Output>(
    operation: Operation<Input, Output>,
    input: Input,
    options?: JournalRequestOptions,
  ): Promise<{ readonly data: Output }>
}

/** Options of {@link createOrderJournal}. They are read once. */
export interface OrderJournalOptions {
  /**
   * Keeps the entries. All processes that use the same store share the journal. Choose a store that outlives
   * the process: with `createMemoryStore()` a killed process loses its entries.
   */
  readonly store: Store
  /** Sends the requests. It should wait for the rate limits of operations, as the client of `createBrokerage` does. */
  readonly http: JournalClient
  /** The only account of this journal. Orders then need no `accountId`. @defaultValue all accounts of the store */
  readonly accountId?: string | undefined
  /** Path family of the requests. @defaultValue `'current'` */
  readonly pathFamily?: PathFamily | undefined
  /**
   * Whether the bytes of an order are sent a second time if the response was lost. With `'once'`, you rely on
   * the service to reject an id that it already has. This was observed, but it is not documented. The second sending is
   * within ten seconds after the first: with a `timeoutMs` of ten seconds or more, there is no second one after a timeout.
   * @defaultValue `'never'`
   */
  readonly resend?: 'never' | 'once' | undefined
  /**
   * Time limit of each sending and of each attempt of a query, in milliseconds. Choose the same in all processes.
   * @defaultValue 5000
   */
  readonly timeoutMs?: number | undefined
  /**
   * The longest time, in milliseconds, that you assume until queries show a placed order. It begins when no
   * process waits for the response any more: for an order of another process, `timeoutMs` after the first look. Until it has passed, an order that no query has is `unknown`.
   * After that, it is `not-found`.
   * @defaultValue 30000
   */
  readonly settleMs?: number | undefined
  /**
   * The shortest time for which closed entries are kept if the journal is not full, in milliseconds.
   * @defaultValue 7 days
   */
  readonly retentionMs?: number | undefined
  /**
   * The shortest time for which closed entries are kept even if the journal is full, in milliseconds. A call with
   * the id of a deleted entry would send its order again. Entries of orders that were not sent may be deleted
   * earlier. It has no effect beyond `retentionMs`.
   * @defaultValue 1 hour
   */
  readonly minRetentionMs?: number | undefined
  /**
   * Maximum number of entries, at most 5000. If the journal is full, its oldest closed entries are deleted, except those
   * of the last `minRetentionMs`. So it must be larger than the number of orders that you place in that time; otherwise
   * `place()` fails with `JOURNAL_FULL`.
   * @defaultValue 1000
   */
  readonly maxEntries?: number | undefined
  /** Maximum number of bytes of a stored entry. @defaultValue 65536 */
  readonly maxEntryBytes?: number | undefined
  /**
   * Creates the identifier of an order that has no identifier. It must never return the same one twice, in any process.
   * @defaultValue 32 random hexadecimal digits
   */
  readonly createId?: (() => string) | undefined
  /** Source of time and timers. @defaultValue systemClock */
  readonly clock?: Clock | undefined
}

/** The input of `placeOrder` of `@brokerwire/operations`. */
type PlaceInput = Parameters<typeof placeOrder.createRequest>[0]

/**
 * An order to place: the input of `placeOrder`, in which the journal fills in the account and missing identifiers. It must be
 * plain JSON: a `Secret` in `extraFields` is rejected.
 */
export interface JournalOrder extends Omit<PlaceInput, 'accountId' | 'newOrders'> {
  /** Account of the order. @defaultValue the account of the journal */
  readonly accountId?: string | undefined
  /** One order, or a group of orders. The identifier of the first order is also that of the entry. */
  readonly newOrders: readonly (Omit<NewOrder, 'clientOrderId'> & {
    /** @defaultValue created by `createId` */
    readonly clientOrderId?: string | undefined
  })[]
}

/** Options of a call. */
export interface JournalCallOptions {
  /** Access token of the requests. @defaultValue the token of the client */
  readonly accessToken?: SecretInput | undefined
  /** Ends the call. An order that was sent keeps its open entry. @defaultValue none */
  readonly signal?: AbortSignalLike | undefined
}

/** Options of {@link OrderJournal.place}. */
export interface PlaceOptions extends JournalCallOptions {
  /** The option `resend` of the journal, for this order only. @defaultValue the option of the journal */
  readonly resend?: 'never' | 'once' | undefined
}

/** Options of {@link OrderJournal.recover}. */
export interface RecoverOptions extends JournalCallOptions {
  /**
   * How long to wait, in milliseconds, for an entry that another process works on, and for queries that may
   * lag. With 0, each order is looked for once, and entries of a killed process whose lease has not ended are skipped.
   * @defaultValue 0
   */
  readonly waitMs?: number | undefined
}

/** An entry that {@link OrderJournal.recover} did not resolve. */
export interface SkippedEntry {
  /** Account of the order. */
  readonly accountId: string
  /** Identifier of the order from the client. */
  readonly clientOrderId: string
  /** `in-use`: another process works on the entry. Any other value is the code of the error. */
  readonly reason: string
}

/** The result of {@link OrderJournal.recover}. */
export interface Recovery {
  /** The entries that were open before the call, in their present state. */
  readonly entries: readonly OrderEntry[]
  /** The entries that stayed open because they could not be resolved. */
  readonly skipped: readonly SkippedEntry[]
}

/** Selects an entry. */
export interface EntryId {
  /** Account of the order. @defaultValue the account of the journal */
  readonly accountId?: string | undefined
  /** Identifier of the order from the client. */
  readonly clientOrderId: string
}

/** Places orders, and keeps an entry for each of them. Created by {@link createOrderJournal}. */
export interface OrderJournal extends Closable {
  /**
   * Writes the entry, places the order and returns the entry with its outcome. If the response is lost,
   * queries look for the order until the outcome is known, or until `settleMs` has passed.
   *
   * If the journal already has an entry with this id and the same request, and the order may have been sent,
   * nothing is sent, and that entry is returned. A group of orders is known by the id of its first order.
   *
   * @throws OrdersError; OperationsError for a wrong input; the signal's reason; errors of the client before
   * the order was sent. An OrdersError has `details.clientOrderId`, also if the journal created the identifier.
   */
  place(order: JournalOrder, options?: PlaceOptions): Promise<OrderEntry>
  /**
   * Resolves open entries of other processes by reading, four at a time, and deletes closed ones after their retention. It
   * never sends an order, and skips entries that a live process works on.
   *
   * An order whose process may still wait for the response is `not-found` after `timeoutMs` and `settleMs` at the earliest.
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
