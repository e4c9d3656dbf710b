/** Access tokens, each in the machine that decides about it. */
import { act } from '../model/calls.ts'
import { durationText, instantText } from '../model/format.ts'
import { hello, nowMs, state } from '../model/store.ts'
import type { ConsoleToken } from '../model/wire.ts'
import { Badge, Command, Empty, Fact, View } from '../parts/common.tsx'
import { Machine } from '../parts/machine.tsx'

export function Tokens() {
  const { tokens = [], tokenCount = 0, apps = [] } = state.value ?? {}
  return (
    <View
      title="Tokens"
      about="A program asks for an access token, a person approves it once on a phone, and from then on the token opens requests until it expires. Here you are the person."
    >
      {tokens.length === 0 ? (
        <Empty title="No token yet">
          The first one appears here as soon as a program asks: <Command>token create</Command>
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
    void act('token', { id, action }, ({ changed }) =>
      changed === 0 ? `Token ${name} was over already.` : `Token ${name} ${done}.`,
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
        <Fact name="created">{instantText(token.createdAtMs)}</Fact>
        <Fact name="approved">
          {token.verifiedAtMs === undefined || token.verifiedAtMs > nowMs.value
            ? '—'
            : instantText(token.verifiedAtMs)}
        </Fact>
        <Fact name="last used">
          {token.lastUsedAtMs === undefined ? '—' : instantText(token.lastUsedAtMs)}
        </Fact>
        <Fact name="expires">{instantText(token.expiresAtMs)}</Fact>
      </dl>
      {isLive ? (
        <p class="buttons">
          {/* It stays where it was: what came into its place would be struck by a second click. */}
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
  if (next === undefined) return <p class="left muted">{status} is final: a new token has to be created.</p>
  const begunMs = status === 'PENDING' ? createdAtMs : (verifiedAtMs ?? createdAtMs)
  const leftMs = Math.max(0, next.atMs - nowMs.value)
  return (
    <div class="left">
      <p>
        <b>{durationText(leftMs)}</b> until {next.to}: {next.on}
      </p>
      <progress
        max={Math.max(1, next.atMs - begunMs)}
        value={leftMs}
        aria-label={`Time left until ${next.to}`}
      />
    </div>
  )
}

/** The table as it runs, in words. */
function Moves() {
  return (
    <details class="panel">
      <summary>The table that decides</summary>
      <table>
        <caption>Moves of an access token; of those that are due, the first one is made</caption>
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
