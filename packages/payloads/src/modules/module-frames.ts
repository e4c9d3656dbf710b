/**
 * Decoding of frames of the module stream. A frame has id, type, position and time, and the envelope in its
 * payload has them too. If they differ, the frame's value is used, and the difference is an issue. An event
 * without a schema is delivered with its JSON.
 */
import { instant } from '../combinators/instant.ts'
import { parsedJson } from '../combinators/json.ts'
import { findKey, nameAt } from '../combinators/keys.ts'
import { object, optional } from '../combinators/object.ts'
import { string } from '../combinators/string.ts'
import { createTextContext, type DecodeResult, finish, parseJson } from '../decode.ts'
import { type DecodeContext, exactUndescribed, INVALID, reportDrift } from '../decode-context.ts'
import type { Infer } from '../decoder.ts'
import { toExcerpt } from '../issue.ts'
import { isPayloadsError } from '../payloads-error.ts'
import type { FrameOptions } from '../trade-frames.ts'
import { type Instant, isInstant } from '../values/instant-text.ts'
import type { EventEnvelope, ModuleEventFields } from './module-event.ts'
import type { Registry } from './registry.ts'
import { validateWithSchema } from './validate-with-schema.ts'

/** The fields of a module event's frame (specification, Module event stream messages). An empty string means absent. */
export interface ModuleFrame {
  /** Identifier of the event. */
  readonly id: string
  /** Event type, such as `FUNDING`. */
  readonly eventType: string
  /** Opaque cursor for a replay. */
  readonly position: string
  /** Time of the event, in ISO 8601. */
  readonly timestamp: string
  /** Version of the event's format. */
  readonly version: string
  /** JSON of the envelope with the payload. */
  readonly payload: string
}

/** Any module event. The types of the public functions are narrower. */
export interface AnyModuleEvent extends ModuleEventFields {
  readonly module: string
  readonly eventType: string
  readonly bizType: string | undefined
  readonly payload: unknown
}

/** An envelope with optional fields, because the frame has these fields too. */
const looseEnvelope = object({
  id: optional(string),
  eventType: optional(string),
  position: optional(string),
  timestamp: optional(instant),
  payload: optional(parsedJson),
})

/** Decodes a module frame. Does not throw for any frame. */
export function decodeModuleFrame(
  frame: ModuleFrame,
  registry: Registry,
  { strict, maxLength }: FrameOptions,
): DecodeResult<AnyModuleEvent> {
  const raw = frame.payload
  const parsed = parseJson(raw, maxLength)
  if (!parsed.ok) return parsed
  const context = createTextContext({ text: raw, mayLoseDigits: undefined }, strict)
  try {
    return finish(context, readEvent(frame, parsed.value, registry, context), raw)
  } catch (error) {
    if (isPayloadsError(error)) return { ok: false, error, raw }
    throw error
  }
}

function readEvent(
  frame: ModuleFrame,
  value: unknown,
  registry: Registry,
  context: DecodeContext,
): AnyModuleEvent | typeof INVALID {
  const inner = looseEnvelope['~decode'](value, context)
  if (inner === INVALID) return inner
  const envelope = mergedEnvelope(frame, inner)
  reportDifferences(envelope, inner, context)
  const { eventType } = envelope
  const payload = inner.payload ?? value
  // If there is no envelope, the payload is the root.
  const key = payload === value ? undefined : findKey(value, 'payload')
  const within = <T>(step: string | undefined, read: () => T): T => {
    if (step !== undefined) context.path.push(step)
    const found = read()
    if (step !== undefined) context.path.pop()
    return found
  }
  const bizType = within(key, () => nameAt(payload, 'biz_type', context))
  const entry = registry.find(eventType, bizType)
  const fields = { eventType, bizType: bizType === '' ? undefined : bizType, envelope, raw: frame.payload }
  if (entry === undefined) {
    within(findKey(value, 'event_type') ?? 'event_type', () =>
      reportDrift(
        context,
        'unknown-value',
        'a documented event type and business type',
        `${eventType}/${bizType}`,
      ),
    )
    const module = eventType === 'SOD' ? 'sod' : 'unknown'
    return { module, ...fields, payload: within(key, () => exactUndescribed(context, payload)) }
  }
  const output = within(key, () => validateWithSchema(entry.schema, entry.module, payload, context))
  return output === INVALID ? output : { module: entry.module, ...fields, payload: output }
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

const DUPLICATED_FIELDS = [
  ['id', 'id'],
  ['eventType', 'event_type'],
  ['position', 'position'],
  ['timestamp', 'timestamp'],
] as const

function reportDifferences(
  taken: EventEnvelope,
  inner: Infer<typeof looseEnvelope>,
  context: DecodeContext,
): void {
  for (const [name, wire] of DUPLICATED_FIELDS) {
    const inEnvelope = inner[name]
    if (inEnvelope === undefined || inEnvelope === '' || inEnvelope === taken[name]) continue
    context.issues.push({
      code: 'frame-differs',
      path: [wire],
      expected: "the frame's value",
      excerpt: toExcerpt(inEnvelope),
    })
  }
}
