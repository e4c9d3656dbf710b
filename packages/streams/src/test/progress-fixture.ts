/** Progress records in a store in memory that can fail, on virtual time. */
import type { ServiceIdentity } from '@brokerwire/core/endpoints'
import { createVirtualClock } from '@brokerwire/core/testing'
import { createFailingStore } from '@brokerwire/testing/failing-store'
import type { StoredCompleteness } from '../completeness/completeness.ts'
import { decodeRecord } from '../delivery/progress-record.ts'
import { ProgressStore, type ProgressStoreOptions } from '../delivery/progress-store.ts'
import { moduleRecordKeys } from '../delivery/record-keys.ts'
import type { StreamsError } from '../streams-error.ts'

/** A service identity for the keys of records. */
export const IDENTITY = {
  environment: 'env',
  region: 'us',
  appKey: 'key',
  baseUrl: 'https://api.test',
  moduleEventsUrl: 'https://modules.test',
}
/** Time of the first `next()`. */
export const NOW_MS = 7000
/** Completeness without an instant by the service's clock. */
export const COMPLETE = { serviceMs: undefined, hostMs: NOW_MS, offsetMs: undefined }
/** Key of the record of APPLICATION. */
export const KEY = 'cursor/env/us/key/https%3A%2F%2Fapi.test/https%3A%2F%2Fmodules.test/default/APPLICATION'
/** The key in an earlier version. */
export const OLD_KEY = 'streams/cursor/env%2Fus%2Fkey/default/APPLICATION'

/** Creates a progress store over a store in memory, on virtual time. */
export function createProgressFixture(
  identity: ServiceIdentity = IDENTITY,
  from: ProgressStoreOptions['from'] = 'cursor',
) {
  const store = createFailingStore()
  const clock = createVirtualClock()
  const retries: string[] = []
  const conflicts: StreamsError[] = []
  const progress: { handledUntil: StoredCompleteness | undefined } = { handledUntil: COMPLETE }
  const records = new ProgressStore({
    store,
    keys: moduleRecordKeys(identity, 'default'),
    from,
    handledUntil: () => progress.handledUntil,
    clock,
    onRetry: (eventType) => retries.push(eventType),
    onConflict: (error) => conflicts.push(error),
  })
  const state = records.recordFor('APPLICATION')
  const commit = (n: number) => state.commit(`id${n}`, `p${n}`)
  /** Decodes the stored record. */
  const stored = () => {
    const json = store.entries.get(KEY)
    return json === undefined ? undefined : decodeRecord('APPLICATION', json)
  }
  return { store, clock, records, progress, commit, stored, retries, conflicts }
}
