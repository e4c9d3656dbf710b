/** Creates a table for each payload, from its definition and the comments of its decoder. */
import type { Definition } from '../../../packages/payloads/src/definition.ts'
import { type Case, getCases, getFields, merged } from './cases.ts'
import type { DecoderComments } from './comments.ts'
import { describeDefinition } from './describe-definition.ts'

/** A payload that gets a table. */
export interface DocumentedPayload {
  readonly title: string
  /** Exported name of the decoder. */
  readonly decoder: string
  readonly definition: Definition
}

/** A field in one case of the payload. */
interface Occurrence {
  /**
   * The values of the tag that select this case. `undefined` for the case of all other values, or if there is
   * only one case.
   */
  readonly names: readonly string[] | undefined
  readonly optional: boolean
}

interface Row {
  readonly wire: string
  readonly name: string
  readonly value: Definition
  readonly occurrences: readonly Occurrence[]
  /** The number of cases of the payload. */
  readonly cases: number
}

/**
 * Creates the section of one payload.
 *
 * @throws Error if no comment of the decoder names a source.
 */
export function payloadSection(
  { title, decoder, definition }: DocumentedPayload,
  comments: DecoderComments | undefined,
): string {
  const [, source] = /Source: (.+)\.$/.exec(comments?.summary ?? '') ?? []
  if (comments === undefined || source === undefined)
    throw new Error(`${decoder}: no comment that ends with its source`)
  const origins = source.split('; ').map((text) => text.replace(/,.*/, ''))
  return [
    `## ${title}`,
    '',
    `\`${decoder}\`. Source: ${source}.`,
    '',
    '| On the wire | Field | Type | When present | Source |',
    '|---|---|---|---|---|',
    ...buildRows(getCases(definition), '', '').map((row) => {
      const note = comments.fields.get(row.name)
      const when = [presence(row), note].filter((text) => text !== undefined).join('. ')
      return `| \`${row.wire}\` | \`${row.name}\` | ${describeDefinition(row.value)} | ${when.replace(/\.$/, '')} | ${origins.join(', ')} |`
    }),
  ].join('\n')
}

function buildRows(cases: readonly Case[], wirePrefix: string, namePrefix: string): Row[] {
  const rows = new Map<string, Row>()
  for (const { names, fields } of cases) {
    for (const { name, wire, optional, value } of fields) {
      const known = rows.get(name)
      rows.set(name, {
        wire: wirePrefix + wire.join('`, `'),
        name: namePrefix + name,
        value: known === undefined ? value : merged(known.value, value),
        occurrences: [...(known?.occurrences ?? []), { names, optional }],
        cases: cases.length,
      })
    }
  }
  return [...rows.values()].flatMap((row) => {
    const inner = row.value.kind === 'array' ? row.value.item : row.value
    const mark = row.value.kind === 'array' ? '[].' : '.'
    const nested = getFields(inner)
    if (nested.length === 0) return [row]
    return [
      row,
      ...buildRows([{ names: undefined, fields: nested }], `${row.wire}${mark}`, `${row.name}${mark}`),
    ]
  })
}

/** Describes the cases in which the specification has a field. */
function presence({ occurrences, cases }: Row): string {
  const always = occurrences.filter(({ optional }) => !optional)
  if (always.length === cases) return 'always'
  if (always.length === 0) return 'may be missing'
  const named = always.flatMap(({ names }) => names ?? ['otherwise'])
  const perhaps = occurrences.some(({ optional, names }) => optional && names === undefined)
  return `always with ${named.join(', ')}${perhaps ? '; may be missing in other cases' : ''}`
}
