/**
 * The payload of the trade stream: a change of an order.
 *
 * Scenes with the same documented fields share an object, so that a `switch` over `sceneType` narrows the type. Fields of
 * undocumented scenes are optional.
 */
import { array } from '../combinators/array.ts'
import { absent, object, optional } from '../combinators/object.ts'
import { variant } from '../combinators/variant.ts'
import { fee } from './fee.ts'
import { CHANGE_FIELDS, FILL_FIELDS, ORDER_FIELDS, OTHER_FIELDS, REJECTION_FIELDS } from './order-fields.ts'
import { sceneStatus } from './scene-status.ts'

const fees = array(fee)

const fill = object({ ...ORDER_FIELDS, ...FILL_FIELDS, fees })
const change = object({ ...ORDER_FIELDS, ...CHANGE_FIELDS, fees })
const rejectedOrder = object({ ...ORDER_FIELDS, ...REJECTION_FIELDS, fees: absent })
const other = object({ ...ORDER_FIELDS, ...OTHER_FIELDS, fees: optional(fees) })

/** Decodes a trade event. Source: specification, Trade event payload; facts, Module payloads. */
export const tradeEventDefinition = sceneStatus(
  variant(
    'scene_type',
    {
      FILLED: fill,
      FINAL_FILLED: fill,
      MODIFY_SUCCESS: change,
      CANCEL_SUCCESS: change,
      PLACE_FAILED: rejectedOrder,
    },
    other,
  ),
)
