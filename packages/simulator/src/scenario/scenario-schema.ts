/** The JSON schema of scenario files, made of the table that checks them. */
import { COMMON_FIELDS, type FieldShape, STEP_SHAPES } from './step-fields.ts'

type Schema = Readonly<Record<string, unknown>>

/** The schema, as `scenario.schema.json` of this package holds it. */
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
        description: 'how often the steps are played; left out: once',
        oneOf: [{ type: 'integer', minimum: 1, maximum: 1_000_000 }, { const: 'forever' }],
      },
      steps: {
        type: 'array',
        minItems: 1,
        items: {
          oneOf: Object.entries(STEP_SHAPES)
            .map(([type, fields]) => ({
              ...objectOf({ ...COMMON_FIELDS, ...fields }),
              title: type,
            }))
            .map((schema, index) => ({
              ...schema,
              properties: { ...schema.properties, type: { const: Object.keys(STEP_SHAPES)[index] } },
            })),
        },
      },
    },
  }
}

function objectOf(fields: Readonly<Record<string, FieldShape>>) {
  return {
    type: 'object',
    additionalProperties: false,
    required: Object.keys(fields).filter((name) => fields[name]?.required === true),
    properties: Object.fromEntries(Object.entries(fields).map(([name, shape]) => [name, schemaOf(shape)])),
  }
}

function schemaOf(shape: FieldShape): Schema {
  const { about: description } = shape
  switch (shape.type) {
    case 'string':
      if (shape.oneOf !== undefined) return { description, enum: shape.oneOf }
      return { description, type: 'string', ...(shape.empty ? {} : { minLength: 1 }) }
    case 'integer':
      return { description, type: 'integer', minimum: shape.min, maximum: shape.max }
    case 'boolean':
      return { description, type: 'boolean' }
    case 'object':
      return { description, ...(shape.fields === undefined ? { type: 'object' } : objectOf(shape.fields)) }
    case 'times':
      return {
        description,
        oneOf: [{ type: 'integer', minimum: 1, maximum: 1_000_000 }, { const: 'always' }],
      }
    case 'any':
      return { description }
  }
}
