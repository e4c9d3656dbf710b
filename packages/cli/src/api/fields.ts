/**
 * The fields of an operation as flags, from the table. A list such as `newOrders` usually contains one order.
 * Therefore the fields of its first item are flags too.
 */
import { separateWords } from '@brokerwire/core/internal'
import type { Field } from '@brokerwire/operations'
import { FIELD_DESCRIPTIONS, type TableRow } from '@brokerwire/operations/table'
import type { OptionDefinition } from '../frame/definition.ts'

/** A field that a flag or `--field` sets. */
export interface InputField {
  /** Name in the table, such as `limitPrice`. */
  readonly name: string
  /** Path in the input, such as `newOrders[0].limitPrice`. */
  readonly path: readonly (string | number)[]
  readonly field: Field
  /** Name of the flag. `undefined` for a secret, an object, and a list of objects. */
  readonly flag: string | undefined
}

/** Short forms of flags. */
const SHORT_FLAGS: Readonly<Record<string, string>> = { accountId: '--account' }

const isStructured = ({ kind, item }: Field): boolean => kind === 'object' || item?.kind === 'object'

/** Formats a path as messages of the library do. */
export const formatInputPath = (path: InputField['path']): string =>
  path
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`))
    .join('')
    .slice(1)

function toInputField(name: string, field: Field, parent: InputField['path']): InputField {
  const hasFlag = field.kind !== 'secret' && !isStructured(field)
  return { name, path: [...parent, name], field, flag: hasFlag ? `--${separateWords(name, '-')}` : undefined }
}

/** Returns the name of the list whose first item has flags. */
export function findItemList({ fields }: TableRow): string | undefined {
  return Object.keys(fields).find((name) => fields[name]?.item?.kind === 'object')
}

/** Returns the fields of an operation, and the fields of the first item of its list. */
export function listInputFields(row: TableRow): readonly InputField[] {
  const list = findItemList(row)
  return Object.entries(row.fields).flatMap(([name, field]) => {
    if (name !== list) return [toInputField(name, field, [])]
    const items = Object.entries(field.item?.fields ?? {})
    return items.map(([itemName, itemField]) => toInputField(itemName, itemField, [name, 0]))
  })
}

/**
 * Converts a sentence to a help text: it starts in lower case and has no full stop. A first word in capitals
 * is unchanged.
 */
export const toHelp = (sentence: string): string =>
  sentence.replace(/\.$/, '').replace(/^[A-Z](?![A-Z])/, (letter) => letter.toLowerCase())

function describeField({ name, field }: InputField): string {
  const { optional, values, item, range, format, family, confidence, kind } = field
  const known = values ?? item?.values
  const bounds = range?.join(' to ')
  return [
    toHelp(FIELD_DESCRIPTIONS[name] ?? name),
    !optional && 'required',
    known && `values: ${known.join(', ')}`,
    bounds && (kind === 'array' ? `${bounds} values, separated by commas` : bounds),
    format?.expected,
    family && `only with --path-family ${family}`,
    confidence && `source: ${confidence}`,
  ]
    .filter(Boolean)
    .join('; ')
}

function placeholder({ kind, values }: Field): string {
  if (kind === 'array') return 'list'
  return values === undefined ? kind : 'value'
}

/** Returns the flags of an operation. */
export function fieldOptions(row: TableRow): readonly OptionDefinition[] {
  return listInputFields(row).flatMap((inputField) => {
    const { name, flag, field } = inputField
    if (flag === undefined) return []
    const short = SHORT_FLAGS[name]
    return {
      flags: `${short === undefined ? '' : `${short}, `}${flag} <${placeholder(field)}>`,
      help: describeField(inputField),
      known: field.kind === 'boolean' ? ['true', 'false'] : field.values,
      listOf: field.item?.values,
    }
  })
}
