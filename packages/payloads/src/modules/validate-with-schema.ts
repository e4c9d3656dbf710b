/**
 * Validation with any Standard Schema. Decoders of this package use the source text for exact numbers. Other
 * schemas get parsed JSON. Decoding is synchronous, so a schema that returns a promise is an error. The
 * rejection of the promise is handled, because an unhandled rejection would end the process.
 */

import { type DecodeContext, exactUndescribed, INVALID, reportIssue } from '../decode-context.ts'
import type { Decoder } from '../decoder.ts'
import type { Issue } from '../issue.ts'
import { isPayloadsError, PayloadsError } from '../payloads-error.ts'
import type { StandardIssue, StandardSchema } from '../standard-schema.ts'
import { isNumberText } from '../values/number-text.ts'

/**
 * Maximum number of issues, and maximum length of a message, because a schema may report many or long ones
 * for a hostile payload.
 */
const MAX_ISSUES = 100
const MAX_MESSAGE_LENGTH = 200

const RESULT = 'a schema that returns a value or issues'

/** Validates a value. @throws PayloadsError `PAYLOAD_SCHEMA_FAILED` if the schema throws or returns an invalid result. */
export function validateWithSchema(
  schema: StandardSchema<unknown, unknown>,
  module: string,
  value: unknown,
  context: DecodeContext,
): unknown {
  try {
    if ('~decode' in schema) return (schema as Decoder<unknown>)['~decode'](value, context)
    const output = getOutput(schema['~standard'].validate(value), module, context)
    const exact = exactUndescribed(context, value)
    if (output !== INVALID && exact !== value) reportInexact(exact, context)
    return output
  } catch (cause) {
    throw isPayloadsError(cause, 'PAYLOAD_SCHEMA_FAILED')
      ? cause
      : schemaFailed(module, 'a schema that does not throw', cause)
  }
}

/** Reports numbers that had lost digits before the schema validated them. */
function reportInexact(exact: unknown, context: DecodeContext): void {
  if (isNumberText(exact)) {
    reportIssue(context, 'inexact-number', 'a number that a JavaScript number holds', exact.text)
  } else if (typeof exact === 'object' && exact !== null) {
    for (const [key, item] of Object.entries(exact)) {
      context.path.push(Array.isArray(exact) ? Number(key) : key)
      reportInexact(item, context)
      context.path.pop()
    }
  }
}

/**
 * Returns the output of a result; `INVALID` if the result has issues. In one library, the result of a failure
 * is itself the array of issues.
 */
function getOutput(result: unknown, module: string, context: DecodeContext): unknown {
  if (typeof result !== 'object' || result === null) throw schemaFailed(module, RESULT)
  const { then, issues } = result as { then?: unknown; issues?: unknown }
  if (typeof then === 'function') {
    then.call(result, undefined, () => {})
    throw schemaFailed(module, 'a synchronous schema, which returns no promise')
  }
  if (issues === undefined && 'value' in result) return result.value
  if (!Array.isArray(issues)) throw schemaFailed(module, RESULT)
  context.problems.push(...issues.slice(0, MAX_ISSUES).map((issue) => toProblem(issue, context)))
  return INVALID
}

function toProblem({ message, path = [] }: StandardIssue, context: DecodeContext): Issue {
  const steps = path.map((step) => {
    const key = typeof step === 'object' ? step.key : step
    return typeof key === 'number' ? key : String(key)
  })
  return {
    code: 'schema',
    path: [...context.path, ...steps],
    expected: 'a value that the schema accepts',
    schemaMessage: String(message).slice(0, MAX_MESSAGE_LENGTH),
  }
}

function schemaFailed(module: string, expected: string, cause?: unknown): PayloadsError {
  return new PayloadsError('PAYLOAD_SCHEMA_FAILED', `modules.${module} must be ${expected}`, {
    details: { module, expected },
    cause,
  })
}
