/** Faults by form: what shall go wrong next, and what is still in waiting. */
import { useState } from 'preact/hooks'
import { act } from '../model/calls.ts'
import { hello, state } from '../model/store.ts'
import { Choice, Empty, Line, View } from '../parts/common.tsx'

type Of = 'http' | 'subscription' | 'frame'

const WHAT: readonly (readonly [value: Of, text: string])[] = [
  ['http', 'the next HTTP request'],
  ['subscription', 'the next subscription'],
  ['frame', 'the next data frame'],
]

export function Faults() {
  const waiting = state.value?.faults ?? []
  return (
    <View
      title="Faults"
      about="What a program does when something goes wrong is seen only when something goes wrong. Choose what, and it strikes the next one."
      actions={
        waiting.length === 0 ? undefined : (
          <button
            type="button"
            onClick={() => void act('fault', { clear: true }, () => 'No fault is in waiting any more.')}
          >
            Clear all
          </button>
        )
      }
    >
      <FaultForm />
      <h2>In waiting</h2>
      {waiting.length === 0 ? (
        <Empty title="Nothing will go wrong">Everything answers as it should.</Empty>
      ) : (
        <table class="panel">
          <caption class="sr">Faults in waiting</caption>
          <thead>
            <tr>
              <th scope="col">strikes</th>
              <th scope="col">how</th>
              <th scope="col">only</th>
              <th scope="col">how often</th>
            </tr>
          </thead>
          <tbody>
            {waiting.map(({ of, what, only, left }, at) => (
              <tr key={at}>
                <td>{of}</td>
                <td>{what}</td>
                <td>{only ?? '—'}</td>
                <td>{left === 'always' ? 'always' : `${left} more`}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </View>
  )
}

function FaultForm() {
  const [of, setOf] = useState<Of>('http')
  const [kind, setKind] = useState('')
  const [status, setStatus] = useState('503')
  const [number, setNumber] = useState('')
  const [path, setPath] = useState('')
  const [service, setService] = useState('both')
  const [count, setCount] = useState('1')
  const { httpFaults = [], subscriptionFaults = [], frameFaults = [] } = hello.value?.choices ?? {}
  const kinds = { http: httpFaults, subscription: subscriptionFaults, frame: frameFaults }[of]
  const chosen = kinds.includes(kind) ? kind : (kinds[0] ?? '')
  const submit = (event: Event): void => {
    event.preventDefault()
    const times = count === 'always' ? count : Number(count)
    const http = {
      kind: chosen,
      ...(chosen === 'respond' ? { status: Number(status) } : {}),
      ...(chosen === 'drip' ? { intervalMs: Number(number || '50') } : {}),
      ...(chosen === 'flood' ? { bytes: Number(number || '1000000') } : {}),
    }
    const body =
      of === 'http'
        ? { http, count: times, ...(path === '' ? {} : { path }) }
        : { [of]: chosen, count: times, ...(service === 'both' ? {} : { service }) }
    void act('fault', body, () => `${chosen}: in waiting.`)
  }
  return (
    <form class="panel" onSubmit={submit} aria-label="A fault">
      <div class="filters">
        <Choice label="Strikes" value={of} options={WHAT} onChange={(value) => setOf(value as Of)} />
        <Choice label="How" value={chosen} options={kinds} onChange={setKind} />
        {of === 'http' && chosen === 'respond' ? (
          <Line label="HTTP status" type="number" value={status} onInput={setStatus} />
        ) : null}
        {of === 'http' && (chosen === 'drip' || chosen === 'flood') ? (
          <Line
            label={chosen === 'drip' ? 'Milliseconds a byte' : 'Bytes'}
            type="number"
            placeholder={chosen === 'drip' ? '50' : '1000000'}
            value={number}
            onInput={setNumber}
          />
        ) : null}
        {of === 'http' ? (
          <Line label="Only this path" placeholder="any" value={path} onInput={setPath} />
        ) : (
          <Choice
            label="Service"
            value={service}
            options={['both', 'trade', 'module']}
            onChange={setService}
          />
        )}
        <Choice
          label="How often"
          value={count}
          options={[['1', 'once'], ['3', '3 times'], ['10', '10 times'], 'always']}
          onChange={setCount}
        />
      </div>
      <p class="about small">{EXPLAINED[chosen] ?? ''}</p>
      <p class="buttons">
        <button type="submit" class="primary">
          Add
        </button>
      </p>
    </form>
  )
}

const EXPLAINED: Readonly<Record<string, string>> = {
  answer: 'Answers this status instead of looking at the request.',
  hang: 'Never answers.',
  close: 'Breaks the connection instead of answering. The request has no effect.',
  truncate: 'Processes it, sends half and breaks off: a program cannot know whether it worked.',
  drip: 'Sends the answer byte by byte.',
  flood: 'Answers with so many bytes of white space before an object.',
  'auth-error': 'Says AuthError and ends.',
  'connection-limit': 'Says that too many connections are open, and ends.',
  expired: 'Says SubscribeExpired and ends.',
  'unknown-control': 'Sends a control frame with a number that nobody knows, and ends.',
  end: 'Ends cleanly before SubscribeSuccess.',
  'no-success': 'Sends events without a SubscribeSuccess before them.',
  duplicate: 'The frame goes out twice.',
  swap: 'The frame goes out after the next one.',
  split: 'Every byte in a DATA frame of its own.',
  'corrupt-message': 'The message is no longer protobuf.',
  'corrupt-payload': 'The JSON in the message ends early.',
  'compressed-flag': 'The envelope claims a compression that was not negotiated.',
  'oversized-length': 'The envelope claims two gigabytes.',
}
