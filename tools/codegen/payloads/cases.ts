/** The cases of a payload: objects with other fields, selected by the values of a tag. */
import type { Definition, FieldDefinition } from '../../../packages/payloads/src/definition.ts'

/** A case of a payload. */
export interface Case {
  /** Values of the tag; `undefined` for the case of all other values, or if there is only one case. */
  readonly names: readonly string[] | undefined
  readonly fields: readonly FieldDefinition[]
}

/** Returns the cases of a payload: one for each group of tag values with the same fields, or a single one. */
export function getCases(definition: Definition): Case[] {
  if (definition.kind === 'object') return [{ names: undefined, fields: definition.fields }]
  if (definition.kind !== 'variant') throw new Error(`no table for ${definition.kind}`)
  const groups = new Map<Definition, string[]>()
  for (const [name, inner] of definition.cases) groups.set(inner, [...(groups.get(inner) ?? []), name])
  const cases = [...groups].map(([inner, names]) => ({ names, fields: getFields(inner) }))
  return definition.otherwise === undefined
    ? cases
    : [...cases, { names: undefined, fields: getFields(definition.otherwise) }]
}

export function getFields(definition: Definition): readonly FieldDefinition[] {
  return definition.kind === 'object' ? definition.fields : []
}

/**
 * Merges the definitions of a field that two cases define. For a tag, the result lists the values of both
 * cases.
 */
export function merged(one: Definition, other: Definition): Definition {
  if (!('values' in one) || !('values' in other)) return one
  return { kind: 'open-enum', values: [...new Set([...one.values, ...other.values])] }
}
