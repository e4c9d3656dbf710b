/** The built-in decoder of each event type and business type. */
import { accountInfoUpdate, accountRestrict } from './account.ts'
import { accountCreate } from './application.ts'
import { corporateAction } from './corporate-action.ts'
import { positionSettled } from './event-contract.ts'
import { cashJournal, feeDeduction, instantFunding, transfer } from './funding.ts'
import { calendarUpdate, propertyChange } from './reference-data.ts'
import { moduleTrade } from './trade.ts'

/** Decoders by module and business type; the event type is that of `MODULES`. */
export const MODULE_DECODERS = {
  application: { ACCOUNT_CREATE: accountCreate },
  account: { ACCOUNT_INFO_UPDATE: accountInfoUpdate, ACCOUNT_RESTRICT: accountRestrict },
  funding: { TRANSFER: transfer, INSTANT_FUNDING: instantFunding },
  'fees-and-credits': { FEE_DEDUCTION: feeDeduction },
  journal: { CASH_JOURNAL: cashJournal },
  'master-data': { CALENDAR_UPDATE: calendarUpdate },
  instrument: { PROPERTY_CHANGE: propertyChange },
  trade: { TRADE: moduleTrade },
  'corporate-actions': { CA_EVENT: corporateAction },
  'event-contract': { EVENT_POSITION_SETTLED: positionSettled },
} as const
