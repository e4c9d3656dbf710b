/** The form that sends an event, with the fields of each kind of event. */
import { useState } from 'preact/hooks'
import { sendAction } from '../model/calls.ts'
import { findApp, hello } from '../model/store.ts'
import { AppChoice, Area, Choice, Line } from './common.tsx'

const RANDOM = 'random'
type Kind = 'order' | 'position' | 'module' | 'frame' | 'moduleFrame'

/** The fields of each kind. An empty field gets a random value. */
const FIELDS: Readonly<Record<Kind, readonly string[]>> = {
  order: ['accountId', 'scene', 'symbol', 'side', 'orderType', 'quantity'],
  position: ['accountId'],
  module: ['accountId', 'bizType'],
  frame: ['accountId', 'eventType', 'contentType', 'requestId'],
  moduleFrame: ['eventType', 'id', 'position', 'version'],
}

export function SendForm() {
  const [kind, setKind] = useState<Kind>('order')
  const [fields, setFields] = useState<Readonly<Record<string, string>>>({})
  const [over, setOver] = useState('')
  const app = findApp(fields.app)
  const { orderScenes = [], modules = {} } = hello.value?.choices ?? {}
  const set = (name: string) => (value: string) => setFields({ ...fields, [name]: value })
  const of = (name: string): string => fields[name] ?? RANDOM
  const pick = (label: string, name: string, options: readonly string[]) => (
    <Choice label={label} value={of(name)} options={[RANDOM, ...options]} onChange={set(name)} />
  )
  const module = of('module') === RANDOM ? (Object.keys(modules)[0] ?? '') : of('module')
  const isRaw = kind === 'frame' || kind === 'moduleFrame'
  const type = (label: string, name: string, placeholder = RANDOM) => (
    <Line label={label} value={fields[name] ?? ''} placeholder={placeholder} onInput={set(name)} />
  )
  const choose = (value: string): void => {
    setKind(value as Kind)
    // All fields except the app are cleared, because a field may have another meaning for another kind of
    // event.
    setFields(app === undefined ? {} : { app: app.name })
  }
  const submit = (event: Event): void => {
    event.preventDefault()
    void send()
  }
  const send = async (): Promise<void> => {
    const filled = FIELDS[kind].filter((name) => of(name) !== RANDOM && of(name) !== '')
    const input: Record<string, unknown> = Object.fromEntries(filled.map((name) => [name, of(name)]))
    if (typeof input.quantity === 'string') input.quantity = Number(input.quantity)
    if (kind === 'module') input.module = module
    if (isRaw) input.payload = over
    else if (over.trim() !== '') input.payload = parseJsonOrText(over)
    if (kind === 'frame' && input.eventType !== undefined) input.eventType = Number(input.eventType)
    await sendAction(
      'emit',
      { app: app?.name, [kind]: input },
      () => `Sent: ${kind === 'module' ? module : kind}.`,
    )
  }
  return (
    <form class="panel send" onSubmit={submit} aria-label="Send an event">
      <div class="filters">
        <Choice
          label="Event"
          value={kind}
          options={[
            'order',
            'position',
            'module',
            ['frame', 'raw frame of the trade service'],
            ['moduleFrame', 'raw frame of the module service'],
          ]}
          onChange={choose}
        />
        <AppChoice app={app} onChange={set('app')} />
        {kind === 'moduleFrame' ? null : pick('Account', 'accountId', app?.accounts ?? [])}
        {kind === 'frame' ? (
          <>
            {type('Event type, a number', 'eventType', '1024')}
            {type('Content type', 'contentType', 'application/json')}
            {type('Request id', 'requestId')}
          </>
        ) : null}
        {kind === 'moduleFrame' ? (
          <>
            {type('Event type', 'eventType', 'such as JOURNAL')}
            {type('Cursor', 'position')}
            {type('Id', 'id')}
            {type('Version', 'version', '1.0')}
          </>
        ) : null}
        {kind === 'order' ? (
          <>
            {pick('Scene', 'scene', orderScenes)}
            {pick('Symbol', 'symbol', app?.symbols ?? [])}
            {pick('Side', 'side', ['BUY', 'SELL'])}
            {pick('Order type', 'orderType', ['LIMIT', 'MARKET'])}
            {type('Quantity', 'quantity')}
          </>
        ) : null}
        {kind === 'module' ? (
          <>
            <Choice label="Module" value={module} options={Object.keys(modules)} onChange={set('module')} />
            {pick('Business type', 'bizType', modules[module] ?? [])}
          </>
        ) : null}
      </div>
      <Area
        label={isRaw ? 'Payload as it is sent' : 'Fields to add to the random payload, as JSON'}
        rows={isRaw ? 4 : 2}
        placeholder={isRaw ? 'Any text, even if it is not JSON' : '{"remark": "…"}'}
        value={over}
        onInput={setOver}
      />
      <p class="buttons">
        <button type="submit" class="primary">
          Send
        </button>
      </p>
    </form>
  )
}

/** Parses JSON. Any other text is sent as a string, which the simulator rejects with an error. */
function parseJsonOrText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
