/** The requests that a receiver of webhooks has handled, as messages of a stream. */
import { HEADER } from '../../../packages/relay/src/wire/headers.ts'
import type { Copies } from './stream-servers.ts'
import type { StoredMessage } from './verify.ts'

/** A request that the receiver has handled. */
export interface Delivery {
  readonly stream: string
  /** The value of `webhook-id`. */
  readonly webhookId: string
  /** When the receiver handled it. Milliseconds since the Unix epoch. */
  readonly atMs: number
  /** The CloudEvent, as received. */
  readonly event: string
}

/** Extension attributes of a CloudEvent, and the headers that they come from. */
const EXTENSIONS = Object.values(HEADER).map((header) => [
  header,
  `bw${header.replace(/^Brokerwire-|-/g, '').toLowerCase()}`,
])
const DATA = ',"data":'

/** Returns the payload as received: parsing and serializing it would change numbers. */
function payloadOf(event: string): string {
  const start = event.indexOf(DATA)
  return start === -1 ? '' : event.slice(start + DATA.length, -1)
}

const keyOf = ({ event }: Delivery): string => String((JSON.parse(event) as { id?: unknown }).id)

/** Converts the first delivery of each message. */
export function toMessages(deliveries: readonly Delivery[]): StoredMessage[] {
  const first = new Map<string, Delivery>()
  for (const delivery of deliveries) {
    const key = keyOf(delivery)
    if (!first.has(key)) first.set(key, delivery)
  }
  return [...first.values()].map(({ event, atMs }, at) => {
    const attributes = JSON.parse(event) as Record<string, unknown>
    const headers: Record<string, string> = {}
    for (const [header = '', name = ''] of EXTENSIONS)
      if (typeof attributes[name] === 'string') headers[header] = attributes[name]
    return { sequence: at + 1, storedAtMs: atMs, headers, body: payloadOf(event) }
  })
}

/** Counts the messages that were delivered several times. */
export function countCopies(deliveries: readonly Delivery[]): Copies {
  const found = new Map<string, { deliveries: number; readonly copies: Set<string> }>()
  const keys = new Map<string, string>()
  let shared = 0
  for (const delivery of deliveries) {
    const key = keyOf(delivery)
    const { webhookId, event } = delivery
    if ((keys.get(webhookId) ?? key) !== key) shared += 1
    keys.set(webhookId, key)
    const message = found.get(key) ?? { deliveries: 0, copies: new Set() }
    message.deliveries += 1
    message.copies.add(`${webhookId} ${payloadOf(event)}`)
    found.set(key, message)
  }
  const messages = [...found.values()]
  return {
    redelivered: messages.filter((message) => message.deliveries > 1).length,
    conflicting: messages.filter(({ copies }) => copies.size > 1).length + shared,
  }
}
