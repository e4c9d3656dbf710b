/**
 * Operations: each is a row of the table, with the functions that a client calls. Definitions are not checked here; the tests
 * of the table check its rows.
 */
import {
  isBrokerwireError,
  type Operation,
  type OperationIssue,
  type OperationRequest,
  type OperationRequestOptions,
  type OperationResponseInput,
  type PathFamily,
  type RateLimits,
} from '@brokerwire/core'
import { type OptionFailure, stripByteOrderMark } from '@brokerwire/core/internal'
import {
  array,
  type DecodeResult,
  type Decoder,
  type Extra,
  formatPath,
  object,
  optional,
  string,
} from '@brokerwire/payloads'
import { decodeText } from '@brokerwire/payloads/internal'
import { checkInput, headersFor, rateLimitsFor } from './definition-functions.ts'
import { createEncodeContext, encodeFields, toQuery, wireName } from './encode.ts'
import type { Confidence, Fields, InputOf } from './fields.ts'
import { nothing } from './nothing.ts'
import { OperationsError } from './operations-error.ts'

/** A source of facts: its key in `SOURCES` of `@brokerwire/operations/table`, or your own text. */
export type SourceKey = string

/** A row of the table. */
export interface OperationDefinition<F extends Fields> {
  /** Name for errors and rate limits, such as `orders.place`: letters, digits, `.`, `-` and `_`. */
  readonly name: string
  /** HTTP method. A GET sends the fields as its query, a POST as its JSON body. */
  readonly method: 'GET' | 'POST'
  /**
   * Path in each family, without a query and without parts that depend on the input. Without a path, the family has no
   * such operation.
   */
  readonly paths: { readonly [Family in PathFamily]?: string | undefined }
  /** API version of each path. @defaultValue `{ current: 'v3', openapi: 'v2' }`, also for each family alone */
  readonly apiVersions?: { readonly [Family in PathFamily]?: 'v2' | 'v3' | undefined } | undefined
  /** Whether the request carries an access token. @defaultValue true */
  readonly authenticated?: boolean | undefined
  /** Fields of the request. */
  readonly fields: F
  /** Additional headers for an input. @defaultValue none */
  readonly headers?: ((input: InputOf<F>) => Readonly<Record<string, string>>) | undefined
  /**
   * Checks conditions that several fields must meet together. To reject the input, it throws the error that
   * `fail(field, expected, received)` returns. It is synchronous and returns nothing.
   * @defaultValue none
   */
  readonly check?: ((input: InputOf<F>, fail: OptionFailure) => void) | undefined
  /**
   * The kind of data that a request changes at the service. Ask a person before you send such a request, as
   * `brokerwire api` does in production.
   * @defaultValue none: the operation reads
   */
  readonly effect?: 'orders' | 'tokens' | undefined
  /** Names of response fields that contain a secret, for tools that show responses. @defaultValue none */
  readonly responseSecrets?: readonly string[] | undefined
  /**
   * When a failed request may be sent again: `'always'` if it may be sent twice, `'unsent'` if it has an effect, or
   * `'never'`.
   */
  readonly retry: OperationRequest['retry']
  /** Published rate limits; a function if they depend on the input. @defaultValue none */
  readonly rateLimits?: RateLimits | ((input: InputOf<F>) => RateLimits) | undefined
  /** Differences between the regions, in words. @defaultValue none */
  readonly regions?: string | undefined
  /** Sources of the facts of this row. */
  readonly sources: readonly SourceKey[]
  /** How sure the facts of the row are as a whole. */
  readonly confidence: Confidence
}

/**
 * How the pages of an operation follow each other in the earlier path family: the next request contains an id of the
 * last item of a page.
 */
export interface LastIdPagination<Name extends string, Item> {
  /** The field that carries the id of the last item. */
  readonly cursor: Name
  /**
   * Returns the id of an item, which `cursor` carries if the item is the last one of a page. If it returns `undefined` or `''` for
   * the last item of a full page, the request fails, because the next page cannot be requested.
   */
  readonly idOf: (item: Item) => string | undefined
  /** The field that requests a number of items for each page. */
  readonly pageSize: Name
  /**
   * The number of items of a page if the request has no field `pageSize`. A page with fewer items than this and than requested
   * is the last one. If the service may send smaller pages before the last one, set 1: only an empty page is the last one then.
   */
  readonly defaultPageSize: number
}

/** One page of a list. */
export interface Page<Item, Next> {
  /** Items of the page, in the order of the service. */
  readonly items: readonly Item[]
  /** Fields to add to the same input for the next page; `undefined` on the last page. */
  readonly next: Next | undefined
  /** Fields of the response that the decoder does not know. */
  readonly extra: Extra
}

/**
 * An operation of the table: its definition, and the functions that a client calls. `Decoded` is what the decoder returns: the
 * output, or one item of it if the response is a list with pages.
 */
export interface DefinedOperation<F extends Fields, Output, Decoded = Output>
  extends OperationDefinition<F>,
    Operation<InputOf<F>, Output> {
  /** Decoder of the response, or of one item if the response is a list with pages. */
  readonly decoder: Decoder<Decoded>
  /** Whether the response is a list with pages. @defaultValue false */
  readonly paged?: boolean | undefined
  /** How the pages follow each other in the earlier path family. */
  readonly pagination?: LastIdPagination<keyof F & string, never> | undefined
}

/** An operation whose response is a page of a list. */
export interface PagedOperation<F extends Fields, Item>
  extends DefinedOperation<F, Page<Item, Partial<InputOf<F>>>, Item> {
  /** Always `true`: the response is a list with pages. */
  readonly paged: true
  /**
   * How the pages follow each other in the earlier path family. `undefined` if the operation has no path there. In
   * the current family, the field `paginationKey` is the cursor.
   */
  readonly pagination: LastIdPagination<keyof F & string, Item> | undefined
}

/** Creates an operation. The definition is not checked. */
export function createOperation<const F extends Fields, Output>(
  definition: OperationDefinition<F>,
  decoder: Decoder<Output>,
): DefinedOperation<F, Output> {
  return {
    ...definition,
    decoder,
    createRequest: (input, options) => createRequest(definition, input, options),
    readResponse: (response) => decode(definition, decoder, response),
  }
}

/** Creates an operation with pages. The definition is not checked. */
export function createPagedOperation<const F extends Fields, Item>(
  definition: OperationDefinition<F>,
  item: Decoder<Item>,
  pagination: LastIdPagination<keyof F & string, Item> | undefined,
): PagedOperation<F, Item> {
  const items = array(item)
  const keyed = object({ data: items, paginationKey: optional(string) })
  return {
    ...definition,
    decoder: item,
    paged: true,
    pagination,
    createRequest: (input, options) => createRequest(definition, input, options),
    readResponse(response, request) {
      if (pagination === undefined || request.pathFamily === 'current') {
        const { data, issues } = decode(definition, keyed, response)
        const { paginationKey, extra } = data
        if (extra.pagination_key !== undefined)
          throw undecodable(definition, response, ['pagination_key: expected text'])
        const next = paginationKey ? ({ paginationKey } as unknown as Partial<InputOf<F>>) : undefined
        return { data: { items: data.data, next, extra }, issues }
      }
      const { data, issues } = decode(definition, items, response)
      return {
        data: { items: data, next: nextByLastId(definition, pagination, data, request, response), extra: {} },
        issues,
      }
    },
  }
}

/**
 * Returns the fields for the next page in the earlier path family; `undefined` after the last page. That page has fewer items
 * than requested, and also fewer than the default: a service may send fewer items than requested, up to its own maximum.
 */
function nextByLastId<F extends Fields, Item>(
  definition: OperationDefinition<F>,
  { cursor, idOf, pageSize, defaultPageSize }: LastIdPagination<keyof F & string, Item>,
  items: readonly Item[],
  { query, json }: OperationRequest,
  response: OperationResponseInput,
): Partial<InputOf<F>> | undefined {
  const sizeName = wireName(pageSize, definition.fields[pageSize] ?? {})
  const size = Number(query.find(([name]) => name === sizeName)?.[1] ?? json?.[sizeName] ?? defaultPageSize)
  const last = items.at(-1)
  if (last === undefined || items.length < Math.min(size, defaultPageSize)) return undefined
  const id = idOf(last)
  if (!id)
    throw undecodable(definition, response, [
      `[${items.length - 1}]: expected an id, from which the next page continues`,
    ])
  return { [cursor]: id } as unknown as Partial<InputOf<F>>
}

/** Returns the API version of a path. */
export const getApiVersion = (
  { apiVersions }: Pick<OperationDefinition<Fields>, 'apiVersions'>,
  family: PathFamily,
): 'v2' | 'v3' => apiVersions?.[family] ?? (family === 'current' ? 'v3' : 'v2')

function createRequest<F extends Fields>(
  definition: OperationDefinition<F>,
  input: InputOf<F>,
  options: OperationRequestOptions,
): OperationRequest {
  const { name, method, paths, fields } = definition
  const { pathFamily } = options
  const path = paths[pathFamily]
  if (path === undefined)
    throw new OperationsError(
      'OPERATION_UNAVAILABLE',
      `${name} has no path in the path family "${pathFamily}"; set pathFamily: "${pathFamily === 'current' ? 'openapi' : 'current'}"`,
      { details: { operation: name, pathFamily } },
    )
  const context = createEncodeContext(name, options)
  const encoded = encodeFields(fields, input, '', context)
  checkInput(definition, input, context.fail)
  return {
    method,
    pathFamily,
    path,
    apiVersion: getApiVersion(definition, pathFamily),
    query: method === 'GET' ? toQuery(encoded, context) : [],
    json: method === 'GET' ? undefined : encoded,
    headers: headersFor(definition, input),
    authenticated: definition.authenticated ?? true,
    retry: definition.retry,
    rateLimits: rateLimitsFor(definition, input),
  }
}

/** The part of a definition that errors show. */
type Named = Pick<OperationDefinition<Fields>, 'name'>

function decode<T>(
  definition: Named,
  decoder: Decoder<T>,
  response: OperationResponseInput,
): { readonly data: T; readonly issues: readonly OperationIssue[] } {
  if (decoder === (nothing as Decoder<unknown>)) return { data: undefined as T, issues: [] }
  let result: DecodeResult<T>
  let text = ''
  try {
    text = stripByteOrderMark(response.text())
    // There is no limit of the size here, because the client limits the size of responses.
    result = decodeText(decoder, text)
  } catch (cause) {
    const reason = isBrokerwireError(cause) ? cause.message : 'the decoder threw an error, see "cause"'
    throw undecodable(definition, response, [], reason, cause)
  }
  if (result.ok) return { data: result.value, issues: result.issues }
  const { error } = result
  const found = 'problems' in error.details ? error.details.problems : []
  const problems = found
    .slice(0, 3)
    .map(({ code, path, expected }) =>
      code === 'missing' ? `${formatPath(path)} is missing` : `${formatPath(path)}: expected ${expected}`,
    )
  const more = found.length > 3 ? `; and ${found.length - 3} more` : ''
  const reason = found.length > 0 ? problems.join('; ') + more : `expected JSON; received ${bodyKind(text)}`
  throw undecodable(definition, response, problems, reason)
}

/** Returns the kind of a body that is not JSON, without its text. */
function bodyKind(text: string): string {
  if (text.trim() === '') return 'an empty body'
  return /^\s*</.test(text) ? 'HTML or XML' : 'other text'
}

/** Creates the error of a response that cannot be decoded. */
function undecodable(
  { name }: Named,
  response: OperationResponseInput,
  problems: readonly string[],
  reason = problems.join('; '),
  cause?: unknown,
): OperationsError<'OPERATION_RESPONSE_INVALID'> {
  const { status, requestId } = response
  return new OperationsError(
    'OPERATION_RESPONSE_INVALID',
    `${name}: the service answered with ${status}, and its response cannot be decoded: ${reason}. "error.response" is the response`,
    { details: { operation: name, status, requestId, problems }, cause },
    response,
  )
}
