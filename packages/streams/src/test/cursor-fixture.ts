/** Cursors in a store in memory that can fail, on virtual time. */
import type { ServiceIdentity } from '@brokerwire/core/endpoints'
import { createVirtualClock } from '@brokerwire/core/testing'
import { createFailingStore } from '@brokerwire/testing/failing-store'
import type { StoredCompleteness } from '../completeness/completeness.ts'
import { moduleCursorKeys } from '../delivery/cursor-keys.ts'
import { decodeCursor } from '../delivery/cursor-record.ts'
import { CursorStore, type CursorStoreOptions } from '../delivery/cursor-store.ts'
import type { StreamsError } from '../streams-error.ts'

/** A service identity for the keys of cursors. */
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
/** Key of the cursor of APPLICATION. */
export const KEY = 'cursor/env/us/key/https%3A%2F%2Fapi.test/https%3A%2F%2Fmodules.test/default/APPLICATION'
/** The key in an earlier version. */
export const OLD_KEY = 'streams/cursor/env%2Fus%2Fkey/default/APPLICATION'

/** Creates a cursor store over a store in memory, on virtual time. */
export function createCursorFixture(
  identity: ServiceIdentity = IDENTITY,
  from: CursorStoreOptions['from'] = 'cursor',
) {
  const store = createFailingStore()
  const clock = createVirtualClock()
  const retries: string[] = []
  const conflicts: StreamsError[] = []
  const progress: { handledUntil: StoredCompleteness | undefined } = { handledUntil: COMPLETE }
  const cursors = new CursorStore({
    store,
    keys: moduleCursorKeys(identity, 'default'),
    from,
    handledUntil: () => progress.handledUntil,
    clock,
    onRetry: (eventType) => retries.push(eventType),
    onConflict: (error) => conflicts.push(error),
  })
  const state = cursors.cursorFor('APPLICATION')
  const commit = (n: number) => state.commit(`id${n}`, `p${n}`)
  /** Decodes the stored cursor. */
  const stored = () => {
    const json = store.entries.get(KEY)
    return json === undefined ? undefined : decodeCursor('APPLICATION', json)
  }
  return { store, clock, cursors, progress, commit, stored, retries, conflicts }
}
