/** Restores an app from the records of a state file, and yields its current records. */
import type { BoundedList } from '../bounded-list.ts'
import type { EmittedModuleEvent, EmittedTradeEvent } from '../events/emitted.ts'
import type { AppSettings } from '../options.ts'
import type { AccessTokenRepository } from '../tokens/access-token-repository.ts'
import type { ClientTokenRepository } from '../tokens/client-token-repository.ts'
import type { RateLimiter } from '../tokens/rate-limit.ts'
import type { StateRecord } from './state-record.ts'

/** The parts of an app whose state is stored. */
export interface StoredParts {
  readonly accessTokens: AccessTokenRepository
  readonly clientTokens: ClientTokenRepository
  readonly limiter: RateLimiter
  readonly tradeLog: BoundedList<EmittedTradeEvent>
  readonly moduleLog: BoundedList<EmittedModuleEvent>
}

/** Restores the parts. @param records - Records of this app, in the order of the file. */
export function restoreApp(parts: StoredParts, records: readonly StateRecord[]): void {
  for (const record of records) {
    switch (record.kind) {
      case 'start':
        parts.tradeLog.startAt(record.trade)
        parts.moduleLog.startAt(record.module)
        break
      case 'token':
        parts.accessTokens.restore(record.token, record.times)
        break
      case 'pair':
        parts.clientTokens.restore(record.user, record.pair)
        break
      case 'call':
        parts.limiter.restore(record)
        break
      case 'trade':
        parts.tradeLog.append(record.event)
        break
      case 'module':
        parts.moduleLog.append(record.event)
        break
      default:
        break
    }
  }
}

/** Yields the records of the app's current state. */
export function* appRecords(
  { name, appKey, appSecret }: AppSettings,
  parts: StoredParts,
): Generator<StateRecord, void, undefined> {
  const app = name
  yield { kind: 'app', app, appKey, appSecret: appSecret.reveal() }
  yield { kind: 'start', app, trade: parts.tradeLog.start, module: parts.moduleLog.start }
  for (const [token, times] of parts.accessTokens.entries()) yield { kind: 'token', app, token, times }
  for (const [user, pair] of parts.clientTokens.entries()) yield { kind: 'pair', app, user, pair }
  for (const call of parts.limiter.calls()) yield { kind: 'call', app, ...call }
  for (const event of parts.tradeLog.entries()) yield { kind: 'trade', app, event }
  for (const event of parts.moduleLog.entries()) yield { kind: 'module', app, event }
}
