/** Executes actions on market data by name, for scenarios, other processes and the console. */
import { integer, oneOf, unreachable } from '@brokerwire/core/internal'
import { argumentFailure } from '../simulator-error.ts'
import type { ConnectFault } from './broker.ts'
import type { QuotesControls } from './quotes-controls.ts'

/** Names of the actions. */
export const QUOTES_ACTIONS = [
  'step',
  'echo',
  'notice',
  'drop',
  'end',
  'invalid-close',
  'forget-sessions',
  'silence-messages',
  'silence-all',
  'resume',
  'reject-connect',
  'ignore-connect',
  'drop-connect',
  'clear-faults',
] as const

/** One of {@link QUOTES_ACTIONS}. */
export type QuotesActionName = (typeof QUOTES_ACTIONS)[number]

/** An action on market data. */
export interface QuotesAction {
  /**
   * `step` moves prices. `drop` destroys connections, `end` closes them cleanly, `invalid-close` sends the
   * invalid close frame that was observed on the service. After `forget-sessions`, subscribe calls no longer
   * find the sessions. `reject-connect`, `ignore-connect` and `drop-connect` are faults of the next CONNECT.
   * `clear-faults` removes pending faults.
   */
  readonly action: QuotesActionName
  /** Client id of one session. @defaultValue all sessions */
  readonly session?: string | undefined
  /** Number of price moves, or of CONNECTs with the fault. @defaultValue 1 */
  readonly count?: number | undefined
  /** For `reject-connect`: the return code of CONNACK. @defaultValue 105 */
  readonly code?: number | undefined
}

const CONNECTION_LIMIT = 105

/**
 * Executes an action.
 *
 * @returns Number of affected sessions. For `step`, the number of messages that were sent. 0 for faults,
 * which are injected into a later CONNECT.
 * @throws SimulatorError `SIMULATOR_ARGUMENT_INVALID`, also if the simulator has no market data.
 */
export function executeQuotesAction(quotes: QuotesControls | undefined, given: QuotesAction): number {
  if (quotes === undefined)
    throw argumentFailure('quotes', 'used with the option quotes', 'a simulator without it')
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
    case 'invalid-close':
      return quotes.sendInvalidClose({ session })
    case 'forget-sessions':
      return quotes.forgetSessions({ session })
    case 'silence-messages':
      return quotes.silence('messages', { session })
    case 'silence-all':
      return quotes.silence('all', { session })
    case 'resume':
      return quotes.silence('none', { session })
    case 'reject-connect':
      return next({ kind: 'connack', code })
    case 'ignore-connect':
      return next({ kind: 'no-response' })
    case 'drop-connect':
      return next({ kind: 'drop' })
    case 'clear-faults':
      quotes.clearFaults()
      return 0
    default:
      return unreachable(action)
  }
}
