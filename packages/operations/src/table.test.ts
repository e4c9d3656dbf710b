/** Every row of the table: names, paths, sources and descriptions. */
import { describe, expect, test } from 'vitest'
import type { Field, Fields } from './index.ts'
import { FIELD_DESCRIPTIONS, OPERATION_DESCRIPTIONS, OPERATIONS, openApiDocument, SOURCES } from './table.ts'

const rows = Object.entries(OPERATIONS)

/** The names of all fields, also of nested ones. */
function fieldNames(fields: Fields): string[] {
  return Object.entries(fields).flatMap(([name, { item, fields: own }]: readonly [string, Field]) => [
    name,
    ...fieldNames(own ?? item?.fields ?? {}),
  ])
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

  test('has paths of its families alone', () => {
    const { current, openapi } = row.paths
    if (current !== undefined) expect(current).toMatch(/^\/(?:auth|trading|market-data)\//)
    if (openapi !== undefined) expect(openapi).toMatch(/^\/openapi\//)
  })

  test('retries always only if it reads or previews', () => {
    const hasEffect = /\.(?:create|refresh|place|replace|cancel)$/.test(row.name)
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

test('no source is unused', () => {
  const used = new Set(rows.flatMap(([, { sources }]) => sources))
  expect(Object.keys(SOURCES).filter((key) => !used.has(key))).toEqual([])
})
