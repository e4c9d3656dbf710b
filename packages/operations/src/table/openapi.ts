/** Creates an OpenAPI 3.1 document from the table of operations, with the paths of both families. */

import type { PathFamily } from '@brokerwire/core'
import type { Definition } from '@brokerwire/payloads'
import { isInFamily, wireName } from '../encode.ts'
import type { Field, Fields } from '../fields.ts'
import { getApiVersion } from '../operation.ts'
import { FIELD_DESCRIPTIONS } from './field-descriptions.ts'
import { OPERATION_DESCRIPTIONS } from './operation-descriptions.ts'
import { OPERATIONS, type TableRow } from './operations.ts'

/** An OpenAPI 3.1 document as a value that `JSON.stringify` accepts. */
export interface OpenApiDocument {
  /** Version of the format. */
  readonly openapi: '3.1.0'
  /** Title, version and license of the document. */
  readonly info: Readonly<Record<string, unknown>>
  /** Addresses that the paths belong to. */
  readonly servers: readonly { readonly url: string }[]
  /** Operations by path and method. */
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  /** Schemas and security schemes that several operations use. */
  readonly components: Readonly<Record<string, unknown>>
}

type Json = Readonly<Record<string, unknown>>

/**
 * Returns the schema of a response, from the definition of its decoder. The schema allows unknown fields and
 * values.
 */
function responseSchema(definition: Definition): Json {
  switch (definition.kind) {
    case 'object': {
      const properties = definition.fields.map(({ wire, value }) => [wire[0], responseSchema(value)])
      const required = definition.fields.filter(({ optional }) => !optional).map(({ wire }) => wire[0])
      return {
        type: 'object',
        properties: Object.fromEntries(properties),
        ...(required.length === 0 ? {} : { required }),
      }
    }
    case 'array':
      return { type: 'array', items: responseSchema(definition.item) }
    case 'open-enum':
      return { type: 'string', examples: definition.values }
    case 'integer-like':
      return { type: ['integer', 'string'] }
    case 'boolean-like':
      return { type: ['boolean', 'string'] }
    case 'decimal':
      return { type: ['string', 'null'], description: 'A decimal as text, or an empty string.' }
    default:
      return { type: 'string' }
  }
}

function fieldSchema(field: Field, family: PathFamily, isQuery: boolean): Json {
  const { kind, item, fields, values, range, format } = field
  switch (kind) {
    case 'array':
      if (isQuery) return { type: 'string', description: 'Values separated by commas.' }
      return {
        type: 'array',
        items: fieldSchema(item as Field, family, false),
        minItems: range?.[0],
        maxItems: range?.[1],
      }
    case 'object':
      return objectSchema(fields as Fields, family)
    case 'integer':
      return {
        type: isQuery ? 'string' : 'integer',
        ...(isQuery ? {} : { minimum: range?.[0], maximum: range?.[1] }),
      }
    case 'boolean':
      return isQuery ? { type: 'string', enum: ['true', 'false'] } : { type: 'boolean' }
    case 'instant':
      return { type: 'string', format: 'date-time' }
    case 'date':
      return { type: 'string', format: 'date' }
    default:
      return {
        type: 'string',
        ...(values === undefined ? {} : { examples: values }),
        ...(format === undefined ? {} : { pattern: format.pattern.source }),
      }
  }
}

const fieldsInFamily = (fields: Fields, family: PathFamily): [string, Field][] =>
  Object.entries(fields).filter(([, field]) => isInFamily(field, { pathFamily: family }))

function objectSchema(fields: Fields, family: PathFamily): Json {
  const known = fieldsInFamily(fields, family)
  const properties = known.map(([name, field]) => [
    wireName(name, field),
    { ...fieldSchema(field, family, false), description: FIELD_DESCRIPTIONS[name] },
  ])
  const required = known.filter(([, { optional }]) => !optional).map(([name, field]) => wireName(name, field))
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length === 0 ? {} : { required }),
  }
}

function responseOf(row: TableRow, family: PathFamily): Json {
  const own = responseSchema(row.decoder.definition)
  if (!row.paged) return own
  const items = { type: 'array', items: own }
  if (family === 'openapi') return items
  return {
    type: 'object',
    properties: { data: items, pagination_key: { type: ['string', 'null'] } },
    required: ['data'],
  }
}

function operation(constant: string, row: TableRow, family: PathFamily): Json {
  const { name, method, fields, authenticated = true } = row
  const query = method === 'GET' ? fieldsInFamily(fields, family) : []
  const version = {
    name: 'x-version',
    in: 'header',
    required: true,
    schema: { type: 'string', const: getApiVersion(row, family) },
  }
  const parameters = query.map(([field, value]) => ({
    name: wireName(field, value),
    in: 'query',
    required: !value.optional,
    description: FIELD_DESCRIPTIONS[field],
    schema: fieldSchema(value, family, true),
  }))
  const body = { required: true, content: { 'application/json': { schema: objectSchema(fields, family) } } }
  return {
    operationId: family === 'current' ? constant : `${constant}Openapi`,
    summary: name,
    tags: [name.slice(0, name.indexOf('.'))],
    description: `${OPERATION_DESCRIPTIONS[name] ?? ''} Confidence: ${row.confidence}. Sources: ${row.sources.join(', ')}.${row.regions ? ` ${row.regions}` : ''}`,
    security: authenticated ? [{ signature: [], accessToken: [] }] : [{ signature: [] }],
    parameters: [version, ...parameters],
    ...(method === 'GET' ? {} : { requestBody: body }),
    responses: {
      200: {
        description: 'The request was accepted.',
        content: { 'application/json': { schema: responseOf(row, family) } },
      },
      default: {
        description: 'The request was rejected.',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    },
  }
}

/**
 * Returns an OpenAPI 3.1 document of operations, with the paths of both families.
 *
 * @param operations - Operations by the names of their constants. @defaultValue the whole table
 *
 * @example
 * ```ts
 * import { OPERATIONS, openApiDocument } from '@brokerwire/operations/table'
 *
 * console.log(JSON.stringify(openApiDocument()))
 * const { getConfig, ...others } = OPERATIONS
 * console.log(Object.keys(openApiDocument(others).paths))
 * ```
 */
export function openApiDocument(
  operations: Readonly<Record<string, TableRow>> = OPERATIONS,
): OpenApiDocument {
  const paths: Record<string, Json> = {}
  for (const [constant, row] of Object.entries(operations)) {
    for (const family of ['current', 'openapi'] as const) {
      const path = row.paths[family]
      if (path !== undefined) paths[path] = { [row.method.toLowerCase()]: operation(constant, row, family) }
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Operations of the brokerage open API',
      version: '1',
      description:
        'Generated from the table of @brokerwire/operations, which is independent of the operator of the service. Nothing here was tried against the live service.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    paths,
    components: {
      securitySchemes: {
        signature: {
          type: 'apiKey',
          in: 'header',
          name: 'x-signature',
          description:
            'The signature of the request, with x-app-key, x-timestamp and the other headers of the signature.',
        },
        accessToken: { type: 'apiKey', in: 'header', name: 'x-access-token' },
      },
      schemas: {
        Error: {
          type: 'object',
          properties: { error_code: { type: 'string' }, message: { type: 'string' } },
        },
      },
    },
  }
}
