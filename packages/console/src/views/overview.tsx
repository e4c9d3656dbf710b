/** The first view: tokens, streams, cursors and signatures, each with its current state. */
import type { ComponentChildren } from 'preact'
import { sendAction } from '../model/calls.ts'
import { formatCount, pluralize } from '../model/format.ts'
import { requests, state } from '../model/store.ts'
import type { ConsoleState } from '../model/wire.ts'
import { Chart } from '../parts/chart.tsx'
import { View } from '../parts/common.tsx'

export function Overview() {
  const now = state.value
  if (now === undefined) return null
  return (
    <View
      title="Overview"
      about="A local simulator of a brokerage's open API. See every request and event of your programs, approve tokens, send events and add faults."
    >
      <ul class="cards four">
        <TokensCard now={now} />
        <StreamsCard now={now} />
        <CursorsCard now={now} />
        <SignaturesCard />
      </ul>
      <Chart />
      <Apps now={now} />
    </View>
  )
}

function Topic(props: {
  readonly title: string
  readonly href: string
  readonly figure: ComponentChildren
  readonly children: ComponentChildren
  readonly action?: ComponentChildren
}) {
  return (
    <li>
      <article class="card topic">
        <h2>
          <a href={props.href}>{props.title}</a>
        </h2>
        <p class="figure">{props.figure}</p>
        <p>{props.children}</p>
        {props.action}
      </article>
    </li>
  )
}

function TokensCard({ now: { tokens, tokenCount } }: { readonly now: ConsoleState }) {
  const waiting = tokens.filter(({ status }) => status === 'PENDING')
  const usable = tokens.filter(({ status }) => status === 'NORMAL').length
  const [first] = waiting
  const figure =
    waiting.length > 0
      ? `${pluralize(waiting.length, 'token')} to approve`
      : tokenCount === 0
        ? 'none yet'
        : `${formatCount(usable)} usable`
  return (
    <Topic
      title="Tokens"
      href="#/tokens"
      figure={figure}
      action={
        first === undefined ? null : (
          <p class="buttons">
            <button
              type="button"
              class="primary"
              onClick={() =>
                void sendAction(
                  'token',
                  { id: first.id, action: 'approve' },
                  () => `Token ${first.begins}… is approved.`,
                )
              }
            >
              Approve {first.begins}…
            </button>
          </p>
        )
      }
    >
      Requests need an access token. A program creates it, a person approves it, and it expires after fifteen
      days.
    </Topic>
  )
}

function StreamsCard({ now: { streamCount, apps } }: { readonly now: ConsoleState }) {
  const taken = apps.reduce((sum, app) => sum + app.usedConnections, 0)
  const slots = apps.reduce((sum, app) => sum + app.maxConnections, 0)
  return (
    <Topic title="Streams" href="#/streams" figure={`${streamCount} open · ${taken} of ${slots} slots`}>
      A stream delivers events as they happen. Connections break, and a program must connect again.
    </Topic>
  )
}

function CursorsCard({ now: { streams } }: { readonly now: ConsoleState }) {
  const cursor = streams.flatMap(({ sent }) => sent).at(-1)
  return (
    <Topic
      title="Cursors"
      href="#/streams"
      figure={cursor === undefined ? 'none sent yet' : <code>{cursor.position}</code>}
    >
      A cursor is a position in the module events. A program that connects again sends its last cursor and
      receives the events after it.
    </Topic>
  )
}

function SignaturesCard() {
  const last = requests.value.slice(-100)
  const rejected = last.filter(
    ({ entry }) => entry.status === 401 || entry.errorCode === 'UNAUTHORIZED',
  ).length
  const figure =
    last.length === 0
      ? 'none checked yet'
      : rejected === 0
        ? 'all valid'
        : `${formatCount(rejected)} rejected`
  return (
    <Topic title="Signatures" href="#/requests" figure={figure}>
      A signature proves which app sent a request and that it was not changed. The app secret is never sent.
    </Topic>
  )
}

function Apps({ now: { apps, eventCount, requestCount } }: { readonly now: ConsoleState }) {
  return (
    <section class="panel" aria-labelledby="apps">
      <h2 id="apps">{apps.length === 1 ? 'The app' : 'The apps'}</h2>
      <section class="table-box" tabIndex={0} aria-label="Apps">
        <table>
          <caption class="sr">Apps of this service</caption>
          <thead>
            <tr>
              <th scope="col">name</th>
              <th scope="col">app key</th>
              <th scope="col">environment</th>
              <th scope="col">accounts</th>
            </tr>
          </thead>
          <tbody>
            {apps.map(({ name, appKey, environment, region, accounts }) => (
              <tr key={name}>
                <td>{name}</td>
                <td>
                  <code class="key">{appKey}</code>
                </td>
                <td>
                  {environment}, {region}
                </td>
                <td>{accounts.join(', ')}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <p class="muted small">
        Since the start: {pluralize(eventCount, 'event')}, {pluralize(requestCount, 'request')}.
      </p>
    </section>
  )
}
