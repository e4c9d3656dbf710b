/** Application events: the progress of an account application. */
import { instant } from '../combinators/instant.ts'
import { literal } from '../combinators/literal.ts'
import { object } from '../combinators/object.ts'
import { openEnum } from '../combinators/open-enum.ts'
import { string } from '../combinators/string.ts'

/** Decodes APPLICATION, ACCOUNT_CREATE. Source: specification, Application event payload. */
export const accountCreate = object({
  bizType: literal('ACCOUNT_CREATE'),
  clientRequestId: string,
  applicationId: string,
  status: openEnum('APPROVED'),
  /** May be empty. */
  reason: string,
  timestamp: instant,
})
