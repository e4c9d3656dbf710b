/** Items as `@brokerwire/streams` yields them, made of messages in a stream. */

import { parseJsonObject } from '@brokerwire/core/internal'
import type { DecodeResult, ModuleFrame, TradeFrame } from '@brokerwire/payloads'
import {
  type ModuleItem,
  type StreamDecoders,
  TRADE_DATA_CODES,
  type TradeStreamEvent,
} from '@brokerwire/streams'
import { RelayError } from '../relay-error.ts'
import type { RelayedModuleFrame, RelayedTradeFrame } from './frames.ts'
import { type HeaderReader, readHead } from './headers.ts'
import { type RelayedNotice, readHolder } from './notices.ts'

/** An event or a notice of a stream. Events of all kinds have `ack()` here. */
export type RelayItem<Event> = (TradeStreamEvent & { ack(): void }) | ModuleItem<Event> | RelayedNotice

/** Number of the module service's message that is an event. */
const MODULE_EVENT = 2

/**
 * Makes an item.
 *
 * @param ack - What `ack()` of the item does.
 * @throws RelayError `RELAY_SCHEMA_UNKNOWN`, `RELAY_MESSAGE_INVALID`.
 */
export function readItem<Event>(
  message: { readonly subject: string; readonly read: HeaderReader; readonly body: string },
  decoders: StreamDecoders<Event>,
  ack: () => void,
): RelayItem<Event> {
  const { body } = message
  const head = readHead(message)
  if (head.type === 'notice') return readNotice(message.subject, body)
  return head.frame.stream === 'module'
    ? moduleItem(head.frame, body, decoders, ack)
    : tradeItem(head.frame, body, decoders, ack)
}

/** A notice of a kind that nobody here knows is one all the same: a later relay may say more. */
function readNotice(subject: string, body: string): RelayedNotice {
  const value = parseJsonObject(body)
  if (value?.type !== 'notice' || typeof value.kind !== 'string' || typeof value.atMs !== 'number') {
    const reason = 'no notice of a relay'
    const text = `a message in the stream is ${reason}: keep other writers off its subjects`
    throw new RelayError('RELAY_MESSAGE_INVALID', text, { details: { subject, header: 'body', reason } })
  }
  return readHolder(body) ?? (value as unknown as RelayedNotice)
}

function kindOf(code: number): TradeStreamEvent['kind'] {
  if (code === TRADE_DATA_CODES.order) return 'order'
  if (code === TRADE_DATA_CODES.position) return 'position'
  return code === TRADE_DATA_CODES.option ? 'option' : 'unknown'
}

function tradeItem<Event>(
  frame: RelayedTradeFrame,
  payload: string,
  decoders: StreamDecoders<Event>,
  ack: () => void,
): TradeStreamEvent & { ack(): void } {
  const { stream: _, ...fields } = frame
  const kind = kindOf(frame.eventType)
  let made: DecodeResult<unknown> | undefined
  const decode = (): DecodeResult<unknown> => {
    made ??= decoders[kind === 'option' ? 'unknown' : kind](item as TradeFrame)
    return made
  }
  const item = { type: 'event', service: 'trade', kind, ...fields, payload, decode, ack } as const
  return item as TradeStreamEvent & { ack(): void }
}

function moduleItem<Event>(
  frame: RelayedModuleFrame,
  payload: string,
  decoders: StreamDecoders<Event>,
  ack: () => void,
): ModuleItem<Event> {
  const { eventType, position, messageType } = frame
  let made: DecodeResult<Event> | undefined
  // By name: what is left of a spread costs more than all the rest of an item.
  const item: ModuleItem<Event> = {
    type: 'event',
    service: 'module',
    kind: messageType === MODULE_EVENT ? 'module' : 'unknown',
    messageType,
    id: frame.id,
    eventType,
    position,
    timestamp: frame.timestamp,
    version: frame.version,
    unknownFields: frame.unknownFields,
    receivedAtMs: frame.receivedAtMs,
    payload,
    cursor: position === '' ? undefined : { eventType, position },
    decode: () => {
      made ??= decoders.module(item as ModuleFrame)
      return made
    },
    ack,
  }
  return item
}
