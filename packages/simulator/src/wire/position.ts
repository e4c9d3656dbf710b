/**
 * The position event payload: the settlement of an event contract.
 *
 * The specification contains the fields `settle_result` and `settle_side`, but no values of them. The values
 * YES and NO are invented.
 */

import { fromCents } from './formats.ts'
import type { WireRandom } from './random.ts'

const EVENTS: readonly [
  readonly [name: string, condition: string, symbol: string],
  ...(readonly [name: string, condition: string, symbol: string])[],
] = [
  ['Will it rain in New York on Friday?', 'Above 10 mm', 'KXRAINNY'],
  ['Will the index close above 6,000?', 'Close > 6,000', 'KXINDEX'],
  ['Will the rate be cut in June?', 'Lower bound below 4.00 %', 'KXRATE'],
]

/**
 * Fields of a settlement, in wire order, and the contract's symbol, which only the payload of the module
 * event contains.
 */
export interface Settlement {
  readonly payload: Readonly<Record<string, string>>
  readonly symbol: string
}

/** Generates a settlement. If the position has lost, its `settle_amount` is `0E-10`. */
export function settlement(random: WireRandom): Settlement {
  const [name, condition, symbol] = random.pick(EVENTS)
  const side = random.pick(['YES', 'NO'] as const)
  const result = random.pick(['YES', 'NO'] as const)
  const contracts = random.integer(1, 200)
  const costCents = contracts * random.integer(5, 95)
  return {
    symbol,
    payload: {
      event_name: name,
      yes_condition: condition,
      settle_result: result,
      settle_side: side,
      quantity: `${contracts}.00`,
      cost: fromCents(costCents),
      settle_amount: fromCents(side === result ? contracts * 100 : 0),
    },
  }
}
