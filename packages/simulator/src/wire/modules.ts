/**
 * The eleven modules: event types, business types and payloads, from the published tables.
 *
 * Several modules share an event type, so only `event_type` and `biz_type` together identify a payload.
 * Nothing is documented about SOD. The simulator has invented its event type and its payload, and its events
 * are marked `invented`.
 */
import { corporateAction } from './corporate-action.ts'
import { fromCents, isoDay, isoMilliseconds } from './formats.ts'
import { randomAccountNumber, randomDigits } from './identifiers.ts'
import type { ModulePayload, ModulePayloadInput } from './module-payload.ts'
import { newOrder, orderStep } from './order.ts'
import { settlement } from './position.ts'

/** Names of the modules, as in the other packages. */
export const MODULE_NAMES = [
  'application',
  'account',
  'funding',
  'fees-and-credits',
  'journal',
  'master-data',
  'instrument',
  'trade',
  'corporate-actions',
  'event-contract',
  'sod',
] as const

/** One of the eleven modules. */
export type ModuleName = (typeof MODULE_NAMES)[number]

/** Definition of a module. */
export interface ModuleDefinition {
  /** Event type that subscriptions name. */
  readonly eventType: string
  /** Payload generators by business type. */
  readonly bizTypes: Readonly<Record<string, (input: ModulePayloadInput) => ModulePayload>>
  /** Set if nothing is documented about the module. */
  readonly invented?: true
}

/** Definitions of all modules. */
export const MODULES: Readonly<Record<ModuleName, ModuleDefinition>> = {
  application: { eventType: 'APPLICATION', bizTypes: { ACCOUNT_CREATE: accountCreate } },
  account: {
    eventType: 'ACCOUNT',
    bizTypes: { ACCOUNT_INFO_UPDATE: accountInfoUpdate, ACCOUNT_RESTRICT: accountRestrict },
  },
  funding: { eventType: 'FUNDING', bizTypes: { TRANSFER: transfer, INSTANT_FUNDING: instantFunding } },
  'fees-and-credits': { eventType: 'FUNDING', bizTypes: { FEE_DEDUCTION: feeDeduction } },
  journal: { eventType: 'JOURNAL', bizTypes: { CASH_JOURNAL: cashJournal } },
  'master-data': { eventType: 'MASTER_DATA', bizTypes: { CALENDAR_UPDATE: calendarUpdate } },
  instrument: { eventType: 'INSTRUMENT', bizTypes: { PROPERTY_CHANGE: propertyChange } },
  trade: { eventType: 'TRADE', bizTypes: { TRADE: trade } },
  'corporate-actions': { eventType: 'INSTRUMENT', bizTypes: { CA_EVENT: corporateAction } },
  'event-contract': { eventType: 'POSITION', bizTypes: { EVENT_POSITION_SETTLED: positionSettled } },
  sod: { eventType: 'SOD', bizTypes: { SOD_READY: startOfDay }, invented: true },
}

function accountCreate({ random, nowMs }: ModulePayloadInput): ModulePayload {
  return {
    client_request_id: random.hex(32),
    application_id: randomDigits(random, 18),
    status: 'APPROVED',
    reason: '',
    timestamp: isoMilliseconds(nowMs),
  }
}

function accountInfoUpdate({ random, nowMs, accountId }: ModulePayloadInput): ModulePayload {
  return {
    client_request_id: random.hex(32),
    account_id: accountId,
    account_number: randomAccountNumber(random),
    status: 'APPROVED',
    timestamp: isoMilliseconds(nowMs),
  }
}

function accountRestrict({ random, nowMs, accountId }: ModulePayloadInput): ModulePayload {
  return {
    client_request_id: random.hex(32),
    account_id: accountId,
    account_number: randomAccountNumber(random),
    restrict_code: 'E_AD',
    reason: 'document expired',
    timestamp: isoMilliseconds(nowMs),
  }
}

function transfer({ random, market, nowMs, accountId }: ModulePayloadInput): ModulePayload {
  return {
    account_id: accountId,
    client_request_id: random.hex(32),
    transfer_type: 'ACH',
    ach_relationship_id: random.hex(32),
    amount: fromCents(random.integer(100, 900_000)),
    currency: market.currency,
    direction: random.pick(['DEPOSIT', 'WITHDRAWAL'] as const),
    status: 'COMPLETED',
    reason: '',
    update_time: isoMilliseconds(nowMs),
  }
}

function instantFunding(input: ModulePayloadInput): ModulePayload {
  const { random, market, nowMs, accountId, otherAccountId } = input
  return {
    from_account: otherAccountId,
    to_account: accountId,
    client_request_id: random.hex(32),
    instant_funding_id: random.hex(32),
    amount: fromCents(random.integer(100, 250_000)),
    currency: market.currency,
    type: 'DEPOSIT',
    status: random.pick(['COMPLETED', 'REJECTED'] as const),
    reason: '',
    update_time: isoMilliseconds(nowMs),
  }
}

function feeDeduction(input: ModulePayloadInput): ModulePayload {
  const { random, market, nowMs, accountId, otherAccountId } = input
  return {
    account: accountId,
    contra_account: otherAccountId,
    client_request_id: random.hex(32),
    fee_id: random.hex(32),
    amount: fromCents(random.integer(0, 500)),
    currency: market.currency,
    type: 'SERVICE_FEE',
    status: 'COMPLETED',
    reason: '',
    update_time: isoMilliseconds(nowMs),
  }
}

function cashJournal(input: ModulePayloadInput): ModulePayload {
  const { random, market, nowMs, accountId, otherAccountId } = input
  return {
    from_account: otherAccountId,
    to_account: accountId,
    client_request_id: random.hex(32),
    journal_id: random.hex(32),
    amount: fromCents(random.integer(1, 1_000_000)),
    currency: market.currency,
    status: 'COMPLETED',
    reason: '',
    update_time: isoMilliseconds(nowMs),
  }
}

function calendarUpdate({ random, market, nowMs }: ModulePayloadInput): ModulePayload {
  return {
    request_id: random.hex(32),
    market: market.market,
    instrument_type: 'STOCK',
    year: isoDay(nowMs, 0).slice(0, 4),
  }
}

function propertyChange({ random, market }: ModulePayloadInput): ModulePayload {
  return {
    instrument_id: random.pick(market.instruments).instrumentId,
    status: random.pick(['OC', 'CO', 'NT'] as const),
    shortable: random.pick(['true', 'false'] as const),
    marginable: random.pick(['true', 'false'] as const),
  }
}

function trade({ random, market, nowMs, accountId }: ModulePayloadInput): ModulePayload {
  const order = newOrder(random, market, accountId)
  const { fees: _, ...payload } = orderStep(order, 'FINAL_FILLED', { random, market, nowMs }).payload
  return payload
}

function positionSettled({ random, accountId }: ModulePayloadInput): ModulePayload {
  const { symbol, payload } = settlement(random)
  return { account_id: accountId, position_id: random.hex(32), symbol, ...payload }
}

function startOfDay({ nowMs }: ModulePayloadInput): ModulePayload {
  return { business_date: isoDay(nowMs, 0), state: 'READY' }
}
