/** The error class of this package. */
import { BrokerwireError, type BrokerwireErrorOptions, errorGuard } from '@brokerwire/core'
import {
  isRecord,
  knownOptions,
  type OptionFailure,
  optionMessage,
  received,
} from '@brokerwire/core/internal'

/** The `details` of each code. */
export interface SimulatorErrorDetails {
  /**
   * An option of `startSimulator` is invalid.
   * @retryable no
   * @remedy Correct the option that `details.option` names.
   * @message listen must be a loopback address, unless tls or allowInsecure: true is set
   */
  SIMULATOR_OPTION_INVALID: {
    /** Name of the option, or a path such as `apps[0].appKey`. */
    readonly option: string
    /** Description of the allowed values. */
    readonly expected: string
    /** Description of the value, without secrets. */
    readonly received: string
  }
  /**
   * An argument of one of the simulator's methods is invalid.
   * @retryable no
   * @remedy Correct the argument that `details.argument` names.
   * @message steps[0].advanceMs must be a whole number from 1 to 31622400000; received undefined
   */
  SIMULATOR_ARGUMENT_INVALID: {
    /** Name of the argument, or a path such as `steps[2].scene`. */
    readonly argument: string
    /** Description of the allowed values. */
    readonly expected: string
    /** Description of the value, without secrets. */
    readonly received: string
  }
  /**
   * A listener could not be opened. `reason` is the host's error code, for example `EADDRINUSE`.
   * @retryable if the reason is `EADDRINUSE`
   * @remedy Use another port, or 0.
   * @message httpPort: cannot listen on 127.0.0.1, port 8080: EADDRINUSE
   */
  SIMULATOR_LISTEN_FAILED: {
    /** Name of the option that set the port. */
    readonly option: string
    /** The port; 0 for any free port. */
    readonly port: number
    /** Error code of the operating system. */
    readonly reason: string
  }
  /**
   * A method was called after `close()`.
   * @retryable no
   * @remedy Start another simulator.
   * @message waitForSubscriptions() ended because the simulator was closed
   */
  SIMULATOR_CLOSED: {
    /** Name of the method that was called. */
    readonly method: string
  }
  /**
   * A scenario file is invalid. `field` is a path such as `steps[2].scene`, and `line` is counted from 1.
   * @retryable no
   * @remedy Correct the line that the message names.
   * @message my.json:3:29: unknown option "steps[1].afterMS". Did you mean "afterMs"?
   */
  SIMULATOR_SCENARIO_INVALID: {
    /** Name of the file, as it was passed. */
    readonly file: string
    /** Line of the error, counted from 1. */
    readonly line: number
    /** Column of the error, counted from 1. */
    readonly column: number
    /** Path of the field; empty for the whole file. */
    readonly field: string
    /** Description of the error, without secrets. */
    readonly problem: string
  }
  /**
   * A recording is invalid. `field` is a path such as `frame.eventType`, and `line` is counted from 1.
   * @retryable no
   * @remedy Correct the line that the message names, or record again.
   * @message morning.jsonl, line 2: must be a JSON object; received an empty array
   */
  SIMULATOR_RECORDING_INVALID: {
    /** Name of the file, as it was passed. */
    readonly file: string
    /** Line of the error, counted from 1. */
    readonly line: number
    /** Path of the field; empty for the whole line. */
    readonly field: string
    /** Description of the error, without secrets. */
    readonly problem: string
  }
  /**
   * The console's page cannot be served.
   * @retryable no
   * @remedy Install the package again. In a checkout, run `pnpm install`.
   * @message console: the page is missing
   */
  SIMULATOR_CONSOLE_FAILED: {
    /** Description of the cause of the failure. */
    readonly reason: string
  }
  /**
   * A simulator in another process rejected a call, or it cannot be reached (`status` 0).
   * @retryable if there was no response
   * @remedy Read the message, or start the simulator.
   * @message approve: no response from a simulator at http://127.0.0.1:8080 (ECONNREFUSED)
   */
  SIMULATOR_CONTROL_FAILED: {
    /** Name of the call that failed. */
    readonly call: string
    /** HTTP status of the response; 0 if there was no response. */
    readonly status: number
    /** Message of the simulator, or the network error. */
    readonly reason: string
  }
  /**
   * A state file cannot be opened or written. `reason` is the host's error code, or a sentence.
   * @retryable no
   * @remedy Use another path, set mode 600, or end the process that uses the file.
   * @message stateFile: state.jsonl: must have mode 600, because it contains secrets; received 644
   */
  SIMULATOR_STATE_FAILED: {
    /** Absolute path of the state file. */
    readonly path: string
    /** Error code of the operating system, or a sentence. */
    readonly reason: string
  }
  /**
   * A line of a state file is invalid, or does not fit the options of this simulator.
   * @retryable no
   * @remedy Use the seed of the file, or another file.
   * @message stateFile: state.jsonl, line 3: must be a JSON object
   */
  SIMULATOR_STATE_INVALID: {
    /** Absolute path of the state file. */
    readonly path: string
    /** Line of the error, counted from 1. */
    readonly line: number
    /** Description of the error, without secrets. */
    readonly reason: string
  }
  /**
   * A condition that a test waited for was not met in time.
   * @retryable no
   * @remedy Read the current state in the message.
   * @message waitForSubscriptions(\{"service":"module"\}) had no result within 1 ms; 0 of 0 open subscriptions match
   */
  SIMULATOR_WAIT_TIMEOUT: {
    /** The call that waited, such as `waitForSubscriptions({"service":"trade"})`. */
    readonly waitedFor: string
    /** Time limit of the wait, in milliseconds. */
    readonly timeoutMs: number
  }
  /**
   * The simulator's clock cannot be advanced.
   * @retryable no
   * @remedy Omit the option `clock`, or pass `createVirtualClock()`.
   * @message advance: the clock of this simulator cannot be moved
   */
  SIMULATOR_CLOCK_FIXED: {
    /** Description of the clocks that can be advanced. */
    readonly expected: string
  }
  /**
   * The order's state does not allow the step.
   * @retryable no
   * @remedy Place another order.
   * @message an order in status FILLED with 0 units open cannot take CANCEL_SUCCESS
   */
  SIMULATOR_ORDER_FINAL: {
    /** Status of the order before the step. */
    readonly orderStatus: string
    /** The step that is not allowed. */
    readonly scene: string
  }
}

/** Stable codes of {@link SimulatorError}. */
export type SimulatorErrorCode = keyof SimulatorErrorDetails

/** The error of `@brokerwire/simulator`. */
export class SimulatorError<C extends SimulatorErrorCode = SimulatorErrorCode> extends BrokerwireError<
  C,
  SimulatorErrorDetails[C]
> {
  override readonly name = 'SimulatorError'

  constructor(code: C, message: string, options: BrokerwireErrorOptions<SimulatorErrorDetails[C]>) {
    super('simulator', code, message, options)
  }
}

/**
 * Whether `value` is an error of this package, and of this code if you pass one.
 *
 * @example
 * ```ts
 * import { isSimulatorError } from '@brokerwire/simulator'
 *
 * declare function work(): Promise<void>
 *
 * try {
 *   await work()
 * } catch (error) {
 *   if (!isSimulatorError(error)) throw error
 *   console.log(error.code, error.retryable)
 * }
 * ```
 */
export const isSimulatorError = errorGuard<{ [C in SimulatorErrorCode]: SimulatorError<C> }>('simulator')

/** Creates the error of an invalid option. */
export const optionFailure: OptionFailure = (
  option,
  expected,
  received,
  message = optionMessage(option, expected, received),
) => new SimulatorError('SIMULATOR_OPTION_INVALID', message, { details: { option, expected, received } })

/** Creates the error of an invalid argument. */
export const argumentFailure: OptionFailure = (
  argument,
  expected,
  received,
  message = optionMessage(argument, expected, received),
) => new SimulatorError('SIMULATOR_ARGUMENT_INVALID', message, { details: { argument, expected, received } })

/** Validates an argument with options. @returns A copy without inherited properties. */
export function readArguments<T extends object>(argument: T, names: readonly (keyof T & string)[]): T {
  if (!isRecord(argument)) throw argumentFailure('options', 'an object', received(argument))
  return knownOptions(argumentFailure, argument, names)
}
