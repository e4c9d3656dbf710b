/** The frame of the page: header with clock, navigation, the current view, and the status message. */
import { effect } from '@preact/signals'
import type { ComponentType } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { statusMessage } from './model/calls.ts'
import { formatInstant } from './model/format.ts'
import { connectionState, nowMs, route, state } from './model/store.ts'
import type { ConsoleState } from './model/wire.ts'
import { Events } from './views/events.tsx'
import { Faults } from './views/faults.tsx'
import { MarketData } from './views/market-data.tsx'
import { Orders } from './views/orders.tsx'
import { Overview } from './views/overview.tsx'
import { Requests } from './views/requests.tsx'
import { Streams } from './views/streams.tsx'
import { Time } from './views/time.tsx'
import { Tokens } from './views/tokens.tsx'
import { Workbench } from './views/workbench.tsx'

const VIEWS: readonly (readonly [name: string, title: string, view: ComponentType])[] = [
  ['overview', 'Overview', Overview],
  ['tokens', 'Tokens', Tokens],
  ['streams', 'Streams', Streams],
  ['market-data', 'Market data', MarketData],
  ['orders', 'Orders', Orders],
  ['events', 'Events', Events],
  ['requests', 'Requests', Requests],
  ['faults', 'Faults', Faults],
  ['time', 'Time', Time],
  ['workbench', 'Workbench', Workbench],
]

const CONNECTION_TEXTS = {
  connecting: 'Connecting …',
  open: 'Connected',
  offline: 'The simulator is not reachable. This page connects again by itself.',
  unauthorized: 'No access: open the address that the simulator printed.',
  full: 'Eight consoles are open. Close another one to use this one.',
} as const

export function App() {
  const { view } = route.value
  const [name, title, View] = VIEWS.find(([each]) => each === view) ?? VIEWS[0] ?? ['', '', Overview]
  const main = useRef<HTMLElement>(null)
  const shown = useRef(name)
  useEffect(() => {
    document.title = `${title} · brokerwire console`
    // Moves the focus to the heading of a view that the user selected, but not to that of the first view.
    if (shown.current !== name) main.current?.querySelector('h1')?.focus()
    shown.current = name
  }, [name, title])
  return (
    <>
      <button type="button" class="skip" onClick={() => main.current?.focus()}>
        Skip to the view
      </button>
      <header class="top">
        <p class="brand">
          <b>brokerwire</b> console
        </p>
        <Clock />
        <p class={`link l-${connectionState.value}`} role="status">
          {CONNECTION_TEXTS[connectionState.value]}
        </p>
      </header>
      <nav aria-label="Views">
        <ul>
          {VIEWS.map(([each, text]) => (
            <li key={each}>
              <a href={`#/${each}`} aria-current={each === name ? 'page' : undefined}>
                {text} <Count of={each} />
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <main
        id="content"
        ref={main}
        tabIndex={-1}
        class={connectionState.value === 'open' ? undefined : 'stale'}
      >
        {state.value === undefined && name !== 'workbench' ? <Waiting /> : <View />}
      </main>
      <StatusMessage />
    </>
  )
}

function Clock() {
  if (state.value === undefined) return null
  return (
    <p class="clock">
      <span class="muted">service time </span>
      <time>{formatInstant(nowMs.value)}</time>
      <span class="muted"> UTC</span>
    </p>
  )
}

/** The counts after the names of the views. */
const COUNTS: Readonly<
  Record<string, { readonly what: string; readonly get: (now: ConsoleState) => number } | undefined>
> = {
  tokens: {
    what: 'waiting for approval',
    get: ({ tokens }) => tokens.filter(({ status }) => status === 'PENDING').length,
  },
  streams: { what: 'open', get: ({ streamCount }) => streamCount },
  orders: { what: 'open', get: ({ trading }) => trading?.openCount ?? 0 },
  faults: { what: 'active', get: ({ faults }) => faults.length },
}

function Count({ of }: { readonly of: string }) {
  const now = state.value
  const { what, get } = COUNTS[of] ?? {}
  const count = now === undefined ? 0 : (get?.(now) ?? 0)
  if (count === 0) return null
  return (
    <span class={of === 'tokens' ? 'count hot' : 'count'}>
      {count}
      <span class="sr"> {what}</span>
    </span>
  )
}

function Waiting() {
  const { value: how } = connectionState
  const title =
    how === 'unauthorized'
      ? 'This browser has no access'
      : how === 'full'
        ? 'Too many consoles are open'
        : 'Waiting for the simulator'
  return (
    <div class="empty">
      <h1 class="empty-title" tabIndex={-1}>
        {title}
      </h1>
      {how === 'full' ? (
        <p>The simulator allows eight consoles at the same time. Close another one to use this one.</p>
      ) : how === 'unauthorized' ? (
        <p>
          A simulator runs here, but this browser does not have its token. Open the address that the simulator
          printed in its terminal after <code>Console:</code>.
        </p>
      ) : (
        <p>
          This page connects as soon as the simulator runs. To start one, run{' '}
          <code>brokerwire simulate --console</code> and open the address that it prints.
        </p>
      )}
    </div>
  )
}

/** Time for which a status message is shown. An error is shown for a longer time. */
const MESSAGE_MS = 5000
const ERROR_MS = 20_000

/** The status message at the foot of the page. Screen readers announce it immediately. */
function StatusMessage() {
  const last = statusMessage.value
  const shown = last === undefined ? '' : last.isError ? ' on error' : ' on'
  return (
    <p class={`status-message${shown}`} role="status">
      {last?.text ?? ''}
    </p>
  )
}

effect(() => {
  const last = statusMessage.value
  if (last === undefined) return
  setTimeout(
    () => {
      if (statusMessage.peek() === last) statusMessage.value = undefined
    },
    last.isError ? ERROR_MS : MESSAGE_MS,
  )
})
