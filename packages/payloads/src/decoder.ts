/**
 * The decoder interface: a Standard Schema that other decoders can call.
 *
 * A plain object of two functions and its definition. The definition is data: the documents' tables and the
 * straight-line code of the hot payloads are made from it.
 */

import { createContext, type DecodeContext, INVALID } from './decode-context.ts'
import type { Definition } from './definition.ts'
import type { JsonText } from './exact-values.ts'
import { formatPath, type Issue } from './issue.ts'
import type { StandardResult, StandardTypes } from './standard-schema.ts'

/** Reads one value; `UNREADABLE` after it has reported why. */
export type DecodeFunction<T> = (value: unknown, context: DecodeContext) => T | typeof INVALID

/** A decoder of this package, usable wherever a Standard Schema is. Its input is parsed JSON. */
export interface Decoder<T> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: '@brokerwire/payloads'
    readonly validate: (value: unknown) => StandardResult<T>
    readonly types?: StandardTypes<unknown, T> | undefined
  }
  /** Reads a value within a larger one. For combinators. */
  readonly '~decode': DecodeFunction<T>
  /** Reads a clean value quickly; `undefined` for any other. Only some payloads have it. */
  readonly '~fastPath'?: ((value: unknown, json: JsonText) => T | undefined) | undefined
  /** Definition of the decoder, as data. */
  readonly definition: Definition
}

/** The output type of a decoder. */
export type Infer<D> = D extends Decoder<infer T> ? T : never

/**
 * Creates a decoder.
 *
 * @example
 * ```ts
 * import { decodeJson, decoder, invalid } from '@brokerwire/payloads'
 *
 * const currency = decoder({ kind: 'string' }, (value, context) =>
 *   typeof value === 'string' && /^[A-Z]{3}$/.test(value)
 *     ? value
 *     : invalid(context, 'wrong-format', 'three capital letters', value),
 * )
 * console.log(decodeJson(currency, '"USD"').ok) // true
 * ```
 */
export function decoder<T>(definition: Definition, read: DecodeFunction<T>): Decoder<T> {
  return {
    '~standard': {
      version: 1,
      vendor: '@brokerwire/payloads',
      validate: (value) => {
        const context = createContext(false)
        const output = read(value, context)
        if (output !== INVALID) return { value: output }
        return {
          issues: context.problems.map((issue) => ({ message: formatProblem(issue), path: issue.path })),
        }
      },
    },
    '~decode': read,
    definition,
  }
}

/** A problem in words, without the value. */
export function formatProblem({ code, path, expected }: Issue): string {
  return `${formatPath(path)}: ${code === 'missing' ? 'missing, ' : ''}expected ${expected}`
}
