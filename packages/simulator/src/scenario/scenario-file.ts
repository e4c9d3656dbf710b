/** Reads scenarios as JSON, from a file or from another process. */
import {
  integer,
  isRecord,
  JsonLineError,
  knownOptions,
  readJsonWithLines,
  received,
  type TextPosition,
} from '@brokerwire/core/internal'
import { argumentFailure, isSimulatorError, SimulatorError } from '../simulator-error.ts'
import { checkStep } from './check-step.ts'
import type { Scenario, ScenarioStep } from './scenario.ts'

/**
 * Content of a scenario file. `scenario.schema.json` of this package is a JSON Schema of such files, for
 * editors.
 */
export interface ScenarioFile {
  /** Address of the JSON schema, for editors. It is ignored. */
  readonly $schema?: string | undefined
  /** How often the steps are executed. @defaultValue 1 */
  readonly repeat?: number | 'forever' | undefined
  /** The steps in the order of execution. */
  readonly steps: readonly ScenarioStep[]
}

const MAX_STEPS = 1_000_000
const MAX_CHARACTERS = 256 * 1024 * 1024

/**
 * Validates a scenario from a JSON value.
 *
 * @throws SimulatorError `SIMULATOR_ARGUMENT_INVALID`; names of arguments are paths such as `steps[2].scene`.
 */
export function readScenarioValue(value: unknown): Scenario {
  if (!isRecord(value)) throw argumentFailure('scenario', 'an object with steps', received(value))
  knownOptions(argumentFailure, value, ['$schema', 'repeat', 'steps'])
  const { steps, repeat } = value
  if (!Array.isArray(steps) || steps.length === 0 || steps.length > MAX_STEPS) {
    throw argumentFailure('steps', `an array of 1 to ${MAX_STEPS} steps`, received(steps))
  }
  const rounds =
    repeat === 'forever'
      ? Number.POSITIVE_INFINITY
      : integer({ min: 1, max: 1_000_000, default: 1 })(repeat, 'repeat', argumentFailure)
  const checked = steps.map((step: unknown, index) => checkStep(step, `steps[${index}]`, argumentFailure))
  if (repeat === 'forever' && checked.every(({ afterMs = 0 }) => afterMs === 0)) {
    throw argumentFailure(
      'repeat',
      'a number',
      '"forever"',
      'repeat must not be "forever" unless a step has afterMs above 0',
    )
  }
  return {
    *[Symbol.iterator]() {
      for (let round = 0; round < rounds; round += 1) {
        // Each repetition has its own orders, so the names of orders get the number of the repetition.
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
 * @param text - Content of the file.
 * @param file - Name of the file. Errors contain it.
 * @throws SimulatorError `SIMULATOR_SCENARIO_INVALID`, with line, column and field
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
  const wrong = ({ line, column }: TextPosition, field: string, problem: string): Error =>
    new SimulatorError('SIMULATOR_SCENARIO_INVALID', `${file}:${line}:${column}: ${problem}`, {
      details: { file, line, column, field, problem },
    })
  if (typeof text !== 'string' || text.length > MAX_CHARACTERS)
    throw wrong(
      { line: 1, column: 1 },
      '',
      `a scenario must be a string of at most ${MAX_CHARACTERS} characters`,
    )
  let json: ReturnType<typeof readJsonWithLines>
  try {
    json = readJsonWithLines(text.replace(/^\uFEFF/, ''))
  } catch (error) {
    if (error instanceof JsonLineError) throw wrong(error, '', error.message)
    throw error
  }
  try {
    return readScenarioValue(json.value)
  } catch (error) {
    if (!isSimulatorError(error, 'SIMULATOR_ARGUMENT_INVALID')) throw error
    const field = error.details.argument === 'scenario' ? '' : error.details.argument
    throw wrong(json.positionOf(field), field, error.message)
  }
}
