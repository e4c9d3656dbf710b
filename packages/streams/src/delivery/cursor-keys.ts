/** The store's keys of cursors. */
import { createHash } from 'node:crypto'
import type { ServiceIdentity } from '@brokerwire/core/endpoints'
import { recordKey } from '@brokerwire/core/internal'

/** Names the records of a stream. */
export interface CursorKeys {
  /** @param name - The event type, or the name of a trade stream. */
  keyOf(name: string): string
  /** The key in versions before origins were part of it, if a record there is taken over. */
  oldKeyOf?(name: string): string | undefined
}

/** One record for each event type. @param consumer - Tells apart consumers of the same app key. */
export function moduleCursorKeys(identity: ServiceIdentity, consumer: string): CursorKeys {
  const { environment, region, appKey, moduleEventsUrl = '', hasTableAddresses } = identity
  return {
    keyOf: (eventType) => recordKey('cursor', identity, moduleEventsUrl, consumer, eventType),
    oldKeyOf: (eventType) =>
      hasTableAddresses
        ? ['streams', 'cursor', `${environment}/${region}/${appKey}`, consumer, eventType]
            .map(encodeURIComponent)
            .join('/')
        : undefined,
  }
}

/** One record for each consumer, subscribe type and set of accounts, which is named by its digest. */
export function tradeCursorKeys(
  identity: ServiceIdentity,
  consumer: string,
  subscribeType: number,
  accounts: readonly string[],
): CursorKeys {
  const set = JSON.stringify([...new Set(accounts)].sort())
  const digest = createHash('sha256').update(set).digest().subarray(0, 16).toString('base64url')
  const { eventsUrl = '' } = identity
  return {
    keyOf: () => recordKey('trade-cursor', identity, eventsUrl, consumer, String(subscribeType), digest),
  }
}
