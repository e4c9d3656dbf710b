/** One app key and everything that belongs to it alone: tokens, limits, slots, accounts, events. */
import type { Clock } from '@brokerwire/core'
import type { EmittedModuleEvent, EmittedTradeEvent } from '../events/emitted.ts'
import { createEventLog, type EventLog, type Retention } from '../events/event-log.ts'
import { createPublisher, type Publisher } from '../events/publisher.ts'
import { type ConnectionSlots, createConnectionSlots } from '../grpc/connection-slots.ts'
import type { AppSettings } from '../options.ts'
import { type AccessTokenBook, createAccessTokenBook } from '../tokens/access-tokens.ts'
import { type ClientTokenBook, createClientTokenBook } from '../tokens/client-tokens.ts'
import { createRateLimiter } from '../tokens/rate-limit.ts'
import { createWireRandom, deriveSeed } from '../wire/random.ts'
import type { Sloppiness } from '../wire/sloppiness.ts'

/** An app's state. */
export interface App {
  readonly settings: AppSettings
  readonly accounts: ReadonlySet<string>
  readonly accessTokens: AccessTokenBook
  readonly clientTokens: ClientTokenBook
  /** 0, or the milliseconds to wait. */
  readonly takeTokenCall: (nowMs: number) => number
  readonly slots: ConnectionSlots
  readonly tradeLog: EventLog<EmittedTradeEvent>
  readonly moduleLog: EventLog<EmittedModuleEvent>
  readonly publisher: Publisher
}

/** What apps have in common. */
export interface AppContext extends Retention {
  readonly clock: Clock
  readonly sloppiness: Sloppiness
  readonly sodEventType: string
  /** Called after an append to a log of the app. */
  readonly onAppend: (appKey: string) => void
  /** Called after a token of an app has changed. */
  readonly onTokenChange: () => void
}

/** Makes an app without tokens. */
export function createApp(settings: AppSettings, context: AppContext): App {
  const { seed, moduleHistory, appKey } = settings
  const tradeLog = createEventLog<EmittedTradeEvent>(context)
  const moduleLog = createEventLog<EmittedModuleEvent>(context)
  for (const event of moduleHistory) moduleLog.append(event)
  const takeTokenCall = createRateLimiter(settings.rateLimit)
  return {
    settings,
    accounts: new Set(settings.accounts),
    accessTokens: createAccessTokenBook({
      ...settings,
      validityMs: settings.tokenValidityMs,
      idleMs: settings.tokenIdleMs,
      renewal: settings.tokenRenewal,
      onChange: context.onTokenChange,
    }),
    clientTokens: createClientTokenBook({
      accessLifetimeMs: settings.clientTokenLifetimeMs,
      refreshLifetimeMs: settings.refreshTokenLifetimeMs,
    }),
    takeTokenCall: (nowMs) => takeTokenCall(appKey, nowMs),
    slots: createConnectionSlots(settings),
    tradeLog,
    moduleLog,
    publisher: createPublisher({
      ...context,
      ...settings,
      // After a history the draws go on elsewhere: the same ids again would look like repeats.
      random: createWireRandom(deriveSeed(seed, 16 + moduleHistory.length)),
      tradeLog,
      moduleLog,
      onAppend: () => context.onAppend(appKey),
    }),
  }
}

/** The apps of a simulator. */
export interface Apps {
  readonly all: readonly [App, ...App[]]
  /** `undefined`: the app key is nobody's. */
  find(appKey: string): App | undefined
  /** The app of a request whose signature was right. */
  of(appKey: string): App
}

/** @param all - At least one. */
export function createApps(all: readonly [App, ...App[]]): Apps {
  const byKey = new Map(all.map((app) => [app.settings.appKey, app]))
  return {
    all,
    find: (appKey) => byKey.get(appKey),
    of: (appKey) => byKey.get(appKey) ?? all[0],
  }
}
