/** Every row of the table: names, paths, sources and descriptions. */

import type { Definition } from '@brokerwire/payloads'
import { describe, expect, test } from 'vitest'
import { checkDefinition, checkPagination } from './check-definition.ts'
import type { Field, Fields } from './index.ts'
import {
  FIELD_DESCRIPTIONS,
  OPERATION_DESCRIPTIONS,
  OPERATIONS,
  openApiDocument,
  RESPONSE_SOURCES,
  SOURCES,
} from './table.ts'

const rows = Object.entries(OPERATIONS)

/** The names of all fields, also of nested ones. */
function fieldNames(fields: Fields): string[] {
  return Object.entries(fields).flatMap(([name, { item, fields: own }]: readonly [string, Field]) => [
    name,
    ...fieldNames(own ?? item?.fields ?? {}),
  ])
}

/** The names of all fields of a response, with those of their parents. */
function responseNames(definition: Definition, parent: string): string[] {
  if (definition.kind === 'array') return responseNames(definition.item, parent === '' ? '' : `${parent}[]`)
  if (definition.kind !== 'object') return []
  return definition.fields.flatMap(({ name, value }) => {
    const path = parent === '' ? name : `${parent}.${name}`
    return [path, ...responseNames(value, path)]
  })
}

describe.each(rows)('%s', (_, row) => {
  test('has a source with a date for each of its keys', () => {
    expect(row.sources.length).toBeGreaterThan(0)
    for (const key of row.sources) expect(SOURCES[key]?.date).toMatch(/^20\d\d/)
  })

  test('describes each field', () => {
    for (const name of fieldNames(row.fields))
      expect(FIELD_DESCRIPTIONS[name], name).toMatch(/^[A-Z].{8,}\.$/)
  })

  test('has a correct definition', () => {
    expect(checkDefinition(row, row.decoder)).toEqual([])
    if (row.paged) expect(checkPagination(row, row.pagination)).toEqual([])
  })

  test('has paths of its families alone', () => {
    const { current, openapi } = row.paths
    if (current !== undefined) expect(current).toMatch(/^\/(?:auth|trading|market-data)\//)
    if (openapi !== undefined) expect(openapi).toMatch(/^\/openapi\//)
  })

  test('retries always only if it reads or previews', () => {
    const hasEffect = /\.(?:create|refresh|place|batch-place|replace|cancel)$/.test(row.name)
    expect(row.retry).toBe(hasEffect ? 'unsent' : 'always')
    expect(row.effect !== undefined).toBe(hasEffect)
  })

  test('has a description', () => {
    expect(OPERATION_DESCRIPTIONS[row.name]).toMatch(/^[A-Z].{8,}\.$/)
  })

  test('marks the fields of its response that hold tokens', () => {
    const { definition } = row.decoder
    const names = definition.kind === 'object' ? definition.fields.map(({ name }) => name) : []
    expect(row.responseSecrets ?? []).toEqual(names.filter((name) => /token$/i.test(name)))
  })
})

test('names and paths are unique', () => {
  const names = rows.map(([, { name }]) => name)
  const paths = rows.flatMap(([, { paths }]) => Object.values(paths))
  expect(new Set(names).size).toBe(names.length)
  expect(new Set(paths).size).toBe(paths.length)
})

test('no description is of an unknown operation', () => {
  const names = rows.map(([, { name }]) => name)
  expect(Object.keys(OPERATION_DESCRIPTIONS)).toEqual(names)
})

test('the OpenAPI document has each path with its method', () => {
  const { paths } = openApiDocument()
  for (const [, row] of rows)
    for (const path of Object.values(row.paths))
      expect(Object.keys(paths[path ?? ''] ?? {})).toEqual([row.method.toLowerCase()])
  expect(Object.keys(openApiDocument({}).paths)).toEqual([])
})

test('no description is of a field that no operation has', () => {
  const known = new Set(rows.flatMap(([, { fields }]) => fieldNames(fields)))
  expect(Object.keys(FIELD_DESCRIPTIONS).filter((name) => !known.has(name))).toEqual([])
})

describe.each(Object.entries(RESPONSE_SOURCES))('the sources of the response of %s', (name, groups) => {
  test('are of fields that the response has, once each', () => {
    const row = rows.find(([, { name: rowName }]) => rowName === name)?.[1]
    const fields = groups.flatMap((group) => group.fields)
    expect(responseNames(row?.decoder.definition ?? { kind: 'json' }, '')).toEqual(
      expect.arrayContaining(fields),
    )
    expect(new Set(fields).size).toBe(fields.length)
  })

  test('have a date, unless the fields are guessed', () => {
    for (const { confidence, sources } of groups) {
      expect(sources.length > 0).toBe(confidence !== 'guessed')
      for (const key of sources) expect(SOURCES[key]?.date).toMatch(/^20\d\d/)
    }
  })
})

test('no source is unused', () => {
  const ofResponses = Object.values(RESPONSE_SOURCES).flat()
  const used = new Set([...rows.map(([, row]) => row), ...ofResponses].flatMap(({ sources }) => sources))
  expect(Object.keys(SOURCES).filter((key) => !used.has(key))).toEqual([])
})
