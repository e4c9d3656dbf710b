/** Keys under which the store has the progress records. */
import { createHash } from 'node:crypto'
import type { ServiceIdentity } from '@brokerwire/core/endpoints'
import { recordKey } from '@brokerwire/core/internal'

/** The store keys of a stream's records. */
export interface RecordKeys {
  /** @param name - The event type, or the name of a trade stream. */
  keyFor(name: string): string
  /**
   * Returns the key of earlier versions, which contains no origins; `undefined` if a record under it is not
   * moved.
   */
  oldKeyFor?(name: string): string | undefined
}

/** Keys of a module stream: one record for each event type. @param consumer - Distinguishes consumers of the same app key. */
export function moduleRecordKeys(identity: ServiceIdentity, consumer: string): RecordKeys {
  const { environment, region, appKey, moduleEventsUrl = '', hasTableAddresses } = identity
  return {
    keyFor: (eventType) => recordKey('cursor', identity, moduleEventsUrl, consumer, eventType),
    oldKeyFor: (eventType) =>
      hasTableAddresses
        ? ['streams', 'cursor', `${environment}/${region}/${appKey}`, consumer, eventType]
            .map(encodeURIComponent)
            .join('/')
        : undefined,
  }
}

/** Keys of a trade, position or account stream: one record for each consumer, subscribe type and digest of the accounts. */
export function tradeRecordKeys(
  identity: ServiceIdentity,
  consumer: string,
  subscribeType: number,
  accounts: readonly string[],
): RecordKeys {
  const set = JSON.stringify([...new Set(accounts)].sort())
  const digest = createHash('sha256').update(set).digest().subarray(0, 16).toString('base64url')
  const { eventsUrl = '' } = identity
  return {
    keyFor: () => recordKey('trade-cursor', identity, eventsUrl, consumer, String(subscribeType), digest),
  }
}
