/**
 * Straight-line code for a decoder's definition. Kinds of definition that the hot payloads do not use are refused. The
 * code returns `undefined` for every value that is not clean; the decoder itself then reads that value.
 */
import type { Definition, FieldDefinition } from '../../../packages/payloads/src/definition.ts'

type RecordDefinition = Extract<Definition, { kind: 'record' }>
type FunctionOf = (definition: Definition) => string

const HEADER = `/** Generated from the definitions by \`pnpm generate payloads\`. Do not edit. */
import { isRecord } from '@brokerwire/core/internal'
import { collectExtra } from '../combinators/extra.ts'
import type { JsonText } from '../exact-values.ts'
import { fastList } from '../straight-line.ts'
import { isDecimal } from '../values/decimal-text.ts'
import { isInstant } from '../values/instant-text.ts'
`

/** Returns a module with one exported function, `name`. */
export function straightLineModule(name: string, definition: Definition): string {
  const made = new Map<Definition, string>()
  const functions: string[] = []
  const functionOf = (inner: Definition): string => {
    const known = made.get(inner)
    if (known !== undefined) return known
    const own = made.size === 0 ? name : `read${made.size}`
    made.set(inner, own)
    const lines =
      inner.kind === 'record' ? recordLines(inner, own, functionOf) : oneOfLines(inner, functionOf)
    const before = inner.kind === 'record' ? `const ${own}Names = new Set([${namesOf(inner)}])\n` : ''
    const head = `${made.size === 1 || own === name ? 'export ' : ''}function ${own}(value: unknown, json: JsonText): object | undefined {`
    functions.push(
      [
        `${before}${own === name ? '/** Reads a clean payload. */\n' : ''}${head}`,
        '  if (!isRecord(value)) return undefined',
        ...lines,
        '}',
      ].join('\n'),
    )
    return own
  }
  functionOf(definition)
  return [HEADER, ...functions].join('\n')
}

function oneOfLines(definition: Definition, functionOf: FunctionOf): string[] {
  if (definition.kind !== 'one-of' || definition.by.length !== 1) {
    throw new Error(`no straight-line code for ${definition.kind}`)
  }
  const { by, cases, otherwise } = definition
  const fallback = otherwise === undefined ? 'undefined' : `${functionOf(otherwise)}(value, json)`
  return [
    `  switch (value.${by[0]}) {`,
    ...[...cases].map(([tag, inner]) => `    case '${tag}': return ${functionOf(inner)}(value, json)`),
    `    default: return ${fallback}`,
    '  }',
  ]
}

function recordLines({ fields }: RecordDefinition, own: string, functionOf: FunctionOf): string[] {
  const optional = fields.filter((field) => field.optional)
  const required = fields.filter((field) => !field.optional)
  const count = [required.length, ...optional.map(({ name }) => `(${name}Wire === undefined ? 0 : 1)`)]
  const members = required.map((field) => `${field.name}: ${readName(field)}, `).join('')
  return [
    ...fields.map(({ name, wire }) => `  const ${name}Wire = value.${wire[0]}`),
    `  if (${fields
      .map(refusal)
      .filter((condition) => condition !== '')
      .join(' || ')}) return undefined`,
    ...fields.flatMap((field) => nestedLines(field, functionOf)),
    `  const extra = collectExtra(value, ${count.join(' + ')}, ${own}Names, json)`,
    '  if (extra === undefined) return undefined',
    `  const output: Record<string, unknown> = { ${members}extra }`,
    ...optional.map(
      (field) => `  if (${field.name}Wire !== undefined) output.${field.name} = ${readName(field)}`,
    ),
    '  return output',
  ]
}

/** The variable that holds what was read. */
function readName({ name, value }: FieldDefinition): string {
  return isPlain(value) ? `${name}Wire` : name
}

function namesOf({ fields }: RecordDefinition): string {
  for (const { name, wire } of fields) {
    if (wire.length > 1) throw new Error(`no straight-line code for the two spellings of ${name}`)
  }
  return fields.map(({ wire }) => `'${wire[0]}'`).join(', ')
}

function isPlain({ kind }: Definition): boolean {
  return kind !== 'list' && kind !== 'record'
}

/** The condition under which a field is not clean. */
function refusal({ name, optional, value }: FieldDefinition): string {
  const wire = `${name}Wire`
  const condition = {
    text: `typeof ${wire} !== 'string'`,
    'open-enum': `typeof ${wire} !== 'string'`,
    decimal: `typeof ${wire} !== 'string' || !isDecimal(${wire})`,
    instant: `typeof ${wire} !== 'string' || !isInstant(${wire})`,
    list: '',
    record: '',
    literal: value.kind === 'literal' ? value.values.map((tag) => `${wire} !== '${tag}'`).join(' && ') : '',
  }[value.kind as string]
  if (condition === undefined) throw new Error(`no straight-line code for ${name}: ${value.kind}`)
  if (condition === '') return ''
  return optional ? `(${wire} !== undefined && (${condition}))` : `(${condition})`
}

/** The lines that read a list or a record. */
function nestedLines({ name, optional, value }: FieldDefinition, functionOf: FunctionOf): string[] {
  if (isPlain(value)) return []
  const read =
    value.kind === 'list'
      ? `fastList(${name}Wire, json, ${functionOf(value.item)})`
      : `${functionOf(value)}(${name}Wire, json)`
  return [
    `  const ${name} = ${optional ? `${name}Wire === undefined ? undefined : ` : ''}${read}`,
    `  if (${name} === undefined${optional ? ` && ${name}Wire !== undefined` : ''}) return undefined`,
  ]
}
