/**
 * The JSON text of a request's body.
 *
 * `JSON.stringify` silently replaces values that JSON cannot represent: `NaN` and invalid dates become
 * `null`, a `Map` becomes `{}`, functions are left out. An order could then be sent with other fields than
 * you passed. So the value is checked and copied first, and each property is read once.
 */
import { received, revealSecret, shownName } from '@brokerwire/core/internal'
import { isHttpError, optionFailure } from './http-error.ts'

const JSON_VALUE = 'a value that JSON can hold'
const INTEGER = 'an integer from -(2^53 - 1) to 2^53 - 1'
const MAX_DEPTH = 100

/** Recognizes the result of `JSON.rawJSON()` of newer hosts: a number that keeps all its digits. */
const { isRawJSON = () => false } = JSON as { readonly isRawJSON?: (value: unknown) => boolean }

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

const secretIn = (value: unknown): string | undefined => (isObject(value) ? revealSecret(value) : undefined)

/**
 * Serializes a value as compact JSON.
 *
 * @param secrets - The strings of the `Secret`s in the value are added to this array.
 * @throws {@link HttpError} `HTTP_OPTION_INVALID` for a value that JSON cannot represent, with its path, such as
 * `json.orders[0].price`.
 */
export function serializeJson(json: unknown, secrets: string[]): string {
  try {
    return JSON.stringify(copy(json, '', 'json', []))
  } catch (error) {
    // Errors of getters and of `toJSON` may quote anything.
    throw isHttpError(error) ? error : optionFailure('json', JSON_VALUE, 'a value that cannot be read')
  }

  /**
   * Copies a value in the form that is serialized.
   *
   * @param ancestors - The objects that contain the value.
   * @returns The copy; `undefined` for a property that is not sent.
   */
  function copy(given: unknown, key: string, path: string, ancestors: readonly object[]): unknown {
    const value = secretIn(given) === undefined ? applyToJson(given, key, path) : given
    const secret = secretIn(value)
    if (secret !== undefined) {
      secrets.push(secret)
      return secret
    }
    if (typeof value === 'number') return checkNumber(value, path)
    if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
    const parent = ancestors.at(-1)
    if (value === undefined && parent !== undefined && !Array.isArray(parent)) return undefined
    if (!isObject(value)) throw optionFailure(path, JSON_VALUE, received(value))
    if (isRawJSON(value)) return value
    return copyObject(value, path, ancestors)
  }

  function copyObject(value: object, path: string, ancestors: readonly object[]): object {
    if (ancestors.includes(value)) throw optionFailure(path, JSON_VALUE, 'an object that contains itself')
    if (ancestors.length === MAX_DEPTH)
      throw optionFailure('json', `at most ${MAX_DEPTH} levels deep`, 'more levels')
    const within = [...ancestors, value]
    // `Array.from` also visits missing elements, so they are rejected like `undefined`.
    if (Array.isArray(value))
      return Array.from(value, (item: unknown, at) => copy(item, String(at), `${path}[${at}]`, within))
    checkKind(value, path)
    const entries = Object.keys(value).map((key) => {
      const property: unknown = Reflect.get(value, key)
      return [key, copy(property, key, `${path}.${shownName(key)}`, within)] as const
    })
    return Object.fromEntries(entries)
  }
}

/**
 * Returns the name of an object's class. It is `Object` for plain objects and for instances of most classes.
 */
const objectKind = (value: object): string =>
  Object.prototype.toString.call(value).slice('[object '.length, -1)

/** Returns the result of a value's `toJSON`, or the value if it has no `toJSON`. */
function applyToJson(value: unknown, key: string, path: string): unknown {
  if (!isObject(value) && typeof value !== 'bigint') return value
  // Node's `Buffer` has a `toJSON`, but services do not understand its result.
  if (ArrayBuffer.isView(value)) throw optionFailure(path, JSON_VALUE, 'bytes')
  if (isObject(value) && objectKind(value) === 'Date' && Number.isNaN(Number(value)))
    throw optionFailure(path, 'a valid date', 'an invalid Date')
  const { toJSON } = value as { readonly toJSON?: unknown }
  return typeof toJSON === 'function' ? toJSON.call(value, key) : value
}

function checkNumber(value: number, path: string): number {
  if (!Number.isFinite(value)) throw optionFailure(path, 'a finite number', received(value))
  if (Number.isInteger(value) && !Number.isSafeInteger(value))
    throw optionFailure(
      path,
      INTEGER,
      received(value),
      `${path} must be ${INTEGER}; received ${value}. Larger integers have lost digits: send a string, or JSON text in "body"`,
    )
  return value
}

/** Rejects objects whose content is not in their properties: collections, promises, regular expressions, wrapped primitives. */
function checkKind(value: object, path: string): void {
  const kind = objectKind(value)
  if (kind === 'Object' && !(Symbol.iterator in value)) return
  throw optionFailure(path, JSON_VALUE, `an object of class ${shownName(kind)}`)
}
