/** Selects the events of both services that are sent again: the latest events that match. */
import type { EmittedModuleEvent, EmittedTradeEvent } from './emitted.ts'
import type { EventLog } from './event-log.ts'

/** Selection of events to send again. */
export interface Redelivery {
  readonly count: number
  /** Kind of a trade event, or module or event type of a module event. @defaultValue any */
  readonly kind: string | undefined
  /**
   * Account of the event.
   * @defaultValue any
   */
  readonly accountId: string | undefined
}

interface RedeliverableEvent {
  readonly atMs: number
  appendAgain(): void
}

/** Returns the latest `count` matching events of both logs, oldest first. */
export function latestEvents(
  tradeLog: EventLog<EmittedTradeEvent>,
  moduleLog: EventLog<EmittedModuleEvent>,
  { count, kind, accountId }: Redelivery,
): readonly RedeliverableEvent[] {
  const matches = (kinds: readonly (string | undefined)[], has: (account: string) => boolean): boolean =>
    (kind === undefined || kinds.includes(kind)) && (accountId === undefined || has(accountId))
  const trade = tradeLog
    .entries()
    .filter((event) => matches([event.kind], (account) => event.accountId === account))
    .map((event) => ({ atMs: event.timestampMs, appendAgain: () => void tradeLog.append(event) }))
  const modules = moduleLog
    .entries()
    // If a module event has an account, the account is in its payload.
    .filter((event) =>
      matches([event.module ?? 'module', event.eventType], (account) => event.payload.includes(account)),
    )
    .map((event) => ({
      atMs: Date.parse(event.timestamp) || 0,
      appendAgain: () => void moduleLog.append(event),
    }))
  return [...trade, ...modules].sort((a, b) => a.atMs - b.atMs).slice(-count)
}
