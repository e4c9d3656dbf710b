/** Lines of a recording: the format of `listen --json`, without secrets and ids. */
import { createRedactor } from '@brokerwire/core'
import { escapeJsonControlChars } from '@brokerwire/core/internal'
import { payloads } from '@brokerwire/payloads'
import { jsonLine } from '../listen/json-line.ts'
import type { EventItem, StreamItem } from '../stream-item.ts'
import type { Pseudonyms } from './pseudonyms.ts'
import { replaceInJson } from './replace-in-json.ts'

/** Values to remove. */
export interface LineRules {
  /** Replaces ids. `undefined` keeps them. */
  readonly pseudonyms: Pseudonyms | undefined
  /** Strings that are removed everywhere, also in encoded forms. */
  readonly secrets: readonly string[]
}

/** Minimum length of a secret. Shorter ones would also match other text. */
const MIN_SECRET_LENGTH = 6

/** Creates a function that writes lines. */
export function createLineWriter({
  pseudonyms,
  secrets,
}: LineRules): (stream: string, item: StreamItem) => string {
  let known = -1
  let redactor = createRedactor([])
  const redact = (text: string): string => {
    // Checked for each line, because a token may be renewed during a recording.
    if (known !== secrets.length) {
      known = secrets.length
      redactor = createRedactor(secrets.filter(({ length }) => length >= MIN_SECRET_LENGTH))
    }
    return redactor(text)
  }
  const sanitize = (text: string): string => redact(pseudonyms?.replaceInText(text) ?? text)

  return (stream, item) => {
    if (item.type === 'notice') {
      const line = jsonLine(stream, item)
      const cleaned = replaceInJson(line, (text, place, type) =>
        type === 'string' && place.length > 0 && !FIXED_FIELDS.has(place.join('.'))
          ? sanitize(text)
          : undefined,
      )
      return escapeJsonControlChars(cleaned ?? '')
    }
    // Bytes of undecodable messages are omitted, because ids and secrets in them cannot be located.
    if (item.type === 'undecodable') return jsonLine(stream, { ...item, bytes: undefined })
    const withoutIds = pseudonyms === undefined ? item.payload : pseudonyms.replaceInJsonText(item.payload)
    // In a payload that is not JSON, ids cannot be located.
    const isWithheld = withoutIds === undefined && item.payload !== ''
    const payload = redact(withoutIds ?? '')
    const unknownFields = item.unknownFields.map((field) =>
      pseudonyms === undefined ? field : { ...field, data: new Uint8Array() },
    )
    const line = jsonLine(
      stream,
      redecode({ ...sanitizedFields(item, sanitize), unknownFields, payload } as unknown as EventItem),
    )
    if (!isWithheld) return line
    const problem = {
      code: 'RECORD_PAYLOAD_WITHHELD',
      message: `the payload (${item.payload.length} characters) was omitted: ids can be replaced only in JSON, and only if not too many have the same prefix. Use --keep-ids to keep it`,
    }
    return escapeJsonControlChars(JSON.stringify({ ...JSON.parse(line), decoded: null, problem }))
  }
}

/** Fields with fixed values of this program. */
const FIXED_FIELDS: ReadonlySet<string> = new Set(['stream', 'type', 'kind'])

/** Returns the fields of a frame, with secrets and ids removed. */
function sanitizedFields(item: EventItem, clean: (text: string) => string): object {
  const { type, kind, receivedAtMs } = item
  if (item.service === 'module') {
    const { service, messageType, id, eventType, position, timestamp, version } = item
    const names = { id: clean(id), eventType: clean(eventType), position: clean(position) }
    return { type, kind, receivedAtMs, service, messageType, timestamp, version, ...names }
  }
  const { service, eventType, subscribeType, contentType, requestId, timestamp } = item
  const texts = { contentType: clean(contentType), requestId: clean(requestId) }
  return { type, kind, receivedAtMs, service, eventType, subscribeType, timestamp, ...texts }
}

/** Decodes the payload after the removal, so that the decoded fields contain no more than the payload. */
function redecode(item: EventItem): EventItem {
  const decode = (): unknown => {
    switch (item.kind) {
      case 'order':
        return payloads.order(item)
      case 'position':
        return payloads.position(item)
      case 'module':
        return payloads.module(item)
      default:
        return item.service === 'module' ? payloads.module(item) : payloads.unknown(item)
    }
  }
  return { ...item, decode } as EventItem
}
