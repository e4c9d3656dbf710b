/** What an event says, read with the toolkit's own decoders. */
import { pathText, payloads } from '@brokerwire/payloads'
import type { ConsoleEvent } from './wire.ts'

/** A payload as a program gets it. */
export interface DecodedEvent {
  readonly text: string
  /** What was not as described. */
  readonly issues: readonly string[]
}

/** Decodes an event. */
export function decodeEvent(event: ConsoleEvent): DecodedEvent {
  const { value, issues } = resultOf(event)
  return { text: value === undefined ? 'It cannot be decoded.' : pretty(value), issues }
}

function resultOf(event: ConsoleEvent): { readonly value: unknown; readonly issues: readonly string[] } {
  const { log, kind, payload } = event
  const frame = { eventType: Number(event.eventType), contentType: event.contentType ?? '', payload }
  const result =
    log === 'module'
      ? payloads.module({
          id: event.requestId,
          eventType: event.eventType,
          position: event.position ?? '',
          timestamp: event.at,
          version: event.version ?? '',
          payload,
        })
      : kind === 'order'
        ? payloads.order(frame)
        : kind === 'position'
          ? payloads.position(frame)
          : payloads.unknown(frame)
  if (!result.ok) return { value: undefined, issues: [result.error.message] }
  return {
    value: result.value,
    issues: result.issues.map(
      ({ path, code, expected }) => `${pathText(path)}: ${code}, expected ${expected}`,
    ),
  }
}

function pretty(value: unknown): string {
  return JSON.stringify(
    value,
    (name, inner: unknown) =>
      name === 'raw' ? undefined : typeof inner === 'bigint' ? String(inner) : inner,
    2,
  )
}

/** JSON with line breaks; what is none as it is. */
export function prettyPayload(text: string): string {
  try {
    JSON.parse(text)
  } catch {
    return text
  }
  return indent(text)
}

/** Breaks lines without reading numbers: a parsed one would be written otherwise. */
function indent(json: string): string {
  let depth = 0
  let isInText = false
  let out = ''
  for (let at = 0; at < json.length; at += 1) {
    const char = json[at] ?? ''
    if (isInText) {
      out += char
      if (char === '\\') {
        at += 1
        out += json[at] ?? ''
      } else if (char === '"') isInText = false
      continue
    }
    if (/\s/.test(char)) continue
    const line = (): string => `\n${'  '.repeat(depth)}`
    if (char === '{' || char === '[') {
      depth += 1
      const next = json.slice(at + 1).match(/^\s*[}\]]/)
      out += next === null ? char + line() : char
    } else if (char === '}' || char === ']') {
      depth -= 1
      const isEmpty = /[[{]$/.test(out)
      out += isEmpty ? char : line() + char
    } else if (char === ',') out += char + line()
    else if (char === ':') out += ': '
    else {
      out += char
      if (char === '"') isInText = true
    }
  }
  return out
}

/** What an event is about, in a few words: of the fields that its kind has. */
export function summaryOf({ payload, isCut }: ConsoleEvent): string {
  if (isCut) return 'a long payload'
  let value: unknown
  try {
    value = JSON.parse(payload)
  } catch {
    return 'no JSON'
  }
  const inner = fieldsOf(fieldsOf(value).payload ?? value)
  return ['biz_type', 'scene_type', 'order_status', 'side', 'filled_qty', 'qty', 'quantity', 'symbol', 'name']
    .map((name) => inner[name])
    .filter((field) => typeof field === 'string' || typeof field === 'number')
    .slice(0, 5)
    .join(' · ')
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {}
}
