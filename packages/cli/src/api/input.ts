/** Reads the input of an operation from flags, `--field`, `--extra` and a JSON file. */
import type { PathFamily } from '@brokerwire/core'
import { isRecord, separateWords } from '@brokerwire/core/internal'
import type { Field } from '@brokerwire/operations'
import type { TableRow } from '@brokerwire/operations/table'
import { type MissingValue, optionError } from '../cli-error.ts'
import { MAX_FILE_BYTES, readJson } from '../input.ts'
import { inputError, readInput } from '../input-stream.ts'
import type { GuardedIo } from '../io.ts'
import { missingError } from '../settings/missing.ts'
import { splitPair } from '../split-pair.ts'
import { receivedText, suggestion } from '../suggestion.ts'
import { findItemList, formatInputPath, type InputField, listInputFields } from './fields.ts'

/** Flags that set fields, including those of the operation by their names in the table. */
export interface InputFlags {
  readonly input?: string
  readonly field?: readonly string[]
  readonly extra?: readonly string[]
  readonly pathFamily?: PathFamily
}

type Json = Record<string, unknown>

/**
 * Reads the input. Checks that no required field is missing. The operation checks everything else.
 *
 * @throws CliError `CLI_VALUE_MISSING`, `CLI_OPTION_INVALID`, `CLI_INPUT_UNREADABLE`
 */
export async function readOperationInput(row: TableRow, flags: InputFlags, io: GuardedIo): Promise<Json> {
  const fields = listInputFields(row)
  const input = await readInputFile(flags, io)
  for (const text of flags.extra ?? []) setExtra(input, findItemList(row), text)
  for (const text of flags.field ?? []) {
    const [name, value] = splitPair(text, '=', '--field')
    const inputField = findField(fields, name)
    setPath(input, inputField, parseField(inputField.field, value, `${name} of --field`, io), '--field')
  }
  for (const inputField of fields) {
    const { name, field, flag } = inputField
    const text = (flags as Readonly<Record<string, unknown>>)[name]
    if (flag === undefined || typeof text !== 'string') continue
    setPath(input, inputField, parseField(field, text, flag, io), flag)
  }
  requireFields(input, fields, flags.pathFamily ?? 'current')
  return input
}

async function readInputFile({ input }: InputFlags, io: GuardedIo): Promise<Json> {
  if (input === undefined) return {}
  const value = input === '-' ? parseJson(await readInput(io, MAX_FILE_BYTES)) : await readJson(input)
  if (!isRecord(value)) throw optionError('--input', 'must contain a JSON object of fields')
  return value
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw inputError('must be JSON; received other text')
  }
}

function findField(fields: readonly InputField[], name: string): InputField {
  const found = fields.find((one) => one.name === name)
  const names = fields.map((one) => one.name)
  if (found === undefined)
    throw optionError(
      '--field',
      `must be a field of the operation (${names.join(', ')})${receivedText(name, names)}`,
    )
  if (found.field.kind === 'secret')
    throw optionError('--field', `must not be ${name}, which is a secret. Pass it with --input`)
  return found
}

/**
 * Parses the value of a field.
 * @param label - Name of the flag, or of the field and its option, for errors.
 */
function parseField(field: Field, text: string, label: string, io: GuardedIo): unknown {
  const { kind, item, values } = field
  switch (kind) {
    case 'object':
      return parseStructure(text, label)
    case 'array':
      if (item === undefined || item.kind === 'object') return parseStructure(text, label)
      return text.split(',').map((part) => parseField(item, part, label, io))
    case 'integer':
      if (/^-?\d{1,16}$/.test(text)) return Number(text)
      throw optionError(label, `must be a whole number${receivedText(text)}`)
    case 'boolean':
      if (text === 'true' || text === 'false') return text === 'true'
      throw optionError(label, `must be true or false${receivedText(text, ['true', 'false'])}`)
    default:
      if (values !== undefined && !values.includes(text))
        io.err(
          `warning: the values of ${label} in the table are ${values.join(', ')}; "${text}" is sent${suggestion(text, values)}`,
        )
      return text
  }
}

function parseStructure(text: string, label: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw optionError(label, 'must be JSON; received other text')
  }
}

/** Sets a value. Creates the list and its first item if they do not exist. */
function setPath(input: Json, { path, name }: InputField, value: unknown, option: string): void {
  const [list] = path
  if (path.length === 1) {
    input[name] = value
    return
  }
  getFirstItem(input, String(list), option)[name] = value
}

function getFirstItem(input: Json, list: string, option: string): Json {
  const items: unknown = input[list] ?? []
  if (Array.isArray(items)) {
    input[list] = items
    if (items.length === 0) items.push({})
    const first: unknown = items[0]
    if (isRecord(first)) return first
  }
  throw optionError(option, `must not be given: "${list}" of --input is no list of objects`)
}

/** Sets a field from `name=text`, `name:=json`, or `newOrders.name=text` for the first item of the list. */
function setExtra(input: Json, list: string | undefined, text: string): void {
  const [given, value] = splitPair(text, '=', '--extra')
  const isJson = given.endsWith(':')
  const path = isJson ? given.slice(0, -1) : given
  const isOfItem = list !== undefined && path.startsWith(`${list}.`)
  const target = isOfItem ? getFirstItem(input, list, '--extra') : input
  const name = isOfItem ? path.slice(list.length + 1) : path
  const before = isRecord(target.extraFields) ? target.extraFields : {}
  target.extraFields = { ...before, [name]: isJson ? parseStructure(value, `${path} of --extra`) : value }
}

/** Checks that all required fields are set. The error lists all missing fields with their flags. */
function requireFields(input: Json, fields: readonly InputField[], pathFamily: string): void {
  const missing = fields.filter(({ field, path }) => {
    const isInFamily = field.family === undefined || field.family === pathFamily
    return isInFamily && !field.optional && getPath(input, path) === undefined
  })
  if (missing.length > 0) throw missingError(missing.map(toMissingValue))
}

function toMissingValue({ name, flag, field: { values } }: InputField): MissingValue {
  const value = values === undefined || values.length > 7 ? '' : ` <${values.join('|')}>`
  return {
    name: separateWords(name, ' '),
    flag: flag === undefined ? '--input' : `${flag}${value}`,
  }
}

/** Returns the value at a path; `undefined` also if a value on the path has an unexpected type. */
function getPath(input: unknown, path: InputField['path']): unknown {
  return path.reduce<unknown>(
    (value, step) =>
      (value as Readonly<Record<string | number, unknown>> | undefined | null)?.[step] ?? undefined,
    input,
  )
}

/**
 * Replaces fields with flags in a message of the library. Returns `undefined` if the message is about a field
 * without a flag.
 */
export function nameFlags(
  message: string,
  field: string,
  row: TableRow,
): readonly [flag: string, problem: string] | undefined {
  const fields = listInputFields(row)
  const found = fields.find(({ path }) => formatInputPath(path) === field)
  if (found?.flag === undefined) return undefined
  const problem = message.replace(`${row.name}: `, '').replace(`${field} `, '')
  const flags = new Map(fields.map(({ name, flag }) => [name, flag]))
  // A name that contains a capital letter is not an ordinary word.
  return [found.flag, problem.replace(/\b[a-z]+(?:[A-Z][a-z]+)+\b/g, (name) => flags.get(name) ?? name)]
}
