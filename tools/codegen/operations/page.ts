/** Creates OPERATIONS.md: each row of the table with its fields, limits, sources and confidence. */
import type { RateLimit, RateLimits } from '@brokerwire/core'
import type { Field, Fields } from '@brokerwire/operations'
import {
  FIELD_DESCRIPTIONS,
  OPERATION_DESCRIPTIONS,
  OPERATIONS,
  SOURCES,
  type TableRow,
} from '@brokerwire/operations/table'
import { wireName } from '../../../packages/operations/src/encode.ts'

/** A request for which limits are read that depend on the request. */
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

function section(constant: string, row: TableRow): string[] {
  const { name, method, paths, apiVersions = { current: 'v3', openapi: 'v2' } } = row
  const path = (family: 'current' | 'openapi'): string =>
    paths[family] === undefined ? 'none' : `\`${paths[family]}\` with ${apiVersions[family]}`
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
    ...(row.pagination === undefined ? [] : ['- Response: a page; `paginate` iterates over all pages']),
    ...(row.regions === undefined ? [] : [`- Regions: ${row.regions}`]),
    '',
    ...(fields.length === 0
      ? ['No request fields.', '']
      : ['| Field | On the wire | Required | Values | Meaning |', '|---|---|---|---|---|', ...fields, '']),
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
    'reference disagree, the service decides: unknown values of a field are sent.',
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
