/** Checks the input of an operation and converts it to the names and values that are sent ("on the wire"). */
import { type OperationRequestOptions, type QueryPair, Secret } from '@brokerwire/core'
import {
  isRecord,
  knownNames,
  missingOptions,
  type OptionFailure,
  optionMessage,
  received,
  revealSecret,
  separateWords,
  shownName,
} from '@brokerwire/core/internal'
import { parseDecimal } from '@brokerwire/payloads'
import type { Field, Fields } from './fields.ts'
import { OperationsError } from './operations-error.ts'

/** The context in which one input is checked and encoded. */
export interface EncodeContext extends OperationRequestOptions {
  readonly operation: string
  /** Creates the error for a field. */
  readonly fail: OptionFailure
}

/**
 * Creates the context for one input.
 *
 * @param operation - Name of the operation, for messages.
 */
export function createEncodeContext(operation: string, options: OperationRequestOptions): EncodeContext {
  const fail: OptionFailure = (name, expected, got, message = optionMessage(name, expected, got)) =>
    new OperationsError('OPERATION_INPUT_INVALID', `${operation}: ${message}`, {
      details: { operation, field: name, expected, received: got },
    })
  return { ...options, operation, fail }
}

/** Returns the name of a field on the wire. */
export const wireName = (name: string, { wire }: Pick<Field, 'wire'>): string =>
  wire ?? separateWords(name, '_')

/** Whether a field exists in a path family. */
export const isInFamily = (
  { family }: Field,
  { pathFamily }: Pick<OperationRequestOptions, 'pathFamily'>,
): boolean => family === undefined || family === pathFamily

/**
 * Checks and encodes an object with these fields.
 *
 * @param path - Path of the object, for messages; empty for the input itself.
 * @throws OperationsError `OPERATION_INPUT_INVALID`, `OPERATION_FIELD_GUESSED`.
 */
export function encodeFields(
  fields: Fields,
  input: unknown,
  path: string,
  context: EncodeContext,
): Record<string, unknown> {
  const { fail } = context
  if (!isRecord(input)) throw fail(path || 'input', 'an object', received(input))
  const parent = path && `${path}.`
  // Without a prototype, because a field may have the name of a property of `Object.prototype`.
  const given: Readonly<Record<string, unknown>> = { __proto__: null, ...input }
  const names = Object.keys(fields).filter((name) => isInFamily(fields[name] as Field, context))
  for (const name of Object.keys(given)) {
    if (name !== 'extraFields' && given[name] !== undefined && !names.includes(name))
      throw unknownField(fields, parent, name, names, context)
  }
  const isMissing = (name: string): boolean =>
    (given[name] === undefined || given[name] === null) && fields[name]?.optional === false
  const missing = names.filter(isMissing)
  if (missing.length > 0) throw missingOptions(fail, parent, missing, 'fields')
  const output: Record<string, unknown> = {}
  for (const name of names) {
    const value = given[name]
    const field = fields[name] as Field
    if (value === undefined || value === null) continue
    if (field.confidence === 'guessed' && context.allowGuessed !== true)
      throw new OperationsError(
        'OPERATION_FIELD_GUESSED',
        `${context.operation}: ${parent}${name} is a guess, which no source shows. Set "allowGuessed: true" to send it`,
        { details: { operation: context.operation, field: parent + name } },
      )
    output[wireName(name, field)] = encodeValue(field, value, parent + name, context)
  }
  return { ...output, ...readExtraFields(given.extraFields, output, `${parent}extraFields`, context) }
}

/**
 * Returns the query of a GET: numbers and booleans become strings, and an array becomes one string with commas. `undefined` and
 * `null` are omitted. An array item that contains a comma is rejected, because no source shows how to escape the comma, so the
 * service would read two items.
 *
 * @param encoded - Fields by their names on the wire.
 * @throws OperationsError `OPERATION_INPUT_INVALID` for a value that a query cannot contain.
 */
export function toQuery(
  encoded: Readonly<Record<string, unknown>>,
  { fail }: EncodeContext,
): readonly QueryPair[] {
  return Object.entries(encoded)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => {
      const texts = (Array.isArray(value) ? value : [value]).map(queryText)
      if (!texts.every((text) => text !== undefined))
        throw fail(shownName(name), 'a string, a number, true, false or an array of them', received(value))
      if (Array.isArray(value) && texts.some((text) => text.includes(',')))
        throw fail(
          shownName(name),
          'an array of items without commas, which separate them',
          'an item with a comma',
        )
      return [name, texts.join(',')]
    })
}

/** Returns the string of a value in a query; `undefined` if a query cannot contain the value. */
function queryText(value: unknown): string | undefined {
  if (typeof value === 'boolean' || typeof value === 'bigint' || Number.isFinite(value)) return String(value)
  return revealSecret(value)
}

/** Checks and returns `extraFields`: fields that the table does not know, by their names on the wire. */
function readExtraFields(
  value: unknown,
  known: Readonly<Record<string, unknown>>,
  path: string,
  { fail }: EncodeContext,
): Readonly<Record<string, unknown>> {
  if (value === undefined) return {}
  if (!isRecord(value)) throw fail(path, 'an object of fields by their names on the wire', received(value))
  const repeated = Object.keys(value).find((name) => Object.hasOwn(known, name))
  if (repeated === undefined) return value
  throw fail(
    path,
    'an object of fields that the operation does not set',
    'another field',
    `${path} must not contain "${shownName(repeated)}", which the operation sets itself`,
  )
}

function unknownField(
  fields: Fields,
  parent: string,
  given: string,
  names: readonly string[],
  { fail, pathFamily }: EncodeContext,
): Error {
  const name = shownName(given)
  const hint = knownNames('fields', name, names)
  const message = Object.hasOwn(fields, given)
    ? `${parent}${name} exists only in the path family "${fields[given]?.family}"; received it with "${pathFamily}". ${hint}`
    : `unknown field "${parent}${name}"; "extraFields" sends fields that this version does not know. ${hint}`
  return fail(parent + name, `one of ${names.join(', ')}`, 'an unknown field', message)
}

function encodeValue(field: Field, value: unknown, path: string, context: EncodeContext): unknown {
  const { fail } = context
  const { kind, item, fields, range: [min, max] = [0, Number.MAX_SAFE_INTEGER] } = field
  switch (kind) {
    case 'array': {
      if (!Array.isArray(value) || value.length < min || value.length > max) {
        const count = Array.isArray(value) ? `${value.length} items` : received(value)
        throw fail(path, `an array of ${min} to ${max} items`, count)
      }
      return value.map((entry, index) => encodeValue(item as Field, entry, `${path}[${index}]`, context))
    }
    case 'object':
      return encodeFields(fields as Fields, value, path, context)
    case 'boolean':
      if (typeof value === 'boolean') return value
      throw fail(path, 'true or false', received(value))
    case 'integer':
      if (Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max) return value
      throw fail(path, `a whole number from ${min} to ${max}`, received(value))
    default:
      return encodeString(field, value, path, context)
  }
}

/** A form of a string, and its description in messages. */
interface StringForm {
  readonly expected: string
  readonly test: (text: string) => boolean
}

/** Returns a date as ISO 8601 in UTC with milliseconds; `undefined` if the text is not a date. */
function isoOf(text: string): string | undefined {
  const date = new Date(text)
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString()
}

const FORMS: Readonly<Partial<Record<Field['kind'], StringForm>>> = {
  decimal: {
    expected: 'a decimal as a string, such as "10.50"',
    test: (text) => parseDecimal(text) !== undefined,
  },
  instant: {
    expected: 'an instant in UTC with milliseconds, such as "2026-03-04T05:06:07.000Z"',
    test: (text) => isoOf(text) === text,
  },
  date: {
    expected: 'a date, such as "2026-03-04"',
    test: (text) => isoOf(text) === `${text}T00:00:00.000Z`,
  },
}

const NOT_EMPTY: StringForm = { expected: 'a non-empty string', test: (text) => text !== '' }

function encodeString(
  { kind, format }: Field,
  value: unknown,
  path: string,
  { fail }: EncodeContext,
): string | Secret {
  const form = format
    ? { expected: format.expected, test: (text: string) => format.pattern.test(text) }
    : (FORMS[kind] ?? NOT_EMPTY)
  const text = kind === 'secret' ? revealSecret(value) : value
  if (typeof text !== 'string' || !form.test(text)) {
    const isOtherForm = typeof value === 'string' && value !== '' && form !== NOT_EMPTY
    throw fail(path, form.expected, isOtherForm ? 'a string of another form' : received(value))
  }
  // The client sends the string of the `Secret`. If the service quotes that string in an error, the client
  // replaces it by a placeholder.
  return kind === 'secret' ? new Secret(text) : text
}
