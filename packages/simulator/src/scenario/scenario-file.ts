/** Scenarios as JSON, from a file or from another process. */
import {
  isRecord,
  JsonLineError,
  type OptionFailure,
  readJsonWithLines,
  requireKnownOptions,
} from '@brokerwire/core/internal'
import { readInteger, shown } from '../checks.ts'
import { argumentFailure, isSimulatorError, SimulatorError } from '../simulator-error.ts'
import { checkStep } from './check-step.ts'
import type { Scenario, ScenarioStep } from './scenario.ts'

/** What a scenario file holds; `scenario.schema.json` of this package says the same to an editor. */
export interface ScenarioFile {
  readonly $schema?: string | undefined
  /** How often the steps are played. @defaultValue 1 */
  readonly repeat?: number | 'forever' | undefined
  readonly steps: readonly ScenarioStep[]
}

const MAX_STEPS = 1_000_000
const MAX_TEXT = 256 * 1024 * 1024

/**
 * Reads a scenario out of a JSON value.
 *
 * @throws SimulatorError `SIMULATOR_ARGUMENT_INVALID`; names of arguments are paths such as `steps[2].scene`.
 */
export function readScenarioValue(value: unknown): Scenario {
  if (!isRecord(value)) throw argumentFailure('', 'an object with steps', shown(value))
  requireKnownOptions(argumentFailure, value, ['$schema', 'repeat', 'steps'])
  const { steps, repeat } = value
  if (!Array.isArray(steps) || steps.length === 0 || steps.length > MAX_STEPS) {
    throw argumentFailure('steps', `an array of 1 to ${MAX_STEPS} steps`, shown(steps))
  }
  const rounds =
    repeat === 'forever'
      ? Number.POSITIVE_INFINITY
      : readInteger(argumentFailure, 'repeat', repeat, { min: 1, max: 1_000_000, fallback: 1 })
  const checked = steps.map((step: unknown, index) => {
    const fail: OptionFailure = (field, expected, received, message) =>
      argumentFailure(
        `steps[${index}]${field === '' ? '' : `.${field}`}`,
        expected,
        received,
        message && `steps[${index}]: ${message}`,
      )
    return checkStep(step, fail)
  })
  if (repeat === 'forever' && checked.every(({ afterMs = 0 }) => afterMs === 0)) {
    throw argumentFailure('repeat', 'a step with afterMs above 0 in what is played forever', 'none')
  }
  return {
    *[Symbol.iterator]() {
      for (let round = 0; round < rounds; round += 1) {
        // Another round is about other orders.
        for (const step of checked) {
          yield step.type === 'order' && round > 0 ? { ...step, order: `${step.order} ${round}` } : step
        }
      }
    },
  }
}

/**
 * Reads a scenario file.
 *
 * @param text - What is in it.
 * @param file - Its name, for errors.
 * @throws SimulatorError `SIMULATOR_SCENARIO_INVALID`, with line and field
 *
 * @example
 * ```ts
 * import { readFile } from 'node:fs/promises'
 * import { readScenarioFile, startSimulator } from '@brokerwire/simulator'
 *
 * await using simulator = await startSimulator()
 * simulator.startScenario(readScenarioFile(await readFile('morning.json', 'utf8'), 'morning.json'))
 * ```
 */
export function readScenarioFile(text: string, file = 'scenario'): Scenario {
  const wrong = (line: number, field: string, problem: string): Error => {
    const at = field === '' ? '' : `${field}: `
    return new SimulatorError('SIMULATOR_SCENARIO_INVALID', `${file}, line ${line}: ${at}${problem}`, {
      details: { file, line, field, problem },
    })
  }
  if (typeof text !== 'string' || text.length > MAX_TEXT) {
    throw wrong(1, '', `expected a text of at most ${MAX_TEXT} characters`)
  }
  let json: ReturnType<typeof readJsonWithLines>
  try {
    json = readJsonWithLines(text.replace(/^\uFEFF/, ''))
  } catch (error) {
    if (error instanceof JsonLineError) throw wrong(error.line, '', error.message)
    throw error
  }
  try {
    return readScenarioValue(json.value)
  } catch (error) {
    if (!isSimulatorError(error, 'SIMULATOR_ARGUMENT_INVALID')) throw error
    const { argument } = error.details
    // The message names the place once more.
    const named = [`${argument}: `, /^steps\[\d+\]: /.exec(error.message)?.[0] ?? '']
    const problem = named.reduce(
      (text, start) => (text.startsWith(start) ? text.slice(start.length) : text),
      error.message,
    )
    throw wrong(json.positionOf(argument).line, argument, problem)
  }
}
