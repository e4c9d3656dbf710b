/** What the page knows. Views read it; the feed alone writes it. */
import { computed, type Signal, signal } from '@preact/signals'
import type { Rate } from './rates.ts'
import type { Row } from './rows.ts'
import type { ConsoleEvent, ConsoleHello, ConsoleRequest, ConsoleState } from './wire.ts'

/** How the page is connected. `refused`: with no session of this simulator; `full`: it serves as many pages as it may. */
export type Link = 'connecting' | 'open' | 'away' | 'refused' | 'full'

export const link = signal<Link>('connecting')
export const hello = signal<ConsoleHello | undefined>(undefined)
export const state = signal<ConsoleState | undefined>(undefined)
export const events = signal<readonly Row<ConsoleEvent>[]>([])
export const requests = signal<readonly Row<ConsoleRequest>[]>([])
/** Events that came faster than they can be shown. */
export const skippedEvents = signal(0)
export const rates = signal<readonly Rate[]>([])

const ofRun: (() => void)[] = []

/** A signal about things of one run of the simulator: of another run it knows nothing. */
export function signalOfRun<T>(): Signal<T | undefined> {
  const made = signal<T | undefined>(undefined)
  ofRun.push(() => {
    made.value = undefined
  })
  return made
}

/** The simulator was started anew: nothing that was shown is true any more. */
export function forgetRun(): void {
  events.value = []
  requests.value = []
  skippedEvents.value = 0
  for (const forget of ofRun) forget()
}

/** How far the simulator's clock is ahead of the page's; `undefined`: it stands still. */
const aheadMs = signal<number | undefined>(undefined)
const standsAtMs = signal(0)
/** The page's own time, once a second. */
const tick = signal(Date.now())

/** Takes over what the simulator's clock says. */
export function setClock({ nowMs, offsetMs }: ConsoleState['clock']): void {
  standsAtMs.value = nowMs
  aheadMs.value = offsetMs === undefined ? undefined : nowMs - Date.now()
  tick.value = Date.now()
}

/** The next second. */
export function countOn(): void {
  tick.value = Date.now()
}

/** The simulator's time. */
export const nowMs = computed(() =>
  aheadMs.value === undefined ? standsAtMs.value : tick.value + aheadMs.value,
)

/** Which view is shown, and what stands behind its name in the address. */
export const place = signal(readPlace())

/** The view in the address. */
export function readPlace(): { readonly view: string; readonly query: string } {
  const [view = '', query = ''] = location.hash.replace(/^#\/?/, '').split('?', 2)
  return { view: view === '' || view.includes('=') ? 'overview' : view, query }
}
