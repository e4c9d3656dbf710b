/** Checks a step against the table of fields, and names the field that is wrong. */
import {
  boolean,
  custom,
  integer,
  isRecord,
  knownOptions,
  type OptionFailure,
  oneOf,
  received,
  type Schema,
  string,
} from '@brokerwire/core/internal'
import type { ScenarioStep } from './scenario.ts'
import { COMMON_FIELDS, type FieldShape, STEP_SHAPES, STEP_TYPES } from './step-fields.ts'

/** @param path - Path of the step, such as `steps[2]`. @throws What `fail` creates, with the path of the wrong field. */
export function checkStep(step: unknown, path: string, fail: OptionFailure): ScenarioStep {
  if (!isRecord(step)) throw fail(path, 'an object', received(step))
  const type = oneOf(STEP_TYPES)(step.type, `${path}.type`, fail)
  const shapes: Readonly<Record<string, FieldShape>> = { ...COMMON_FIELDS, ...STEP_SHAPES[type] }
  checkFields(step, shapes, path, fail)
  if (type === 'fault') {
    const kinds = ['http', 'subscription', 'frame', 'clear'].filter((name) => step[name] !== undefined)
    if (kinds.length !== 1) {
      const expected = 'a fault with exactly one of http, subscription, frame, clear'
      throw fail(path, expected, kinds.join(', ') || 'none of them')
    }
  }
  if (type === 'module' && step.module === undefined && step.eventType === undefined) {
    throw fail(path, 'a step with module or eventType', 'neither of them')
  }
  return step as ScenarioStep
}

function checkFields(
  value: Readonly<Record<string, unknown>>,
  shapes: Readonly<Record<string, FieldShape>>,
  path: string,
  fail: OptionFailure,
): void {
  knownOptions(fail, value, Object.keys(shapes), `${path}.`)
  for (const [name, shape] of Object.entries(shapes)) {
    const field = value[name]
    if (field === undefined) {
      if (shape.required) throw fail(`${path}.${name}`, describeShape(shape), 'undefined')
    } else schemaOf(shape)(field, `${path}.${name}`, fail)
  }
}

const times: Schema<unknown> = (value, path, fail) =>
  value === 'always' ? value : integer({ min: 1, max: 1_000_000 })(value, path, fail)

function schemaOf(shape: FieldShape): Schema<unknown> {
  switch (shape.type) {
    case 'string':
      if (shape.oneOf !== undefined) return oneOf(shape.oneOf)
      return shape.empty ? custom(describeShape(shape), (value) => typeof value === 'string') : string()
    case 'integer':
      return integer(shape)
    case 'boolean':
      return boolean(false)
    case 'times':
      return times
    case 'object':
      return (value, path, fail) => {
        if (!isRecord(value)) throw fail(path, 'an object', received(value))
        if (shape.fields !== undefined) checkFields(value, shape.fields, path, fail)
      }
    case 'any':
      return (value) => value
  }
}

function describeShape(shape: FieldShape): string {
  if (shape.type === 'string') return shape.empty ? 'a string' : 'a non-empty string'
  return shape.type === 'object' ? 'an object' : `a value of type ${shape.type}`
}
