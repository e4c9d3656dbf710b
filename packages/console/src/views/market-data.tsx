/** Market data: who is connected over MQTT, what each asked for, and what can go wrong with it. */
import { useState } from 'preact/hooks'
import { act } from '../model/calls.ts'
import { counted } from '../model/format.ts'
import { state } from '../model/store.ts'
import type { ConsoleQuoteSession } from '../model/wire.ts'
import { Choice, Empty, Line, View } from '../parts/common.tsx'

/** Of one session, and of all. */
const ACTIONS = [
  ['drop', 'Drop', 'The connection breaks without a word, and its slot may linger'],
  ['end', 'End', 'The connection ends in an orderly way'],
  ['invalid-close', 'Invalid close', 'Over WebSocket: sends an invalid close frame'],
  ['forget-sessions', 'Forget', 'The subscribe calls do not know the session any more; its connection stays'],
  ['echo', 'Echo', 'The heartbeat of the service'],
  ['notice', 'Notice', 'The status of the service, with what the rate limit dropped'],
] as const

const WORDS: Readonly<Record<string, string>> = {
  step: 'Prices moved',
  drop: 'Broken without a word',
  end: 'Ended',
  'invalid-close': 'An invalid close frame was sent',
  'forget-sessions': 'Forgotten by the HTTP side',
  echo: 'An echo was sent',
  notice: 'A notice was sent',
  'silence-messages': 'No messages any more, PINGs are answered',
  'silence-all': 'Nothing is sent any more',
  resume: 'The silence is over',
}

const once = (action: string, session?: string): void =>
  void act(
    'quotes',
    { action, ...(session === undefined ? {} : { session }) },
    ({ reached }) =>
      `${WORDS[action] ?? action}: ${counted(Number(reached), action === 'step' ? 'message' : 'session')}.`,
  )

export function MarketData() {
  const quotes = state.value?.quotes
  if (quotes === undefined)
    return (
      <View
        title="Market data"
        about="Prices over MQTT: a program connects, and asks for symbols by signed calls."
      >
        <Empty title="This simulator has no market data">
          Start it with <code>brokerwire simulate --console --quotes</code>
        </Empty>
      </View>
    )
  const { sessions, sessionCount } = quotes
  return (
    <View
      title="Market data"
      about="A program connects over MQTT under a session id of its own, and asks for symbols by signed calls that name it. What it asked for is then pushed."
      actions={
        <fieldset class="actions">
          <legend class="sr">All sessions</legend>
          <Button action="step" text="Move a price" about="One subscribed symbol moves, and is sent" />
          {sessionCount === 0
            ? null
            : ACTIONS.map(([action, text, about]) => (
                <Button key={action} action={action} text={`${text} all`} about={about} />
              ))}
        </fieldset>
      }
    >
      <p class="muted">
        <code>{quotes.mqttUrl}</code> and <code>{quotes.mqttWebSocketUrl}</code> ·{' '}
        {counted(quotes.usedConnections, 'slot')} of {quotes.maxConnections} taken
      </p>
      <ConnectFaultForm />
      {sessions.length === 0 ? (
        <Empty title="Nobody is connected">
          Listen in another terminal:{' '}
          <code>brokerwire listen quotes --symbols AAPL,TSLA --with-token --create</code>
        </Empty>
      ) : (
        <ul class="cards">
          {sessions.map((session) => (
            <li key={session.id}>
              <SessionCard session={session} />
            </li>
          ))}
        </ul>
      )}
      {sessionCount > sessions.length ? (
        <p class="muted">
          {sessions.length} of {counted(sessionCount, 'session')} are shown.
        </p>
      ) : null}
    </View>
  )
}

function Button(props: {
  readonly action: string
  readonly text: string
  readonly about: string
  readonly session?: string
}) {
  return (
    <button type="button" title={props.about} onClick={() => once(props.action, props.session)}>
      {props.text}
      {props.session === undefined ? null : <span class="sr"> session {props.session}</span>}
    </button>
  )
}

function SessionCard({ session }: { readonly session: ConsoleQuoteSession }) {
  const { id, app, transport, symbols, symbolCount, dropped, silence } = session
  return (
    <article class="card" aria-label={`session ${id}`}>
      <h2>
        {transport === 'tcp' ? 'MQTT' : 'MQTT over WebSocket'} <span class="muted">{app}</span>
        {silence === 'none' ? null : <span class="badge s-pending">silent</span>}
      </h2>
      <p class="muted">
        session <code>{id}</code>
        {dropped === 0 ? '' : ` · ${counted(dropped, 'message')} dropped by the rate limit`}
      </p>
      {symbols.length === 0 ? (
        <p class="muted small">It has asked for nothing.</p>
      ) : (
        <p class="small">
          {symbols
            .map(({ category, symbol, types }) => `${symbol} (${category}: ${types.join(', ')})`)
            .join(' · ')}
          {symbolCount > symbols.length ? ` · and ${symbolCount - symbols.length} more` : ''}
        </p>
      )}
      <p class="buttons">
        {ACTIONS.map(([action, text, about]) => (
          <Button key={action} action={action} text={text} about={about} session={id} />
        ))}
        {silence === 'none' ? (
          <>
            <Button
              action="silence-messages"
              text="Silence messages"
              about="PINGs are still answered"
              session={id}
            />
            <Button action="silence-all" text="Silence" about="Nothing is sent" session={id} />
          </>
        ) : (
          <Button action="resume" text="Resume" about="Messages are sent again" session={id} />
        )}
      </p>
    </article>
  )
}

const CONNECT_FAULTS = [
  ['reject-connect', 'is refused with a return code'],
  ['ignore-connect', 'gets no answer'],
  ['drop-connect', 'breaks'],
] as const

/** Return codes that public documents name. */
const CODES = ['1', '2', '3', '5', '100', '101', '102', '103', '104', '105'] as const

/** What the next CONNECT meets, by form. */
function ConnectFaultForm() {
  const [action, setAction] = useState<string>('reject-connect')
  const [code, setCode] = useState('105')
  const [count, setCount] = useState('1')
  const submit = (event: Event): void => {
    event.preventDefault()
    const body = {
      action,
      count: Number(count),
      ...(action === 'reject-connect' ? { code: Number(code) } : {}),
    }
    void act('quotes', body, () => 'In waiting for the next CONNECT.')
  }
  return (
    <form class="panel" onSubmit={submit} aria-label="The next CONNECT">
      <div class="filters">
        <Choice label="The next CONNECT" value={action} options={CONNECT_FAULTS} onChange={setAction} />
        {action === 'reject-connect' ? (
          <Choice label="CONNACK" value={code} options={CODES} onChange={setCode} />
        ) : null}
        <Line label="How often" type="number" value={count} onInput={setCount} />
      </div>
      <p class="buttons">
        <button type="submit" class="primary">
          Add
        </button>
        <button
          type="button"
          onClick={() =>
            void act('quotes', { action: 'clear-faults' }, () => 'No CONNECT will meet anything any more.')
          }
        >
          Clear
        </button>
      </p>
    </form>
  )
}
