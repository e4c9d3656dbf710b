/** Describes the type of a value in the tables of PAYLOADS.md and OPERATIONS.md. */
import type { Definition } from '../../../packages/payloads/src/definition.ts'

export function describeDefinition(definition: Definition): string {
  switch (definition.kind) {
    case 'open-enum':
      return `string; known: ${definition.values.map((value) => `\`${value}\``).join(', ')}`
    case 'literal':
      return definition.values.map((value) => `\`${value}\``).join(' or ')
    case 'array':
      return `array of ${definition.item.kind === 'object' ? 'objects' : describeDefinition(definition.item)}`
    case 'object':
      return 'object'
    case 'integer-like':
      return 'whole number, or its digits as a string'
    case 'boolean-like':
      return '`true` or `false`, also as a string'
    case 'json':
      return 'any JSON'
    default:
      return definition.kind
  }
}
