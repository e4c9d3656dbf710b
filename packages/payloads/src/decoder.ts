/**
 * The decoder interface: a Standard Schema that other decoders can call. A decoder has its definition as
 * data, from which the tables of PAYLOADS.md and the fast path of trade events are generated.
 */

import { createContext, type DecodeContext, INVALID } from './decode-context.ts'
import type { Definition } from './definition.ts'
import type { JsonText } from './exact-values.ts'
import { formatPath, type Issue } from './issue.ts'
import type { StandardResult, StandardTypes } from './standard-schema.ts'

/** Decodes one value. Returns `INVALID` after it has reported the problem. */
export type DecodeFunction<T> = (value: unknown, context: DecodeContext) => T | typeof INVALID

/** A decoder of this package, which is also a Standard Schema. Its input is parsed JSON. */
export interface Decoder<T> {
  /** The Standard Schema properties of the decoder. */
  readonly '~standard': {
    /** Version of the Standard Schema specification. */
    readonly version: 1
    /** Name of the library with this schema. */
    readonly vendor: '@brokerwire/payloads'
    /** Validates and decodes a parsed JSON value. */
    readonly validate: (value: unknown) => StandardResult<T>
    /** Input and output types; absent at run time. */
    readonly types?: StandardTypes<unknown, T> | undefined
  }
  /** Decodes a value within a larger value. Combinators call it. */
  readonly '~decode': DecodeFunction<T>
  /**
   * Decodes a value that has no difference from the documents. It is faster than `~decode`, and returns
   * `undefined` for any other value. Only decoders of frequent payloads have it.
   */
  readonly '~fastPath'?: ((value: unknown, json: JsonText) => T | undefined) | undefined
  /** Definition of the decoder as data. */
  readonly definition: Definition
}

/** The output type of a decoder. */
export type Infer<D> = D extends Decoder<infer T> ? T : never

/**
 * Creates a decoder from a definition and a function.
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

/** Formats a problem without the value. */
export function formatProblem({ code, path, expected }: Issue): string {
  return `${formatPath(path)}: ${code === 'missing' ? 'missing, ' : ''}expected ${expected}`
}
