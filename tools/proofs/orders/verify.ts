/** Compares the entries of a journal with the orders of the service. The functions are pure. */
import type { OrderEntry } from '@brokerwire/orders'
import type { ServiceOrder } from './order-service.ts'

/** The results of a round. */
export interface Observed {
  readonly entries: readonly OrderEntry[]
  readonly orders: readonly ServiceOrder[]
  /** The bodies of the placements that the service received, in order. */
  readonly placements: readonly string[]
  /** Returns the maximum number of placements of one order, which is 2 with `resend: 'once'`. */
  readonly maxPlacements: (clientOrderId: string) => number
  /** Whether queries may still fail. If not, no entry may be unknown. */
  readonly mayFail: boolean
}

const idOf = (body: string): string => JSON.parse(body).new_orders[0].client_order_id

function countBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, number> {
  const counts = new Map<string, number>()
  for (const item of items) counts.set(keyOf(item), (counts.get(keyOf(item)) ?? 0) + 1)
  return counts
}

/** @returns The violations of the guarantee. */
export function verify({ entries, orders, placements, maxPlacements, mayFail }: Observed): string[] {
  const wrong: string[] = []
  const ordersById = new Map(orders.map((order) => [order.clientOrderId, order]))
  const entriesById = new Map(entries.map((entry) => [entry.clientOrderId, entry]))
  for (const [quantity, count] of countBy(orders, (order) => order.quantity))
    if (count > 1) wrong.push(`doubled: ${count} orders of ${quantity}`)
  for (const [id, count] of countBy(placements, idOf))
    if (count > maxPlacements(id)) wrong.push(`doubled: ${id} was sent ${count} times`)
  for (const { clientOrderId } of orders)
    if (!entriesById.has(clientOrderId)) wrong.push(`no entry: ${clientOrderId}`)
  for (const body of placements) {
    const entry = entriesById.get(idOf(body))
    if (entry === undefined) wrong.push(`no entry: ${idOf(body)} was sent`)
    else if (entry.body !== body) wrong.push(`other bytes: ${entry.clientOrderId}`)
    else if (entry.state === 'not-sent') wrong.push(`${entry.clientOrderId} is not-sent, and was received`)
  }
  for (const entry of entries) {
    const problem = entryProblem(entry, ordersById.get(entry.clientOrderId), mayFail)
    if (problem !== undefined) wrong.push(`${entry.clientOrderId} is ${entry.state}: ${problem}`)
  }
  return wrong
}

function entryProblem(
  { state, reason, looks }: OrderEntry,
  order: ServiceOrder | undefined,
  mayFail: boolean,
): string | undefined {
  switch (state) {
    case 'accepted':
      return order === undefined ? 'the service has no such order' : undefined
    case 'rejected':
      return order === undefined || order.status === 'FAILED'
        ? undefined
        : `the service has it, ${order.status}`
    case 'not-sent':
      return order === undefined ? undefined : 'the service has it'
    case 'not-found':
      if (order !== undefined) return 'the service has it'
      return looks.length > 0 ? undefined : 'no look'
    case 'unknown':
      if (!mayFail) return `the service responds, and the reason is ${reason?.code}`
      return reason === undefined ? 'no reason' : undefined
    default:
      return 'recover() left it'
  }
}
