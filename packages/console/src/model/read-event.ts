/** Decoding of events, with the decoders of this toolkit. */
import { formatPath, payloads } from '@brokerwire/payloads'
import { type SummarizedEvent, summarizeEvent } from '@brokerwire/payloads/internal'
import type { ConsoleEvent } from './wire.ts'

/** A decoded payload as a string. */
export interface DecodedEvent {
  readonly text: string
  /** Differences between the payload and the documentation. */
  readonly issues: readonly string[]
}

/** Decodes an event. */
export function decodeEvent(event: ConsoleEvent): DecodedEvent {
  const result = decodable(event).decode()
  if (!result.ok) return { text: 'The payload cannot be decoded.', issues: [result.error.message] }
  const issues = result.issues.map(
    ({ path, code, expected }) => `${formatPath(path)}: ${code}, expected ${expected}`,
  )
  return { text: pretty(result.value), issues }
}

/** Converts an event to an item of a stream, with the fields that decoding needs. */
function decodable(event: ConsoleEvent): SummarizedEvent {
  const { log, kind, payload } = event
  if (log === 'module') {
    const decode = () =>
      payloads.module({
        id: event.requestId,
        eventType: event.eventType,
        position: event.position ?? '',
        timestamp: event.at,
        version: event.version ?? '',
        payload,
      })
    return { service: 'module', kind, decode }
  }
  const eventType = Number(event.eventType)
  const frame = { eventType, contentType: event.contentType ?? '', payload }
  if (kind === 'order') return { service: 'trade', kind, decode: () => payloads.order(frame) }
  if (kind === 'position') return { service: 'trade', kind, decode: () => payloads.position(frame) }
  return { service: 'trade', kind: 'unknown', eventType, decode: () => payloads.unknown(frame) }
}

function pretty(value: unknown): string {
  return JSON.stringify(
    value,
    (name, inner: unknown) =>
      name === 'raw' ? undefined : typeof inner === 'bigint' ? String(inner) : inner,
    2,
  )
}

/** Formats JSON with line breaks. Returns any other string unchanged. */
export function prettyPayload(text: string): string {
  try {
    JSON.parse(text)
  } catch {
    return text
  }
  return indent(text)
}

/** Indents JSON without parsing numbers, because `JSON.stringify` could change their digits. */
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

/** Returns the summary of an event, as `brokerwire listen` prints it. */
export function summarize(event: ConsoleEvent): string {
  return event.isCut ? 'a long payload' : summarizeEvent(decodable(event)).text
}
