/** Checks a step against the table of fields, and names the field that is wrong. */
import { isRecord, type OptionFailure, requireKnownOptions } from '@brokerwire/core/internal'
import { readBoolean, readInteger, readOneOf, shown } from '../checks.ts'
import type { ScenarioStep } from './scenario.ts'
import { COMMON_FIELDS, type FieldShape, STEP_SHAPES, STEP_TYPES } from './step-fields.ts'

/** @param fail - Makes the error; it is given the field's path within the step. */
export function checkStep(step: unknown, fail: OptionFailure): ScenarioStep {
  if (!isRecord(step)) throw fail('', 'an object', shown(step))
  const type = readOneOf(fail, 'type', step.type, STEP_TYPES)
  const shapes: Readonly<Record<string, FieldShape>> = { ...COMMON_FIELDS, ...STEP_SHAPES[type] }
  checkFields(step, shapes, fail)
  if (type === 'fault') {
    const kinds = ['http', 'subscription', 'frame', 'clear'].filter((name) => step[name] !== undefined)
    if (kinds.length !== 1) {
      throw fail('', 'exactly one of http, subscription, frame, clear', kinds.join(', ') || 'none of them')
    }
  }
  if (type === 'module' && step.module === undefined && step.eventType === undefined) {
    throw fail('', 'module or eventType', 'neither of them')
  }
  return step as ScenarioStep
}

function checkFields(
  value: Readonly<Record<string, unknown>>,
  shapes: Readonly<Record<string, FieldShape>>,
  fail: OptionFailure,
): void {
  requireKnownOptions(fail, value, Object.keys(shapes))
  for (const [name, shape] of Object.entries(shapes)) {
    const field = value[name]
    if (field === undefined) {
      if (shape.required) throw fail(name, describeShape(shape), 'undefined')
    } else checkField(name, field, shape, fail)
  }
}

function checkField(name: string, field: unknown, shape: FieldShape, fail: OptionFailure): void {
  switch (shape.type) {
    case 'string':
      if (shape.oneOf !== undefined) readOneOf(fail, name, field, shape.oneOf)
      else if (typeof field !== 'string' || (field === '' && !shape.empty)) {
        throw fail(name, describeShape(shape), shown(field))
      }
      return
    case 'integer':
      readInteger(fail, name, field, { min: shape.min, max: shape.max, fallback: shape.min })
      return
    case 'boolean':
      readBoolean(fail, name, field, false)
      return
    case 'times':
      if (field !== 'always') readInteger(fail, name, field, { min: 1, max: 1_000_000, fallback: 1 })
      return
    case 'object': {
      if (!isRecord(field)) throw fail(name, 'an object', shown(field))
      const inner: OptionFailure = (inside, expected, received, message) =>
        fail(inside === '' ? name : `${name}.${inside}`, expected, received, message)
      if (shape.fields !== undefined) checkFields(field, shape.fields, inner)
      return
    }
    case 'any':
  }
}

function describeShape(shape: FieldShape): string {
  if (shape.type === 'string') return shape.empty ? 'a string' : 'a non-empty string'
  return shape.type === 'object' ? 'an object' : `a value of type ${shape.type}`
}
