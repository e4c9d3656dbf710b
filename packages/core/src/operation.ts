/**
 * The port between a client that sends requests and an operation that creates them. `createHttpClient` of
 * `@brokerwire/http` accepts every operation of `@brokerwire/operations`, and operations that you define.
 */
import type { QueryPair } from './options/query-input.ts'
import type { AbortSignalLike } from './structural.ts'

/**
 * The path family of the service. It determines the path, the API version and the form of the response:
 * - `current`: the paths of the current documents, such as `/trading/orders/place`
 * - `openapi`: the earlier paths, such as `/openapi/trade/order/place`
 */
export type PathFamily = 'current' | 'openapi'

/** A rate limit of the service for one app key. */
export interface RateLimit {
  /** Number of requests in one window. */
  readonly limit: number
  /** Length of the window in milliseconds. */
  readonly windowMs: number
  /**
   * Name of the counter that this limit uses, if an operation has several counters.
   * @defaultValue the operation has one counter
   */
  readonly counter?: string | undefined
}

/** Rate limits by region. Regions other than `hk` have the limit of `us`. */
export interface RateLimits {
  /** Production of the US region. */
  readonly us: RateLimit
  /** Production of the Hong Kong region. @defaultValue that of `us` */
  readonly hk?: RateLimit | undefined
  /** The sandbox of the US region. @defaultValue 30 requests in 60 seconds */
  readonly sandbox?: RateLimit | undefined
}

/**
 * Delays requests of operations to keep the service's limits: `createOperationRateLimiter` of
 * `@brokerwire/tokens`, or your own. It is the option `operationRateLimiter` of `createHttpClient`.
 */
export interface OperationRateLimiter {
  /**
   * Resolves when the request may be sent.
   *
   * @param operation - Name of the operation, such as `orders.place`.
   * @param rateLimits - The service's limits of this request. `undefined` if none is published.
   * @throws The signal's reason when it aborts. The request then fails with that error and is not sent.
   */
  acquire(
    operation: string,
    rateLimits: RateLimits | undefined,
    options: { readonly signal?: AbortSignalLike | undefined },
  ): Promise<void>
  /**
   * Reports a response with status 429. The operation then pauses.
   *
   * @param delayMs - The wait of `Retry-After` in milliseconds. `undefined` if the response had none.
   */
  backOff(operation: string, rateLimits: RateLimits | undefined, delayMs: number | undefined): void
}

/** Options of {@link Operation.createRequest}. */
export interface OperationRequestOptions {
  /** The path family that determines the path, the API version and the form of the response. */
  readonly pathFamily: PathFamily
  /**
   * Whether fields are accepted that no source shows, so that their existence is only a guess.
   * @defaultValue false
   */
  readonly allowGuessed?: boolean | undefined
}

/** A request of an operation, before it is signed. */
export interface OperationRequest {
  /** HTTP method of the request. */
  readonly method: 'GET' | 'POST'
  /** The path family that was chosen. */
  readonly pathFamily: PathFamily
  /** Path in the chosen family. */
  readonly path: string
  /** API version of the path, which is sent as `x-version`. */
  readonly apiVersion: 'v2' | 'v3'
  /** Names and values of the query. Empty for a POST. */
  readonly query: readonly QueryPair[]
  /** The body, sent as compact JSON. `undefined` for a GET. */
  readonly json: Readonly<Record<string, unknown>> | undefined
  /** Additional headers of the operation. */
  readonly headers: Readonly<Record<string, string>>
  /** Whether the request carries an access token. */
  readonly authenticated: boolean
  /** Condition under which the request may be sent again after a failure. */
  readonly retry: 'always' | 'unsent' | 'never'
  /** The service's limits of this request. `undefined` if none is published. */
  readonly rateLimits: RateLimits | undefined
}

/** A difference between a response and its documentation that decoding reports. */
export interface OperationIssue {
  /** Kind of the difference, a value of `IssueCode` of `@brokerwire/payloads`. */
  readonly code: string
  /** Path of the value from the root of the response, with the names as they were received. */
  readonly path: readonly (string | number)[]
  /** Description of the expected value or type. */
  readonly expected: string
  /** At most 24 printable characters of the value. */
  readonly excerpt?: string | undefined
}

/** The part of a response that an operation decodes. */
export interface OperationResponseInput {
  /** HTTP status of the response, 200 to 299. */
  readonly status: number
  /** `X-Request-Id` of the response. */
  readonly requestId: string | undefined
  /** Returns the body as text. */
  text(): string
}

/** An HTTP operation of the service: creates a request from its input, and decodes the response. */
export interface Operation<Input, Output> {
  /** Name of the operation, such as `orders.place`. */
  readonly name: string
  /**
   * Checks the input and creates the request.
   *
   * @throws OperationsError `OPERATION_INPUT_INVALID`, `OPERATION_FIELD_GUESSED`, `OPERATION_UNAVAILABLE`.
   */
  createRequest(input: Input, options: OperationRequestOptions): OperationRequest
  /**
   * Decodes a successful response.
   *
   * @param request - The request that the response belongs to.
   * @throws OperationsError `OPERATION_RESPONSE_INVALID`.
   */
  readResponse(
    response: OperationResponseInput,
    request: OperationRequest,
  ): { readonly data: Output; readonly issues: readonly OperationIssue[] }
}
