/** Parses an input object as an event: a line of `listen --json`, or a payload whose fields show its kind. */
import { isRecord } from '@brokerwire/core/internal'
import type { Payloads } from '@brokerwire/payloads'
import type { DescribedEvent } from '../render/event-line.ts'

/** Kind of a payload. */
export type PayloadKind = 'order' | 'position' | 'module'

/** Options of the parser. */
export interface ParseOptions {
  readonly payloads: Payloads
  readonly as: PayloadKind | undefined
  readonly eventType: string | undefined
}

/** A problem with a field. */
export interface Problem {
  readonly field: string
  readonly expected: string
}

/** A decodable event, a line without an event, or an error. */
export type ParsedEvent =
  | { readonly event: DescribedEvent; readonly receivedAtMs: number | undefined }
  | 'no-event'
  | { readonly problem: Problem }

/** Parses an object together with its text. */
export function parseEvent(
  value: Readonly<Record<string, unknown>>,
  text: string,
  reading: ParseOptions,
): ParsedEvent {
  if (typeof value.stream === 'string') {
    if (value.type === 'notice' || value.type === 'undecodable') return 'no-event'
    if (value.type === 'event') return parseListenLine(value, reading.payloads)
  }
  const kind = reading.as ?? detectKind(value)
  if (kind === undefined) {
    const expected =
      'the payload of an order, a position or a module, or a line of `listen --json`; set the kind with --as'
    return { problem: { field: 'payload', expected } }
  }
  const frame =
    kind === 'module'
      ? { ...NO_FRAME, eventType: reading.eventType ?? '', payload: text }
      : { eventType: 0, contentType: 'application/json', payload: text }
  return { event: toEvent(kind, frame, reading.payloads), receivedAtMs: undefined }
}

const NO_FRAME = { id: '', position: '', timestamp: '', version: '' }

/**
 * Wire fields that only one kind of payload has. The module comes first, because an envelope of the module
 * service may contain a trade event.
 */
const DISTINCTIVE_FIELDS: readonly (readonly [PayloadKind, readonly string[]])[] = [
  ['module', ['event_type', 'biz_type', 'payload']],
  ['position', ['settle_result', 'settle_side', 'yes_condition']],
  ['order', ['order_id', 'order_status', 'scene_type']],
]

function detectKind(value: Readonly<Record<string, unknown>>): PayloadKind | undefined {
  // In examples of the service some keys have spaces around them.
  const names = new Set(Object.keys(value).map((name) => name.trim()))
  return DISTINCTIVE_FIELDS.find(([, telling]) => telling.some((name) => names.has(name)))?.[0]
}

const isString = (value: unknown): value is string => typeof value === 'string'
const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value)
const TRADE_KINDS = ['order', 'position', 'option', 'unknown'] as const

function parseListenLine(line: Readonly<Record<string, unknown>>, payloads: Payloads): ParsedEvent {
  const wrong = (field: string, expected: string): ParsedEvent => ({ problem: { field, expected } })
  const { stream, kind, frame, payload, receivedAtMs } = line
  if (!isString(payload)) return wrong('payload', 'a string, the payload as it was received')
  if (!isRecord(frame)) return wrong('frame', 'an object')
  // The maximum timestamp of an ECMAScript date.
  if (!isNumber(receivedAtMs) || Math.abs(receivedAtMs) > 8.64e15)
    return wrong('receivedAtMs', 'milliseconds since the Unix epoch')
  const { eventType } = frame
  if (stream === 'module') {
    if (!isString(eventType)) return wrong('frame.eventType', 'a string')
    const named = Object.entries(NO_FRAME).map(([name, none]) => [name, frame[name] ?? none] as const)
    const unreadable = named.find(([, value]) => !isString(value))
    if (unreadable !== undefined) return wrong(`frame.${unreadable[0]}`, 'a string')
    const moduleFrame = Object.fromEntries(named) as typeof NO_FRAME
    return { event: toEvent('module', { ...moduleFrame, eventType, payload }, payloads), receivedAtMs }
  }
  const known = TRADE_KINDS.find((one) => one === kind)
  if (stream !== 'trade' && stream !== 'position' && stream !== 'account')
    return wrong('stream', 'trade, position, account or module')
  if (known === undefined) return wrong('kind', TRADE_KINDS.join(', '))
  if (!isNumber(eventType)) return wrong('frame.eventType', 'a number')
  const { contentType } = frame
  if (!isString(contentType)) return wrong('frame.contentType', 'a string')
  return { event: toEvent(known, { eventType, contentType, payload }, payloads), receivedAtMs }
}

type TradeFrame = Parameters<Payloads['order']>[0]
type ModuleFrame = Parameters<Payloads['module']>[0]

function toEvent(
  kind: DescribedEvent['kind'],
  frame: TradeFrame | ModuleFrame,
  payloads: Payloads,
): DescribedEvent {
  const { eventType } = frame
  if ('id' in frame)
    return {
      service: 'module',
      kind: 'module',
      eventType: frame.eventType,
      decode: () => payloads.module(frame),
    }
  const trade = { service: 'trade', eventType: Number(eventType) } as const
  if (kind === 'order') return { ...trade, kind, decode: () => payloads.order(frame) }
  if (kind === 'position') return { ...trade, kind, decode: () => payloads.position(frame) }
  return { ...trade, kind: kind === 'option' ? kind : 'unknown', decode: () => payloads.unknown(frame) }
}
