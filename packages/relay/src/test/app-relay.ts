/** One app over the simulator, for tests of the stream that it writes: any sink, one store for all relays. */
import { type Store, systemClock } from '@brokerwire/core'
import { createSeededRandom } from '@brokerwire/core/testing'
import { createSigner } from '@brokerwire/signer'
import type { Simulator } from '@brokerwire/simulator'
import { createStreams, createSubscriptionBudget } from '@brokerwire/streams'
import { onTestFinished } from 'vitest'
import { AppRelay, type AppRelayEnd, type AppRelayOptions } from '../app/app-relay.ts'
import type { EventSink, StoredEntry } from '../sink/event-sink.ts'
import { HEADER } from '../wire/headers.ts'
import type { WriterChangedNotice, WriterGap } from '../wire/notices.ts'
import { ADDRESS } from './entries.ts'

export interface TestRelayOptions extends Partial<AppRelayOptions> {
  readonly simulator: Simulator
  readonly store: Store
  readonly sink: EventSink
}

/** A relay of the app of {@link ADDRESS}. */
export function startAppRelay({ simulator, store, sink, ...change }: TestRelayOptions) {
  const relay = new AppRelay({
    address: ADDRESS,
    selection: {
      accounts: simulator.accounts,
      modules: ['application'],
      eventTypes: [],
      subscriptions: ['module', 'trade', 'position'],
    },
    openStreams: (observer) =>
      createStreams<unknown>({
        signer: createSigner(simulator.credentials),
        eventsUrl: simulator.eventsUrl,
        moduleEventsUrl: simulator.moduleEventsUrl,
        store,
        identity: { environment: 'sandbox', region: 'us', appKey: ADDRESS.app },
        budget: createSubscriptionBudget(),
        random: createSeededRandom(1),
        observer,
        clock: change.clock,
      }),
    sink,
    store,
    writer: { cluster: 'main', relay: 'one', incarnation: 'one-1' },
    bufferBytes: 64 * 1024 * 1024,
    slotLingerMs: 0,
    maxConnections: 5,
    openOrder: ['module', 'trade', 'position'],
    clock: systemClock,
    random: createSeededRandom(2),
    ...change,
  })
  const end: { value?: AppRelayEnd } = {}
  const ended = relay.run(0).then((value) => {
    end.value = value
    return value
  })
  const stop = async (): Promise<AppRelayEnd> => {
    relay.drain(true)
    return ended
  }
  onTestFinished(async () => {
    relay.abort()
    await ended
  })
  return { relay, ended, end, stop }
}

/** A notice of any kind. */
export type StoredNotice = Partial<Omit<WriterGap, 'kind' | 'cause'>> &
  Pick<Partial<WriterChangedNotice>, 'state' | 'completeUntil'> & {
    readonly kind: string
    readonly cause?: string
  }

export const isEvent = ({ headers }: StoredEntry): boolean => headers[HEADER.type] === 'event'

export const storedNotices = (
  entries: readonly StoredEntry[],
  source: string,
  kind: string,
): readonly StoredNotice[] =>
  entries
    .filter(({ headers }) => headers[HEADER.source] === source && headers[HEADER.kind] === kind)
    .filter((entry) => !isEvent(entry))
    .map(({ body }) => JSON.parse(body) as StoredNotice)

/** Whether an instant by the service's clock lies within a gap of a subscription. */
export const isInGap = (entries: readonly StoredEntry[], source: string, atMs: number): boolean =>
  storedNotices(entries, source, 'gap').some(
    ({ fromMs = Number.NaN, toMs = Number.NaN }) => fromMs <= atMs && atMs <= toMs,
  )
