/**
 * Any decoded value as short text: fields by name, so that what nobody knew when this was written is shown too.
 *
 * Identifiers are left out where there is something else to show: a line is for a person, and `--json` has them all.
 */
import { isRecord } from '@brokerwire/core/internal'
import { isNumberText } from '@brokerwire/payloads'

const MOST_FIELDS = 6
const MOST_CHARACTERS = 32
/** Said elsewhere on the line. */
const HIDDEN = /^(raw|bizType|biz_type|timestamp|updateTime)$/
const IDENTIFIER = /Id$|_id$|Version$/

/** The fields of a record as `name=value`, lists by their length. Anything else as itself. */
export function fieldsText(value: unknown): string {
  if (!isRecord(value) || isNumberText(value)) return scalar(value)
  const named = Object.entries(value).flatMap(([name, field]) =>
    name === 'extra' && isRecord(field) ? Object.entries(field) : [[name, field] as const],
  )
  const filled = named.filter(([name, field]) => field !== undefined && field !== '' && !HIDDEN.test(name))
  const telling = filled.filter(([name]) => !IDENTIFIER.test(name))
  const shown = telling.length > 0 ? telling : filled
  const more = shown.length > MOST_FIELDS ? ` and ${shown.length - MOST_FIELDS} more` : ''
  return (
    shown
      .slice(0, MOST_FIELDS)
      .map(([name, field]) => `${name}=${scalar(field)}`)
      .join(' ') + more
  )
}

function scalar(value: unknown): string {
  if (Array.isArray(value)) return `[${value.length}]`
  if (isRecord(value) && !isNumberText(value)) return '{...}'
  const text = String(value)
  return text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}...` : text
}
