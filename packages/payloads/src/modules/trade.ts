/** Trade events of the module stream. They have the fields of the trade stream except the fees. */
import { literal } from '../combinators/literal.ts'
import { object } from '../combinators/object.ts'
import { variant } from '../combinators/variant.ts'
import {
  CHANGE_FIELDS,
  FILL_FIELDS,
  ORDER_FIELDS,
  OTHER_FIELDS,
  REJECTION_FIELDS,
} from '../events/order-fields.ts'
import { sceneStatus } from '../events/scene-status.ts'

const FIELDS = { bizType: literal('TRADE'), ...ORDER_FIELDS } as const

const fill = object({ ...FIELDS, ...FILL_FIELDS })
const change = object({ ...FIELDS, ...CHANGE_FIELDS })
const rejectedOrder = object({ ...FIELDS, ...REJECTION_FIELDS })
const other = object({ ...FIELDS, ...OTHER_FIELDS })

/** Decodes TRADE, TRADE. Source: facts, Module payloads. */
export const moduleTrade = sceneStatus(
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
