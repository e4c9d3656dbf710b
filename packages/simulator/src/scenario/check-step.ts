/** Validates a step with the table of fields. Errors contain the path of the field. */
import {
  type Fields,
  isRecord,
  type OptionFailure,
  oneOf,
  readOptions,
  received,
} from '@brokerwire/core/internal'
import { toSchemas } from './field.ts'
import type { ScenarioStep } from './scenario.ts'
import { getFields, STEP_TYPES, type StepType } from './step-fields.ts'

const SCHEMAS = Object.fromEntries(STEP_TYPES.map((type) => [type, toSchemas(getFields(type))])) as Readonly<
  Record<StepType, Fields>
>

/**
 * @param path - Path of the step, such as `steps[2]`. @throws The error that `fail` creates, with the path of the
 * field.
 */
export function checkStep(step: unknown, path: string, fail: OptionFailure): ScenarioStep {
  if (!isRecord(step)) throw fail(path, 'an object', received(step))
  const type = oneOf(STEP_TYPES)(step.type, `${path}.type`, fail)
  readOptions(fail, step, SCHEMAS[type], path)
  if (type === 'fault') {
    const kinds = ['http', 'subscription', 'frame', 'clear'].filter((name) => step[name] !== undefined)
    if (kinds.length !== 1) {
      const expected = 'a fault with exactly one of http, subscription, frame, clear'
      throw fail(path, expected, kinds.join(', ') || 'none')
    }
  }
  if (type === 'module' && step.module === undefined && step.eventType === undefined) {
    throw fail(path, 'a step with module or eventType', 'a step with neither')
  }
  return step as ScenarioStep
}
