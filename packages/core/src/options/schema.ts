/**
 * Schemas of options. Each package declares its options as an object of schemas, and `readOptions` reads them
 * once. It rejects unknown names, checks each value, inserts defaults, and ignores inherited properties. A
 * schema is a function, so that a bundle contains only the schemas that are used.
 */
import { isRecord, typeName } from '../guards.ts'
import { revealSecret } from '../redaction/reveal-secret.ts'
import type { AbortSignalLike } from '../structural.ts'
import { outerSpace } from '../text/outer-space.ts'
import { type Clock, systemClock } from '../time/clock.ts'
import {
  missingOptions,
  type OptionFailure,
  received,
  unknownOption,
  wrongName,
  wrongText,
} from './failure.ts'

/**
 * Checks a value and inserts the default.
 *
 * @param path - Name of the option with the names of its parents, such as `streams.buffer.maxItems`.
 * @throws The error that `fail` creates.
 */
export type Schema<T> = (value: unknown, path: string, fail: OptionFailure) => T

/** Schemas by the name of the option. */
export type Fields = Readonly<Record<string, Schema<unknown>>>

/** The type of the value that a schema returns. */
export type Infer<S> = S extends Schema<infer T> ? T : never

/** The type of the values that an object of schemas returns. */
export type InferFields<F> = { readonly [Name in keyof F]: Infer<F[Name]> }

/** Schemas for all options of an interface: `satisfies FieldsOf<StreamsOptions>`. */
export type FieldsOf<Options> = { readonly [Name in keyof Options]-?: Schema<unknown> }

/**
 * Copies the own properties of an object, without a prototype.
 *
 * @param parent - Name of the object with a dot at its end. Empty for the options themselves.
 * @throws The error that `fail` creates, for a property that is not one of `names`.
 */
export function knownOptions<T extends object>(
  fail: OptionFailure,
  options: T,
  names: readonly string[],
  parent = '',
): T {
  const own: T = { __proto__: null, ...options }
  for (const name of Object.keys(own)) {
    if (!names.includes(name)) throw unknownOption(fail, parent, name, names)
  }
  return own
}

/**
 * Reads options.
 *
 * @param path - Name of the object, for messages. Default: `options`, which is omitted in messages about a
 * property of the object.
 * @returns All options of `fields`. An option that has neither a value nor a default is `undefined`.
 * @throws The error that `fail` creates.
 */
export function readOptions<F extends Fields>(
  fail: OptionFailure,
  options: unknown,
  fields: F,
  path = '',
): InferFields<F> {
  const names = Object.keys(fields)
  if (!isRecord(options)) {
    const required = names.filter((name) => isRequired(fields[name])).join(', ')
    throw fail(path || 'options', `an object${required && ` with ${required}`}`, received(options))
  }
  const parent = path && `${path}.`
  const own: Record<string, unknown> = knownOptions(fail, options, names, parent)
  const read = names.map((name) => {
    try {
      return [name, fields[name]?.(own[name], parent + name, fail)]
    } catch (error) {
      const isMissing = (other: string): boolean => own[other] === undefined && isRequired(fields[other])
      const missing = isMissing(name) ? names.filter(isMissing) : []
      throw missing.length > 1 ? missingOptions(fail, parent, missing) : error
    }
  })
  return Object.fromEntries(read) as InferFields<F>
}

function isRequired(schema: Schema<unknown> | undefined): boolean {
  try {
    schema?.(undefined, '', () => new Error())
    return false
  } catch {
    return true
  }
}

/**
 * An object with these options and no others.
 *
 * @param fallback - Used if the value is `undefined` or `null`.
 */
export const object =
  <F extends Fields>(fields: F, fallback?: object): Schema<InferFields<F>> =>
  (value, path, fail) =>
    readOptions(fail, value ?? fallback ?? value, fields, path)

/** Returns `fields` without those of `names`, for a package that sets those options itself. */
export function omit<F extends Fields, Name extends keyof F>(
  fields: F,
  ...names: readonly Name[]
): Omit<F, Name> {
  const kept = Object.entries(fields).filter(([name]) => !names.includes(name as Name))
  return Object.fromEntries(kept) as Omit<F, Name>
}

/** A value that `test` accepts. @param expected - The condition in messages, after "must be". */
export const custom =
  <T>(expected: string, test: (value: unknown) => boolean): Schema<T> =>
  (value, path, fail) => {
    if (test(value)) return value as T
    throw fail(path, expected, received(value))
  }

/** A value that is not checked here, because another function checks it. */
export const unchecked =
  <T>(): Schema<T> =>
  (value) =>
    value as T

/** A value that `schema` accepts, or `undefined`. */
export const optional =
  <T>(schema: Schema<T>): Schema<T | undefined> =>
  (value, path, fail) =>
    value === undefined ? undefined : schema(value, path, fail)

/** A whole number within limits. */
export const integer =
  (bounds: {
    readonly min: number
    readonly max: number
    readonly default?: number | undefined
  }): Schema<number> =>
  (value = bounds.default, path, fail) => {
    const { min, max } = bounds
    if (Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max) return Number(value)
    throw fail(path, `a whole number from ${min} to ${max}`, received(value))
  }

/** A duration in milliseconds, at most a day. */
export const duration = (fallback: number): Schema<number> =>
  integer({ min: 1, max: 86_400_000, default: fallback })

/** `true` or `false`. */
export const boolean =
  (fallback: boolean): Schema<boolean> =>
  (value = fallback, path, fail) => {
    if (typeof value === 'boolean') return value
    throw fail(path, 'true or false', received(value))
  }

/**
 * A non-empty string.
 *
 * @param limits - A pattern that it must match, and its description in messages:
 * `{ pattern: /^[!-~]+$/, expected: 'visible ASCII' }`.
 * - `isName`: messages show a short string. Do not use it for an option that may receive a secret by mistake.
 */
export const string =
  (
    limits: {
      readonly pattern?: RegExp | undefined
      readonly expected?: string | undefined
      readonly isName?: boolean | undefined
      readonly default?: string | undefined
    } = {},
  ): Schema<string> =>
  (value = limits.default, path, fail) => {
    const { pattern = /./s, expected = 'a non-empty string', isName } = limits
    if (typeof value === 'string' && pattern.test(value)) return value
    const space = typeof value === 'string' ? outerSpace(value) : undefined
    throw space === undefined ? wrongText(fail, path, expected, value, isName) : fail(path, expected, space)
  }

/**
 * Path of a file or directory. NUL is rejected, because Node would throw an error that is not from the file
 * system.
 */
export const filePath: Schema<string> = /* @__PURE__ */ string({
  pattern: /^[^\0]+$/,
  expected: 'a non-empty string without NUL characters',
})

/** One of a few names. */
export const oneOf =
  <const T extends string>(names: readonly T[], fallback?: NoInfer<T> | undefined): Schema<T> =>
  (value = fallback, path, fail) => {
    if (names.includes(value as T)) return value as T
    throw wrongName(fail, path, value, names)
  }

/**
 * A non-empty string, or a `Secret`, of which the string is returned. White space at an end of the string is
 * rejected, because the signature would never match.
 */
export const secret: Schema<string> = (value, path, fail) => {
  const text = revealSecret(value)
  const space = outerSpace(text ?? '')
  if (space !== undefined) throw fail(path, 'without white space at its ends', space)
  if (text) return text
  throw fail(path, 'a non-empty string or a Secret', typeName(text ?? value))
}

/** A function. */
export const func =
  <T>(fallback?: T | undefined): Schema<T> =>
  (value = fallback, path, fail) => {
    if (typeof value === 'function') return value as T
    throw fail(path, 'a function', received(value))
  }

/**
 * An object with these methods. A function with these methods is accepted too, because stubs of remote
 * objects are functions.
 */
export const port =
  <T>(methods: readonly (keyof T & string)[], fallback?: T | undefined): Schema<T> =>
  (value = fallback, path, fail) => {
    if (Object(value) !== value) throw fail(path, `an object with ${methods.join(', ')}`, received(value))
    for (const method of methods) {
      const found: unknown = (value as T)[method]
      if (typeof found !== 'function') throw fail(`${path}.${method}`, 'a function', received(found))
    }
    return value as T
  }

/** A clock. The default is the host's clock. */
export const clock: Schema<Clock> = /* @__PURE__ */ port<Clock>(['now', 'setTimer'], systemClock)

/** An abort signal, or none. */
export const signal: Schema<AbortSignalLike | undefined> = /* @__PURE__ */ optional(
  /* @__PURE__ */ custom<AbortSignalLike>(
    'an AbortSignal',
    (value) =>
      isRecord(value) &&
      typeof value.aborted === 'boolean' &&
      typeof value.addEventListener === 'function' &&
      typeof value.removeEventListener === 'function',
  ),
)

/** An array whose elements all have the same schema. If there is no default, the array must not be empty. */
export const array =
  <T>(
    items: Schema<T>,
    limits: {
      /** The condition in messages, after "must be". */
      readonly expected: string
      readonly default?: readonly T[] | undefined
    },
  ): Schema<readonly T[]> =>
  (value = limits.default, path, fail) => {
    if (!Array.isArray(value) || (!limits.default && value.length === 0)) {
      throw fail(path, limits.expected, received(value))
    }
    return value.map((item, index) => items(item, `${path}[${index}]`, fail))
  }
