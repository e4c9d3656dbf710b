/**
 * The event types and business types of the eleven modules.
 *
 * Modules may share an event type, so that event type and business type together determine the module. Source: specification,
 * Events; facts, Module payloads.
 */

/** Event types and business types by module. Those of SOD are not published. */
export const MODULES = {
  application: { eventTypes: ['APPLICATION'], bizTypes: ['ACCOUNT_CREATE'] },
  account: { eventTypes: ['ACCOUNT'], bizTypes: ['ACCOUNT_INFO_UPDATE', 'ACCOUNT_RESTRICT'] },
  funding: { eventTypes: ['FUNDING'], bizTypes: ['TRANSFER', 'INSTANT_FUNDING'] },
  'fees-and-credits': { eventTypes: ['FUNDING'], bizTypes: ['FEE_DEDUCTION'] },
  journal: { eventTypes: ['JOURNAL'], bizTypes: ['CASH_JOURNAL'] },
  'master-data': { eventTypes: ['MASTER_DATA'], bizTypes: ['CALENDAR_UPDATE'] },
  instrument: { eventTypes: ['INSTRUMENT'], bizTypes: ['PROPERTY_CHANGE'] },
  trade: { eventTypes: ['TRADE'], bizTypes: ['TRADE'] },
  'corporate-actions': { eventTypes: ['INSTRUMENT'], bizTypes: ['CA_EVENT'] },
  'event-contract': { eventTypes: ['POSITION'], bizTypes: ['EVENT_POSITION_SETTLED'] },
  sod: { eventTypes: [], bizTypes: [] },
} as const

/** The name of a module. */
export type ModuleName = keyof typeof MODULES
