/** Application events: the life of an account application. */
import { instant } from '../combinators/instant.ts'
import { literal } from '../combinators/literal.ts'
import { openEnum } from '../combinators/open-enum.ts'
import { record } from '../combinators/record.ts'
import { text } from '../combinators/text.ts'

/** Decodes APPLICATION, ACCOUNT_CREATE. Source: specification, Application event payload. */
export const accountCreate = record({
  bizType: literal('ACCOUNT_CREATE'),
  clientRequestId: text,
  applicationId: text,
  status: openEnum('APPROVED'),
  /** May be empty. */
  reason: text,
  timestamp: instant,
})
