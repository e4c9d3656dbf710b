/** The form that previews and places an order, and shows the response of the service. */
import { useState } from 'preact/hooks'
import { executeOrder } from '../model/calls.ts'
import { findApp, prices } from '../model/store.ts'
import type { ConsoleInstrument, ConsoleOrderResponse } from '../model/wire.ts'
import { AppChoice, Choice, Line } from './common.tsx'

const SIDES = ['BUY', 'SELL', 'SHORT'] as const
const TIMES_IN_FORCE = ['DAY', 'GTC', 'IOC'] as const

/** @param props.instruments - Instruments of all apps. */
export function OrderTicket({ instruments }: { readonly instruments: readonly ConsoleInstrument[] }) {
  const [fields, setFields] = useState<Readonly<Record<string, string>>>({})
  const [response, setResponse] = useState<ConsoleOrderResponse>()
  const set = (name: string) => (value: string) => setFields({ ...fields, [name]: value })
  const of = (name: string, options: readonly string[]): string =>
    options.find((option) => option === fields[name]) ?? options[0] ?? ''
  const app = findApp(fields.app)
  const listed = instruments.filter((instrument) => instrument.app === app?.name)
  const instrument = listed.find(({ symbol }) => symbol === fields.symbol) ?? listed[0]
  const price = prices.value[app?.name ?? '']?.[instrument?.symbol ?? ''] ?? ''
  const orderTypes = instrument?.orderTypes ?? []
  const orderType = of('orderType', orderTypes)
  const hasLimit = orderType.endsWith('LIMIT')
  const accounts = app?.accounts ?? []
  const send = async (operation: 'preview' | 'place'): Promise<void> => {
    if (app === undefined || instrument === undefined) return
    const order = {
      client_order_id: createOrderId(),
      combo_type: 'NORMAL',
      instrument_type: 'EQUITY',
      market: instrument.market,
      symbol: instrument.symbol,
      side: of('side', SIDES),
      order_type: orderType,
      time_in_force: of('timeInForce', TIMES_IN_FORCE),
      support_trading_session: 'CORE',
      entrust_type: 'QTY',
      quantity: fields.quantity ?? '100',
      ...(hasLimit ? { limit_price: fields.limitPrice || price } : {}),
    }
    const body = { account_id: of('account', accounts), new_orders: [order] }
    setResponse(await executeOrder(app.name, operation, body))
  }
  const submit = (event: Event): void => {
    event.preventDefault()
    void send('place')
  }
  return (
    <form class="panel ticket" onSubmit={submit} aria-label="Order ticket">
      <div class="filters">
        <AppChoice app={app} onChange={set('app')} />
        <Choice
          label="Account"
          value={of('account', accounts)}
          options={accounts}
          onChange={set('account')}
        />
        <Choice
          label="Symbol"
          value={instrument?.symbol ?? ''}
          options={listed.map(({ symbol }) => symbol)}
          onChange={set('symbol')}
        />
        <Choice label="Side" value={of('side', SIDES)} options={SIDES} onChange={set('side')} />
        <Choice label="Type" value={orderType} options={orderTypes} onChange={set('orderType')} />
        <Line label="Quantity" value={fields.quantity ?? '100'} onInput={set('quantity')} />
        {hasLimit ? (
          <Line
            label="Limit price"
            value={fields.limitPrice ?? ''}
            placeholder={price}
            onInput={set('limitPrice')}
          />
        ) : null}
        <Choice
          label="Time in force"
          value={of('timeInForce', TIMES_IN_FORCE)}
          options={TIMES_IN_FORCE}
          onChange={set('timeInForce')}
        />
      </div>
      {instrument === undefined ? null : (
        <p class="muted small">
          {instrument.symbol} is at {price}.{hasLimit ? ' An empty limit price is the current price.' : ''}
        </p>
      )}
      <p class="buttons">
        <button type="submit" class="primary">
          Place
        </button>
        <button type="button" onClick={() => void send('preview')}>
          Preview
        </button>
      </p>
      <div role="status">{response === undefined ? null : <OrderResponse response={response} />}</div>
    </form>
  )
}

/** The response of the service: its error, the costs of a preview, or the id of the order. */
export function OrderResponse({ response: { status, json } }: { readonly response: ConsoleOrderResponse }) {
  if (status !== 200) {
    return (
      <div class="note">
        <p>
          <code>
            {status} {String(json.error_code)}
          </code>
        </p>
        <p>{String(json.message)}</p>
      </div>
    )
  }
  if (json.estimated_cost === undefined) {
    return (
      <p class="note good">
        Order <code>{String(json.client_order_id)}</code> was accepted.
      </p>
    )
  }
  return (
    <p class="note good">
      Estimated cost {String(json.estimated_cost)} {String(json.currency)}, and fees of{' '}
      {String(json.estimated_transaction_fee)}.
    </p>
  )
}

/** Creates a random client order id. */
function createOrderId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(4))
  return `console-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}
