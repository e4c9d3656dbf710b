/**
 * Calls of the functions of a definition. Users write them, and a row that is spread into a definition brings its own. An error
 * in one of them is a mistake in the definition, and the request is not sent.
 */
import { isBrokerwireError, type RateLimits } from '@brokerwire/core'
import type { OptionFailure } from '@brokerwire/core/internal'
import { isOperationsError, OperationsError } from './operations-error.ts'

/** The part of a definition that has functions of its input. */
interface Definition<Input> {
  readonly name: string
  readonly headers?: ((input: Input) => Readonly<Record<string, string>>) | undefined
  readonly check?: ((input: Input, fail: OptionFailure) => void) | undefined
  readonly rateLimits?: RateLimits | ((input: Input) => RateLimits) | undefined
}

/**
 * Calls `check` of a definition.
 *
 * @throws OperationsError `OPERATION_DEFINITION_INVALID` if it returns a value. A promise or `false` would reject nothing.
 */
export function checkInput<Input>(definition: Definition<Input>, input: Input, fail: OptionFailure): void {
  const result: unknown = call(definition, 'check', () => definition.check?.(input, fail))
  if (result === undefined) return
  if (isOperationsError(result)) throw result
  // The error below is the result of the call. A rejection of the promise must not end the process.
  if (result instanceof Promise) result.catch(() => undefined)
  const received = result instanceof Promise ? 'a promise' : typeof result
  throw wrong(definition, `check must return nothing; received ${received}. Throw what fail() returns`)
}

/** Calls `headers` of a definition. */
export const headersFor = <Input>(
  definition: Definition<Input>,
  input: Input,
): Readonly<Record<string, string>> => call(definition, 'headers', () => definition.headers?.(input) ?? {})

/** Returns the rate limits of a definition for an input. */
export function rateLimitsFor<Input>(definition: Definition<Input>, input: Input): RateLimits | undefined {
  const { rateLimits } = definition
  return typeof rateLimits === 'function'
    ? call(definition, 'rateLimits', () => rateLimits(input))
    : rateLimits
}

/** Calls a function of a definition. An error without a code names the function, because its stack may not. */
function call<T>(definition: { readonly name: string }, name: string, run: () => T): T {
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
  { name }: { readonly name: string },
  problem: string,
  cause?: unknown,
): OperationsError<'OPERATION_DEFINITION_INVALID'> {
  return new OperationsError(
    'OPERATION_DEFINITION_INVALID',
    `the definition of the operation "${name}" is wrong: ${problem}`,
    { details: { operation: name, problems: [problem] }, cause },
  )
}
