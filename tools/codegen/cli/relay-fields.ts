/** The table of a relay's configuration fields, from the shapes that read its configuration. */
import { CONFIG_FIELDS } from '../../../packages/relay/src/config/fields.ts'
import type { Fields, Shape } from '../../../packages/relay/src/config/shape.ts'

/** Returns the table. */
export function relayFields(): string {
  const rows = rowsOf(CONFIG_FIELDS, '')
  const lines = rows.map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`)
  return `| Field | Holds | Default | What it is |\n| --- | --- | --- | --- |\n${lines.join('\n')}`
}

type Row = readonly [field: string, holds: string, fallback: string, about: string]

function rowsOf(fields: Fields, under: string): readonly Row[] {
  return Object.entries(fields).flatMap(([name, shape]) => rowsOfShape(shape, `${under}${name}`))
}

function rowsOfShape(shape: Shape & { readonly required?: true }, path: string): readonly Row[] {
  const fallback = 'fallback' in shape ? shape.fallback : undefined
  const written = typeof fallback === 'object' ? undefined : fallback
  const shown = shape.required ? 'needed' : written === undefined ? '' : `\`${String(written)}\``
  const row: Row = [`\`${path}\``, holdsOf(shape), shown, shape.about]
  switch (shape.type) {
    case 'object':
      return [row, ...rowsOf(shape.fields, `${path}.`)]
    case 'list':
      return shape.of.type === 'object' ? [row, ...rowsOf(shape.of.fields, `${path}[].`)] : [row]
    case 'choice': {
      const first = isRecord(fallback) ? `\`${String(fallback.type)}\`` : 'needed'
      const type: Row = [`\`${path}.type\``, Object.keys(shape.of).join(', '), first, shape.about]
      const others = Object.entries(shape.of).flatMap(([name, fields]) =>
        rowsOf(fields, `${path}.`).map(
          ([field, holds, given, about]): Row => [field, holds, given, `${name}: ${about}`],
        ),
      )
      return [type, ...others]
    }
    default:
      return [row]
  }
}

function holdsOf(shape: Shape): string {
  switch (shape.type) {
    case 'text':
      return shape.oneOf?.join(', ') ?? shape.pattern?.says ?? 'text'
    case 'integer':
      return shape.max === Number.MAX_SAFE_INTEGER ? `${shape.min} or more` : `${shape.min} to ${shape.max}`
    case 'boolean':
      return 'true, false'
    case 'secret':
      return '`{ "env": NAME }` or `{ "file": PATH }`'
    case 'list':
      return shape.of.type === 'object' ? 'list of objects' : `list: ${holdsOf(shape.of)}`
    case 'object':
    case 'choice':
      return 'object'
  }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null
