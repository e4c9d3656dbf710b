/**
 * Formats the fields of a decoded value as a short text, including undocumented fields. Identifiers are
 * omitted if there are other fields.
 */
import { isRecord } from '@brokerwire/core/internal'
import { isDecimal } from '../values/decimal-text.ts'
import { isNumberText } from '../values/number-text.ts'
import { plainDecimal } from './plain-decimal.ts'

const MAX_FIELDS = 6
const MAX_CHARACTERS = 32
/** Fields that other parts of the summary show. */
const HIDDEN = /^(raw|bizType|biz_type|timestamp|updateTime)$/
const IDENTIFIER = /Id$|_id$|Version$/

/**
 * Formats the fields of an object as `name=value`. For an array, the value is its length. Formats any other
 * value as text.
 */
export function fieldsText(value: unknown): string {
  if (!isRecord(value) || isNumberText(value)) return scalar(value)
  const named = Object.entries(value).flatMap(([name, field]) =>
    name === 'extra' && isRecord(field) ? Object.entries(field) : [[name, field] as const],
  )
  const filled = named.filter(([name, field]) => field !== undefined && field !== '' && !HIDDEN.test(name))
  const telling = filled.filter(([name]) => !IDENTIFIER.test(name))
  const shown = telling.length > 0 ? telling : filled
  const more = shown.length > MAX_FIELDS ? ` and ${shown.length - MAX_FIELDS} more` : ''
  return (
    shown
      .slice(0, MAX_FIELDS)
      .map(([name, field]) => `${name}=${scalar(field)}`)
      .join(' ') + more
  )
}

/**
 * Matches a decimal with an exponent as Java writes it: `0E-10`, `1.5E+3`. A symbol such as `1E5` does not
 * match.
 */
const WITH_EXPONENT = /^[+-]?[\d.]+E[+-]\d+$/

function scalar(value: unknown): string {
  if (Array.isArray(value)) return `[${value.length}]`
  if (isRecord(value) && !isNumberText(value)) return '{...}'
  const received = String(value)
  const text = WITH_EXPONENT.test(received) && isDecimal(received) ? plainDecimal(received) : received
  return text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}...` : text
}
