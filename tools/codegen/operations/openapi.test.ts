/** The OpenAPI document: its references resolve, and it contains each operation of the table. */
import { OPERATIONS, openApiDocument } from '@brokerwire/operations/table'
import { expect, test } from 'vitest'

type Paths = Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, unknown>>>>>>
const document = openApiDocument()
const operations = Object.values(document.paths as Paths).flatMap((path) => Object.values(path))

test('contains each path of the table once, and each operation id once', () => {
  const paths = Object.values(OPERATIONS).flatMap((row) => Object.values(row.paths))
  expect(Object.keys(document.paths as Paths).sort()).toEqual(paths.sort())
  const ids = operations.map(({ operationId }) => operationId)
  expect(new Set(ids).size).toBe(ids.length)
})

test('each parameter has a schema, and each GET has no body', () => {
  for (const [, path] of Object.entries(document.paths as Paths))
    for (const [method, { parameters, requestBody }] of Object.entries(path)) {
      for (const parameter of parameters as readonly object[]) expect(parameter).toHaveProperty('schema.type')
      expect(requestBody === undefined).toBe(method === 'get')
    }
})

test('each reference resolves', () => {
  const references = JSON.stringify(document).match(/"#\/[^"]+"/g) ?? []
  expect(references.length).toBeGreaterThan(0)
  for (const reference of new Set(references)) {
    const steps = (JSON.parse(reference) as string).slice(2).split('/')
    expect(
      steps.reduce<unknown>((value, step) => (value as Record<string, unknown>)?.[step], document),
    ).toBeDefined()
  }
})
