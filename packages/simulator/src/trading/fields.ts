/** Reads fields of queries and bodies. A field with `null` or an empty string is treated as missing. */
import { isRecord } from '@brokerwire/core/internal'
import { CENT_PLACES, parseDecimal, QUANTITY_PLACES } from './decimal.ts'
import { fieldRejection } from './rejection.ts'

/** The fields of a query or of an object in a body. */
export type FieldValues = Readonly<Record<string, unknown>>

/** Path of the fields in the body, such as `new_orders[0].`. Messages contain it. */
type Path = string

export function optionalText(fields: FieldValues, name: string, path: Path = ''): string | undefined {
  const value = Object.hasOwn(fields, name) ? fields[name] : undefined
  if (value === undefined || value === null || value === '') return undefined
  if (typeof value === 'string') return value
  throw fieldRejection(path + name, 'a string')
}

export function requiredText(fields: FieldValues, name: string, path: Path = ''): string {
  const value = optionalText(fields, name, path)
  if (value === undefined) throw fieldRejection(path + name, 'a non-empty string')
  return value
}

export function optionalOneOf<T extends string>(
  fields: FieldValues,
  name: string,
  values: readonly T[],
  path: Path = '',
): T | undefined {
  const value = optionalText(fields, name, path)
  if (value === undefined) return undefined
  const found = values.find((item) => item === value)
  if (found === undefined) throw fieldRejection(path + name, `one of ${values.join(', ')}`)
  return found
}

export function requiredOneOf<T extends string>(
  fields: FieldValues,
  name: string,
  values: readonly T[],
  path: Path = '',
): T {
  const value = optionalOneOf(fields, name, values, path)
  if (value === undefined) throw fieldRejection(path + name, `one of ${values.join(', ')}`)
  return value
}

/** Reads a whole number, given as a number or as a string. */
export function optionalInteger(
  fields: FieldValues,
  name: string,
  bounds: { readonly min: number; readonly max: number },
): number | undefined {
  const value = fields[name]
  if (value === undefined || value === null || value === '') return undefined
  const number = typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : value
  if (Number.isSafeInteger(number) && (number as number) >= bounds.min && (number as number) <= bounds.max) {
    return number as number
  }
  throw fieldRejection(name, `a whole number from ${bounds.min} to ${bounds.max}`)
}

/**
 * Reads `true` or `false`, given as a boolean or as a string, or `Y` or `N`. The case of strings is ignored,
 * because the official Python client sends `True` in queries.
 */
export function optionalFlag(fields: FieldValues, name: string): boolean | undefined {
  const value = fields[name]
  if (value === undefined || value === null || value === '') return undefined
  const text = typeof value === 'string' ? value.toLowerCase() : value
  if (text === true || text === 'true' || text === 'y') return true
  if (text === false || text === 'false' || text === 'n') return false
  throw fieldRejection(name, 'true or false')
}

const MAX_QUANTITY = 10n ** 15n * 10n ** BigInt(QUANTITY_PLACES)

/** Reads a quantity above zero. */
export function optionalQuantity(fields: FieldValues, name: string, path: Path = ''): bigint | undefined {
  const text = optionalText(fields, name, path)
  if (text === undefined) return undefined
  const quantity = parseDecimal(text, QUANTITY_PLACES)
  if (quantity !== undefined && quantity > 0n && quantity < MAX_QUANTITY) return quantity
  throw fieldRejection(path + name, `a decimal above 0 with at most ${QUANTITY_PLACES} places`)
}

const MAX_CENTS = 100_000_000_000n

/** Reads an amount above zero. @returns The amount in cents. */
export function optionalCents(fields: FieldValues, name: string, path: Path = ''): number | undefined {
  const text = optionalText(fields, name, path)
  if (text === undefined) return undefined
  const cents = parseDecimal(text, CENT_PLACES)
  if (cents !== undefined && cents > 0n && cents <= MAX_CENTS) return Number(cents)
  throw fieldRejection(path + name, `a decimal above 0 with at most ${CENT_PLACES} places`)
}

/** Reads the objects of a non-empty array. */
export function requiredItems(fields: FieldValues, name: string, max: number): readonly FieldValues[] {
  const value = fields[name]
  const isList = Array.isArray(value) && value.length > 0 && value.length <= max && value.every(isRecord)
  if (!isList) throw fieldRejection(name, `an array of 1 to ${max} objects`)
  return value as readonly FieldValues[]
}

/** Reads a list of strings, given as an array or as a string with commas. */
export function textList(fields: FieldValues, name: string, max: number): readonly string[] | undefined {
  const value = fields[name]
  if (value === undefined || value === null || value === '') return undefined
  const list: unknown = typeof value === 'string' ? value.split(',') : value
  const isList =
    Array.isArray(list) && list.length > 0 && list.every((item) => typeof item === 'string' && item !== '')
  if (!isList || list.length > max) throw fieldRejection(name, `a list of 1 to ${max} non-empty strings`)
  return list as readonly string[]
}
