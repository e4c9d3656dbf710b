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
  /** An option of `startSimulator` is invalid. */
  SIMULATOR_OPTION_INVALID: {
    /** Name of the option, or a path such as `apps[0].appKey`. */
    readonly option: string
    /** Description of the allowed values. */
    readonly expected: string
    /** Description of the value, without secrets. */
    readonly received: string
  }
  /** An argument of one of the simulator's methods is invalid. */
  SIMULATOR_ARGUMENT_INVALID: {
    /** Name of the argument, or a path such as `steps[2].scene`. */
    readonly argument: string
    /** Description of the allowed values. */
    readonly expected: string
    /** Description of the value, without secrets. */
    readonly received: string
  }
  /** A listener could not be opened. `reason` is the host's error code, for example `EADDRINUSE`. */
  SIMULATOR_LISTEN_FAILED: {
    /** Name of the option that set the port. */
    readonly option: string
    /** The port; 0 for any free port. */
    readonly port: number
    /** Error code of the operating system. */
    readonly reason: string
  }
  /** A method was called after `close()`. */
  SIMULATOR_CLOSED: {
    /** Name of the method that was called. */
    readonly method: string
  }
  /** A scenario file is invalid. `field` is a path such as `steps[2].scene`, and `line` is counted from 1. */
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
  /** A recording is invalid. `field` is a path such as `frame.eventType`, and `line` is counted from 1. */
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
  /** The console's page cannot be served. */
  SIMULATOR_CONSOLE_FAILED: {
    /** Description of the cause of the failure. */
    readonly reason: string
  }
  /** A simulator in another process rejected a call, or it cannot be reached (`status` 0). */
  SIMULATOR_CONTROL_FAILED: {
    /** Name of the call that failed. */
    readonly call: string
    /** HTTP status of the response; 0 if there was no response. */
    readonly status: number
    /** Message of the simulator, or the network error. */
    readonly reason: string
  }
  /** A state file cannot be opened or written. `reason` is the host's error code, or a sentence. */
  SIMULATOR_STATE_FAILED: {
    /** Absolute path of the state file. */
    readonly path: string
    /** Error code of the operating system, or a sentence. */
    readonly reason: string
  }
  /** A line of a state file is invalid, or does not fit the options of this simulator. */
  SIMULATOR_STATE_INVALID: {
    /** Absolute path of the state file. */
    readonly path: string
    /** Line of the error, counted from 1. */
    readonly line: number
    /** Description of the error, without secrets. */
    readonly reason: string
  }
  /** A condition that a test waited for was not met in time. */
  SIMULATOR_WAIT_TIMEOUT: {
    /** The call that waited, such as `waitForSubscriptions({"service":"trade"})`. */
    readonly waitedFor: string
    /** Time limit of the wait, in milliseconds. */
    readonly timeoutMs: number
  }
  /** The simulator's clock cannot be advanced. */
  SIMULATOR_CLOCK_FIXED: {
    /** Description of the clocks that can be advanced. */
    readonly expected: string
  }
  /** The order's state does not allow the step. */
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
