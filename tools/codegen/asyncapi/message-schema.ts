/**
 * JSON Schemas of protobuf messages. A schema describes the ProtoJSON form, with the field names of the
 * `.proto` file. `x-field-number` has the number of a field, which is what the wire format carries.
 */
import { type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf'
import { getComments } from '@bufbuild/protoplugin'
import type { Json } from './json-schema.ts'

export const referenceTo = (name: string): Json => ({ $ref: `#/components/schemas/${name}` })

/** Returns the schema of a message. A message inside of it is a reference to the component with its name. */
export function messageSchema(message: DescMessage): Json {
  const properties = message.fields.map((field) => [
    field.name,
    { ...valueSchema(field), ...description(field), 'x-field-number': field.number },
  ])
  return {
    type: 'object',
    ...description(message),
    properties: Object.fromEntries(properties),
    'x-protobuf': { file: `${message.file.name}.proto`, message: message.typeName },
  }
}

function description(desc: DescField | DescMessage): Json {
  const text = getComments(desc).leading?.trim().replaceAll(/\s+/g, ' ')
  return text === undefined ? {} : { description: text }
}

function valueSchema(field: DescField): Json {
  switch (field.fieldKind) {
    case 'scalar':
      return scalarSchema(field.scalar)
    case 'enum':
      return { type: ['string', 'integer'], examples: field.enum.values.map(({ name }) => name) }
    case 'message':
      // Keywords next to `$ref` are ignored.
      return { allOf: [referenceTo(field.message.typeName)] }
    case 'list':
      if (field.listKind === 'enum') throw new Error(`${field}: a list of enums is not supported`)
      return {
        type: 'array',
        items: field.message === undefined ? scalarSchema(field.scalar) : referenceTo(field.message.typeName),
      }
    default:
      throw new Error(`${field}: a ${field.fieldKind} is not supported`)
  }
}

function scalarSchema(scalar: ScalarType): Json {
  switch (scalar) {
    case ScalarType.STRING:
      return { type: 'string' }
    case ScalarType.INT32:
      return { type: 'integer' }
    case ScalarType.UINT32:
      return { type: 'integer', minimum: 0 }
    case ScalarType.INT64:
      return { type: 'string', pattern: '^-?[0-9]+$' }
    default:
      throw new Error(`the scalar type ${ScalarType[scalar]} is not supported`)
  }
}
