/** Requests that an operation creates, and their decoded responses. */
import type { Operation, OperationRateLimiter, OperationRequest, PathFamily } from '@brokerwire/core'
import {
  boolean,
  type FieldsOf,
  func,
  oneOf,
  optional,
  readOptions,
  unchecked,
} from '@brokerwire/core/internal'
import type { ClientSettings } from './client-options.ts'
import { headers } from './headers.ts'
import { HttpError, isHttpError, optionFailure } from './http-error.ts'
import type { OperationOptions, OperationResponse } from './operation-types.ts'
import type { HttpRequest, HttpResponse } from './request.ts'

/**
 * Schemas of {@link OperationOptions}. There are no options for method, path, version, fields and whether a
 * token is sent, because the operation decides these.
 */
const OPERATION_OPTIONS = {
  pathFamily: optional(oneOf(['current', 'openapi'])),
  allowGuessed: boolean(false),
  // These options are read here, because they are combined with those of the operation and the limiter.
  headers,
  beforeAttempt: optional(func<OperationOptions['beforeAttempt'] & object>()),
  onAttemptEnd: optional(func<OperationOptions['onAttemptEnd'] & object>()),
  // These options are checked together with the request.
  accessToken: unchecked<OperationOptions['accessToken']>(),
  retry: unchecked<OperationOptions['retry']>(),
  timeoutMs: unchecked<OperationOptions['timeoutMs']>(),
  maxResponseBytes: unchecked<OperationOptions['maxResponseBytes']>(),
  signal: unchecked<OperationOptions['signal']>(),
} satisfies FieldsOf<OperationOptions>

/** Whether the first argument of `request()` is an operation. */
export const isOperation = <Input, Output>(
  given: HttpRequest | Operation<Input, Output>,
): given is Operation<Input, Output> =>
  typeof (given as Partial<Operation<Input, Output>>)?.createRequest === 'function'

/**
 * Sends the request of an operation and decodes its response.
 *
 * @param send - Sends the request as `HttpClient.request` does.
 */
export async function requestOperation<Input, Output>(
  settings: ClientSettings,
  send: (request: HttpRequest) => Promise<HttpResponse>,
  operation: Operation<Input, Output>,
  input: Input,
  options: OperationOptions,
): Promise<OperationResponse<Output>> {
  const {
    pathFamily = settings.pathFamily,
    allowGuessed,
    headers: ownHeaders,
    ...own
  } = readOptions(optionFailure, options, OPERATION_OPTIONS)
  const request = operation.createRequest(input, { pathFamily, allowGuessed })
  const { method, path, apiVersion, query, json, authenticated } = request
  try {
    const response = await send({
      method,
      path,
      operation: operation.name,
      apiVersion,
      query,
      json,
      authenticated,
      ...own,
      retry: own.retry ?? request.retry,
      headers: { ...request.headers, ...ownHeaders },
      ...limited(settings.operationRateLimiter, operation.name, request, own),
    })
    return { ...response, ...operation.readResponse(response, request) }
  } catch (error) {
    throw explainNotFound(error, pathFamily, () =>
      operation.createRequest(input, { pathFamily: otherFamily(pathFamily), allowGuessed }),
    )
  }
}

/** Returns hooks that wait for the limiter before each attempt, and report a 429 to it. */
function limited(
  limiter: OperationRateLimiter | undefined,
  name: string,
  { rateLimits }: OperationRequest,
  options: Pick<OperationOptions, 'beforeAttempt' | 'onAttemptEnd'>,
): Pick<HttpRequest, 'beforeAttempt' | 'onAttemptEnd'> {
  if (limiter === undefined) return {}
  return {
    async beforeAttempt(given) {
      await limiter.acquire(name, rateLimits, { signal: given.signal })
      await options.beforeAttempt?.(given)
    },
    onAttemptEnd(end) {
      if (end.errorCode === 'HTTP_RATE_LIMITED') limiter.backOff(name, rateLimits, end.retryAfterMs)
      options.onAttemptEnd?.(end)
    },
  }
}

const otherFamily = (pathFamily: PathFamily): PathFamily => (pathFamily === 'current' ? 'openapi' : 'current')

/**
 * Adds the possible reasons to the error of a 404 without a code, which comes from the gateway. The response does not distinguish
 * the reasons.
 *
 * @param createOther - Creates the same request in the other path family. It throws if the operation has no path there.
 */
function explainNotFound(error: unknown, pathFamily: PathFamily, createOther: () => unknown): unknown {
  if (!isHttpError(error, 'HTTP_CLIENT_ERROR')) return error
  const { status, serviceCode } = error.details
  if (status !== 404 || serviceCode !== undefined) return error
  const hint = canCreate(createOther) ? ` (try pathFamily: "${otherFamily(pathFamily)}")` : ''
  const reasons = `The path may not exist, this host may not serve the path family "${pathFamily}"${hint}, or the app key may belong to another environment`
  return new HttpError(error.code, `${error.message}. ${reasons}`, error)
}

function canCreate(create: () => unknown): boolean {
  try {
    create()
    return true
  } catch {
    return false
  }
}
