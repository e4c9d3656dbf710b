/** One app key and the state that belongs only to it: tokens, limits, connection slots, accounts, events. */
import type { Clock } from '@brokerwire/core'
import type { EmittedModuleEvent, EmittedTradeEvent } from '../events/emitted.ts'
import { createEventLog, type EventLog, type Retention } from '../events/event-log.ts'
import { createPublisher, type Publisher } from '../events/publisher.ts'
import { createReplayedCursors, type FindCursor } from '../events/replayed-cursors.ts'
import { type ConnectionSlots, createConnectionSlots } from '../grpc/connection-slots.ts'
import type { AppSettings } from '../options.ts'
import { appRecords, restoreApp } from '../state/app-state.ts'
import type { SimulatorState } from '../state/simulator-state.ts'
import type { StateRecord } from '../state/state-record.ts'
import { type AccessTokenRepository, createAccessTokenRepository } from '../tokens/access-token-repository.ts'
import { type ClientTokenRepository, createClientTokenRepository } from '../tokens/client-token-repository.ts'
import { createRateLimiter, type RateLimiter } from '../tokens/rate-limit.ts'
import type { Quirks } from '../wire/quirks.ts'
import { createWireRandom, deriveSeed } from '../wire/random.ts'

/** An app's state. */
export interface App {
  readonly settings: AppSettings
  readonly accounts: ReadonlySet<string>
  readonly accessTokens: AccessTokenRepository
  readonly clientTokens: ClientTokenRepository
  readonly limiter: RateLimiter
  readonly slots: ConnectionSlots
  readonly tradeLog: EventLog<EmittedTradeEvent>
  readonly moduleLog: EventLog<EmittedModuleEvent>
  readonly publisher: Publisher
  /**
   * Finds the log position of a cursor that a replayed event contained. The simulator did not encode such a
   * cursor.
   */
  readonly replayedCursors: FindCursor
  /** Returns the app's records for a state file. */
  readonly records: () => Iterable<StateRecord>
}

/** Parts that all apps share. */
export interface AppContext extends Retention {
  readonly clock: Clock
  readonly quirks: Quirks
  readonly sodEventType: string
  /** Called after an append to a log of the app. */
  readonly onAppend: (appKey: string) => void
  /** Called after a token of an app has changed. */
  readonly onTokenChange: () => void
  readonly state: SimulatorState
}

/** Creates an app and restores its stored records. */
export function createApp(settings: AppSettings, context: AppContext): App {
  const { seed, moduleHistory, appKey, name } = settings
  const { state } = context
  const tradeLog = createEventLog<EmittedTradeEvent>(context)
  const moduleLog = createEventLog<EmittedModuleEvent>(context)
  const accessTokens = createAccessTokenRepository({
    ...settings,
    validityMs: settings.tokenValidityMs,
    idleMs: settings.tokenIdleMs,
    renewal: settings.tokenRenewal,
    onChange(token, times) {
      state.write({ kind: 'token', app: name, token, times })
      context.onTokenChange()
    },
  })
  const clientTokens = createClientTokenRepository({
    accessLifetimeMs: settings.clientTokenLifetimeMs,
    refreshLifetimeMs: settings.refreshTokenLifetimeMs,
    onChange: (user, pair) => state.write({ kind: 'pair', app: name, user, pair }),
  })
  const limiter = createRateLimiter(settings.rateLimit, (call) =>
    state.write({ kind: 'call', app: name, ...call }),
  )
  const parts = { accessTokens, clientTokens, limiter, tradeLog, moduleLog }
  restoreApp(parts, state.getRecords(name))
  if (moduleLog.end === 0) for (const event of moduleHistory) moduleLog.append(event)
  const publisher = createPublisher({
    ...context,
    ...settings,
    // The seed depends on the lengths of the restored logs. With the seed of the earlier run, new events
    // would get the identifiers of stored events.
    random: createWireRandom(deriveSeed(seed, 16 + tradeLog.end + moduleLog.end)),
    tradeLog: journaled(tradeLog, (event) => state.write({ kind: 'trade', app: name, event })),
    moduleLog: journaled(moduleLog, (event) => state.write({ kind: 'module', app: name, event })),
    onAppend: () => context.onAppend(appKey),
  })
  return {
    ...parts,
    settings,
    accounts: new Set(settings.accounts),
    slots: createConnectionSlots(settings),
    records: () => appRecords(settings, parts),
    publisher,
    replayedCursors: createReplayedCursors(moduleLog, publisher.positions),
  }
}

/** Wraps a log so that each entry is written to the state file before it is appended to the log. */
function journaled<E>(log: EventLog<E>, write: (event: E) => void): EventLog<E> {
  return Object.create(log, {
    append: {
      value: (event: E) => {
        write(event)
        return log.append(event)
      },
    },
  }) as EventLog<E>
}

/** The apps of a simulator. */
export interface Apps {
  readonly all: readonly [App, ...App[]]
  /** Returns the app with this app key. `undefined` if there is none. */
  find(appKey: string): App | undefined
  /** Returns the app with this app key. Every request with a valid signature has the key of an app. */
  of(appKey: string): App
}

/** @param all - At least one app. */
export function createApps(all: readonly [App, ...App[]]): Apps {
  const byKey = new Map(all.map((app) => [app.settings.appKey, app]))
  return {
    all,
    find: (appKey) => byKey.get(appKey),
    of: (appKey) => byKey.get(appKey) ?? all[0],
  }
}
