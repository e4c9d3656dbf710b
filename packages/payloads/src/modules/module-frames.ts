/**
 * Decodes frames of the module stream.
 *
 * The frame carries id, type, position and time, and its payload carries them once more in an envelope. The frame
 * wins; a difference is an issue. An event that no schema reads is delivered with its JSON.
 */
import { instant } from '../combinators/instant.ts'
import { json } from '../combinators/json.ts'
import { keyOf, nameUnder } from '../combinators/keys.ts'
import { optional, record } from '../combinators/record.ts'
import { text } from '../combinators/text.ts'
import { conclude, type DecodeResult, parseJson, startReadingText } from '../decode.ts'
import type { Infer } from '../decoder.ts'
import { excerptOf } from '../issue.ts'
import { isPayloadsError } from '../payloads-error.ts'
import { drift, type Reading, UNREADABLE } from '../reading.ts'
import type { FrameOptions } from '../trade-frames.ts'
import { type Instant, isInstant } from '../values/instant-text.ts'
import type { EventEnvelope, ModuleEventFields } from './module-event.ts'
import { readForeign } from './read-foreign.ts'
import type { Registry, RegistryEntry } from './registry.ts'

/** The fields of a module event's frame (specification, Module event stream messages). Empty text means absent. */
export interface ModuleFrame {
  readonly id: string
  readonly eventType: string
  readonly position: string
  readonly timestamp: string
  readonly version: string
  readonly payload: string
}

/** Any module event: the types that callers see are narrower. */
export interface AnyModuleEvent extends ModuleEventFields {
  readonly module: string
  readonly eventType: string
  readonly bizType: string | undefined
  readonly payload: unknown
}

/** An envelope of which everything may be missing: the frame says it too. */
const looseEnvelope = record({
  id: optional(text),
  eventType: optional(text),
  position: optional(text),
  timestamp: optional(instant),
  payload: optional(json),
})

/** Decodes a module frame. Never throws. */
export function decodeModuleFrame(
  frame: ModuleFrame,
  registry: Registry,
  { strict, maxLength }: FrameOptions,
): DecodeResult<AnyModuleEvent> {
  const raw = frame.payload
  const parsed = parseJson(raw, maxLength)
  if (!parsed.ok) return parsed
  const reading = startReadingText(raw, strict)
  try {
    return conclude(reading, readEvent(frame, parsed.value, registry, reading), raw)
  } catch (error) {
    if (isPayloadsError(error)) return { ok: false, error, raw }
    throw error
  }
}

function readEvent(
  frame: ModuleFrame,
  value: unknown,
  registry: Registry,
  reading: Reading,
): AnyModuleEvent | typeof UNREADABLE {
  const inner = looseEnvelope['~read'](value, reading)
  if (inner === UNREADABLE) return inner
  reportDifferences(frame, inner, reading)
  const envelope = mergedEnvelope(frame, inner)
  const { eventType } = envelope
  const payload = inner.payload ?? value
  const bizType = nameUnder(payload, 'biz_type')
  const entry = registry.find(eventType, bizType)
  const fields = { eventType, bizType: bizType === '' ? undefined : bizType, envelope, raw: frame.payload }
  if (entry === undefined) {
    reading.path.push(keyOf(value, 'event_type') ?? 'event_type')
    drift(reading, 'unknown-value', 'a documented event type and business type', `${eventType}/${bizType}`)
    reading.path.pop()
    return { module: eventType === 'SOD' ? 'sod' : 'unknown', ...fields, payload }
  }
  const output = readPayload(entry, value, payload, reading)
  return output === UNREADABLE ? output : { module: entry.module, ...fields, payload: output }
}

function readPayload(
  { schema, module }: RegistryEntry,
  value: unknown,
  payload: unknown,
  reading: Reading,
): unknown {
  // Without an envelope the payload is the root.
  const key = payload === value ? undefined : keyOf(value, 'payload')
  if (key !== undefined) reading.path.push(key)
  const output = readForeign(schema, module, payload, reading)
  if (key !== undefined) reading.path.pop()
  return output
}

function mergedEnvelope(frame: ModuleFrame, inner: Infer<typeof looseEnvelope>): EventEnvelope {
  const position = frame.position === '' ? inner.position : frame.position
  const timestamp: Instant | undefined = isInstant(frame.timestamp) ? frame.timestamp : inner.timestamp
  return {
    id: frame.id === '' ? (inner.id ?? '') : frame.id,
    eventType: frame.eventType === '' ? (inner.eventType ?? '') : frame.eventType,
    ...(position === undefined || position === '' ? {} : { position }),
    ...(timestamp === undefined ? {} : { timestamp }),
    extra: inner.extra,
  }
}

const SAID_TWICE = [
  ['id', 'id'],
  ['eventType', 'event_type'],
  ['position', 'position'],
  ['timestamp', 'timestamp'],
] as const

function reportDifferences(frame: ModuleFrame, inner: Infer<typeof looseEnvelope>, reading: Reading): void {
  for (const [name, wire] of SAID_TWICE) {
    const said = inner[name]
    if (frame[name] === '' || said === undefined || said === '' || said === frame[name]) continue
    reading.issues.push({
      code: 'frame-differs',
      path: [wire],
      expected: "the frame's value",
      excerpt: excerptOf(said),
    })
  }
}
