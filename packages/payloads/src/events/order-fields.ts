/** The fields of order events, on the trade stream and in the trade module. */
import { decimal } from '../combinators/decimal.ts'
import { instant } from '../combinators/instant.ts'
import { literal } from '../combinators/literal.ts'
import { absent, optional } from '../combinators/object.ts'
import { openEnum, otherNames } from '../combinators/open-enum.ts'
import { string } from '../combinators/string.ts'

/** Fields of all scenes. */
export const ORDER_FIELDS = {
  accountId: string,
  requestId: string,
  /** Missing in published examples. */
  orderId: optional(string),
  clientOrderId: string,
  instrumentId: string,
  orderStatus: openEnum('PARTIAL_FILLED', 'FILLED', 'FAILED', 'SUBMITTED', 'CANCELLED'),
  symbol: string,
  shortName: string,
  /** Ten decimal places. */
  qty: decimal,
  /** A zero comes as `0E-10`. */
  filledPrice: decimal,
  /** A zero comes as `0E-10`. */
  filledQty: decimal,
  /** Only BUY is documented. */
  side: openEnum('BUY'),
  /** Only US_STOCK is documented. */
  category: openEnum('US_STOCK'),
  orderType: openEnum('LIMIT', 'MARKET'),
} as const

/** Additional fields of the scenes in which an order was filled. */
export const FILL_FIELDS = {
  sceneType: literal('FILLED', 'FINAL_FILLED'),
  /** On fills only. */
  filledTime: instant,
  /** Not on PLACE_FAILED. */
  actualCommission: decimal,
  /** Not on PLACE_FAILED. */
  receivableCommission: decimal,
} as const

/** Additional fields of the scenes in which an order was changed or cancelled. */
export const CHANGE_FIELDS = {
  ...FILL_FIELDS,
  sceneType: literal('MODIFY_SUCCESS', 'CANCEL_SUCCESS'),
  filledTime: absent,
} as const

/** Additional fields of the scene in which an order was rejected. */
export const REJECTION_FIELDS = {
  sceneType: literal('PLACE_FAILED'),
  filledTime: absent,
  actualCommission: absent,
  receivableCommission: absent,
} as const

/** Additional fields of undocumented scenes, of new scenes, and of payloads without a scene. */
export const OTHER_FIELDS = {
  sceneType: optional(otherNames('MODIFY_FAILED', 'CANCEL_FAILED')),
  /** On fills only. */
  filledTime: optional(instant),
  actualCommission: optional(decimal),
  receivableCommission: optional(decimal),
} as const

/**
 * The observed order status of each scene. Strict mode reports another status of these scenes as an issue.
 */
export const OBSERVED_SCENE_STATUS: ReadonlyMap<string, string> = new Map([
  ['FILLED', 'PARTIAL_FILLED'],
  ['FINAL_FILLED', 'FILLED'],
  ['PLACE_FAILED', 'FAILED'],
  ['MODIFY_SUCCESS', 'SUBMITTED'],
  ['CANCEL_SUCCESS', 'CANCELLED'],
])
