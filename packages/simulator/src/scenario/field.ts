/**
 * Creates fields of scenario steps. Each field has a schema for validation and its part of the published JSON
 * schema.
 */
import {
  boolean,
  custom,
  type Fields,
  integer,
  isRecord,
  oneOf,
  optional,
  readOptions,
  type Schema,
  string,
  unchecked,
} from '@brokerwire/core/internal'

type Json = Readonly<Record<string, unknown>>

/** A field. It is optional unless `isRequired` is true. */
export interface Field {
  readonly check: Schema<unknown>
  readonly json: Json
  readonly isRequired?: true
}

export type FieldTable = Readonly<Record<string, Field>>

/** @param about - Description of the field in the JSON schema. */
const field = (about: string, check: Schema<unknown>, json: Json): Field => ({
  check,
  json: { description: about, ...json },
})

export const required = (optionalField: Field): Field => ({ ...optionalField, isRequired: true })

/** Creates a field for a non-empty string. */
export const nonEmptyString = (about: string): Field =>
  field(about, string(), { type: 'string', minLength: 1 })

export const anyString = (about: string): Field =>
  field(
    about,
    custom('a string', (value) => typeof value === 'string'),
    { type: 'string' },
  )

export const choice = (names: readonly string[], about: string): Field =>
  field(about, oneOf(names), { enum: names })

export const wholeNumber = (min: number, max: number, about: string): Field =>
  field(about, integer({ min, max }), { type: 'integer', minimum: min, maximum: max })

export const flag = (about: string): Field => field(about, boolean(false), { type: 'boolean' })

const MAX_COUNT = 1_000_000

/** Creates a field for a whole number of at least 1, or `'always'`. */
export const count = (about: string): Field =>
  field(
    about,
    (value, path, fail) =>
      value === 'always' ? value : integer({ min: 1, max: MAX_COUNT })(value, path, fail),
    { oneOf: [{ type: 'integer', minimum: 1, maximum: MAX_COUNT }, { const: 'always' }] },
  )

/** Creates a field for an object with any fields. */
export const record = (about: string): Field =>
  field(about, custom('an object', isRecord), { type: 'object' })

/** Creates a field for an object with only these fields. */
export const object = (fields: FieldTable, about: string): Field => {
  const schemas = toSchemas(fields)
  return field(
    about,
    (value, path, fail) => readOptions(fail, value, schemas, path),
    objectJsonSchema(fields),
  )
}

export const anyValue = (about: string): Field => field(about, unchecked(), {})

/** Returns the validation schemas of a table, for `readOptions`. */
export const toSchemas = (fields: FieldTable): Fields =>
  Object.fromEntries(
    Object.entries(fields).map(([name, { check, isRequired }]) => [
      name,
      isRequired ? check : optional(check),
    ]),
  )

/** Returns the JSON schema of an object with the fields of a table. */
export const objectJsonSchema = (fields: FieldTable) => ({
  type: 'object',
  additionalProperties: false,
  required: Object.keys(fields).filter((name) => fields[name]?.isRequired),
  properties: Object.fromEntries(Object.entries(fields).map(([name, { json }]) => [name, json])),
})
