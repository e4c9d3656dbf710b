/** The view of faults: a form to add one, and the active faults. */
import { useState } from 'preact/hooks'
import { sendAction } from '../model/calls.ts'
import { hello, state } from '../model/store.ts'
import { Choice, Empty, Line, View } from '../parts/common.tsx'

type Of = 'http' | 'subscription' | 'frame'

const TARGETS: readonly (readonly [value: Of, text: string])[] = [
  ['http', 'the next HTTP request'],
  ['subscription', 'the next subscription'],
  ['frame', 'the next data frame'],
]

export function Faults() {
  const waiting = state.value?.faults ?? []
  return (
    <View
      title="Faults"
      about="Test how your program handles failures. Choose a fault; it applies to the next request, subscription or frame."
      actions={
        waiting.length === 0 ? undefined : (
          <button
            type="button"
            onClick={() => void sendAction('fault', { clear: true }, () => 'All faults are cleared.')}
          >
            Clear all
          </button>
        )
      }
    >
      <FaultForm />
      <h2>Active faults</h2>
      {waiting.length === 0 ? (
        <Empty title="No active faults">The service works as usual.</Empty>
      ) : (
        <table class="panel">
          <caption class="sr">Active faults</caption>
          <thead>
            <tr>
              <th scope="col">target</th>
              <th scope="col">fault</th>
              <th scope="col">only</th>
              <th scope="col">times</th>
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

/** Labels and examples of the number that some kinds of fault need. */
const NUMBER_FIELDS: Readonly<
  Record<string, { readonly name: string; readonly label: string; readonly example: string } | undefined>
> = {
  drip: { name: 'intervalMs', label: 'Milliseconds a byte', example: '50' },
  delay: { name: 'delayMs', label: 'Milliseconds', example: '1000' },
  flood: { name: 'bytes', label: 'Bytes', example: '1000000' },
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
  const numberField = of === 'http' ? NUMBER_FIELDS[chosen] : undefined
  const submit = (event: Event): void => {
    event.preventDefault()
    const times = count === 'always' ? count : Number(count)
    const http = {
      kind: chosen,
      ...(chosen === 'respond' ? { status: Number(status) } : {}),
      ...(numberField === undefined ? {} : { [numberField.name]: Number(number || numberField.example) }),
    }
    const body =
      of === 'http'
        ? { http, count: times, ...(path === '' ? {} : { path }) }
        : { [of]: chosen, count: times, ...(service === 'both' ? {} : { service }) }
    void sendAction('fault', body, () => `${chosen}: added.`)
  }
  return (
    <form class="panel" onSubmit={submit} aria-label="A fault">
      <div class="filters">
        <Choice label="Target" value={of} options={TARGETS} onChange={(value) => setOf(value as Of)} />
        <Choice label="Fault" value={chosen} options={kinds} onChange={setKind} />
        {of === 'http' && chosen === 'respond' ? (
          <Line label="HTTP status" type="number" value={status} onInput={setStatus} />
        ) : null}
        {numberField === undefined ? null : (
          <Line
            label={numberField.label}
            type="number"
            placeholder={numberField.example}
            value={number}
            onInput={setNumber}
          />
        )}
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
          label="Times"
          value={count}
          options={[['1', 'once'], ['3', '3 times'], ['10', '10 times'], 'always']}
          onChange={setCount}
        />
      </div>
      <p class="about small">{DESCRIPTIONS[chosen] ?? ''}</p>
      <p class="buttons">
        <button type="submit" class="primary">
          Add
        </button>
      </p>
    </form>
  )
}

const DESCRIPTIONS: Readonly<Record<string, string>> = {
  respond: 'Responds with this status without processing the request.',
  hang: 'Never responds.',
  close: 'Closes the connection without a response. The request is not processed.',
  truncate:
    'Processes the request, sends half of the response and closes the connection. Your program cannot know whether the request worked.',
  drip: 'Sends the response byte by byte.',
  delay: 'Processes the request and sends the response later.',
  flood: 'Responds with that many bytes of white space before a JSON object.',
  'auth-error': 'Sends AuthError and ends the stream.',
  'connection-limit': 'Sends the error for too many connections and ends the stream.',
  expired: 'Sends SubscribeExpired and ends the stream.',
  'unknown-control': 'Sends a control frame with an undocumented number and ends the stream.',
  end: 'Ends the stream without an error before SubscribeSuccess.',
  'no-success': 'Sends events without a SubscribeSuccess before them.',
  duplicate: 'Sends the frame twice.',
  swap: 'Sends the frame after the next one.',
  drop: 'Never sends the frame.',
  split: 'Sends each byte in a separate DATA frame.',
  'corrupt-message': 'Sends a message that is not valid protobuf.',
  'corrupt-payload': 'Cuts the JSON in the message.',
  'compressed-flag': 'Sets the compressed flag although no compression was negotiated.',
  'oversized-length': 'Sets the length of the message to two gigabytes.',
}
