/** The state of the page. Only the feed writes it. The views read it. */
import { computed, type Signal, signal } from '@preact/signals'
import type { Rate } from './rates.ts'
import type { Row } from './rows.ts'
import type {
  ConsoleApp,
  ConsoleEvent,
  ConsoleHello,
  ConsolePrices,
  ConsoleRequest,
  ConsoleState,
} from './wire.ts'

/**
 * The state of the connection.
 *
 * - `unauthorized`: the browser has no session of this simulator.
 * - `full`: the maximum number of pages is open.
 */
export type ConnectionState = 'connecting' | 'open' | 'offline' | 'unauthorized' | 'full'

export const connectionState = signal<ConnectionState>('connecting')
export const hello = signal<ConsoleHello | undefined>(undefined)
export const state = signal<ConsoleState | undefined>(undefined)
export const prices = signal<ConsolePrices>({})
export const events = signal<readonly Row<ConsoleEvent>[]>([])
export const requests = signal<readonly Row<ConsoleRequest>[]>([])
/** Number of events that the simulator skipped because the page was too slow. */
export const skippedEvents = signal(0)
export const rates = signal<readonly Rate[]>([])

/** Returns the app with this name, or else the first app. */
export function findApp(name: string | undefined): ConsoleApp | undefined {
  const { apps = [] } = state.value ?? {}
  return apps.find((app) => app.name === name) ?? apps[0]
}

const resets: (() => void)[] = []

/** Creates a signal that is reset when the simulator restarts. */
export function signalOfRun<T>(): Signal<T | undefined> {
  const made = signal<T | undefined>(undefined)
  resets.push(() => {
    made.value = undefined
  })
  return made
}

/** Resets the state after a restart of the simulator. */
export function resetRun(): void {
  events.value = []
  requests.value = []
  skippedEvents.value = 0
  for (const forget of resets) forget()
}

/** The simulator's clock minus the browser's. `undefined` if the simulator's clock is frozen. */
const aheadMs = signal<number | undefined>(undefined)
const frozenAtMs = signal(0)
/** The browser's time, updated once a second. */
const tick = signal(Date.now())

/** Sets the simulator's clock. */
export function setClock({ nowMs, offsetMs }: ConsoleState['clock']): void {
  frozenAtMs.value = nowMs
  aheadMs.value = offsetMs === undefined ? undefined : nowMs - Date.now()
  tick.value = Date.now()
}

/** Updates the browser's time, once a second. */
export function tickClock(): void {
  tick.value = Date.now()
}

/** The time of the simulator's clock. */
export const nowMs = computed(() =>
  aheadMs.value === undefined ? frozenAtMs.value : tick.value + aheadMs.value,
)

/** The current view, and the query after its name in the address. */
export const route = signal(parseRoute())

/** Parses the fragment of the address. */
export function parseRoute(): { readonly view: string; readonly query: string } {
  const [view = '', query = ''] = location.hash.replace(/^#\/?/, '').split('?', 2)
  return { view: view === '' || view.includes('=') ? 'overview' : view, query }
}
