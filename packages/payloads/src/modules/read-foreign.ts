/**
 * Reads with any Standard Schema.
 *
 * Decoders of this package see the source text, for exact numbers; others see parsed JSON. Decoding is synchronous,
 * so a promise is a failure, and its rejection is heard so that it does not end the process.
 */
import { isRecord } from '@brokerwire/core'
import type { Decoder } from '../decoder.ts'
import type { Issue } from '../issue.ts'
import { PayloadsError } from '../payloads-error.ts'
import { type Reading, UNREADABLE } from '../reading.ts'
import type { StandardIssue, StandardSchema } from '../standard-schema.ts'

/** A caller's schema that broke its contract. */
export class SchemaFailure extends Error {
  readonly error: PayloadsError

  constructor(module: string, expected: string, cause?: unknown) {
    super(expected)
    const options = { details: { module, expected }, ...(cause === undefined ? {} : { cause }) }
    this.error = new PayloadsError(
      'PAYLOAD_SCHEMA_FAILED',
      `modules.${module}: expected ${expected}`,
      options,
    )
  }
}

/** @throws SchemaFailure where the schema throws or answers with no result. */
export function readForeign(
  schema: StandardSchema<unknown, unknown>,
  module: string,
  value: unknown,
  reading: Reading,
): unknown {
  if ('~read' in schema) return (schema as Decoder<unknown>)['~read'](value, reading)
  const result = validate(schema, module, value)
  if (!Array.isArray(result.issues)) {
    if (!('value' in result)) throw new SchemaFailure(module, 'a schema that answers with a value or issues')
    return result.value
  }
  reading.problems.push(...result.issues.slice(0, 100).map((issue) => problemOf(issue, reading)))
  return UNREADABLE
}

function validate(
  schema: StandardSchema<unknown, unknown>,
  module: string,
  value: unknown,
): Record<string, unknown> {
  let result: unknown
  try {
    result = schema['~standard'].validate(value)
  } catch (cause) {
    throw new SchemaFailure(module, 'a schema that does not throw', cause)
  }
  if (!isRecord(result)) throw new SchemaFailure(module, 'a schema that answers with a value or issues')
  if (typeof result.then === 'function') {
    result.then(undefined, () => {})
    throw new SchemaFailure(module, 'a schema that answers at once, without a promise')
  }
  return result
}

function problemOf({ message, path = [] }: StandardIssue, reading: Reading): Issue {
  const steps = path.map((step) => {
    const key = typeof step === 'object' ? step.key : step
    return typeof key === 'number' ? key : String(key)
  })
  return { code: 'schema', path: [...reading.path, ...steps], expected: String(message) }
}
