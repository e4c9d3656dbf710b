/** The frame of the page: name and clock, the way to the views, the view, and what was said last. */
import { effect } from '@preact/signals'
import type { ComponentType } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { said } from './model/calls.ts'
import { instantText } from './model/format.ts'
import { link, nowMs, place, state } from './model/store.ts'
import { Events } from './views/events.tsx'
import { Faults } from './views/faults.tsx'
import { MarketData } from './views/market-data.tsx'
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
  ['events', 'Events', Events],
  ['requests', 'Requests', Requests],
  ['faults', 'Faults', Faults],
  ['time', 'Time', Time],
  ['workbench', 'Workbench', Workbench],
]

const LINKS = {
  connecting: 'Connecting …',
  open: 'Connected',
  away: 'The simulator is away. This page comes back by itself.',
  refused: 'Locked: open the address that the simulator printed.',
  full: 'Eight consoles are open. This one goes on when another is closed.',
} as const

export function App() {
  const { view } = place.value
  const [name, title, View] = VIEWS.find(([each]) => each === view) ?? VIEWS[0] ?? ['', '', Overview]
  const main = useRef<HTMLElement>(null)
  const shown = useRef(name)
  useEffect(() => {
    document.title = `${title} · brokerwire console`
    // Whoever chose a view goes on reading in it; not on the first one, which nobody chose.
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
        <p class={`link l-${link.value}`} role="status">
          {LINKS[link.value]}
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
      <main id="content" ref={main} tabIndex={-1} class={link.value === 'open' ? undefined : 'stale'}>
        {state.value === undefined && name !== 'workbench' ? <Waiting /> : <View />}
      </main>
      <Said />
    </>
  )
}

function Clock() {
  if (state.value === undefined) return null
  return (
    <p class="clock">
      <span class="muted">service time </span>
      <time>{instantText(nowMs.value)}</time>
      <span class="muted"> UTC</span>
    </p>
  )
}

/** What waits for a person, beside the name of its view. */
function Count({ of }: { readonly of: string }) {
  const now = state.value
  if (now === undefined) return null
  const waiting = now.tokens.filter(({ status }) => status === 'PENDING').length
  const count =
    of === 'tokens' ? waiting : of === 'streams' ? now.streamCount : of === 'faults' ? now.faults.length : 0
  if (count === 0) return null
  const what = of === 'tokens' ? 'waiting for approval' : of === 'streams' ? 'open' : 'in waiting'
  return (
    <span class={of === 'tokens' ? 'count hot' : 'count'}>
      {count}
      <span class="sr"> {what}</span>
    </span>
  )
}

function Waiting() {
  const { value: how } = link
  const title =
    how === 'refused'
      ? 'This console is locked'
      : how === 'full'
        ? 'Too many consoles are open'
        : 'Waiting for the simulator'
  return (
    <div class="empty">
      <h1 class="empty-title" tabIndex={-1}>
        {title}
      </h1>
      {how === 'full' ? (
        <p>The simulator serves eight pages at once. This one fills as soon as another is closed.</p>
      ) : how === 'refused' ? (
        <p>
          A simulator answers here, and this browser does not have its key. Open the address that it printed
          in its terminal, behind <code>Console:</code>.
        </p>
      ) : (
        <p>
          As soon as it answers, this page fills by itself. Where nothing happens, start{' '}
          <code>brokerwire simulate --console</code> and open the address that it prints.
        </p>
      )}
    </div>
  )
}

/** How long something stays at the foot of the page. */
const SAID_MS = 5000
const ERROR_MS = 20_000

/** Said to who sees it for a while, and to who hears it at once. */
function Said() {
  const last = said.value
  return (
    <p class={last === undefined ? 'said' : last.isError ? 'said on error' : 'said on'} role="status">
      {last?.text ?? ''}
    </p>
  )
}

effect(() => {
  const last = said.value
  if (last === undefined) return
  setTimeout(
    () => {
      if (said.peek() === last) said.value = undefined
    },
    last.isError ? ERROR_MS : SAID_MS,
  )
})
