/** The confirmation before a request with an effect. */
import { escapeControlChars, REDACTED } from '@brokerwire/core'
import { isRecord } from '@brokerwire/core/internal'
import type { TableRow } from '@brokerwire/operations/table'
import { optionError } from '../cli-error.ts'
import type { GuardedIo } from '../io.ts'
import { findItemList, listInputFields } from './fields.ts'

/**
 * Fields at the start of the line, in the order in which people name them. The line shows their values
 * without their names.
 */
const FIRST = [
  'side',
  'quantity',
  'totalCashAmount',
  'symbol',
  'orderType',
  'limitPrice',
  'stopPrice',
  'timeInForce',
]

/**
 * Formats an object as one line: the values of an order without their names, and the other fields with their
 * names.
 */
function describeObject(value: Readonly<Record<string, unknown>>, secrets: readonly string[]): string {
  const text = (one: unknown): string => (typeof one === 'object' ? JSON.stringify(one) : String(one))
  const first = FIRST.filter((name) => value[name] !== undefined)
  const others = Object.entries(value).filter(([name, one]) => one !== undefined && !FIRST.includes(name))
  const named = others.map(([name, one]) => `${name}=${secrets.includes(name) ? REDACTED : text(one)}`)
  return [...first.map((name) => text(value[name])), ...named].join(' ')
}

/** Formats the input of an operation as one line. */
function describeInput(row: TableRow, input: Readonly<Record<string, unknown>>): string {
  const list = findItemList(row)
  const secrets = listInputFields(row).flatMap(({ name, field }) => (field.kind === 'secret' ? [name] : []))
  const { [list ?? '']: items, ...others } = input
  const objects = Array.isArray(items) ? items.filter(isRecord) : []
  return [...objects, others]
    .map((value) => describeObject(value, secrets))
    .filter((text) => text !== '')
    .join('; ')
}

interface Target {
  readonly environment: string
  readonly region: string
}

/**
 * Whether a person must confirm the request, because it has an effect in production.
 *
 * @throws CliError `CLI_OPTION_INVALID` if there is no terminal on which to ask.
 */
export function needsConfirmation(
  { name, effect }: TableRow,
  { environment }: Target,
  { yes = false }: { readonly yes?: boolean },
  { prompt }: GuardedIo,
): boolean {
  if (effect === undefined || environment !== 'production' || yes) return false
  if (prompt !== undefined) return true
  const reason = `${name} changes ${effect} in production, and there is no terminal to ask on`
  throw optionError('--yes', `must be given: ${reason}`)
}

/** Asks whether to send the request, and shows its input in one line. */
export async function confirmRequest(
  row: TableRow,
  input: Readonly<Record<string, unknown>>,
  { environment, region }: Target,
  { prompt }: GuardedIo,
): Promise<boolean> {
  const line = escapeControlChars(describeInput(row, input))
  return (await prompt?.confirm(`Send ${row.name} to ${environment} (${region})? ${line}`)) ?? false
}
