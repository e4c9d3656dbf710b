/** Sends an event: a form that knows what each kind of event can say. */
import { useState } from 'preact/hooks'
import { act } from '../model/calls.ts'
import { hello, state } from '../model/store.ts'
import { Area, Choice, Line } from './common.tsx'

const DRAWN = 'drawn'
type Kind = 'order' | 'position' | 'module'

export function SendForm() {
  const [kind, setKind] = useState<Kind>('order')
  const [fields, setFields] = useState<Readonly<Record<string, string>>>({})
  const [over, setOver] = useState('')
  const { apps = [] } = state.value ?? {}
  const app = apps.find(({ name }) => name === fields.app) ?? apps[0]
  const { orderScenes = [], modules = {} } = hello.value?.choices ?? {}
  const set = (name: string) => (value: string) => setFields({ ...fields, [name]: value })
  const of = (name: string): string => fields[name] ?? DRAWN
  const pick = (label: string, name: string, options: readonly string[]) => (
    <Choice label={label} value={of(name)} options={[DRAWN, ...options]} onChange={set(name)} />
  )
  const module = of('module') === DRAWN ? (Object.keys(modules)[0] ?? '') : of('module')
  const submit = (event: Event): void => {
    event.preventDefault()
    void send()
  }
  const send = async (): Promise<void> => {
    const names = { order: ORDER_FIELDS, position: ['accountId'], module: ['accountId', 'bizType'] }[kind]
    const said = names.filter((name) => of(name) !== DRAWN && of(name) !== '')
    const input: Record<string, unknown> = Object.fromEntries(said.map((name) => [name, of(name)]))
    if (typeof input.quantity === 'string') input.quantity = Number(input.quantity)
    if (kind === 'module') input.module = module
    if (over.trim() !== '') input.payload = readObject(over)
    await act('emit', { app: app?.name, [kind]: input }, () => `Sent: ${kind === 'module' ? module : kind}.`)
  }
  return (
    <form class="panel send" onSubmit={submit} aria-label="Send an event">
      <div class="filters">
        <Choice
          label="Event"
          value={kind}
          options={['order', 'position', 'module']}
          onChange={(value) => setKind(value as Kind)}
        />
        {apps.length > 1 ? (
          <Choice
            label="App"
            value={app?.name ?? ''}
            options={apps.map(({ name }) => name)}
            onChange={set('app')}
          />
        ) : null}
        {pick('Account', 'accountId', app?.accounts ?? [])}
        {kind === 'order' ? (
          <>
            {pick('Scene', 'scene', orderScenes)}
            {pick('Symbol', 'symbol', app?.symbols ?? [])}
            {pick('Side', 'side', ['BUY', 'SELL'])}
            {pick('Order type', 'orderType', ['LIMIT', 'MARKET'])}
            <Line
              label="Quantity"
              type="number"
              placeholder="drawn"
              value={fields.quantity ?? ''}
              onInput={set('quantity')}
            />
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
        label="Fields put over the drawn payload, as JSON"
        rows={2}
        placeholder='{"remark": "…"}'
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

const ORDER_FIELDS = ['accountId', 'scene', 'symbol', 'side', 'orderType', 'quantity']

/** What is no JSON goes as text: the simulator says what it expected. */
function readObject(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
