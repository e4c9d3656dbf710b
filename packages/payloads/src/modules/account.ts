/** Account events: status and configuration of an account. */
import { instant } from '../combinators/instant.ts'
import { literal } from '../combinators/literal.ts'
import { optional, record } from '../combinators/record.ts'
import { text } from '../combinators/text.ts'

/** Decodes ACCOUNT, ACCOUNT_INFO_UPDATE. Source: facts, Module payloads (keys seen). */
export const accountInfoUpdate = record({
  bizType: literal('ACCOUNT_INFO_UPDATE'),
  clientRequestId: optional(text),
  accountId: optional(text),
  accountNumber: optional(text),
  status: optional(text),
  timestamp: optional(instant),
})

/** Decodes ACCOUNT, ACCOUNT_RESTRICT. Source: facts, Module payloads (keys seen). */
export const accountRestrict = record({
  bizType: literal('ACCOUNT_RESTRICT'),
  clientRequestId: optional(text),
  accountId: optional(text),
  accountNumber: optional(text),
  restrictCode: optional(text),
  reason: optional(text),
  timestamp: optional(instant),
})
