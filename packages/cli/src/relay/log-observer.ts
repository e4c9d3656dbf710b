/** Log lines of a running relay, from the reports to its observer. */
import type { StartRelayOptions } from '@brokerwire/relay'
import { errorFields, type RelayLog } from './log.ts'

type Observer = NonNullable<StartRelayOptions['observer']>

/** Creates an observer that logs all reports, except those of stored messages and duplicates. */
export function createLogObserver(log: RelayLog): Observer {
  const ofError = (error: unknown) => (error === undefined ? {} : errorFields(error))
  return {
    onRelayMembers: ({ members }) => log.write('info', 'cluster.members', { members }),
    onRelayApp: ({ app, state, error }) =>
      log.write(state === 'failed' ? 'error' : 'info', `app.${state}`, { app, ...ofError(error) }),
    onRelayMembershipLost: ({ error }) => log.write('warn', 'cluster.membership-lost', ofError(error)),
    onRelaySinkWait: ({ app, error }) => log.write('warn', 'app.waiting', { app, ...ofError(error) }),
    onRelayOversized: ({ app, entry, messageBytes, maxBytes, setting, file, error }) =>
      log.write('warn', 'event.oversized', {
        app,
        subject: entry.subject,
        id: entry.key,
        bytes: messageBytes,
        maxBytes,
        setting,
        file,
        ...ofError(error),
      }),
    onRelayStoreFailed: ({ error }) => log.write('warn', 'store.failed', ofError(error)),
    onRelaySubscription: ({ app, subscription, state, error }) =>
      log.write(state === 'failed' ? 'warn' : 'info', `subscription.${state}`, {
        app,
        subscription,
        ...(error === undefined ? {} : ofError(error)),
      }),
    onRelayToken({ app, state, deadlineMs, action, nextCreateAtMs, error }) {
      const iso = (ms: number | undefined) => (ms === undefined ? undefined : new Date(ms).toISOString())
      log.write(state === 'usable' ? 'info' : 'warn', `token.${state}`, {
        app,
        action,
        deadline: iso(deadlineMs),
        nextCreate: iso(nextCreateAtMs),
        ...ofError(error),
      })
    },
    onRelayNotice({ app, subscription, notice }) {
      const { type: _, kind, atMs: __, ...rest } = notice
      const level = kind === 'gap' || kind === 'reconnecting' ? 'warn' : 'info'
      log.write(level, `stream.${kind}`, { app, subscription, ...rest })
    },
    onRelayBackpressure: ({ app, isPaused, bytes }) =>
      log.write(isPaused ? 'warn' : 'info', isPaused ? 'sink.paused' : 'sink.resumed', { app, bytes }),
  }
}
