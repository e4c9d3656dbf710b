/**
 * Fields of a configuration file. Each field is both a schema of an option and the JSON Schema for editors.
 * One call creates both, so they cannot differ.
 */
import {
  array,
  boolean as booleanSchema,
  type InferFields,
  integer as integerSchema,
  isRecord,
  object as objectSchema,
  oneOf as oneOfSchema,
  type Schema,
  string as stringSchema,
  typeName,
} from '@brokerwire/core/internal'

/** Keywords of JSON Schema. */
export type JsonSchema = Readonly<Record<string, unknown>>

/** A field. It is required unless `isOptional` is set. */
export type Field<T> = Schema<T> & { readonly json: JsonSchema; readonly isOptional: boolean }

/** The fields of an object, by name. */
export type FileFields = Readonly<Record<string, Field<unknown>>>

const createField = <T>(schema: Schema<T>, json: JsonSchema, isOptional: boolean): Field<T> =>
  Object.assign<Schema<T>, { json: JsonSchema; isOptional: boolean }>(
    (value, path, fail) => schema(value, path, fail),
    { json, isOptional },
  )

const withDefault = (value: unknown): JsonSchema => (value === undefined ? {} : { default: value })

/** A non-empty string. */
export function text(
  description: string,
  limits: { readonly pattern?: string; readonly expected?: string; readonly default?: string } = {},
): Field<string> {
  const { pattern, expected, default: fallback } = limits
  const schema = stringSchema({
    pattern: pattern === undefined ? undefined : new RegExp(pattern, 'u'),
    expected,
    default: fallback,
  })
  // Editors show `patternErrorMessage` for a wrong value.
  const limit = pattern === undefined ? { minLength: 1 } : { pattern, patternErrorMessage: expected }
  const json = { description, type: 'string', ...limit, ...withDefault(fallback) }
  return createField(schema, json, fallback !== undefined)
}

/** A whole number. */
export function integer(
  description: string,
  limits: { readonly min: number; readonly max: number; readonly default?: number },
): Field<number> {
  const { min: minimum, max: maximum } = limits
  const json = { description, type: 'integer', minimum, maximum, default: limits.default }
  return createField(integerSchema(limits), json, limits.default !== undefined)
}

/** `true` or `false`. */
export const boolean = (description: string, fallback: boolean): Field<boolean> =>
  createField(booleanSchema(fallback), { description, type: 'boolean', default: fallback }, true)

/** An object with any fields. */
export const anyObject = (description: string): Field<Readonly<Record<string, unknown>>> =>
  createField(
    (value, path, fail) => {
      if (value === undefined) return {}
      if (!isRecord(value)) throw fail(path, 'an object', typeName(value))
      return value
    },
    { description, type: 'object', default: {} },
    true,
  )

/** One of a few names. */
export const oneOf = <const T extends string>(description: string, names: readonly T[]): Field<T> =>
  createField(oneOfSchema(names), { description, enum: names }, false)

const eitherCase = (letter: string): string =>
  letter === '-' ? '[_-]' : `[${letter}${letter.toUpperCase()}]`

/** One of a few names in any case, with hyphens or underscores. @param parseName - Returns the name that a spelling means. */
export function oneOfSpelling<const T extends string>(
  description: string,
  names: readonly T[],
  parseName: (spelling: string) => T | undefined,
): Field<T> {
  const schema: Schema<T> = (value, path, fail) =>
    oneOfSchema(names)((typeof value === 'string' && parseName(value)) || value, path, fail)
  const spellings = names.map((name) => name.replace(/[a-z-]/g, eitherCase)).join('|')
  const anyOf = [{ enum: names }, { type: 'string', pattern: `^(?:${spellings})$` }]
  return createField(schema, { description, anyOf }, false)
}

/** A list without repeated elements. */
export function list<T>(description: string, items: Field<T>, minItems = 1): Field<readonly T[]> {
  const expected = minItems === 1 ? 'a non-empty list' : `a list of at least ${minItems}`
  const elements = array<T>(items, { expected })
  const schema: Schema<readonly T[]> = (value, path, fail) => {
    const read = elements(value, path, fail)
    if (read.length < minItems) throw fail(path, expected, typeName(value))
    const repeated = read.findIndex((item, at) => read.indexOf(item) < at)
    if (repeated !== -1) throw fail(`${path}[${repeated}]`, 'unique', 'a repeated element')
    return read
  }
  const json = { description, type: 'array', minItems, items: items.json, uniqueItems: true }
  return createField(schema, json, false)
}

/** A field that may be omitted. */
export const optional = <T>(field: Field<T>): Field<T | undefined> =>
  createField(
    (value, path, fail) => (value === undefined ? undefined : field(value, path, fail)),
    field.json,
    true,
  )

/** Returns the JSON Schema of an object. */
export function objectJson(fields: FileFields): JsonSchema {
  const entries = Object.entries(fields)
  return {
    type: 'object',
    additionalProperties: false,
    required: entries.filter(([, { isOptional }]) => !isOptional).map(([name]) => name),
    properties: Object.fromEntries(entries.map(([name, { json }]) => [name, json])),
  }
}

/** An object. @param fallback - The value if the field is omitted. */
export const object = <F extends FileFields>(
  description: string,
  fields: F,
  fallback?: object,
): Field<InferFields<F>> => {
  const read = objectSchema(fields)
  const json = { description, ...objectJson(fields), ...withDefault(fallback) }
  return createField(
    (value, path, fail) => read(value === undefined ? fallback : value, path, fail),
    json,
    fallback !== undefined,
  )
}

/** The type of a {@link variants} field. */
export type InferVariants<V extends Readonly<Record<string, FileFields>>> = {
  readonly [Name in keyof V]: { readonly type: Name } & InferFields<V[Name]>
}[keyof V]

/** One of several objects, which its field `type` selects. @param fallback - The value if the field is omitted. */
export function variants<const V extends Readonly<Record<string, FileFields>>>(
  description: string,
  byType: V,
  fallback: { readonly type: keyof V & string },
): Field<InferVariants<V>> {
  const names = Object.keys(byType)
  const schema: Schema<InferVariants<V>> = (value = fallback, path, fail) => {
    if (!isRecord(value)) throw fail(path, 'an object', typeName(value))
    const type = oneOfSchema(names)(value.type, `${path}.type`, fail)
    const fields = { type: oneOf('', [type]), ...byType[type] }
    return objectSchema(fields)(value, path, fail) as InferVariants<V>
  }
  const oneOfJson = Object.entries(byType).map(([type, fields]) =>
    objectJson({ type: oneOf('', [type]), ...fields }),
  )
  return createField(schema, { description, oneOf: oneOfJson, default: fallback }, true)
}

/** The source of a secret: an environment variable or a file. */
export type SecretRef = { readonly env: string } | { readonly file: string }

const ENVIRONMENT_NAME = '^[A-Za-z_][A-Za-z0-9_]*$'
const env = text('environment variable', {
  pattern: ENVIRONMENT_NAME,
  expected: 'the name of an environment variable',
})
const file = text('path of a file')
const SECRET =
  'an object with env (the name of an environment variable) or file (a path), never the secret itself'

/** The environment variable or file of a secret. A wrong value is not shown, because it may be the secret. */
export const secretRef = (description: string): Field<SecretRef> => {
  const schema: Schema<SecretRef> = (value, path, fail) => {
    if (!isRecord(value)) throw fail(path, SECRET, typeName(value))
    const [only, ...others] = Object.keys(value)
    if ((only !== 'env' && only !== 'file') || others.length > 0) throw fail(path, SECRET, 'another object')
    return only === 'env'
      ? { env: env(value.env, `${path}.env`, fail) }
      : { file: file(value.file, `${path}.file`, fail) }
  }
  return createField(schema, { description, oneOf: [objectJson({ env }), objectJson({ file })] }, false)
}

/** A name, or an object with the environment variable that has it. */
export const nameOrEnvironment = (
  description: string,
  name: Field<string>,
): Field<string | { readonly env: string }> => {
  const schema: Schema<string | { readonly env: string }> = (value, path, fail) => {
    if (!isRecord(value)) return name(value, path, fail)
    const [only, ...others] = Object.keys(value)
    if (only !== 'env' || others.length > 0)
      throw fail(path, 'a name, or an object with env', 'another object')
    return { env: env(value.env, `${path}.env`, fail) }
  }
  const { description: _, ...json } = name.json
  return createField(schema, { description, anyOf: [json, objectJson({ env })] }, false)
}
