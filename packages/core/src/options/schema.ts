/**
 * Schemas of options. Each package declares its options as an object of schemas, and `readOptions` reads them once: it rejects
 * unknown names, checks each value, fills in defaults, and ignores inherited properties.
 *
 * A schema also has the keywords of JSON Schema, for configuration files whose schema is published.
 */
import { isRecord } from '../guards.ts'
import { revealSecret } from '../redaction/reveal-secret.ts'
import type { AbortSignalLike } from '../structural.ts'
import { type Clock, systemClock } from '../time/clock.ts'
import { type OptionFailure, received, unknownOption, wrongName } from './failure.ts'

/** Checks one value. */
export interface Schema<T> {
  /**
   * Checks a value and fills in the default.
   *
   * @param path - Name of the option with the names of its parents, such as `streams.buffer.maxItems`.
   * @throws What `fail` creates.
   */
  read(value: unknown, path: string, fail: OptionFailure): T
  /** Whether the value may be missing. */
  readonly isOptional?: boolean | undefined
  /** Keywords of JSON Schema, except those that describe parts. */
  readonly json?: Readonly<Record<string, unknown>> | undefined
  /** Parts of an object. */
  readonly fields?: Fields | undefined
  /** Element of an array. */
  readonly items?: Schema<unknown> | undefined
}

/** Schemas by the name of the option. */
export type Fields = Readonly<Record<string, Schema<unknown>>>

/** What a schema reads. */
export type Infer<S> = S extends Schema<infer T> ? T : never

/** What an object of schemas reads. */
export type InferFields<F> = { readonly [Name in keyof F]: Infer<F[Name]> }

/** Schemas for all options of an interface: `satisfies FieldsOf<StreamsOptions>`. */
export type FieldsOf<Options> = { readonly [Name in keyof Options]-?: Schema<unknown> }

/**
 * Reads options.
 *
 * @param path - Name of the object, for messages. Default: `options`, whose parts are named without it.
 * @returns All options of `fields`: `undefined` if there is neither a value nor a default.
 * @throws What `fail` creates.
 */
export const readOptions = <F extends Fields>(
  fail: OptionFailure,
  options: unknown,
  fields: F,
  path = '',
): InferFields<F> => object(fields).read(options, path, fail)

/** An object with exactly these options. @param fallback - Read in place of `undefined` and `null`. */
export const object = <F extends Fields>(fields: F, fallback?: object): Schema<InferFields<F>> => ({
  isOptional: fallback !== undefined,
  json: { type: 'object', additionalProperties: false, default: fallback },
  fields,
  read(value, path, fail) {
    const given = value ?? fallback
    const names = Object.keys(fields)
    if (!isRecord(given)) {
      const required = names.filter((name) => !fields[name]?.isOptional).join(', ')
      throw fail(path || 'options', `an object${required && ` with ${required}`}`, received(value))
    }
    const own: Record<string, unknown> = { __proto__: null, ...given }
    const parent = path && `${path}.`
    for (const name of Object.keys(own)) {
      if (!names.includes(name)) throw unknownOption(fail, parent, name, names)
    }
    const read = names.map((name) => [name, fields[name]?.read(own[name], parent + name, fail)])
    return Object.fromEntries(read) as InferFields<F>
  },
})

/** A value of a type that only a test can describe. @param expected - After "must be". */
export const custom = <T>(expected: string, test: (value: unknown) => boolean): Schema<T> => ({
  read(value, path, fail) {
    if (test(value)) return value as T
    throw fail(path, expected, received(value))
  },
})

/** A value that another function checks. */
export const unchecked = <T>(): Schema<T> => ({ isOptional: true, read: (value) => value as T })

/** The value of another schema, or `undefined` if there is none. */
export const optional = <T>(schema: Schema<T>): Schema<T | undefined> => ({
  ...schema,
  isOptional: true,
  read: (value, path, fail) => (value === undefined ? undefined : schema.read(value, path, fail)),
})

/** A whole number within bounds. */
export const integer = (bounds: {
  readonly min: number
  readonly max: number
  readonly default?: number | undefined
}): Schema<number> => {
  const { min, max, default: fallback } = bounds
  return {
    isOptional: fallback !== undefined,
    json: { type: 'integer', minimum: min, maximum: max, default: fallback },
    read(value = fallback, path, fail) {
      if (Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max) return Number(value)
      throw fail(path, `a whole number from ${min} to ${max}`, received(value))
    },
  }
}

/** Milliseconds, at most a day. */
export const duration = (fallback: number): Schema<number> =>
  integer({ min: 1, max: 86_400_000, default: fallback })

/** `true` or `false`. */
export const boolean = (fallback: boolean): Schema<boolean> => ({
  isOptional: true,
  json: { type: 'boolean', default: fallback },
  read(value = fallback, path, fail) {
    if (typeof value === 'boolean') return value
    throw fail(path, 'true or false', received(value))
  },
})

/**
 * Non-empty text.
 *
 * @param pattern - What it must match, and how messages state that: `{ pattern: /^[!-~]+$/, expected: 'visible ASCII' }`.
 */
export const string = (
  limits: {
    readonly pattern?: RegExp | undefined
    readonly expected?: string | undefined
    readonly default?: string | undefined
  } = {},
): Schema<string> => {
  const { pattern, expected = 'a non-empty string', default: fallback } = limits
  return {
    isOptional: fallback !== undefined,
    json: { type: 'string', minLength: 1, pattern: pattern?.source, default: fallback },
    read(value = fallback, path, fail) {
      if (typeof value !== 'string' || value === '') throw fail(path, expected, received(value))
      if (pattern && !pattern.test(value)) throw fail(path, expected, 'another string')
      return value
    },
  }
}

/** One of a few names. */
export const oneOf = <const T extends string>(
  names: readonly T[],
  fallback?: NoInfer<T> | undefined,
): Schema<T> => ({
  isOptional: fallback !== undefined,
  json: { enum: names, default: fallback },
  read(value = fallback, path, fail) {
    if (names.includes(value as T)) return value as T
    throw wrongName(fail, path, value, names)
  },
})

/** The text of a non-empty string or a `Secret`. */
export const secret: Schema<string> = {
  read(value, path, fail) {
    const text = revealSecret(value)
    if (text) return text
    throw fail(path, 'a non-empty string or a Secret', received(text ?? value))
  },
}

/** A function. */
export const func = <T>(fallback?: T | undefined): Schema<T> => ({
  isOptional: fallback !== undefined,
  read(value = fallback, path, fail) {
    if (typeof value === 'function') return value as T
    throw fail(path, 'a function', received(value))
  },
})

/** An object with these methods. It may be callable, because stubs of remote objects are. */
export const port = <T>(methods: readonly (keyof T & string)[], fallback?: T | undefined): Schema<T> => ({
  isOptional: fallback !== undefined,
  read(value = fallback, path, fail) {
    if (Object(value) !== value) throw fail(path, `an object with ${methods.join(', ')}`, received(value))
    for (const method of methods) {
      const found: unknown = (value as T)[method]
      if (typeof found !== 'function') throw fail(`${path}.${method}`, 'a function', received(found))
    }
    return value as T
  },
})

/** A clock. Default: the host's. */
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

/** An array whose elements have one schema. Without a default it must not be empty. */
export const array = <T>(
  items: Schema<T>,
  limits: {
    /** After "must be". */
    readonly expected: string
    readonly default?: readonly T[] | undefined
  },
): Schema<readonly T[]> => {
  const { expected, default: fallback } = limits
  return {
    isOptional: fallback !== undefined,
    json: { type: 'array', minItems: fallback ? 0 : 1, default: fallback },
    items,
    read(value = fallback, path, fail) {
      if (!Array.isArray(value) || (!fallback && value.length === 0)) {
        throw fail(path, expected, received(value))
      }
      return value.map((item, index) => items.read(item, `${path}[${index}]`, fail))
    },
  }
}
