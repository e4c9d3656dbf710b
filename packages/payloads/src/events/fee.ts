/** A fee of an order. */
import { decimal } from '../combinators/decimal.ts'
import { object } from '../combinators/object.ts'
import { openEnum } from '../combinators/open-enum.ts'
import type { Infer } from '../decoder.ts'

/** Decodes a fee entry. Source: specification, Trade event payload. */
export const fee = object({
  type: openEnum('FINRA_CAT_REGULATORY_FEE'),
  actualValue: decimal,
  receivableValue: decimal,
})

/** A fee of an order. */
export interface Fee extends Infer<typeof fee> {}
