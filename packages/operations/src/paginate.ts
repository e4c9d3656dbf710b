/** Iterates over all items of a list with pages, in both path families. */
import type { Operation, OperationIssue } from '@brokerwire/core'
import type { Fields, InputOf } from './fields.ts'
import type { Page, PagedOperation } from './operation.ts'
import { OperationsError } from './operations-error.ts'

/**
 * The part of a client that {@link paginate} uses: for example the result of `createHttpClient` of
 * `@brokerwire/http`.
 */
export interface OperationClient<Options> {
  /** Sends the request of an operation, and resolves with its decoded response. */
  request<Input, Output>(
    operation: Operation<Input, Output>,
    input: Input,
    options?: Options,
  ): Promise<{ readonly data: Output; readonly issues?: readonly OperationIssue[] | undefined }>
}

/** Functions that receive reports about the pages of {@link paginate}. */
export interface PaginateObserver {
  /**
   * Receives the issues of a page that has some, before its items: optional values that could not be decoded. They are
   * `undefined` in the items, and in their `extra`.
   */
  readonly onIssues?: ((issues: readonly OperationIssue[]) => void) | undefined
}

/**
 * Yields the items of all pages. The next page is requested when all items of the page before have been consumed.
 *
 * The service does not document how long a cursor is valid, and a test environment once returned the same page again and again
 * (packages/operations/OPERATIONS.md). A cursor that repeats ends the iteration with an error.
 *
 * A service may answer with empty pages and new cursors without an end. To limit the time, pass `signal`.
 *
 * @param options - Passed to each request, for example `{ accessToken, signal }`.
 * @param observer - Receives the issues of the pages.
 * @throws OperationsError `OPERATION_INPUT_INVALID` if the operation has no pages; `OPERATION_PAGE_REPEATED`, after all items that were received; what the client throws.
 *
 * @example
 * ```ts
 * import { createHttpClient, type HttpClient } from '@brokerwire/http'
 * import { listOrderHistory, paginate } from '@brokerwire/operations'
 *
 * declare const http: HttpClient
 *
 * for await (const group of paginate(http, listOrderHistory, { accountId: 'A1' })) {
 *   for (const order of group.orders) console.log(order.clientOrderId, order.status)
 * }
 * ```
 */
export async function* paginate<F extends Fields, Item, Options>(
  client: OperationClient<Options>,
  operation: PagedOperation<F, Item>,
  input: InputOf<F>,
  options?: NoInfer<Options>,
  observer?: PaginateObserver,
): AsyncGenerator<Item, void, undefined> {
  if (!operation.paged)
    throw new OperationsError(
      'OPERATION_INPUT_INVALID',
      `paginate needs an operation with pages; received ${operation.name}, which has none. Use request() instead`,
      {
        details: {
          operation: operation.name,
          field: 'operation',
          expected: 'an operation with pages',
          received: 'an operation without pages',
        },
      },
    )
  let next: Partial<InputOf<F>> = {}
  // Brent's algorithm finds any cycle of cursors, although only one cursor is stored.
  let savedCursor: string | undefined
  let checkpoint = 1
  for (let pages = 1; ; pages += 1) {
    const response: {
      readonly data: Page<Item, Partial<InputOf<F>>>
      readonly issues?: readonly OperationIssue[] | undefined
    } = await client.request(operation, { ...input, ...next }, options)
    const { issues = [] } = response
    if (issues.length > 0) observer?.onIssues?.(issues)
    yield* response.data.items
    if (response.data.next === undefined) return
    next = response.data.next
    const cursor = JSON.stringify(next)
    if (cursor === savedCursor)
      throw new OperationsError(
        'OPERATION_PAGE_REPEATED',
        `${operation.name}: the service answered with the same cursor again after ${pages} pages, so more pages would repeat earlier ones`,
        { details: { operation: operation.name, pages } },
      )
    if (pages === checkpoint) {
      savedCursor = cursor
      checkpoint *= 2
    }
  }
}
