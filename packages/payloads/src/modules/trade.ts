/** Trade events of the module stream: as on the trade stream, without fees. */
import { literal } from '../combinators/literal.ts'
import { oneOf } from '../combinators/one-of.ts'
import { record } from '../combinators/record.ts'
import {
  CHANGE_FIELDS,
  FILL_FIELDS,
  ORDER_FIELDS,
  OTHER_FIELDS,
  REFUSAL_FIELDS,
} from '../events/order-fields.ts'
import { sceneStatus } from '../events/scene-status.ts'

const FIELDS = { bizType: literal('TRADE'), ...ORDER_FIELDS } as const

const fill = record({ ...FIELDS, ...FILL_FIELDS })
const change = record({ ...FIELDS, ...CHANGE_FIELDS })
const refusal = record({ ...FIELDS, ...REFUSAL_FIELDS })
const other = record({ ...FIELDS, ...OTHER_FIELDS })

/** Decodes TRADE, TRADE. Source: facts, Module payloads. */
export const moduleTrade = sceneStatus(
  oneOf(
    'scene_type',
    {
      FILLED: fill,
      FINAL_FILLED: fill,
      MODIFY_SUCCESS: change,
      CANCEL_SUCCESS: change,
      PLACE_FAILED: refusal,
    },
    other,
  ),
)
