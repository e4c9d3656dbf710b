/** Connections and streams: who listens, how far each is, and what can go wrong with it. */
import { signal } from '@preact/signals'
import { act } from '../model/calls.ts'
import { counted, countText, durationText } from '../model/format.ts'
import { nowMs, state } from '../model/store.ts'
import type { ConsoleApp, ConsoleStream } from '../model/wire.ts'
import { Choice, Command, Empty, View } from '../parts/common.tsx'

/** What can go wrong with a stream: of one, and of all. */
const ACTIONS = [
  ['drop', 'Drop', 'The connection breaks without a word'],
  ['goaway', 'GOAWAY', 'The server announces that it goes; what is open goes on'],
  ['reset', 'Reset', 'RST_STREAM: this stream breaks, its connection stays'],
  ['end', 'End', 'The server ends it cleanly'],
  ['expire', 'Expire', 'SubscribeExpired, and the end'],
] as const

const SERVICES = ['trade', 'module'] as const
const BOTH = 'both'
/** Whose streams the buttons above the list are about. */
const service = signal<string>(BOTH)

export function Streams() {
  const { streams = [], streamCount = 0, apps = [], silence } = state.value ?? {}
  const silent = SERVICES.filter((each) => silence !== undefined && silence[each] !== 'none')
  return (
    <View
      title="Streams"
      about="A program keeps a stream open, and events arrive on it as they happen. When the connection breaks, it opens a new one and names the last cursor it has seen: from there the service goes on."
    >
      {streamCount === 0 && silent.length === 0 ? null : <ManyActions streams={streams} silent={silent} />}
      {silent.length === 0 ? null : (
        <p class="note" role="status">
          Nothing is sent on {silent.join(' and ')} streams. New ones hear that they are subscribed, and
          nothing more.
        </p>
      )}
      <Slots apps={apps} />
      {streams.length === 0 ? (
        <Empty title="Nobody listens">
          Open a stream: <Command>listen trade --with-token --create</Command>
        </Empty>
      ) : (
        <ul class="cards">
          {streams.map((stream) => (
            <li key={stream.id}>
              <StreamCard stream={stream} />
            </li>
          ))}
        </ul>
      )}
      {streamCount > streams.length ? (
        <p class="muted">
          {streams.length} of {counted(streamCount, 'stream')} are shown.
        </p>
      ) : null}
    </View>
  )
}

/** What is done to all streams, or to those of one service. */
function ManyActions(props: {
  readonly streams: readonly ConsoleStream[]
  readonly silent: readonly string[]
}) {
  const { value: chosen } = service
  const isChosen = (each: string): boolean => chosen === BOTH || chosen === each
  const isAllSilent = SERVICES.filter(isChosen).every((each) => props.silent.includes(each))
  const isAnySilent =
    props.silent.some(isChosen) ||
    props.streams.some((stream) => isChosen(stream.service) && stream.silence !== 'none')
  const button = (action: string, text: string, about: string) => (
    <button key={action} type="button" title={about} onClick={() => void onMany(action, chosen)}>
      {text}
    </button>
  )
  return (
    <fieldset class="filters">
      <legend class="sr">All streams</legend>
      <Choice
        label="Service"
        value={chosen}
        options={[BOTH, ...SERVICES]}
        onChange={(value) => {
          service.value = value
        }}
      />
      {ACTIONS.map(([action, text, about]) => button(action, `${text} all`, about))}
      {isAllSilent ? null : button('silence', 'Silence all', 'Nothing is sent, connections stay open')}
      {isAnySilent ? button('resume', 'End the silence', 'What was held back is sent') : null}
    </fieldset>
  )
}

function onMany(action: string, chosen: string): Promise<boolean> {
  const of = chosen === BOTH ? {} : { service: chosen }
  // GOAWAY is said to connections, whatever is open on them.
  const one = action === 'goaway' ? 'connection' : chosen === BOTH ? 'stream' : `${chosen} stream`
  return act(
    'stream',
    { action, ...of },
    ({ changed }) => `${WORDS[action] ?? action}: ${counted(Number(changed), one)}.`,
  )
}

const WORDS: Readonly<Record<string, string>> = {
  drop: 'Connections were broken without a word',
  goaway: 'GOAWAY was sent, streams go on',
  expire: 'SubscribeExpired was sent',
  silence: 'Nothing is sent any more',
  resume: 'The silence is over',
  ping: 'A ping was sent',
  reset: 'RST_STREAM was sent',
  end: 'Ended cleanly',
}

function Slots({ apps }: { readonly apps: readonly ConsoleApp[] }) {
  return (
    <ul class="slots">
      {apps.map(({ name, appKey, usedConnections, maxConnections }) => (
        <li key={name}>
          <span>
            <b>{name}</b> <code class="key">{appKey}</code>
          </span>
          <span class="meter">
            <meter
              min={0}
              max={maxConnections}
              high={maxConnections - 1}
              value={usedConnections}
              aria-label={`Connection slots of ${name}`}
            />
            {usedConnections} of {maxConnections} slots
          </span>
        </li>
      ))}
    </ul>
  )
}

function StreamCard({ stream }: { readonly stream: ConsoleStream }) {
  const { id, service, app, accounts, subscribeType, asked, index, end, sent, silence, openedAtMs } = stream
  const one = (action: string) => () =>
    void act('stream', { id, action }, ({ changed }) =>
      changed === 0 ? 'This stream has ended already.' : `${WORDS[action] ?? action}.`,
    )
  const name = `${service} stream of ${app}`
  const waiting = end - index
  return (
    <article class="card" aria-label={name}>
      <h2>
        {service} <span class="muted">{app}</span>
        {silence === 'none' ? null : <span class="badge s-pending">silent</span>}
      </h2>
      <p class="muted">
        open for {durationText(nowMs.value - openedAtMs)}
        {service === 'trade'
          ? ` · ${KINDS[subscribeType ?? 0] ?? `type ${subscribeType}`} of ${accounts.join(', ')}`
          : ''}
      </p>
      <p class="track">
        <progress max={Math.max(1, end)} value={index} aria-label="Place in the log" />
        <span>
          at event {countText(index)} of {countText(end)}
          {waiting > 0 ? `, ${countText(waiting)} wait` : ''}
        </span>
      </p>
      {asked.length === 0 ? (
        <p class="muted small">No cursors: the trade service sends what happens from now on.</p>
      ) : (
        <table class="cursors">
          <caption class="sr">Cursors</caption>
          <thead>
            <tr>
              <th scope="col">event type</th>
              <th scope="col">began at</th>
              <th scope="col">is at</th>
            </tr>
          </thead>
          <tbody>
            {asked.map(({ eventType, position }) => (
              <tr key={eventType}>
                <td>{eventType}</td>
                <td>{position === '' ? 'now' : <code>{position}</code>}</td>
                <td>
                  <code>{sent.find((cursor) => cursor.eventType === eventType)?.position ?? '—'}</code>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <p class="buttons">
        {ACTIONS.map(([action, text, about]) => (
          <button key={action} type="button" title={about} onClick={one(action)}>
            {text}
            <span class="sr"> {name}</span>
          </button>
        ))}
        <button type="button" onClick={one(silence === 'none' ? 'silence' : 'resume')}>
          {silence === 'none' ? 'Silence' : 'Resume'}
          <span class="sr"> {name}</span>
        </button>
      </p>
    </article>
  )
}

/** Of subscribeType; 0: left out, as only accounts are needed. */
const KINDS: Readonly<Record<number, string>> = {
  0: 'orders',
  1: 'orders',
  2: 'positions',
  3: 'orders and positions',
}
