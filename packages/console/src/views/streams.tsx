/** The view of streams: their positions, and actions that break them. */
import { signal } from '@preact/signals'
import { sendAction } from '../model/calls.ts'
import { formatCount, formatDuration, pluralize } from '../model/format.ts'
import { nowMs, state } from '../model/store.ts'
import type { ConsoleApp, ConsoleStream } from '../model/wire.ts'
import { Choice, Command, Empty, View } from '../parts/common.tsx'

/** Actions on one stream or on all streams. */
const ACTIONS = [
  ['drop', 'Drop', 'Closes the connection without a message'],
  ['goaway', 'GOAWAY', 'Announces a shutdown; open streams continue'],
  ['reset', 'Reset', 'Sends RST_STREAM; the connection stays open'],
  ['end', 'End', 'Ends the stream cleanly'],
  ['expire', 'Expire', 'Sends SubscribeExpired and ends the stream'],
] as const

const SERVICES = ['trade', 'module'] as const
const BOTH = 'both'
/** The service whose streams are changed by the buttons above the list. */
const service = signal<string>(BOTH)

export function Streams() {
  const { streams = [], streamCount = 0, apps = [], silence } = state.value ?? {}
  const silent = SERVICES.filter((each) => silence !== undefined && silence[each] !== 'none')
  return (
    <View
      title="Streams"
      about="A program keeps a stream open and receives events as they happen. If the connection breaks, the program opens a new stream with its last cursor, and the service continues from there."
    >
      {streamCount === 0 && silent.length === 0 ? null : <ManyActions streams={streams} silent={silent} />}
      {silent.length === 0 ? null : (
        <p class="note" role="status">
          Nothing is sent on {silent.join(' and ')} streams. New streams get only SubscribeSuccess.
        </p>
      )}
      <Slots apps={apps} />
      {streams.length === 0 ? (
        <Empty title="No streams">
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
          {streams.length} of {pluralize(streamCount, 'stream')} are shown.
        </p>
      ) : null}
    </View>
  )
}

/** Buttons for actions on all streams, or on the streams of one service. */
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
      {isAllSilent ? null : button('silence', 'Silence all', 'Sends nothing; connections stay open')}
      {isAnySilent ? button('resume', 'Resume all', 'Sends the events that waited') : null}
    </fieldset>
  )
}

function onMany(action: string, chosen: string): Promise<boolean> {
  const of = chosen === BOTH ? {} : { service: chosen }
  // GOAWAY is sent to connections, not to streams.
  const one = action === 'goaway' ? 'connection' : chosen === BOTH ? 'stream' : `${chosen} stream`
  return sendAction(
    'stream',
    { action, ...of },
    ({ changed }) => `${RESULTS[action] ?? action}: ${pluralize(Number(changed), one)}.`,
  )
}

const RESULTS: Readonly<Record<string, string>> = {
  drop: 'Connections were closed without a message',
  goaway: 'GOAWAY was sent, streams continue',
  expire: 'SubscribeExpired was sent',
  silence: 'Nothing is sent',
  resume: 'Messages are sent again',
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
    void sendAction('stream', { id, action }, ({ changed }) =>
      changed === 0 ? 'This stream has already ended.' : `${RESULTS[action] ?? action}.`,
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
        open for {formatDuration(nowMs.value - openedAtMs)}
        {service === 'trade'
          ? ` · ${KINDS[subscribeType ?? 0] ?? `type ${subscribeType}`} of ${accounts.join(', ')}`
          : ''}
      </p>
      <p class="track">
        <progress max={Math.max(1, end)} value={index} aria-label="Position in the log" />
        <span>
          at event {formatCount(index)} of {formatCount(end)}
          {waiting > 0 ? `, ${formatCount(waiting)} waiting` : ''}
        </span>
      </p>
      {asked.length === 0 ? (
        <p class="muted small">No cursors: the trade service sends only new events.</p>
      ) : (
        <table class="cursors">
          <caption class="sr">Cursors</caption>
          <thead>
            <tr>
              <th scope="col">event type</th>
              <th scope="col">started at</th>
              <th scope="col">now at</th>
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

/** Names of the values of `subscribeType`. 0 means that the request does not have the field. */
const KINDS: Readonly<Record<number, string>> = {
  0: 'orders',
  1: 'orders',
  2: 'positions',
  3: 'orders and positions',
}
