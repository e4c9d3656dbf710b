/** Log lines of a running relay, from the reports to its observer. */
import type { StartRelayOptions } from '@brokerwire/relay'
import { errorFields, type RelayLog } from './log.ts'

type Observer = NonNullable<StartRelayOptions['observer']>

/** Creates an observer that logs all reports, except those of stored messages and duplicates. */
export function createLogObserver(log: RelayLog): Observer {
  const ofError = (error: unknown) => (error === undefined ? {} : errorFields(error))
  return {
    onRelayMembers: ({ members }) => log.write('cluster.members', { members }),
    onRelayApp: ({ app, state, error }) => log.write(`app.${state}`, { app, ...ofError(error) }),
    onRelayTakeover: ({ app, previousRelay, isReleased }) =>
      log.write('app.takeover', { app, previousRelay, previous: isReleased ? 'released' : 'lost' }),
    onRelayMembershipLost: ({ error }) => log.write('cluster.membership-lost', ofError(error)),
    onRelaySinkWait: ({ app, error }) => log.write('app.waiting', { app, ...ofError(error) }),
    onRelayConnectionWait: ({ app, subscriptions, lingering, waitMs }) =>
      log.write('subscription.waiting', { app, subscriptions, lingering, waitMs }),
    onRelayOversized: ({ app, entry, messageBytes, maxBytes, setting, file, error }) =>
      log.write('event.oversized', {
        app,
        subject: entry.subject,
        id: entry.key,
        bytes: messageBytes,
        maxBytes,
        setting,
        file,
        ...ofError(error),
      }),
    onRelayStoreFailed: ({ error }) => log.write('store.failed', ofError(error)),
    onRelaySubscription: ({ app, subscription, state, error }) =>
      log.write(`subscription.${state}`, {
        app,
        subscription,
        ...(error === undefined ? {} : ofError(error)),
      }),
    onRelayToken({ app, state, deadlineMs, action, nextCreateAtMs, error }) {
      const iso = (ms: number | undefined) => (ms === undefined ? undefined : new Date(ms).toISOString())
      log.write(`token.${state}`, {
        app,
        action,
        deadline: iso(deadlineMs),
        nextCreate: iso(nextCreateAtMs),
        ...ofError(error),
      })
    },
    onRelayNotice({ app, subscription, notice }) {
      const { type: _, kind, atMs: __, ...rest } = notice
      log.write(`stream.${kind}`, { app, subscription, ...rest })
    },
    onRelayBackpressure: ({ app, isPaused, bytes }) =>
      log.write(isPaused ? 'sink.paused' : 'sink.resumed', { app, bytes }),
  }
}
