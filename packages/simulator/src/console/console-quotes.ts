/** Describes market data in the format of the console. The description is bounded and contains no secrets. */
import type { Apps } from '../apps/app.ts'
import type { QuotesControls } from '../quotes/quotes-controls.ts'
import type { ConsoleQuotes } from './wire.ts'

/** Dependencies of the description. */
export interface ConsoleQuotesSource {
  readonly controls: QuotesControls
  readonly settings: { readonly maxConnections: number }
}

const MAX_SESSIONS = 100
const MAX_SYMBOLS = 20

export function describeQuotes({ controls, settings }: ConsoleQuotesSource, apps: Apps): ConsoleQuotes {
  const sessions = controls.sessions()
  return {
    mqttUrl: controls.mqttUrl,
    mqttWebSocketUrl: controls.mqttWebSocketUrl,
    usedConnections: controls.usedConnections(),
    maxConnections: settings.maxConnections,
    sessionCount: sessions.length,
    sessions: sessions.slice(0, MAX_SESSIONS).map(({ id, appKey, transport, symbols, dropped, silence }) => ({
      // The id is truncated, because a client may send an id of 65,535 bytes.
      id: id.slice(0, 100),
      app: apps.of(appKey).settings.name,
      transport,
      silence,
      symbols: symbols
        .slice(0, MAX_SYMBOLS)
        .map(({ category, symbol, types }) => ({ category, symbol, types: [...types] })),
      symbolCount: symbols.length,
      dropped,
    })),
  }
}
