/** Formats the decoded response of an operation as text or JSON. */
import { escapeControlChars, REDACTED } from '@brokerwire/core'
import { escapeJsonControlChars, isRecord } from '@brokerwire/core/internal'
import { isNumberText } from '@brokerwire/payloads'

/** Whether a field is printed. `extra`, which has the undocumented fields, is omitted if it is empty. */
const isShown = ([name, value]: readonly [string, unknown]): boolean =>
  value !== undefined && !(name === 'extra' && isRecord(value) && Object.keys(value).length === 0)

/** Copies the response without its secrets. */
export function withoutSecrets(data: unknown, names: readonly string[]): unknown {
  if (!isRecord(data)) return data
  const hide = ([name, value]: readonly [string, unknown]) => [name, names.includes(name) ? REDACTED : value]
  return Object.fromEntries(Object.entries(data).map(hide))
}

/** Formats data as one line of JSON, with decimals as strings. */
export function toJsonLine(data: unknown): string {
  const text = JSON.stringify(data, (_, value: unknown) =>
    isRecord(value) ? Object.fromEntries(Object.entries(value).filter(isShown)) : value,
  )
  return escapeJsonControlChars(text)
}

/** Formats a value as lines in the form of YAML, for people. */
export function toLines(value: unknown): readonly string[] {
  if (Array.isArray(value)) {
    return value.flatMap((item) => {
      const [first = '', ...others] = toLines(item)
      return [`- ${first}`, ...others.map((line) => `  ${line}`)]
    })
  }
  if (!isObject(value)) return [escapeControlChars(String(value))]
  return Object.entries(value)
    .filter(isShown)
    .flatMap(([name, one]) => {
      const key = escapeControlChars(name)
      if (!isObject(one) && !Array.isArray(one)) return [`${key}: ${escapeControlChars(String(one))}`]
      const lines = toLines(one)
      return lines.length === 0 ? [`${key}: none`] : [`${key}:`, ...lines.map((line) => `  ${line}`)]
    })
}

/** Whether a value has fields. A number with too many digits is an object without fields. */
const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  isRecord(value) && !isNumberText(value)
