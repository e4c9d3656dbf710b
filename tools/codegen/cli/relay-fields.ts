/** The table of a relay's configuration fields, from the JSON Schema of its configuration. */
import { relayConfigSchema } from '@brokerwire/relay'

/** The keywords of JSON Schema that the configuration uses. */
interface Node {
  readonly description?: string
  readonly type?: string
  readonly default?: unknown
  readonly enum?: readonly string[]
  readonly anyOf?: readonly Node[]
  readonly oneOf?: readonly Node[]
  readonly patternErrorMessage?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly items?: Node
  readonly properties?: Readonly<Record<string, Node>>
  readonly required?: readonly string[]
}

type Row = readonly [field: string, holds: string, fallback: string, about: string]

/** Creates the table. */
export function relayFields(): string {
  const rows = rowsOf(relayConfigSchema() as Node, '')
  const lines = rows.map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`)
  return `| Field | Holds | Default | What it is |\n| --- | --- | --- | --- |\n${lines.join('\n')}`
}

function rowsOf({ properties = {}, required = [] }: Node, parent: string): readonly Row[] {
  return Object.entries(properties).flatMap(([name, node]) =>
    rowsOfField(node, parent + name, required.includes(name)),
  )
}

function rowsOfField(node: Node, path: string, isRequired: boolean): readonly Row[] {
  const { description = '', items } = node
  const isShown = node.default !== undefined && typeof node.default !== 'object'
  const fallback = isRequired ? 'required' : isShown ? `\`${String(node.default)}\`` : ''
  const row: Row = [`\`${path}\``, valuesOf(node), fallback, description]
  if (node.properties !== undefined) return [row, ...rowsOf(node, `${path}.`)]
  if (items?.properties !== undefined) return [row, ...rowsOf(items, `${path}[].`)]
  const variants = (node.oneOf ?? []).flatMap((variant) => {
    const { type, ...properties } = variant.properties ?? {}
    const name = type?.enum?.[0]
    return name === undefined ? [] : [{ name, fields: { ...variant, properties } }]
  })
  if (variants.length === 0) return [row]
  const { type } = node.default as { readonly type: string }
  const names = variants.map(({ name }) => name).join(', ')
  const rows = variants.flatMap(({ name, fields }) =>
    rowsOf(fields, `${path}.`).map(([field, values, given, about]): Row => {
      return [field, values, given, `${name}: ${about}`]
    }),
  )
  return [[`\`${path}.type\``, names, `\`${type}\``, description], ...rows]
}

function valuesOf(node: Node): string {
  const { minimum, maximum, items } = node
  const names = node.enum ?? node.anyOf?.find((one) => one.enum !== undefined)?.enum
  if (names !== undefined) return names.join(', ')
  if (node.anyOf !== undefined) return node.anyOf.map(variantOf).join(', or ')
  if (node.oneOf !== undefined) return '`{ "env": NAME }` or `{ "file": PATH }`'
  if (items !== undefined)
    return items.properties === undefined ? `list: ${valuesOf(items)}` : 'list of objects'
  if (minimum !== undefined)
    return maximum === Number.MAX_SAFE_INTEGER ? `${minimum} or more` : `${minimum} to ${maximum}`
  if (node.type === 'boolean') return 'true, false'
  return node.type === 'string' ? (node.patternErrorMessage ?? 'text') : 'object'
}

function variantOf(node: Node): string {
  return node.properties?.env === undefined ? valuesOf(node) : '`{ "env": NAME }`'
}
