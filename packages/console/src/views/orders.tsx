/** The view of orders: a ticket, the newest orders, and a form to replace one. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { executeOrder, showStatus } from '../model/calls.ts'
import { formatInstant, pluralize } from '../model/format.ts'
import { signalOfRun, state } from '../model/store.ts'
import type { ConsoleOrder, ConsoleOrderResponse } from '../model/wire.ts'
import { Empty, Line, OpenedHeading, View } from '../parts/common.tsx'
import { OrderResponse, OrderTicket } from '../parts/order-ticket.tsx'

/** The order that the open form replaces; `undefined` if no form is open. */
const replacing = signalOfRun<ConsoleOrder>()

const STATUS_CLASSES: Readonly<Record<string, string>> = {
  PENDING: 's-pending',
  FILLED: 's-normal',
  FAILED: 's-invalid',
  CANCELLED: 's-expired',
}

export function Orders() {
  const trading = state.value?.trading
  const about =
    'Place orders, and see the orders of your programs. Time moves the prices, and each step may fill a part of an order.'
  if (trading === undefined) {
    return (
      <View title="Orders" about={about}>
        <Empty title="This simulator has no orders">
          Its option <code>trading</code> is <code>false</code>.
        </Empty>
      </View>
    )
  }
  const { instruments, orders, orderCount } = trading
  return (
    <View title="Orders" about={about}>
      <OrderTicket instruments={instruments} />
      {replacing.value === undefined ? null : (
        <ReplaceForm key={replacing.value.orderId} order={replacing.value} />
      )}
      {orders.length === 0 ? (
        <Empty title="No orders yet">Place one above, or with your program.</Empty>
      ) : (
        <OrderTable orders={orders} />
      )}
      {orderCount > orders.length ? (
        <p class="muted">
          The newest {orders.length} of {pluralize(orderCount, 'order')}.
        </p>
      ) : null}
    </View>
  )
}

function OrderTable({ orders }: { readonly orders: readonly ConsoleOrder[] }) {
  const box = useRef<HTMLElement>(null)
  const cancel = async ({ app, accountId, clientOrderId }: ConsoleOrder): Promise<void> => {
    const body = { account_id: accountId, client_order_id: clientOrderId }
    const response = await executeOrder(app, 'cancel', body)
    if (response === undefined) return
    if (response.status === 200) {
      // The button disappears with the next state, so the focus is moved to another element first.
      box.current?.focus()
      showStatus(`Order ${clientOrderId} is cancelled.`)
    } else showStatus(`${response.json.error_code}: ${response.json.message}`, true)
  }
  return (
    <section class="panel table-box" ref={box} tabIndex={0} aria-label="Orders, newest first">
      <table class="orders">
        <caption class="sr">Orders, newest first</caption>
        <thead>
          <tr>
            <th scope="col">client order id</th>
            <th scope="col">order id</th>
            <th scope="col">symbol</th>
            <th scope="col">side</th>
            <th scope="col" class="number">
              quantity
            </th>
            <th scope="col" class="number">
              filled
            </th>
            <th scope="col" class="number">
              average price
            </th>
            <th scope="col">status</th>
            <th scope="col">placed</th>
            <th scope="col">actions</th>
          </tr>
        </thead>
        <tbody>
          {orders.map((order) => (
            <OrderRow key={order.orderId} order={order} onCancel={() => void cancel(order)} />
          ))}
        </tbody>
      </table>
    </section>
  )
}

function OrderRow({ order, onCancel }: { readonly order: ConsoleOrder; readonly onCancel: () => void }) {
  const { clientOrderId, orderId, symbol, side, quantity, filledQuantity, filledPrice, status } = order
  const hidden = <span class="sr"> order {clientOrderId}</span>
  return (
    <tr>
      <td>
        <code>{clientOrderId}</code>
      </td>
      <td>
        <code>{orderId}</code>
      </td>
      <td>{symbol}</td>
      <td>{side}</td>
      <td class="number">{quantity}</td>
      <td class="number">{filledQuantity}</td>
      <td class="number">{filledPrice}</td>
      <td>
        <span class={`badge ${STATUS_CLASSES[status] ?? 's-working'}`}>{status}</span>
      </td>
      <td>
        <time>{formatInstant(order.placedAtMs)}</time>
      </td>
      <td>
        {order.isOpen ? (
          <div class="actions">
            <button
              type="button"
              id={`replace-${orderId}`}
              onClick={() => {
                replacing.value = order
              }}
            >
              Replace{hidden}
            </button>
            <button type="button" onClick={onCancel}>
              Cancel{hidden}
            </button>
          </div>
        ) : null}
      </td>
    </tr>
  )
}

function ReplaceForm({ order }: { readonly order: ConsoleOrder }) {
  const { app, accountId, clientOrderId, orderId } = order
  const [quantity, setQuantity] = useState(order.quantity)
  const [limitPrice, setLimitPrice] = useState(order.limitPrice)
  const [response, setResponse] = useState<ConsoleOrderResponse>()
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => form.current?.querySelector('input')?.focus(), [])
  const close = (): void => {
    replacing.value = undefined
    document.getElementById(`replace-${orderId}`)?.focus()
  }
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault()
    const change = {
      client_order_id: clientOrderId,
      quantity,
      ...(limitPrice === undefined ? {} : { limit_price: limitPrice }),
    }
    const answer = await executeOrder(app, 'replace', { account_id: accountId, modify_orders: [change] })
    setResponse(answer)
    if (answer?.status !== 200) return
    close()
    showStatus(`Order ${clientOrderId} is replaced.`)
  }
  return (
    <form class="card ticket" ref={form} onSubmit={submit} aria-label="Replace an order">
      <OpenedHeading onClose={close}>
        Replace order <code>{clientOrderId}</code>
      </OpenedHeading>
      <div class="filters">
        <Line label="Quantity" value={quantity} onInput={setQuantity} />
        {limitPrice === undefined ? null : (
          <Line label="Limit price" value={limitPrice} onInput={setLimitPrice} />
        )}
        <button type="submit" class="primary">
          Replace
        </button>
      </div>
      <div role="status">{response === undefined ? null : <OrderResponse response={response} />}</div>
    </form>
  )
}
