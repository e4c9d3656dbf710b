/** What is done to market data by name: by a step of a scenario, by another process, and by the console's page. */
import { integer, oneOf, unreachable } from '@brokerwire/core/internal'
import { argumentFailure } from '../simulator-error.ts'
import type { ConnectFault } from './broker.ts'
import type { QuotesControls } from './quotes-controls.ts'

/** The names. */
export const QUOTES_ACTIONS = [
  'step',
  'echo',
  'notice',
  'drop',
  'end',
  'close-badly',
  'forget',
  'silence-messages',
  'silence-all',
  'resume',
  'refuse-connect',
  'ignore-connect',
  'drop-connect',
  'clear-faults',
] as const

/** One of {@link QUOTES_ACTIONS}. */
export type QuotesActionName = (typeof QUOTES_ACTIONS)[number]

/** What is done to market data. */
export interface QuotesAction {
  /**
   * `step` moves prices; `drop` breaks connections without a word, `end` in an orderly way, `close-badly` with the close frame that was
   * seen in the field; `forget`: the HTTP side does not know the sessions any more; `refuse-connect` and the next two strike the
   * next CONNECT.
   */
  readonly action: QuotesActionName
  /** Of one session. @defaultValue all */
  readonly session?: string | undefined
  /** Moves of prices, or CONNECTs that are struck. @defaultValue 1 */
  readonly count?: number | undefined
  /** Of `refuse-connect`: the return code of CONNACK. @defaultValue 105 */
  readonly code?: number | undefined
}

const CONNECTION_LIMIT = 105

/**
 * Does it.
 *
 * @returns How many sessions were reached; messages of `step`; 0 for what strikes later.
 * @throws SimulatorError `SIMULATOR_ARGUMENT_INVALID`, also where the simulator has no market data.
 */
export function carryOutQuotesAction(quotes: QuotesControls | undefined, given: QuotesAction): number {
  if (quotes === undefined)
    throw argumentFailure('quotes', 'a simulator with the option quotes', 'one without')
  const { session } = given
  const action = oneOf(QUOTES_ACTIONS)(given.action, 'action', argumentFailure)
  const count = integer({ min: 1, max: 1_000_000, default: 1 })(given.count, 'count', argumentFailure)
  const code = integer({
    min: 0,
    max: 255,
    default: CONNECTION_LIMIT,
  })(given.code, 'code', argumentFailure)
  const next = (fault: ConnectFault): number => {
    quotes.nextConnect(fault, { count })
    return 0
  }
  switch (action) {
    case 'step':
      return quotes.step(count)
    case 'echo':
      return quotes.echo({ session })
    case 'notice':
      return quotes.notice({ session })
    case 'drop':
      return quotes.drop({ session })
    case 'end':
      return quotes.end({ session })
    case 'close-badly':
      return quotes.closeBadly({ session })
    case 'forget':
      return quotes.forgetSessions({ session })
    case 'silence-messages':
      return quotes.silence('messages', { session })
    case 'silence-all':
      return quotes.silence('all', { session })
    case 'resume':
      return quotes.silence('none', { session })
    case 'refuse-connect':
      return next({ kind: 'connack', code })
    case 'ignore-connect':
      return next({ kind: 'no-answer' })
    case 'drop-connect':
      return next({ kind: 'drop' })
    case 'clear-faults':
      quotes.clearFaults()
      return 0
    default:
      return unreachable(action)
  }
}
