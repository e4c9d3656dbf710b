/**
 * Creates a command for each operation of the table. This file is loaded only for command lines that contain
 * `api`.
 */
import { OPERATION_DESCRIPTIONS, OPERATIONS, SOURCES, type TableRow } from '@brokerwire/operations/table'
import { api } from '../commands/api.ts'
import type { CommandDefinition } from '../frame/definition.ts'
import { fieldOptions, listInputFields, toHelp } from './fields.ts'

/** The rows of the table. */
export const ROWS: readonly TableRow[] = Object.values(OPERATIONS)

/** Values of examples. Other fields have their first known value, or a value of their kind. */
const EXAMPLE_VALUES: Readonly<Record<string, string>> = {
  accountId: 'ACCOUNT',
  clientOrderId: 'my-order-1',
  clientUserId: 'customer-17',
  limitPrice: '180.00',
  orderType: 'LIMIT',
  quantity: '1',
  symbol: 'AAPL',
  symbols: 'AAPL,TSLA',
  timespan: 'M1',
}

/**
 * Creates a command line with the required fields. An order also needs the price and the quantity of its
 * type.
 */
export function exampleLine(row: TableRow): string {
  const isOrder = row.check !== undefined
  const flags = listInputFields(row)
    .filter(({ name, field }) => !field.optional || (isOrder && /^(?:limitPrice|quantity)$/.test(name)))
    .flatMap(({ name, field, flag }) => {
      const known = field.values ?? field.item?.values
      const value = EXAMPLE_VALUES[name] ?? known?.[0] ?? (field.kind === 'boolean' ? 'false' : '1')
      return flag === undefined ? ['--input input.json'] : [`${flag} ${value}`]
    })
  const family = row.paths.current === undefined ? ['--path-family openapi'] : []
  return ['brokerwire api', row.name, ...flags, ...family].join(' ')
}

function describeOperation(row: TableRow): readonly string[] {
  const { method, paths, confidence, sources, regions, effect } = row
  const addresses = Object.entries(paths).map(([family, path]) => `${path} (--path-family ${family})`)
  const withoutFlag = listInputFields(row).filter(({ flag }) => flag === undefined)
  const secrets = withoutFlag.filter(({ field }) => field.kind === 'secret')
  const lists = withoutFlag.filter(({ field }) => field.kind !== 'secret').map(({ name }) => name)
  return [
    `${method} ${addresses.join(', or ')}. Confidence: ${confidence}, also of the fields that name no other source.`,
    `Sources: ${sources.map((key) => `${SOURCES[key]?.title ?? key} (${SOURCES[key]?.date ?? 'no date'})`).join('; ')}.`,
    ...(regions === undefined ? [] : [`Regions: ${regions}`]),
    ...(lists.length === 0
      ? []
      : [
          `Fields that have no flag, because they are JSON: ${lists.join(', ')}. Pass them with --field or --input.`,
        ]),
    ...secrets.map(
      ({ name }) => `The field ${name} is a secret, so that it has no flag: pass it with --input.`,
    ),
    ...(effect === undefined
      ? []
      : [`It changes ${effect}: in production it asks before it sends the request.`]),
  ]
}

/** The commands, named `api OPERATION`. */
export const operationCommands: readonly CommandDefinition[] = ROWS.map((row) => ({
  name: `api ${row.name}`,
  summary: toHelp(OPERATION_DESCRIPTIONS[row.name] ?? row.name),
  details: describeOperation(row),
  options: fieldOptions(row),
  parent: api,
  examples: [
    { does: 'print the signed request, and send nothing', line: `${exampleLine(row)} --dry-run` },
    { does: 'send it, and print the response as JSON', line: `${exampleLine(row)} --json` },
  ],
  load: async () => ({ run: (await import('../run/api-operation.ts')).runOperation(row) }),
}))
