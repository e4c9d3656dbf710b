/** Account events: status and configuration of an account. */
import { instant } from '../combinators/instant.ts'
import { literal } from '../combinators/literal.ts'
import { object, optional } from '../combinators/object.ts'
import { string } from '../combinators/string.ts'

/** Decodes ACCOUNT, ACCOUNT_INFO_UPDATE. Source: facts, Module payloads (keys seen). */
export const accountInfoUpdate = object({
  bizType: literal('ACCOUNT_INFO_UPDATE'),
  clientRequestId: optional(string),
  accountId: optional(string),
  accountNumber: optional(string),
  status: optional(string),
  timestamp: optional(instant),
})

/** Decodes ACCOUNT, ACCOUNT_RESTRICT. Source: facts, Module payloads (keys seen). */
export const accountRestrict = object({
  bizType: literal('ACCOUNT_RESTRICT'),
  clientRequestId: optional(string),
  accountId: optional(string),
  accountNumber: optional(string),
  restrictCode: optional(string),
  reason: optional(string),
  timestamp: optional(instant),
})
