/**
 * Generates straight-line code for the definition of a decoder. It rejects the kinds of definition that
 * frequent payloads do not use. The generated code returns `undefined` for every value that needs a
 * conversion or a check of the decoder. The decoder then decodes that value.
 */
import type { Definition, FieldDefinition } from '../../../packages/payloads/src/definition.ts'

type ObjectDefinition = Extract<Definition, { kind: 'object' }>
type GetFunction = (definition: Definition) => string

const HEADER = `/** Generated from the definitions by \`pnpm generate payloads\`. Do not edit. */
import { isRecord } from '@brokerwire/core/internal'
import { collectExtra } from '../combinators/extra.ts'
import type { JsonText } from '../exact-values.ts'
import { fastList } from '../fast-path.ts'
import { isDecimal } from '../values/decimal-text.ts'
import { isInstant } from '../values/instant-text.ts'
`

/** Returns a module with one exported function, `name`. */
export function fastPathModule(name: string, definition: Definition): string {
  const made = new Map<Definition, string>()
  const functions: string[] = []
  const getFunction = (inner: Definition): string => {
    const known = made.get(inner)
    if (known !== undefined) return known
    const functionName = made.size === 0 ? name : `read${made.size}`
    made.set(inner, functionName)
    const lines =
      inner.kind === 'object'
        ? objectLines(inner, functionName, getFunction)
        : variantLines(inner, getFunction)
    const before =
      inner.kind === 'object' ? `const ${functionName}Names = new Set([${quotedNames(inner)}])\n` : ''
    const head = `${made.size === 1 || functionName === name ? 'export ' : ''}function ${functionName}(value: unknown, json: JsonText): object | undefined {`
    functions.push(
      [
        `${before}${functionName === name ? '/** Reads a clean payload. */\n' : ''}${head}`,
        '  if (!isRecord(value)) return undefined',
        ...lines,
        '}',
      ].join('\n'),
    )
    return functionName
  }
  getFunction(definition)
  return [HEADER, ...functions].join('\n')
}

function variantLines(definition: Definition, getFunction: GetFunction): string[] {
  if (definition.kind !== 'variant' || definition.by.length !== 1) {
    throw new Error(`no fast path for ${definition.kind}`)
  }
  const { by, cases, otherwise } = definition
  const fallback = otherwise === undefined ? 'undefined' : `${getFunction(otherwise)}(value, json)`
  return [
    `  switch (value.${by[0]}) {`,
    ...[...cases].map(([tag, inner]) => `    case '${tag}': return ${getFunction(inner)}(value, json)`),
    `    default: return ${fallback}`,
    '  }',
  ]
}

function objectLines({ fields }: ObjectDefinition, functionName: string, getFunction: GetFunction): string[] {
  const optional = fields.filter((field) => field.optional)
  const required = fields.filter((field) => !field.optional)
  const count = [required.length, ...optional.map(({ name }) => `(${name}Wire === undefined ? 0 : 1)`)]
  const members = required.map((field) => `${field.name}: ${readName(field)}, `).join('')
  return [
    ...fields.map(({ name, wire }) => `  const ${name}Wire = value.${wire[0]}`),
    `  if (${fields
      .map(notCleanCondition)
      .filter((condition) => condition !== '')
      .join(' || ')}) return undefined`,
    ...fields.flatMap((field) => nestedLines(field, getFunction)),
    `  const extra = collectExtra(value, ${count.join(' + ')}, ${functionName}Names, json)`,
    '  if (extra === undefined) return undefined',
    `  const output: Record<string, unknown> = { ${members}extra }`,
    ...optional.map(
      (field) => `  if (${field.name}Wire !== undefined) output.${field.name} = ${readName(field)}`,
    ),
    '  return output',
  ]
}

/** Returns the name of the variable that contains the decoded value. */
function readName({ name, value }: FieldDefinition): string {
  return isPlain(value) ? `${name}Wire` : name
}

function quotedNames({ fields }: ObjectDefinition): string {
  for (const { name, wire } of fields) {
    if (wire.length > 1) throw new Error(`no fast path for the two spellings of ${name}`)
  }
  return fields.map(({ wire }) => `'${wire[0]}'`).join(', ')
}

function isPlain({ kind }: Definition): boolean {
  return kind !== 'array' && kind !== 'object'
}

/** Generates the condition under which the fast path cannot decode a field. */
function notCleanCondition({ name, optional, value }: FieldDefinition): string {
  const wire = `${name}Wire`
  const condition = {
    string: `typeof ${wire} !== 'string'`,
    'open-enum': `typeof ${wire} !== 'string'`,
    decimal: `typeof ${wire} !== 'string' || !isDecimal(${wire})`,
    instant: `typeof ${wire} !== 'string' || !isInstant(${wire})`,
    array: '',
    object: '',
    literal: value.kind === 'literal' ? value.values.map((tag) => `${wire} !== '${tag}'`).join(' && ') : '',
  }[value.kind as string]
  if (condition === undefined) throw new Error(`no fast path for ${name}: ${value.kind}`)
  if (condition === '') return ''
  return optional ? `(${wire} !== undefined && (${condition}))` : `(${condition})`
}

/** Generates the lines that decode a list or a record. */
function nestedLines({ name, optional, value }: FieldDefinition, getFunction: GetFunction): string[] {
  if (isPlain(value)) return []
  const read =
    value.kind === 'array'
      ? `fastList(${name}Wire, json, ${getFunction(value.item)})`
      : `${getFunction(value)}(${name}Wire, json)`
  return [
    `  const ${name} = ${optional ? `${name}Wire === undefined ? undefined : ` : ''}${read}`,
    `  if (${name} === undefined${optional ? ` && ${name}Wire !== undefined` : ''}) return undefined`,
  ]
}
