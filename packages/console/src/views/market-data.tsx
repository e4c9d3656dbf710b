/** The view of market data: the MQTT sessions, their subscriptions, and faults. */
import { useState } from 'preact/hooks'
import { sendAction } from '../model/calls.ts'
import { pluralize } from '../model/format.ts'
import { state } from '../model/store.ts'
import type { ConsoleQuoteSession } from '../model/wire.ts'
import { Choice, Empty, Line, View } from '../parts/common.tsx'

/** Actions on one session or on all sessions. */
const ACTIONS = [
  ['drop', 'Drop', 'Closes the connection without a message; its slot may stay in use'],
  ['end', 'End', 'Ends the connection cleanly'],
  ['invalid-close', 'Invalid close', 'Sends an invalid close frame (WebSocket only)'],
  ['forget-sessions', 'Forget', 'Makes the subscribe calls reject the session; its connection stays open'],
  ['echo', 'Echo', 'Sends the heartbeat of the service'],
  [
    'notice',
    'Notice',
    'Sends the status of the service, with the number of messages that the rate limit dropped',
  ],
] as const

const RESULTS: Readonly<Record<string, string>> = {
  step: 'Prices moved',
  drop: 'Closed without a message',
  end: 'Ended',
  'invalid-close': 'An invalid close frame was sent',
  'forget-sessions': 'The subscribe calls reject the session now',
  echo: 'An echo was sent',
  notice: 'A notice was sent',
  'silence-messages': 'No messages are sent, PINGs are answered',
  'silence-all': 'Nothing is sent',
  resume: 'Messages are sent again',
}

const sendQuotesAction = (action: string, session?: string): void =>
  void sendAction(
    'quotes',
    { action, ...(session === undefined ? {} : { session }) },
    ({ reached }) =>
      `${RESULTS[action] ?? action}: ${pluralize(Number(reached), action === 'step' ? 'message' : 'session')}.`,
  )

export function MarketData() {
  const quotes = state.value?.quotes
  if (quotes === undefined)
    return (
      <View
        title="Market data"
        about="Prices over MQTT. A program connects and subscribes to symbols with signed requests."
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
      about="A program connects over MQTT with its own session id, and subscribes to symbols with signed requests. The service then pushes prices of these symbols."
      actions={
        <fieldset class="actions">
          <legend class="sr">All sessions</legend>
          <Button
            action="step"
            text="Move a price"
            about="Changes the price of one subscribed symbol and sends it"
          />
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
        {pluralize(quotes.usedConnections, 'slot')} of {quotes.maxConnections} taken
      </p>
      <ConnectFaultForm />
      {sessions.length === 0 ? (
        <Empty title="No sessions">
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
          {sessions.length} of {pluralize(sessionCount, 'session')} are shown.
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
    <button type="button" title={props.about} onClick={() => sendQuotesAction(props.action, props.session)}>
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
        {dropped === 0 ? '' : ` · ${pluralize(dropped, 'message')} dropped by the rate limit`}
      </p>
      {symbols.length === 0 ? (
        <p class="muted small">No subscriptions.</p>
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
              about="Sends no messages, but answers PINGs"
              session={id}
            />
            <Button action="silence-all" text="Silence" about="Sends nothing" session={id} />
          </>
        ) : (
          <Button action="resume" text="Resume" about="Sends messages again" session={id} />
        )}
      </p>
    </article>
  )
}

const CONNECT_FAULTS = [
  ['reject-connect', 'is rejected with a return code'],
  ['ignore-connect', 'gets no response'],
  ['drop-connect', 'is closed'],
] as const

/** Return codes that public documents describe. */
const CODES = ['1', '2', '3', '5', '100', '101', '102', '103', '104', '105'] as const

/** The form for a fault of the next CONNECT. */
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
    void sendAction('quotes', body, () => 'The fault applies to the next CONNECT.')
  }
  return (
    <form class="panel" onSubmit={submit} aria-label="The next CONNECT">
      <div class="filters">
        <Choice label="The next CONNECT" value={action} options={CONNECT_FAULTS} onChange={setAction} />
        {action === 'reject-connect' ? (
          <Choice label="CONNACK" value={code} options={CODES} onChange={setCode} />
        ) : null}
        <Line label="Times" type="number" value={count} onInput={setCount} />
      </div>
      <p class="buttons">
        <button type="submit" class="primary">
          Add
        </button>
        <button
          type="button"
          onClick={() =>
            void sendAction('quotes', { action: 'clear-faults' }, () => 'All CONNECT faults are cleared.')
          }
        >
          Clear
        </button>
      </p>
    </form>
  )
}
