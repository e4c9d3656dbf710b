/**
 * Describes the state of the simulator in the format of the console. The description is bounded and contains
 * no secrets.
 */
import { createHash } from 'node:crypto'
import type { Clock } from '@brokerwire/core'
import type { App, Apps } from '../apps/app.ts'
import type { FaultControls } from '../fault-controls.ts'
import { FRAME_FAULTS } from '../grpc/frame-fault.ts'
import type { StreamHub } from '../grpc/stream-hub.ts'
import { SUBSCRIPTION_FAULTS } from '../grpc/subscription-fault.ts'
import { HTTP_FAULTS } from '../http/http-fault.ts'
import type { RequestLog } from '../request-log.ts'
import { SCENARIO_NAMES } from '../scenario/scenario.ts'
import type { IssuedToken } from '../tokens/access-token-repository.ts'
import { ACCESS_TOKEN_TRANSITIONS, accessTokenStatus, nextTransition } from '../tokens/access-token-state.ts'
import { MODULES } from '../wire/modules.ts'
import { ORDER_SCENES } from '../wire/order.ts'
import { type ConsoleQuotesSource, describeQuotes } from './console-quotes.ts'
import { type ConsoleTradingSource, describeTrading } from './console-trading.ts'
import type { ConsoleFault, ConsoleHello, ConsoleState, ConsoleStream, ConsoleToken } from './wire.ts'

/** Dependencies of the description. */
export interface ConsoleSources {
  readonly clock: Clock
  readonly apps: Apps
  readonly hub: StreamHub
  readonly requestLog: RequestLog
  readonly faults: FaultControls
  readonly isScenarioRunning: () => boolean
  readonly quotes: ConsoleQuotesSource | undefined
  readonly trading: ConsoleTradingSource | undefined
}

const MAX_TOKENS = 100
const MAX_STREAMS = 200

/** Describes what does not change while the simulator runs. */
export function describeConsole(epoch: string): ConsoleHello {
  return {
    epoch,
    tokenMoves: ACCESS_TOKEN_TRANSITIONS.map(({ from, to, on }) => ({ from, to, on })),
    choices: {
      orderScenes: ORDER_SCENES,
      modules: Object.fromEntries(
        Object.entries(MODULES).map(([name, { bizTypes }]) => [name, Object.keys(bizTypes)]),
      ),
      httpFaults: HTTP_FAULTS,
      subscriptionFaults: SUBSCRIPTION_FAULTS,
      frameFaults: FRAME_FAULTS,
      scenarios: SCENARIO_NAMES,
    },
  }
}

/** Describes the current state. */
export function describeState(sources: ConsoleSources): ConsoleState {
  const { clock, apps, hub, requestLog } = sources
  const nowMs = clock.now()
  const tokens = apps.all.flatMap((app) =>
    [...app.accessTokens.entries()].slice(-MAX_TOKENS).map((entry) => describeToken(app, entry, nowMs)),
  )
  const progress = hub.progress()
  const streams = progress.slice(-MAX_STREAMS).map((item): ConsoleStream => {
    const { requested, appKey, openedAtMs, connectionId, index, end, cursors, silence } = item
    const isTrade = requested.service === 'trade'
    return {
      id: connectionId,
      app: apps.of(appKey).settings.name,
      service: requested.service,
      openedAtMs,
      accounts: isTrade ? requested.accounts : [],
      subscribeType: isTrade ? requested.subscribeType : undefined,
      asked: isTrade ? [] : requested.events,
      index,
      end,
      sent: cursors,
      silence,
    }
  })
  return {
    clock: { nowMs, offsetMs: 'offsetMs' in clock ? Number(clock.offsetMs) : undefined },
    scenarioRunning: sources.isScenarioRunning(),
    silence: hub.silence,
    apps: apps.all.map(({ settings, slots }) => ({
      name: settings.name,
      appKey: settings.appKey,
      environment: settings.environment,
      region: settings.region,
      accounts: settings.accounts,
      symbols: settings.market.instruments.map(({ symbol }) => symbol),
      usedConnections: slots.taken(settings.appKey, nowMs),
      maxConnections: settings.maxConnections,
    })),
    tokens: tokens.sort((a, b) => b.createdAtMs - a.createdAtMs).slice(0, MAX_TOKENS),
    tokenCount: apps.all.reduce((sum, { accessTokens }) => sum + accessTokens.size, 0),
    streams,
    streamCount: progress.length,
    faults: describeFaults(sources.faults),
    quotes: sources.quotes && describeQuotes(sources.quotes, apps),
    trading: sources.trading && describeTrading(sources.trading, apps),
    eventCount: apps.all.reduce((sum, { tradeLog, moduleLog }) => sum + tradeLog.end + moduleLog.end, 0),
    requestCount: requestLog.total,
  }
}

/** Returns a public id of a token: the beginning of its digest, from which the token cannot be recovered. */
function getTokenId(token: string): string {
  return createHash('sha256').update(token).digest('hex').slice(0, 16)
}

/** Finds the token with this id. */
export function findToken(apps: Apps, id: string): { readonly app: App; readonly token: string } | undefined {
  for (const app of apps.all) {
    for (const [token] of app.accessTokens.entries()) if (getTokenId(token) === id) return { app, token }
  }
  return undefined
}

function describeToken(
  { settings, accessTokens }: App,
  [token, times]: readonly [string, IssuedToken],
  nowMs: number,
): ConsoleToken {
  const { createdAtMs, verifiedAtMs, lastUsedAtMs, expiresAtMs } = times
  const next = nextTransition(times, accessTokens.rules, nowMs)
  return {
    id: getTokenId(token),
    begins: token.slice(0, 4),
    app: settings.name,
    status: accessTokenStatus(times, accessTokens.rules, nowMs),
    createdAtMs,
    verifiedAtMs,
    lastUsedAtMs,
    expiresAtMs,
    next: next && { to: next.move.to, on: next.move.on, atMs: next.atMs },
  }
}

function describeFaults({ http, subscriptions, frames }: FaultControls): readonly ConsoleFault[] {
  return [
    ...http.pending().map(({ fault, selection, remaining }) => ({
      of: 'http' as const,
      what: fault.kind === 'respond' ? `respond ${fault.status}` : fault.kind,
      only: Array.isArray(selection) ? selection.join(', ') : (selection as string | undefined),
      left: remaining,
    })),
    ...subscriptions.pending().map(({ fault, selection, remaining }) => ({
      of: 'subscription' as const,
      what: fault,
      only: selection,
      left: remaining,
    })),
    ...frames.pending().map(({ fault, selection, remaining }) => ({
      of: 'frame' as const,
      what: fault,
      only: selection,
      left: remaining,
    })),
  ]
}
