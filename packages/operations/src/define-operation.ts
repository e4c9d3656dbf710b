/**
 * Defines operations that users add. The rows of the table are created without the checks of a definition, so that a bundle
 * with a row does not contain the checks. The tests of the rows run the checks instead.
 */
import type { Decoder } from '@brokerwire/payloads'
import {
  checkDefinition,
  checkNoPagination,
  checkPagination,
  checkRateLimits,
  throwProblems,
} from './check-definition.ts'
import type { Fields } from './fields.ts'
import {
  createOperation,
  createPagedOperation,
  type DefinedOperation,
  type LastIdPagination,
  type OperationDefinition,
  type PagedOperation,
} from './operation.ts'

/**
 * Defines an operation: one that the table lacks, or another version of one that it has.
 *
 * @throws OperationsError `OPERATION_DEFINITION_INVALID` with all problems of the definition. `createRequest` throws it too, if
 * the function `rateLimits` returns wrong limits.
 *
 * @example
 * ```ts
 * import { defineOperation, field } from '@brokerwire/operations'
 * import { array, object, string } from '@brokerwire/payloads'
 *
 * const listWatchlists = defineOperation(
 *   {
 *     name: 'watchlists.list',
 *     method: 'GET',
 *     paths: { current: '/trading/watchlists/list' },
 *     fields: { accountId: field.string() },
 *     retry: 'always',
 *     sources: ['my notes, 2026-11-01'],
 *     confidence: 'observed',
 *   },
 *   array(object({ name: string })),
 * )
 * console.log(listWatchlists.createRequest({ accountId: 'A1' }, { pathFamily: 'current' }).query)
 * ```
 */
export function defineOperation<const F extends Fields, Output>(
  definition: OperationDefinition<F>,
  decoder: Decoder<Output>,
): DefinedOperation<F, Output> {
  throwProblems(definition, [...checkDefinition(definition, decoder), ...checkNoPagination(definition)])
  return createOperation(withCheckedLimits(definition), decoder)
}

/**
 * Defines an operation whose response is a list with pages. In the current path family the response is `{ data, pagination_key
 * }`, in the earlier one it is an array; both become a {@link Page}. Both families may have the same path, because the family
 * of the request decides how the response is read.
 *
 * @param item - Decoder of one item.
 * @param pagination - How the pages follow each other in the earlier path family. Omit it if the operation has no path there.
 * @throws OperationsError `OPERATION_DEFINITION_INVALID`.
 *
 * @example
 * ```ts
 * import { definePagedOperation, field } from '@brokerwire/operations'
 * import { object, string } from '@brokerwire/payloads'
 *
 * const listTransfers = definePagedOperation(
 *   {
 *     name: 'transfers.list',
 *     method: 'GET',
 *     paths: { current: '/trading/transfers/list' },
 *     fields: {
 *       accountId: field.string(),
 *       paginationKey: field.optional(field.string(), { family: 'current' }),
 *       lastId: field.optional(field.string(), { family: 'openapi' }),
 *       pageSize: field.optional(field.integer(1, 100), { family: 'openapi' }),
 *     },
 *     retry: 'always',
 *     sources: ['my notes, 2026-11-01'],
 *     confidence: 'guessed',
 *   },
 *   object({ id: string }),
 *   { cursor: 'lastId', idOf: ({ id }) => id, pageSize: 'pageSize', defaultPageSize: 10 },
 * )
 * console.log(listTransfers.name)
 * ```
 */
export function definePagedOperation<const F extends Fields, Item>(
  definition: OperationDefinition<F>,
  item: Decoder<Item>,
  pagination?: LastIdPagination<NoInfer<keyof F & string>, Item> | undefined,
): PagedOperation<F, Item> {
  throwProblems(definition, [
    ...checkDefinition(definition, item),
    ...checkPagination(definition, pagination),
  ])
  return createPagedOperation(withCheckedLimits(definition), item, pagination)
}

/** Returns the definition with a check of the rate limits that its function returns. */
function withCheckedLimits<F extends Fields>(definition: OperationDefinition<F>): OperationDefinition<F> {
  const { rateLimits } = definition
  if (typeof rateLimits !== 'function') return definition
  return {
    ...definition,
    rateLimits(input) {
      const limits = rateLimits(input)
      throwProblems(definition, checkRateLimits(limits))
      return limits
    },
  }
}
