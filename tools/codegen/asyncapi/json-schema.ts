/** JSON Schemas of JSON payloads, from the definitions of their decoders. */
import type { Definition } from '../../../packages/payloads/src/definition.ts'
import { getCases, merged } from '../payloads/cases.ts'

export type Json = Readonly<Record<string, unknown>>

/** Comments by the path of a field in the output, for example `fees[].type`. */
export type FieldComments = ReadonlyMap<string, string>

/**
 * Returns the schema of a payload. It allows unknown fields, and unknown values of open enums. Fields have
 * the documented of their wire keys; `x-aliases` lists the others.
 */
export function payloadSchema(definition: Definition, comments: FieldComments): Json {
  return schemaOf(definition, '', comments)
}

function schemaOf(definition: Definition, path: string, comments: FieldComments): Json {
  switch (definition.kind) {
    case 'object':
    case 'variant':
      return objectSchema(definition, path, comments)
    case 'array':
      return { type: 'array', items: schemaOf(definition.item, `${path}[]`, comments) }
    case 'literal':
      return { type: 'string', enum: definition.values }
    case 'open-enum':
      return { type: 'string', examples: definition.values }
    case 'decimal':
      return { type: ['string', 'number'], description: 'A decimal, normally as a string.' }
    case 'instant':
      return { type: ['string', 'number'], description: 'An instant, normally in ISO 8601.' }
    case 'integer-like':
      return { type: ['integer', 'string'] }
    case 'boolean-like':
      return { type: ['boolean', 'string'] }
    case 'json':
      return {}
    default:
      return { type: 'string' }
  }
}

function objectSchema(definition: Definition, path: string, comments: FieldComments): Json {
  const cases = getCases(definition)
  const requiredIn = cases.map(({ fields }) =>
    fields.filter(({ optional }) => !optional).map(({ wire }) => wire[0]),
  )
  const required = (requiredIn[0] ?? []).filter((key) => requiredIn.every((keys) => keys.includes(key)))
  const values = new Map<string, Definition>()
  const properties = new Map<string, Json>()
  for (const { fields } of cases) {
    for (const { name, wire, value } of fields) {
      const [key, ...aliases] = wire
      const known = values.get(key)
      const definition = known === undefined ? value : merged(known, value)
      values.set(key, definition)
      const fieldPath = path === '' ? name : `${path}.${name}`
      const schema = schemaOf(definition, fieldPath, comments)
      const description = [schema.description, comments.get(fieldPath)].filter(Boolean).join(' ')
      properties.set(key, {
        ...(required.includes(key) ? schema : nullable(schema)),
        ...(description !== '' && { description }),
        ...(aliases.length > 0 && { 'x-aliases': aliases }),
      })
    }
  }
  const conditions = cases.flatMap(({ names }, index) => {
    const more = requiredIn[index]?.filter((key) => !required.includes(key)) ?? []
    if (names === undefined || more.length === 0 || definition.kind !== 'variant') return []
    const tag = { properties: { [definition.by.join('/')]: { enum: names } }, required: definition.by }
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    return [{ if: tag, then: { required: more } }]
  })
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length > 0 && { required }),
    ...(conditions.length > 0 && { allOf: conditions }),
  }
}

/** A field that may be missing may also be `null`. */
function nullable(schema: Json): Json {
  const { type, enum: values } = schema
  if (type === undefined) return schema
  return { ...schema, type: [type, 'null'].flat(), ...(Array.isArray(values) && { enum: [...values, null] }) }
}
