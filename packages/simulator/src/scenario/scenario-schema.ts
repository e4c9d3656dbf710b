/** JSON schema of scenario files, generated from the table that validates them. */
import { objectJsonSchema } from './field.ts'
import { getFields, STEP_TYPES, type StepType } from './step-fields.ts'

type Schema = Readonly<Record<string, unknown>>

/**
 * Returns the JSON schema of scenario files, the same as in `scenario.schema.json` of this package.
 *
 * @example
 * ```ts
 * import { writeFile } from 'node:fs/promises'
 * import { scenarioSchema } from '@brokerwire/simulator'
 *
 * await writeFile('scenario.schema.json', JSON.stringify(scenarioSchema()))
 * ```
 */
export function scenarioSchema(): Schema {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Scenario of @brokerwire/simulator',
    type: 'object',
    additionalProperties: false,
    required: ['steps'],
    properties: {
      $schema: { type: 'string' },
      repeat: {
        description: 'how often the steps are executed; default: 1',
        oneOf: [{ type: 'integer', minimum: 1, maximum: 1_000_000 }, { const: 'forever' }],
      },
      steps: { type: 'array', minItems: 1, items: { oneOf: STEP_TYPES.map(stepSchema) } },
    },
  }
}

function stepSchema(type: StepType): Schema {
  const { properties, ...schema } = objectJsonSchema(getFields(type))
  return { ...schema, properties: { ...properties, type: { const: type } }, title: type }
}
