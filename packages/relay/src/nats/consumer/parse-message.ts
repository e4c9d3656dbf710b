/** Conversion of the client's messages to items. */
import type { StreamDecoders } from '@brokerwire/streams'
import type { JsMsg } from '@nats-io/jetstream'
import { parseItem, type RelayItem } from '../../wire/items.ts'
import { createGetHeader, decodeText } from '../api/message-headers.ts'

/** The index of the token in a subject that names the account of an event. */
const ACCOUNT_TOKEN = 6

/**
 * Converts a message to an item.
 *
 * @param data - The body of the message. It is passed, because the client creates another view at each
 * access.
 */
export function parseMessage<Event>(
  message: JsMsg,
  data: Uint8Array,
  decoders: StreamDecoders<Event>,
  ack: () => void,
): RelayItem<Event> {
  const received = {
    // A getter, because the client decodes the subject on each access.
    get subject() {
      return message.subject
    },
    getHeader: createGetHeader(message, data),
    body: decodeText(data),
    data,
  }
  return parseItem(received, decoders, ack)
}

/**
 * Whether a message is selected. Notices and undecodable messages have no account, and are always selected.
 *
 * @param accounts - Tokens of the selected accounts; `undefined`: all.
 */
export function matchesAccounts(
  { subject }: JsMsg,
  type: RelayItem<unknown>['type'],
  accounts: ReadonlySet<string> | undefined,
): boolean {
  if (accounts === undefined || (type !== 'event' && type !== 'oversized')) return true
  return accounts.has(subject.split('.')[ACCOUNT_TOKEN] ?? '')
}
