/**
 * Calls of the functions of a definition. Users write them, and a row that is spread into a definition brings its own. An error
 * in one of them is a mistake in the definition, and the request is not sent.
 */
import { isBrokerwireError, type RateLimits } from '@brokerwire/core'
import type { OptionFailure } from '@brokerwire/core/internal'
import type { Fields, InputOf } from './fields.ts'
import type { OperationDefinition } from './operation.ts'
import { isOperationsError, OperationsError } from './operations-error.ts'

type Definition<F extends Fields> = Pick<OperationDefinition<F>, 'name' | 'check' | 'headers' | 'rateLimits'>

/**
 * Calls `check` of a definition.
 *
 * @throws OperationsError `OPERATION_DEFINITION_INVALID` if it returns a value, because the input counts as accepted then.
 */
export function checkInput<F extends Fields>(
  definition: Definition<F>,
  input: InputOf<F>,
  fail: OptionFailure,
): void {
  const result: unknown = call(definition, 'check', () => definition.check?.(input, fail))
  if (result === undefined) return
  if (isOperationsError(result)) throw result
  // The error below is the result of the call. A rejection of the promise must not end the process.
  if (result instanceof Promise) result.catch(() => undefined)
  const received = result instanceof Promise ? 'a promise' : typeof result
  throw wrong(definition, `check must return nothing; received ${received}. Throw what fail() returns`)
}

/** Calls `headers` of a definition. */
export const headersFor = <F extends Fields>(
  definition: Definition<F>,
  input: InputOf<F>,
): Readonly<Record<string, string>> => call(definition, 'headers', () => definition.headers?.(input) ?? {})

/** Returns the rate limits of a definition for an input. */
export function rateLimitsFor<F extends Fields>(
  definition: Definition<F>,
  input: InputOf<F>,
): RateLimits | undefined {
  const { rateLimits } = definition
  return typeof rateLimits === 'function'
    ? call(definition, 'rateLimits', () => rateLimits(input))
    : rateLimits
}

/** Calls a function of a definition. An error without a code names the function, because its stack may not. */
function call<T>(definition: Pick<OperationDefinition<Fields>, 'name'>, name: string, run: () => T): T {
  try {
    return run()
  } catch (cause) {
    if (isBrokerwireError(cause)) throw cause
    const reason = cause instanceof Error ? cause.name : 'a value that is no Error'
    throw wrong(
      definition,
      `${name} must not throw other errors than those of fail(); received ${reason}, see "cause". If you spread another operation, "${name}" may be written for its fields`,
      cause,
    )
  }
}

function wrong(
  { name }: Pick<OperationDefinition<Fields>, 'name'>,
  problem: string,
  cause?: unknown,
): OperationsError<'OPERATION_DEFINITION_INVALID'> {
  return new OperationsError(
    'OPERATION_DEFINITION_INVALID',
    `the definition of the operation "${name}" is wrong: ${problem}`,
    { details: { operation: name, problems: [problem] }, cause },
  )
}
