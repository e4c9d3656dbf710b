/** Funding events, and the fees and credits that share their event type. */
import { decimal } from '../combinators/decimal.ts'
import { instant } from '../combinators/instant.ts'
import { literal } from '../combinators/literal.ts'
import { optional, record } from '../combinators/record.ts'
import { text } from '../combinators/text.ts'

const MONEY_FIELDS = {
  amount: optional(decimal),
  currency: optional(text),
  status: optional(text),
  /** May be empty, as in examples of TRANSFER and FEE_DEDUCTION. */
  reason: optional(text),
  updateTime: optional(instant),
} as const

/** Decodes FUNDING, TRANSFER. Source: facts, Module payloads (keys seen). */
export const transfer = record({
  bizType: literal('TRANSFER'),
  accountId: optional(text),
  clientRequestId: optional(text),
  transferType: optional(text),
  achRelationshipId: optional(text),
  direction: optional(text),
  ...MONEY_FIELDS,
})

/** Decodes FUNDING, INSTANT_FUNDING. Source: facts, Module payloads (keys seen). */
export const instantFunding = record({
  bizType: literal('INSTANT_FUNDING'),
  clientRequestId: optional(text),
  fromAccount: optional(text),
  toAccount: optional(text),
  instantFundingId: optional(text),
  type: optional(text),
  ...MONEY_FIELDS,
})

/** Decodes FUNDING, FEE_DEDUCTION. Source: facts, Module payloads (keys seen). */
export const feeDeduction = record({
  bizType: literal('FEE_DEDUCTION'),
  account: optional(text),
  contraAccount: optional(text),
  clientRequestId: optional(text),
  feeId: optional(text),
  type: optional(text),
  ...MONEY_FIELDS,
})

/** Decodes JOURNAL, CASH_JOURNAL. Source: facts, Module payloads (keys seen). */
export const cashJournal = record({
  bizType: literal('CASH_JOURNAL'),
  fromAccount: optional(text),
  toAccount: optional(text),
  clientRequestId: optional(text),
  journalId: optional(text),
  ...MONEY_FIELDS,
})
