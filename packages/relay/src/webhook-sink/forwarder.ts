/** Sends items of a stream as webhooks, for development: the same requests as those of a relay, without its store. */
import { randomBytes } from 'node:crypto'
import type { Closable } from '@brokerwire/core'
import { closable } from '@brokerwire/core/internal'
import { createMemoryStore } from '@brokerwire/stores'
import type { StreamItem } from '@brokerwire/streams'
import type { SinkEntry } from '../sink/event-sink.ts'
import { EntryFactory } from '../wire/entries.ts'
import { RELAYED_NOTICES } from '../wire/notices.ts'
import { type Subscription, subjectRoot } from '../wire/subjects.ts'
import { createWebhookSink } from './webhook-sink.ts'
import type { WebhookSinkOptions } from './webhook-sink-options.ts'

/** Options of {@link createWebhookForwarder}: those of `createWebhookSink` without the store. */
export type WebhookForwarderOptions = Omit<WebhookSinkOptions, 'store'>

/** Sends items as webhooks. */
export interface WebhookForwarder extends Closable {
  /**
   * Sends an item, after the items of earlier calls. Notices that a relay does not store are not sent.
   *
   * @returns Resolves when the receiver has accepted the item.
   * @throws RelayError `RELAY_OPTION_INVALID` if a secret is invalid; `RELAY_SINK_MISCONFIGURED` after 410 Gone;
   * `RELAY_CLOSED`.
   */
  forward(subscription: Subscription, item: StreamItem<unknown>): Promise<void>
}

/**
 * Creates a forwarder. It keeps nothing after a restart: use a relay in production.
 *
 * @throws RelayError `RELAY_OPTION_INVALID`.
 *
 * @example
 * ```ts
 * import { createWebhookForwarder } from '@brokerwire/relay/webhook-sink'
 * import type { Streams } from '@brokerwire/streams'
 *
 * declare const streams: Streams<unknown>
 * declare const secrets: string
 *
 * const address = { prefix: 'brokerwire', environment: 'sandbox', region: 'us', app: 'team-a' } as const
 * const url = 'http://127.0.0.1:8080/events'
 * await using forwarder = createWebhookForwarder({ address, url, secrets, allowPrivateAddresses: true })
 * for await (const item of streams.tradeEvents({ accounts: ['ACCOUNT'] })) await forwarder.forward('trade', item)
 * ```
 */
export function createWebhookForwarder(options: WebhookForwarderOptions): WebhookForwarder {
  const sink = createWebhookSink({ ...options, store: createMemoryStore() })
  const factory = new EntryFactory(subjectRoot(options.address), randomBytes(9).toString('base64url'), '')
  const opened = sink.tail({ maxEntries: 0 })
  opened.catch(() => {})
  return {
    async forward(subscription, item) {
      await opened
      const entry = toEntry(factory, subscription, item)
      if (entry !== undefined) await sink.publish([entry])
    },
    ...closable(() => sink.close()),
  }
}

function toEntry(
  factory: EntryFactory,
  subscription: Subscription,
  item: StreamItem<unknown>,
): SinkEntry | undefined {
  if (item.type === 'event') return factory.event(subscription, item)
  if (item.type === 'undecodable') return factory.undecodable(subscription, item)
  return RELAYED_NOTICES.has(item.kind) ? factory.notice(subscription, item) : undefined
}
