/** Funding events, and the fees and credits that share their event type. */
import { decimal } from '../combinators/decimal.ts'
import { instant } from '../combinators/instant.ts'
import { literal } from '../combinators/literal.ts'
import { object, optional } from '../combinators/object.ts'
import { string } from '../combinators/string.ts'

const MONEY_FIELDS = {
  amount: optional(decimal),
  currency: optional(string),
  status: optional(string),
  /** May be empty, as in examples of TRANSFER and FEE_DEDUCTION. */
  reason: optional(string),
  updateTime: optional(instant),
} as const

/** Decodes FUNDING, TRANSFER. Source: facts, Module payloads (keys seen). */
export const transfer = object({
  bizType: literal('TRANSFER'),
  accountId: optional(string),
  clientRequestId: optional(string),
  transferType: optional(string),
  achRelationshipId: optional(string),
  direction: optional(string),
  ...MONEY_FIELDS,
})

/** Decodes FUNDING, INSTANT_FUNDING. Source: facts, Module payloads (keys seen). */
export const instantFunding = object({
  bizType: literal('INSTANT_FUNDING'),
  clientRequestId: optional(string),
  fromAccount: optional(string),
  toAccount: optional(string),
  instantFundingId: optional(string),
  type: optional(string),
  ...MONEY_FIELDS,
})

/** Decodes FUNDING, FEE_DEDUCTION. Source: facts, Module payloads (keys seen). */
export const feeDeduction = object({
  bizType: literal('FEE_DEDUCTION'),
  account: optional(string),
  contraAccount: optional(string),
  clientRequestId: optional(string),
  feeId: optional(string),
  type: optional(string),
  ...MONEY_FIELDS,
})

/** Decodes JOURNAL, CASH_JOURNAL. Source: facts, Module payloads (keys seen). */
export const cashJournal = object({
  bizType: literal('CASH_JOURNAL'),
  fromAccount: optional(string),
  toAccount: optional(string),
  clientRequestId: optional(string),
  journalId: optional(string),
  ...MONEY_FIELDS,
})
