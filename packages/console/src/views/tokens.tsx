/** The view of access tokens, each with its state machine. */
import { sendAction } from '../model/calls.ts'
import { formatDuration, formatInstant } from '../model/format.ts'
import { hello, nowMs, state } from '../model/store.ts'
import type { ConsoleToken } from '../model/wire.ts'
import { Badge, Command, Empty, Fact, View } from '../parts/common.tsx'
import { Machine } from '../parts/machine.tsx'

export function Tokens() {
  const { tokens = [], tokenCount = 0, apps = [] } = state.value ?? {}
  return (
    <View
      title="Tokens"
      about="A program creates an access token, and a person approves it on a phone. Requests can use the token until it expires. Here you approve it."
    >
      {tokens.length === 0 ? (
        <Empty title="No token yet">
          Create one: <Command>token create</Command>
        </Empty>
      ) : (
        <ul class="cards">
          {tokens.map((token) => (
            <li key={token.id}>
              <TokenCard token={token} showsApp={apps.length > 1} />
            </li>
          ))}
        </ul>
      )}
      {tokenCount > tokens.length ? (
        <p class="muted">
          The newest {tokens.length} of {tokenCount}.
        </p>
      ) : null}
      <Moves />
    </View>
  )
}

function TokenCard({ token, showsApp }: { readonly token: ConsoleToken; readonly showsApp: boolean }) {
  const { id, begins, status, next } = token
  const isLive = status === 'PENDING' || status === 'NORMAL'
  const name = `${begins}…`
  const set = (action: string, done: string) => () =>
    void sendAction('token', { id, action }, ({ changed }) =>
      changed === 0 ? `Token ${name} had already ended.` : `Token ${name} ${done}.`,
    )
  return (
    <article class="card" aria-label={`Token ${name}`}>
      <h2>
        <code>{name}</code> <Badge of={status} />
        {showsApp ? <span class="muted">{token.app}</span> : null}
      </h2>
      <Machine state={status} next={next?.to} />
      <TimeLeft token={token} />
      <dl class="facts">
        <Fact name="created">{formatInstant(token.createdAtMs)}</Fact>
        <Fact name="approved">
          {token.verifiedAtMs === undefined || token.verifiedAtMs > nowMs.value
            ? '—'
            : formatInstant(token.verifiedAtMs)}
        </Fact>
        <Fact name="last used">
          {token.lastUsedAtMs === undefined ? '—' : formatInstant(token.lastUsedAtMs)}
        </Fact>
        <Fact name="expires">{formatInstant(token.expiresAtMs)}</Fact>
      </dl>
      {isLive ? (
        <p class="buttons">
          {/* The button stays visible, so that a second click does not hit another button. */}
          <button
            type="button"
            class="primary"
            disabled={status !== 'PENDING'}
            onClick={set('approve', 'is approved')}
          >
            {status === 'PENDING' ? 'Approve' : 'Approved'}
            <span class="sr"> token {name}</span>
          </button>
          <button type="button" onClick={set('expire', 'has expired')}>
            Expire<span class="sr"> token {name}</span>
          </button>
          <button type="button" onClick={set('invalidate', 'is invalid')}>
            Invalidate<span class="sr"> token {name}</span>
          </button>
        </p>
      ) : null}
    </article>
  )
}

function TimeLeft({ token: { next, status, createdAtMs, verifiedAtMs } }: { readonly token: ConsoleToken }) {
  if (next === undefined) return <p class="left muted">{status} is final. Create a new token.</p>
  const begunMs = status === 'PENDING' ? createdAtMs : (verifiedAtMs ?? createdAtMs)
  const leftMs = Math.max(0, next.atMs - nowMs.value)
  return (
    <div class="left">
      <p>
        <b>{formatDuration(leftMs)}</b> until {next.to}: {next.on}
      </p>
      <progress
        max={Math.max(1, next.atMs - begunMs)}
        value={leftMs}
        aria-label={`Time left until ${next.to}`}
      />
    </div>
  )
}

/** The transition table of the simulator. */
function Moves() {
  return (
    <details class="panel">
      <summary>All state transitions</summary>
      <table>
        <caption>Transitions of an access token. If several are due, the first one applies.</caption>
        <thead>
          <tr>
            <th scope="col">from</th>
            <th scope="col">to</th>
            <th scope="col">when</th>
          </tr>
        </thead>
        <tbody>
          {(hello.value?.tokenMoves ?? []).map(({ from, to, on }) => (
            <tr key={`${from} ${to} ${on}`}>
              <td>
                <Badge of={from} />
              </td>
              <td>
                <Badge of={to} />
              </td>
              <td>{on}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  )
}
