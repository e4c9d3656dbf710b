/**
 * The fields of a request, as data: the check of the input, the types, the flags of the command line and the generated pages
 * are all made from this data.
 */
import type { PathFamily, SecretInput } from '@brokerwire/core'
import type { OpenEnum } from '@brokerwire/payloads'

/** How sure a fact is: published by the service, used by its official clients, observed by others, or guessed. */
export type Confidence = 'documented' | 'official-client' | 'observed' | 'guessed'

/** A field of a request. `T` is the type of its input. */
export interface Field<T = unknown, Optional extends boolean = boolean> {
  /**
   * A `'secret'` is a string that messages never show. In a query, an `'array'` is sent as one string with
   * commas.
   */
  readonly kind:
    | 'string'
    | 'secret'
    | 'decimal'
    | 'integer'
    | 'boolean'
    | 'instant'
    | 'date'
    | 'array'
    | 'object'
  /** Whether the field may be omitted. */
  readonly optional: Optional
  /** Known values of a string. Other values are sent too, because the service adds values without notice. */
  readonly values?: readonly string[] | undefined
  /** The form of a string, and its description in messages. */
  readonly format?: { readonly pattern: RegExp; readonly expected: string } | undefined
  /** Bounds of an integer, or of the number of items of an array. */
  readonly range?: readonly [min: number, max: number] | undefined
  /** The items of an array. */
  readonly item?: Field | undefined
  /** The fields of an object. */
  readonly fields?: Fields | undefined
  /** Name on the wire. @defaultValue the field's name in snake_case */
  readonly wire?: string | undefined
  /** The only path family that has the field. @defaultValue both */
  readonly family?: PathFamily | undefined
  /** How sure the field is. @defaultValue 'documented' */
  readonly confidence?: Confidence | undefined
  /** Only for the type of the input. The property is never set. */
  readonly '~input'?: T | undefined
}

/** The fields of an object by their names in camelCase. The name `extraFields` is reserved. */
export type Fields = Readonly<Record<string, Field>> & { readonly extraFields?: never }

type OptionalName<F> = { [K in keyof F]: F[K] extends Field<unknown, false> ? never : K }[keyof F]
type ValueOf<F> = F extends Field<infer T> ? T : never

/** The input that an object of fields accepts. */
export type InputOf<F extends Fields> = {
  readonly [K in Exclude<keyof F, OptionalName<F>>]: ValueOf<F[K]>
} & {
  readonly [K in OptionalName<F>]?: ValueOf<F[K]> | undefined
} & {
  /** Fields that the table does not know, by their names on the wire. They are sent unchanged. */
  readonly extraFields?: Readonly<Record<string, unknown>> | undefined
}

/** Properties that a field may have in addition to its kind. */
type More = Pick<Field, 'wire' | 'family' | 'confidence'>

/** A string of a certain form. @defaultValue any non-empty string */
const string = (format?: Field['format']): Field<string, false> => ({
  kind: 'string',
  optional: false,
  format,
})

/** An enumeration. Unknown values are sent as they are, because the service decides about them. */
const oneOf = <const V extends string>(...values: readonly V[]): Field<OpenEnum<V>, false> => ({
  kind: 'string',
  optional: false,
  values,
})

/** Makes a field optional. The field is not sent if its value is `undefined` or `null`. */
const optional = <T>(given: Field<T, false>, more: More = {}): Field<T, true> => ({
  ...given,
  ...more,
  optional: true,
})

/** Sets the name on the wire, the path family or the confidence of a required field. */
const required = <T>(given: Field<T, false>, more: More): Field<T, false> => ({ ...given, ...more })

/** An array of items. @param range - The smallest and the largest number of items. */
const array = <T>(
  item: Field<T, false>,
  range: readonly [min: number, max: number],
): Field<readonly T[], false> => ({ kind: 'array', optional: false, item, range })

/** An object with these fields. */
const object = <const F extends Fields>(fields: F): Field<InputOf<F>, false> => ({
  kind: 'object',
  optional: false,
  fields,
})

/**
 * Fields of a request, for {@link defineOperation}.
 *
 * - `string(format?)`, `oneOf(...values)`: a non-empty string; `oneOf` also sends values that it does not know
 * - `decimal`: a decimal as a string, so that no digit is lost
 * - `integer(min, max)`, `boolean`: numbers and booleans, which become strings in a query
 * - `instant`: ISO 8601 in UTC with milliseconds; `date`: `yyyy-MM-dd`
 * - `secret`: a string or `Secret` that messages never show
 * - `array(item, [min, max])`, `object(fields)`
 * - `optional(field, more?)`, `required(field, more)`: `more` sets the name on the wire, the path family and the confidence
 *
 * @example
 * ```ts
 * import { field, type InputOf } from '@brokerwire/operations'
 *
 * const fields = { accountId: field.string(), side: field.oneOf('BUY', 'SELL'), price: field.optional(field.decimal) }
 * const input: InputOf<typeof fields> = { accountId: 'A1', side: 'BUY', price: '10.50' }
 * console.log(input.side)
 * ```
 */
export const field: {
  readonly string: typeof string
  readonly oneOf: typeof oneOf
  readonly decimal: Field<string, false>
  readonly integer: (min: number, max: number) => Field<number, false>
  readonly boolean: Field<boolean, false>
  readonly instant: Field<string, false>
  readonly date: Field<string, false>
  readonly secret: Field<SecretInput, false>
  readonly array: typeof array
  readonly object: typeof object
  readonly optional: typeof optional
  readonly required: typeof required
} = {
  string,
  oneOf,
  decimal: { kind: 'decimal', optional: false },
  integer: (min, max) => ({ kind: 'integer', optional: false, range: [min, max] }),
  boolean: { kind: 'boolean', optional: false },
  instant: { kind: 'instant', optional: false },
  date: { kind: 'date', optional: false },
  secret: { kind: 'secret', optional: false },
  array,
  object,
  optional,
  required,
}
