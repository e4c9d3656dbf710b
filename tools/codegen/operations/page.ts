/** Creates OPERATIONS.md: each row of the table with its fields, limits, sources and confidence. */
import type { PathFamily, RateLimit, RateLimits } from '@brokerwire/core'
import type { Field, Fields } from '@brokerwire/operations'
import {
  FIELD_DESCRIPTIONS,
  OPERATION_DESCRIPTIONS,
  OPERATIONS,
  RESPONSE_SOURCES,
  SOURCES,
  type TableRow,
} from '@brokerwire/operations/table'
import type { Definition } from '@brokerwire/payloads'
import { wireName } from '../../../packages/operations/src/encode.ts'
import { getApiVersion } from '../../../packages/operations/src/operation.ts'
import { describeDefinition } from '../payloads/describe-definition.ts'

/** A sample request. It is the argument if the limits of an operation depend on the request. */
const SAMPLE = { newOrders: [{ market: 'HK' }] }

const describeLimit = ({ limit, windowMs }: RateLimit): string => `${limit} in ${windowMs / 1000} s`

function describeLimits(rateLimits: TableRow['rateLimits']): string {
  if (rateLimits === undefined) return 'none published'
  const limits: RateLimits = typeof rateLimits === 'function' ? rateLimits(SAMPLE as never) : rateLimits
  const hk = limits.hk === undefined ? '' : `; HK ${describeLimit(limits.hk)}`
  const variants = typeof rateLimits === 'function' ? ' (HK and CN stocks; 15 in 1 s for US stocks)' : ''
  return `${describeLimit(limits.us)}${hk}${variants}`
}

function describeType({ kind, values, item, range, format }: Field): string {
  if (kind === 'array') return `${range?.[0]} to ${range?.[1]} of: ${describeType(item as Field)}`
  if (kind === 'integer') return `integer, ${range?.[0]} to ${range?.[1]}`
  if (values !== undefined) return values.map((value) => `\`${value}\``).join(', ')
  return format?.expected ?? kind
}

function fieldRows(fields: Fields, parent: string): string[] {
  return Object.entries(fields).flatMap(([name, field]) => {
    const notes = [
      FIELD_DESCRIPTIONS[name],
      field.family && `Only in the path family \`${field.family}\`.`,
      field.confidence && `Source: ${field.confidence}.`,
    ]
    const own = `| \`${parent}${name}\` | \`${wireName(name, field)}\` | ${field.optional ? '' : 'yes'} | ${describeType(field)} | ${notes.filter(Boolean).join(' ')} |`
    const nested = field.fields ?? field.item?.fields
    const inner =
      nested === undefined ? [] : fieldRows(nested, `${parent}${name}${field.kind === 'array' ? '[]' : ''}.`)
    return [own.replace('object', nested === undefined ? 'object' : 'object, see below'), ...inner]
  })
}

/** Returns the sources of a response's fields, by the names of the fields. */
function responseSources({ name }: TableRow): ReadonlyMap<string, string> {
  const groups = RESPONSE_SOURCES[name] ?? []
  return new Map(
    groups.flatMap(({ fields, confidence, sources }) => {
      const text = sources.length === 0 ? confidence : `${confidence} (${sources.join(', ')})`
      return fields.map((field) => [field, text] as const)
    }),
  )
}

function responseRows(
  definition: Definition,
  parent: string,
  sources: ReadonlyMap<string, string>,
): readonly string[] {
  if (definition.kind === 'array')
    return responseRows(definition.item, parent === '' ? '' : `${parent}[]`, sources)
  if (definition.kind !== 'object') return []
  return definition.fields.flatMap(({ name, wire, optional, value }) => {
    const path = parent === '' ? name : `${parent}.${name}`
    const names = wire.map((wireKey) => `\`${wireKey}\``).join(', ')
    const own = `| \`${path}\` | ${names} | ${optional ? '' : 'yes'} | ${describeDefinition(value)} | ${sources.get(path) ?? ''} |`
    return [own, ...responseRows(value, path, sources)]
  })
}

/** Describes the response's fields. If an earlier operation has the same fields, refers to that operation. */
function responseSection(row: TableRow): string[] {
  const same = Object.values(OPERATIONS).find(({ decoder }) => decoder === row.decoder)
  const kind = row.paged ? 'each item of a page' : 'the response'
  if (same !== undefined && same !== row) return [`Fields of ${kind}: as those of ${same.name}.`, '']
  const { definition } = row.decoder
  const isList = definition.kind === 'array'
  return [
    `Fields of ${isList ? 'each item of the response' : kind}:`,
    '',
    '| Field | On the wire | Required | Type | Source, if it is not documented |',
    '|---|---|---|---|---|',
    ...responseRows(definition, '', responseSources(row)),
    '',
  ]
}

function section(constant: string, row: TableRow): string[] {
  const { name, method, paths } = row
  const path = (family: PathFamily): string =>
    paths[family] === undefined ? 'none' : `\`${paths[family]}\` with ${getApiVersion(row, family)}`
  const fields = fieldRows(row.fields, '')
  return [
    `## ${name}`,
    '',
    OPERATION_DESCRIPTIONS[name] ?? '',
    '',
    `\`${constant}\`: ${method}. Confidence: ${row.confidence}. Sources: ${row.sources.join(', ')}.`,
    '',
    `- Path family \`current\`: ${path('current')}`,
    `- Path family \`openapi\`: ${path('openapi')}`,
    `- Rate limit: ${describeLimits(row.rateLimits)}`,
    `- Retry: \`${row.retry}\``,
    ...(row.effect === undefined ? [] : [`- Effect: changes ${row.effect}`]),
    ...(row.paged ? ['- Response: a page; `paginate` iterates over all pages'] : []),
    ...(row.regions === undefined ? [] : [`- Regions: ${row.regions}`]),
    '',
    ...(fields.length === 0
      ? ['No request fields.', '']
      : ['| Field | On the wire | Required | Values | Meaning |', '|---|---|---|---|---|', ...fields, '']),
    ...responseSection(row),
  ]
}

/** Creates the whole page. */
export function operationsPage(): string {
  const sources = Object.entries(SOURCES).map(([key, { title, date }]) => `| ${key} | ${title} | ${date} |`)
  return [
    '# Operations',
    '',
    'Generated from the table of `@brokerwire/operations`. Nothing here was tried against the live service.',
    '',
    'A path, its API version and the shape of the response belong together. The option `pathFamily` chooses them. If a guide and the',
    'reference disagree, the service decides: unknown values of a field are sent. In a response, a field that no table names is in',
    '`extra`, and a decimal may be an empty string, which is `undefined` in the decoded response.',
    '',
    ...Object.entries(OPERATIONS).flatMap(([constant, row]) => section(constant, row)),
    '## Sources',
    '',
    '| Key | Source | Date |',
    '|---|---|---|',
    ...sources,
    '',
  ].join('\n')
}
