/**
 * Fields of a configuration as data: what checks a file and what writes its JSON schema read the same table, so they cannot
 * differ.
 */
import {
  describe,
  didYouMean,
  isRecord,
  type OptionFailure,
  requireKnownOptions,
} from '@brokerwire/core/internal'

/** What a field may hold. `about` stands in the schema. */
export type Shape = { readonly about: string } & (
  | {
      readonly type: 'text'
      readonly oneOf?: readonly string[]
      /** Which of `oneOf` a text names that is spelled another way, in capitals or with underscores. */
      readonly spelled?: (text: string) => string | undefined
      /** With what it says, for a person. */
      readonly pattern?: { readonly expression: string; readonly says: string }
      readonly fallback?: string
    }
  | { readonly type: 'integer'; readonly min: number; readonly max: number; readonly fallback?: number }
  | { readonly type: 'boolean'; readonly fallback: boolean }
  /** Where a secret stands: never the secret itself. */
  | { readonly type: 'secret' }
  | { readonly type: 'list'; readonly of: Shape; readonly min: number; readonly unique?: true }
  | { readonly type: 'object'; readonly fields: Fields; readonly fallback?: object }
  /** One of several objects, told by its field `type`. */
  | { readonly type: 'choice'; readonly of: Readonly<Record<string, Fields>>; readonly fallback?: object }
)

/** A field is left out where it is neither `required` nor has a fallback. */
export type Fields = Readonly<Record<string, Shape & { readonly required?: true }>>

/** Where a secret stands. */
export type SecretPlace = { readonly env: string } | { readonly file: string }

const ENVIRONMENT_NAME = '^[A-Za-z_][A-Za-z0-9_]*$'
const SECRET_EXPECTED =
  'an object with env (the name of an environment variable) or file (a path): never the secret itself'

/** Reads a value, with what is left out filled in. @throws What `fail` makes, with the path of the field. */
function readShape(value: unknown, shape: Shape, path: string, fail: OptionFailure): unknown {
  switch (shape.type) {
    case 'text': {
      const { oneOf, pattern, spelled } = shape
      const expected = oneOf?.join(', ') ?? pattern?.says ?? 'a non-empty text'
      if (typeof value !== 'string' || value === '') throw fail(path, expected, describe(value))
      if (oneOf !== undefined) {
        const named = spelled?.(value) ?? value
        if (oneOf.includes(named)) return named
        // The known name is shown, never the value.
        const nearest = didYouMean(value, oneOf)
        const hint = nearest === undefined ? '' : ` (did you mean ${nearest}?)`
        throw fail(path, `one of ${expected}${hint}`, 'another text')
      }
      if (pattern !== undefined && !new RegExp(pattern.expression, 'u').test(value))
        throw fail(path, expected, 'another text')
      return value
    }
    case 'integer': {
      const { min, max } = shape
      if (Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max) return value
      const received = typeof value === 'number' ? String(value) : describe(value)
      throw fail(path, `a whole number from ${min} to ${max}`, received)
    }
    case 'boolean':
      if (typeof value === 'boolean') return value
      throw fail(path, 'true or false', describe(value))
    case 'secret':
      return readSecretPlace(value, path, fail)
    case 'list': {
      if (!Array.isArray(value) || value.length < shape.min)
        throw fail(path, `a list of at least ${shape.min}`, describe(value))
      const items = value.map((item: unknown, at) => readShape(item, shape.of, `${path}[${at}]`, fail))
      const twice = shape.unique ? items.findIndex((item, at) => items.indexOf(item) < at) : -1
      if (twice !== -1) throw fail(`${path}[${twice}]`, 'each once', 'one that stands before it')
      return items
    }
    case 'object':
      return readFields(value, shape.fields, path, fail)
    case 'choice': {
      if (!isRecord(value)) throw fail(path, 'an object', describe(value))
      const type = below(path, 'type')
      const names = Object.keys(shape.of)
      const fields =
        typeof value.type === 'string' && names.includes(value.type) ? shape.of[value.type] : undefined
      if (fields === undefined) throw fail(type, `one of ${names.join(', ')}`, describe(value.type))
      return readFields(value, { ...fields, type: { type: 'text', about: '' } }, path, fail)
    }
  }
}

export function readFields(value: unknown, fields: Fields, path: string, fail: OptionFailure): object {
  if (!isRecord(value)) throw fail(path, 'an object', describe(value))
  requireKnownOptions(fail, value, Object.keys(fields), path === '' ? '' : `${path}.`)
  const read: [string, unknown][] = []
  for (const [name, shape] of Object.entries(fields)) {
    const field = Object.hasOwn(value, name) ? value[name] : undefined
    if (field !== undefined) read.push([name, readShape(field, shape, below(path, name), fail)])
    else if (shape.required) throw fail(below(path, name), shape.about, 'nothing')
    else if ('fallback' in shape) read.push([name, filledIn(shape, below(path, name), fail)])
  }
  return Object.fromEntries(read)
}

/** A fallback that is an object has fallbacks of its own. */
function filledIn(
  shape: Shape & { readonly fallback?: unknown },
  path: string,
  fail: OptionFailure,
): unknown {
  return isRecord(shape.fallback) ? readShape(shape.fallback, shape, path, fail) : shape.fallback
}

function readSecretPlace(value: unknown, path: string, fail: OptionFailure): SecretPlace {
  // Nothing of it is shown: it may be the secret.
  if (!isRecord(value)) throw fail(path, SECRET_EXPECTED, describe(value))
  const [only, ...others] = Object.keys(value)
  if ((only !== 'env' && only !== 'file') || others.length > 0)
    throw fail(path, SECRET_EXPECTED, 'another object')
  const named = value[only]
  if (typeof named !== 'string' || named === '')
    throw fail(`${path}.${only}`, 'a non-empty text', describe(named))
  if (only === 'file') return { file: named }
  if (!new RegExp(ENVIRONMENT_NAME).test(named))
    throw fail(`${path}.env`, 'the name of an environment variable', 'another text')
  return { env: named }
}

const below = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`)

type Schema = Readonly<Record<string, unknown>>

const spellingOf = (letter: string): string =>
  letter === '-' ? '[_-]' : `[${letter}${letter.toUpperCase()}]`

/** The JSON schema of a shape. */
function schemaOf(shape: Shape): Schema {
  const about = shape.about === '' ? {} : { description: shape.about }
  const fallback = 'fallback' in shape ? { default: shape.fallback } : {}
  switch (shape.type) {
    case 'text': {
      const { oneOf, pattern, spelled } = shape
      if (oneOf !== undefined && spelled !== undefined) {
        const spellings = oneOf.map((name) => name.replace(/[a-z-]/g, spellingOf)).join('|')
        return {
          ...about,
          ...fallback,
          anyOf: [{ enum: oneOf }, { type: 'string', pattern: `^(?:${spellings})$` }],
        }
      }
      if (oneOf !== undefined) return { ...about, ...fallback, enum: oneOf }
      return {
        ...about,
        ...fallback,
        type: 'string',
        ...(pattern ? { pattern: pattern.expression } : { minLength: 1 }),
      }
    }
    case 'integer':
      return { ...about, ...fallback, type: 'integer', minimum: shape.min, maximum: shape.max }
    case 'boolean':
      return { ...about, ...fallback, type: 'boolean' }
    case 'secret':
      return {
        ...about,
        oneOf: [
          objectSchema({
            env: {
              type: 'text',
              about: 'an environment variable',
              pattern: { expression: ENVIRONMENT_NAME, says: '' },
              required: true,
            },
          }),
          objectSchema({ file: { type: 'text', about: 'a path', required: true } }),
        ],
      }
    case 'list':
      return {
        ...about,
        type: 'array',
        minItems: shape.min,
        items: schemaOf(shape.of),
        ...(shape.unique ? { uniqueItems: true } : {}),
      }
    case 'object':
      return { ...about, ...fallback, ...objectSchema(shape.fields) }
    case 'choice':
      return {
        ...about,
        ...fallback,
        oneOf: Object.entries(shape.of).map(([type, fields]) =>
          objectSchema({ type: { type: 'text', about: '', oneOf: [type], required: true }, ...fields }),
        ),
      }
  }
}

export function objectSchema(fields: Fields): Schema {
  return {
    type: 'object',
    additionalProperties: false,
    required: Object.keys(fields).filter((name) => fields[name]?.required === true),
    properties: Object.fromEntries(Object.entries(fields).map(([name, shape]) => [name, schemaOf(shape)])),
  }
}
